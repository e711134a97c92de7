package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/exec/window"
	"github.com/streamsql-go/streamsql/sql/types"
)

// shown is a row with a window behind it.
func shown(r optest.Row, start, end int64) optest.Row {
	r.Vals = append(slices.Clone(r.Vals), start, end)
	return r
}

// In each window the first of each key, at once or the earliest when it closes, with the window.
func TestOverlappingAgainstOracle(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		w := op.Window{Size: 1 + r.Int64N(20), Grace: r.Int64N(15)}
		w.Advance = 1 + r.Int64N(w.Size)
		w.Offset = r.Int64N(w.Advance)
		if r.IntN(3) == 0 {
			w = op.Window{Size: 12, Step: 4, Grace: w.Grace}
		}
		rows := input(r, 60, r.Int64N(20))
		final := r.IntN(2) == 0
		sink, n, state := optest.NewSink(), &op.Counters{}, &optest.Windows{}
		var o op.Operator = NewOverlapping(OverlappingConfig{Env: op.Env{Counters: n}, On: onKey, Columns: columns, Window: w, State: state, Next: sink})
		if final {
			o = NewFinal(FinalConfig{Env: op.Env{Counters: n}, On: onKey, Columns: columns, Window: w, Bounds: true, State: state, Next: sink})
		}
		drive(t, r, o, rows, func() {})
		groups := map[string][]optest.Row{}
		for _, x := range rows {
			hop, step := max(w.Advance, w.Step*3), w.Size
			if w.Step > 0 {
				step = w.Step
			}
			for start := types.FloorDiv(x.Time-w.Size, hop)*hop - hop + w.Offset; start <= x.Time; start += hop {
				for end := start + step; end <= start+w.Size; end += step {
					if x.Time < end {
						k := fmt.Sprint(start, end, x.Vals[0])
						groups[k] = append(groups[k], shown(x, start, end))
					}
				}
			}
		}
		var want []optest.Row
		for _, g := range groups {
			if final {
				want = append(want, slices.MinFunc(g, byOrder))
			} else {
				want = append(want, g[0])
			}
		}
		got, wanted := texts(sink.Got), texts(want)
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Fatalf("seed %d: %+v got %q\nwant %q", seed, w, got, wanted)
		}
		if !final {
			sink.Early = 0 // W_out = W_in: the rows still in time may lie below it
		}
		contract(t, sink, n)
		if len(state.Starts()) != 0 || sink.Marks.W != types.Forever {
			t.Fatal("state is left, or marks are not handed on", state.Starts(), sink.Marks)
		}
	}
}

// A row counts for the windows that its own partition had left open.
func TestOverlappingLateForSomeWindows(t *testing.T) {
	for _, final := range []bool{false, true} {
		w := op.Window{Size: 4, Advance: 1}
		sink, state := optest.NewSink(), &optest.Windows{}
		var o op.Operator = NewOverlapping(OverlappingConfig{Env: op.Env{Counters: &op.Counters{}}, On: onKey, Columns: columns, Window: w, State: state, Next: sink})
		if final {
			o = NewFinal(FinalConfig{Env: op.Env{Counters: &op.Counters{}}, On: onKey, Columns: columns, Window: w, Bounds: true, State: state, Next: sink})
		}
		late := optest.Row{Time: 3, Seen: 4, Vals: []any{"a", 1}} // closes [0,4) and [1,5)
		if err := o.Process(0, optest.Batch(columns, late)); err != nil {
			t.Fatal(err)
		}
		if err := o.Advance(op.Marks{W: types.Forever, Strict: types.Forever}); err != nil {
			t.Fatal(err)
		}
		if got := sink.Take(); !slices.Equal(got, []string{"3: a,1,2,6", "3: a,1,3,7"}) {
			t.Fatalf("final %v: %q", final, got)
		}
	}
}

// Per key and session the earliest row, when the session closes; marks stay below what is withheld.
func TestSessionsAgainstOracle(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		rule := window.Rule{Gap: 1 + r.Int64N(8), Grace: r.Int64N(15)}
		rows := input(r, 60, r.Int64N(20))
		sink, n, state := optest.NewSink(), &op.Counters{}, &optest.Sorted{}
		o := NewInSessions(SessionConfig{Env: op.Env{Counters: n}, On: onKey, Columns: columns, Rule: rule, State: state, Next: sink})
		drive(t, r, o, rows, func() {})
		byKey := map[any][]optest.Row{}
		for _, x := range rows {
			byKey[x.Vals[0]] = append(byKey[x.Vals[0]], x)
		}
		var want []optest.Row
		for _, g := range byKey {
			slices.SortFunc(g, byOrder)
			for from := 0; from < len(g); {
				to := from + 1
				for to < len(g) && g[to].Time-g[to-1].Time <= rule.Gap {
					to++
				}
				want = append(want, shown(g[from], g[from].Time, g[to-1].Time+rule.Gap))
				from = to
			}
		}
		got, wanted := texts(sink.Got), texts(want)
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Fatalf("seed %d: %+v got %q\nwant %q", seed, rule, got, wanted)
		}
		contract(t, sink, n)
		if err := state.Scan(func(group, key, _ []byte) error { return fmt.Errorf("left in state: %q %q", group, key) }); err != nil || o.Holds() {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
