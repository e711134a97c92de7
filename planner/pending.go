package planner

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// pending refuses plans that no operator runs yet.
func pending(root plan.Node, at ast.Span) error {
	feature := ""
	plan.Walk(root, func(n plan.Node) {
		if _, ok := n.(*plan.TableTableJoin); ok {
			feature = "a table–table join"
		}
	})
	if feature == "" {
		return nil
	}
	return ast.Unsupported(at, feature, "")
}
