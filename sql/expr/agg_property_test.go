package expr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// everyCall is calls of all aggregates over the columns of randomRows.
var everyCall = []string{
	"COUNT(*)", "COUNT(n)", "COUNT(DISTINCT n)", "COUNT(DISTINCT n, s)", "SUM(n)", "SUM(d)", "SUM(f)", "SUM(DISTINCT f)", "SUM(DISTINCT d)",
	"AVG(n)", "AVG(d)", "AVG(f)", "AVG(DISTINCT n)", "MIN(n)", "MIN(d)", "MIN(f)", "MIN(s)", "MAX(n)", "MAX(d)", "MAX(f)", "MAX(s)",
	"STDDEV_POP(n)", "STDDEV_SAMP(f)", "VAR_POP(f)", "VAR_POP(d)", "VAR_SAMP(n)", "VARIANCE(DISTINCT f)", "BIT_AND(n)", "BIT_OR(n)", "BIT_XOR(n)", "BIT_XOR(DISTINCT n)",
	"FIRST(s)", "FIRST(f)", "LAST(n)", "LAST(s)", "ANY_VALUE(d)", "MIN_BY(s, n)", "MIN_BY(n, f)", "MAX_BY(d, s)", "MAX_BY(n, n)",
	"JSON_ARRAYAGG(n)", "ARRAY_AGG(s ORDER BY n DESC, f)", "ARRAY_AGG(DISTINCT d ORDER BY d DESC)", "COLLECT_LIST(f)", "COLLECT_SET(n)",
	"GROUP_CONCAT(s)", "GROUP_CONCAT(DISTINCT n, s SEPARATOR '|')", "GROUP_CONCAT(n ORDER BY s DESC)", "JSON_OBJECTAGG(COALESCE(s, ''), n)",
	"TOPK(n, 3)", "TOPK(s, 2)", "TOPK(DISTINCT f, 4)", "APPROX_COUNT_DISTINCT(n)", "APPROX_COUNT_DISTINCT(s, f)", "APPROX_PERCENTILE(f, 0.5)", "APPROX_PERCENTILE(n, 0.9)",
}

var randomColumns = map[string]*Column{
	"n": {Index: 0, Name: "n", Typ: types.TInt}, "d": {Index: 1, Name: "d", Typ: types.TDecimal(30, 3)},
	"f": {Index: 2, Name: "f", Typ: types.TDouble}, "s": {Index: 3, Name: "s", Typ: types.TVarchar},
}

// randomRows has many equal values, NULLs, equal event times, and doubles whose sums depend on the order of addition.
func randomRows(r *rand.Rand, n int) *vector.Batch {
	b := vector.NewBatch([]types.Type{types.TInt, types.TDecimal(30, 3), types.TDouble, types.TVarchar}, n)
	doubles := []float64{0, math.Copysign(0, -1), 1e16, -1e16, 1, 0.1, math.MaxFloat64 / 64, -math.MaxFloat64 / 64, 5e-324, -3e-300, 1e-170, 1e200, 3}
	for i := range n {
		values := []types.Value{
			types.NewInt(r.Int64N(12) - 4),
			types.NewDecimal(types.Int128{Hi: r.Int64N(1<<34) - 1<<33, Lo: r.Uint64()}, 3),
			types.NewDouble(doubles[r.IntN(len(doubles))]),
			types.NewString([]string{"", "a", "b\x00c", "B", "日本"}[r.IntN(5)]),
		}
		for c, v := range values {
			if r.IntN(8) == 0 {
				v = types.Value{}
			}
			b.Cols[c].Append(v)
		}
		b.Time = append(b.Time, r.Int64N(10)-5)
		b.Origin = append(b.Origin, types.Origin{Source: r.Int32N(2), Partition: r.Int32N(2), Offset: int64(i)})
		b.N++
	}
	return b
}

func everyAggregate(t testing.TB) []*Aggregate {
	var aggs []*Aggregate
	for _, call := range everyCall {
		aggs = append(aggs, parseAggregate(t, call, randomColumns))
	}
	for _, f := range AggregateFunctions() {
		if !slices.ContainsFunc(aggs, func(a *Aggregate) bool { return a.Func == f.Name }) && !slices.Contains([]string{"STD", "STDDEV"}, f.Name) {
			t.Errorf("%s is not tried", f.Name)
		}
	}
	return aggs
}

// TestOrderOfRows: results do not depend on the order in which rows come, nor on whether rows could be removed.
func TestOrderOfRows(t *testing.T) {
	aggs := everyAggregate(t)
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := randomRows(r, r.IntN(40))
		inputs := []Input{Appends}
		if seed%2 == 0 { // over Deltas rows have no origin
			b.Origin, inputs = nil, []Input{Appends, Deltas}
		}
		rows := all(b.N)
		straight := newGroup(aggs, Appends)
		straight.add(t, b, rows...)
		want := straight.results(t)
		for _, in := range inputs {
			r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			g := newGroup(aggs, in)
			g.add(t, b, rows...)
			compareResults(t, fmt.Sprintf("seed %d, input %d", seed, in), aggs, g.results(t), want)
		}
	}
}

