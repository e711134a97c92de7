package rules

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// PushFilters moves predicates towards the sources, so that fewer rows are shuffled and kept. What it may not do
// (semantics S6): pass the right side of a LEFT JOIN; pass a DISTINCT unless the predicate reads its keys only. On the
// table side of an inner join a row that fails becomes a tombstone: plan.Filter does that over Upserts. A predicate that is
// not deterministic stays where it was written, and one that can fail does not leave a predicate before it that guards it
// (n <> 0 AND CAST(x AS BIGINT) > n).
func PushFilters(n plan.Node) plan.Node {
	in := n.Inputs()
	out := make([]plan.Node, len(in))
	for i, x := range in {
		out[i] = PushFilters(x)
	}
	n = plan.Rebuild(n, out...)
	switch n := n.(type) {
	case *plan.Filter:
		return push(n.Input, expr.Conjuncts(n.Cond))
	case *plan.TableJoin:
		return pushResidual(n)
	case *plan.StreamJoin:
		return pushSideConditions(n, &n.Residual, n.Kind)
	case *plan.TableTableJoin:
		return pushSideConditions(n, &n.Residual, n.Kind)
	}
	return n
}

// push puts predicates over n, each as deep as it may go.
func push(n plan.Node, conds []expr.Expr) plan.Node {
	if len(conds) == 0 {
		return n
	}
	switch n := n.(type) {
	case *plan.Filter:
		return push(n.Input, append(expr.Conjuncts(n.Cond), conds...))
	case *plan.Project:
		stay, down := part(conds, func(c expr.Expr) bool { return deterministicProject(n, c) })
		for i, c := range down {
			down[i] = substitute(c, n.Exprs)
		}
		return filter(plan.Rebuild(n, push(n.Input, down)), stay)
	case *plan.Distinct:
		stay, down := part(conds, func(c expr.Expr) bool { return readsColumnsOf(n.On, c) })
		return filter(plan.Rebuild(n, push(n.Input, down)), stay)
	case *plan.Over:
		stay, down := part(conds, func(c expr.Expr) bool { return readsColumnsOf(n.Partition, c) })
		return filter(plan.Rebuild(n, push(n.Input, down)), stay)
	case *plan.Unnest:
		width := len(n.Input.Props().Schema.Columns)
		stay, down := part(conds, func(c expr.Expr) bool { at := expr.Columns(c); return len(at) > 0 && at[len(at)-1] < width })
		return filter(plan.Rebuild(n, push(n.Input, down)), stay)
	case *plan.Union:
		return eachPart(n, func(p plan.Node) plan.Node { return push(p, conds) })
	case *plan.Materialize:
		stay, down := part(conds, func(expr.Expr) bool { return true })
		return filter(plan.Rebuild(n, push(n.Input, down)), stay)
	case *plan.StreamJoin:
		return pushIntoSides(n, n.Kind, conds)
	case *plan.TableTableJoin:
		return pushIntoSides(n, n.Kind, conds)
	case *plan.TableJoin:
		stay, stream, table := split(len(n.Stream.Props().Schema.Columns), conds)
		if n.Left {
			stay, table = append(stay, table...), nil
		}
		if n.Broadcast && !n.Left && allDeterministic(stay) {
			return pushSides(admit(n, stay), stream, table)
		}
		return filter(pushSides(n, stream, table), stay)
	}
	return filter(n, conds)
}

// admit makes predicates over a broadcast join a part of its condition, so that it does not send on the pairs that fail.
func admit(n *plan.TableJoin, conds []expr.Expr) *plan.TableJoin {
	if len(conds) == 0 {
		return n
	}
	c := *n
	if n.Residual != nil {
		conds = append(expr.Conjuncts(n.Residual), conds...)
	}
	c.Residual = and(conds)
	return plan.Derive(&c).(*plan.TableJoin)
}

func allDeterministic(conds []expr.Expr) bool {
	for _, c := range conds {
		if !expr.Deterministic(c) {
			return false
		}
	}
	return true
}

// pushResidual moves parts of an inner join's ON condition to the side that they read.
func pushResidual(n *plan.TableJoin) plan.Node {
	if n.Residual == nil || n.Left {
		return n
	}
	stay, stream, table := split(len(n.Stream.Props().Schema.Columns), expr.Conjuncts(n.Residual))
	if len(stream)+len(table) == 0 {
		return n
	}
	c := *n
	c.Residual = and(stay)
	return pushSides(plan.Derive(&c).(*plan.TableJoin), stream, table)
}

func pushSides(n *plan.TableJoin, stream, table []expr.Expr) plan.Node {
	width := len(n.Stream.Props().Schema.Columns)
	for i, c := range table {
		table[i] = expr.Shift(c, -width)
	}
	return plan.Rebuild(n, push(n.Stream, stream), push(n.Table, table))
}

// split sorts predicates over a join by the side they read: the left one has width columns. Those that read both, none, or
// are not deterministic stay.
func split(width int, conds []expr.Expr) (stay, stream, table []expr.Expr) {
	for i, c := range conds {
		at := expr.Columns(c)
		switch {
		case len(at) == 0 || !expr.Deterministic(c):
			stay = append(stay, c)
		case at[len(at)-1] < width && (len(stream) == i || !expr.MayFail(c)):
			stream = append(stream, c)
		case at[0] >= width && !expr.MayFail(c):
			table = append(table, c)
		default:
			stay = append(stay, c)
		}
	}
	return stay, stream, table
}

func part(conds []expr.Expr, may func(expr.Expr) bool) (stay, down []expr.Expr) {
	for i, c := range conds {
		if expr.Deterministic(c) && may(c) && (len(down) == i || !expr.MayFail(c)) {
			down = append(down, c)
		} else {
			stay = append(stay, c)
		}
	}
	return stay, down
}

func deterministicProject(n *plan.Project, cond expr.Expr) bool {
	for _, i := range expr.Columns(cond) {
		if !expr.Deterministic(n.Exprs[i].Expr) {
			return false
		}
	}
	return true
}

// readsColumnsOf says whether a predicate reads columns that are among some expressions, and no others.
func readsColumnsOf(keys []expr.Expr, cond expr.Expr) bool {
	for _, i := range expr.Columns(cond) {
		found := false
		for _, on := range keys {
			c, ok := on.(*expr.Column)
			found = found || ok && c.Index == i
		}
		if !found {
			return false
		}
	}
	return len(expr.Columns(cond)) > 0
}

func substitute(e expr.Expr, by []plan.Named) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if c, ok := x.(*expr.Column); ok {
			return by[c.Index].Expr
		}
		return x
	})
}

func filter(n plan.Node, conds []expr.Expr) plan.Node {
	if len(conds) == 0 {
		return n
	}
	return plan.Derive(&plan.Filter{Input: n, Cond: and(conds)})
}

func and(conds []expr.Expr) expr.Expr {
	var out expr.Expr
	for _, c := range conds {
		if out == nil {
			out = c
			continue
		}
		both, err := expr.NewBinary("AND", out, c)
		if err != nil {
			panic("rules: AND of two conditions: " + err.Error()) // both are conditions already
		}
		out = both
	}
	return out
}
