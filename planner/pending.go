package planner

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// pending refuses plans that no operator runs yet.
func pending(root plan.Node, at ast.Span) error {
	feature, hint := "", ""
	plan.Walk(root, func(n plan.Node) {
		switch n.(type) {
		case *plan.TableTableJoin:
			feature = "a table–table join"
		case *plan.Over:
			feature, hint = "OVER (…)", "ROW_NUMBER, RANK and DENSE_RANK with a limit are there: QUALIFY ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) <= 10"
		}
	})
	if feature == "" {
		return nil
	}
	return ast.Unsupported(at, feature, hint)
}
