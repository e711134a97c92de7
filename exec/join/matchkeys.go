package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// matchKeys computes what the rows of one side are joined by.
type matchKeys struct {
	exprs    *op.Evaluator
	nullSafe []bool // per key: <=> instead of =; nil: none
	cols     []*vector.Vector
	bad      map[int]error
}

func newMatchKeys(env op.Env, exprs []expr.Expr, nullSafe []bool) matchKeys {
	return matchKeys{exprs: env.NewEvaluator(exprs...), nullSafe: nullSafe}
}

// eval computes the keys of b.
func (k *matchKeys) eval(b *vector.Batch) (err error) {
	k.cols = k.exprs.Eval(b)
	k.bad, err = k.exprs.Failed(b, nil)
	return err
}

// failed says whether row i has no key because one could not be computed: it was reported.
func (k *matchKeys) failed(i int) bool { return k.bad != nil && k.bad[i] != nil }

// null says whether row i has a NULL in a key that = compares, which matches nothing.
func (k *matchKeys) null(i int) bool {
	for n, c := range k.cols {
		if c.IsNull(i) && (k.nullSafe == nil || !k.nullSafe[n]) {
			return true
		}
	}
	return false
}

// append appends the key of row i.
func (k *matchKeys) append(dst []byte, i int) []byte { return keys.AppendRow(dst, k.cols, i) }
