package agg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// keeping are aggregates that keep entries of their rows, and some that need not.
func keeping(t testing.TB) []*expr.Aggregate {
	t.Helper()
	distinct, err := expr.NewAggregate(expr.Aggregate{Func: "COUNT", Distinct: true, Arg: []expr.Expr{optest.Col(1, columns[1])}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := expr.NewAggregate(expr.Aggregate{
		Func: "GROUP_CONCAT", Arg: []expr.Expr{optest.Col(3, columns[3])}, OrderBy: []expr.AggregateOrder{{Expr: optest.Col(1, columns[1]), Desc: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return []*expr.Aggregate{aggregate(t, "MIN", 1), distinct, aggregate(t, "SUM", 1), aggregate(t, "MAX", 3), list, aggregate(t, "LAST", 3)}
}

// kept are the values of keeping over rows that stand, by definition.
func keptValues(rows []optest.Row) []any {
	vals := []any{rows[0].Vals[0]}
	valued := slices.DeleteFunc(slices.Clone(rows), func(r optest.Row) bool { return r.Vals[1] == nil })
	if len(valued) == 0 {
		return append(vals, nil, 0, nil, nil, nil, nil)
	}
	v := func(r optest.Row) int { return r.Vals[1].(int) }
	s := func(r optest.Row) string { return r.Vals[3].(string) }
	least, sum, most, different := v(valued[0]), 0, s(valued[0]), map[int]bool{}
	last := valued[0]
	for _, r := range valued {
		least, sum, most = min(least, v(r)), sum+v(r), max(most, s(r))
		different[v(r)] = true
		if r.Time > last.Time || r.Time == last.Time && s(r) > s(last) {
			last = r
		}
	}
	slices.SortFunc(valued, func(a, b optest.Row) int {
		if v(a) != v(b) {
			return v(b) - v(a)
		}
		if a.Time != b.Time {
			return int(a.Time - b.Time)
		}
		return strings.Compare(s(a), s(b))
	})
	var list []string
	for _, r := range valued {
		list = append(list, s(r))
	}
	return append(vals, least, len(different), sum, most, strings.Join(list, ","), s(last))
}

// changing is rows and removals of rows: those that stand after n of them are the second result.
func changing(r *rand.Rand, n int) (rows []optest.Row, standing func(n int) []optest.Row) {
	fresh := input(r, n)
	var here []optest.Row
	for _, x := range fresh {
		x.Origin = types.Origin{}
		if len(here) > 0 && r.IntN(5) < 2 {
			i := r.IntN(len(here))
			gone := here[i]
			here = slices.Delete(here, i, i+1)
			gone.Deleted = true
			rows = append(rows, gone)
		}
		here = append(here, x)
		rows = append(rows, x)
	}
	for r.IntN(12) > 0 && len(here) > 0 { // sometimes nothing is left
		here[0].Deleted = true
		rows = append(rows, here[0])
		here = here[1:]
	}
	return rows, func(n int) []optest.Row {
		var stand []optest.Row
		for _, x := range rows[:n] {
			if !x.Deleted {
				stand = append(stand, x)
				continue
			}
			at := slices.IndexFunc(stand, func(y optest.Row) bool { return y.Time == x.Time && optest.Text(y.Vals) == optest.Text(x.Vals) })
			stand = slices.Delete(stand, at, at+1)
		}
		return stand
	}
}

// TestRunningOverDeltas: after every batch the folded result is that of the rows that stand, and nothing is kept of others.
func TestRunningOverDeltas(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		rows, standing := changing(r, 40)
		sink, kept, groups := optest.NewSink(), &optest.Sorted{}, &optest.Map{}
		s := Spec{Group: onKey, Aggs: keeping(t), Input: expr.Deltas}
		if r.IntN(2) == 0 {
			s.Having = above(2, 1)
		}
		o := NewRunning(RunningConfig{Env: op.Env{Counters: &op.Counters{}}, Spec: s, State: groups, Sorted: kept, Next: sink})
		drive(t, r, o, rows, func(n int) {
			byKey := map[any][]optest.Row{}
			for _, x := range standing(n) {
				byKey[x.Vals[0]] = append(byKey[x.Vals[0]], x)
			}
			var want []string
			for _, g := range byKey {
				vals := keptValues(g)
				if s.Having == nil || vals[2].(int) > 1 {
					want = append(want, optest.Text(vals))
				}
			}
			compareValues(t, seed, fold(t, sink.Got, func(x optest.Row) string { return fmt.Sprint(x.Vals[0]) }), want)
			stored := 0
			if err := groups.Scan(func(_, _ []byte) error { stored++; return nil }); err != nil || stored != len(byKey) {
				t.Fatalf("seed %d: %d groups are stored, %d have rows (%v)", seed, stored, len(byKey), err)
			}
		})
		if sink.Broken != "" {
			t.Fatal(sink.Broken)
		}
	}
}

func compareValues(t *testing.T, seed uint64, rows []optest.Row, want []string) {
	t.Helper()
	var got []string
	for _, r := range rows {
		got = append(got, optest.Text(r.Vals))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("seed %d: got %q\nwant %q", seed, got, want)
	}
}

// TestWindowedKeeps: windows with aggregates that keep entries, over rows that stay and rows that are removed; when the last
// window has closed nothing is kept.
func TestWindowedKeeps(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 4))
		over, emit := expr.Input(r.IntN(2)), Emit(r.IntN(2))
		rows, standing := changing(r, 40)
		if over == expr.Appends {
			rows = slices.DeleteFunc(rows, func(x optest.Row) bool { return x.Deleted })
			standing = func(n int) []optest.Row { return rows[:n] }
		}
		w := op.Window{Size: 10 * ms, Grace: 15 * ms}
		sink, n, kept := optest.NewSink(), &op.Counters{}, &optest.Sorted{}
		o := NewWindowed(WindowedConfig{
			Env: op.Env{Counters: n}, Spec: Spec{Group: onKey, Aggs: keeping(t), Input: over}, Window: w, Emit: emit, State: &optest.Windows{}, Sorted: kept, Next: sink,
		})
		drive(t, r, o, rows, func(int) {})
		byKey := map[string][]optest.Row{}
		for _, x := range standing(len(rows)) {
			k := fmt.Sprint(windowOf(w, x.Time), x.Vals[0])
			byKey[k] = append(byKey[k], x)
		}
		var want []string
		for _, g := range byKey {
			start := windowOf(w, g[0].Time)
			want = append(want, optest.Text(append(keptValues(g), start, start+w.Size)))
		}
		got := sink.Got
		if emit == Changes {
			got = fold(t, got, func(x optest.Row) string { return fmt.Sprint(x.Time, x.Vals[0]) })
		}
		compareValues(t, seed, got, want)
		if err := kept.Scan(func(group, key, _ []byte) error { return fmt.Errorf("%x %x", group, key) }); err != nil || n.LateAfterIdle > 0 {
			t.Fatalf("seed %d: kept of closed windows: %v, %+v", seed, err, *n)
		}
	}
}

// windowOf is the start of the window of ts, offsets apart.
func windowOf(w op.Window, ts int64) int64 { return types.FloorDiv(ts, w.Size) * w.Size }
