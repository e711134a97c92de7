package dedup

import (
	"cmp"
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

var (
	columns = []types.Type{types.TVarchar, types.TBigInt}
	onKey   = []expr.Expr{optest.Col(0, types.TVarchar)}
)

// input is random rows with few keys and many ties in ts, out of order by at most disorder.
func input(r *rand.Rand, n int, disorder int64) []optest.Row {
	rows := make([]optest.Row, n)
	at := int64(-50)
	for i := range rows {
		at += r.Int64N(4)
		key := any(string(rune('a' + r.IntN(4))))
		if r.IntN(10) == 0 {
			key = nil
		}
		rows[i] = optest.Row{
			Time: at - r.Int64N(disorder+1), Origin: types.Origin{Partition: int32(r.IntN(2)), Offset: int64(i)},
			Raw: vector.Raw{Value: []byte(fmt.Sprint("record ", i))}, Vals: []any{key, i},
		}
	}
	return rows
}

// drive feeds rows in random batches. Between them it raises the watermark at random, never above what the rows still to
// come allow, and ends the input.
func drive(t *testing.T, r *rand.Rand, o op.Operator, rows []optest.Row, check func()) {
	t.Helper()
	safe := make([]int64, len(rows)+1) // the largest watermark before row i
	safe[len(rows)] = types.Forever
	for i := len(rows) - 1; i >= 0; i-- {
		safe[i] = min(safe[i+1], rows[i].Time-1)
	}
	for i := 0; i < len(rows); {
		n := min(1+r.IntN([]int{1, 7, len(rows)}[r.IntN(3)]), len(rows)-i)
		if err := o.Process(0, optest.Batch(columns, rows[i:i+n]...)); err != nil {
			t.Fatal(err)
		}
		i += n
		for range r.IntN(3) {
			w := safe[i] - r.Int64N(20)
			if i == len(rows) {
				w = safe[i-1]
			}
			if err := o.Advance(op.Marks{W: w, Strict: w - r.Int64N(3)}); err != nil {
				t.Fatal(err)
			}
			check()
		}
	}
	if err := o.Advance(op.Marks{W: types.Forever, Strict: types.Forever}); err != nil {
		t.Fatal(err)
	}
}

func byOrder(a, b optest.Row) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), a.Origin.Compare(b.Origin))
}

func texts(rows []optest.Row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%v %s %v", r, r.Raw.Value, r.Origin))
	}
	return out
}

func contract(t *testing.T, sink *optest.Sink, n *op.Counters) {
	t.Helper()
	if sink.Broken != "" || sink.Early > 0 || n.LateAfterIdle > 0 {
		t.Fatalf("broken: %q; %d rows below the marks handed on; %+v", sink.Broken, sink.Early, *n)
	}
}

// groups are the rows per (window, key).
func groups(rows []optest.Row, w op.Window) map[string][]optest.Row {
	g := map[string][]optest.Row{}
	for _, r := range rows {
		k := fmt.Sprint(w.First(r.Time), r.Vals[0])
		g[k] = append(g[k], r)
	}
	return g
}

func TestTumblingAgainstOracle(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := op.Window{Size: 10, Offset: r.Int64N(10), Grace: r.Int64N(15)}
		rows := input(r, 60, r.Int64N(20))
		sink, n, state := optest.NewSink(), &op.Counters{}, &optest.Windows{}
		o := NewTumbling(TumblingConfig{Env: op.Env{Counters: n}, On: onKey, Window: w, State: state, Next: sink})
		drive(t, r, o, rows, func() {})
		// The first to arrive of each group, as a multiset; the input order is the order of arrival.
		var want []optest.Row
		for _, g := range groups(rows, w) {
			want = append(want, g[0])
		}
		got := sink.Got
		slices.SortFunc(want, byOrder)
		slices.SortFunc(got, byOrder)
		if g, x := texts(got), texts(want); !slices.Equal(g, x) {
			t.Fatalf("seed %d: got %q\nwant %q", seed, g, x)
		}
		sink.Early = 0 // W_out = W_in: the rows still in time may lie below it
		contract(t, sink, n)
		if len(state.Starts()) != 0 || sink.Marks.W != types.Forever {
			t.Fatal("state is left, or marks are not handed on", state.Starts(), sink.Marks)
		}
	}
}

