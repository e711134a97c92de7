package rules_test

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/planner/bind"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/planner/rules"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/parser"
)

const tables = `
CREATE STREAM s (id VARCHAR, n INT, x INT, name VARCHAR, user STRUCT<id BIGINT, country VARCHAR>, ts TIMESTAMP(3)) WITH (timestamp = 'ts');
CREATE STREAM e (id VARCHAR, n INT, x INT);
CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT, region VARCHAR);
`

// rewritten is the plan of a SELECT after all rules, one line per node, inputs indented.
func rewritten(t *testing.T, sql string) string {
	t.Helper()
	script, err := parser.Parse("", tables+sql+";")
	if err != nil {
		t.Fatal(err)
	}
	cat := catalog.New()
	for _, st := range script.Statements {
		switch st := st.(type) {
		case *ast.Create:
			r, err := catalog.Define(st)
			if err != nil {
				t.Fatal(err)
			}
			cat.Replace(r)
		case *ast.SelectStatement:
			b, err := bind.Select(cat.Now(), st.Query, bind.Source{Text: tables + sql})
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			var lines []string
			write(rules.Apply(b.Sink).Input, 0, &lines)
			return strings.Join(lines, "\n")
		}
	}
	t.Fatal("no SELECT")
	return ""
}

func write(n plan.Node, depth int, lines *[]string) {
	text := n.Describe()
	if s, ok := n.(*plan.Scan); ok {
		var cols []string
		for _, c := range s.Columns {
			cols = append(cols, c.Name)
		}
		text = "Scan " + s.Relation.Name + ": " + strings.Join(cols, ", ")
	}
	text, _, _ = strings.Cut(text, ", as of the row's event time")
	*lines = append(*lines, strings.Repeat(" ", depth)+text)
	for _, in := range n.Inputs() {
		write(in, depth+1, lines)
	}
}

var rewrites = []struct{ name, sql, want string }{
	{"constants are folded, what is always true goes", "SELECT n + (1 + 2) AS r FROM e WHERE 1 < 2 AND n > 2 * 3", `
Project n + 3 AS r
 Filter n > 6
  Scan e: n`},
	{"what is never true stays", "SELECT n FROM e WHERE 1 > 2", `
Filter FALSE
 Scan e: n`},
	{"projections of sub-queries become one", "SELECT b + 1 AS c FROM (SELECT a * 2 AS b FROM (SELECT n AS a FROM e) x) y", `
Project (n * 2) + 1 AS c
 Scan e: n`},
	{"what is read twice is computed once", "SELECT b + b AS c FROM (SELECT n * 2 AS b FROM e) x", `
Project b + b AS c
 Project n * 2 AS b
  Scan e: n`},
	{"filters and projections move into the parts of a union", "SELECT n FROM (SELECT n FROM e UNION ALL SELECT n * 2 FROM e) x WHERE n > 3", `
Union of 2
 Project CAST(n AS BIGINT) AS n
  Filter CAST(n AS BIGINT) > 3
   Scan e: n
 Project n * 2 AS n
  Filter (n * 2) > 3
   Scan e: n`},
	{"a scan reads what is needed, the event-time column too", "SELECT n FROM s", `
Project n
 Scan s: n, ts`},
	{"a field of a STRUCT is read by its path", "SELECT user.country FROM s WHERE user.id = 5", `
Project user.country
 Filter user.id = 5
  Scan s: ts, user.country, user.id`},
	{"hidden columns are read when asked for", "SELECT _offset, HEADER('a') AS a FROM e", `
Project _offset, HEADER('a') AS a
 Scan e: _offset, HEADER('a')`},
	{"inner join: each predicate goes to its side", "SELECT e.n, t.v FROM e JOIN t ON e.id = t.id AND e.x > 1 WHERE t.region = 'eu' AND e.n > 2 AND e.n < t.v", `
Project e.n, t.v
 Filter e.n < t.v
  Join with table on e.id = t.id
   Project id, n
    Filter (e.x > 1) AND (e.n > 2)
     Scan e: id, n, x
   Project id, v
    Filter t.region = 'eu' (a row that fails removes its key)
     Scan t: id, v, region`},
	{"left join: nothing passes its right side", "SELECT e.n, t.v FROM e LEFT JOIN t ON e.id = t.id AND t.v > 1 AND e.x > 1 WHERE t.region = 'eu' AND e.n > 2", `
Project e.n, t.v
 Filter t.region = 'eu'
  Left join with table on e.id = t.id AND (t.v > 1) AND (e.x > 1)
   Filter e.n > 2
    Scan e: id, n, x
   Scan t: id, v, region`},
	{"a predicate that can fail does not pass its guard", "SELECT e.n FROM e JOIN t ON e.id = t.id WHERE e.n < t.v AND CAST(e.id AS BIGINT) > 3 AND e.x = 1", `
Project e.n
 Filter (e.n < t.v) AND (CAST(e.id AS BIGINT) > 3)
  Join with table on e.id = t.id
   Project id, n
    Filter e.x = 1
     Scan e: id, n, x
   Scan t: id, v`},
	{"a predicate that can fail does not become a tombstone", "SELECT e.n FROM e JOIN t ON e.id = t.id WHERE CAST(t.region AS BIGINT) > 3", `
Project e.n
 Filter CAST(t.region AS BIGINT) > 3
  Join with table on e.id = t.id
   Scan e: id, n
   Scan t: id, region`},
	{"an aggregate of HAVING stays", "SELECT COUNT(*) AS c FROM e GROUP BY n HAVING SUM(x) > 1", `
Project COUNT(*) AS c, n
 Aggregate COUNT(*), SUM(x) by n having SUM(x) > 1, updates as rows come
  Scan e: n, x`},
}

func TestRules(t *testing.T) {
	for _, c := range rewrites {
		t.Run(c.name, func(t *testing.T) {
			if got := rewritten(t, c.sql); got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("got\n%s\nwant%s", got, c.want)
			}
		})
	}
}
