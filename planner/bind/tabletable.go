package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// tableTable binds table JOIN table: a result that changes with either side.
func (x *joining) tableTable() (plan.Node, error) {
	j := x.j
	if ref, ok := j.Right.(*ast.TableRef); ok && ref.AsOf != nil {
		return nil, ast.Unsupported(ref.AsOf.Span, "AS OF between tables", "leave it out: the result changes with both tables; AS OF belongs to a stream JOIN table")
	}
	for what, d := range map[string]*ast.Duration{"WITHIN": j.Within, "GRACE": j.Grace, "CORRECT": j.Correct} {
		if d != nil {
			return nil, ast.Unsupported(d.Span, what+" on a table–table join", "leave it out: the result changes with both tables, whenever their rows come")
		}
	}
	if j.Broadcast {
		return nil, ast.Unsupported(x.right.span, "BROADCAST of a table into a table", "leave it out: the planner brings equal keys together")
	}
	n := &plan.TableTableJoin{Name: "join", Left: deltas(x.left), Right: deltas(x.right.node), Kind: joinKind(j.Kind)}
	if err := x.condition(); err != nil {
		return nil, err
	}
	if len(x.keys) == 0 {
		return nil, ast.Unsupported(x.right.span, "a table–table join without an equality", "compare a column of "+x.right.alias+" with one of "+x.lefts[0].alias+": ON a.id = b.id")
	}
	n.LeftKeys, n.RightKeys, n.NullSafe = split(x.keys)
	var err error
	n.Residual, err = x.residual()
	return plan.Derive(n), err
}

// versions says whether the rows of n are those of a table's topic, which may come in any order, and the table's history.
// What a query computes comes in order.
func versions(n plan.Node) (versioned bool, history int64) {
	for {
		switch x := n.(type) {
		case *plan.Scan:
			return true, x.Relation.History
		case *plan.Filter, *plan.Project:
			n = x.Inputs()[0]
		default:
			return false, 0
		}
	}
}

// deltas is n as additions and removals of whole rows: what a state of affairs must look like to be counted or paired.
func deltas(n plan.Node) plan.Node {
	if n.Props().Changes != plan.Upserts {
		return n
	}
	m := &plan.Materialize{Name: "rows", Input: n}
	m.Versioned, m.History = versions(n)
	return plan.Derive(m)
}
