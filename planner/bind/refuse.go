package bind

import (
	"github.com/streamsql-go/streamsql/sql/ast"
)

// refuse names the clauses that are read but not run.
func (b *binder) refuse(s *ast.Select) error {
	switch {
	case len(s.With) > 0:
		return ast.Unsupported(s.With[0].Span, "WITH (a common table expression)", "write the inner query to a stream: CREATE STREAM "+s.With[0].Name.Name+" AS …")
	case s.From == nil:
		return ast.Errorf(s.Span, "SELECT without FROM").WithHint("say which stream or table to read: SELECT … FROM name")
	case s.Rollup:
		return ast.Unsupported(s.GroupBy[len(s.GroupBy)-1].Pos(), "WITH ROLLUP", "start one query per level")
	case s.Qualify != nil:
		return ast.Unsupported(s.Qualify.Pos(), "QUALIFY", "DISTINCT ON keeps the first row per key")
	case len(s.Windows) > 0:
		return ast.Unsupported(s.Windows[0].Name.Span, "WINDOW name AS (…)", "use GROUP BY with WINDOW TUMBLING(…)")
	case len(s.PartitionBy) > 0:
		return ast.Unsupported(s.PartitionBy[0].Pos(), "PARTITION BY", "the planner repartitions where a query needs it")
	case len(s.OrderBy) > 0:
		return ast.Unsupported(s.OrderBy[0].Expr.Pos(), "ORDER BY", "rows of an endless result have no last one to sort; take LIMIT alone, or sort where the result is read")
	case s.Offset != nil:
		return ast.Unsupported(s.LimitSpan, "OFFSET", "")
	case s.Limit != nil && b.persistent:
		return ast.Errorf(s.LimitSpan, "LIMIT ends a query, a persistent query does not end").WithHint("leave LIMIT out, or run the SELECT by itself")
	}
	return b.refuseRelations(s.From)
}

func (b *binder) refuseRelations(from ast.Relation) error {
	var err error
	relations(from, func(r ast.Relation) {
		if err == nil {
			err = refuseRelation(r)
		}
	})
	return err
}

func refuseRelation(r ast.Relation) error {
	switch r := r.(type) {
	case *ast.Subquery:
		if r.Lateral {
			return ast.Unsupported(r.Span, "LATERAL", "")
		}
		return ast.Unsupported(r.Span, "a sub-query in FROM", "write it to a stream: CREATE STREAM x AS …, then SELECT … FROM x")
	case *ast.Unnest:
		return ast.Unsupported(r.Span, "UNNEST", "")
	case *ast.Join:
		return refuseJoin(r)
	}
	return nil
}

func refuseJoin(j *ast.Join) error {
	at := j.Right.Pos()
	switch {
	case j.Broadcast:
		return ast.Unsupported(at, "BROADCAST", "leave it out: the planner brings equal keys together")
	case j.Correct != nil:
		return ast.Unsupported(j.Correct.Span, "CORRECT", "a larger WITHIN waits longer for the table")
	case j.Kind == ast.CrossJoin:
		return ast.Unsupported(at, "a join without a condition", "write JOIN … ON left.column = right.column")
	case j.Kind == ast.RightJoin:
		return ast.Unsupported(at, "RIGHT JOIN", "put the stream on the left and write LEFT JOIN")
	case j.Kind == ast.FullJoin:
		return ast.Unsupported(at, "FULL JOIN", "LEFT JOIN keeps all rows of the stream")
	case j.On == nil && len(j.Using) == 0:
		return ast.Unsupported(at, "a join without a condition", "write JOIN … ON left.column = right.column")
	}
	return nil
}
