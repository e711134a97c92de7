package expr

import (
	"fmt"
	"time"

	"github.com/streamsql-go/streamsql/sql/types"
)

// loadZone finds a time zone: a name of the IANA database, or an offset such as +02:00.
func loadZone(name string) (*time.Location, error) {
	if len(name) > 0 && (name[0] == '+' || name[0] == '-') {
		us, err := types.ParseTime(name[1:])
		if err != nil || len(name) < len("+2:00") || us > 14*types.MicrosPerHour {
			return nil, fmt.Errorf("%q is not an offset from UTC; write for example '+02:00', at most 14 hours", name)
		}
		if name[0] == '-' {
			us = -us
		}
		return time.FixedZone(name, int(us/types.MicrosPerSecond)), nil
	}
	loc, err := types.ZoneOf(name)
	if err != nil {
		return nil, fmt.Errorf("%q is not a time zone; write a name such as 'Europe/Berlin' or an offset such as '+02:00'", name)
	}
	return loc, nil
}

// offsetAt is how far a zone is ahead of UTC at an instant, in microseconds.
func offsetAt(us int64, loc *time.Location) int64 {
	_, seconds := time.UnixMicro(us).In(loc).Zone()
	return int64(seconds) * types.MicrosPerSecond
}

// toLocal is what clocks in a zone show at an instant, as if they showed UTC.
func toLocal(us int64, loc *time.Location) int64 { return us + offsetAt(us, loc) }

// toInstant is the instant at which clocks in a zone show a time. A time that comes twice is its first instant, a time that is
// skipped the instant of the change, as in MySQL.
func toInstant(local int64, loc *time.Location) int64 {
	before, after := offsetAt(local-types.MicrosPerDay, loc), offsetAt(local+types.MicrosPerDay, loc)
	if first := local - before; offsetAt(first, loc) == before {
		return first
	}
	if second := local - after; offsetAt(second, loc) == after {
		return second
	}
	change, _ := time.UnixMicro(local - before).In(loc).ZoneBounds()
	return change.UnixMicro()
}

// zoneScratch are the zones that one call has met.
type zoneScratch map[string]*time.Location

// zone is an argument as a time zone. There are some hundred names: they are kept.
func (r *row) zone(arg int) (*time.Location, error) {
	seen, _ := r.s.aux.(zoneScratch)
	if seen == nil {
		seen = zoneScratch{}
		r.s.aux = seen
	}
	if loc, ok := seen[string(r.text(arg))]; ok {
		return loc, nil
	}
	name := string(r.text(arg))
	loc, err := loadZone(name)
	if err == nil {
		seen[name] = loc
	}
	return loc, err
}

// asZone checks a constant zone at once.
func asZone(x Expr) (Expr, error) {
	if v, ok := constant(x); ok && v.Kind == types.Varchar {
		if _, err := loadZone(v.S); err != nil {
			return nil, err
		}
	}
	return asText(x)
}
