package distribute

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// inOrder makes sure that the changes of a table made of a table are in order: rows of one key must lie in one partition,
// since nothing else would tell which of two is the newer one. Where they do not, the newest row per key is found first.
func (d *distributor) inOrder(root *plan.Sink) plan.Node {
	if root.Target == nil || root.P.Changes != plan.Upserts {
		return root
	}
	s := tableScan(root.Input)
	if s == nil {
		return root
	}
	if d.provided(s).Satisfies(columnsOf(s, s.P.Schema.Key)) {
		return root
	}
	rows := plan.Derive(&plan.Materialize{Name: "rows", Input: root.Input, Versioned: true, History: s.Relation.History})
	return keep(root, plan.Derive(&plan.Fold{Name: "result", Input: rows, Key: root.Input.Props().Schema.Key}))
}

// relied has the records of a table checked that goes into another one as it lies.
func relied(root plan.Node) plan.Node {
	if s := root.(*plan.Sink); s.Target != nil && s.P.Changes == plan.Upserts && tableScan(s.Input) != nil {
		return keep(s, rely(s.Input))
	}
	return root
}

// tableScan is the table whose rows n filters and projects; nil: it does more.
func tableScan(n plan.Node) *plan.Scan {
	for {
		switch x := n.(type) {
		case *plan.Scan:
			return x
		case *plan.Filter, *plan.Project:
			n = x.Inputs()[0]
		default:
			return nil
		}
	}
}

// columnsOf are columns of n's schema as expressions.
func columnsOf(n plan.Node, at []int) []expr.Expr {
	var out []expr.Expr
	for _, i := range at {
		c := n.Props().Schema.Columns[i]
		out = append(out, &expr.Column{Index: i, Name: c.Name, Typ: c.Type})
	}
	return out
}

// keyedInOrder says whether the changes of a key come from one task that removes the old row in the batch that adds the new
// one: those of a Top-N whose rows are named by partition and number, and of a materialized table.
func keyedInOrder(n plan.Node) bool {
	for {
		switch x := n.(type) {
		case *plan.Filter, *plan.Project, *plan.Shared:
			n = x.Inputs()[0]
		case *plan.Materialize:
			return true
		case *plan.TopN:
			return x.Ranking == plan.RowNumber && (x.N == 1 || x.Column != "")
		default:
			return false
		}
	}
}
