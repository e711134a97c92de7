package format

import (
	"fmt"
	"strconv"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// TimeWriter writes DATE, TIME and TIMESTAMP columns as Column.TimestampFormat says, so that a decoder of the same column
// reads the same values: numbers since the epoch (TIME: since midnight) for ms, s, us and ns, with a fraction where the
// value has one; text for a format string of MySQL's DATE_FORMAT; else the text of AppendPlain. A TIME below zero or beyond a day
// has no place in a format string and is written as AppendPlain does. It is immutable.
type TimeWriter struct {
	t       types.Type
	numbers bool
	days    bool
	digits  int    // as those of timeReader
	layout  string // "": none
}

// NewTimeWriter prepares the writing of a temporal column. It fails where a decoder of the column would.
func NewTimeWriter(c Column) (TimeWriter, error) {
	r, err := newTimeReader(c)
	w := TimeWriter{t: c.Type, digits: r.digits, days: r.days, numbers: c.TimestampFormat != "" && !r.isoOnly && r.layout == nil}
	if r.layout != nil {
		w.layout = r.layout.source
	}
	if err == nil && !c.Type.Temporal() {
		err = fmt.Errorf("column '%s': %s is not written as a time", c.Name, c.Type)
	}
	return w, err
}

// Numbers says whether what is written is a number; else it is text that a format may have to quote.
func (w *TimeWriter) Numbers() bool { return w.numbers }

// Append appends row i of v, which must not be NULL. It does not allocate when dst has room.
func (w *TimeWriter) Append(dst []byte, v *vector.Vector, i int) []byte {
	x := v.Ints[i]
	us := x
	if w.t.Kind == types.Date {
		us = x * types.MicrosPerDay
	}
	switch {
	case w.days:
		return strconv.AppendInt(dst, types.FloorDiv(us, types.MicrosPerDay), 10)
	case w.numbers:
		return appendUnits(dst, us, w.digits)
	case w.layout == "", w.t.Kind == types.Time && (us < 0 || us >= types.MicrosPerDay):
		return appendInts(dst, w.t, x)
	}
	return types.AppendFormat(dst, us, w.layout)
}

// appendUnits appends microseconds as a number of units of 10^digits microseconds, exactly.
func appendUnits(dst []byte, us int64, digits int) []byte {
	unit := int64(1)
	for range digits {
		unit *= 10
	}
	whole, rest := us/unit, us%unit
	if us < 0 && whole == 0 {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, whole, 10)
	if whole != 0 {
		for n := digits; n < 0; n++ {
			dst = append(dst, '0')
		}
	}
	if rest == 0 {
		return dst
	}
	if rest < 0 {
		rest = -rest
	}
	dst = append(dst, '.')
	for rest > 0 {
		unit /= 10
		dst = append(dst, byte('0'+rest/unit))
		rest %= unit
	}
	return dst
}
