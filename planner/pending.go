package planner

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// pending refuses plans that no operator runs yet.
func pending(root plan.Node, at ast.Span) error {
	feature := ""
	plan.Walk(root, func(n plan.Node) {
		switch n := n.(type) {
		case *plan.StreamJoin:
			feature = "a stream–stream join"
		case *plan.TableTableJoin:
			feature = "a table–table join"
		case *plan.Aggregate:
			if n.Input.Props().Changes == plan.Deltas {
				feature = "an aggregate over a table"
			}
		case *plan.Fold:
			feature = "a table made of rows that change, or of a table whose key is not known to be its Kafka key"
		}
	})
	if feature == "" {
		return nil
	}
	return ast.Unsupported(at, feature, "")
}
