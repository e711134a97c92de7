package streamsql_test

import (
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql"
)

// pull gives the rows of a pull query in their order.
func (l *lab) pull(sql string) []string {
	l.t.Helper()
	rows, err := l.Query(l.ctx, sql)
	if err != nil {
		l.t.Fatal(err)
	}
	if rows.Changes() {
		l.t.Errorf("%s: rows of a pull query are no changes", sql)
	}
	got, err := lines(rows, -1)
	if err != nil {
		l.t.Fatal(err)
	}
	return got
}

func TestPullQuery(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 3);" +
		"INSERT INTO s VALUES ('a', 1), ('b', 2), ('a', 3), ('c', 4);" +
		"CREATE TABLE totals AS SELECT id, SUM(n) AS total FROM s GROUP BY id HAVING SUM(n) <> 99;")
	l.eventually("the table holds its rows", func() bool { return len(l.pull("SELECT id FROM totals")) == 3 })
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT id, total FROM totals ORDER BY total DESC, id", []string{"a 4", "c 4", "b 2"}},
		{"SELECT total FROM totals WHERE id = 'a'", []string{"4"}},
		{"SELECT id FROM totals WHERE total >= 4 ORDER BY 1 LIMIT 1 OFFSET 1", []string{"c"}},
		{"SELECT COUNT(*) AS n, MAX(total) AS most FROM totals", []string{"3 4"}},
		{"SELECT id FROM totals WHERE id = 'z'", nil},
	} {
		if got := l.pull(c.sql); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.sql, got, c.want)
		}
	}
	l.exec("INSERT INTO s VALUES ('b', 97)") // HAVING takes b out of the result
	l.eventually("b is gone", func() bool { return len(l.pull("SELECT id FROM totals")) == 2 })
}

func TestOrderBy(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's'); INSERT INTO s VALUES ('a', 2), ('b', NULL), ('c', 1), ('d', 3)")
	got, err := l.QueryUntil(l.ctx, "SELECT id, n FROM s ORDER BY n DESC LIMIT 3", streamsql.UntilEnd)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lines(got, -1); err != nil || !slices.Equal(got, []string{"d 3", "a 2", "c 1"}) {
		t.Errorf("%q %v", got, err)
	}
	l.refuses("CREATE STREAM o AS SELECT id FROM s ORDER BY id", "ORDER BY in a query that goes on", "QUALIFY")
	if _, err := l.Query(l.ctx, "SELECT id FROM s ORDER BY id"); err == nil {
		t.Error("an endless SELECT with ORDER BY was accepted")
	}
	if _, err := l.QueryUntil(l.ctx, "SELECT id FROM s ORDER BY n", streamsql.UntilEnd); err == nil {
		t.Error("ORDER BY of a column that is not in the list was accepted")
	}
}
