package distribute

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// carry marks what of the source record travels with the rows: key and headers where one input record becomes one output
// record, the value where it is forwarded, the origin where an operator orders by it.
func carry(s *plan.Sink) plan.Node {
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
	return plan.Rebuild(s, carried(s.Input, c))
}

// carried is n with c carried through it.
func carried(n plan.Node, c plan.Carry) plan.Node {
	switch n := n.(type) {
	case *plan.Scan:
		out := *n
		out.Carry = c
		return &out
	case *plan.Shuffle:
		out := *n
		out.Input, out.Carry = carried(n.Input, c), c
		return &out
	case *plan.TableJoin:
		c |= plan.CarryOrigin // rows that wait are told apart by it
		return keep(n, carried(n.Stream, c), carried(n.Table, plan.CarryOrigin))
	case *plan.StreamJoin:
		return keep(n, carried(n.Left, plan.CarryOrigin), carried(n.Right, plan.CarryOrigin))
	case *plan.TableTableJoin:
		return keep(n, carried(n.Left, 0), carried(n.Right, 0))
	case *plan.Materialize:
		return keep(n, carried(n.Input, plan.CarryOrigin))
	case *plan.Fold:
		return keep(n, carried(n.Input, 0))
	case *plan.TopN:
		return keep(n, carried(n.Input, plan.CarryOrigin))
	case *plan.Over:
		if !n.InOrder {
			c = 0
		}
		return keep(n, carried(n.Input, c|plan.CarryOrigin))
	case *plan.Union:
		parts := make([]plan.Node, len(n.Parts))
		for i, p := range n.Parts {
			parts[i] = carried(p, c)
		}
		return keep(n, parts...)
	case *plan.Distinct:
		if n.Final || n.Within > 0 {
			c |= plan.CarryOrigin
		}
		return keep(n, carried(n.Input, c))
	case *plan.PartialAggregate:
		return keep(n, carried(n.Input, c))
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
		return keep(&out, carried(n.Input, c))
	}
	return keep(n, carried(n.Inputs()[0], c))
}

// keep is n over other inputs with the same properties.
func keep(n plan.Node, in ...plan.Node) plan.Node { return n.WithInputs(in) }

// keepsLate says whether late records of a relation are sent somewhere: then the whole record must be at hand.
func keepsLate(r *catalog.Relation) bool {
	return r.LateTopic != "" || r.OnError == catalog.DeadLetter
}
