package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Lambda is (x, y) -> body as an argument of NewCall, before the function has said what its parameters are. It is no value:
// no bound expression holds one.
type Lambda struct {
	Params []string
	// Bind binds the body, in which the parameters' names mean these expressions.
	Bind func(params []Expr) (Expr, error)
}

// Type is that of NULL.
func (l *Lambda) Type() types.Type { return types.TNull }

// Eval is not possible: NewCall takes lambdas apart.
func (l *Lambda) Eval(*Ctx, *vector.Batch) *vector.Vector { panic("a lambda is no value") }

// Inputs is empty: the body is not bound yet.
func (l *Lambda) Inputs() []Expr { return nil }

// WithInputs returns l.
func (l *Lambda) WithInputs([]Expr) Expr { return l }

// String names the parameters.
func (l *Lambda) String() string { return "(" + strings.Join(l.Params, ", ") + ") -> …" }

// Param is a parameter of a lambda inside its body. Its value is in Ctx while the body is evaluated.
type Param struct {
	Name string
	Typ  types.Type
}

// Type is the parameter's type.
func (p *Param) Type() types.Type { return p.Typ }

// Eval is the value the enclosing function has given it.
func (p *Param) Eval(ctx *Ctx, _ *vector.Batch) *vector.Vector { return ctx.params[p] }

// Inputs is empty.
func (p *Param) Inputs() []Expr { return nil }

// WithInputs returns p.
func (p *Param) WithInputs([]Expr) Expr { return p }

// String is :name, which no column's name is.
func (p *Param) String() string { return ":" + p.Name }

// closure is a lambda with its body bound.
type closure struct {
	params []*Param
	body   Expr
	// columns and outer are what the body reads from outside: columns of the input, parameters of enclosing lambdas.
	columns []int
	outer   []*Param
}

// closureOf binds argument x, which must be a lambda of at least lo parameters, to the types of its parameters. It may name
// fewer than there are types.
func closureOf(x Expr, lo int, ts ...types.Type) (closure, error) {
	l, ok := x.(*Lambda)
	if !ok {
		return closure{}, fmt.Errorf("%s is not a lambda; write x -> expression", x)
	}
	if len(l.Params) < lo || len(l.Params) > len(ts) {
		return closure{}, fmt.Errorf("the lambda %s has %d parameters, not %s", l, len(l.Params), counted(lo, len(ts)))
	}
	var c closure
	names := make([]Expr, len(l.Params))
	for i, name := range l.Params {
		if slices.Contains(l.Params[:i], name) {
			return closure{}, fmt.Errorf("the lambda %s has two parameters %s", l, name)
		}
		p := &Param{Name: name, Typ: ts[i]}
		c.params, names[i] = append(c.params, p), p
	}
	body, err := l.Bind(names)
	if err != nil {
		return closure{}, err
	}
	return c.with(body), nil
}

// with is the closure with another body over the same parameters.
func (c closure) with(body Expr) closure {
	c.body, c.columns, c.outer = body, Columns(body), nil
	inner := slices.Clone(c.params)
	Walk(body, func(x Expr) {
		if h, ok := x.(*higher); ok {
			for _, f := range h.lambdas {
				inner = append(inner, f.params...)
			}
		}
	})
	Walk(body, func(x Expr) {
		if p, ok := x.(*Param); ok && !slices.Contains(inner, p) && !slices.Contains(c.outer, p) {
			c.outer = append(c.outer, p)
		}
	})
	return c
}

func (c closure) String() string {
	names := make([]string, len(c.params))
	for i, p := range c.params {
		names[i] = p.String()
	}
	head := strings.Join(names, ", ")
	if len(names) != 1 {
		head = "(" + head + ")"
	}
	return head + " -> " + c.body.String()
}

// frame is the memory of one closure from batch to batch: what its body reads from outside, a row per evaluation.
type frame struct {
	batch vector.Batch
	cols  []*vector.Vector
	outer []*vector.Vector
	saved []*vector.Vector
}

// eval computes the body once per entry of rows, the row of b that it belongs to; args are the parameters' values, one per
// entry. A failure is one of its row, whose null it sets.
func (c closure) eval(ctx *Ctx, f *frame, b *vector.Batch, rows []int32, null []bool, args ...*vector.Vector) *vector.Vector {
	if ctx.params == nil {
		ctx.params = map[*Param]*vector.Vector{}
	}
	f.batch.N = len(rows)
	if len(c.columns) > 0 {
		f.batch.Cols = sized(f.batch.Cols, c.columns[len(c.columns)-1]+1)
	}
	for i, at := range c.columns {
		if i == len(f.cols) {
			f.cols = append(f.cols, &vector.Vector{})
		}
		f.batch.Cols[at] = regather(f.cols[i], b.Cols[at], rows)
	}
	f.saved = f.saved[:0]
	for i, p := range c.outer {
		if i == len(f.outer) {
			f.outer = append(f.outer, &vector.Vector{})
		}
		f.saved = append(f.saved, ctx.params[p])
		ctx.params[p] = regather(f.outer[i], ctx.params[p], rows)
	}
	for i, p := range c.params {
		ctx.params[p] = args[i]
	}
	v, failed := ctx.evalApart(c.body, &f.batch)
	if len(failed) > 0 {
		for i, row := range rows { // in order: the first failure of a row stays
			if err, ok := failed[i]; ok {
				null[row] = true
				ctx.Fail(int(row), err)
			}
		}
	}
	for i, p := range c.outer {
		ctx.params[p] = f.saved[i]
	}
	return v
}

// regather fills dst with the given rows of src.
func regather(dst, src *vector.Vector, rows []int32) *vector.Vector {
	dst.Type = src.Type
	dst.Reset()
	dst.AppendSelect(src, rows)
	return dst
}
