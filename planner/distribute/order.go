package distribute

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// inOrder makes sure that the changes of a table made of a table are in order: rows of one key must lie in one partition,
// since nothing else would tell which of two is the newer one.
func inOrder(root *plan.Sink) (plan.Node, error) {
	if root.Target == nil || root.P.Changes != plan.Upserts {
		return root, nil
	}
	var n plan.Node = root
	for len(n.Inputs()) == 1 {
		if _, grouped := n.(*plan.Aggregate); grouped {
			return root, nil
		}
		n = n.Inputs()[0]
	}
	s, ok := n.(*plan.Scan)
	if !ok {
		return root, nil
	}
	var key []expr.Expr
	for _, k := range s.P.Schema.Key {
		key = append(key, &expr.Column{Index: k, Name: s.Columns[k].Name, Typ: s.Columns[k].Type})
	}
	if !s.P.Partitioning.Satisfies(key) {
		return nil, ast.Unsupported(ast.Span{}, "a table from table "+s.Relation.Name+", whose key is not known to be its Kafka key",
			"the newer of two rows is known within a partition only: declare the Kafka key of "+s.Relation.Name+", WITH (key = '"+s.Columns[s.P.Schema.Key[0]].Name+"')")
	}
	return keep(root, rely(root.Input)), nil
}
