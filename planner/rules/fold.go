package rules

import (
	"time"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Fold computes what is constant once, while planning. A constant that cannot be computed stays as it is: its rows fail
// when they come. A filter that is always true goes.
func Fold(n plan.Node) plan.Node {
	return plan.Rewrite(n, func(n plan.Node) plan.Node {
		switch n := n.(type) {
		case *plan.Filter:
			return filter(n.Input, folded(n.Cond))
		case *plan.Project:
			c := *n
			c.Exprs = make([]plan.Named, len(n.Exprs))
			for i, e := range n.Exprs {
				c.Exprs[i] = plan.Named{Name: e.Name, Expr: fold(e.Expr)}
			}
			return plan.Derive(&c)
		case *plan.TableJoin:
			c := *n
			c.Residual = and(folded(n.Residual))
			return plan.Derive(&c)
		case *plan.StreamJoin:
			c := *n
			c.Residual = and(folded(n.Residual))
			return plan.Derive(&c)
		case *plan.TableTableJoin:
			c := *n
			c.Residual = and(folded(n.Residual))
			return plan.Derive(&c)
		case *plan.Aggregate:
			c := *n
			c.Having = and(folded(n.Having))
			return plan.Derive(&c)
		}
		return n
	})
}

// folded are the parts of a condition that are not always true.
func folded(cond expr.Expr) []expr.Expr {
	if cond == nil {
		return nil
	}
	var out []expr.Expr
	for _, c := range expr.Conjuncts(fold(cond)) {
		if k, ok := c.(*expr.Const); ok && k.Value.Kind == types.Boolean && k.Value.I != 0 {
			continue
		}
		out = append(out, c)
	}
	return out
}

func fold(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if _, done := x.(*expr.Const); done || !foldable(x) {
			return x
		}
		v, err := expr.Evaluate(x, func() time.Time { return time.Time{} }) // nothing that is folded asks for the time
		if err != nil {
			return x
		}
		k, err := expr.NewConst(v, x.Type())
		if err != nil || !k.Type().Equal(x.Type()) {
			return x
		}
		return k
	})
}

func foldable(e expr.Expr) bool {
	ok := expr.IsConst(e) && e.Type().Kind != types.Null && !e.Type().Nested()
	expr.Walk(e, func(x expr.Expr) {
		switch x.(type) {
		case *plan.WindowBound, *expr.Interval:
			ok = false
		}
	})
	return ok
}
