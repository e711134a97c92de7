package types

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrCast is wrapped by every error of Cast.
var ErrCast = errors.New("cannot cast")

func castError(v Value, t Type, why string) error {
	s := v.Text()
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	if v.Kind == Varchar || v.Kind == JSON {
		s = quote(s)
	}
	return fmt.Errorf("%w %s to %s: %s", ErrCast, s, t, why)
}

// Cast converts a value to a type. NULL stays NULL. Numbers round half away from zero (a DOUBLE to an integer: half to
// even); what does not fit, and text that is not a number or time, is an error and never a wrong value (MySQL would give 0
// or clip, with a warning). A number becomes a TIMESTAMP as milliseconds since the epoch, and a TIMESTAMP such a number.
// Text longer than VARCHAR(n) is cut to n characters. JSON scalars convert as the scalar; JSON null becomes NULL.
func Cast(v Value, t Type) (Value, error) {
	if v.IsNull() || t.Kind == Null {
		return Value{}, nil
	}
	if t.Kind != Varchar && t.Kind != Varbinary && !t.Nested() && family(v.Kind) == famNested {
		return castJSON(v, t)
	}
	switch t.Kind {
	case Boolean:
		return castBool(v, t)
	case Int:
		return castInt(v, t)
	case Uint:
		return castUint(v, t)
	case Double:
		return castDouble(v, t)
	case Decimal:
		return castDecimal(v, t)
	case Varchar, Varbinary:
		return castText(v, t)
	case Date, Time, Timestamp:
		return castTemporal(v, t)
	}
	return castNested(v, t)
}

func castBool(v Value, t Type) (Value, error) {
	switch family(v.Kind) {
	case famNumber:
		return NewBool(v.Bool()), nil
	case famText:
		if b, ok := ParseBool(v.S); ok {
			return NewBool(b), nil
		}
		return Value{}, castError(v, t, "not a truth value (true, false or a number)")
	}
	return Value{}, castError(v, t, "not a number")
}

// ParseBool reads true, false (in any case) or a number.
func ParseBool(s string) (value, ok bool) {
	switch {
	case strings.EqualFold(s, "true"):
		return true, true
	case strings.EqualFold(s, "false"):
		return false, true
	}
	f, err := ParseDouble(s)
	return f != 0, err == nil
}

// IntRange is the range of an Int type, as a number of bits.
func IntRange(bits uint8) (lo, hi int64) {
	if bits == 0 || bits >= 64 {
		return math.MinInt64, math.MaxInt64
	}
	return -1 << (bits - 1), 1<<(bits-1) - 1
}

// UintMax is the largest value of a Uint type.
func UintMax(bits uint8) uint64 {
	if bits == 0 || bits >= 64 {
		return math.MaxUint64
	}
	return 1<<bits - 1
}

func castInt(v Value, t Type) (Value, error) {
	d, err := integral(v, t)
	if err != nil {
		return Value{}, err
	}
	lo, hi := IntRange(t.Bits)
	i, ok := d.Int64()
	if !ok || i < lo || i > hi {
		return Value{}, castError(v, t, "out of range")
	}
	return NewInt(i), nil
}

func castUint(v Value, t Type) (Value, error) {
	d, err := integral(v, t)
	if err != nil {
		return Value{}, err
	}
	u, ok := d.Uint64()
	if !ok || u > UintMax(t.Bits) {
		return Value{}, castError(v, t, "out of range")
	}
	return NewUint(u), nil
}

func integral(v Value, t Type) (Int128, error) {
	switch v.Kind {
	case Boolean, Int, Uint, Decimal:
		d, scale, _ := v.Exact()
		r, _ := Rescale(d, scale, 0)
		return r, nil
	case Double:
		d, ok := FloatToDecimal(math.RoundToEven(v.F), 0)
		if !ok {
			return Int128{}, castError(v, t, "out of range")
		}
		return d, nil
	case Varchar, Varbinary:
		d, inexact, err := scanDecimal(v.S, 0)
		if err == nil && inexact {
			err = ErrInexact
		}
		if err != nil {
			return Int128{}, castError(v, t, err.Error())
		}
		return d, nil
	case Timestamp:
		return FromInt64(FloorDiv(v.I, MicrosPerMilli)), nil
	}
	return Int128{}, castError(v, t, "not a number")
}

