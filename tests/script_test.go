package tests

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/tests/story"
)

// TestScriptsAsSaved: a story reads the same with CRLF line ends and a UTF-8 byte-order mark in front.
func TestScriptsAsSaved(t *testing.T) {
	raw, err := os.ReadFile("stories/rows.sql")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	at := strings.Index(text, "--@test: C31 comments")
	if at < 0 {
		t.Fatal("the story is gone")
	}
	story31 := text[at:]
	if end := strings.Index(story31[1:], "--@test: C33"); end > 0 {
		story31 = story31[:end+1]
	}
	crlf := strings.ReplaceAll(story31, "\n", "\r\n")
	for name, text := range map[string]string{
		"LF": story31, "CRLF": crlf, "byte-order mark": "\ufeff" + story31, "byte-order mark and CRLF": "\ufeff" + crlf,
	} {
		report, err := story.Run(context.Background(), "rows.sql", text, []story.Regime{story.Plain()})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(report.Results) != 2 {
			t.Errorf("%s: %d tests, want 2", name, len(report.Results))
		}
		for _, r := range report.Failed() {
			t.Errorf("%s: %s: %s", name, r.Test, r.Failure)
		}
	}
}
