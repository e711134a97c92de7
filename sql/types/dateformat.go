package types

import (
	"strconv"
	"strings"
	"time"
)

// AppendFormat appends a timestamp in a MySQL format string (MySQL manual, DATE_FORMAT). A % before any other character
// stands for that character.
func AppendFormat[T text](dst []byte, micros int64, format T) []byte {
	c := CivilOf(micros)
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			dst = append(dst, format[i])
			continue
		}
		i++
		dst = c.appendSpecifier(dst, format[i])
	}
	return dst
}

func (c Civil) weekday() time.Weekday {
	d := DaysOf(c.Year, c.Month, c.Day) + 4
	return time.Weekday(d - FloorDiv(d, 7)*7)
}

func (c Civil) hour12() int { return (c.Hour+11)%12 + 1 }

func (c Civil) half() string {
	if c.Hour < 12 {
		return "AM"
	}
	return "PM"
}

func (c Civil) yearDay() int { return int(DaysOf(c.Year, c.Month, c.Day)-DaysOf(c.Year, 1, 1)) + 1 }

func (c Civil) appendSpecifier(dst []byte, spec byte) []byte {
	switch spec {
	case 'Y':
		return appendDigits(dst, c.Year, 4)
	case 'y':
		return appendDigits(dst, c.Year%100, 2)
	case 'm':
		return appendDigits(dst, c.Month, 2)
	case 'c':
		return strconv.AppendInt(dst, int64(c.Month), 10)
	case 'd':
		return appendDigits(dst, c.Day, 2)
	case 'e':
		return strconv.AppendInt(dst, int64(c.Day), 10)
	case 'D':
		return append(strconv.AppendInt(dst, int64(c.Day), 10), ordinal(c.Day)...)
	case 'j':
		return appendDigits(dst, c.yearDay(), 3)
	case 'M':
		return append(dst, time.Month(c.Month).String()...)
	case 'b':
		return append(dst, time.Month(c.Month).String()[:3]...)
	case 'W':
		return append(dst, c.weekday().String()...)
	case 'a':
		return append(dst, c.weekday().String()[:3]...)
	case 'w':
		return strconv.AppendInt(dst, int64(c.weekday()), 10)
	case 'U', 'u', 'V', 'v':
		_, week := c.Week(spec)
		return appendDigits(dst, week, 2)
	case 'X', 'x':
		year, _ := c.Week(spec)
		return appendDigits(dst, year, 4)
	}
	return c.appendClockSpecifier(dst, spec)
}

func (c Civil) appendClockSpecifier(dst []byte, spec byte) []byte {
	switch spec {
	case 'H':
		return appendDigits(dst, c.Hour, 2)
	case 'k':
		return strconv.AppendInt(dst, int64(c.Hour), 10)
	case 'h', 'I':
		return appendDigits(dst, c.hour12(), 2)
	case 'l':
		return strconv.AppendInt(dst, int64(c.hour12()), 10)
	case 'i':
		return appendDigits(dst, c.Minute, 2)
	case 's', 'S':
		return appendDigits(dst, c.Second, 2)
	case 'f':
		return appendDigits(dst, c.Micro, 6)
	case 'p':
		return append(dst, c.half()...)
	case 'r':
		return append(append(appendClock(dst, c.hour12(), c.Minute, c.Second), ' '), c.half()...)
	case 'T':
		return appendClock(dst, c.Hour, c.Minute, c.Second)
	}
	return append(dst, spec)
}

func appendClock(dst []byte, hour, minute, second int) []byte {
	dst = append(appendDigits(dst, hour, 2), ':')
	dst = append(appendDigits(dst, minute, 2), ':')
	return appendDigits(dst, second, 2)
}

func ordinal(n int) string {
	switch {
	case n/10 == 1:
		return "th"
	case n%10 == 1:
		return "st"
	case n%10 == 2:
		return "nd"
	case n%10 == 3:
		return "rd"
	}
	return "th"
}

// Week is the year and week of a date as the specifier counts: U and V weeks from Sunday, u and v from Monday; V and v
// (with X and x for the year) number weeks 1 to 53, the first days of January may belong to the year before; U and u count
// 0 to 53. V is MySQL's mode 2, v mode 3 (ISO 8601), U mode 0, u mode 1.
func (c Civil) Week(spec byte) (year, week int) {
	switch spec {
	case 'v', 'x':
		return time.Date(c.Year, time.Month(c.Month), c.Day, 0, 0, 0, 0, time.UTC).ISOWeek()
	case 'u': // week 1 is the first with four days or more in the year
		jan := Civil{Year: c.Year, Month: 1, Day: 1}
		offset := (int(jan.weekday()) + 6) % 7 // days since Monday
		if offset <= 3 {
			return c.Year, (c.yearDay()-1+offset)/7 + 1
		}
		return c.Year, (c.yearDay() - 1 + offset) / 7
	}
	week = (c.yearDay() + 6 - int(c.weekday())) / 7 // Sundays so far
	if spec == 'U' || week > 0 {
		return c.Year, week
	}
	last := Civil{Year: c.Year - 1, Month: 12, Day: 31}
	return c.Year - 1, (last.yearDay() + 6 - int(last.weekday())) / 7
}

