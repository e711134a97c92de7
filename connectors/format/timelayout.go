package format

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
)

// timeLayout is a compiled format string of MySQL's STR_TO_DATE (MySQL 8 manual, DATE_FORMAT's table of specifiers). The
// text is taken as UTC. Parts the format does not name are those of 1970-01-01 00:00:00; a text with more than the format
// describes is refused.
type timeLayout struct {
	steps  []layoutStep
	source string
}

type layoutStep struct {
	spec    byte   // a specifier; 0: literal; ' ': any blanks
	literal []byte // for 0
}

func newTimeLayout(source string) (*timeLayout, error) {
	l := &timeLayout{source: source}
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == ' ':
			l.steps = append(l.steps, layoutStep{spec: ' '})
		case c != '%':
			l.literal(c)
		case i+1 == len(source):
			return nil, fmt.Errorf("timestamp_format '%s' ends in a lone %%: write %%%% for a percent sign", source)
		default:
			i++
			if err := l.specifier(source[i]); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

func (l *timeLayout) literal(c byte) {
	if n := len(l.steps); n > 0 && l.steps[n-1].spec == 0 {
		l.steps[n-1].literal = append(l.steps[n-1].literal, c)
		return
	}
	l.steps = append(l.steps, layoutStep{literal: []byte{c}})
}

func (l *timeLayout) specifier(c byte) error {
	switch c {
	case '%':
		l.literal('%')
	case 'T':
		return l.sequence("H:i:s")
	case 'r':
		return l.sequence("h:i:s p")
	case 'Y', 'y', 'm', 'c', 'd', 'e', 'D', 'H', 'k', 'h', 'I', 'l', 'i', 's', 'S', 'f', 'p', 'b', 'M', 'j', 'a', 'W':
		l.steps = append(l.steps, layoutStep{spec: c})
	default:
		return fmt.Errorf("timestamp_format '%s': %%%c is not supported; use %%Y %%y %%m %%c %%d %%e %%j %%b %%M %%a %%W %%H %%k %%h %%I %%l %%i %%s %%f %%p %%T %%r", l.source, c)
	}
	return nil
}

func (l *timeLayout) sequence(s string) error {
	for i := range len(s) {
		switch s[i] {
		case ':':
			l.literal(':')
		case ' ':
			l.steps = append(l.steps, layoutStep{spec: ' '})
		default:
			l.steps = append(l.steps, layoutStep{spec: s[i]})
		}
	}
	return nil
}

type layoutState struct {
	types.Civil
	yearDay int // 1…366, 0: not given
	pm      bool
	twelve  bool // the hour is one of twelve
}

// parse reads a text into microseconds since the epoch.
func (l *timeLayout) parse(s []byte) (int64, error) {
	st := layoutState{Civil: types.Civil{Year: 1970, Month: 1, Day: 1}}
	s = bytes.TrimSpace(s)
	for _, step := range l.steps {
		var ok bool
		switch step.spec {
		case 0:
			s, ok = bytes.CutPrefix(s, step.literal)
		case ' ':
			s, ok = bytes.TrimLeft(s, " \t"), true
		default:
			s, ok = st.read(step.spec, s)
		}
		if !ok {
			return 0, l.mismatch()
		}
	}
	if len(s) > 0 {
		return 0, l.mismatch()
	}
	if st.twelve {
		if st.Hour < 1 || st.Hour > 12 {
			return 0, l.mismatch()
		}
		st.Hour %= 12
		if st.pm {
			st.Hour += 12
		}
	}
	if !st.Valid() || st.yearDay > 366 {
		return 0, l.mismatch()
	}
	us := st.Micros()
	if st.yearDay > 0 {
		st.Month, st.Day = 1, 1
		us = st.Micros() + int64(st.yearDay-1)*types.MicrosPerDay
		if types.CivilOf(us).Year != st.Year {
			return 0, l.mismatch()
		}
	}
	return us, nil
}

var errLayout = errors.New("does not match the timestamp_format")

func (l *timeLayout) mismatch() error { return fmt.Errorf("%w '%s'", errLayout, l.source) }

func (st *layoutState) read(spec byte, s []byte) (rest []byte, ok bool) {
	switch spec {
	case 'Y':
		return number(s, 4, &st.Year)
	case 'y':
		rest, ok = number(s, 2, &st.Year)
		if st.Year += 1900; st.Year < 1970 { // MySQL: 70–99 are 1970–1999, 00–69 are 2000–2069
			st.Year += 100
		}
		return rest, ok
	case 'm', 'c':
		return number(s, 2, &st.Month)
	case 'd', 'e':
		return number(s, 2, &st.Day)
	case 'D': // 1st, 2nd
		rest, ok = number(s, 2, &st.Day)
		if !ok || len(rest) < 2 {
			return rest, false
		}
		return rest[2:], true
	case 'j':
		rest, ok = number(s, 3, &st.yearDay)
		return rest, ok && st.yearDay > 0
	case 'H', 'k':
		return number(s, 2, &st.Hour)
	case 'h', 'I', 'l':
		st.twelve = true
		return number(s, 2, &st.Hour)
	case 'i':
		return number(s, 2, &st.Minute)
	case 's', 'S':
		return number(s, 2, &st.Second)
	case 'f':
		rest, ok = number(s, 6, &st.Micro)
		for n := len(s) - len(rest); ok && n < 6; n++ {
			st.Micro *= 10
		}
		return rest, ok
	case 'p':
		return st.meridiem(s)
	case 'b':
		return st.month(name(s, months[:], 3))
	case 'M':
		return st.month(name(s, months[:], 0))
	case 'a': // weekdays are read and not used
		rest, i := name(s, weekdays[:], 3)
		return rest, i >= 0
	}
	rest, i := name(s, weekdays[:], 0)
	return rest, i >= 0
}

func (st *layoutState) month(rest []byte, i int) ([]byte, bool) {
	st.Month = i + 1
	return rest, i >= 0
}

func (st *layoutState) meridiem(s []byte) ([]byte, bool) {
	if len(s) < 2 || s[1]|0x20 != 'm' || s[0]|0x20 != 'a' && s[0]|0x20 != 'p' {
		return s, false
	}
	st.pm = s[0]|0x20 == 'p'
	return s[2:], true
}

func number(s []byte, most int, into *int) ([]byte, bool) {
	n, v := 0, 0
	for n < most && n < len(s) && s[n] >= '0' && s[n] <= '9' {
		v = v*10 + int(s[n]-'0')
		n++
	}
	*into = v
	return s[n:], n > 0
}

var months = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

var weekdays = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// name reads one of names, or its first letters when that is not 0, and returns its index, -1 for none.
func name(s []byte, names []string, letters int) ([]byte, int) {
	for i, n := range names {
		if letters > 0 {
			n = n[:letters]
		}
		if len(s) >= len(n) && bytes.EqualFold(s[:len(n)], []byte(n)) {
			return s[len(n):], i
		}
	}
	return s, -1
}
