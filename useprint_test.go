package streamsql_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
)

// TestUse: a SELECT without FROM reads what USE named, alone and in CREATE and INSERT; in a sub-query it is an error still.
func TestUse(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (message_id VARCHAR) WITH (topic = 's', partitions = 2);" +
		"INSERT INTO s (message_id, _timestamp) VALUES ('m1', 1000), ('m1', 2000), ('m2', 3000), ('m1', 10000); CREATE STREAM d (message_id VARCHAR) WITH (topic = 'd', partitions = 1, disorder = '1s')")
	l.refuses("CREATE STREAM o AS SELECT message_id", "SELECT without FROM", "USE name")
	l.refuses("USE t", "unknown stream or table t")
	l.exec("USE S")
	l.wants("SELECT DISTINCT message_id WINDOW TUMBLING(10s)", "m1", "m1", "m2")
	l.wants("SELECT message_id FROM d")
	l.exec("CREATE STREAM o AS SELECT DISTINCT message_id WINDOW TUMBLING(10s); INSERT INTO d SELECT message_id")
	rows, err := l.Query(l.ctx, "SELECT message_id FROM o LIMIT 3")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lines(rows, -1); err != nil || len(got) != 3 {
		t.Error(got, err)
	}
	if got := l.query("EXPLAIN SELECT message_id"); !strings.Contains(strings.Join(got, "\n"), "Scan s") {
		t.Errorf("%q", got)
	}
	if _, err := l.QueryUntil(l.ctx, "SELECT x FROM (SELECT message_id AS x) AS q", streamsql.UntilEnd); err == nil || !strings.Contains(err.Error(), "SELECT without FROM") {
		t.Error(err)
	}
	script := "CREATE STREAM a (x INT) WITH (topic = 'a', partitions = 1);\nUSE a;\nSELECT x, y;\nUSE b;\n"
	var places []string
	for _, m := range streamsql.Check("q.sql", script, nil) {
		line, column := m.Place()
		places = append(places, fmt.Sprintf("%d:%d %s", line, column, m.Msg))
	}
	if want := []string{"3:11 unknown column y in a", "4:5 unknown stream or table b"}; !slices.Equal(places, want) {
		t.Errorf("%q", places)
	}
}

// TestPrintFollows: without FROM BEGINNING only records that come later are shown, until LIMIT, Close or the end of the context.
func TestPrintFollows(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 2); INSERT INTO s (id, _partition) VALUES ('old', 0), ('old', 1)")
	rows, err := l.Query(l.ctx, "PRINT s LIMIT 3")
	if err != nil {
		t.Fatal(err)
	}
	l.exec("INSERT INTO s (id, _partition, _timestamp) VALUES ('a', 1, 1000), ('b', 1, 2000), ('c', 0, 3000), ('d', 0, 4000)")
	var got []string
	for r, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Text(0)+" "+r.Text(4))
	}
	slices.Sort(got)
	if len(got) != 3 || !slices.Contains(got, `0 {"id":"c"}`) {
		t.Errorf("%q", got)
	}
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	if rows, err = l.Query(ctx, "PRINT s"); err != nil {
		t.Fatal(err)
	}
	l.exec("INSERT INTO s (id) VALUES ('e')")
	for r, err := range rows.All() {
		switch {
		case errors.Is(err, context.Canceled):
		case err != nil || !strings.Contains(r.Text(4), `"e"`):
			t.Error(r, err)
		}
		cancel()
	}
	if rows, err = l.Query(l.ctx, "PRINT s"); err != nil {
		t.Fatal(err)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	for _, err := range rows.All() {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if _, err := l.QueryUntil(l.ctx, "PRINT s", streamsql.UntilEnd); err == nil || !strings.Contains(err.Error(), "would never end") {
		t.Error(err)
	}
	if _, err := l.Load(l.ctx, "f.sql", "PRINT s;", streamsql.Endless); err == nil || !strings.Contains(err.Error(), "would never end") {
		t.Error(err)
	}
}

// TestShowErrors: the last bad records of each source of each query, with where they are, why, and how they begin.
func TestShowErrors(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec(`CREATE STREAM raw (v VARCHAR) WITH (topic = 's', partitions = 1, format = 'string'); CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's');
		CREATE STREAM good (id VARCHAR) WITH (topic = 'good', partitions = 1);`)
	var values []string
	for i := range 12 {
		values = append(values, fmt.Sprintf("('not json %d%s')", i, strings.Repeat("x", 300)))
	}
	l.exec("INSERT INTO raw VALUES " + strings.Join(values, ", ") + `, ('{"id":"a","n":1}'), ('{"id":"b","n":"many"}')`)
	for _, sql := range []string{"CREATE STREAM o AS SELECT id, 10 / n AS x FROM s", "CREATE STREAM p AS SELECT id FROM good"} {
		q, err := l.Start(l.ctx, sql, streamsql.Bounded(streamsql.UntilEnd))
		if err != nil {
			t.Fatal(err)
		}
		mustRegister(t, q.Wait(l.ctx))
	}
	rows, err := l.Query(l.ctx, "SHOW ERRORS")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := range rows.All() {
		if r.Text(0) != "o" || r.Text(1) != "s" || r.Text(2) != "13" || r.Text(3) != "s" || r.Text(4) != "0" || r.Text(9) != "NULL" || len(r.Text(10)) > 200 {
			t.Errorf("%v", r.Values)
		}
		got = append(got, r.Text(5)+" "+r.Text(7)+" "+r.Text(10)[:12])
	}
	want := []string{}
	for i := 3; i < 12; i++ {
		want = append(want, fmt.Sprintf("%d malformed %s", i, fmt.Sprintf("not json %dxxx", i)[:12]))
	}
	want = append(want, `13 wrong_type {"id":"b","n`)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	l.wants("SHOW ERRORS p")
	if _, err := l.Query(l.ctx, "SHOW ERRORS nobody"); err == nil || !strings.Contains(err.Error(), "no query named nobody") {
		t.Error(err)
	}
}

// TestExplainResult: what is done with the rows of a SELECT when it ends, and which records a pull query reads.
func TestExplainResult(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 1); CREATE TABLE o AS SELECT id, COUNT(*) AS n FROM s GROUP BY id")
	for sql, want := range map[string][]string{
		"SELECT id FROM s":         nil,
		"SELECT id FROM s LIMIT 3": {"the query ends after row 3"},
		"SELECT id, n FROM s ORDER BY n DESC, id LIMIT 3 OFFSET 2":    {"at the end the rows are sorted by n DESC, id, and the first 3 are shown after the first 2"},
		"SELECT id, n FROM o ORDER BY n":                              {"what the tables hold now, from all partitions of their topics", "at the end the rows are sorted by n"},
		"SELECT n FROM o WHERE id IN ('a', 'b') LIMIT 1":              {"what o holds now, from the partitions where 2 keys of (id) lie", "the query ends after row 1"},
		"SELECT n FROM o WHERE id = 'a' EMIT CHANGES":                 nil,
		"CREATE TABLE x AS SELECT n, COUNT(*) AS c FROM o GROUP BY n": nil,
	} {
		rows, err := l.Query(l.ctx, "EXPLAIN "+sql)
		if err != nil {
			t.Fatal(err)
		}
		all, err := lines(rows, -1)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range strings.Split(strings.Join(all, "\n"), "\n") {
			if r, ok := strings.CutPrefix(strings.TrimSpace(line), "result: "); ok {
				got = append(got, r)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