// ParseFormat reads a timestamp in a MySQL format string (MySQL manual, STR_TO_DATE). Parts the format does not name are
// those of 1970-01-01 00:00:00. Blanks in the format match any number of blanks.
func ParseFormat[T text](s, format T) (int64, error) {
	p := formatParser[T]{cursor: cursor[T]{s: s, end: len(s)}, c: Civil{Year: 1970, Month: 1, Day: 1}, half: -1}
	for i := 0; i < len(format); i++ {
		switch b := format[i]; {
		case isSpace(b):
			p.blanks()
		case b != '%' || i+1 == len(format):
			if !p.accept(b) {
				return 0, ErrNotTime
			}
		default:
			i++
			p.blanks() // MySQL skips blanks before every part
			if !p.specifier(format[i]) {
				return 0, ErrNotTime
			}
		}
	}
	p.blanks()
	if p.half >= 0 {
		if p.c.Hour < 1 || p.c.Hour > 12 {
			return 0, ErrNotTime
		}
		p.c.Hour = p.c.Hour%12 + 12*p.half
	}
	if p.yearDay > 0 {
		p.c.Month, p.c.Day = 1, 1
		y, m, d := DateOf(DaysOf(p.c.Year, 1, 1) + int64(p.yearDay) - 1)
		if y != p.c.Year {
			return 0, ErrNotTime
		}
		p.c.Month, p.c.Day = m, d
	}
	if p.i != p.end || !p.c.Valid() {
		return 0, ErrNotTime
	}
	return p.c.Micros(), nil
}

type formatParser[T text] struct {
	cursor[T]
	c       Civil
	half    int // -1 none, 0 AM, 1 PM
	yearDay int
}

func (p *formatParser[T]) blanks() {
	for p.i < p.end && isSpace(p.s[p.i]) {
		p.i++
	}
}

func (p *formatParser[T]) number(into *int, most int) bool {
	v, n := p.digits(most)
	*into = v
	return n > 0
}

func (p *formatParser[T]) specifier(spec byte) bool {
	switch spec {
	case 'Y':
		return p.number(&p.c.Year, 4)
	case 'y':
		ok := p.number(&p.c.Year, 2)
		if p.c.Year < 70 { // MySQL: 70-99 are 19xx
			p.c.Year += 100
		}
		p.c.Year += 1900
		return ok
	case 'm', 'c':
		return p.number(&p.c.Month, 2)
	case 'd', 'e':
		return p.number(&p.c.Day, 2)
	case 'D':
		ok := p.number(&p.c.Day, 2)
		p.i = min(p.i+2, p.end)
		return ok
	case 'j':
		return p.number(&p.yearDay, 3) && p.yearDay > 0
	case 'H', 'k', 'h', 'I', 'l':
		return p.number(&p.c.Hour, 2)
	case 'i':
		return p.number(&p.c.Minute, 2)
	case 's', 'S':
		return p.number(&p.c.Second, 2)
	case 'f':
		v, n := p.digits(6)
		for k := n; k < 6; k++ {
			v *= 10
		}
		p.c.Micro = v
		p.digits(3) // nanoseconds are cut
		return n > 0
	case 'p':
		return p.word([]string{"AM", "PM"}, &p.half, 2)
	case 'M', 'b':
		var m int
		ok := p.month(&m, spec)
		p.c.Month = m + 1
		return ok
	case 'W', 'a':
		return p.weekdayName(spec)
	case 'T':
		return p.specifier('H') && p.accept(':') && p.specifier('i') && p.accept(':') && p.specifier('s')
	case 'r':
		p.half = 0
		return p.specifier('T') && p.accept(' ') && p.specifier('p')
	}
	return p.accept(spec)
}

// word reads one of the names, of which the first n letters are written (0: all).
func (p *formatParser[T]) word(names []string, into *int, n int) bool {
	for k, name := range names {
		if n > 0 {
			name = name[:n]
		}
		if p.i+len(name) <= p.end && strings.EqualFold(string(p.s[p.i:p.i+len(name)]), name) {
			p.i += len(name)
			*into = k
			return true
		}
	}
	return false
}

func (p *formatParser[T]) month(into *int, spec byte) bool {
	names := make([]string, 12)
	for i := range names {
		names[i] = time.Month(i + 1).String()
	}
	if spec == 'b' {
		return p.word(names, into, 3)
	}
	return p.word(names, into, 0)
}

func (p *formatParser[T]) weekdayName(spec byte) bool {
	names := make([]string, 7)
	for i := range names {
		names[i] = time.Weekday(i).String()
	}
	var day int
	if spec == 'a' {
		return p.word(names, &day, 3)
	}
	return p.word(names, &day, 0)
}
