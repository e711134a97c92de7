package streamsql_test

import (
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/diagnosis"
)

// Each of these queries shows nothing, for another reason.
func TestDiagnose(t *testing.T) {
	const (
		stream = "CREATE STREAM s (id VARCHAR, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL 0 SECOND) WITH (topic = 's', partitions = 1);"
		right  = "CREATE STREAM r (id VARCHAR, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL 0 SECOND) WITH (topic = 'r', partitions = 1);"
	)
	for _, c := range []struct {
		name, sql string
		reason    diagnosis.Reason
		parts     []string
	}{
		{"empty topic", stream + "CREATE STREAM o AS SELECT id FROM s;", diagnosis.NothingCame, []string{"the topic s is empty"}},
		{"start is latest", stream + "INSERT INTO s VALUES ('a', 1, '2026-01-01 00:00:00'), ('b', 2, '2026-01-01 00:00:00'); CREATE STREAM l (id VARCHAR) WITH (topic = 's', start = 'latest'); CREATE STREAM o AS SELECT id FROM l;",
			diagnosis.StartIsLatest, []string{"nothing new was written to s", "2 older records", "start = 'earliest'"}},
		{"filter", stream + "CREATE STREAM o AS SELECT id FROM s WHERE n > 100; INSERT INTO s VALUES ('a', 1, '2026-01-01 00:00:00'), ('b', 7, '2026-01-01 00:00:00');",
			diagnosis.Filtered, []string{"all 2 rows were dropped by n > 100", "n = 7"}},
		{"bad records", stream + "CREATE STREAM o AS SELECT id FROM s; CREATE STREAM raw (v VARCHAR) WITH (topic = 's', format = 'string'); INSERT INTO raw VALUES ('no json');",
			diagnosis.Bad, []string{"all 1 records of s were bad for format 'json'", "INFER FROM TOPIC s"}},
		{"late", stream + "INSERT INTO s VALUES ('a', 1, '2026-01-01 00:01:00'), ('b', 7, '2026-01-01 00:00:05'); CREATE STREAM o AS SELECT id, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) WHERE id = 'b' GROUP BY id EMIT FINAL;",
			diagnosis.Late, []string{"all 1 rows", "disorder = '50s1us' on s"}},
		{"open window", stream + "CREATE STREAM o AS SELECT id, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL; INSERT INTO s VALUES ('a', 1, '2026-01-01 00:00:03');",
			diagnosis.OpenWindow, []string{"when time reaches 2026-01-01 00:00:10.000", "the watermark is 2026-01-01 00:00:02.999, held by s/0"}},
		{"keys that differ in case", stream + right + "CREATE STREAM o AS SELECT s.id FROM s JOIN r WITHIN 10s ON s.id = r.id; INSERT INTO s VALUES ('C-1', 1, '2026-01-01 00:00:00'); INSERT INTO r VALUES ('c-1', '2026-01-01 00:00:00');",
			diagnosis.NoMatch, []string{"'C-1'", "'c-1'", "differ only in case", "LOWER("}},
		{"keys that never meet", stream + right + "CREATE STREAM o AS SELECT s.id FROM s JOIN r WITHIN 10s ON s.id = r.id; INSERT INTO s VALUES ('x', 1, '2026-01-01 00:00:00'); INSERT INTO r VALUES ('y', '2026-01-01 00:00:00');",
			diagnosis.NoMatch, []string{"1 and 1 rows met in the join, and no keys were equal", "VARCHAR is such as 'x'", "such as 'y'"}},
		{"one side missing", stream + right + "CREATE STREAM o AS SELECT s.id FROM s JOIN r WITHIN 10s ON s.id = r.id; INSERT INTO s VALUES ('x', 1, '2026-01-01 00:00:00');",
			diagnosis.NoMatch, []string{"1 rows of the left side", "no row of the right side came"}},
		{"table behind", stream + "CREATE TABLE c (id VARCHAR PRIMARY KEY, owner VARCHAR) WITH (topic = 'c', partitions = 1); CREATE STREAM o AS SELECT s.id FROM s JOIN c WITHIN 1h ON s.id = c.id; INSERT INTO s VALUES ('x', 1, '2026-01-01 00:00:00');",
			diagnosis.AwaitsTable, []string{"1 rows wait until the table c", "WITHIN 1h"}},
		{"rows come", stream + "CREATE STREAM o AS SELECT id FROM s; INSERT INTO s VALUES ('x', 1, '2026-01-01 00:00:00');", diagnosis.Flowing, []string{"1 in, 1 out"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := open(t, streamsql.Options{})
			l.exec(c.sql)
			q, err := l.Lookup("o")
			if err != nil {
				t.Fatal(err)
			}
			var d streamsql.Diagnosis
			for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				d = q.Diagnose(l.ctx)
				said := d.Reason == c.reason
				for _, p := range c.parts {
					said = said && strings.Contains(d.Sentence, p)
				}
				if said {
					return
				}
			}
			t.Errorf("%s: %s\nwant %s with %q", d.Reason, d.Sentence, c.reason, c.parts)
		})
	}
}

// EXPLAIN ANALYZE shows what passed each node.
func TestExplainAnalyze(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 1); INSERT INTO s VALUES ('a', 1), ('b', 2), ('c', 3); CREATE STREAM o AS SELECT id FROM s WHERE n > 1;")
	want := []string{"RUNNING: 3 in, 2 out", "here: 3 rows by 1 task", "here: 2 rows by 1 task"}
	var text string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		rows, err := l.Query(l.ctx, "EXPLAIN ANALYZE o")
		if err != nil {
			t.Fatal(err)
		}
		got, err := lines(rows, -1)
		if err != nil {
			t.Fatal(err)
		}
		text = strings.Join(got, "\n")
		all := true
		for _, w := range want {
			all = all && strings.Contains(text, w)
		}
		if all {
			if _, err := l.Query(l.ctx, "EXPLAIN ANALYZE SELECT id FROM s"); err == nil || !strings.Contains(err.Error(), "about a query that runs") {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("%s\nwant %q", text, want)
}
