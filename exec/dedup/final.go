package dedup

import (
	"cmp"
	"slices"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// FinalConfig configures Final.
type FinalConfig struct {
	Env     op.Env
	On      []expr.Expr
	Columns []types.Type // of the input
	Window  op.Window
	// Bounds: the output has window_start and window_end behind the input's columns.
	Bounds bool
	State  op.Windows // values are op.AppendRow
	Next   op.Next
}

// Final keeps, per window and key, the row that is first by (ts, origin), and lets those of a window go when it closes, in
// that order. Where windows overlap a row is kept for each that it counts for. W_out stays below the start of the earliest window that is not closed: its rows keep their own ts.
type Final struct {
	c     FinalConfig
	on    *op.Evaluator
	span  *types.Span
	marks op.Marks
	key   []byte
	row   []byte
	out   bounded
	read  op.RowReader
	held  heldRows
}

// NewFinal makes a Final.
func NewFinal(c FinalConfig) *Final {
	f := &Final{c: c, on: c.Env.NewEvaluator(c.On...), span: types.NewSpan(c.Window), marks: op.NoMarks, out: newBounded(c.Columns, c.Next)}
	if !c.Bounds {
		f.out.start, f.out.end = nil, nil
	}
	return f
}

// Process keeps what is first so far.
func (f *Final) Process(_ int, b *vector.Batch) error {
	cols := f.on.Eval(b)
	bad, err := f.on.Failed(b, nil)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad != nil && bad[i] != nil {
			continue
		}
		first, last := op.WindowsOf(f.span, b, i, f.marks, f.c.Env.Counters)
		f.key = keys.AppendRow(f.key[:0], cols, i)
		for k := first; k <= last; k++ {
			if err := f.keep(k, b, i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Final) keep(start int64, b *vector.Batch, i int) error {
	old, ok, err := f.c.State.Get(start, f.key)
	if err != nil {
		return err
	}
	if ok {
		ts, origin, err := op.RowOrder(old)
		if err != nil {
			return err
		}
		var o types.Origin
		if b.Origin != nil {
			o = b.Origin[i]
		}
		if cmp.Or(cmp.Compare(ts, b.Time[i]), origin.Compare(o)) <= 0 {
			return nil
		}
	}
	f.row = op.AppendRow(f.row[:0], b, i)
	return f.c.State.Put(start, f.key, f.row)
}

// Advance emits the windows that m closes.
func (f *Final) Advance(m op.Marks) error {
	f.marks = f.marks.Raise(m)
	if err := op.CloseWindows(f.c.State, f.c.Window, f.marks.W, f.emit); err != nil {
		return err
	}
	start, _ := f.c.Window.Unclosed(f.marks.W)
	return f.c.Next.Advance(f.marks.Below(start))
}

// Holds says whether a window is open.
func (f *Final) Holds() bool { return len(f.c.State.Starts()) > 0 }

// Due is when the earliest window closes.
func (f *Final) Due() (int64, bool) { return op.DueWindow(f.c.State, f.c.Window) }

func (f *Final) emit(k int64) error {
	f.held.reset()
	if err := f.c.State.Scan(k, func(_, value []byte) error { return f.held.add(value) }); err != nil {
		return err
	}
	f.held.sort()
	for i := range f.held.rows {
		if err := f.read.Append(f.out.rows, f.held.at(i)); err != nil {
			return err
		}
		if err := f.out.bound(f.c.Window.Start(k), f.c.Window.End(k)); err != nil {
			return err
		}
	}
	return f.out.flush()
}

// heldRows are the encoded rows of one window, to be sorted by (ts, origin).
type heldRows struct {
	data []byte
	rows []heldRow
}

type heldRow struct {
	ts       int64
	origin   types.Origin
	from, to int
}

func (h *heldRows) reset() {
	const keep = 16 << 20
	if cap(h.data) > keep {
		h.data, h.rows = nil, nil
	}
	h.data, h.rows = h.data[:0], h.rows[:0]
}

func (h *heldRows) add(row []byte) error {
	ts, origin, err := op.RowOrder(row)
	if err != nil {
		return err
	}
	from := len(h.data)
	h.data = append(h.data, row...)
	h.rows = append(h.rows, heldRow{ts: ts, origin: origin, from: from, to: len(h.data)})
	return nil
}

// sort orders the rows; those equal in all stay in key order.
func (h *heldRows) sort() {
	slices.SortStableFunc(h.rows, func(a, b heldRow) int {
		return cmp.Or(cmp.Compare(a.ts, b.ts), a.origin.Compare(b.origin))
	})
}

func (h *heldRows) at(i int) []byte { return h.data[h.rows[i].from:h.rows[i].to] }
