package streamsql_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
)

// TestSuggest: what an engine knows is proposed, with a thousand streams within 20 ms.
func TestSuggest(t *testing.T) {
	l := open(t, streamsql.Options{})
	var ddl strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&ddl, "CREATE STREAM s%03d (id VARCHAR, amount DECIMAL(12,2)) WITH (topic = 'in.%03d');", i, i)
	}
	l.exec(ddl.String())
	l.Define("limit", "3")
	for text, want := range map[string]string{
		"SELECT * FROM s99": "s990",
		"SELECT am":         "", // no relation is known yet
		"CREATE STREAM x (a INT) WITH (format = 'debezium":        "debezium-json'",
		"CREATE STREAM x (a INT) WITH (connector = 'file', file.": "file.path",
		"CREATE STREAM x (a INT) WITH (json.quoted_numbers = ":    "'true'",
		"CREATE STREAM x (a INT) WITH (connector = 'gen":          "generate'",
		"SET start = ":                "'latest'",
		"SELECT JSON_EXT":             "JSON_EXTRACT(",
		"SELECT * FROM s001 LIMIT ${": "limit}",
		"PRINT in.00":                 "in.007",
	} {
		var texts []string
		for _, c := range l.Suggest(l.ctx, text, len(text)).Candidates {
			texts = append(texts, c.Text)
		}
		if want != "" && !slices.Contains(texts, want) || want == "" && len(texts) > 0 {
			t.Errorf("%s: %q, want %q among them", text, texts[:min(len(texts), 20)], want)
		}
	}
	text := "SELECT id FROM s001 a JOIN s002 b WITHIN 1s ON a.id = b."
	best := time.Hour
	for range 10 {
		started := time.Now()
		l.Suggest(l.ctx, text, len(text))
		best = min(best, time.Since(started))
	}
	if best > 20*time.Millisecond {
		t.Errorf("took %v", best)
	}
}
