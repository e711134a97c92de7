package dedup

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// OverlappingConfig configures Overlapping.
type OverlappingConfig struct {
	Env     op.Env
	On      []expr.Expr  // the distinct columns; NULL is one value
	Columns []types.Type // of the input
	Window  op.Window
	State   op.Windows
	Next    op.Next
}

// Overlapping lets, of each key in each window, the first row pass at once: a row passes once for each of its windows that has
// not seen its key, with window_start and window_end behind its columns. It counts for the windows that its own partition had
// not closed (semantics S3). It holds nothing back: W_out = W_in. A row costs a look for each of its windows.
type Overlapping struct {
	c     OverlappingConfig
	on    *op.Evaluator
	span  *types.Span
	marks op.Marks
	key   []byte
	out   bounded
}

// NewOverlapping makes an Overlapping.
func NewOverlapping(c OverlappingConfig) *Overlapping {
	return &Overlapping{c: c, on: c.Env.NewEvaluator(c.On...), span: types.NewSpan(c.Window), marks: op.NoMarks, out: newBounded(c.Columns, c.Next)}
}

// Process forwards what is new in b.
func (o *Overlapping) Process(_ int, b *vector.Batch) error {
	cols := o.on.Eval(b)
	bad, err := o.on.Failed(b, nil)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad != nil && bad[i] != nil {
			continue
		}
		first, last := op.WindowsOf(o.span, b, i, o.marks, o.c.Env.Counters)
		o.key = keys.AppendRow(o.key[:0], cols, i)
		for k := first; k <= last; k++ {
			added, err := o.c.State.Add(k, o.key)
			if err != nil {
				return err
			}
			if !added {
				continue
			}
			o.out.batch(b, i)
			if err := o.out.bound(o.c.Window.Start(k), o.c.Window.End(k)); err != nil {
				return err
			}
		}
	}
	return o.out.flush()
}

// Advance forgets the windows that m closes.
func (o *Overlapping) Advance(m op.Marks) error {
	o.marks = o.marks.Raise(m)
	if err := op.CloseWindows(o.c.State, o.c.Window, o.marks.W, nil); err != nil {
		return err
	}
	return o.c.Next.Advance(o.marks)
}

// bounded builds rows of the input's columns that know their window, which is shown behind them.
type bounded struct {
	rows  *vector.Batch
	start *vector.Vector
	end   *vector.Vector // nil, as start: the window is not shown
	next  op.Next
}

func newBounded(columns []types.Type, next op.Next) bounded {
	return bounded{rows: vector.NewBatch(columns, 0), start: vector.New(types.TTimestamp, 0), end: vector.New(types.TTimestamp, 0), next: next}
}

// batch adds row i of b, of which bound gives the window.
func (o *bounded) batch(b *vector.Batch, i int) { o.rows.AppendFrom(b, i) }

// bound gives the last row its window and pushes the rows when they are many.
func (o *bounded) bound(start, end int64) error {
	if o.start != nil {
		o.start.AppendInt(start)
		o.end.AppendInt(end)
	}
	if o.rows.N < op.ChunkRows {
		return nil
	}
	return o.flush()
}

// flush pushes the rows that were added.
func (o *bounded) flush() error {
	if o.rows.N == 0 {
		return nil
	}
	defer o.rows.Reset()
	if o.start == nil {
		return o.next.Push(o.rows)
	}
	defer o.start.Reset()
	defer o.end.Reset()
	out := *o.rows
	out.Cols = append(out.Cols[:len(out.Cols):len(out.Cols)], o.start, o.end)
	return o.next.Push(&out)
}
