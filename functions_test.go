package streamsql_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/sql/types"
)

type point struct {
	X float64 `json:"x"`
	Y *int64  `json:"y"`
}

// longest is an aggregate that can take rows back by keeping all of them.
type longest struct{ Lengths map[string]int }

func (l *longest) Add(s string) { l.Lengths[s]++ }
func (l *longest) Remove(s string) {
	if l.Lengths[s]--; l.Lengths[s] == 0 {
		delete(l.Lengths, s)
	}
}
func (l *longest) Merge(o *longest) {
	for s, n := range o.Lengths {
		l.Lengths[s] += n
	}
}
func (l *longest) Result() *string {
	best := ""
	for s := range l.Lengths {
		if len(s) > len(best) || len(s) == len(best) && s < best {
			best = s
		}
	}
	if best == "" {
		return nil
	}
	return &best
}

// geomean keeps itself in bytes of its own and cannot take rows back.
type geomean struct {
	n   int64
	log float64
}

func (g *geomean) Add(x float64)                  { g.n++; g.log += math.Log(x) }
func (g *geomean) Merge(o *geomean)               { g.n += o.n; g.log += o.log }
func (g *geomean) MarshalBinary() ([]byte, error) { return fmt.Appendf(nil, "%d %v", g.n, g.log), nil }
func (g *geomean) UnmarshalBinary(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d %g", &g.n, &g.log)
	return err
}
func (g *geomean) Result() (float64, error) {
	if g.n == 0 {
		return 0, errors.New("of nothing")
	}
	return math.Round(math.Exp(g.log/float64(g.n))*1000) / 1000, nil
}

func mustRegister(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

const functionRows = "CREATE STREAM s (id VARCHAR, n INT, x DOUBLE, d DECIMAL(10,2), at TIMESTAMP(3), bin VARBINARY, tags ARRAY<VARCHAR>, p STRUCT<x DOUBLE, y BIGINT>) WITH (topic = 's', partitions = 1);" +
	`INSERT INTO s VALUES ('a', 1, 2, 1.25, TIMESTAMP '2030-01-01 00:00:00', X'00FF', '["u","v"]', '{"x":1.5,"y":7}'), ('bb', NULL, 8, -1, NULL, NULL, '[]', '{"x":0,"y":null}'), (NULL, 3, NULL, NULL, NULL, NULL, NULL, NULL);`

// TestGoFunctions: every kind of parameter and result, NULLs, errors; rows of one that returns a slice.
func TestGoFunctions(t *testing.T) {
	l := open(t, streamsql.Options{})
	mustRegister(t,
		l.RegisterFunction("shout", func(s string) string { return strings.ToUpper(s) + "!" }, streamsql.Describe("Louder.")),
		l.RegisterFunction("twice", func(n int32) int64 { return 2 * int64(n) }),
		l.RegisterFunction("or_zero", func(n *int64) int64 {
			if n == nil {
				return 0
			}
			return *n
		}),
		l.RegisterFunction("half", func(n int64) *float64 {
			if n%2 != 0 {
				return nil
			}
			f := float64(n) / 2
			return &f
		}),
		l.RegisterFunction("glue", func(sep string, parts ...string) string { return strings.Join(parts, sep) }),
		l.RegisterFunction("tomorrow", func(at time.Time) time.Time { return at.AddDate(0, 0, 1) }),
		l.RegisterFunction("backwards", func(b []byte) []byte { b = slices.Clone(b); slices.Reverse(b); return b }),
		l.RegisterFunction("chars", func(s string) []string { return strings.Split(s, "") }),
		l.RegisterFunction("moved", func(p point, by float64) point { p.X += by; return p }),
		l.RegisterFunction("count_of", func(tags []string) map[string]int64 {
			m := map[string]int64{}
			for _, x := range tags {
				m[x]++
			}
			return m
		}),
		l.RegisterFunction("odd_only", func(n int64) (bool, error) {
			if n%2 == 0 {
				return false, errors.New("it is even")
			}
			return true, nil
		}),
		l.RegisterFunction("doubled", func(v []streamsql.Value) (streamsql.Value, error) {
			if v[0].IsNull() {
				return streamsql.Value{}, nil
			}
			d, scale, _ := v[0].Exact()
			sum, _ := d.Add(d)
			return types.NewDecimal(sum, scale), nil
		}, streamsql.Signature("(DECIMAL(10,2)) -> DECIMAL(12,2)")),
	)
	l.exec(functionRows)
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT SHOUT(id) AS x FROM s", []string{"A!", "BB!", "NULL"}},
		{"SELECT twice(n) AS x FROM s", []string{"2", "6", "NULL"}},
		{"SELECT OR_ZERO(n) AS x FROM s", []string{"0", "1", "3"}},
		{"SELECT Half(n + 1) AS x FROM s", []string{"1", "2", "NULL"}},
		{"SELECT GLUE('-') AS a, GLUE('-', id, 'z') AS x FROM s", []string{" NULL", " a-z", " bb-z"}},
		{"SELECT TOMORROW(at) AS x FROM s WHERE n = 1", []string{"2030-01-02 00:00:00.000000"}},
		{"SELECT HEX(BACKWARDS(bin)) AS x FROM s WHERE n = 1", []string{"FF00"}},
		{"SELECT id, t.c FROM s CROSS JOIN UNNEST(CHARS(id)) AS t (c)", []string{"a a", "bb b", "bb b"}},
		{"SELECT id, MOVED(p, x) AS q FROM s WHERE id IS NOT NULL", []string{`a {"x":3.5,"y":7}`, `bb {"x":8,"y":null}`}},
		{"SELECT COUNT_OF(tags) AS x FROM s", []string{"NULL", `{"u":1,"v":1}`, "{}"}},
		{"SELECT ODD_ONLY(n) AS x, n FROM s WHERE n IS NOT NULL", []string{"1 1", "1 3"}},
		{"SELECT ODD_ONLY(n - 1) AS x FROM s WHERE n IS NOT NULL", []string{}}, // rows that fail go the way of on_error
		{"SELECT DOUBLED(d) AS x FROM s", []string{"-2.00", "2.50", "NULL"}},
		{"SELECT DOUBLED(n) AS x FROM s", []string{"2.00", "6.00", "NULL"}},
		{"SELECT id FROM s WHERE SHOUT(id) = 'A!' AND TWICE(1) = 2", []string{"a"}},
	} {
		if got := l.query(c.sql); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s: %q, want %q", c.sql, got, c.want)
		}
	}
	if got := l.query("SHOW FUNCTIONS"); !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "SHOUT SHOUT(VARCHAR) -> VARCHAR Louder.") }) {
		t.Error("SHOW FUNCTIONS does not list them")
	}
	l.refuses("CREATE STREAM x AS SELECT SHOUT(n) AS y FROM s", "SHOUT: argument 1 is INT", "use SHOUT(VARCHAR) -> VARCHAR")
	l.refuses("CREATE STREAM x AS SELECT SHOUT() AS y FROM s", "SHOUT takes 1 argument, not 0")
	l.refuses("CREATE STREAM x AS SELECT SHOT(id) AS y FROM s", "there is no function SHOT", "did you mean")
	other := open(t, streamsql.Options{})
	other.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1)")
	other.refuses("CREATE STREAM x AS SELECT SHOUT(id) AS y FROM s", "there is no function SHOUT")
}

