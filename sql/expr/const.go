package expr

import (
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Const is a constant. Make one with NewConst, Literal or Null.
type Const struct {
	Value types.Value
	Typ   types.Type
	one   *vector.Vector // the value as one row
}

// NewConst is a constant of type t; the value is cast to it.
func NewConst(v types.Value, t types.Type) (*Const, error) {
	v, err := types.Cast(v, t)
	if err != nil {
		return nil, err
	}
	return newConst(v, t), nil
}

func newConst(v types.Value, t types.Type) *Const {
	return &Const{Value: v, Typ: t, one: vector.FromValues(t, v)}
}

// Literal is a constant of the type MySQL gives to the value: BIGINT, DECIMAL of its digits, VARCHAR, and so on.
func Literal(v types.Value) *Const { return newConst(v, typeOf(v)) }

// NullOf is NULL of a type.
func NullOf(t types.Type) *Const { return newConst(types.Value{}, t) }

// NumberLiteral is a numeric literal as written (types.ParseLiteral).
func NumberLiteral(text string) (*Const, error) {
	v, t, err := types.ParseLiteral(text)
	if err != nil {
		return nil, err
	}
	return newConst(v, t), nil
}

func typeOf(v types.Value) types.Type {
	switch v.Kind {
	case types.Int, types.Uint, types.Double:
		return types.Type{Kind: v.Kind, Bits: 64}
	case types.Decimal:
		return types.TDecimal(max(types.Digits(v.D), int(v.Scale)), int(v.Scale))
	case types.Time, types.Timestamp:
		switch {
		case v.I%types.MicrosPerSecond == 0:
			return types.Type{Kind: v.Kind}
		case v.I%types.MicrosPerMilli == 0:
			return types.Type{Kind: v.Kind, Precision: 3}
		}
		return types.Type{Kind: v.Kind, Precision: 6}
	case types.Array, types.Map, types.Struct:
		return types.TJSON
	}
	return types.Type{Kind: v.Kind}
}

// Type is the constant's type.
func (k *Const) Type() types.Type { return k.Typ }

// Eval repeats the value. The rows stay in ctx from batch to batch.
func (k *Const) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(k)
	full, _ := s.aux.(*vector.Vector)
	if full == nil {
		full = vector.New(k.Typ, b.N)
		s.aux = full
	}
	for full.Len() < b.N {
		full.AppendFrom(k.one, 0)
	}
	s.out = *full
	s.out.Type = k.Typ
	if full.Nulls != nil {
		s.out.Nulls = full.Nulls[:b.N]
	}
	switch k.Typ.Physical() {
	case types.PhysInt:
		s.out.Ints = full.Ints[:b.N]
	case types.PhysFloat:
		s.out.Floats = full.Floats[:b.N]
	case types.PhysDec:
		s.out.Decs = full.Decs[:b.N]
	case types.PhysBytes:
		s.out.Bytes.Off = full.Bytes.Off[:b.N+1]
	}
	return &s.out
}

// Inputs is empty.
func (k *Const) Inputs() []Expr { return nil }

// WithInputs returns k.
func (k *Const) WithInputs([]Expr) Expr { return k }

// String is the value as a SQL literal.
func (k *Const) String() string { return k.Value.Literal() }

// constant returns the value of e when it is a constant.
func constant(e Expr) (types.Value, bool) {
	if k, ok := e.(*Const); ok {
		return k.Value, true
	}
	return types.Value{}, false
}

func isNull(e Expr) bool {
	v, ok := constant(e)
	return ok && v.IsNull() || e.Type().Kind == types.Null
}

// IsConst says whether e has one value for ever: no column, nothing that is not deterministic.
func IsConst(e Expr) bool {
	ok := Deterministic(e)
	Walk(e, func(x Expr) {
		switch x.(type) {
		case *Column, *Param:
			ok = false
		}
	})
	return ok
}

// Deterministic says whether e depends on its input only: no clock, no random number.
func Deterministic(e Expr) bool { return Volatile(e) == "" }

// Volatile is the first function in e that depends on more than its input, the clock or chance; "" when there is none.
func Volatile(e Expr) string {
	return firstCall(e, func(f *Function) bool { return !f.Deterministic })
}

// RandomFunction is the first function in e that gives another value each time it is computed, RAND or UUID; "" when there is
// none. The clock is not random: NOW() is named in semantics S1.
func RandomFunction(e Expr) string {
	return firstCall(e, func(f *Function) bool { return f.random })
}

func firstCall(e Expr, is func(*Function) bool) string {
	name := ""
	Walk(e, func(x Expr) {
		if c, ok := x.(*call); ok && name == "" && is(c.fn) {
			name = c.fn.Name
		}
	})
	return name
}
