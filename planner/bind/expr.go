package bind

import (
	"errors"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// env says how names are read at one place of the query.
type env struct {
	sources []*source
	clause  string // for messages: "WHERE"
	// first is asked about every node before the usual rules; ok false leaves the node to them.
	first func(ast.Expr) (e expr.Expr, ok bool, err error)
}

// expr binds an expression.
func (b *binder) expr(e ast.Expr, v env) (expr.Expr, error) {
	if v.first != nil {
		if out, ok, err := v.first(e); ok || err != nil {
			return out, err
		}
	}
	switch e := e.(type) {
	case *ast.Literal:
		return literal(e)
	case *ast.Name:
		return b.nameOf(e, v)
	case *ast.Call:
		return b.call(e, v)
	case *ast.Case:
		return b.caseOf(e, v)
	case *ast.Lambda:
		return nil, ast.Errorf(e.Span, "a lambda stands here").WithHint("it belongs into the brackets of TRANSFORM, FILTER, REDUCE, ANY_MATCH or ALL_MATCH; a JSON path begins with $")
	case *ast.Row:
		return nil, ast.Unsupported(e.Span, "a row of values", "compare the values one by one with AND")
	case *ast.Exists:
		return nil, ast.Unsupported(e.Span, "EXISTS in "+v.clause+" other than as a whole condition", "EXISTS (…) stands in WHERE by itself or beside AND")
	case *ast.ScalarSubquery:
		if x, ok := b.values[e]; ok {
			return x.column, nil
		}
		if b.nested {
			return nil, ast.Unsupported(e.Span, "a sub-query as a value in "+v.clause+" of a sub-query", "join in FROM instead")
		}
		return nil, ast.Unsupported(e.Span, "a sub-query as a value in "+v.clause, "it may stand in the list, in WHERE and in HAVING")
	case *ast.In:
		if e.Query != nil {
			return nil, ast.Unsupported(e.Span, "IN with a sub-query in "+v.clause+" other than as a whole condition", "x IN (SELECT …) stands in WHERE by itself or beside AND")
		}
	}
	args, err := b.exprs(children(e), v)
	if err != nil {
		return nil, err
	}
	out, err := build(e, args)
	return out, placed(e, err)
}

func (b *binder) exprs(es []ast.Expr, v env) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		x, err := b.expr(e, v)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// build makes the node of an operator over its bound arguments.
func build(e ast.Expr, args []expr.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case *ast.Unary:
		return expr.NewUnary(e.Op, args[0])
	case *ast.Binary:
		return expr.NewBinary(e.Op, args[0], args[1])
	case *ast.IsNull:
		out, err := expr.NewIsNull(args[0])
		return negated(out, err, e.Not)
	case *ast.IsTruth:
		out, err := expr.NewIsTruth(args[0], e.Truth)
		return negated(out, err, e.Not)
	case *ast.Between:
		out, err := expr.NewBetween(args[0], args[1], args[2])
		return negated(out, err, e.Not)
	case *ast.In:
		out, err := expr.NewIn(args[0], args[1:])
		return negated(out, err, e.Not)
	case *ast.Like:
		if e.Regexp {
			out, err := expr.NewRegexp(args[0], args[1])
			return negated(out, err, e.Not)
		}
		out, err := expr.NewLike(args[0], args[1], e.Escape)
		return negated(out, err, e.Not)
	case *ast.Cast:
		t, err := catalog.TypeOf(e.Type)
		if err != nil {
			return nil, err
		}
		return expr.NewCast(args[0], t)
	}
	return nil, fmt.Errorf("%T is not an expression that can be computed", e)
}

func negated(e expr.Expr, err error, not bool) (expr.Expr, error) {
	if err != nil || !not {
		return e, err
	}
	return expr.NewUnary("NOT", e)
}

// placed gives an error of package expr its place; what stands behind "; " is the hint.
func placed(e ast.Node, err error) error {
	if err == nil {
		return nil
	}
	var at *ast.Error
	if errors.As(err, &at) {
		return at
	}
	msg, hint, _ := strings.Cut(err.Error(), "; ")
	return &ast.Error{Span: e.Pos(), Msg: msg, Hint: hint}
}

func (b *binder) nameOf(n *ast.Name, v env) (expr.Expr, error) {
	out, err := b.column(n, v.sources)
	if err == nil || len(n.Parts) > 1 {
		return out, err
	}
	if w := windowName(n); w != "" {
		if b.window != nil && b.window.Size > 0 {
			return b.windowBound(w), nil
		}
		return nil, ast.Errorf(n.Span, "%s is not possible in %s", n.Parts[0].Name, v.clause).
			WithHint("it belongs to the result of a WINDOW: use it in SELECT or HAVING of a windowed query")
	}
	return nil, err
}

