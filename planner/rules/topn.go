package rules

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// TopN makes a filter on the number of a row (ROW_NUMBER() OVER (…) <= 10) over rows that change, or in another order than that of
// time, keep the first rows only: what cannot be among them is not kept.
func TopN(n plan.Node) plan.Node {
	return plan.Rewrite(n, func(n plan.Node) plan.Node {
		f, ok := n.(*plan.Filter)
		if !ok {
			return n
		}
		o, ok := f.Input.(*plan.Over)
		if !ok || o.InOrder || len(o.Calls) != 1 {
			return n
		}
		ranking, ok := rankings[o.Calls[0].Func]
		if !ok {
			return n
		}
		at := len(o.Input.Props().Schema.Columns)
		limit, rest := limitOf(expr.Conjuncts(f.Cond), at)
		if limit < 0 {
			return n
		}
		return filter(plan.Derive(&plan.TopN{
			Name: "top", Input: o.Input, Partition: o.Partition, Order: o.Order, Ranking: ranking, N: limit, Column: o.Calls[0].Name,
		}), rest)
	})
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
