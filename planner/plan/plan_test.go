package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// TestWindowStart: windows are [start, end), aligned to the epoch, with floor division below zero.
func TestWindowStart(t *testing.T) {
	const s = 1000000
	for _, c := range []struct{ size, offset, ts, want int64 }{
		{10 * s, 0, 0, 0}, {10 * s, 0, 10*s - 1, 0}, {10 * s, 0, 10 * s, 10 * s}, {10 * s, 0, -1, -10 * s}, {10 * s, 0, -10 * s, -10 * s},
		{10 * s, 3 * s, 0, -7 * s}, {10 * s, 3 * s, 3 * s, 3 * s}, {10 * s, 3 * s, 13*s - 1, 3 * s},
		{30 * 86400 * s, 0, 1710158400 * s, 1708128000 * s},
	} {
		w := Window{Window: types.Window{Size: c.size, Offset: c.offset}}
		if got := w.Start(w.First(c.ts)); got != c.want {
			t.Errorf("size %d offset %d: the window of %d starts at %d, want %d", c.size, c.offset, c.ts, got, c.want)
		}
		v := (&WindowBound{Window: w, End: true}).Eval(nil, &vector.Batch{N: 1, Time: []int64{c.ts}})
		if v.Ints[0] != c.want+c.size {
			t.Errorf("it ends at %d", v.Ints[0])
		}
	}
}

func col(i int, name string) expr.Expr { return &expr.Column{Index: i, Name: name, Typ: types.TBigInt} }

func TestSatisfies(t *testing.T) {
	cast, err := expr.NewCast(col(0, "a"), types.TDouble)
	if err != nil {
		t.Fatal(err)
	}
	by := func(es ...expr.Expr) Partitioning { return Partitioning{Exprs: es, Hash: Canonical, Count: 3} }
	for _, c := range []struct {
		name string
		p    Partitioning
		need []expr.Expr
		want bool
	}{
		{"the same key", by(col(0, "a")), []expr.Expr{col(0, "a")}, true},
		{"under another name", by(col(0, "x.a")), []expr.Expr{col(0, "a")}, true},
		{"a part of the key", by(col(1, "b")), []expr.Expr{col(0, "a"), col(1, "b")}, true},
		{"more than the key", by(col(0, "a"), col(1, "b")), []expr.Expr{col(0, "a")}, false},
		{"another column", by(col(1, "a")), []expr.Expr{col(0, "a")}, false},
		{"a cast of the key", by(cast), []expr.Expr{col(0, "a")}, true},
		{"the key, where a cast is needed: two values may have one cast", by(col(0, "a")), []expr.Expr{cast}, false},
		{"nothing is known", Partitioning{Count: 3}, []expr.Expr{col(0, "a")}, false},
		{"nothing is known of one partition", Partitioning{Count: 1}, []expr.Expr{col(0, "a")}, true},
		{"everything together, from three", by(col(0, "a")), nil, false},
	} {
		if got := c.p.Satisfies(c.need); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestOuterBrackets(t *testing.T) {
	for in, want := range map[string]string{"(a > 1)": "a > 1", "(a) > (b)": "(a) > (b)", "a": "a", "(a = ')')": "a = ')'", "('(' = a) OR (b)": "('(' = a) OR (b)"} {
		if got := outer(&expr.Column{Name: in}); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestExplainIsJSON(t *testing.T) {
	e := Explain{Query: "q", Fragments: []ExplainFragment{{Name: "result", Roots: []ExplainNode{{Node: "Scan", Facts: []string{"time: x"}}}}}}
	raw, err := json.Marshal(e)
	if err != nil || !strings.Contains(string(raw), `"facts":["time: x"]`) {
		t.Errorf("%s %v", raw, err)
	}
}