// windowName is window_start or window_end when n means one of them (ksqlDB writes WINDOWSTART and WINDOWEND).
func windowName(n *ast.Name) string {
	if len(n.Parts) != 1 {
		return ""
	}
	switch strings.ToLower(n.Parts[0].Name) {
	case "window_start", "windowstart":
		return "window_start"
	case "window_end", "windowend":
		return "window_end"
	}
	return ""
}

func (b *binder) call(c *ast.Call, v env) (expr.Expr, error) {
	if b.isAggregate(c) {
		return nil, ast.Errorf(c.Span, "aggregate %s is not possible in %s", c.Name, v.clause).WithHint("use HAVING to filter groups")
	}
	if err := refuseCall(c, v.clause); err != nil {
		return nil, err
	}
	if c.Name == "HEADER" {
		return b.header(c, v.sources)
	}
	args, err := b.arguments(c, v)
	if err != nil {
		return nil, err
	}
	out, err := b.src.Functions.NewCall(c.Name, args)
	if err != nil {
		return nil, placed(c, err)
	}
	b.noteVolatile(c, out)
	return out, nil
}

func refuseCall(c *ast.Call, clause string) error {
	switch {
	case c.Over != nil:
		return ast.Errorf(c.Span, "%s OVER (…) is not possible in %s", c.Name, clause).WithHint("compute it in the list and filter with QUALIFY, or around a sub-query")
	case c.Filter != nil:
		return ast.Errorf(c.Filter.Pos(), "FILTER belongs to an aggregate, %s is none", c.Name)
	case c.Distinct:
		return ast.Errorf(c.Span, "DISTINCT belongs to an aggregate, %s is none", c.Name)
	case c.Star:
		return ast.Errorf(c.Span, "* belongs to COUNT, not to %s", c.Name)
	case c.Name == "ROWTIME":
		return ast.Errorf(c.Span, "unknown function ROWTIME").WithHint("the record's timestamp is _timestamp")
	}
	return nil
}

func (b *binder) caseOf(e *ast.Case, v env) (expr.Expr, error) {
	var operand, otherwise expr.Expr
	var err error
	if e.Operand != nil {
		if operand, err = b.expr(e.Operand, v); err != nil {
			return nil, err
		}
	}
	whens := make([]expr.When, len(e.Whens))
	for i, w := range e.Whens {
		if whens[i].Cond, err = b.expr(w.Cond, v); err != nil {
			return nil, err
		}
		if whens[i].Then, err = b.expr(w.Then, v); err != nil {
			return nil, err
		}
	}
	if e.Else != nil {
		if otherwise, err = b.expr(e.Else, v); err != nil {
			return nil, err
		}
	}
	out, err := expr.NewCase(operand, whens, otherwise)
	return out, placed(e, err)
}

// condition binds a predicate.
func (b *binder) condition(e ast.Expr, v env) (expr.Expr, error) {
	x, err := b.expr(e, v)
	if err != nil {
		return nil, err
	}
	out, err := expr.Condition(x)
	return out, placed(e, err)
}

func literal(l *ast.Literal) (expr.Expr, error) {
	constOf := func(v types.Value, t types.Type) (expr.Expr, error) {
		k, err := expr.NewConst(v, t)
		if err != nil {
			return nil, placed(l, err)
		}
		return k, nil
	}
	text := types.Value{Kind: types.Varchar, S: l.Text}
	switch l.Kind {
	case ast.NullLiteral:
		return expr.NullOf(types.TNull), nil
	case ast.BoolLiteral:
		v := types.Value{Kind: types.Boolean}
		if strings.EqualFold(l.Text, "true") {
			v.I = 1
		}
		return expr.Literal(v), nil
	case ast.IntLiteral, ast.DecimalLiteral, ast.FloatLiteral:
		k, err := expr.NumberLiteral(l.Text)
		if err != nil {
			return nil, placed(l, err)
		}
		return k, nil
	case ast.StringLiteral:
		return expr.Literal(text), nil
	case ast.HexLiteral:
		return expr.Literal(types.Value{Kind: types.Varbinary, S: l.Text}), nil
	case ast.DateLiteral:
		return constOf(text, types.TDate)
	case ast.TimeLiteral:
		return constOf(text, types.Type{Kind: types.Time, Precision: 6})
	case ast.TimestampLiteral:
		return constOf(text, types.Type{Kind: types.Timestamp, Precision: 6})
	case ast.IntervalLiteral:
		n := expr.Expr(expr.Literal(text))
		if k, err := expr.NumberLiteral(l.Text); err == nil {
			n = k
		}
		iv, err := expr.NewInterval(n, l.Unit)
		if err != nil {
			return nil, placed(l, err)
		}
		return iv, nil
	}
	return nil, ast.Errorf(l.Span, "unknown literal %q", l.Text)
}
