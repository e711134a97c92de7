package types

import (
	"errors"
	"strconv"
)

// ErrNotTime is a text that is no date or time in the form wanted; test with errors.Is.
var ErrNotTime = errors.New("not a valid date or time; expected YYYY-MM-DD, HH:MM:SS or YYYY-MM-DD HH:MM:SS[.ffffff][Z|+hh:mm]")

// AppendDate appends YYYY-MM-DD.
func AppendDate(dst []byte, days int64) []byte {
	y, m, d := DateOf(days)
	if y < 0 || y > 9999 {
		dst = strconv.AppendInt(dst, int64(y), 10)
	} else {
		dst = appendDigits(dst, y, 4)
	}
	dst = append(dst, '-')
	dst = appendDigits(dst, m, 2)
	dst = append(dst, '-')
	return appendDigits(dst, d, 2)
}

// AppendTime appends [-]HH:MM:SS with the given number of fractional digits (the rest is cut); hours may exceed 24.
func AppendTime(dst []byte, micros int64, digits uint8) []byte {
	if micros < 0 {
		dst = append(dst, '-')
		micros = -micros
	}
	h := micros / MicrosPerHour
	if h < 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, h, 10)
	dst = append(dst, ':')
	dst = appendDigits(dst, int(micros/MicrosPerMinute%60), 2)
	dst = append(dst, ':')
	dst = appendDigits(dst, int(micros/MicrosPerSecond%60), 2)
	if digits > 0 {
		dst = append(dst, '.')
		dst = appendDigits(dst, int(micros%MicrosPerSecond), 6)
		dst = dst[:len(dst)-6+int(min(digits, 6))]
	}
	return dst
}

// AppendTimestamp appends YYYY-MM-DD HH:MM:SS, UTC, with the given number of fractional digits (the rest is cut).
func AppendTimestamp(dst []byte, micros int64, digits uint8) []byte {
	days := FloorDiv(micros, MicrosPerDay)
	dst = append(AppendDate(dst, days), ' ')
	return AppendTime(dst, micros-days*MicrosPerDay, digits)
}

// AppendISO appends YYYY-MM-DDTHH:MM:SS[.fff]Z (RFC 3339).
func AppendISO(dst []byte, micros int64, digits uint8) []byte {
	n := len(dst)
	dst = append(AppendTimestamp(dst, micros, digits), 'Z')
	for i := n; i < len(dst); i++ {
		if dst[i] == ' ' {
			dst[i] = 'T'
			break
		}
	}
	return dst
}

func appendDigits(dst []byte, v, width int) []byte {
	for p := pow(width - 1); p > 0; p /= 10 {
		dst = append(dst, byte('0'+v/p%10))
	}
	return dst
}

func pow(n int) int {
	p := 1
	for ; n > 0; n-- {
		p *= 10
	}
	return p
}

// cursor reads fixed forms from a text.
type cursor[T text] struct {
	s   T
	i   int
	end int
}

func (c *cursor[T]) digits(most int) (v, n int) {
	for n < most && c.i < c.end && c.s[c.i] >= '0' && c.s[c.i] <= '9' {
		v = v*10 + int(c.s[c.i]-'0')
		c.i++
		n++
	}
	return v, n
}

func (c *cursor[T]) accept(b byte) bool {
	if c.i < c.end && c.s[c.i] == b {
		c.i++
		return true
	}
	return false
}

// fraction reads .f…; digits after the sixth round half up, so it may return 1,000,000.
func (c *cursor[T]) fraction() (int, bool) {
	if !c.accept('.') {
		return 0, true
	}
	v, n := c.digits(6)
	if n == 0 {
		return 0, false
	}
	for ; n < 6; n++ {
		v *= 10
	}
	if d, n := c.digits(1); n == 1 && d >= 5 {
		v++
	}
	c.digits(len(c.s))
	return v, true
}

func (c *cursor[T]) date(v *Civil) bool {
	var n int
	if v.Year, n = c.digits(4); n != 4 || !c.accept('-') {
		return false
	}
	if v.Month, n = c.digits(2); n == 0 || !c.accept('-') {
		return false
	}
	v.Day, n = c.digits(2)
	return n > 0
}

func (c *cursor[T]) clock(v *Civil) bool {
	var n int
	if v.Hour, n = c.digits(2); n == 0 || !c.accept(':') {
		return false
	}
	if v.Minute, n = c.digits(2); n == 0 {
		return false
	}
	if c.accept(':') {
		if v.Second, n = c.digits(2); n == 0 {
			return false
		}
	}
	var ok bool
	v.Micro, ok = c.fraction()
	return ok
}

// zone reads Z, +hh:mm, +hhmm or +hh and returns the offset in microseconds.
func (c *cursor[T]) zone() (int64, bool) {
	if c.accept('Z') || c.accept('z') || c.i == c.end {
		return 0, true
	}
	sign := int64(1)
	if !c.accept('+') {
		if !c.accept('-') {
			return 0, false
		}
		sign = -1
	}
	h, n := c.digits(2)
	c.accept(':')
	m, k := c.digits(2)
	if n != 2 || k == 1 || h > 14 || m > 59 {
		return 0, false
	}
	return sign * (int64(h)*MicrosPerHour + int64(m)*MicrosPerMinute), true
}

// ParseTimestamp reads YYYY-MM-DD[ |T]HH:MM[:SS[.f…]][Z|±hh:mm] or a date alone into microseconds since the epoch. Without
// a zone the text is UTC. Fractions beyond microseconds round half up.
func ParseTimestamp[T text](s T) (int64, error) {
	c := cursor[T]{s: s}
	c.i, c.end = trimmed(s)
	var v Civil
	if !c.date(&v) {
		return 0, ErrNotTime
	}
	var offset int64
	if c.i < c.end {
		if !c.accept(' ') && !c.accept('T') && !c.accept('t') || !c.clock(&v) {
			return 0, ErrNotTime
		}
		c.accept(' ')
		var ok bool
		if offset, ok = c.zone(); !ok {
			return 0, ErrNotTime
		}
	}
	carry := v.Micro / 1_000_000
	v.Micro %= 1_000_000
	if c.i != c.end || !v.Valid() {
		return 0, ErrNotTime
	}
	return v.Micros() - offset + int64(carry)*MicrosPerSecond, nil
}

// ParseDate reads YYYY-MM-DD, or the date of a timestamp, into days since 1970-01-01.
func ParseDate[T text](s T) (int64, error) {
	us, err := ParseTimestamp(s)
	return FloorDiv(us, MicrosPerDay), err
}

// ParseTime reads [-]HHH:MM[:SS[.f…]], up to 838 hours as in MySQL, into microseconds.
func ParseTime[T text](s T) (int64, error) {
	c := cursor[T]{s: s}
	c.i, c.end = trimmed(s)
	negative := c.accept('-')
	h, n := c.digits(3)
	if n == 0 || !c.accept(':') {
		return 0, ErrNotTime
	}
	m, n := c.digits(2)
	if n == 0 || m > 59 || h > 838 {
		return 0, ErrNotTime
	}
	sec := 0
	if c.accept(':') {
		if sec, n = c.digits(2); n == 0 || sec > 59 {
			return 0, ErrNotTime
		}
	}
	us, ok := c.fraction()
	if !ok || c.i != c.end {
		return 0, ErrNotTime
	}
	v := int64(h)*MicrosPerHour + int64(m)*MicrosPerMinute + int64(sec)*MicrosPerSecond + int64(us)
	if negative {
		v = -v
	}
	return v, nil
}
