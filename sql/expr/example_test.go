package expr_test

import (
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/planner/bind"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/parser"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// dual is a catalog of one stream, to select constants from.
func dual(t *testing.T) *catalog.Snapshot {
	t.Helper()
	script, err := parser.Parse("", "CREATE STREAM s (a INT) WITH (topic = 's')")
	if err != nil {
		t.Fatal(err)
	}
	rel, err := catalog.Define(script.Statements[0].(*ast.Create))
	if err != nil {
		t.Fatal(err)
	}
	cat := catalog.New()
	if err := cat.Add(rel); err != nil {
		t.Fatal(err)
	}
	return cat.Now()
}

// compute reads an expression of constants as a user writes it, and gives its value as text, or "refused: …" or "failed: …".
func compute(t *testing.T, cat *catalog.Snapshot, sql string) string {
	t.Helper()
	text := "SELECT " + sql + " AS x FROM s"
	script, err := parser.Parse("", text)
	if err != nil {
		return "refused: " + err.Error()
	}
	bound, err := bind.Select(cat, script.Statements[0].(*ast.SelectStatement).Query, bind.Source{Text: text})
	if err != nil {
		return "refused: " + err.Error()
	}
	project, ok := bound.Sink.Input.(*plan.Project)
	if !ok {
		t.Fatalf("%s: a %T, not a projection", sql, bound.Sink.Input)
	}
	e := project.Exprs[0].Expr
	ctx := &expr.Ctx{Now: func() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 678_901_000, time.UTC) }}
	v := e.Eval(ctx, &vector.Batch{N: 1})
	if failed := ctx.TakeFailed(); failed != nil {
		return "failed: " + failed[0].Error()
	}
	return string(types.AppendTextAs(nil, v.Value(0), e.Type()))
}

// TestEveryExample runs the examples of SHOW FUNCTIONS through the parser and the binder.
func TestEveryExample(t *testing.T) {
	cat := dual(t)
	for _, f := range expr.Functions() {
		got := compute(t, cat, f.Example)
		if got != f.Result {
			t.Errorf("%s = %s, documented %s", f.Example, got, f.Result)
		}
	}
	if n := len(expr.Functions()); n < 100 {
		t.Errorf("only %d functions", n)
	}
}

// TestLambdas: what stands outside a lambda is seen in it, NULLs and failures stay with their row.
func TestLambdas(t *testing.T) {
	check(t, [][2]string{
		{"TRANSFORM(ARRAY[1, NULL, 3], x -> x + 1)", "[2,null,4]"}, {"TRANSFORM(ARRAY['a', 'b'], (x, i) -> CONCAT(x, i))", `["a1","b2"]`},
		{"TRANSFORM(CAST(NULL AS ARRAY<INT>), x -> x + 1)", "NULL"}, {"TRANSFORM(CAST('[]' AS ARRAY<INT>), x -> x + 1)", "[]"},
		{"TRANSFORM(ARRAY[ARRAY[1, 2], ARRAY[3]], x -> TRANSFORM(x, y -> y * CARDINALITY(x)))", "[[2,4],[3]]"},
		{"TRANSFORM(ARRAY[1, 2], x -> TRANSFORM(ARRAY[10, 20], x -> x + 1)[1] + x)", "[12,13]"},
		{"TRANSFORM(ARRAY[STRUCT(1 AS a), STRUCT(2 AS a)], s -> s.a + s['a'])", "[2,4]"},
		{"FILTER(ARRAY[1, NULL, 3], x -> x > 1)", "[3]"}, {"FILTER(ARRAY[1, 2, 3], (x, i) -> i <> 2)", "[1,3]"},
		{"REDUCE(ARRAY[1.5, 2], 0, (acc, x) -> acc + x)", "3.5"}, {"REDUCE(ARRAY[1, 2], '', (acc, x) -> CONCAT(acc, x), acc -> CHAR_LENGTH(acc))", "2"},
		{"REDUCE(CAST('[]' AS ARRAY<INT>), 7, (acc, x) -> acc + x)", "7"}, {"REDUCE(ARRAY[1, NULL], 0, (acc, x) -> acc + x)", "NULL"},
		{"ANY_MATCH(ARRAY[1, NULL], x -> x > 5)", "NULL"}, {"ANY_MATCH(ARRAY[9, NULL], x -> x > 5)", "1"}, {"ALL_MATCH(ARRAY[9, NULL], x -> x > 5)", "NULL"},
		{"ALL_MATCH(ARRAY[1, NULL], x -> x > 5)", "0"}, {"ALL_MATCH(CAST('[]' AS ARRAY<INT>), x -> x > 5)", "1"},
		{"TRANSFORM(ARRAY['1', 'x'], x -> CAST(x AS INT))", "failed: cannot cast 'x' to INT…"},
		{"TRANSFORM(CAST('{}' AS JSON), x -> x)", "failed: TRANSFORM:…"},
		{"TRANSFORM(5, x -> x)", "refused:…"}, {"TRANSFORM(ARRAY[1], x -> y)", "refused:…"}, {"TRANSFORM(ARRAY[1], 2)", "refused:…"},
		{"TRANSFORM(ARRAY[1], (x, y, z) -> x)", "refused:…"}, {"REDUCE(ARRAY[1], 0, (x, x) -> x)", "refused:…"}, {"UPPER(x -> x)", "refused:…"}, {"FILTER(ARRAY['a'], x -> x)", "refused:…"},
	})
}

