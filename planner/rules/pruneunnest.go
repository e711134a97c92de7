package rules

import "github.com/streamsql-go/streamsql/planner/plan"

// pruneUnnest keeps all columns of the element.
func (p *pruner) pruneUnnest(n *plan.Unnest, need set) (plan.Node, moved) {
	width := len(n.Input.Props().Schema.Columns)
	all := set{}
	for i := range need {
		if i < width {
			all[i] = true
		}
	}
	all.read(n.Expr)
	c := *n
	var at moved
	c.Input, at = p.prune(n.Input, all)
	c.Expr = at.expr(n.Expr)
	for i := range n.Columns {
		at[width+i] = len(c.Input.Props().Schema.Columns) + i
	}
	return plan.Derive(&c), at
}
