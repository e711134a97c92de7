package expr

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// exampleRows are those of AggregateFunction.Example.
func exampleRows() *vector.Batch {
	null := types.Value{}
	text := types.NewString
	b := &vector.Batch{N: 4, Time: []int64{1000, 2000, 3000, 4000}, Cols: []*vector.Vector{
		vector.FromValues(types.TInt, types.NewInt(1), types.NewInt(2), types.NewInt(2), null),
		vector.FromValues(types.TVarchar, text("a"), text("b"), text("b"), null),
	}}
	return b
}

// parseAggregate reads NAME([DISTINCT] expr, … [ORDER BY expr [DESC], …] [SEPARATOR 's']).
func parseAggregate(t testing.TB, call string, cols map[string]*Column) *Aggregate {
	t.Helper()
	r := &reader{tokens: lex(call), cols: cols}
	a := Aggregate{Func: r.next()}
	r.next()
	a.Distinct = r.accept("DISTINCT")
	for !r.accept("*") {
		a.Arg = append(a.Arg, r.expr(0))
		if !r.accept(",") {
			break
		}
	}
	if r.accept("ORDER") {
		r.next()
		for {
			a.OrderBy = append(a.OrderBy, AggregateOrder{r.expr(0), r.accept("DESC")})
			if !r.accept(",") {
				break
			}
		}
	}
	if r.accept("SEPARATOR") {
		sep := strings.Trim(r.next(), "'")
		a.Separator = &sep
	}
	if !r.accept(")") {
		t.Fatalf("cannot read %s at %q", call, r.peek())
	}
	out, err := NewAggregate(a)
	if err != nil {
		t.Fatalf("%s: %v", call, err)
	}
	return out
}

var exampleColumns = map[string]*Column{"n": {Index: 0, Name: "n", Typ: types.TInt}, "s": {Index: 1, Name: "s", Typ: types.TVarchar}}

// TestAggregateExamples: every aggregate's example is right, over rows that stay and over rows that may be removed.
func TestAggregateExamples(t *testing.T) {
	for _, f := range AggregateFunctions() {
		a := parseAggregate(t, f.Example, exampleColumns)
		if a.Func != f.Name {
			t.Errorf("the example of %s is %s", f.Name, f.Example)
		}
		for _, in := range []Input{Appends, Deltas} {
			g := newGroup([]*Aggregate{a}, in)
			b := exampleRows()
			g.add(t, b, 0, 1, 2, 3)
			if got := g.results(t)[0]; got != f.Result {
				t.Errorf("%s: %s, want %s", f.Example, got, f.Result)
			}
		}
		if f.Doc == "" || !strings.HasPrefix(f.Signature, f.Name+"(") || !IsAggregate(f.Name) {
			t.Errorf("%s: %+v", f.Name, f)
		}
	}
}
