package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// where keeps the rows of n for which a condition is true. One on the number of a row (ROW_NUMBER() OVER (…) <= 10), over rows
// that change or in another order than that of time, makes the first rows all that is kept: then they have a key, too.
func where(n plan.Node, cond expr.Expr) plan.Node {
	conds := expr.Conjuncts(cond)
	for _, c := range conds {
		at, ok := compared(c)
		if !ok {
			continue
		}
		limit, rest := limitOf(conds, at)
		if limit < 0 {
			continue
		}
		if top, ok := firstRows(n, at, limit); ok {
			return keeping(top, rest)
		}
	}
	return plan.Derive(&plan.Filter{Input: n, Cond: cond})
}

// keeping is n with conditions over it, if there are any.
func keeping(n plan.Node, conds []expr.Expr) plan.Node {
	for _, c := range conds {
		n = plan.Derive(&plan.Filter{Input: n, Cond: c})
	}
	return n
}

// compared is the column that a condition compares with a constant.
func compared(c expr.Expr) (at int, ok bool) {
	cmp, ok := expr.AsComparison(c)
	if !ok {
		return 0, false
	}
	for _, side := range []expr.Expr{cmp.Left, cmp.Right} {
		if c, ok := expr.Uncast(side).(*expr.Column); ok {
			return c.Index, true
		}
	}
	return 0, false
}

// firstRows is n with the Over whose ranking is column at of n made a TopN; ok false when the column is no such thing.
func firstRows(n plan.Node, at int, limit int64) (plan.Node, bool) {
	switch n := n.(type) {
	case *plan.Project:
		c, ok := n.Exprs[at].Expr.(*expr.Column)
		if !ok {
			return nil, false
		}
		in, ok := firstRows(n.Input, c.Index, limit)
		if !ok {
			return nil, false
		}
		return plan.Rebuild(n, in), true
	case *plan.Over:
		if n.InOrder || len(n.Calls) != 1 || at != len(n.Input.Props().Schema.Columns) {
			return nil, false
		}
		ranking, ok := rankings[n.Calls[0].Func]
		return plan.Derive(&plan.TopN{
			Name: "top", Input: n.Input, Partition: n.Partition, Order: n.Order, Ranking: ranking, N: limit, Column: n.Calls[0].Name,
		}), ok
	}
	return nil, false
}

var rankings = map[string]plan.Ranking{"ROW_NUMBER": plan.RowNumber, "RANK": plan.Rank, "DENSE_RANK": plan.DenseRank}

// limitOf is the largest number that conditions let through, -1: any; and the conditions that it does not stand for.
func limitOf(conds []expr.Expr, number int) (limit int64, rest []expr.Expr) {
	limit = -1
	for _, c := range conds {
		most, whole, ok := atMost(c, number)
		if !ok {
			rest = append(rest, c)
			continue
		}
		if limit < 0 || most < limit {
			limit = most
		}
		if !whole {
			rest = append(rest, c)
		}
	}
	return limit, rest
}

// atMost reads number <= k, < k and = k. whole: the limit says all that the condition does.
func atMost(c expr.Expr, number int) (most int64, whole, ok bool) {
	cmp, ok := expr.AsComparison(c)
	if !ok {
		return 0, false, false
	}
	if cmp.Equal && !isColumn(cmp.Left, number) {
		cmp.Left, cmp.Right = cmp.Right, cmp.Left
	}
	k, constant := cmp.Right.(*expr.Const)
	if !constant || k.Value.Kind != types.Int || !isColumn(cmp.Left, number) {
		return 0, false, false
	}
	switch most = max(k.Value.I, 0); {
	case cmp.Equal:
		return most, most == 1, true
	case cmp.Strict:
		return max(most-1, 0), true, true
	}
	return most, true, true
}

func isColumn(e expr.Expr, at int) bool {
	c, ok := expr.Uncast(e).(*expr.Column)
	return ok && c.Index == at
}
