package agg

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

const ms = op.Millisecond

// columns are k, v, f and s: a key and one value of each kind.
var columns = []types.Type{types.TVarchar, types.TBigInt, types.TDouble, types.TVarchar}

var onKey = []expr.Expr{optest.Col(0, columns[0])}

func aggregate(t testing.TB, fn string, col int) *expr.Aggregate {
	t.Helper()
	a := expr.Aggregate{Func: fn}
	if col >= 0 {
		a.Arg = []expr.Expr{optest.Col(col, columns[col])}
	}
	bound, err := expr.NewAggregate(a)
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

func row(ts int64, key any, v int) optest.Row {
	return optest.Row{Time: ts, Vals: []any{key, v, float64(v), fmt.Sprint(v)}}
}

func process(t *testing.T, o op.Operator, rows ...optest.Row) {
	t.Helper()
	if err := o.Process(0, optest.Batch(columns, rows...)); err != nil {
		t.Fatal(err)
	}
}

func advance(t *testing.T, o op.Operator, w int64) {
	t.Helper()
	if err := o.Advance(op.Marks{W: w, Strict: w}); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, sink *optest.Sink, want ...string) {
	t.Helper()
	if got := sink.Take(); !slices.Equal(got, want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
	if sink.Broken != "" {
		t.Fatal(sink.Broken)
	}
}

// above is column col > n, NULL for NULL.
func above(col int, n int64) expr.Expr {
	return &optest.Func{T: types.TBoolean, F: func(vals []any) (any, error) {
		if vals[col] == nil {
			return nil, nil
		}
		var x int64
		if _, err := fmt.Sscan(fmt.Sprint(vals[col]), &x); err != nil {
			return nil, err
		}
		if x > n {
			return 1, nil
		}
		return 0, nil
	}}
}

// C11: what window a row goes into at the grace boundary is decided by the watermark; the late row itself is taken out at
// the source, before this operator.
func TestWindowedFinal(t *testing.T) {
	sink, n := optest.NewSink(), &op.Counters{}
	o := NewWindowed(WindowedConfig{
		Env: op.Env{Counters: n}, Spec: Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1)}},
		Window: op.Window{Size: 10_000 * ms, Grace: 5000 * ms}, Emit: Final, State: &optest.Windows{}, Next: sink,
	})
	maxTS := types.Never
	for _, r := range []optest.Row{row(1000*ms, "a", 1), row(12_000*ms, "a", 1), row(9000*ms, "a", 1), row(14_999*ms, "a", 1), row(9500*ms, "a", 1)} {
		process(t, o, r)
		maxTS = max(maxTS, r.Time)
		advance(t, o, maxTS-1)
		expect(t, sink)
	}
	process(t, o, row(15_000*ms, "b", 1))
	advance(t, o, 15_000*ms-1)
	expect(t, sink, "9999000: a,3,0,10000000")
	process(t, o, row(9900*ms, "a", 1))
	if n.LateAfterIdle != 1 || !o.Holds() {
		t.Fatal("a row of a closed window", *n)
	}
	advance(t, o, 40_000*ms-1)
	expect(t, sink, "19999000: a,2,10000000,20000000", "19999000: b,1,10000000,20000000")
	if o.Holds() {
		t.Fatal("no window is open")
	}
}

// Windowed aggregates: W_out <= end - 1 ms - 1 µs of the earliest window that is not closed, empty ones included.
// [W_in 12 s, grace 5 s: an accepted row may still open [0,10 s)]
func TestWindowedMarks(t *testing.T) {
	const s = 1000 * ms
	for _, emit := range []Emit{Changes, Final} {
		sink := optest.NewSink()
		o := NewWindowed(WindowedConfig{
			Env: op.Env{Counters: &op.Counters{}}, Window: op.Window{Size: 10 * s, Grace: 5 * s}, Emit: emit,
			State: &optest.Windows{}, Next: sink,
		})
		for _, c := range []struct{ in, out int64 }{
			{types.Never, types.Never}, {3 * s, -ms - 1}, {12 * s, 10*s - ms - 1}, {15*s - 2, 10*s - ms - 1}, {15*s - 1, 15*s - 1},
			{24 * s, 20*s - ms - 1}, {25*s - 1, 25*s - 1}, {types.Forever, types.Forever},
		} {
			if err := o.Advance(op.Marks{W: c.in, Strict: min(c.in, 11*s)}); err != nil {
				t.Fatal(err)
			}
			if sink.Marks.W != c.out || sink.Marks.Strict != max(min(c.out, 11*s), sink.Marks.Strict) {
				t.Fatalf("W_in %d: %+v, want %d", c.in, sink.Marks, c.out)
			}
		}
	}
}

