package distribute

import (
	"testing"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// TestSameBytes: when a topic's own hash may be met by a value of another type (semantics S6).
func TestSameBytes(t *testing.T) {
	smallint := types.Type{Kind: types.Int, Bits: 16}
	for _, c := range []struct {
		name   string
		a, b   types.Type
		format string
		want   bool
	}{
		{"integers as text", types.TInt, types.TBigInt, "string", true},
		{"signed and unsigned as text", types.TBigInt, types.TUBigInt, "json", true},
		{"a smaller integer in four bytes", types.TInt, smallint, "int", true},
		{"a larger integer in four bytes", types.TInt, types.TBigInt, "int", false},
		{"unsigned in eight signed bytes", types.TBigInt, types.TUBigInt, "bigint", false},
		{"an integer and a decimal: 1 and 1.00", types.TBigInt, types.TDecimal(10, 2), "string", false},
		{"decimals of one scale", types.TDecimal(10, 2), types.TDecimal(10, 2), "string", true},
		{"decimals of two scales: 1.0 and 1.00", types.TDecimal(10, 1), types.TDecimal(10, 2), "string", false},
		{"strings of two lengths", types.Type{Kind: types.Varchar, Length: 5}, types.TVarchar, "string", true},
		{"an integer and a double: 1 and 1.0", types.TBigInt, types.TDouble, "string", false},
	} {
		if got := sameBytes(c.a, c.b, c.format); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestInPlace: a join needs exactly its keys, in order.
func TestInPlace(t *testing.T) {
	a, b := &expr.Column{Index: 0, Name: "a", Typ: types.TBigInt}, &expr.Column{Index: 1, Name: "b", Typ: types.TBigInt}
	cast, err := expr.NewCast(a, types.TDouble)
	if err != nil {
		t.Fatal(err)
	}
	by := func(h plan.Hash, es ...expr.Expr) plan.Partitioning {
		return plan.Partitioning{Exprs: es, Hash: h, Count: 3}
	}
	for _, c := range []struct {
		name string
		p    plan.Partitioning
		keys []expr.Expr
		want bool
	}{
		{"the keys", by(plan.Murmur2, a, b), []expr.Expr{a, b}, true},
		{"in another order", by(plan.Murmur2, b, a), []expr.Expr{a, b}, false},
		{"a part of them", by(plan.Murmur2, a), []expr.Expr{a, b}, false},
		{"under a cast, by the topic's bytes", by(plan.Murmur2, a), []expr.Expr{cast}, true},
		{"under a cast, by typed value", by(plan.Canonical, a), []expr.Expr{cast}, false},
		{"by nothing", by(plan.NoHash), nil, false},
	} {
		if got := inPlace(c.p, c.keys); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
