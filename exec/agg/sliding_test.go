package agg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/types"
)

func newSliding(sink op.Next, reach, grace int64, s Spec, state op.Sorted) *Sliding {
	return newSlidingMerged(SlidingConfig{Env: op.Env{Counters: &op.Counters{}}, Spec: s, Reach: reach, Grace: grace, State: state, Next: sink})
}

// Everything within 10 ms before a row, both ends included, rows of one instant together, decided when time has passed.
func TestSliding(t *testing.T) {
	sink, state := optest.NewSink(), &optest.Sorted{}
	o := newSliding(sink, 10*ms, 0, counted(t), state)
	process(t, o, row(10*ms, "a", 2), row(0, "a", 1), row(20*ms, "a", 8), row(10*ms, "a", 4), row(10*ms, "b", 16), row(21*ms, "a", 32))
	advance(t, o, 10*ms-1)
	expect(t, sink, "0: a,1,1,-10000,0")
	advance(t, o, 20*ms)
	expect(t, sink, "10000: a,3,7,0,10000", "10000: b,1,16,0,10000", "20000: a,3,14,10000,20000")
	if sink.Marks.W != 20*ms || !o.Holds() {
		t.Fatal(sink.Marks, o.Holds())
	}
	advance(t, o, 21*ms)
	expect(t, sink, "21000: a,2,40,11000,21000")
	advance(t, o, types.Forever)
	if err := state.Scan(func(group, key, _ []byte) error { return fmt.Errorf("left in state: %q %q", group, key) }); err != nil || o.Holds() {
		t.Fatal(err)
	}
}

// With grace an instant waits for as long, and so does time downstream.
func TestSlidingGrace(t *testing.T) {
	sink := optest.NewSink()
	o := newSliding(sink, 10*ms, 5*ms, counted(t), &optest.Sorted{})
	process(t, o, row(10*ms, "a", 1))
	advance(t, o, 15*ms-1)
	expect(t, sink)
	process(t, o, row(10*ms, "a", 2))
	advance(t, o, 15*ms)
	expect(t, sink, "10000: a,2,3,0,10000")
	if sink.Marks.W != 10*ms {
		t.Fatal(sink.Marks)
	}
	process(t, o, row(10*ms, "a", 4))
	if o.c.Env.Counters.LateAfterIdle != 1 {
		t.Fatal("a row of an instant that was decided")
	}
}

func TestSlidingAgainstOracle(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		text, having := r.IntN(2) == 0, r.IntN(2) == 0
		reach, grace := (1+r.Int64N([]int64{4, 20, 80}[r.IntN(3)]))*ms, r.Int64N(2)*r.Int64N(15*ms)
		rows, marks := delivered(r, op.Window{Size: 1, Grace: grace}, 80)
		sink, state := optest.NewSink(), &optest.Sorted{}
		kept, n := &optest.Sorted{}, &op.Counters{}
		build := func() Aggregator {
			c := SlidingConfig{Env: op.Env{Counters: n}, Spec: spec(t, text, having), Columns: columns, Reach: reach, Grace: grace, State: state, Sorted: kept, Next: sink}
			if text && seed%4 == 0 { // with rows that are taken back, where MAX keeps values
				return newSlidingKept(c)
			}
			return NewSliding(c)
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
		done := map[string]bool{}
		for _, x := range rows {
			at := fmt.Sprint(x.Time, x.Vals[0])
			if done[at] {
				continue
			}
			done[at] = true
			var g []optest.Row
			for _, y := range rows {
				if y.Vals[0] == x.Vals[0] && y.Time <= x.Time && y.Time >= x.Time-reach {
					g = append(g, y)
				}
			}
			vals, sum := expected(g, text)
			if having && (vals[3] == nil || sum <= 5) {
				continue
			}
			want = append(want, optest.Row{Time: x.Time, Vals: append(vals, x.Time-reach, x.Time)}.String())
		}
		for i := 1; i < len(sink.Got); i++ {
			if sink.Got[i].Time < sink.Got[i-1].Time {
				t.Fatalf("seed %d: %v after %v", seed, sink.Got[i], sink.Got[i-1])
			}
		}
		compare(t, seed, sink.Got, want)
		if sink.Broken != "" || sink.Early > 0 || n.LateAfterIdle > 0 || o.Holds() {
			t.Fatalf("seed %d: %q, %d rows below the marks, %+v, open %v", seed, sink.Broken, sink.Early, *n, o.Holds())
		}
		if err := kept.Scan(func(group, key, _ []byte) error { return fmt.Errorf("is kept: %q %q", group, key) }); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := state.Scan(func(group, key, _ []byte) error { return fmt.Errorf("left in state: %q %q", group, key) }); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
