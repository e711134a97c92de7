package expr

import (
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// cast is CAST(x AS t). The rules are those of types.Cast: what does not convert exactly enough fails the row — text that is
// no number, a value out of range — where MySQL gives 0 or the nearest value and a warning.
type cast struct {
	x      Expr
	typ    types.Type
	kernel castKernel
}

// castKernel converts all rows. x's NULLs are handled by the caller; kernels of fixed types see zeros there.
type castKernel func(c *cast, ctx *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector

// NewCast is CAST(x AS t). A cast that can never work is refused here.
func NewCast(x Expr, t types.Type) (Expr, error) {
	from := x.Type()
	switch {
	case from.Equal(t) && (t.Length == 0 || from.Length == t.Length):
		return x, nil
	case isNull(x):
		return NullOf(t), nil
	case !castable(from, t):
		return nil, fmt.Errorf("CAST: %s does not convert to %s", from, t)
	}
	return &cast{x, t, castKernelOf(from, t)}, nil
}

func castable(from, to types.Type) bool {
	switch {
	case from.Text() || from.Nested() || to.Text() || to.Kind == types.JSON:
		return !from.Nested() || !to.Nested() || from.Kind == types.JSON || to.Kind == types.JSON || from.Kind == to.Kind
	case to.Nested():
		return false
	case from.Numeric():
		return to.Numeric() || to.Kind == types.Timestamp
	case from.Kind == types.Timestamp:
		return to.Temporal() || to.Kind == types.Int || to.Kind == types.Uint
	case from.Kind == types.Date:
		return to.Kind == types.Date || to.Kind == types.Timestamp
	}
	return from.Kind == to.Kind
}

func castKernelOf(from, to types.Type) castKernel {
	switch {
	case sameStorage(from, to) || from.Nested() && (to.Nested() || to.Text() && to.Length == 0):
		return relabel
	case to.Kind == types.Boolean && from.Exact() && from.Kind != types.Decimal:
		return intToBool
	case (to.Kind == types.Int || to.Kind == types.Uint) && (from.Kind == types.Boolean || from.Kind == types.Int || from.Kind == types.Uint):
		return intToInt
	case to.Kind == types.Double && to.Bits != 32 && from.Exact():
		return exactToFloat
	case to.Kind == types.Decimal && from.Exact():
		return exactToDec
	case to.Kind == types.Int && from.Kind == types.Decimal:
		return decToInt
	case from.Text():
		return parseKernelOf(to)
	case to.Text() && !from.Nested():
		return printed
	}
	return castRows
}

func (c *cast) Type() types.Type          { return c.typ }
func (c *cast) Inputs() []Expr            { return []Expr{c.x} }
func (c *cast) WithInputs(in []Expr) Expr { return &cast{in[0], c.typ, c.kernel} }
func (c *cast) String() string            { return "CAST(" + c.x.String() + " AS " + c.typ.String() + ")" }

func (c *cast) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	return c.kernel(c, ctx, ctx.slot(c), c.x.Eval(ctx, b), b.N)
}

func (c *cast) outOfRange(ctx *Ctx, s *slot, x *vector.Vector, i int) {
	if x.IsNull(i) {
		return
	}
	_, err := types.Cast(x.Value(i), c.typ)
	if err == nil {
		err = fmt.Errorf("%w to %s: out of range", types.ErrCast, c.typ)
	}
	s.setNull(i)
	ctx.Fail(i, err)
}

func relabel(c *cast, _ *Ctx, s *slot, x *vector.Vector, _ int) *vector.Vector {
	s.out = *x
	s.out.Type = c.typ
	return &s.out
}

func intToBool(c *cast, _ *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.fixed(c.typ, n)
	for i, v := range x.Ints[:n] {
		out.Ints[i] = bit(v != 0)
	}
	s.mergeNulls(n, operand{x, -1}, operand{})
	return out
}

func intToInt(c *cast, ctx *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.fixed(c.typ, n)
	lo, hi := types.IntRange(c.typ.Bits)
	wraps := (c.typ.Kind == types.Uint) != (x.Type.Kind == types.Uint) // a set top bit means something else there
	if c.typ.Kind == types.Uint && c.typ.Bits < 64 {
		lo, hi = 0, int64(types.UintMax(c.typ.Bits))
	}
	for i, v := range x.Ints[:n] {
		out.Ints[i] = v
		if v < lo || v > hi || wraps && v < 0 {
			c.outOfRange(ctx, s, x, i)
		}
	}
	s.mergeNulls(n, operand{x, -1}, operand{})
	return out
}

func exactToFloat(c *cast, _ *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.fixed(c.typ, n)
	switch {
	case x.Type.Kind == types.Decimal:
		for i, d := range x.Decs[:n] {
			out.Floats[i] = types.DecimalToFloat(d, x.Type.Scale)
		}
	case x.Type.Kind == types.Uint:
		for i, v := range x.Ints[:n] {
			out.Floats[i] = float64(uint64(v))
		}
	default:
		for i, v := range x.Ints[:n] {
			out.Floats[i] = float64(v)
		}
	}
	s.mergeNulls(n, operand{x, -1}, operand{})
	return out
}

func exactToDec(c *cast, ctx *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.fixed(c.typ, n)
	precision, scale := int(c.typ.Precision), c.typ.Scale
	for i := range n {
		d, from := decimalAt(x, i)
		r, ok := types.Rescale(d, from, scale)
		out.Decs[i] = r
		if !ok || !types.FitsDecimal(r, precision) {
			c.outOfRange(ctx, s, x, i)
		}
	}
	s.mergeNulls(n, operand{x, -1}, operand{})
	return out
}

// decimalAt is row i of an exact vector as a decimal.
func decimalAt(x *vector.Vector, i int) (types.Int128, uint8) {
	switch x.Type.Kind {
	case types.Decimal:
		return x.Decs[i], x.Type.Scale
	case types.Uint:
		return types.FromUint64(uint64(x.Ints[i])), 0
	}
	return types.FromInt64(x.Ints[i]), 0
}

func decToInt(c *cast, ctx *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.fixed(c.typ, n)
	lo, hi := types.IntRange(c.typ.Bits)
	for i, d := range x.Decs[:n] {
		r, _ := types.Rescale(d, x.Type.Scale, 0)
		v, ok := r.Int64()
		out.Ints[i] = v
		if !ok || v < lo || v > hi {
			c.outOfRange(ctx, s, x, i)
		}
	}
	s.mergeNulls(n, operand{x, -1}, operand{})
	return out
}

// castRows converts row by row through types.Value: the pairs nobody runs a million times a second.
func castRows(c *cast, ctx *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.empty(c.typ)
	for i := range n {
		v, err := types.Cast(x.Value(i), c.typ)
		if err != nil {
			ctx.Fail(i, err)
		}
		out.Append(v)
	}
	return out
}
