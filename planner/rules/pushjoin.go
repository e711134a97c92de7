package rules

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// pushIntoSides moves predicates over a join of two equal sides to the side that they read, unless rows of that side may
// be missing in the result: then a predicate on them says something about the missing, too.
func pushIntoSides(n plan.Node, kind plan.JoinKind, conds []expr.Expr) plan.Node {
	in := n.Inputs()
	width := len(in[0].Props().Schema.Columns)
	stay, left, right := split(width, conds)
	if kind == plan.RightOuter || kind == plan.FullOuter {
		stay, left = append(stay, left...), nil
	}
	if kind == plan.LeftOuter || kind == plan.FullOuter {
		stay, right = append(stay, right...), nil
	}
	return filter(plan.Rebuild(n, push(in[0], left), push(in[1], expr.ShiftAll(right, -width))), stay)
}

// pushSideConditions moves the parts of ON that read one side only to that side, where rows without a match do not go out.
func pushSideConditions(n plan.Node, residual *expr.Expr, kind plan.JoinKind) plan.Node {
	if *residual == nil {
		return n
	}
	in := n.Inputs()
	width := len(in[0].Props().Schema.Columns)
	stay, left, right := split(width, expr.Conjuncts(*residual))
	if kind == plan.LeftOuter || kind == plan.FullOuter || kind == plan.Anti {
		stay, left = append(stay, left...), nil
	}
	if kind == plan.RightOuter || kind == plan.FullOuter {
		stay, right = append(stay, right...), nil
	}
	if len(left)+len(right) == 0 {
		return n
	}
	n = withResidual(n, and(stay))
	return plan.Rebuild(n, push(in[0], left), push(in[1], expr.ShiftAll(right, -width)))
}

func withResidual(n plan.Node, residual expr.Expr) plan.Node {
	switch n := n.(type) {
	case *plan.StreamJoin:
		c := *n
		c.Residual = residual
		return plan.Derive(&c)
	case *plan.TableTableJoin:
		c := *n
		c.Residual = residual
		return plan.Derive(&c)
	}
	return n
}
