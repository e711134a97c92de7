package expr

import (
	"strconv"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// parseKernelOf converts text to t without making strings of it.
func parseKernelOf(t types.Type) castKernel {
	switch t.Kind {
	case types.Int:
		return parseInts
	case types.Double:
		if t.Bits != 32 {
			return parseDoubles
		}
	case types.Decimal:
		return parseDecimals
	case types.Timestamp:
		return parseTimestamps
	case types.Varchar, types.Varbinary:
		return truncated
	}
	return castRows
}

func parseInts(c *cast, ctx *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.fixed(c.typ, n)
	lo, hi := types.IntRange(c.typ.Bits)
	for i := range n {
		v, err := types.ParseInt(x.Bytes.At(i))
		out.Ints[i] = v
		if err != nil || v < lo || v > hi {
			out.Ints[i] = 0
			c.outOfRange(ctx, s, x, i)
		}
	}
	s.mergeNulls(n, operand{x, -1}, operand{})
	return out
}

func parseDoubles(c *cast, ctx *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.fixed(c.typ, n)
	for i := range n {
		v, err := types.ParseDouble(x.Bytes.At(i))
		out.Floats[i] = v
		if err != nil {
			out.Floats[i] = 0
			c.outOfRange(ctx, s, x, i)
		}
	}
	s.mergeNulls(n, operand{x, -1}, operand{})
	return out
}

func parseDecimals(c *cast, ctx *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.fixed(c.typ, n)
	for i := range n {
		v, err := types.ParseDecimal(x.Bytes.At(i), c.typ.Precision, c.typ.Scale)
		out.Decs[i] = v
		if err != nil {
			out.Decs[i] = types.Int128{}
			c.outOfRange(ctx, s, x, i)
		}
	}
	s.mergeNulls(n, operand{x, -1}, operand{})
	return out
}

func parseTimestamps(c *cast, ctx *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.fixed(c.typ, n)
	for i := range n {
		v, err := types.ParseTimestamp(x.Bytes.At(i))
		out.Ints[i] = types.RoundMicros(v, c.typ.Precision)
		if err != nil {
			out.Ints[i] = 0
			c.outOfRange(ctx, s, x, i)
		}
	}
	s.mergeNulls(n, operand{x, -1}, operand{})
	return out
}

func truncated(c *cast, _ *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.empty(c.typ)
	for i := range n {
		if x.IsNull(i) {
			out.AppendNull()
			continue
		}
		out.AppendBytes(types.Truncate(x.Bytes.At(i), c.typ))
	}
	return out
}

// printed converts numbers and times to text.
func printed(c *cast, _ *Ctx, s *slot, x *vector.Vector, n int) *vector.Vector {
	out := s.empty(c.typ)
	from := c.x.Type()
	for i := range n {
		if x.IsNull(i) {
			out.AppendNull()
			continue
		}
		at := len(out.Bytes.Data)
		out.Bytes.Data = appendText(out.Bytes.Data, x, i, from)
		if c.typ.Length > 0 {
			out.Bytes.Data = out.Bytes.Data[:at+len(types.Truncate(out.Bytes.Data[at:], c.typ))]
		}
		out.CloseBytes()
	}
	return out
}

// appendText appends row i of x, which is not NULL, as text; t is its type as declared.
func appendText(dst []byte, x *vector.Vector, i int, t types.Type) []byte {
	switch t.Kind {
	case types.Boolean, types.Int:
		return strconv.AppendInt(dst, x.Ints[i], 10)
	case types.Uint:
		return strconv.AppendUint(dst, uint64(x.Ints[i]), 10)
	case types.Double:
		return types.AppendDouble(dst, x.Floats[i], int(max(t.Bits, 32)))
	case types.Decimal:
		return types.AppendDecimal(dst, x.Decs[i], x.Type.Scale)
	case types.Date:
		return types.AppendDate(dst, x.Ints[i])
	case types.Time:
		return types.AppendTime(dst, x.Ints[i], t.Precision)
	case types.Timestamp:
		return types.AppendTimestamp(dst, x.Ints[i], t.Precision)
	}
	return append(dst, x.Bytes.At(i)...)
}
