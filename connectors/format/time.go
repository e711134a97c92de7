package format

import (
	"errors"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
)

var errNumberForISO = errors.New("a number where the format 'iso' wants a text; declare timestamp_format='ms' (or s, us, ns)")

// timeReader reads DATE, TIME and TIMESTAMP columns as Column.TimestampFormat says. Results are in the unit of the type
// (days or microseconds), rounded to its fractional digits as MySQL rounds on storing.
type timeReader struct {
	t       types.Type
	digits  int  // 6: microseconds … the decimal exponent from the number's unit to microseconds; -3 for ns
	isoOnly bool // numbers are refused
	days    bool // numbers are days
	layout  *timeLayout
}

func newTimeReader(c Column) (timeReader, error) {
	r := timeReader{t: c.Type, digits: 3}
	switch strings.ToLower(c.TimestampFormat) {
	case "", "ms":
	case "s":
		r.digits = 6
	case "us":
		r.digits = 0
	case "ns":
		r.digits = -3
	case "days":
		r.days = true
	case "iso":
		r.isoOnly = true
	default:
		if !strings.Contains(c.TimestampFormat, "%") {
			return r, fmt.Errorf("column '%s': timestamp_format '%s' is unknown: use ms, s, us, ns, iso, or a format string such as '%%Y-%%m-%%d %%H:%%i:%%s'", c.Name, c.TimestampFormat)
		}
		var err error
		if r.layout, err = newTimeLayout(c.TimestampFormat); err != nil {
			return r, fmt.Errorf("column '%s': %w", c.Name, err)
		}
	}
	return r, nil
}

func (r *timeReader) number(s []byte) (int64, error) {
	if r.layout != nil {
		return r.text(s)
	}
	if r.isoOnly {
		return 0, errNumberForISO
	}
	if r.days {
		days, err := types.ParseInt(s)
		if err == nil && (days > afterLast/types.MicrosPerDay || days < firstMicro/types.MicrosPerDay) {
			err = types.ErrOutOfRange
		}
		if err != nil {
			return 0, err
		}
		return r.fromMicros(days * types.MicrosPerDay)
	}
	us, err := micros(s, r.digits)
	if err != nil {
		return 0, err
	}
	return r.fromMicros(us)
}

// micros reads a number times 10^digits as an integer, rounding half away from zero.
func micros(s []byte, digits int) (int64, error) {
	if digits < 0 {
		d, err := types.ParseDecimal(s, types.MaxDecimalDigits, 0)
		if err != nil {
			return 0, err
		}
		d, _ = types.DivRound(d, types.Pow10(-digits))
		us, ok := d.Int64()
		if !ok {
			return 0, types.ErrOutOfRange
		}
		return us, nil
	}
	if us, ok := shortDecimal(s, uint8(digits)); ok {
		return us, nil
	}
	d, err := types.ParseDecimal(s, types.MaxDecimalDigits, uint8(digits))
	if err != nil {
		return 0, err
	}
	us, ok := d.Int64()
	if !ok {
		return 0, types.ErrOutOfRange
	}
	return us, nil
}

// The calendar of MySQL: years 0000 to 9999.
var (
	firstMicro = types.Civil{Year: 0, Month: 1, Day: 1}.Micros()
	afterLast  = types.Civil{Year: 10000, Month: 1, Day: 1}.Micros()
)

// fromMicros brings microseconds since the epoch (TIME: since midnight) to the type.
func (r *timeReader) fromMicros(us int64) (int64, error) {
	switch r.t.Kind {
	case types.Time:
		if us = types.RoundMicros(us, r.t.Precision); us >= maxTime || us <= -maxTime {
			return 0, types.ErrOutOfRange
		}
		return us, nil
	case types.Timestamp:
		us = types.RoundMicros(us, r.t.Precision)
	}
	if us < firstMicro || us >= afterLast {
		return 0, types.ErrOutOfRange
	}
	if r.t.Kind == types.Date {
		us = types.FloorDiv(us, types.MicrosPerDay)
	}
	return us, nil
}

// maxTime is just beyond the largest TIME of MySQL, 838:59:59.
const maxTime = 839 * types.MicrosPerHour

func (r *timeReader) text(s []byte) (int64, error) {
	if r.layout != nil {
		us, err := r.layout.parse(s)
		if err != nil {
			return 0, err
		}
		return r.fromMicros(us)
	}
	if !r.isoOnly && numeric(s) {
		return r.number(s)
	}
	parse := types.ParseTimestamp[[]byte]
	if r.t.Kind == types.Time {
		parse = types.ParseTime[[]byte]
	}
	us, err := parse(s)
	if err != nil {
		return 0, err
	}
	return r.fromMicros(us)
}

// numeric says whether a text is nothing but a number: such a text counts as the number.
func numeric(s []byte) bool {
	digits := 0
	for i, b := range s {
		switch {
		case b >= '0' && b <= '9':
			digits++
		case b == '.' || b == '-' && i == 0:
		default:
			return false
		}
	}
	return digits > 0
}
