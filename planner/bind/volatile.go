package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// volatile are the calls of a query, and of queries inside it, whose value is not made of their arguments alone.
type volatile struct {
	chance volatileCall   // the first one of RAND or UUID; its name is "" when there is none
	calls  []volatileCall // those and the clock
}

type volatileCall struct {
	name string
	at   ast.Span // zero when it stands in the text of a view
}

// noteVolatile remembers e, which a call was bound to, when it asks the clock or chance.
func (b *binder) noteVolatile(c *ast.Call, e expr.Expr) {
	call := volatileCall{name: expr.Volatile(e)}
	if call.name == "" {
		return
	}
	if len(b.views) == 0 {
		call.at = c.Span
	}
	b.volatile.calls = append(b.volatile.calls, call)
	if chance := expr.RandomFunction(e); chance != "" && b.volatile.chance.name == "" {
		b.volatile.chance = volatileCall{chance, call.at}
	}
}

// refuseRandom keeps chance out of a persistent query unless its target allows it: a row that is computed again, after a crash or
// in another run, would become another row (semantics S1).
func (b *binder) refuseRandom(target *catalog.Relation, name ast.Span) error {
	chance := b.volatile.chance
	if chance.name == "" || target.AllowRandom {
		return nil
	}
	at := chance.at
	if at == (ast.Span{}) {
		at = name
	}
	return ast.Errorf(at, "%s() is another value each time, and a persistent query may compute a row again", chance.name).
		WithHint("derive it from the row: UUID_V5('oid', CONCAT_WS('-', _topic, _partition, _offset)), MD5(…), XXHASH64(…); or allow it for the target: WITH (non_deterministic = 'allow')")
}

// refuseVolatile keeps the clock and chance away from rows that are removed again (plan.Volatile).
func (b *binder) refuseVolatile(out *output) error {
	name := plan.Volatile(out.node)
	if name == "" {
		return nil
	}
	at := out.at
	for _, c := range b.volatile.calls {
		if c.name == name && c.at != (ast.Span{}) {
			at = c.at
			break
		}
	}
	return ast.Errorf(at, "%s() depends on the clock or on chance, but the rows it is computed over may be removed again, with the same values", name).
		WithHint("use the event time, _timestamp, or a column; or compute it in a query inside, over the stream or table itself")
}
