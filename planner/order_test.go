package planner_test

import (
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/planner/plan"
)

// What ORDER BY names is found in the list by position, by name, or as the list has it; an alias counts before a column of
// that name only without a qualifier (MySQL manual, "SELECT Statement").
func TestOrderBy(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []plan.RowOrder
	}{
		{"SELECT id, n FROM s ORDER BY 2 DESC, 1", []plan.RowOrder{{Column: 1, Desc: true}, {Column: 0}}},
		{"SELECT n AS id, id AS n FROM s ORDER BY n", []plan.RowOrder{{Column: 1}}},
		{"SELECT n AS id, id AS n FROM s ORDER BY s.n", []plan.RowOrder{{Column: 0}}},
		{"SELECT * FROM s ORDER BY s.n", []plan.RowOrder{{Column: 1}}},
		{"SELECT id, n + 1 FROM s ORDER BY N + 1 DESC", []plan.RowOrder{{Column: 1, Desc: true}}},
		{"SELECT t.id, k.v AS a, t.v AS b FROM t JOIN k ON t.v = k.v ORDER BY t.v", []plan.RowOrder{{Column: 2}}},
		{"SELECT id, COUNT(*), SUM(n) + 1 AS x FROM s GROUP BY id ORDER BY COUNT(*), SUM(n) + 1, s.id", []plan.RowOrder{{Column: 1}, {Column: 2}, {Column: 0}}},
		{"SELECT DISTINCT k.v FROM k ORDER BY k.v", []plan.RowOrder{{Column: 0}}},
		{"SELECT id FROM s UNION ALL SELECT id FROM s2 ORDER BY ID", []plan.RowOrder{{Column: 0}}},
	} {
		got, err := run(t, prelude+c.sql+";", nil)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if !slices.Equal(got.Query.Order, c.want) {
			t.Errorf("%s: %v, want %v", c.sql, got.Query.Order, c.want)
		}
	}
}
