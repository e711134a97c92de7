package agg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// C40: two windows of 10 s, each row in both, start inclusive and end exclusive.
func TestHopping(t *testing.T) {
	const s = 1000 * ms
	sink := optest.NewSink()
	o := NewWindowed(WindowedConfig{
		Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1), aggregate(t, "SUM", 1)}},
		Window: op.Window{Size: 10 * s, Advance: 5 * s}, Emit: Final, State: &optest.Windows{}, Next: sink,
	})
	process(t, o, row(12*s, "x", 1), row(15*s-ms, "x", 2), row(15*s, "y", 4))
	advance(t, o, 15*s-2)
	expect(t, sink)
	advance(t, o, 15*s-1)
	expect(t, sink, "14999000: 2,3,5000000,15000000")
	advance(t, o, 60*s)
	expect(t, sink, "19999000: 3,7,10000000,20000000", "24999000: 1,4,15000000,25000000")
	if o.Holds() {
		t.Fatal("no window is open")
	}
}

// A day by the hour: each window holds what came since midnight.
func TestCumulating(t *testing.T) {
	sink := optest.NewSink()
	o := NewWindowed(WindowedConfig{
		Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1)}},
		Window: op.Window{Size: 4 * ms, Step: ms}, Emit: Final, State: &optest.Windows{}, Next: sink,
	})
	process(t, o, row(0, "a", 1), row(1*ms, "b", 2), row(3*ms, "a", 4), row(4*ms, "a", 4))
	advance(t, o, types.Forever)
	expect(t, sink, "0: a,1,0,1000", "1000: a,1,0,2000", "1000: b,1,0,2000", "2000: a,1,0,3000", "2000: b,1,0,3000",
		"3000: a,2,0,4000", "3000: b,1,0,4000", "4000: a,1,4000,5000", "5000: a,1,4000,6000", "6000: a,1,4000,7000", "7000: a,1,4000,8000")
}

// A row that is late for some of its windows counts for the others only: what its own partition had closed before it (semantics
// S3), whatever is open here still.
func TestRowLateForSomeWindows(t *testing.T) {
	for _, emit := range []Emit{Final, Changes} {
		sink := optest.NewSink()
		o := NewWindowed(WindowedConfig{
			Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1)}},
			Window: op.Window{Size: 4 * ms, Advance: ms}, Emit: emit, State: &optest.Windows{}, Next: sink,
		})
		late := row(3*ms, "a", 1)
		late.Seen = 5*ms - 1 // closes [0,4) and [1,5)
		process(t, o, late, row(3*ms, "b", 1))
		advance(t, o, types.Forever)
		compare(t, uint64(emit), sink.Got, []string{
			"5000: a,1,2000,6000", "6000: a,1,3000,7000",
			"3000: b,1,0,4000", "4000: b,1,1000,5000", "5000: b,1,2000,6000", "6000: b,1,3000,7000",
		})
	}
}

// With HAVING a window's row comes and goes, and a closed window's state goes.
func TestHoppingChangesHaving(t *testing.T) {
	sink, state := optest.NewSink(), &optest.Windows{}
	o := NewWindowed(WindowedConfig{
		Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "SUM", 1)}, Having: above(1, 10)},
		Window: op.Window{Size: 2 * ms, Advance: ms}, Emit: Changes, State: state, Next: sink,
	})
	process(t, o, row(1*ms, "a", 11))
	expect(t, sink, "1000: a,11,0,2000", "2000: a,11,1000,3000")
	process(t, o, row(2*ms, "a", -5), row(1*ms, "a", 3))
	expect(t, sink, "1000: a,14,0,2000", "2000: -a,9,1000,3000")
	process(t, o, row(2*ms, "a", 7))
	expect(t, sink, "2000: a,16,1000,3000")
	advance(t, o, 2*ms-1)
	expect(t, sink)
	if got := state.Starts(); !slices.Equal(got, []int64{1, 2}) {
		t.Fatal("a closed window's state goes", got)
	}
}

