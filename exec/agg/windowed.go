package agg

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Emit says when results go out.
type Emit uint8

// The ways of emitting.
const (
	Changes Emit = iota // an upsert for each group a batch changed
	Final               // one row per group when its window closes
)

// WindowedConfig configures the aggregates in aligned windows.
type WindowedConfig struct {
	Env    op.Env
	Spec   Spec
	Window op.Window
	Emit   Emit
	// Origin: something downstream orders by (ts, origin).
	Origin bool
	State  op.Windows
	Sorted op.Sorted // where Spec.Keeps
	Next   op.Next
}

// Aggregator aggregates in windows.
type Aggregator interface {
	op.Operator
	op.Holder
}

// NewWindowed makes the operator that aggregates per window and group. Its columns: the group, the aggregates, window_start
// and window_end (TIMESTAMP(3)). The ts of a result is 1 ms before the window's end, and W_out stays below that of the
// earliest window that is not closed, empty ones included (semantics S2).
//
//	tumbling windows, and aggregates that keep entries   Windowed: each window has its values, a row folds into each it lies in
//	overlapping windows, EMIT FINAL                      Overlapping: a row folds once, windows are merged when they close
//	overlapping windows, EMIT CHANGES                    OverlappingChanges: a batch folds once and is merged into its windows
func NewWindowed(c WindowedConfig) Aggregator {
	switch {
	case c.Window.Most() == 1 || c.Spec.Keeps():
		return newWindowed(c)
	case c.Emit == Final:
		return newOverlapping(c)
	}
	return newOverlappingChanges(c)
}

// windowed is what the operators in windows have in common.
type windowed struct {
	c     WindowedConfig
	f     *folder
	o     *output
	span  *types.Span
	marks op.Marks
	shown struct{ k, start, end int64 } // the bounds given last: a batch has many rows of one window
}

func newWindowedBase(c WindowedConfig) windowed {
	cols := append(c.Spec.columns(), types.TTimestamp, types.TTimestamp)
	return windowed{
		c: c, f: newFolder(c.Env, c.Spec, windowStore{c.State}, c.Sorted), marks: op.NoMarks, span: types.NewSpan(c.Window),
		o: newOutput(c.Env, cols, c.Spec.Having, c.Origin, c.Next),
	}
}

// windows are the first and the last window that row i counts for; first is above last when there is none.
func (w *windowed) windows(b *vector.Batch, i int) (first, last int64) {
	n := w.c.Env.Counters
	before := n.LateAfterIdle
	first, last = op.WindowsOf(w.span, b, i, w.marks, n)
	if n.LateAfterIdle > before { // a row that a Partial folded stands for several
		n.LateAfterIdle = before + w.f.count(i)
	}
	return first, last
}

// bounds appends the window's columns to the output and returns the ts of its rows.
func (w *windowed) bounds(k int64) int64 {
	x := &w.shown
	if x.k != k || x.start == x.end {
		x.k, x.start, x.end = k, w.c.Window.Start(k), w.c.Window.End(k)
	}
	n := len(w.o.out.Cols)
	w.o.out.Cols[n-2].AppendInt(x.start)
	w.o.out.Cols[n-1].AppendInt(x.end)
	return x.end - op.Millisecond
}

// final adds the row of a group in window k to the output, which goes on when it is full.
func (w *windowed) final(k int64, key, value []byte) error {
	if err := w.o.add(w.f, k, key, value, w.bounds(k)); err != nil {
		return err
	}
	if w.o.out.N < op.ChunkRows {
		return nil
	}
	return w.o.final()
}

// Holds says whether a window is open.
func (w *windowed) Holds() bool { return len(w.c.State.Starts()) > 0 }

// Due is when the earliest window closes.
func (w *windowed) Due() (int64, bool) { return op.DueWindow(w.c.State, w.c.Window) }

// Windowed keeps the values of each window.
type Windowed struct {
	windowed
	ch changes
	// overlap: a row may count for several windows; those of each row of the batch are in rows.
	overlap bool
	rows    []span
}

// span is the first and the last window that a row counts for.
type span struct{ first, last int64 }

func newWindowed(c WindowedConfig) *Windowed {
	w := &Windowed{windowed: newWindowedBase(c), overlap: c.Window.Most() > 1}
	w.ch = changes{f: w.f, o: w.o}
	return w
}

// Process folds b into its groups: the first window of each row, then the second of those that have one, and so on.
func (w *Windowed) Process(_ int, b *vector.Batch) error {
	bad, err := w.f.begin(b)
	if err != nil {
		return err
	}
	w.rows = w.rows[:0]
	most := int64(1)
	for i := range b.N {
		first, last := int64(0), int64(-1)
		if bad == nil || bad[i] == nil {
			first, last = w.windows(b, i)
		}
		if first <= last {
			w.f.add(i, first)
		}
		if w.overlap {
			w.rows = append(w.rows, span{first, last})
			most = max(most, last-first+1)
		}
	}
	if err := w.fold(b); err != nil {
		return err
	}
	for n := int64(1); n < most; n++ {
		w.f.found.reset(b.N)
		for i, x := range w.rows {
			if x.first+n <= x.last {
				w.f.add(i, x.first+n)
			}
		}
		if err := w.fold(b); err != nil {
			return err
		}
	}
	return nil
}

func (w *Windowed) fold(b *vector.Batch) error {
	if w.c.Emit == Changes {
		return w.ch.emit(b, w.bounds)
	}
	for i := range w.f.found.list {
		if _, _, err := w.f.fold(b, &w.f.found.list[i], 0); err != nil {
			return err
		}
	}
	return nil
}

// Advance emits (Final) and forgets the windows that m closes.
func (w *Windowed) Advance(m op.Marks) error {
	w.marks = w.marks.Raise(m)
	if err := op.CloseWindows(w.c.State, w.c.Window, w.marks.W, w.close); err != nil {
		return err
	}
	return w.c.Next.Advance(w.marks.BelowResults(w.c.Window))
}

// close pushes the results of a window (Final) and forgets what is kept of its groups beside their values.
func (w *Windowed) close(k int64) error {
	if w.c.Emit == Final {
		if err := w.emit(k); err != nil {
			return err
		}
	}
	if w.f.kept == nil {
		return nil
	}
	return w.c.State.Scan(k, func(key, _ []byte) error { return w.f.kept.forget(k, key) })
}

// emit pushes the results of a window in key order.
func (w *Windowed) emit(k int64) error {
	if err := w.c.State.Scan(k, func(key, value []byte) error { return w.final(k, key, value) }); err != nil {
		return err
	}
	return w.o.final()
}

// windowStore is a store whose groups go with their windows.
type windowStore struct{ op.Windows }

// Forget notes that the group does not stand in the result.
func (s windowStore) Forget(start int64, key []byte) error {
	value, ok, err := s.Modify(start, key)
	if ok {
		value[emittedAt] = flag(false)
	}
	return err
}
