package streamsql

import (
	"context"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// command is PAUSE, RESUME or TERMINATE of a query.
func (e *Engine) command(ctx context.Context, st *ast.QueryCommand) (outcome, error) {
	q, err := e.Lookup(st.Name.Name)
	if err != nil {
		return outcome{}, ast.Errorf(st.Name.Pos(), "%v", err)
	}
	switch st.Verb {
	case "PAUSE":
		err = q.Pause(ctx)
	case "RESUME":
		err = q.Resume(ctx)
	case "TERMINATE":
		if q.ended() {
			return outcome{message: fmt.Sprintf("query %s is %s already", q.Name(), q.State())}, nil
		}
		err = q.Stop(ctx)
	default:
		return outcome{}, ast.Errorf(st.Pos(), "%s is no command for queries", st.Verb).WithHint("PAUSE, RESUME and TERMINATE are")
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{message: fmt.Sprintf("query %s: %s", q.Name(), strings.ToLower(st.Verb))}, nil
}
