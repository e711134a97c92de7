package types

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// durationUnits are the lengths of time a duration is made of. Months and years have no fixed length.
var durationUnits = [...]struct {
	short, word string
	micros      int64
}{
	{"w", "week", 7 * MicrosPerDay},
	{"d", "day", MicrosPerDay},
	{"h", "hour", MicrosPerHour},
	{"m", "minute", MicrosPerMinute},
	{"s", "second", MicrosPerSecond},
	{"ms", "millisecond", MicrosPerMilli},
	{"us", "microsecond", 1},
}

// DurationUnit is the length in microseconds of a unit written in short (ms) or as a word in singular or plural, in any
// case; 0 when there is no such unit.
func DurationUnit(name string) int64 {
	low := strings.ToLower(name)
	for _, u := range durationUnits {
		if low == u.short || low == u.word || low == u.word+"s" {
			return u.micros
		}
	}
	if low == "µs" {
		return 1
	}
	return 0
}

// maxDuration leaves head-room for adding a duration to an event time.
const maxDuration = 1 << 60

// ParseDuration reads a length of time such as 500ms, 10s, 1.5s, 1m30s, 2h, 1d, 1w or '10 seconds' into microseconds: parts
// with a unit each, which are added. A part may have a fraction, down to the microsecond; a leading minus and a plain 0 are accepted.
func ParseDuration(s string) (int64, error) {
	rest, negative := strings.CutPrefix(strings.TrimSpace(s), "-")
	if rest == "0" {
		return 0, nil
	}
	var total int64
	for first := true; rest != "" || first; first = false {
		n := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		number := rest[:n]
		rest = rest[n:]
		n = strings.IndexAny(rest+"0", "0123456789.")
		part, ok := inMicros(number, DurationUnit(strings.TrimSpace(rest[:n])))
		if !ok || part > maxDuration-total {
			return 0, fmt.Errorf("%q is not a duration; write for example 500ms, 10s, 1.5s, 1m30s, 2h, 1d or 1w", s)
		}
		total += part
		rest = rest[n:]
	}
	if negative {
		total = -total
	}
	return total, nil
}

// inMicros is a number of units; not ok when it is no number, finer than a microsecond or too large.
func inMicros(number string, unit int64) (int64, bool) {
	whole, fraction, point := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || unit == 0 || n > maxDuration/unit || point && fraction == "" {
		return 0, false
	}
	sum := n * unit
	for rest := unit; fraction != ""; fraction = fraction[1:] {
		digit := int64(fraction[0]) - '0'
		if digit < 0 || digit > 9 || digit*rest%10 != 0 || digit > 0 && rest == 0 {
			return 0, false
		}
		sum += digit * rest / 10
		rest /= 10
	}
	return sum, true
}

// ParseGoDuration is ParseDuration for a time.Duration, which holds 292 years at most.
func ParseGoDuration(s string) (time.Duration, error) {
	us, err := ParseDuration(s)
	if err == nil && (us > math.MaxInt64/1000 || us < -math.MaxInt64/1000) {
		err = fmt.Errorf("%q is too long: at most 292 years", s)
	}
	return time.Duration(us) * time.Microsecond, err
}

// FormatDuration writes microseconds as ParseDuration reads them, largest units first and none above days: 1m30s. Zero is 0s.
func FormatDuration(micros int64) string {
	if micros == 0 {
		return "0s"
	}
	var out []byte
	rest := uint64(micros)
	if micros < 0 {
		out = append(out, '-')
		rest = -rest
	}
	for _, u := range durationUnits[1:] {
		if n := rest / uint64(u.micros); n > 0 {
			out = append(strconv.AppendUint(out, n, 10), u.short...)
			rest -= n * uint64(u.micros)
		}
	}
	return string(out)
}
