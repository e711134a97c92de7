package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// from binds FROM: one relation, or relations joined from left to right.
func (b *binder) from(r ast.Relation) (plan.Node, error) {
	if j, ok := r.(*ast.Join); ok {
		left, err := b.from(j.Left)
		if err != nil {
			return nil, err
		}
		return b.join(j, left)
	}
	s, err := b.enterRelation(r)
	if err != nil {
		return nil, err
	}
	return s.node, nil
}

// enterRelation adds one relation to the scope.
func (b *binder) enterRelation(r ast.Relation) (*source, error) {
	switch r := r.(type) {
	case *ast.TableRef:
		if r.AsOf != nil && len(b.sources) == 0 {
			return nil, ast.Unsupported(r.AsOf.Span, "AS OF outside the table side of a join", "AS OF says which version of a joined table to take: FROM stream JOIN "+r.Name.Name+" AS OF …")
		}
		return b.open(r)
	case *ast.Subquery:
		return b.subquery(r)
	case *ast.Unnest:
		return nil, ast.Errorf(r.Span, "UNNEST without rows before it: whose array?").WithHint("FROM s CROSS JOIN UNNEST(s.tags) AS t(tag)")
	case *ast.Join:
		return nil, ast.Unsupported(r.Pos(), "a nested join", "join one table after the other: a JOIN b ON … JOIN c ON …, or write (SELECT * FROM b JOIN c ON …) AS bc")
	}
	return nil, ast.Unsupported(r.Pos(), "this in FROM", "")
}
