package planner_test

import (
	"strings"
	"testing"
)

// A value of all rows meets every row in one place: EXPLAIN says so in words.
func TestExplainOneGroup(t *testing.T) {
	c, err := run(t, prelude+"SELECT id, SUM(n) / (SELECT SUM(n) FROM s) AS part FROM s GROUP BY id;", nil)
	if err != nil {
		t.Fatal(err)
	}
	text := c.Query.Explain("app").String()
	for _, want := range []string{"JOIN needs all rows together", "why: all rows are in one partition", "Materialize the newest row\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
