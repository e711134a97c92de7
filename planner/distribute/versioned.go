package distribute

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// versioned is the table side of a join whose rows are versions of groups. The join says which of them may go, so they are made where it
// is: what moves are the rows that are grouped. above puts the rest of the side over them.
func (d *distributor) versioned(n plan.Node, keys []expr.Expr) (rows joinSide, above func(rows plan.Node) plan.Node) {
	switch x := n.(type) {
	case *plan.Aggregate:
		c := *x
		c.Name = d.unique(role(x.Name))
		return d.side(x.Input, overInput(keys, x.Group), "table"), func(rows plan.Node) plan.Node {
			c.Input = rows
			return with(plan.Derive(&c), groupPartitioning(rows.Props().Partitioning, c.Group))
		}
	case *plan.Project:
		keys = overInput(keys, x.Exprs)
	}
	rows, below := d.versioned(n.Inputs()[0], keys)
	return rows, func(rows plan.Node) plan.Node {
		in := below(rows)
		return with(plan.Rebuild(n, in), plan.Partitioning{Count: in.Props().Partitioning.Count})
	}
}

// overInput are expressions over the columns by, as expressions over what those are computed from.
func overInput(es []expr.Expr, by []plan.Named) []expr.Expr {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		out[i] = expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			if c, ok := x.(*expr.Column); ok {
				return by[c.Index].Expr
			}
			return x
		})
	}
	return out
}
