package bind

import (
	"strconv"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
)

func orderOf(q ast.Query) []ast.Order {
	switch q := q.(type) {
	case *ast.Select:
		return q.OrderBy
	case *ast.SetOp:
		return q.OrderBy
	}
	return nil
}

// order resolves ORDER BY over the result: a position, the name of a column of the list, or an expression of it.
func (o *output) order(keys []ast.Order) ([]plan.RowOrder, error) {
	var out []plan.RowOrder
	columns := o.visible()
	for _, k := range keys {
		at, ok := o.keys[k.Expr]
		if !ok {
			at = -1
		}
		switch e := k.Expr.(type) {
		case *ast.Literal:
			n, err := strconv.Atoi(e.Text)
			if e.Kind != ast.IntLiteral || err != nil || n < 1 || n > len(columns) {
				return nil, ast.Errorf(e.Span, "ORDER BY %s: there is no such column in the list", e.Text).WithHint("positions are 1 to %d", len(columns))
			}
			at = n - 1
		case *ast.Name:
			if len(e.Parts) == 1 {
				at = indexOf(columns, last(e))
			}
		}
		if at < 0 {
			return nil, ast.Errorf(k.Expr.Pos(), "ORDER BY takes columns of the list").WithHint("select it: … AS name, and ORDER BY name")
		}
		if c := columns[at]; c.Type.Nested() {
			return nil, nestedKey(k.Expr.Pos(), "ORDER BY", &expr.Column{Name: c.Name, Typ: c.Type})
		}
		out = append(out, plan.RowOrder{Column: at, Desc: k.Desc})
	}
	return out, nil
}

// sortKeys binds the expressions of ORDER BY that may be those of the list: a name after an alias, or anything computed. What
// cannot be bound is not in the list.
func (b *binder) sortKeys(keys []ast.Order, v env) map[ast.Expr]expr.Expr {
	out := map[ast.Expr]expr.Expr{}
	for _, k := range keys {
		n, name := k.Expr.(*ast.Name)
		if _, position := k.Expr.(*ast.Literal); position || name && len(n.Parts) == 1 {
			continue
		}
		if x, err := b.expr(k.Expr, v); err == nil {
			out[k.Expr] = x
		}
	}
	return out
}

// listed says where in the list sort keys are.
func listed(keys map[ast.Expr]expr.Expr, items []plan.Named) map[ast.Expr]int {
	out := map[ast.Expr]int{}
	for k, x := range keys {
		for i, it := range items {
			if _, have := out[k]; !have && plan.SameExpr(it.Expr, x) {
				out[k] = i
			}
		}
	}
	return out
}