func castDouble(v Value, t Type) (Value, error) {
	var f float64
	switch family(v.Kind) {
	case famNumber:
		f = v.Float()
	case famText:
		var err error
		if f, err = ParseDouble(v.S); err != nil {
			return Value{}, castError(v, t, err.Error())
		}
	default:
		return Value{}, castError(v, t, "not a number")
	}
	if t.Bits == 32 {
		f32 := float64(float32(f))
		if math.IsInf(f32, 0) && !math.IsInf(f, 0) {
			return Value{}, castError(v, t, "out of range")
		}
		f = f32
	}
	return NewDouble(f), nil
}

func castDecimal(v Value, t Type) (Value, error) {
	var d Int128
	ok := true
	switch v.Kind {
	case Boolean, Int, Uint, Decimal:
		x, scale, _ := v.Exact()
		d, ok = Rescale(x, scale, t.Scale)
	case Double:
		d, ok = FloatToDecimal(v.F, t.Scale)
	case Varchar, Varbinary:
		var err error
		if d, err = ParseDecimal(v.S, t.Precision, t.Scale); err != nil {
			return Value{}, castError(v, t, err.Error())
		}
	default:
		return Value{}, castError(v, t, "not a number")
	}
	if !ok || !FitsDecimal(d, int(t.Precision)) {
		return Value{}, castError(v, t, "out of range")
	}
	return NewDecimal(d, t.Scale), nil
}

func castText(v Value, t Type) (Value, error) {
	s := v.S
	switch family(v.Kind) {
	case famText, famNested:
	default:
		s = v.Text()
	}
	if t.Length > 0 {
		s = Truncate(s, t)
	}
	return Value{Kind: t.Kind, S: s}, nil
}

// Truncate cuts text to the declared length of t: characters for VARCHAR(n), bytes for VARBINARY(n).
func Truncate[T text](s T, t Type) T {
	if t.Length <= 0 || len(s) <= t.Length {
		return s
	}
	if t.Kind == Varbinary {
		return s[:t.Length]
	}
	i := 0
	for n := 0; n < t.Length && i < len(s); n++ {
		_, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		i += size
	}
	return s[:i]
}

func castTemporal(v Value, t Type) (Value, error) {
	var us int64
	var err error
	switch {
	case v.Kind == t.Kind:
		us = v.I
	case v.Kind == Date && t.Kind == Timestamp:
		return NewTimestamp(v.I * MicrosPerDay), nil
	case v.Kind == Timestamp && t.Kind == Date:
		return NewDate(FloorDiv(v.I, MicrosPerDay)), nil
	case v.Kind == Timestamp && t.Kind == Time:
		us = v.I - FloorDiv(v.I, MicrosPerDay)*MicrosPerDay
	case family(v.Kind) == famText && t.Kind == Date:
		us, err = ParseDate(v.S)
	case family(v.Kind) == famText && t.Kind == Time:
		us, err = ParseTime(v.S)
	case family(v.Kind) == famText:
		us, err = ParseTimestamp(v.S)
	case family(v.Kind) == famNumber && t.Kind == Timestamp:
		us, err = millis(v, t)
	default:
		err = fmt.Errorf("%s does not convert", kindName(v.Kind))
	}
	if err != nil {
		return Value{}, castError(v, t, err.Error())
	}
	if t.Kind != Date {
		us = RoundMicros(us, t.Precision)
	}
	return Value{Kind: t.Kind, I: us}, nil
}

func kindName(k Kind) string { return Type{Kind: k, Elem: &TNull}.String() }

func millis(v Value, t Type) (int64, error) {
	m, err := castDecimal(v, TDecimal(18, 3))
	if err != nil {
		return 0, ErrOutOfRange
	}
	us, ok := m.D.Int64()
	if !ok || us <= Never || us >= Forever {
		return 0, ErrOutOfRange
	}
	return us, nil
}

