package agg

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// link hands rows to the next operator and counts them.
type link struct {
	to   op.Operator
	rows int
}

func (l *link) Push(b *vector.Batch) error {
	l.rows += b.N
	return l.to.Process(0, b)
}

func (l *link) Advance(m op.Marks) error { return l.to.Advance(m) }

// twoPhases is a Partial in front of what merge makes, which aggregates the columns that the Partial hands on.
func twoPhases(t testing.TB, s Spec, w op.Window, merge func(Spec) op.Operator) (*Partial, *link) {
	t.Helper()
	cols := []types.Type{columns[0]}
	second := Spec{Group: onKey, Having: s.Having, Partial: true}
	var reads [][]int
	for _, a := range s.Aggs {
		var at []int
		var in []expr.Expr
		for _, x := range a.Inputs() {
			at = append(at, len(cols))
			in = append(in, optest.Col(len(cols), x.Type()))
			cols = append(cols, x.Type())
		}
		reads = append(reads, at)
		second.Aggs = append(second.Aggs, a.WithInputs(in))
	}
	l := &link{to: merge(second)}
	return NewPartial(PartialConfig{
		Env: op.Env{Counters: &op.Counters{}}, Group: s.Group, Aggs: s.Aggs, Reads: reads, Columns: append(cols, types.TVarbinary), Window: w, Next: l,
	}), l
}

func mergeable(t testing.TB) Spec {
	t.Helper()
	filtered, err := expr.NewAggregate(expr.Aggregate{Func: "SUM", Arg: []expr.Expr{optest.Col(1, columns[1])}, Filter: above(1, 3)})
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Group: onKey, Aggs: []*expr.Aggregate{
		aggregate(t, "COUNT", -1), aggregate(t, "COUNT", 1), aggregate(t, "SUM", 1), aggregate(t, "MAX", 3), filtered, aggregate(t, "SUM", 2), aggregate(t, "LAST", 3),
	}}
}

// TestTwoPhases: an aggregate in two phases gives what one gives, final and folded, whatever the batches are.
func TestTwoPhases(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 5))
		rows := input(r, 100)
		for i := range rows {
			rows[i].Origin = types.Origin{Offset: int64(i)}
		}
		w := op.Window{Size: 10 * ms, Grace: 15 * ms}
		emit := Emit(r.IntN(2))
		var got [2][]string
		for two := range 2 {
			sink := optest.NewSink()
			windowed := func(s Spec) op.Operator {
				return NewWindowed(WindowedConfig{Env: op.Env{Counters: &op.Counters{}}, Spec: s, Window: w, Emit: emit, State: &optest.Windows{}, Next: sink})
			}
			running := func(s Spec) op.Operator {
				return NewRunning(RunningConfig{Env: op.Env{Counters: &op.Counters{}}, Spec: s, State: &optest.Map{}, Next: sink})
			}
			merge, in := windowed, w
			if seed%3 == 0 {
				merge, in = running, op.Window{}
			}
			o := op.Operator(nil)
			if two == 1 {
				o, _ = twoPhases(t, mergeable(t), in, merge)
			} else {
				o = merge(mergeable(t))
			}
			drive(t, rand.New(rand.NewPCG(seed, 6)), o, rows, func(int) {})
			out := sink.Got
			if seed%3 == 0 {
				out = fold(t, out, func(x optest.Row) string { return fmt.Sprint(x.Vals[0]) })
			} else if emit == Changes {
				out = fold(t, out, func(x optest.Row) string { return fmt.Sprint(x.Time, x.Vals[0]) })
			}
			for _, x := range out {
				got[two] = append(got[two], x.String())
			}
			slices.Sort(got[two])
			if sink.Broken != "" {
				t.Fatal(sink.Broken)
			}
		}
		if !slices.Equal(got[0], got[1]) {
			t.Fatalf("seed %d:\none %q\ntwo %q", seed, got[0], got[1])
		}
	}
}

// TestPartialFoldsWhatRepeats: few keys travel as few rows; keys that do not repeat travel as they are, and are not looked at
// for a while.
func TestPartialFoldsWhatRepeats(t *testing.T) {
	sink := optest.NewSink()
	o, l := twoPhases(t, mergeable(t), op.Window{}, func(s Spec) op.Operator {
		return NewRunning(RunningConfig{Env: op.Env{Counters: &op.Counters{}}, Spec: s, State: &optest.Map{}, Next: sink})
	})
	batch := func(key func(i int) string) []optest.Row {
		var rows []optest.Row
		for i := range 100 {
			rows = append(rows, row(int64(i)*ms, key(i), i))
		}
		return rows
	}
	process(t, o, batch(func(i int) string { return fmt.Sprint(i % 4) })...)
	if l.rows != 4 {
		t.Fatalf("%d rows of 4 keys travelled", l.rows)
	}
	l.rows = 0
	process(t, o, batch(func(i int) string { return fmt.Sprint(i % 49) })...) // two or three of each
	if l.rows != 100 {
		t.Fatalf("%d rows of 49 keys travelled", l.rows)
	}
	l.rows = 0
	for range triedAgain {
		process(t, o, batch(func(i int) string { return fmt.Sprint(i % 4) })...)
	}
	if l.rows != 100*triedAgain {
		t.Fatalf("%d rows travelled while keys are not looked at", l.rows)
	}
	l.rows = 0
	process(t, o, batch(func(i int) string { return fmt.Sprint(i % 4) })...)
	if l.rows != 4 {
		t.Fatalf("%d rows travelled later", l.rows)
	}
}

// TestPartialOfClosedWindow: folded rows that meet a closed window are counted one by one.
func TestPartialOfClosedWindow(t *testing.T) {
	n := &op.Counters{}
	o, _ := twoPhases(t, mergeable(t), op.Window{Size: 10 * ms}, func(s Spec) op.Operator {
		return NewWindowed(WindowedConfig{Env: op.Env{Counters: n}, Spec: s, Window: op.Window{Size: 10 * ms}, State: &optest.Windows{}, Next: optest.NewSink()})
	})
	advance(t, o, 20*ms)
	var rows []optest.Row
	for i := range 7 {
		rows = append(rows, row(int64(i)*ms, "a", i))
	}
	process(t, o, rows...)
	if n.LateAfterIdle != 7 {
		t.Fatalf("%d rows are counted, not 7", n.LateAfterIdle)
	}
}

// TestCorruptPartial: states that are not as long as they say are an error, not a panic.
func TestCorruptPartial(t *testing.T) {
	s := mergeable(t)
	valid := append([]byte{3}, expr.StatesOf(s.Aggs, expr.Appends).Init(nil)...)
	for cut := range valid {
		var o op.Operator
		twoPhases(t, s, op.Window{}, func(s Spec) op.Operator {
			o = NewRunning(RunningConfig{Env: op.Env{Counters: &op.Counters{}}, Spec: s, State: &optest.Map{}, Next: optest.NewSink()})
			return o
		})
		b := vector.NewBatch([]types.Type{columns[0], columns[1], columns[1], columns[3], columns[1], types.TBoolean, columns[2], columns[3], types.TVarbinary}, 1)
		b.Cols[0].AppendString("a")
		for _, v := range b.Cols[1:8] {
			v.AppendNull()
		}
		b.Cols[8].AppendBytes(valid[:cut])
		b.N, b.Time = 1, []int64{0}
		if err := o.Process(0, b); !errors.Is(err, op.ErrRow) {
			t.Fatalf("%d of %d bytes: %v", cut, len(valid), err)
		}
	}
}
