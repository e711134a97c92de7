package rules

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// MergeProjects makes one projection of two that follow each other, unless that would compute something twice, and drops
// those that change nothing.
func MergeProjects(n plan.Node) plan.Node {
	return plan.Rewrite(n, func(n plan.Node) plan.Node {
		p, ok := n.(*plan.Project)
		if !ok {
			return n
		}
		below, ok := p.Input.(*plan.Project)
		if ok && once(p, below) {
			out := make([]plan.Named, len(p.Exprs))
			for i, e := range p.Exprs {
				out[i] = plan.Named{Name: e.Name, Expr: substitute(e.Expr, below.Exprs)}
			}
			p = plan.Derive(&plan.Project{Input: below.Input, Exprs: out}).(*plan.Project)
		}
		if changesNothing(p) {
			return p.Input
		}
		return p
	})
}

// once says whether each expression of below that costs something, or gives another value each time, is read at most once.
func once(p, below *plan.Project) bool {
	reads := make([]int, len(below.Exprs))
	for _, e := range p.Exprs {
		count(e.Expr, reads)
	}
	for i, e := range below.Exprs {
		switch e.Expr.(type) {
		case *expr.Column, *expr.Const:
			continue
		}
		if reads[i] > 1 {
			return false
		}
	}
	return true
}

func count(e expr.Expr, reads []int) {
	if c, ok := e.(*expr.Column); ok {
		reads[c.Index]++
	}
	for _, x := range e.Inputs() {
		count(x, reads)
	}
}

func changesNothing(p *plan.Project) bool {
	in := p.Input.Props().Schema
	if len(p.Exprs) != len(in.Columns) {
		return false
	}
	for i, e := range p.Exprs {
		c, ok := e.Expr.(*expr.Column)
		if !ok || c.Index != i || e.Name != in.Columns[i].Name {
			return false
		}
	}
	return true
}