func TestGoAggregates(t *testing.T) {
	l := open(t, streamsql.Options{})
	mustRegister(t,
		l.RegisterAggregate("longest", func() *longest { return &longest{map[string]int{}} }, streamsql.Describe("The longest text.")),
		l.RegisterAggregate("GEOMEAN", func() *geomean { return &geomean{} }),
	)
	l.exec("CREATE STREAM s (k VARCHAR, v VARCHAR, x DOUBLE) WITH (topic = 's', partitions = 3);" +
		"INSERT INTO s (k, v, x, _partition, _timestamp) VALUES ('a', 'x', 2, 0, 1), ('a', 'xyz', 8, 1, 2), ('b', NULL, NULL, 2, 3), ('a', 'xy', 8, 2, 4), ('a', 'xyz', 8, 0, 20000);" +
		"CREATE TABLE t (id VARCHAR PRIMARY KEY, k VARCHAR, x DOUBLE) WITH (topic = 't', partitions = 1, key = 'id');" +
		"INSERT INTO t (id, k, x, _timestamp) VALUES ('1', 'a', 2, 1), ('2', 'a', 8, 2), ('3', 'a', 27, 3), ('3', 'b', 27, 4), ('2', 'a', 32, 5)")
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT k, LONGEST(v) AS x FROM s GROUP BY k", []string{"a xyz", "b NULL"}},
		{"SELECT k, LONGEST(v) FILTER (WHERE v <> 'xyz') AS x FROM s GROUP BY k", []string{"a xy", "b NULL"}},
		{"SELECT k, GEOMEAN(x) AS g, COUNT(*) AS n FROM s WHERE x IS NOT NULL GROUP BY k", []string{"a 5.657 4"}},                                                                                    // (2·8·8·8)^(1/4)
		{"SELECT k, GEOMEAN(DISTINCT x) AS g FROM s WHERE x IS NOT NULL GROUP BY k", []string{"a 4"}},                                                                                                // (2·8)^(1/2)
		{"SELECT k, window_start, GEOMEAN(x) AS g FROM s WHERE x IS NOT NULL WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL", []string{"a 1970-01-01 00:00:00.000 5.04", "a 1970-01-01 00:00:20.000 8"}}, // (2·8·8)^(1/3)
		{"SELECT k, GEOMEAN(x) AS g FROM s WHERE x IS NOT NULL WINDOW SESSION(5s) GROUP BY k EMIT FINAL", []string{"a 5.04", "a 8"}},
		{"SELECT k, GEOMEAN(x) OVER (PARTITION BY k ORDER BY _timestamp ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS g, 'WINDOW' AS w FROM s WHERE x IS NOT NULL", []string{"a 2 WINDOW", "a 4 WINDOW", "a 8 WINDOW", "a 8 WINDOW"}},
		{"SELECT k, GEOMEAN(x) AS g FROM t GROUP BY k", []string{"a 8", "b 27"}}, // 2 and 32 are left: rows were taken back without Remove
		{"SELECT k, LONGEST(id) AS g FROM t GROUP BY k", []string{"a 1", "b 3"}}, // the first of equal length
		{"SELECT k, GEOMEAN(DISTINCT x) AS g FROM t GROUP BY k", []string{"a 8", "b 27"}},
	} {
		got := l.query(c.sql)
		if !strings.Contains(c.sql, "WINDOW") {
			got = l.final(c.sql)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.sql, got, c.want)
		}
	}
	q, err := l.Start(l.ctx, "CREATE TABLE o AS SELECT k, GEOMEAN(x) AS g FROM s GROUP BY k", streamsql.Bounded(streamsql.UntilEnd))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(l.ctx); err != nil { // of nothing, in group b: the row is left out
		t.Error(err)
	}
	if s := q.Stats(); s.BadExpr == 0 {
		t.Errorf("%+v", s)
	}
	l.refuses("CREATE TABLE x AS SELECT LONGEST(k, v) AS y FROM s GROUP BY k", "LONGEST takes 1 argument, not 2")
	l.refuses("CREATE TABLE x AS SELECT k, LONGEST(x) AS y FROM s GROUP BY k", "argument 1 is DOUBLE, LONGEST takes (VARCHAR)")
	l.refuses("CREATE STREAM x AS SELECT k FROM s WHERE LONGEST(k) = 'a'", "aggregate LONGEST is not possible in WHERE")
}

