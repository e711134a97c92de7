package types

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// zoneDatabase is the IANA time zone database, release 2025c (public domain), in the form in which Go carries it. What a window or a function of local time gives is a
// function of the binary then, and not of the machine's files, which differ from machine to machine.
//
//go:generate sh -c "cp $(go env GOROOT)/lib/time/zoneinfo.zip ."
//go:embed zoneinfo.zip
var zoneDatabase []byte

// zoneFiles are the files of the database by the names of their zones.
var zoneFiles = sync.OnceValue(func() map[string]*zip.File {
	archive, err := zip.NewReader(bytes.NewReader(zoneDatabase), int64(len(zoneDatabase)))
	if err != nil {
		panic("the time zone database: " + err.Error())
	}
	files := map[string]*zip.File{}
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, "/") && f.Name != "Factory" { // a zone of nowhere
			files[f.Name] = f
		}
	}
	return files
})

// ZoneNames are the names of the IANA time zone database, in order.
func ZoneNames() []string { return slices.Sorted(maps.Keys(zoneFiles())) }

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
	l, err := zoneOfDatabase(name)
	if err != nil {
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	return l, nil
}

func zoneOfDatabase(name string) (*time.Location, error) {
	f := zoneFiles()[name]
	if f == nil {
		return nil, fmt.Errorf("the database has no such zone")
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(name, data)
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
