package optest

import (
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Col is column i.
func Col(i int, t types.Type) expr.Expr { return &expr.Column{Index: i, Name: "c", Typ: t} }

// Func is an expression that calls F for each row; an error is a row that cannot be computed.
type Func struct {
	T types.Type
	F func(vals []any) (any, error)
}

var _ expr.Expr = (*Func)(nil)

// Type implements expr.Expr.
func (f *Func) Type() types.Type { return f.T }

// Eval implements expr.Expr.
func (f *Func) Eval(ctx *expr.Ctx, b *vector.Batch) *vector.Vector {
	out := vector.New(f.T, b.N)
	vals := make([]any, len(b.Cols))
	for i := range b.N {
		for c, v := range b.Cols {
			vals[c] = plain(v.Value(i))
		}
		x, err := f.F(vals)
		if err != nil {
			ctx.Fail(i, err)
			x = nil
		}
		out.Append(value(f.T, x))
	}
	return out
}

// Inputs implements expr.Expr.
func (f *Func) Inputs() []expr.Expr { return nil }

// WithInputs implements expr.Expr.
func (f *Func) WithInputs([]expr.Expr) expr.Expr { return f }

// String implements expr.Expr.
func (f *Func) String() string { return "func" }