// TestNested: constructors and access.
func TestNested(t *testing.T) {
	check(t, [][2]string{
		{"ARRAY[1, 2, 3][1]", "1"}, {"ARRAY[1, 2, 3][-1]", "3"}, {"ARRAY[1, 2, 3][4]", "NULL"}, {"ARRAY[1][NULL]", "NULL"}, {"ARRAY[1][0]", "refused:…"}, {"ARRAY[1]['a']", "refused:…"},
		{"ARRAY[1, 2.5][1]", "1.0"}, {"ARRAY['a', NULL][2]", "NULL"}, {"ARRAY[NULL]", "refused:…"}, {"ARRAY[]", "refused:…"}, {"ARRAY[1, DATE '2024-01-01']", "refused:…"},
		{"ARRAY[DATE '2024-02-29'][1] + INTERVAL 1 DAY", "2024-03-01"}, {"MAP('a', 1, 'b', NULL)['b']", "NULL"}, {"MAP('a', 1)['z']", "NULL"}, {"MAP('a', 1, 'a', 2)", `{"a":2}`}, {"MAP(NULL, 1)", "failed: MAP: a key is NULL"},
		{"STRUCT(1 AS a, STRUCT('x' AS c) AS b)['b'].c", "x"}, {"STRUCT('x' AS c)['c']", "x"}, {"STRUCT(1 AS a)['z']", "refused:…"}, {"STRUCT(1 AS a, 2 AS a)", "refused:…"}, {"STRUCT(1)", "refused:…"},
		{"CARDINALITY(MAP('a', 1))", "1"}, {"CARDINALITY(NULL)", "NULL"}, {"CARDINALITY('a')", "refused:…"}, {"ARRAY[ARRAY[1, 2], ARRAY[3]][1][2]", "2"}, {`CAST('{"a":[1,{"b":"x"}]}' AS JSON)['a'][2]['b']`, `"x"`},
		{"ARRAY_CONTAINS(ARRAY[1, NULL], 3)", "0"}, {"ARRAY_CONTAINS(ARRAY[1.0, 2.0], 2)", "1"}, {"ARRAY_CONTAINS(ARRAY['a'], 1)", "refused:…"}, {"ARRAY_CONTAINS(ARRAY[1], NULL)", "NULL"},
		{"ARRAY_JOIN(ARRAY['a', NULL, 'b'], ',', '?')", "a,?,b"}, {"ARRAY_JOIN(ARRAY[1.50, 2], ',')", "1.50,2.00"}, {"ARRAY_DISTINCT(ARRAY[NULL, 1, NULL])", "[null,1]"}, {"ARRAY_SORT(ARRAY[2, NULL, 10])", "[2,10,null]"}, {"ARRAY_SORT(ARRAY['b', 'a'], 'up')", "refused:…"},
		{"SLICE(ARRAY[1, 2, 3], -2, 5)", "[2,3]"}, {"SLICE(ARRAY[1, 2, 3], 5, 1)", "[]"}, {"SLICE(ARRAY[1, 2, 3], 1, -1)", "[]"}, {"ARRAY_UNION(ARRAY[1], ARRAY[1.5])", "[1.0,1.5]"}, {"ARRAYS_OVERLAP(ARRAY[1, NULL], ARRAY[2, NULL])", "0"},
		{"ARRAY_MIN(ARRAY[NULL, 2, 1])", "1"}, {"ARRAY_MAX(CAST('[]' AS ARRAY<INT>))", "NULL"}, {"ARRAY_SORT(CAST('[2,1]' AS JSON))", "refused:…"}, {"ARRAY_SORT(CAST(CAST('[2,1]' AS JSON) AS ARRAY<INT>))", "[1,2]"},
		{"MAP_KEYS(CAST('[1]' AS JSON))", "failed:…"},
	})
}

// check compares with the values that follow from the documentation; a trailing … leaves the rest of a message open.
func check(t *testing.T, cases [][2]string) {
	t.Helper()
	cat := dual(t)
	for _, c := range cases {
		got := compute(t, cat, c[0])
		if want, prefix := strings.CutSuffix(c[1], "…"); prefix && strings.HasPrefix(got, want) || got == c[1] {
			continue
		}
		t.Errorf("%s\n got  %s\n want %s", c[0], got, c[1])
	}
}