func TestFinalAgainstOracle(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := op.Window{Size: 10, Offset: r.Int64N(10), Grace: r.Int64N(15)}
		rows := input(r, 60, r.Int64N(20))
		sink, n, state := optest.NewSink(), &op.Counters{}, &optest.Windows{}
		o := NewFinal(FinalConfig{Env: op.Env{Counters: n}, On: onKey, Columns: columns, Window: w, State: state, Next: sink})
		drive(t, r, o, rows, func() {
			if o.Holds() != (len(state.Starts()) > 0) {
				t.Fatal("an open window holds")
			}
		})
		var want []optest.Row
		for _, g := range groups(rows, w) {
			want = append(want, slices.MinFunc(g, byOrder))
		}
		slices.SortFunc(want, byOrder) // windows do not overlap: this is the order inside windows and of windows
		if g, x := texts(sink.Got), texts(want); !slices.Equal(g, x) {
			t.Fatalf("seed %d: got %q\nwant %q", seed, g, x)
		}
		contract(t, sink, n)
	}
}

func TestWithinAgainstOracle(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		d := 1 + r.Int64N(20)
		rows := input(r, 80, r.Int64N(20))
		sink, n, passed, queue := optest.NewSink(), &op.Counters{}, &optest.Windows{}, &optest.Queue{}
		o := NewWithin(WithinConfig{Env: op.Env{Counters: n}, On: onKey, Columns: columns, Within: d, Queue: queue, Passed: passed, Next: sink})
		drive(t, r, o, rows, func() {
			if first, ok := queue.First(); ok && sink.Marks.W >= first || o.Holds() != ok {
				t.Fatal("a row that waits holds the marks below it")
			}
		})
		sorted := slices.Clone(rows)
		slices.SortFunc(sorted, byOrder)
		var want []optest.Row
		last := map[string]int64{}
		for _, x := range sorted {
			k := fmt.Sprint(x.Vals[0])
			if ts, ok := last[k]; ok && x.Time-ts < d {
				continue
			}
			last[k] = x.Time
			want = append(want, x)
		}
		if g, x := texts(sink.Got), texts(want); !slices.Equal(g, x) {
			t.Fatalf("seed %d d %d: got %q\nwant %q", seed, d, g, x)
		}
		contract(t, sink, n)
		if len(passed.Starts()) != 0 {
			t.Fatal("state is left", passed.Starts())
		}
	}
}

func row(ts int64, key string, id int) optest.Row {
	return optest.Row{Time: ts, Origin: types.Origin{Offset: int64(id)}, Vals: []any{key, id}}
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
}

// [0, 8, 15 with d = 10] (semantics S6): decided in order of time, 15 is 15 after the row that passed, whatever the order
// of arrival; at once and in the order 8, 15, 0 another row would pass.
func TestWithinDecidesInTimeOrder(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {1, 2, 0}, {2, 1, 0}} {
		rows := []optest.Row{row(0, "k", 0), row(8, "k", 1), row(15, "k", 2)}
		sink := optest.NewSink()
		o := NewWithin(WithinConfig{
			Env: op.Env{Counters: &op.Counters{}}, On: onKey, Columns: columns, Within: 10,
			Queue: &optest.Queue{}, Passed: &optest.Windows{}, Next: sink,
		})
		for _, i := range order {
			process(t, o, rows[i])
			advance(t, o, -1)
		}
		expect(t, sink)
		advance(t, o, 15)
		expect(t, sink, "0: k,0", "15: k,2")
		process(t, o, row(24, "k", 3), row(25, "k", 4), row(15, "k", 5))
		advance(t, o, 30)
		expect(t, sink, "25: k,4")
		if o.c.Env.Counters.LateAfterIdle != 1 {
			t.Fatal("the row at 15 came after W = 15")
		}
	}
}

// A row below the watermark belongs to a window that may be open; one of a closed window is late_after_idle, for such rows
// only come from a partition that was declared idle.
func TestRowsOfClosedWindows(t *testing.T) {
	w := op.Window{Size: 10, Grace: 5}
	for name, build := range map[string]func(op.Env, *optest.Sink) op.Operator{
		"at once": func(e op.Env, s *optest.Sink) op.Operator {
			return NewTumbling(TumblingConfig{Env: e, On: onKey, Window: w, State: &optest.Windows{}, Next: s})
		},
		"final": func(e op.Env, s *optest.Sink) op.Operator {
			return NewFinal(FinalConfig{Env: e, On: onKey, Columns: columns, Window: w, State: &optest.Windows{}, Next: s})
		},
	} {
		t.Run(name, func(t *testing.T) {
			sink, n := optest.NewSink(), &op.Counters{}
			o := build(op.Env{Counters: n}, sink)
			process(t, o, row(3, "k", 0))
			advance(t, o, 13) // closes at 10 + 5 - 1
			process(t, o, row(1, "x", 1))
			advance(t, o, 14)
			if len(sink.Got) != 2 || n.LateAfterIdle != 0 {
				t.Fatal(sink.Got, *n)
			}
			process(t, o, row(9, "y", 2))
			advance(t, o, types.Forever)
			if len(sink.Got) != 2 || n.LateAfterIdle != 1 {
				t.Fatal(sink.Got, *n)
			}
		})
	}
}

