package bind

import (
	"github.com/streamsql-go/streamsql/sql/ast"
)

// turned is the join of a table with a stream, seen from the stream: t JOIN s is s JOIN t, t RIGHT JOIN s is s LEFT JOIN t. The
// sources stay in the order in which they are written, their columns change places.
func (x *joining) turned() (*joining, error) {
	if err := x.refuseTurned(); err != nil {
		return nil, err
	}
	j := *x.j
	j.Left, j.Right = x.j.Right, x.j.Left
	if j.Kind == ast.RightJoin {
		j.Kind = ast.LeftJoin
	}
	stream, table := x.right, x.lefts[0]
	stream.base, table.base = 0, len(stream.columns)
	stream.silent, table.silent = false, true
	return &joining{b: x.b, j: &j, left: stream.node, right: table, lefts: []*source{stream}}, nil
}

func (x *joining) refuseTurned() error {
	stream, table := x.right, x.lefts[0]
	first := "write the stream first: FROM " + stream.alias + " JOIN " + table.alias + " ON …"
	if ref, ok := x.j.Right.(*ast.TableRef); ok && ref.AsOf != nil {
		return ast.Unsupported(ref.AsOf.Span, "AS OF on a stream ("+stream.alias+" has no versions)", first)
	}
	switch {
	case x.j.Broadcast:
		return ast.Unsupported(stream.span, "BROADCAST of a stream ("+stream.alias+" is a stream)", "write the stream first: FROM "+stream.alias+" JOIN "+table.alias+" BROADCAST ON …")
	case len(x.lefts) > 1:
		return ast.Unsupported(stream.span, "a join of several tables with a stream after them ("+stream.alias+" is a stream)", first)
	case x.j.Kind == ast.LeftJoin || x.j.Kind == ast.FullJoin:
		return ast.Unsupported(stream.span, x.j.Kind.String()+" JOIN with the table on the left ("+table.alias+" is a table, "+stream.alias+" a stream)",
			"rows of a table without a match have no instant: write FROM "+stream.alias+" LEFT JOIN "+table.alias+" ON …")
	}
	return nil
}