// final are the rows that are left of a query of changes, by their first column.
func (l *lab) final(sql string) []string {
	l.t.Helper()
	rows, err := l.QueryUntil(l.ctx, sql, streamsql.UntilEnd)
	if err != nil {
		l.t.Fatal(err)
	}
	got, err := lines(rows, -1)
	if err != nil {
		l.t.Fatal(err)
	}
	last := map[string]string{}
	for _, line := range got {
		key, _, _ := strings.Cut(line, " ")
		last[key] = line
	}
	return slices.Sorted(maps.Values(last))
}

// TestPanics: a panic of a function is an error of its row, that of an aggregate ends the query; the error names the function and the place.
func TestPanics(t *testing.T) {
	l := open(t, streamsql.Options{})
	mustRegister(t,
		l.RegisterFunction("boom", func(n int64) int64 {
			if n == 3 {
				panic("three")
			}
			return n
		}),
		l.RegisterAggregate("BANG", func() *bang { return &bang{} }),
	)
	l.exec(functionRows + "CREATE STREAM strict (n INT) WITH (topic = 'strict', partitions = 1, on_error = 'fail'); INSERT INTO strict VALUES (3)")
	for sql, says := range map[string]string{
		"CREATE STREAM x AS SELECT BOOM(n) AS y FROM strict":         "function BOOM panicked: three (functions_test.go:",
		"CREATE TABLE y AS SELECT n, BANG(n) AS y FROM s GROUP BY n": "query y: function BANG panicked: bang",
	} {
		q, err := l.Start(l.ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Wait(l.ctx); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "functions_test.go") || q.State() != streamsql.Failed {
			t.Errorf("%s: %s %v", sql, q.State(), err)
		}
	}
	l.wants("SELECT BOOM(n) AS y FROM s", "1", "NULL") // the engine goes on, and the row of 3 is left out
	l.wants("SELECT BOOM(3) AS y FROM s")
}

type bang struct{ N int64 }

func (b *bang) Add(n int64) {
	if n == 3 {
		panic("bang")
	}
}
func (b *bang) Merge(*bang)   {}
func (b *bang) Result() int64 { return b.N }

