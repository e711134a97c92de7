package expr

import (
	"time"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Evaluate computes an expression that reads no column.
func Evaluate(e Expr, now func() time.Time) (types.Value, error) {
	ctx := &Ctx{Now: now}
	v := e.Eval(ctx, &vector.Batch{N: 1, Time: []int64{0}})
	if failed := ctx.TakeFailed(); failed != nil {
		return types.Value{}, failed[0]
	}
	return v.Value(0), nil
}