// The rows of a window lie above what was handed on before: a window downstream that closes by it misses none.
func TestWindowedResultIsNotLateDownstream(t *testing.T) {
	sink := optest.NewSink()
	o := NewWindowed(WindowedConfig{
		Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Group: onKey}, Window: op.Window{Size: 10 * ms}, Emit: Final,
		State: &optest.Windows{}, Next: sink,
	})
	for ts := int64(0); ts < 100; ts += 3 {
		process(t, o, row(ts*ms, "a", 1))
		advance(t, o, ts*ms-1)
	}
	if len(sink.Got) != 9 || sink.Early > 0 {
		t.Fatal(len(sink.Got), sink.Early)
	}
}

// A query without GROUP BY has one group, and HAVING takes rows out of a final result without a trace.
func TestWindowedFinalHaving(t *testing.T) {
	sink := optest.NewSink()
	o := NewWindowed(WindowedConfig{
		Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Aggs: []*expr.Aggregate{aggregate(t, "SUM", 1)}, Having: above(0, 10)},
		Window: op.Window{Size: 10 * ms}, Emit: Final, State: &optest.Windows{}, Next: sink,
	})
	process(t, o, row(1, "a", 7), row(2, "b", 4), row(10*ms, "a", 10))
	advance(t, o, types.Forever)
	expect(t, sink, "9000: 11,0,10000")
}

func TestWindowedChanges(t *testing.T) {
	sink, state := optest.NewSink(), &optest.Windows{}
	o := NewWindowed(WindowedConfig{
		Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1)}, Having: above(1, 1)},
		Window: op.Window{Size: 10 * ms}, Emit: Changes, State: state, Next: sink,
	})
	process(t, o, row(1, "a", 7), row(2, "b", 4), row(10*ms, "a", 10), row(3, "a", 1))
	expect(t, sink, "9000: a,2,0,10000")
	process(t, o, row(3, "b", 4))
	expect(t, sink, "9000: b,2,0,10000")
	advance(t, o, 10*ms-1)
	expect(t, sink)
	if got := state.Starts(); !slices.Equal(got, []int64{1}) {
		t.Fatal("a closed window's state goes", got)
	}
}

// C36, in order: a=11, a=16, delete a, a=25, and nothing for the first and the fifth record.
func TestRunningHaving(t *testing.T) {
	sink := optest.NewSink()
	o := newRunning(t, sink, Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "SUM", 1)}, Having: above(1, 10)})
	for i, v := range []int{4, 7, 5, -10, -1, 20} {
		process(t, o, row(int64(i+1), "a", v))
	}
	expect(t, sink, "2: a,11", "3: a,16", "4: -a,6", "6: a,25")

	// In one batch the steps merge, but end in the same way.
	o = newRunning(t, sink, Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "SUM", 1)}, Having: above(1, 10)})
	process(t, o, row(1, "a", 4), row(2, "a", 7), row(3, "a", 5), row(4, "a", -10), row(5, "a", -1))
	expect(t, sink)
	process(t, o, row(6, "a", 20))
	expect(t, sink, "6: a,25")
}

func newRunning(t *testing.T, sink *optest.Sink, s Spec) *Running {
	return NewRunning(RunningConfig{Env: op.Env{Counters: &op.Counters{}}, Spec: s, State: &optest.Map{}, Next: sink})
}

// C20: what a restart finds in the state is what was folded before it: (win 0, a, 3) here, and HAVING's memory there.
func TestStateSurvivesTheOperator(t *testing.T) {
	sink, state := optest.NewSink(), &optest.Windows{}
	build := func() op.Operator {
		return NewWindowed(WindowedConfig{
			Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1)}},
			Window: op.Window{Size: 10_000 * ms}, Emit: Final, State: state, Next: sink,
		})
	}
	process(t, build(), row(1000*ms, "a", 1), row(2000*ms, "a", 1))
	o := build()
	process(t, o, row(3000*ms, "a", 1))
	advance(t, o, 40_000*ms-1)
	expect(t, sink, "9999000: a,3,0,10000000")

	m := &optest.Map{}
	for i, v := range []int{11, -11, 1, 11} {
		r := NewRunning(RunningConfig{
			Env: op.Env{Counters: &op.Counters{}}, State: m, Next: sink,
			Spec: Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "SUM", 1)}, Having: above(1, 10)},
		})
		process(t, r, row(int64(i), "a", v))
	}
	expect(t, sink, "0: a,11", "1: -a,0", "3: a,12")
}

// The ts is the largest folded in, not that of the last row; NULLs are one group.
func TestRunningTimeAndNullGroup(t *testing.T) {
	sink := optest.NewSink()
	o := newRunning(t, sink, Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1)}})
	process(t, o, row(9, nil, 1), row(5, "a", 1))
	process(t, o, row(3, nil, 1), row(7, "a", 1))
	expect(t, sink, "9: NULL,1", "5: a,1", "9: NULL,2", "7: a,2")
	advance(t, o, 8)
	if sink.Marks.W != 8 {
		t.Fatal(sink.Marks)
	}
}