// TestChanges: what may change from call to call is refused where a row may be computed again.
func TestChanges(t *testing.T) {
	l := open(t, streamsql.Options{})
	n := 0
	mustRegister(t, l.RegisterFunction("next", func() int64 { n++; return int64(n) }, streamsql.Changes()))
	l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1); INSERT INTO s VALUES ('a'), ('b')")
	l.refuses("CREATE STREAM x AS SELECT NEXT() AS n FROM s", "NEXT() is another value each time", "non_deterministic = 'allow'")
	if got := l.query("SELECT id, NEXT() AS n FROM s"); !slices.Equal(got, []string{"a 1", "b 2"}) {
		t.Error(got)
	}
}

type noMerge struct{ N int64 }

func (*noMerge) Add(int64)     {}
func (*noMerge) Result() int64 { return 0 }

type hides struct{ n int64 }

func (*hides) Add(int64)       {}
func (*hides) Merge(*hides)    {}
func (h *hides) Result() int64 { return h.n }

type oddRemove struct{ N int64 }

func (*oddRemove) Add(int64)        {}
func (*oddRemove) Remove(string)    {}
func (*oddRemove) Merge(*oddRemove) {}
func (o *oddRemove) Result() int64  { return o.N }

func TestBadRegistrations(t *testing.T) {
	l := open(t, streamsql.Options{})
	ok := func(int64) int64 { return 0 }
	mustRegister(t, l.RegisterFunction("taken", ok))
	for says, err := range map[string]error{
		"TAKEN is registered already":                        l.RegisterFunction("Taken", ok),
		"TAKEN is registered":                                l.RegisterAggregate("taken", func() *bang { return nil }),
		"UPPER is a function of the language":                l.RegisterFunction("upper", ok),
		"SUM is a function of the language":                  l.RegisterFunction("sum", ok),
		"RANK is a function of the language":                 l.RegisterAggregate("RANK", func() *bang { return nil }),
		`function "a b"`:                                     l.RegisterFunction("a b", ok),
		`function "select"`:                                  l.RegisterFunction("select", ok),
		`function ""`:                                        l.RegisterFunction("", ok),
		"function f1: int is not a function":                 l.RegisterFunction("f1", 1),
		"function f2: <nil> is not a function":               l.RegisterFunction("f2", nil),
		"parameter 1: Go type chan int has no SQL type":      l.RegisterFunction("f3", func(chan int) int { return 0 }),
		"parameter 1: Go type map[int]string has":            l.RegisterFunction("f4", func(map[int]string) int { return 0 }),
		"function f5: it returns 0 values":                   l.RegisterFunction("f5", func(int) {}),
		"function f6: it returns 2 values":                   l.RegisterFunction("f6", func(int) (int, int) { return 0, 0 }),
		"function f7: func([]Value) (Value, error) does":     l.RegisterFunction("f7", func([]streamsql.Value) (streamsql.Value, error) { return streamsql.Value{}, nil }),
		"parameter 1: a Value has no SQL type":               l.RegisterFunction("f8", func(streamsql.Value) int64 { return 0 }),
		"its signature has 2 parameters, the Go function 1":  l.RegisterFunction("f9", ok, streamsql.Signature("(BIGINT, BIGINT) -> BIGINT")),
		"Go type int64 holds BIGINT, not DECIMAL(5,1)":       l.RegisterFunction("f10", ok, streamsql.Signature("(DECIMAL(5,1)) -> BIGINT")),
		`signature "BIGINT" is not of the form`:              l.RegisterFunction("f11", ok, streamsql.Signature("BIGINT")),
		`signature "(NUMBER) -> INT": `:                      l.RegisterFunction("f12", ok, streamsql.Signature("(NUMBER) -> INT")),
		"embeds time.Month":                                  l.RegisterFunction("f13", func(struct{ time.Month }) int64 { return 0 }),
		"aggregate a1: func(int64) int64 is not a func() *S": l.RegisterAggregate("a1", ok),
		"*streamsql_test.noMerge has no method Merge":        l.RegisterAggregate("a2", func() *noMerge { return nil }),
		"field n of streamsql_test.hides would be lost":      l.RegisterAggregate("a3", func() *hides { return nil }),
		"does not take what Add takes":                       l.RegisterAggregate("a4", func() *oddRemove { return nil }),
		"*streamsql_test.point has no method Add":            l.RegisterAggregate("a5", func() *point { return nil }),
		"Signature and Changes are of functions":             l.RegisterAggregate("a6", func() *bang { return nil }, streamsql.Changes()),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
