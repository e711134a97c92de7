package bind

import (
	"github.com/streamsql-go/streamsql/sql/ast"
)

// refuse names the clauses that are read but not run.
func (b *binder) refuse(s *ast.Select) error {
	switch {
	case s.From == nil:
		return ast.Errorf(s.Span, "SELECT without FROM").WithHint("say which stream or table to read: SELECT … FROM name; USE name says it for what follows")
	case s.Rollup:
		return ast.Unsupported(s.GroupBy[len(s.GroupBy)-1].Pos(), "WITH ROLLUP", "start one query per level")
	case len(s.PartitionBy) > 0:
		return ast.Unsupported(s.PartitionBy[0].Pos(), "PARTITION BY", "the planner repartitions where a query needs it")
	case len(s.OrderBy) > 0 && (b.persistent || b.nested):
		return ast.Unsupported(s.OrderBy[0].Expr.Pos(), "ORDER BY in a query that goes on", "rows of an endless result have no last one to sort: sort where the result is read, or keep the first ones: QUALIFY ROW_NUMBER() OVER (… ORDER BY …) <= n")
	case s.Offset != nil && len(s.OrderBy) == 0:
		return ast.Unsupported(s.LimitSpan, "OFFSET without ORDER BY", "which rows are the first ones is not known")
	case s.Limit != nil && b.nested:
		return ast.Unsupported(s.LimitSpan, "LIMIT in a sub-query", "which rows are the first ones is not known; ROW_NUMBER() OVER (… ORDER BY …) <= n says which")
	case s.Limit != nil && b.persistent:
		return ast.Errorf(s.LimitSpan, "LIMIT ends a query, a persistent query does not end").WithHint("leave LIMIT out, or run the SELECT by itself")
	}
	if j := crossJoin(s.From); j != nil {
		return ast.Unsupported(j.Right.Pos(), "a join without a condition", "write JOIN … ON left.column = right.column; a table that every task is to hold may be joined without one: JOIN … BROADCAST")
	}
	return nil
}

// crossJoin is a join of FROM that pairs everything with everything; nil: there is none.
func crossJoin(r ast.Relation) *ast.Join {
	j, ok := r.(*ast.Join)
	if !ok {
		return nil
	}
	sub, query := j.Right.(*ast.Subquery)
	_, opens := j.Right.(*ast.Unnest)
	if !opens && !j.Broadcast && !(query && sub.Lateral) && (j.Kind == ast.CrossJoin || j.On == nil && len(j.Using) == 0) {
		return j
	}
	return crossJoin(j.Left)
}
