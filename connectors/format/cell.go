package format

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Cell converts what a format finds in a field — a text, a number, a truth value — into values of one column. It is
// immutable. Nothing is appended on an error, which is a *BadRecord with the column's path.
//
// Numbers are exact: an integer column takes every number whose value is integral however it is written (1.0, 1e3), a
// DECIMAL rounds half away from zero, what does not fit is an error and never clipped. A number in a text ("41") counts as
// the number. VARCHAR takes numbers and truth values as they are written; its declared length does not cut. BOOLEAN takes
// true, false, 1, 0 and those in a text.
type Cell struct {
	Type  types.Type
	Field string // for messages
	time  timeReader
	lo    int64 // range of Int
	hi    int64
}

// NewCell prepares the conversion to a column. It fails for a TimestampFormat that cannot be read.
func NewCell(c Column) (Cell, error) {
	cell := Cell{Type: c.Type, Field: strings.Join(c.FieldPath(), ".")}
	cell.lo, cell.hi = types.IntRange(c.Type.Bits)
	var err error
	if c.Type.Temporal() {
		cell.time, err = newTimeReader(c)
	}
	return cell, err
}

// Cells prepares the conversions to columns.
func Cells(cols []Column) ([]Cell, error) {
	cells := make([]Cell, len(cols))
	for i, c := range cols {
		var err error
		if cells[i], err = NewCell(c); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// Text appends a text to v.
func (c *Cell) Text(v *vector.Vector, s []byte) error {
	switch c.Type.Kind {
	case types.Varchar:
		if !utf8.Valid(s) {
			return c.Bad(InvalidUTF8, "%s is not valid UTF-8", Shown(s))
		}
		v.AppendBytes(s)
	case types.Varbinary:
		v.AppendBytes(s)
	case types.Int, types.Uint, types.Double, types.Decimal:
		return c.Number(v, s)
	case types.Boolean:
		return c.boolText(v, s)
	case types.Date, types.Time, types.Timestamp:
		x, err := c.time.text(s)
		if err != nil {
			return c.wrap(s, err)
		}
		v.AppendInt(x)
	default:
		return c.Bad(WrongType, "the text %s is not a %s", Shown(s), c.Type)
	}
	return nil
}

// Number appends a number, as it is written, to v.
func (c *Cell) Number(v *vector.Vector, s []byte) error {
	switch c.Type.Kind {
	case types.Int:
		x, err := types.ParseInt(s)
		if err == nil && (x < c.lo || x > c.hi) {
			err = types.ErrOutOfRange
		}
		if err != nil {
			return c.wrap(s, err)
		}
		v.AppendInt(x)
	case types.Uint:
		x, err := types.ParseUint(s)
		if err == nil && x > types.UintMax(c.Type.Bits) {
			err = types.ErrOutOfRange
		}
		if err != nil {
			return c.wrap(s, err)
		}
		v.AppendInt(int64(x))
	case types.Double:
		return c.double(v, s)
	case types.Decimal:
		return c.decimal(v, s)
	case types.Boolean:
		x, err := types.ParseInt(s)
		if err != nil || x != 0 && x != 1 {
			return c.Bad(WrongType, "%s is not a truth value: expected true, false, 1 or 0", Shown(s))
		}
		v.AppendInt(x)
	case types.Varchar:
		v.AppendBytes(s)
	case types.Date, types.Time, types.Timestamp:
		x, err := c.time.number(s)
		if err != nil {
			return c.wrap(s, err)
		}
		v.AppendInt(x)
	default:
		return c.Bad(WrongType, "the number %s is not a %s", Shown(s), c.Type)
	}
	return nil
}

// Bool appends a truth value to v.
func (c *Cell) Bool(v *vector.Vector, value bool) error {
	x, s := int64(0), "false"
	if value {
		x, s = 1, "true"
	}
	switch c.Type.Kind {
	case types.Boolean:
		v.AppendInt(x)
	case types.Varchar:
		v.AppendString(s)
	default:
		return c.Bad(WrongType, "%s is not a %s", s, c.Type)
	}
	return nil
}

// Micros appends a time that is given in microseconds since the epoch (TIME: since midnight) to v, the column of a DATE,
// TIME or TIMESTAMP.
func (c *Cell) Micros(v *vector.Vector, us int64) error {
	x, err := c.time.fromMicros(us)
	if err != nil {
		return bad(c.Field, fmt.Errorf("%d µs as %s: %w", us, c.Type, err))
	}
	v.AppendInt(x)
	return nil
}

// Bad makes the error of a value that is wrong for the column.
func (c *Cell) Bad(reason Reason, text string, args ...any) error {
	return &BadRecord{Reason: reason, Field: c.Field, Err: fmt.Errorf(text, args...)}
}

func (c *Cell) wrap(s []byte, err error) error {
	return bad(c.Field, fmt.Errorf("%s as %s: %w", Shown(s), c.Type, err))
}

func (c *Cell) boolText(v *vector.Vector, s []byte) error {
	switch t := bytes.TrimSpace(s); {
	case bytes.EqualFold(t, []byte("true")):
		v.AppendInt(1)
	case bytes.EqualFold(t, []byte("false")):
		v.AppendInt(0)
	default:
		return c.Number(v, s)
	}
	return nil
}

var errBlankNumber = errors.New("not a number: the text is blank")

func (c *Cell) double(v *vector.Vector, s []byte) error {
	t := bytes.TrimSpace(s)
	if len(t) == 0 {
		return c.wrap(s, errBlankNumber)
	}
	// strconv also reads hexadecimal, underscores, "inf" and "nan".
	for _, b := range t {
		if (b < '0' || b > '9') && b != '.' && b != '-' && b != '+' && b != 'e' && b != 'E' {
			return c.wrap(s, types.ErrNotNumber)
		}
	}
	size := 64
	if c.Type.Bits == 32 {
		size = 32
	}
	// The string lives for this call only: no copy.
	f, err := strconv.ParseFloat(unsafe.String(&t[0], len(t)), size)
	switch {
	case err != nil && math.IsInf(f, 0):
		return c.wrap(s, types.ErrOutOfRange)
	case err != nil:
		return c.wrap(s, types.ErrNotNumber)
	}
	v.AppendFloat(f)
	return nil
}

func (c *Cell) decimal(v *vector.Vector, s []byte) error {
	if x, ok := shortDecimal(s, c.Type.Scale); ok {
		d := types.FromInt64(x)
		if types.FitsDecimal(d, int(c.Type.Precision)) {
			v.AppendDec(d)
			return nil
		}
	}
	d, err := types.ParseDecimal(s, c.Type.Precision, c.Type.Scale)
	if err != nil {
		return c.wrap(s, err)
	}
	v.AppendDec(d)
	return nil
}

// shortDecimal reads [-]digits[.digits] of at most 18 digits at the scale, without rounding; false for everything else.
func shortDecimal(s []byte, scale uint8) (int64, bool) {
	i, negative := 0, false
	if len(s) > 0 && s[0] == '-' {
		i, negative = 1, true
	}
	if len(s) == i || len(s)-i > 18 {
		return 0, false
	}
	var x int64
	point, digits := -1, 0
	for ; i < len(s); i++ {
		b := s[i] - '0'
		if b <= 9 {
			x = x*10 + int64(b)
			digits++
			continue
		}
		if s[i] != '.' || point >= 0 {
			return 0, false
		}
		point = digits
	}
	missing := int(scale)
	if point >= 0 {
		missing -= digits - point
	}
	if digits == 0 || missing < 0 || digits+missing > 18 {
		return 0, false
	}
	for ; missing > 0; missing-- {
		x *= 10
	}
	if negative {
		x = -x
	}
	return x, true
}
