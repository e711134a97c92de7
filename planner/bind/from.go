package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// from binds FROM.
func (b *binder) from(r ast.Relation) (plan.Node, error) {
	r, moved := b.streamFirst(r)
	n, err := b.joined(r)
	if err == nil {
		err = b.refuseAsOf(r)
	}
	if moved {
		asWritten(b.sources)
	}
	return n, err
}

// joined binds one relation, or relations joined from left to right.
func (b *binder) joined(r ast.Relation) (plan.Node, error) {
	if j, ok := r.(*ast.Join); ok {
		left, err := b.joined(j.Left)
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

// refuseAsOf refuses AS OF on the first relation, unless it is the table side of the join with a stream.
func (b *binder) refuseAsOf(r ast.Relation) error {
	for j, ok := r.(*ast.Join); ok; j, ok = r.(*ast.Join) {
		r = j.Left
	}
	ref, ok := r.(*ast.TableRef)
	if !ok || ref.AsOf == nil || b.sources[0].silent {
		return nil
	}
	return ast.Unsupported(ref.AsOf.Span, "AS OF outside the table side of a join", "AS OF says which version of a joined table to take: FROM stream JOIN "+ref.Name.Name+" AS OF …")
}

// enterRelation adds one relation to the scope.
func (b *binder) enterRelation(r ast.Relation) (*source, error) {
	switch r := r.(type) {
	case *ast.TableRef:
		return b.open(r)
	case *ast.Subquery:
		return b.subquery(r)
	case *ast.Unnest:
		if !r.Table {
			return nil, ast.Errorf(r.Span, "UNNEST without rows before it: whose array?").WithHint("FROM s CROSS JOIN UNNEST(s.tags) AS t(tag)")
		}
		c, err := b.tableCall(r)
		if err == nil {
			err = ast.Errorf(r.Span, "table function %s without rows before it", c.Name).WithHint("FROM s CROSS JOIN %s(s.column) AS t", c.Name)
		}
		return nil, err
	case *ast.Join:
		return nil, ast.Unsupported(r.Pos(), "a nested join", "join one table after the other: a JOIN b ON … JOIN c ON …, or write (SELECT * FROM b JOIN c ON …) AS bc")
	}
	return nil, ast.Unsupported(r.Pos(), "this in FROM", "")
}
