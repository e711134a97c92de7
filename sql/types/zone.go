package types

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for machines without a zone database
)

//go:embed zones.txt
var zoneNames string

// ZoneNames are the names of the IANA time zone database, in order.
func ZoneNames() []string { return strings.Fields(zoneNames) }

// ZoneOf is a time zone by its IANA name, exactly as the database spells it, or by its distance from UTC, as '+01:00' (up to
// 14 hours, as in MySQL).
func ZoneOf(name string) (*time.Location, error) {
	if len(name) == 6 && (name[0] == '+' || name[0] == '-') && name[3] == ':' {
		hours, err := strconv.ParseUint(name[1:3], 10, 8)
		minutes, wrong := strconv.ParseUint(name[4:], 10, 8)
		if err == nil && wrong == nil && minutes < 60 && hours*60+minutes <= 14*60 {
			seconds := int(hours*60+minutes) * 60
			if name[0] == '-' {
				seconds = -seconds
			}
			return time.FixedZone(name, seconds), nil
		}
	}
	if name == "" || name == "Local" { // which are UTC and the machine's zone to Go
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	l, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	return l, nil
}

// ahead is how far a zone's clock is ahead of UTC at an instant, microseconds.
func ahead(l *time.Location, ts int64) int64 {
	_, seconds := time.UnixMicro(ts).In(l).Zone()
	return int64(seconds) * MicrosPerSecond
}

// ClockAt is what the clock on the wall shows at an instant: the date and time of CivilOf(ClockAt(l, ts)).
func ClockAt(l *time.Location, ts int64) int64 { return ts + ahead(l, ts) }

// ClockShows is the first instant at which the clock on the wall shows a date and time: of the two when an hour comes twice
// the earlier one, and the moment of the jump for a time that the clock leaves out.
func ClockShows(l *time.Location, clock int64) int64 {
	before, after := ahead(l, clock-MicrosPerDay), ahead(l, clock+MicrosPerDay)
	if t := clock - before; ahead(l, t) == before {
		return t
	}
	t := clock - after
	if ahead(l, t) == after {
		return t
	}
	if _, jump := time.UnixMicro(t).In(l).ZoneBounds(); !jump.IsZero() {
		return jump.UnixMicro()
	}
	return t
}