// DISTINCT EMIT FINAL: the marks stay below the start of the earliest window that is not closed, empty ones included
// (semantics S2), since an accepted row may still open it and keeps its own ts.
func TestFinalMarks(t *testing.T) {
	sink := optest.NewSink()
	o := NewFinal(FinalConfig{
		Env: op.Env{Counters: &op.Counters{}}, On: onKey, Columns: columns, Window: op.Window{Size: 10, Grace: 5},
		State: &optest.Windows{}, Next: sink,
	})
	for _, c := range []struct{ in, out int64 }{{types.Never, types.Never}, {12, -1}, {13, -1}, {14, 9}, {23, 9}, {24, 19}, {20, 19}} {
		if err := o.Advance(op.Marks{W: c.in, Strict: min(c.in, 12)}); err != nil {
			t.Fatal(err)
		}
		if sink.Marks.W != c.out || sink.Marks.Strict > min(12, c.out) {
			t.Fatalf("W_in %d: W_out %+v, want %d", c.in, sink.Marks, c.out)
		}
	}
}

// D.1: out of order, the one that came first stands; EMIT FINAL takes the earliest.
func TestWhichRowPasses(t *testing.T) {
	sink := optest.NewSink()
	o := NewTumbling(TumblingConfig{Env: op.Env{Counters: &op.Counters{}}, On: onKey, Window: op.Window{Size: 10}, State: &optest.Windows{}, Next: sink})
	process(t, o, row(5, "k", 0), row(2, "k", 1), row(10, "k", 2), row(-1, "k", 3))
	expect(t, sink, "5: k,0", "10: k,2", "-1: k,3")

	f := NewFinal(FinalConfig{Env: op.Env{Counters: &op.Counters{}}, On: onKey, Columns: columns, Window: op.Window{Size: 10}, State: &optest.Windows{}, Next: sink})
	process(t, f, row(5, "k", 0), row(2, "k", 4), row(2, "k", 1), row(3, "j", 2))
	advance(t, f, 9)
	expect(t, sink, "2: k,1", "3: j,2")
}

// A window of more rows than a chunk comes out whole and in order.
func TestFinalInChunks(t *testing.T) {
	sink := optest.NewSink()
	o := NewFinal(FinalConfig{Env: op.Env{Counters: &op.Counters{}}, On: onKey, Columns: columns, Window: op.Window{Size: 1 << 20}, State: &optest.Windows{}, Next: sink})
	const n = 2*op.ChunkRows + 3
	var rows []optest.Row
	for i := range n {
		rows = append(rows, row(int64(n-i), fmt.Sprint("key", i), i))
	}
	process(t, o, rows...)
	advance(t, o, types.Forever)
	if len(sink.Got) != n || !slices.IsSortedFunc(sink.Got, byOrder) {
		t.Fatal(len(sink.Got))
	}
}

func BenchmarkDistinct(b *testing.B) {
	const size = 1024
	o := NewTumbling(TumblingConfig{
		Env: op.Env{Counters: &op.Counters{}}, On: onKey, Window: op.Window{Size: 10_000_000}, State: &optest.Windows{}, Next: optest.Discard{},
	})
	batch := benchBatch(size)
	b.ReportAllocs()
	id := 0
	for b.Loop() {
		for i := range batch.Time {
			batch.Time[i] = int64(id+i) * 10
		}
		id += size
		if err := o.Process(0, batch); err != nil {
			b.Fatal(err)
		}
		if err := o.Advance(op.Marks{W: batch.Time[size-1] - 1, Strict: 0}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(id), "ns/row")
}

// benchBatch has one repeat for each ten keys.
func benchBatch(n int) *vector.Batch {
	rows := make([]optest.Row, n)
	for i := range rows {
		rows[i] = row(0, fmt.Sprintf("message-%08d", i-i%10/9), i)
	}
	return optest.Batch(columns, rows...)
}
