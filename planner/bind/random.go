package bind

import (
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// random is the first function of chance that a query calls, in queries inside it too; name is "" when it calls none.
type random struct {
	name string
	at   ast.Span // zero when it stands in the text of a view
}

// noteRandom remembers e, which a call was bound to, when it is of chance.
func (b *binder) noteRandom(c *ast.Call, e expr.Expr) {
	if b.random == nil || b.random.name != "" {
		return
	}
	if b.random.name = expr.RandomFunction(e); b.random.name != "" && len(b.views) == 0 {
		b.random.at = c.Span
	}
}

// refuseRandom keeps chance out of a persistent query unless its target allows it: a row that is computed again, after a crash or
// in another run, would become another row (semantics S1).
func (b *binder) refuseRandom(target *catalog.Relation, name ast.Span) error {
	if b.random.name == "" || target.AllowRandom {
		return nil
	}
	at := b.random.at
	if at == (ast.Span{}) {
		at = name
	}
	return ast.Errorf(at, "%s() is another value each time, and a persistent query may compute a row again", b.random.name).
		WithHint("derive it from the row: UUID_V5('oid', CONCAT_WS('-', _topic, _partition, _offset)), MD5(…), XXHASH64(…); or allow it for the target: WITH (non_deterministic = 'allow')")
}