// delivered are rows of two partitions in the order in which they arrive, each with what its own partition had seen, without
// those that are late for all their windows; marks are the watermarks after each.
func delivered(r *rand.Rand, w op.Window, n int) (rows []optest.Row, marks []int64) {
	most := [2]int64{types.Never, types.Never}
	at := [2]int64{-50, -50}
	for _, x := range input(r, n) {
		p := r.IntN(2)
		at[p] += r.Int64N(6)
		x.Time = (at[p] - r.Int64N(3)*r.Int64N(30)) * ms
		if most[p] > types.Never {
			x.Seen = most[p] - 1
		} else {
			x.Seen = types.Never
		}
		most[p] = max(most[p], x.Time)
		if x.Seen < w.Limit(w.Last(x.Time)) {
			rows, marks = append(rows, x), append(marks, min(most[0], most[1])-1)
		}
	}
	return rows, marks
}

// naive are the groups in windows of hop, size and step by their definition.
func naive(w op.Window, rows []optest.Row) map[[3]any][]optest.Row {
	hop, step := w.Size, w.Size
	if w.Advance > 0 {
		hop = w.Advance
	}
	if w.Step > 0 {
		step = w.Step
	}
	out := map[[3]any][]optest.Row{}
	for _, x := range rows {
		for start := types.FloorDiv(x.Time-w.Size, hop)*hop - hop + w.Offset; start <= x.Time; start += hop {
			for end := start + step; end <= start+w.Size; end += step {
				if x.Time < end && x.Seen < end+w.Grace-1 {
					k := [3]any{start, end, x.Vals[0]}
					out[k] = append(out[k], x)
				}
			}
		}
	}
	return out
}

func TestOverlappingAgainstOracle(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		text, having, emit := r.IntN(2) == 0, r.IntN(2) == 0, Emit(r.IntN(2))
		hop := int64(1+r.IntN(6)) * ms
		w := op.Window{Size: hop*int64(1+r.IntN([]int{4, 12, 70}[r.IntN(3)])) + r.Int64N(hop/ms)*ms, Advance: hop}
		if r.IntN(3) == 0 {
			w = op.Window{Size: hop * int64(1+r.IntN(12)), Step: hop}
		}
		w.Offset, w.Grace = r.Int64N(hop/ms)*ms, r.Int64N(15*ms)
		rows, marks := delivered(r, w, 60)
		sink, n, state := optest.NewSink(), &op.Counters{}, &optest.Windows{}
		build := func() Aggregator {
			return NewWindowed(WindowedConfig{Env: op.Env{Counters: n}, Spec: spec(t, text, having), Window: w, Emit: emit, State: state, Next: sink})
		}
		o, mark := build(), types.Never
		for i := 0; i < len(rows); {
			to := min(len(rows), i+1+r.IntN(8))
			process(t, o, rows[i:to]...)
			if i = to; r.IntN(2) == 0 {
				mark = marks[i-1]
				advance(t, o, mark)
			}
			if r.IntN(8) == 0 { // a restart
				o = build()
				advance(t, o, mark)
			}
		}
		advance(t, o, types.Forever)

		var want []string
		for k, g := range naive(w, rows) {
			vals, sum := expected(g, text)
			if having && (vals[3] == nil || sum <= 5) {
				continue
			}
			want = append(want, optest.Row{Time: k[1].(int64) - ms, Vals: append(vals, k[0], k[1])}.String())
		}
		got := sink.Got
		if emit == Changes {
			got = fold(t, got, func(x optest.Row) string { return fmt.Sprint(x.Vals[0], x.Vals[len(x.Vals)-2:]) })
		}
		compare(t, seed, got, want)
		if sink.Broken != "" || sink.Early > 0 || n.LateAfterIdle > 0 || len(state.Starts()) > 0 {
			t.Fatalf("seed %d: %q, %d rows below the marks, %+v, open %v", seed, sink.Broken, sink.Early, *n, state.Starts())
		}
	}
}
