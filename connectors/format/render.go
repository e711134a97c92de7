package format

import (
	"math"
	"strconv"

	"github.com/streamsql-go/streamsql/sql/types"
)

func appendInts(dst []byte, t types.Type, x int64) []byte {
	switch t.Kind {
	case types.Uint:
		return strconv.AppendUint(dst, uint64(x), 10)
	case types.Date:
		return types.AppendDate(dst, x)
	case types.Time:
		return types.AppendTime(dst, x, t.Precision)
	case types.Timestamp:
		return types.AppendISO(dst, x, t.Precision)
	}
	return strconv.AppendInt(dst, x, 10)
}

// AppendDouble appends the shortest text that reads back as f, laid out as ECMAScript's Number::toString does: without
// exponent from 1e-6 up to 1e21. Bits is 32 for FLOAT. NaN and infinities are written as Go does, which is not JSON.
func AppendDouble(dst []byte, f float64, bits uint8) []byte {
	size := 64
	if bits == 32 {
		size = 32
	}
	a := math.Abs(f)
	small := a != 0 && a < 1e-6
	if size == 32 {
		small = a != 0 && float32(a) < 1e-6
	}
	if !small && a < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, size)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, size)
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' { // e-09 is e-9
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
