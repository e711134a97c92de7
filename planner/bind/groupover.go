package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// groupOvers are the calls with OVER beside GROUP BY, which are computed over the rows of the groups, after HAVING (MySQL manual, "Window
// Function Concepts and Syntax"). They are bound before the columns of those rows are known.
type groupOvers struct {
	of    *overs
	bound []groupOver
}

type groupOver struct {
	c    *ast.Call
	n    *plan.Over
	call plan.OverCall
}

func (g *groups) bindOvers() error {
	o := &overs{b: g.b, s: g.s, at: map[*ast.Call]int{}}
	g.over.of = o
	calls, err := o.calls()
	if err != nil {
		return err
	}
	for _, c := range calls {
		n, call, err := o.bind(c, env{sources: g.b.sources, clause: "OVER", first: g.first})
		if err != nil {
			return err
		}
		g.over.bound = append(g.over.bound, groupOver{c, n, call})
	}
	return nil
}

// first reads a call with OVER as the column that it will be.
func (g *groupOvers) first(c *ast.Call) (expr.Expr, bool, error) {
	for i := range g.bound {
		if x := &g.bound[i]; x.c == c {
			return &result{Column: expr.Column{Name: x.call.Name, Typ: x.call.Type}, over: c}, true, nil
		}
	}
	return nil, false, ast.Errorf(c.Span, "a call with OVER inside another one")
}

// placeOvers are the rows of the groups with the calls' columns behind them, and of those the ones for which QUALIFY (nil: there is none)
// is true.
func (g *groups) placeOvers(a plan.Node, qualify expr.Expr) (plan.Node, error) {
	if len(g.over.bound) == 0 {
		return a, nil
	}
	o := g.over.of
	o.node = deltas(a)
	for _, x := range g.over.bound {
		n, call := *x.n, x.call
		n.Partition, n.Order = nil, nil
		for _, p := range x.n.Partition {
			n.Partition = append(n.Partition, g.settle(p))
		}
		for _, k := range x.n.Order {
			n.Order = append(n.Order, plan.SortKey{Expr: g.settle(k.Expr), Desc: k.Desc})
		}
		call.Arg, call.Default = g.settle(call.Arg), g.settle(call.Default)
		if call.Agg != nil {
			var in []expr.Expr
			for _, e := range call.Agg.Inputs() {
				in = append(in, g.settle(e))
			}
			call.Agg = call.Agg.WithInputs(in)
		}
		if err := o.place(x.c, &n, call); err != nil {
			return nil, err
		}
	}
	if qualify == nil {
		return o.node, nil
	}
	return where(o.node, g.settle(qualify)), nil
}