func compareResults(t *testing.T, what string, aggs []*Aggregate, got, want []string) {
	t.Helper()
	for k := range want {
		if got[k] != want[k] {
			t.Errorf("%s: %s is %s, want %s", what, aggs[k], got[k], want[k])
		}
	}
}

// TestMergeOfParts: rows that are folded apart and merged, in any split and order, give the result of all.
func TestMergeOfParts(t *testing.T) {
	aggs := everyAggregate(t)
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := randomRows(r, r.IntN(60))
		whole, merged := newGroup(aggs, Appends), newGroup(aggs, Appends)
		whole.add(t, b, all(b.N)...)
		parts := make([][]int, 1+r.IntN(5))
		for i := range b.N {
			p := r.IntN(len(parts))
			parts[p] = append(parts[p], i)
		}
		for _, rows := range parts {
			part := newGroup(aggs, Appends)
			part.add(t, b, rows...)
			var err error
			if merged.state, err = merged.states.MergeKept(merged.state, merged.sets, part.state, part.sets); err != nil {
				t.Fatal(err)
			}
		}
		compareResults(t, fmt.Sprintf("seed %d, %d parts", seed, len(parts)), aggs, merged.results(t), whole.results(t))
	}
}

// TestRemovedRows: rows that were added and removed again leave nothing behind, whenever that happened.
func TestRemovedRows(t *testing.T) {
	aggs := everyAggregate(t)
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		b := randomRows(r, 1+r.IntN(50))
		b.Origin = nil
		g := newGroup(aggs, Deltas)
		var here []int
		away := all(b.N)
		for range 3 * b.N {
			from, to, change := &away, &here, g.add
			if len(away) == 0 || len(here) > 0 && r.IntN(2) == 0 {
				from, to, change = &here, &away, g.remove
			}
			i := r.IntN(len(*from))
			row := (*from)[i]
			*from = slices.Delete(*from, i, i+1)
			*to = append(*to, row)
			change(t, b, row)
		}
		want := newGroup(aggs, Appends)
		want.add(t, b, here...)
		compareResults(t, fmt.Sprintf("seed %d, %d of %d rows", seed, len(here), b.N), aggs, g.results(t), want.results(t))
		g.remove(t, b, here...)
		for k, s := range g.sets {
			if e, ok := s.(*entries); ok && len(e.keys) > 0 {
				t.Fatalf("seed %d: %s keeps %q of no rows", seed, aggs[k], e.keys)
			}
		}
		compareResults(t, fmt.Sprintf("seed %d, nothing", seed), aggs, g.results(t), newGroup(aggs, Appends).results(t))
	}
}

// TestSharedSets: what keeps the same values keeps them once, and only that.
func TestSharedSets(t *testing.T) {
	calls := []string{"MIN(n)", "SUM(n)", "MAX(n)", "MIN(s)", "COUNT(DISTINCT n)", "MAX(n)", "COUNT(DISTINCT n, s)", "AVG(DISTINCT n)", "FIRST(n)", "MIN(n)"}
	want := []int{0, 1, 0, 3, 0, 5, 6, 0, 8, 5}
	filtered := map[int]bool{5: true, 9: true}
	var aggs []*Aggregate
	for k, c := range calls {
		a := parseAggregate(t, c, randomColumns)
		if filtered[k] {
			var err error
			if a, err = NewAggregate(Aggregate{Func: a.Func, Arg: a.Arg, Filter: must(NewIsNull(randomColumns["f"]))}); err != nil {
				t.Fatal(err)
			}
		}
		aggs = append(aggs, a)
	}
	over, kept := StatesOf(aggs, Deltas), StatesOf(aggs, Appends)
	for k := range aggs {
		if over.Set(k) != want[k] || kept.Set(k) != k {
			t.Errorf("%s uses the set of %s over Deltas and of %s over Appends", aggs[k], aggs[over.Set(k)], aggs[kept.Set(k)])
		}
	}
}

// TestRemovalOfWhatIsNotThere is an error: the state belongs to another input.
func TestRemovalOfWhatIsNotThere(t *testing.T) {
	b := randomRows(rand.New(rand.NewPCG(1, 4)), 40)
	for _, call := range []string{"MIN(n)", "COUNT(DISTINCT s)", "LAST(d)", "TOPK(n, 2)", "ARRAY_AGG(f)", "JSON_OBJECTAGG('x', n)", "APPROX_COUNT_DISTINCT(n)"} {
		g := newGroup([]*Aggregate{parseAggregate(t, call, randomColumns)}, Deltas)
		g.in.Eval(&g.ctx, g.aggs, b)
		row := slices.IndexFunc(all(b.N), func(i int) bool { return !g.in.args[0].anyNull(i) })
		if _, err := g.states.Remove(g.state, g.sets, &g.in, row); err == nil {
			t.Errorf("%s: no error", call)
		}
	}
}
