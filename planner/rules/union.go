package rules

import "github.com/streamsql-go/streamsql/planner/plan"

// LiftUnions moves projections and filters into the parts of the union below them, so that a union stands right below what
// brings its rows together: a shuffle, or the result. Each part is then a fragment of its own, with a task per (topic,
// partition) (semantics S8).
func LiftUnions(n plan.Node) plan.Node {
	return plan.Rewrite(n, func(n plan.Node) plan.Node {
		switch n.(type) {
		case *plan.Project, *plan.Filter:
		case *plan.Union:
			return flat(n)
		default:
			return n
		}
		u, ok := n.Inputs()[0].(*plan.Union)
		if !ok {
			return n
		}
		return eachPart(u, func(p plan.Node) plan.Node { return plan.Derive(n.WithInputs([]plan.Node{p})) })
	})
}

// flat takes the parts of unions inside a union into it.
func flat(n plan.Node) plan.Node {
	var parts []plan.Node
	for _, p := range n.Inputs() {
		if u, ok := p.(*plan.Union); ok {
			parts = append(parts, u.Parts...)
			continue
		}
		parts = append(parts, p)
	}
	return plan.Derive(&plan.Union{Parts: parts})
}

func eachPart(u *plan.Union, f func(plan.Node) plan.Node) plan.Node {
	parts := make([]plan.Node, len(u.Parts))
	for i, p := range u.Parts {
		parts[i] = f(p)
	}
	return plan.Derive(&plan.Union{Parts: parts})
}
