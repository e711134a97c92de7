package rules

import (
	"github.com/streamsql-go/streamsql/planner/plan"
)

func (s set) order(keys []plan.SortKey) {
	for _, k := range keys {
		s.read(k.Expr)
	}
}

func (m moved) order(keys []plan.SortKey) []plan.SortKey {
	out := make([]plan.SortKey, len(keys))
	for i, k := range keys {
		out[i] = plan.SortKey{Expr: m.expr(k.Expr), Desc: k.Desc}
	}
	return out
}

// pruneTopN leaves out the number when nobody reads it: then only rows that come and go are sent.
func (p *pruner) pruneTopN(n *plan.TopN, need set) (plan.Node, moved) {
	width := len(n.Input.Props().Schema.Columns)
	c := *n
	all := need.copy()
	all.add(n.P.Schema.Key...)
	if !need[width] {
		c.Column = ""
		all = need.copy()
		all.add(n.Input.Props().Schema.Key...)
	}
	delete(all, width)
	all.read(n.Partition...)
	all.order(n.Order)
	in, at := p.narrow(n.Input, all)
	c.Input, c.Partition, c.Order = in, at.exprs(n.Partition), at.order(n.Order)
	if c.Column != "" {
		at[width] = len(in.Props().Schema.Columns)
	}
	return plan.Derive(&c), at
}

// pruneOver leaves out the calls that nobody reads.
func (p *pruner) pruneOver(n *plan.Over, need set) (plan.Node, moved) {
	width := len(n.Input.Props().Schema.Columns)
	all := set{}
	for i := range need {
		if i < width {
			all[i] = true
		}
	}
	all.add(n.Input.Props().Schema.Key...)
	all.read(n.Partition...)
	all.order(n.Order)
	c := *n
	c.Calls = nil
	var kept []int
	for i, call := range n.Calls {
		if !need[width+i] {
			continue
		}
		all.read(call.Arg, call.Default)
		if call.Agg != nil {
			all.read(call.Agg.Inputs()...)
		}
		c.Calls, kept = append(c.Calls, call), append(kept, width+i)
	}
	if len(c.Calls) == 0 {
		return p.prune(n.Input, need)
	}
	in, at := p.narrow(n.Input, all)
	for i, call := range c.Calls {
		c.Calls[i] = movedCall(call, at)
		at[kept[i]] = len(in.Props().Schema.Columns) + i
	}
	c.Input, c.Partition, c.Order = in, at.exprs(n.Partition), at.order(n.Order)
	return plan.Derive(&c), at
}

func movedCall(c plan.OverCall, at moved) plan.OverCall {
	c.Arg, c.Default = at.expr(c.Arg), at.expr(c.Default)
	if c.Agg != nil {
		c.Agg = c.Agg.WithInputs(at.exprs(c.Agg.Inputs()))
	}
	return c
}
