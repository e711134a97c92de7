package plan

import (
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// WindowBound is the start or the end of the tumbling window that a row's event time lies in, or of the sliding window that
// ends with it: window_start and window_end of a DISTINCT.
type WindowBound struct {
	Window Window
	End    bool
}

// Type is TIMESTAMP(3).
func (e *WindowBound) Type() types.Type { return types.TTimestamp }

// Eval computes the bound from the rows' event times.
func (e *WindowBound) Eval(_ *expr.Ctx, b *vector.Batch) *vector.Vector {
	v := &vector.Vector{Type: types.TTimestamp, Ints: make([]int64, b.N)}
	if e.Window.Kind == ast.Sliding {
		for i, ts := range b.Time {
			v.Ints[i] = ts
			if !e.End {
				v.Ints[i] -= e.Window.Size
			}
		}
		return v
	}
	span := types.NewSpan(e.Window.Window)
	for i := range v.Ints {
		k, _ := span.Of(b.Time[i])
		if e.End {
			v.Ints[i] = e.Window.End(k)
		} else {
			v.Ints[i] = e.Window.Start(k)
		}
	}
	return v
}

// Inputs is empty.
func (e *WindowBound) Inputs() []expr.Expr { return nil }

// WithInputs returns e.
func (e *WindowBound) WithInputs([]expr.Expr) expr.Expr { return e }

// String is window_start or window_end.
func (e *WindowBound) String() string {
	if e.End {
		return "window_end"
	}
	return "window_start"
}
