package expr

import (
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
)

func TestAsShifted(t *testing.T) {
	ts := types.Type{Kind: types.Timestamp, Precision: 3}
	col := &Column{Index: 2, Name: "ts", Typ: ts}
	interval := func(n int64, unit string) Expr {
		iv, err := NewInterval(Literal(types.NewInt(n)), unit)
		if err != nil {
			t.Fatal(err)
		}
		return iv
	}
	binary := func(op string, x, y Expr) Expr {
		e, err := NewBinary(op, x, y)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	plus := binary("+", binary("-", col, interval(10, "SECOND")), interval(250, "MILLISECOND"))
	base, offset, ok := AsShifted(plus)
	if !ok || base != Expr(col) || offset != -9_750_000 {
		t.Errorf("ts - 10 s + 250 ms: base %v, offset %d, %v", base, offset, ok)
	}
	if _, _, ok := AsShifted(binary("-", col, interval(1, "MONTH"))); ok {
		t.Error("a month is no constant length")
	}
	if base, offset, ok := AsShifted(col); !ok || base != Expr(col) || offset != 0 {
		t.Error("a column is its own base")
	}
	le := binary(">=", plus, col)
	c, ok := AsComparison(le)
	if !ok || c.Equal || c.Left != Expr(col) {
		t.Errorf("a >= b is b <= a, got %+v %v", c, ok)
	}
	if _, ok := AsComparison(binary("<>", plus, col)); ok {
		t.Error("<> bounds nothing")
	}
}
