package types

import (
	"fmt"
	"math"
	"strconv"
)

var durationUnits = []struct {
	name   string
	micros int64
}{
	{"w", 7 * MicrosPerDay},
	{"d", MicrosPerDay},
	{"h", MicrosPerHour},
	{"m", MicrosPerMinute},
	{"s", MicrosPerSecond},
	{"ms", MicrosPerMilli},
	{"us", 1},
}

// ParseDuration reads a length of time such as 500ms, 10s, 1m30s, 2h, 1d or 1w into microseconds. Parts are whole numbers,
// each with its unit; a leading minus and a plain 0 are accepted.
func ParseDuration(s string) (int64, error) {
	rest, sign := s, int64(1)
	if rest != "" && rest[0] == '-' {
		rest, sign = rest[1:], -1
	}
	if rest == "0" {
		return 0, nil
	}
	if rest == "" {
		return 0, badDuration(s)
	}
	var total int64
	for rest != "" {
		i := 0
		for i < len(rest) && rest[i] >= '0' && rest[i] <= '9' {
			i++
		}
		j := i
		for j < len(rest) && (rest[j] < '0' || rest[j] > '9') {
			j++
		}
		n, err := strconv.ParseInt(rest[:i], 10, 64)
		unit := unitMicros(rest[i:j])
		if err != nil || unit == 0 || n > (math.MaxInt64/4-total)/unit {
			return 0, badDuration(s)
		}
		total += n * unit
		rest = rest[j:]
	}
	return sign * total, nil
}

func unitMicros(name string) int64 {
	for _, u := range durationUnits {
		if u.name == name {
			return u.micros
		}
	}
	return 0
}

func badDuration(s string) error {
	return fmt.Errorf("%q is not a duration; write for example 500ms, 10s, 1m30s, 2h, 1d or 1w", s)
}

// FormatDuration writes microseconds as ParseDuration reads them, largest units first: 1m30s. Zero is 0s.
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
			out = append(strconv.AppendUint(out, n, 10), u.name...)
			rest -= n * uint64(u.micros)
		}
	}
	return string(out)
}