// A sum of doubles does not depend on order [1e16, 1, -1e16] (semantics S1), nor does text of any length lose its place
// beside other states.
func TestStatesOfVaryingLength(t *testing.T) {
	sink := optest.NewSink()
	spec := Spec{Group: onKey, Aggs: []*expr.Aggregate{
		aggregate(t, "MAX", 3), aggregate(t, "SUM", 2), aggregate(t, "MIN", 3), aggregate(t, "COUNT", -1),
	}}
	vals := []optest.Row{
		{Time: 1, Vals: []any{"a", 0, 1e16, "m"}}, {Time: 2, Vals: []any{"a", 0, 1.0, strings.Repeat("z", 300)}},
		{Time: 3, Vals: []any{"a", 0, -1e16, strings.Repeat("a", 200)}}, {Time: 4, Vals: []any{"a", 0, nil, "zz"}},
		{Time: 5, Vals: []any{"a", 0, 0.25, ""}},
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}} {
		for _, cut := range []int{1, 2, 5} {
			o := newRunning(t, sink, spec)
			for at := 0; at < len(order); at += cut {
				var rows []optest.Row
				for _, i := range order[at:min(at+cut, len(order))] {
					rows = append(rows, vals[i])
				}
				process(t, o, rows...)
			}
			got := sink.Take()
			if want := "5: a," + strings.Repeat("z", 300) + ",1.25,,5"; got[len(got)-1] != want {
				t.Fatalf("order %v cut %d: got %q", order, cut, got[len(got)-1])
			}
		}
	}
}

// A sum that does not fit is reported, and the group's old row goes; it comes back when the sum fits again.
func TestResultThatDoesNotFit(t *testing.T) {
	sink, n, failed := optest.NewSink(), &op.Counters{}, 0
	dec := types.TDecimal(38, 0)
	sum, err := expr.NewAggregate(expr.Aggregate{Func: "SUM", Arg: []expr.Expr{optest.Col(1, dec)}})
	if err != nil {
		t.Fatal(err)
	}
	o := NewRunning(RunningConfig{
		Env:   op.Env{Counters: n, Fail: func(*vector.Batch, int, error) error { failed++; return nil }},
		Spec:  Spec{Group: onKey, Aggs: []*expr.Aggregate{sum}},
		State: &optest.Map{}, Next: sink,
	})
	most, err := types.ParseDecimal(strings.Repeat("9", 38), 38, 0)
	if err != nil {
		t.Fatal(err)
	}
	less, _ := most.Neg()
	for i, d := range []types.Int128{most, most, less} {
		b := vector.NewBatch([]types.Type{types.TVarchar, dec}, 1)
		b.Cols[0].AppendString("a")
		b.Cols[1].AppendDec(d)
		b.Time, b.N = append(b.Time, int64(i)), 1
		if err := o.Process(0, b); err != nil {
			t.Fatal(err)
		}
	}
	nines := strings.Repeat("9", 38)
	expect(t, sink, "0: a,"+nines, "1: -a,NULL", "2: a,"+nines)
	if n.BadExpr != 1 || failed != 1 {
		t.Fatal(*n, failed)
	}
}

func TestFailedRowsAreLeftOut(t *testing.T) {
	sink, n := optest.NewSink(), &op.Counters{}
	key := &optest.Func{T: types.TVarchar, F: func(vals []any) (any, error) {
		if vals[0] == "bad" {
			return nil, errors.New("bad")
		}
		return vals[0], nil
	}}
	o := NewRunning(RunningConfig{
		Env: op.Env{Counters: n}, Spec: Spec{Group: []expr.Expr{key}, Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1)}},
		State: &optest.Map{}, Next: sink,
	})
	process(t, o, row(1, "bad", 1), row(2, "a", 1))
	expect(t, sink, "2: a,1")
	if n.BadExpr != 1 {
		t.Fatal(*n)
	}
}

// Results of one window have one ts; the origin orders them the same way whatever the order of their rows was.
func TestOriginOfResults(t *testing.T) {
	var first map[string]types.Origin
	for _, order := range [][]string{{"a", "b", "c"}, {"c", "a", "b"}} {
		sink := optest.NewSink()
		o := NewWindowed(WindowedConfig{
			Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Group: onKey}, Window: op.Window{Size: 10 * ms}, Emit: Final,
			Origin: true, State: &optest.Windows{}, Next: sink,
		})
		for _, k := range order {
			process(t, o, row(1, k, 1))
		}
		advance(t, o, types.Forever)
		got, seen := map[string]types.Origin{}, map[types.Origin]bool{}
		for _, r := range sink.Got {
			got[r.Vals[0].(string)] = r.Origin
			seen[r.Origin] = true
		}
		if len(seen) != 3 || first != nil && fmt.Sprint(first) != fmt.Sprint(got) {
			t.Fatal(first, got)
		}
		first = got
	}
}
