package bind

import (
	"errors"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
)

func (b *binder) isAggregate(c *ast.Call) bool {
	return c.Over == nil && b.src.Functions.IsAggregate(c.Name)
}

// newAggregate binds an aggregate call; its arguments are over the rows that are grouped.
func (b *binder) newAggregate(c *ast.Call, v env) (*expr.Aggregate, error) {
	switch {
	case c.Star && c.Name != "COUNT":
		return nil, ast.Errorf(c.Span, "* belongs to COUNT, not to %s", c.Name)
	case len(c.Args) == 0 && !c.Star:
		return nil, ast.Errorf(c.Span, "%s needs an argument", c.Name).WithHint("COUNT(*) counts rows")
	}
	around := v.first // of a call with OVER over groups: their aggregates are its rows' columns
	v.first = func(e ast.Expr) (expr.Expr, bool, error) {
		if around != nil {
			return around(e)
		}
		if inner, ok := e.(*ast.Call); ok && b.isAggregate(inner) {
			return nil, false, ast.Errorf(inner.Span, "aggregate %s inside aggregate %s", inner.Name, c.Name)
		}
		return nil, false, nil
	}
	args, err := b.exprs(c.Args, v)
	if err != nil {
		return nil, err
	}
	call := expr.Aggregate{Func: c.Name, Arg: args, Distinct: c.Distinct, Separator: c.Separator}
	for _, o := range c.OrderBy {
		x, err := b.expr(o.Expr, v)
		if err != nil {
			return nil, err
		}
		call.OrderBy = append(call.OrderBy, expr.AggregateOrder{Expr: x, Desc: o.Desc})
	}
	if c.Filter != nil {
		if call.Filter, err = b.condition(c.Filter, v); err != nil {
			return nil, err
		}
	}
	out, err := b.src.Functions.NewAggregate(call)
	return out, unsupported(c, err)
}

// arguments binds the arguments of a function; lambdas are bound later, when the function knows their parameters.
func (b *binder) arguments(c *ast.Call, v env) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(c.Args))
	for i, a := range c.Args {
		if l, ok := a.(*ast.Lambda); ok {
			out[i] = b.lambda(l, v)
			continue
		}
		x, err := b.expr(a, v)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// lambda binds x -> body over the names of v and, before them, its parameters.
func (b *binder) lambda(l *ast.Lambda, v env) *expr.Lambda {
	out := &expr.Lambda{}
	for _, p := range l.Params {
		out.Params = append(out.Params, p.Name)
	}
	out.Bind = func(params []expr.Expr) (expr.Expr, error) {
		inner := v
		inner.first = func(e ast.Expr) (expr.Expr, bool, error) {
			if n, ok := e.(*ast.Name); ok {
				for i, p := range l.Params {
					if strings.EqualFold(p.Name, n.Parts[0].Name) {
						x, err := b.member(params[i], n.Parts[1:])
						return x, true, err
					}
				}
			}
			if v.first != nil {
				return v.first(e)
			}
			return nil, false, nil
		}
		return b.expr(l.Body, inner)
	}
	return out
}

// unsupported turns package expr's refusals into the dialect's one typed error.
func unsupported(at ast.Node, err error) error {
	var u *expr.UnsupportedError
	if errors.As(err, &u) {
		return ast.Unsupported(at.Pos(), u.Feature, u.Hint)
	}
	return placed(at, err)
}

func sameAggregate(a, b *expr.Aggregate) bool {
	x, y := a.Inputs(), b.Inputs()
	if a.String() != b.String() || len(x) != len(y) {
		return false
	}
	for i := range x {
		if !plan.SameExpr(x[i], y[i]) {
			return false
		}
	}
	return true
}