func castJSON(v Value, t Type) (Value, error) {
	s := strings.TrimSpace(v.S)
	switch {
	case s == "null":
		return Value{}, nil
	case s == "true" || s == "false":
		return Cast(NewBool(s == "true"), t)
	case strings.HasPrefix(s, `"`):
		var text string
		if err := json.Unmarshal([]byte(s), &text); err != nil {
			return Value{}, castError(v, t, "not valid JSON")
		}
		return Cast(NewString(text), t)
	case strings.HasPrefix(s, "{") || strings.HasPrefix(s, "["):
		return Value{}, castError(v, t, "not a scalar")
	}
	if t.Kind == Timestamp {
		d, scale, err := ParseNumber(s)
		if err != nil {
			return Value{}, castError(v, t, err.Error())
		}
		return Cast(NewDecimal(d, scale), t)
	}
	return Cast(NewString(s), t)
}

func castNested(v Value, t Type) (Value, error) {
	switch family(v.Kind) {
	case famNested:
		return Value{Kind: t.Kind, S: v.S}, nil
	case famText:
		if !json.Valid([]byte(v.S)) {
			return Value{}, castError(v, t, "not valid JSON")
		}
		return Value{Kind: t.Kind, S: v.S}, nil
	}
	if t.Kind != JSON {
		return Value{}, castError(v, t, "not a document")
	}
	switch v.Kind {
	case Boolean:
		return NewJSON(fmt.Sprint(v.I != 0)), nil
	case Date, Time, Timestamp:
		return NewJSON(`"` + v.Text() + `"`), nil
	}
	return NewJSON(v.Text()), nil
}

// ToAny is v as a plain Go value: nil, bool, int64, uint64, float64, string (also for DECIMAL, DATE and TIME, so that
// nothing is lost), []byte for VARBINARY, time.Time for TIMESTAMP, json.RawMessage for JSON and nested types.
func (v Value) ToAny() any {
	switch v.Kind {
	case Null:
		return nil
	case Boolean:
		return v.I != 0
	case Int:
		return v.I
	case Uint:
		return uint64(v.I)
	case Double:
		return v.F
	case Varbinary:
		return []byte(v.S)
	case Timestamp:
		return time.UnixMicro(v.I).UTC()
	case JSON, Array, Map, Struct:
		return json.RawMessage(v.S)
	}
	return v.Text()
}

// FromAny is the inverse of ToAny, and takes every Go integer and float type, json.Number, time.Duration (as TIME), and
// Value itself; anything else is marshalled to JSON.
func FromAny(x any) (Value, error) {
	switch x := x.(type) {
	case nil:
		return Value{}, nil
	case Value:
		return x, nil
	case bool:
		return NewBool(x), nil
	case int:
		return NewInt(int64(x)), nil
	case int8:
		return NewInt(int64(x)), nil
	case int16:
		return NewInt(int64(x)), nil
	case int32:
		return NewInt(int64(x)), nil
	case int64:
		return NewInt(x), nil
	case uint:
		return NewUint(uint64(x)), nil
	case uint8:
		return NewUint(uint64(x)), nil
	case uint16:
		return NewUint(uint64(x)), nil
	case uint32:
		return NewUint(uint64(x)), nil
	case uint64:
		return NewUint(x), nil
	case float32:
		return NewDouble(float64(x)), nil
	case float64:
		return NewDouble(x), nil
	case json.Number:
		v, _, err := ParseLiteral(x.String())
		return v, err
	case string:
		return NewString(x), nil
	case []byte:
		return NewBinary(x), nil
	case json.RawMessage:
		return NewJSON(string(x)), nil
	case time.Time:
		return NewTimestamp(x.UnixMicro()), nil
	case time.Duration:
		return NewTime(x.Microseconds()), nil
	}
	b, err := json.Marshal(x)
	if err != nil {
		return Value{}, fmt.Errorf("a Go %T is not a SQL value: %w", x, err)
	}
	return NewJSON(string(b)), nil
}
