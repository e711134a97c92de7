package streamsql_test

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
)

// TestConnectorOptions: all doors take the same options and refuse the same ones, at the option's place.
func TestConnectorOptions(t *testing.T) {
	cases := []struct{ sql, at, msg string }{
		{"CREATE STREAM s (id VARCHAR) WITH (topic = 's', kafka.brokers = 'other:9092');", "1:49", "-X kafka.brokers="},
		{"CREATE STREAM s (id VARCHAR) WITH (topic = 's', kafka.session_timeout = '5s');", "1:49", "Options.Kafka"},
		{"CREATE STREAM s (id VARCHAR) WITH (topic = 's', file.path = 'x');", "1:49", "belongs to connector = 'file'"},
		{"CREATE STREAM s (id VARCHAR) WITH (connector = 'file', file.path = '-', generate.rows = 1);", "1:73", "belongs to connector = 'generate'"},
		{"CREATE STREAM s (id VARCHAR) WITH (connector = 'generate', generate.rowz = 1);", "1:60", "did you mean 'generate.rows'"},
		{"CREATE STREAM s (id VARCHAR) WITH (connector = 'generate', generate.rows = 'many');", "1:60", "a whole number"},
		{"CREATE STREAM s (id BIGINT) WITH (connector = 'nexmark', nexmark.rate = 5);", "1:15", "nexmark.type"},
		{"CREATE STREAM s (id BIGINT) WITH (connector = 'nexmark', nexmark.types = 'bid');", "1:58", "did you mean 'nexmark.type'"},
		{"CREATE STREAM s (id BIGINT) WITH (connector = 'nexmark', nexmark.type = 'bid');", "1:15", "has no field id"},
		{"CREATE STREAM s (id VARCHAR) WITH (connector = 'file');", "1:15", "file.path"},
		{"CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1); CREATE STREAM o WITH (connector = 'generate') AS SELECT id FROM s;", "1:80", "cannot be written to"},
		{"CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1); CREATE STREAM o WITH (generate.rows = 1) AS SELECT id FROM s;", "1:88", "belongs to connector"},
	}
	for _, c := range cases {
		t.Run(c.sql, func(t *testing.T) {
			l := open(t, streamsql.Options{})
			expect := func(door string, err error) {
				t.Helper()
				if err == nil || !strings.Contains(err.Error(), c.msg) || !strings.Contains(err.Error(), ":"+c.at+":") {
					t.Errorf("%s: %v\nwant %s at %s", door, err, c.msg, c.at)
				}
			}
			expect("Exec", l.Exec(l.ctx, c.sql))
			_, create, two := strings.Cut(c.sql, "; ")
			if errs := streamsql.Check("", c.sql, nil); len(errs) != 1 {
				t.Errorf("Check: %v", errs)
			} else {
				expect("Check", errs[0])
			}
			if two { // the source is there by now
				if _, err := l.Start(l.ctx, create); err == nil || !strings.Contains(err.Error(), c.msg) {
					t.Errorf("Start: %v", err)
				}
				return
			}
			_, err := l.Load(l.ctx, "", c.sql, streamsql.Endless)
			expect("Load", err)
			for _, err := range l.Run(l.ctx, "", c.sql, streamsql.Endless) {
				expect("Run", err)
			}
		})
	}
}

func TestInsertIntoWhatIsFed(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM g (id VARCHAR) WITH (connector = 'generate', generate.rows = 1); CREATE STREAM s (id VARCHAR) WITH (topic = 's')")
	l.refuses("INSERT INTO g VALUES ('a')", "come from connector 'generate'", "hint:")
	l.refuses("INSERT INTO g SELECT id FROM s", "cannot be written to", "hint:")
}
