package types

import (
	"cmp"
	"math"
	"strings"
)

// Value is one value at the edges of the engine: literals, test files, rows handed to Go code. Inside, values live in
// vectors. The zero Value is NULL.
type Value struct {
	Kind Kind
	I    int64   // Boolean, Int, Uint (bits), Date, Time, Timestamp
	F    float64 // Double
	D    Int128  // Decimal, unscaled
	S    string  // Varchar, Varbinary, JSON and nested
	// Scale is the scale of D.
	Scale uint8
}

// IsNull says whether v is NULL.
func (v Value) IsNull() bool { return v.Kind == Null }

// NewBool is a BOOLEAN.
func NewBool(b bool) Value {
	if b {
		return Value{Kind: Boolean, I: 1}
	}
	return Value{Kind: Boolean}
}

// NewInt is a BIGINT.
func NewInt(i int64) Value { return Value{Kind: Int, I: i} }

// NewUint is a BIGINT UNSIGNED.
func NewUint(u uint64) Value { return Value{Kind: Uint, I: int64(u)} }

// NewDouble is a DOUBLE.
func NewDouble(f float64) Value { return Value{Kind: Double, F: f} }

// NewDecimal is d / 10^scale.
func NewDecimal(d Int128, scale uint8) Value { return Value{Kind: Decimal, D: d, Scale: scale} }

// NewString is a VARCHAR.
func NewString(s string) Value { return Value{Kind: Varchar, S: s} }

// NewBinary is a VARBINARY.
func NewBinary(b []byte) Value { return Value{Kind: Varbinary, S: string(b)} }

// NewDate is a DATE in days since 1970-01-01.
func NewDate(days int64) Value { return Value{Kind: Date, I: days} }

// NewTime is a TIME in microseconds.
func NewTime(micros int64) Value { return Value{Kind: Time, I: micros} }

// NewTimestamp is a TIMESTAMP in microseconds since the epoch.
func NewTimestamp(micros int64) Value { return Value{Kind: Timestamp, I: micros} }

// NewJSON is a JSON document; the text is taken as it is.
func NewJSON(text string) Value { return Value{Kind: JSON, S: text} }

// Bool says whether v is true as a condition: not NULL and not zero. Text and temporal values are never true.
func (v Value) Bool() bool {
	switch v.Kind {
	case Boolean, Int, Uint:
		return v.I != 0
	case Double:
		return v.F != 0
	case Decimal:
		return !v.D.IsZero()
	}
	return false
}

// Float is a number as a double; 0 when v is not a number.
func (v Value) Float() float64 {
	switch v.Kind {
	case Boolean, Int:
		return float64(v.I)
	case Uint:
		return float64(uint64(v.I))
	case Double:
		return v.F
	case Decimal:
		return DecimalToFloat(v.D, v.Scale)
	}
	return 0
}

// Exact is an exact number as a decimal; false when v is none.
func (v Value) Exact() (d Int128, scale uint8, ok bool) {
	switch v.Kind {
	case Boolean, Int:
		return FromInt64(v.I), 0, true
	case Uint:
		return FromUint64(uint64(v.I)), 0, true
	case Decimal:
		return v.D, v.Scale, true
	}
	return Int128{}, 0, false
}

// CompareNulls is Compare for values that may be NULL, which comes first (MySQL manual, "Working with NULL Values").
func CompareNulls(a, b Value) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return -1
	case b.IsNull():
		return 1
	}
	return Compare(a, b)
}

// Compare is a total order: NULL first, numbers by value (NaN above all), strings by bytes, temporal values by time. Values
// that do not compare in SQL are ordered by kind.
func Compare(a, b Value) int {
	fa, fb := family(a.Kind), family(b.Kind)
	if fa != fb {
		return cmp.Compare(fa, fb)
	}
	switch fa {
	case famNumber:
		return compareNumbers(a, b)
	case famText, famNested:
		return strings.Compare(a.S, b.S)
	case famNull:
		return 0
	case famInstant:
		return cmp.Compare(instant(a), instant(b))
	}
	return cmp.Compare(a.I, b.I)
}

// Equal says whether two values are the same in the sense of Compare; NULL equals NULL here.
func Equal(a, b Value) bool { return Compare(a, b) == 0 }

const (
	famNull = iota
	famNumber
	famText
	famInstant
	famTime
	famNested
)

func family(k Kind) int {
	switch k {
	case Null:
		return famNull
	case Boolean, Int, Uint, Double, Decimal:
		return famNumber
	case Varchar, Varbinary:
		return famText
	case Date, Timestamp:
		return famInstant
	case Time:
		return famTime
	}
	return famNested
}

func instant(v Value) int64 {
	if v.Kind == Date {
		return v.I * MicrosPerDay
	}
	return v.I
}

func compareNumbers(a, b Value) int {
	if a.Kind == Double || b.Kind == Double {
		return CompareFloat(a.Float(), b.Float())
	}
	x, xs, _ := a.Exact()
	y, ys, _ := b.Exact()
	return CompareDecimal(x, xs, y, ys)
}

// CompareFloat orders doubles with -0 = 0 and one NaN above everything.
func CompareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	an, bn := math.IsNaN(a), math.IsNaN(b)
	switch {
	case an && bn:
		return 0
	case an:
		return 1
	}
	return -1
}
