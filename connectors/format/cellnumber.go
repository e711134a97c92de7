package format

import (
	"fmt"
	"math"
	"strconv"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Int appends an integer to v, by the rules of numbers.
func (c *Cell) Int(v *vector.Vector, x int64) error {
	switch {
	case c.Type.Kind == types.Int && x >= c.lo && x <= c.hi, c.Type.Kind == types.Uint && x >= 0 && uint64(x) <= types.UintMax(c.Type.Bits):
		v.AppendInt(x)
		return nil
	case c.Type.Kind == types.Double && x > -1<<53 && x < 1<<53 && c.Type.Bits == 64:
		v.AppendFloat(float64(x))
		return nil
	case c.Type.Kind == types.Decimal:
		if d, ok := types.Rescale(types.FromInt64(x), 0, c.Type.Scale); ok && types.FitsDecimal(d, int(c.Type.Precision)) {
			v.AppendDec(d)
			return nil
		}
	}
	var text [20]byte
	return c.Number(v, strconv.AppendInt(text[:0], x, 10))
}

// Uint appends an integer to v, by the rules of numbers.
func (c *Cell) Uint(v *vector.Vector, x uint64) error {
	switch {
	case x <= math.MaxInt64:
		return c.Int(v, int64(x))
	case c.Type.Kind == types.Uint && c.Type.Bits == 64:
		v.AppendInt(int64(x))
		return nil
	}
	var text [20]byte
	return c.Number(v, strconv.AppendUint(text[:0], x, 10))
}

// Float appends a floating point number to v, by the rules of numbers; bits is 32 for one that had no more. NaN and
// infinities fit DOUBLE and FLOAT alone.
func (c *Cell) Float(v *vector.Vector, x float64, bits uint8) error {
	if c.Type.Kind == types.Double {
		if c.Type.Bits == 32 {
			narrow := float64(float32(x))
			if math.IsInf(narrow, 0) && !math.IsInf(x, 0) {
				return bad(c.Field, fmt.Errorf("%v as %s: %w", x, c.Type, types.ErrOutOfRange))
			}
			x = narrow
		}
		v.AppendFloat(x)
		return nil
	}
	var text [32]byte
	return c.Number(v, AppendDouble(text[:0], x, bits))
}
