// Package dedup holds the DISTINCT operators: at once in a window, the earliest row when the window closes, and one row
// within a duration.
package dedup

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// TumblingConfig configures Tumbling.
type TumblingConfig struct {
	Env    op.Env
	On     []expr.Expr // the distinct columns; NULL is one value
	Window op.Window
	State  op.Windows
	Next   op.Next
}

// Tumbling lets the first row of each key in each window pass at once, untouched, and drops the others. Which one of
// equal rows is the first depends on the order of arrival (semantics S1). It holds nothing back: W_out = W_in.
type Tumbling struct {
	c     TumblingConfig
	on    *op.Evaluator
	span  *types.Span
	marks op.Marks
	key   []byte
	g     op.Gather
}

// NewTumbling makes a Tumbling.
func NewTumbling(c TumblingConfig) *Tumbling {
	return &Tumbling{c: c, on: c.Env.NewEvaluator(c.On...), span: types.NewSpan(c.Window), marks: op.NoMarks}
}

// Process forwards what is new in b.
func (t *Tumbling) Process(_ int, b *vector.Batch) error {
	cols := t.on.Eval(b)
	bad, err := t.on.Failed(b, nil)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad != nil && bad[i] != nil {
			continue
		}
		start, _ := t.span.Of(b.Time[i])
		if t.c.Window.Closed(start, t.marks.W) {
			t.c.Env.Counters.LateAfterIdle++
			continue
		}
		t.key = keys.AppendRow(t.key[:0], cols, i)
		added, err := t.c.State.Add(start, t.key)
		if err != nil {
			return err
		}
		if added {
			t.g.Rows = append(t.g.Rows, int32(i))
		}
	}
	return t.g.Push(b, t.c.Next)
}

// Advance forgets the windows that m closes.
func (t *Tumbling) Advance(m op.Marks) error {
	t.marks = t.marks.Raise(m)
	if err := op.CloseWindows(t.c.State, t.c.Window, t.marks.W, nil); err != nil {
		return err
	}
	return t.c.Next.Advance(t.marks)
}
