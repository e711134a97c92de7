package catalog

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Micros per unit of a duration.
const (
	Millisecond int64 = 1000
	Second            = 1000 * Millisecond
	Minute            = 60 * Second
	Hour              = 60 * Minute
	Day               = 24 * Hour
	Week              = 7 * Day
)

// maxDuration leaves head-room for adding a duration to an event time.
const maxDuration = 1 << 60

func unitMicros(u string) int64 {
	switch strings.ToLower(strings.TrimSpace(u)) {
	case "us", "µs", "microsecond", "microseconds":
		return 1
	case "ms", "millisecond", "milliseconds":
		return Millisecond
	case "s", "second", "seconds":
		return Second
	case "m", "minute", "minutes":
		return Minute
	case "h", "hour", "hours":
		return Hour
	case "d", "day", "days":
		return Day
	case "w", "week", "weeks":
		return Week
	}
	return 0
}

// ParseDuration reads '5s', '1m30s', '1.5h', '10 seconds' as microseconds; not negative, '0' needs no unit.
func ParseDuration(s string) (int64, error) {
	rest := strings.TrimSpace(s)
	if rest == "0" {
		return 0, nil
	}
	var sum int64
	for first := true; rest != "" || first; first = false {
		n := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if n <= 0 {
			return 0, fmt.Errorf("%q is not a duration", s)
		}
		number := rest[:n]
		rest = strings.TrimLeft(rest[n:], " ")
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= '0' && r <= '9' })
		if end < 0 {
			end = len(rest)
		}
		part, err := micros(number, unitMicros(rest[:end]))
		if err != nil || sum > maxDuration-part {
			return 0, fmt.Errorf("%q is not a duration", s)
		}
		sum += part
		rest = rest[end:]
	}
	return sum, nil
}

func micros(number string, unit int64) (int64, error) {
	whole, fraction, _ := strings.Cut(number, ".")
	n, err := strconv.ParseUint(whole, 10, 63)
	if err != nil || unit == 0 {
		return 0, fmt.Errorf("bad duration")
	}
	hi, lo := bits.Mul64(n, uint64(unit))
	if hi != 0 || lo > maxDuration {
		return 0, fmt.Errorf("too long")
	}
	sum := int64(lo)
	for scale := unit / 10; fraction != "" && scale > 0; scale /= 10 {
		if fraction[0] < '0' || fraction[0] > '9' {
			return 0, fmt.Errorf("bad duration")
		}
		sum += int64(fraction[0]-'0') * scale
		fraction = fraction[1:]
	}
	return sum, nil
}

// FormatDuration writes microseconds as the dialect reads them: 1m30s, 500ms, 1d, 0s.
func FormatDuration(us int64) string {
	if us == 0 {
		return "0s"
	}
	var b strings.Builder
	if us < 0 {
		b.WriteByte('-')
		us = -us
	}
	for _, u := range []struct {
		name string
		size int64
	}{{"d", Day}, {"h", Hour}, {"m", Minute}, {"s", Second}, {"ms", Millisecond}, {"us", 1}} {
		if n := us / u.size; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			us -= n * u.size
		}
	}
	return b.String()
}
