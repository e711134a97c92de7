package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// from binds FROM: one relation, or a stream with the tables joined to it, from left to right.
func (b *binder) from(r ast.Relation) (plan.Node, error) {
	switch r := r.(type) {
	case *ast.TableRef:
		if r.AsOf != nil {
			return nil, ast.Unsupported(r.AsOf.Span, "AS OF outside the table side of a join", "AS OF says which version of a joined table to take: FROM stream JOIN "+r.Name.Name+" AS OF …")
		}
		s, err := b.source(r)
		if err != nil {
			return nil, err
		}
		return s.scan, nil
	case *ast.Join:
		left, err := b.from(r.Left)
		if err != nil {
			return nil, err
		}
		return b.join(r, left)
	}
	return nil, ast.Unsupported(r.Pos(), "this in FROM", "")
}

// width is the number of columns of the schema that the sources so far make together.
func (b *binder) width() int {
	n := 0
	for _, s := range b.sources {
		n += len(s.scan.Columns)
	}
	return n
}
