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

// WindowedConfig configures Windowed.
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

// Windowed aggregates per tumbling window and group. Its columns: the group, the aggregates, window_start and window_end
// (TIMESTAMP(3)). The ts of a result is 1 ms before the window's end, and W_out stays below that of the earliest window
// that is not closed, empty ones included (semantics S2).
type Windowed struct {
	c     WindowedConfig
	f     *folder
	o     *output
	ch    changes
	span  *types.Span
	marks op.Marks
}

// NewWindowed makes a Windowed.
func NewWindowed(c WindowedConfig) *Windowed {
	cols := append(c.Spec.columns(), types.TTimestamp, types.TTimestamp)
	w := &Windowed{
		c: c, f: newFolder(c.Env, c.Spec, windowStore{c.State}, c.Sorted), marks: op.NoMarks, span: types.NewSpan(c.Window),
		o: newOutput(c.Env, cols, c.Spec.Having, c.Origin, c.Next),
	}
	w.ch = changes{f: w.f, o: w.o}
	return w
}

// Process folds b into its groups.
func (w *Windowed) Process(_ int, b *vector.Batch) error {
	bad, err := w.f.begin(b)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad != nil && bad[i] != nil {
			continue
		}
		start, _ := w.span.Of(b.Time[i])
		if w.c.Window.Closed(start, w.marks.W) {
			w.c.Env.Counters.LateAfterIdle++
			continue
		}
		w.f.add(i, start)
	}
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

// bounds appends the window's columns to the output and returns the ts of its rows.
func (w *Windowed) bounds(k int64) int64 {
	n, start, end := len(w.o.out.Cols), w.c.Window.Start(k), w.c.Window.End(k)
	w.o.out.Cols[n-2].AppendInt(start)
	w.o.out.Cols[n-1].AppendInt(end)
	return end - op.Millisecond
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
func (w *Windowed) close(start int64) error {
	if w.c.Emit == Final {
		if err := w.emit(start); err != nil {
			return err
		}
	}
	if w.f.kept == nil {
		return nil
	}
	return w.c.State.Scan(start, func(key, _ []byte) error { return w.f.kept.forget(start, key) })
}

// emit pushes the results of a window in key order.
func (w *Windowed) emit(start int64) error {
	err := w.c.State.Scan(start, func(key, value []byte) error {
		if err := w.o.add(w.f, start, key, value, w.bounds(start)); err != nil {
			return err
		}
		if w.o.out.N < op.ChunkRows {
			return nil
		}
		return w.o.final()
	})
	if err != nil {
		return err
	}
	return w.o.final()
}

// Holds says whether a window is open.
func (w *Windowed) Holds() bool { return len(w.c.State.Starts()) > 0 }

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
