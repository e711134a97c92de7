package rules

import (
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// pruneSides prunes both inputs of a join of two equal sides to what is needed above it, by its condition, and to name rows.
func (p *pruner) pruneSides(left, right plan.Node, need set, keys [2][]expr.Expr, residual expr.Expr) (l, r plan.Node, at, lat, rat moved) {
	width := len(left.Props().Schema.Columns)
	all := need.copy()
	all.read(residual)
	sides := [2]set{{}, {}}
	for i := range all {
		if i < width {
			sides[0][i] = true
		} else {
			sides[1][i-width] = true
		}
	}
	for s, n := range []plan.Node{left, right} {
		sides[s].read(keys[s]...)
		sides[s].add(n.Props().Schema.Key...)
	}
	l, lat = p.narrow(left, sides[0])
	r, rat = p.narrow(right, sides[1])
	at = moved{}
	for i, to := range lat {
		at[i] = to
	}
	for i, to := range rat {
		at[width+i] = len(l.Props().Schema.Columns) + to
	}
	return l, r, at, lat, rat
}

func (p *pruner) pruneStreamJoin(n *plan.StreamJoin, need set) (plan.Node, moved) {
	c := *n
	var at, lat, rat moved
	c.Left, c.Right, at, lat, rat = p.pruneSides(n.Left, n.Right, need, [2][]expr.Expr{n.LeftKeys, n.RightKeys}, n.Residual)
	c.LeftKeys, c.RightKeys, c.Residual = lat.exprs(n.LeftKeys), rat.exprs(n.RightKeys), at.expr(n.Residual)
	return plan.Derive(&c), at
}

func (p *pruner) pruneTableTable(n *plan.TableTableJoin, need set) (plan.Node, moved) {
	c := *n
	var at, lat, rat moved
	c.Left, c.Right, at, lat, rat = p.pruneSides(n.Left, n.Right, need, [2][]expr.Expr{n.LeftKeys, n.RightKeys}, n.Residual)
	c.LeftKeys, c.RightKeys, c.Residual = lat.exprs(n.LeftKeys), rat.exprs(n.RightKeys), at.expr(n.Residual)
	return plan.Derive(&c), at
}

// pruneUnion gives all parts the same columns: those in need, in order.
func (p *pruner) pruneUnion(n *plan.Union, need set) (plan.Node, moved) {
	all := need.copy()
	if len(all) == 0 {
		all.add(0) // rows that are only counted need a column to be rows
	}
	order := make([]int, 0, len(all))
	for i := range all {
		order = append(order, i)
	}
	slices.Sort(order)
	at := moved{}
	for k, i := range order {
		at[i] = k
	}
	return eachPart(n, func(part plan.Node) plan.Node {
		in, to := p.prune(part, all)
		columns := in.Props().Schema.Columns
		var kept []plan.Named
		for _, i := range order {
			c := columns[to[i]]
			kept = append(kept, plan.Named{Name: n.P.Schema.Columns[i].Name, Expr: &expr.Column{Index: to[i], Name: c.Name, Typ: c.Type}})
		}
		return plan.Derive(&plan.Project{Input: in, Exprs: kept})
	}), at
}
