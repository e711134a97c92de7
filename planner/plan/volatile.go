package plan

import (
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// Volatile is the first function of the clock or of chance that a query calls over rows which may be removed again: the removal
// would be computed at another moment than the row and would not find it. "": none does.
func Volatile(root Node) string {
	name := ""
	Walk(root, func(n Node) {
		for _, e := range repeated(n) {
			if e != nil && name == "" {
				name = expr.Volatile(e)
			}
		}
	})
	return name
}

// repeated are the expressions that a node computes again when it takes back what it made of a row.
func repeated(n Node) []expr.Expr {
	switch n := n.(type) {
	case *Filter:
		if changing(n.Input) {
			return []expr.Expr{n.Cond}
		}
	case *Project:
		if changing(n.Input) {
			return projected(n.Exprs)
		}
	case *Unnest:
		if changing(n.Input) {
			return []expr.Expr{n.Expr}
		}
	case *Aggregate:
		var es []expr.Expr
		if changing(n.Input) {
			es = append(projected(n.Group), aggregated(n.Aggs)...)
		}
		if n.Emit != ast.EmitFinal {
			es = append(es, n.Having) // asked about the row that was sent and the one that takes its place
		}
		return es
	case *TableJoin:
		if n.Correct > 0 {
			return []expr.Expr{n.Residual}
		}
	case *TableTableJoin:
		return append(append([]expr.Expr{n.Residual}, n.LeftKeys...), n.RightKeys...)
	case *TopN:
		if changing(n.Input) {
			return append(sorted(n.Order), n.Partition...)
		}
	case *Over:
		if !n.InOrder {
			return append(append(sorted(n.Order), n.Partition...), called(n.Calls)...)
		}
	}
	return nil
}

// changing says whether removals come as rows. Those of a key come as the key alone: nothing else is computed of them.
func changing(n Node) bool { return n.Props().Changes == Deltas }

func projected(list []Named) []expr.Expr {
	es := make([]expr.Expr, len(list))
	for i, e := range list {
		es[i] = e.Expr
	}
	return es
}

func aggregated(list []NamedAggregate) []expr.Expr {
	var es []expr.Expr
	for _, a := range list {
		es = append(es, a.Agg.Inputs()...)
	}
	return es
}

func called(list []OverCall) []expr.Expr {
	var es []expr.Expr
	for _, c := range list {
		es = append(es, c.Arg, c.Default)
		if c.Agg != nil {
			es = append(es, c.Agg.Inputs()...)
		}
	}
	return es
}
