package distribute

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// carry marks what of the source record travels with the rows: key and headers where one input record becomes one output
// record, the value where it is forwarded, the origin where an operator orders by it. Where several read the same rows, what any of
// them needs travels: that is found by going through the plan until nothing is added.
func carry(root plan.Node) plan.Node {
	c := &carrier{wanted: map[plan.Node]plan.Carry{}}
	for {
		c.grew, c.made = false, map[plan.Node]plan.Node{}
		if out := c.sink(root.(*plan.Sink)); !c.grew {
			return out
		}
	}
}

// carrier notes what is wanted of the nodes to which several lead.
type carrier struct {
	wanted map[plan.Node]plan.Carry
	grew   bool
	made   map[plan.Node]plan.Node
}

// once is n, to which several may lead, with what all of them want; want adds to that.
func (r *carrier) once(n plan.Node, want plan.Carry, make func(plan.Carry) plan.Node) plan.Node {
	all := r.wanted[n] | want
	r.grew = r.grew || all != r.wanted[n]
	r.wanted[n] = all
	if r.made[n] == nil {
		r.made[n] = make(all)
	}
	return r.made[n]
}

func (r *carrier) sink(s *plan.Sink) plan.Node {
	var c plan.Carry
	if s.Target != nil && s.KeyMode == plan.KeyFromInput {
		c |= plan.CarryKey
	}
	if s.Headers && s.Writes(plan.HiddenHeaders) < 0 {
		c |= plan.CarryHeaders
	}
	if s.Forward {
		c |= plan.CarryValue
	}
	return plan.Rebuild(s, r.carried(s.Input, c))
}

// carried is n with c carried through it.
func (r *carrier) carried(n plan.Node, c plan.Carry) plan.Node {
	switch n := n.(type) {
	case *plan.Scan:
		out := *n
		out.Carry = c
		return &out
	case *plan.Shuffle:
		return r.once(n, c, func(c plan.Carry) plan.Node {
			out := *n
			out.Input, out.Carry = r.carried(n.Input, c), c
			return &out
		})
	case *plan.Shared:
		return r.once(n, c, func(c plan.Carry) plan.Node { return keep(n, r.carried(n.Input, c)) })
	case *plan.TableJoin:
		c |= plan.CarryOrigin // rows that wait are told apart by it
		return keep(n, r.carried(n.Stream, c), r.carried(n.Table, plan.CarryOrigin))
	case *plan.StreamJoin:
		return keep(n, r.carried(n.Left, plan.CarryOrigin), r.carried(n.Right, plan.CarryOrigin))
	case *plan.TableTableJoin:
		return keep(n, r.carried(n.Left, 0), r.carried(n.Right, 0))
	case *plan.Materialize:
		return keep(n, r.carried(n.Input, plan.CarryOrigin))
	case *plan.Fold:
		return keep(n, r.carried(n.Input, 0))
	case *plan.TopN:
		return keep(n, r.carried(n.Input, plan.CarryOrigin))
	case *plan.Over:
		if !n.InOrder {
			c = 0
		}
		return keep(n, r.carried(n.Input, c|plan.CarryOrigin))
	case *plan.Union:
		parts := make([]plan.Node, len(n.Parts))
		for i, p := range n.Parts {
			parts[i] = r.carried(p, c)
		}
		return keep(n, parts...)
	case *plan.Distinct:
		if n.Final || n.Within > 0 {
			c |= plan.CarryOrigin
		}
		return keep(n, r.carried(n.Input, c))
	case *plan.PartialAggregate:
		return keep(n, r.carried(n.Input, c))
	case *plan.Aggregate:
		out := *n
		out.Origin, c = c&plan.CarryOrigin != 0, 0
		if n.Results == plan.Versions {
			c = plan.CarryOrigin // late rows are reported by it
		}
		for _, a := range n.Aggs {
			if a.Agg.OrdersRows() && n.Over() == expr.Appends { // by (event time, origin): semantics S1
				c |= plan.CarryOrigin
			}
		}
		return keep(&out, r.carried(n.Input, c))
	}
	return keep(n, r.carried(n.Inputs()[0], c))
}

// keep is n over other inputs with the same properties.
func keep(n plan.Node, in ...plan.Node) plan.Node { return n.WithInputs(in) }

// keepsLate says whether late records of a relation are sent somewhere: then the whole record must be at hand.
func keepsLate(r *catalog.Relation) bool {
	return r.LateTopic != "" || r.OnError == catalog.DeadLetter
}
