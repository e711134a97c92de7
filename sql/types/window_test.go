package types

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestWindowStart(t *testing.T) {
	for _, c := range []struct{ size, offset, ts, want int64 }{
		{10, 0, 0, 0}, {10, 0, 9, 0}, {10, 0, 10, 10},
		{10, 0, -1, -10}, {10, 0, -10, -10}, {10, 0, -11, -20}, // floor division below zero
		{60, 15, 14, -45}, {60, 15, 15, 15}, {60, 15, 74, 15}, {60, -15, 44, -15}, {60, -15, 45, 45},
	} {
		w := Window{Size: c.size, Offset: c.offset}
		if got := w.Start(w.First(c.ts)); got != c.want || w.End(w.Last(c.ts)) != c.want+c.size {
			t.Errorf("size %d offset %d: start of %d is %d, want %d", c.size, c.offset, c.ts, got, c.want)
		}
	}
}

// [disorder 0, ts 15000, grace 5000 closes [0,10000)] (semantics S2).
func TestWindowClosed(t *testing.T) {
	const ms = 1000
	w := Window{Size: 10000 * ms, Grace: 5000 * ms}
	if !w.Closed(0, 15000*ms-1) {
		t.Error("the watermark after ts 15000 closes [0,10000)")
	}
	if w.Closed(0, 15000*ms-2) {
		t.Error("1 µs before it does not")
	}
}

// families are windows of every kind around an instant.
func families() []Window {
	berlin, apia := mustZone("Europe/Berlin"), mustZone("Pacific/Apia")
	return []Window{
		{Size: 10}, {Size: 10, Grace: 3}, {Size: 10, Grace: 25, Offset: 4}, {Size: 7, Offset: -3, Grace: 7},
		{Size: 10, Advance: 5}, {Size: 10, Advance: 3, Offset: 1}, {Size: 10, Advance: 1, Grace: 4}, {Size: 9, Advance: 9},
		{Size: 12, Step: 3}, {Size: 12, Step: 12}, {Size: 12, Step: 1, Offset: 5, Grace: 2},
		{Size: MicrosPerDay, Measure: Clock, Zone: berlin}, {Size: 7 * MicrosPerDay, Measure: Clock, Zone: berlin, Grace: 3 * MicrosPerHour},
		{Size: 6 * MicrosPerHour, Advance: 3 * MicrosPerHour, Measure: Clock, Zone: berlin},
		{Size: MicrosPerDay, Step: MicrosPerHour, Offset: 6 * MicrosPerHour, Measure: Clock, Zone: berlin},
		{Size: 1, Measure: Months, Zone: berlin}, {Size: 12, Advance: 5, Offset: 3, Measure: Months, Zone: berlin},
		{Size: 12, Step: 3, Measure: Months, Zone: berlin}, {Size: MicrosPerDay, Measure: Clock, Zone: apia},
	}
}

func mustZone(name string) *time.Location {
	l, err := ZoneOf(name)
	if err != nil {
		panic(err)
	}
	return l
}

// instants are in and around what a family is interesting at: zero, or a change of the clocks.
func instants(w Window) []int64 {
	at, reach := int64(0), int64(40)
	if w.Measure != Elapsed {
		at, reach = time.Date(2024, 3, 31, 1, 0, 0, 0, time.UTC).UnixMicro(), 40*MicrosPerDay
		if w.Zone.String() == "Pacific/Apia" {
			at = time.Date(2011, 12, 30, 10, 0, 0, 0, time.UTC).UnixMicro()
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	out := []int64{at - 1, at, at + 1}
	for range 300 {
		out = append(out, at-reach+r.Int64N(2*reach+1))
	}
	return out
}

// By definition: windows are numbered by their ends, and an instant lies in those with start <= ts < end.
func TestWindowsOfAnInstant(t *testing.T) {
	for _, w := range families() {
		s := NewSpan(w)
		for _, ts := range instants(w) {
			first, last := w.First(ts), w.Last(ts)
			for k := first - 3; k <= last+3; k++ {
				if holds := w.Start(k) <= ts && ts < w.End(k); holds != (k >= first && k <= last) {
					t.Fatalf("%+v: %d lies in %d to %d, but window %d is [%d,%d)", w, ts, first, last, k, w.Start(k), w.End(k))
				}
				if w.End(k) > w.End(k+1) || w.Start(k) > w.Start(k+1) {
					t.Fatalf("%+v: windows %d and %d are not in order", w, k, k+1)
				}
			}
			if f, l := s.Of(ts); f != first || l != last {
				t.Fatalf("%+v: a span finds %d to %d, not %d to %d", w, f, l, first, last)
			}
			if n := last - first + 1; n > w.Most() && w.Measure == Elapsed {
				t.Fatalf("%+v: %d windows, at most %d", w, n, w.Most())
			}
		}
	}
}

// Unclosed is the earliest window that Closed denies, by definition.
func TestWindowUnclosed(t *testing.T) {
	for _, w := range families() {
		for _, mark := range instants(w) {
			k := w.First(mark) - 3*w.Most() - 60
			for w.Closed(k, mark) {
				k++
			}
			if start, end := w.Unclosed(mark); end != w.End(k) || start != w.Start(w.Open(mark)) {
				t.Fatalf("%+v at %d: [%d,%d), want window %d [%d,%d)", w, mark, start, end, k, w.Start(k), w.End(k))
			}
		}
		if start, end := w.Unclosed(Never); start != Never || end != Never {
			t.Errorf("%+v: before any watermark nothing is closed", w)
		}
		if start, end := w.Unclosed(Forever); start != Forever || end != Forever {
			t.Errorf("%+v: after the end all is", w)
		}
	}
}

// at reads an instant as RFC 3339.
func at(t *testing.T, s string) int64 {
	t.Helper()
	x, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return x.UnixMicro()
}

// Days of 23 and 25 hours, months, weeks from Monday, clocks that leave midnight or a whole day out.
func TestCalendarWindows(t *testing.T) {
	day := func(zone string) Window { return Window{Size: MicrosPerDay, Measure: Clock, Zone: mustZone(zone)} }
	berlin := day("Europe/Berlin")
	hours := func(n int64) Window { w := berlin; w.Size = n * MicrosPerHour; return w }
	week, shifted := berlin, berlin
	week.Size *= 7
	shifted.Offset = 6 * MicrosPerHour
	months := func(n, offset int64) Window {
		return Window{Size: n, Offset: offset, Measure: Months, Zone: mustZone("Europe/Berlin")}
	}
	for _, c := range []struct {
		name           string
		w              Window
		ts, start, end string
	}{
		{"a day of 23 hours", berlin, "2024-03-31T12:00:00+02:00", "2024-03-31T00:00:00+01:00", "2024-04-01T00:00:00+02:00"},
		{"its last instant", berlin, "2024-03-31T23:59:59+02:00", "2024-03-31T00:00:00+01:00", "2024-04-01T00:00:00+02:00"},
		{"a day of 25 hours", berlin, "2024-10-27T02:30:00+01:00", "2024-10-27T00:00:00+02:00", "2024-10-28T00:00:00+01:00"},
		{"six hours that are five", hours(6), "2024-03-31T04:00:00+02:00", "2024-03-31T00:00:00+01:00", "2024-03-31T06:00:00+02:00"},
		{"six hours that are seven", hours(6), "2024-10-27T05:59:59+01:00", "2024-10-27T00:00:00+02:00", "2024-10-27T06:00:00+01:00"},
		{"six hours in the afternoon", hours(6), "2024-10-27T14:00:00+01:00", "2024-10-27T12:00:00+01:00", "2024-10-27T18:00:00+01:00"},
		{"an hour that comes twice", hours(1), "2024-10-27T02:30:00+01:00", "2024-10-27T02:00:00+02:00", "2024-10-27T03:00:00+01:00"},
		{"a day from six", shifted, "2024-03-31T05:00:00+02:00", "2024-03-30T06:00:00+01:00", "2024-03-31T06:00:00+02:00"},
		{"a week from Monday", week, "2024-03-31T12:00:00+02:00", "2024-03-25T00:00:00+01:00", "2024-04-01T00:00:00+02:00"},
		{"March", months(1, 0), "2024-03-31T23:30:00+02:00", "2024-03-01T00:00:00+01:00", "2024-04-01T00:00:00+02:00"},
		{"April begins before UTC's", months(1, 0), "2024-03-31T22:30:00Z", "2024-04-01T00:00:00+02:00", "2024-05-01T00:00:00+02:00"},
		{"February of a leap year", months(1, 0), "2024-02-29T12:00:00Z", "2024-02-01T00:00:00+01:00", "2024-03-01T00:00:00+01:00"},
		{"before 1970", months(1, 0), "1969-12-31T12:00:00Z", "1969-12-01T00:00:00+01:00", "1970-01-01T00:00:00+01:00"},
		{"a quarter", months(3, 0), "2024-05-15T12:00:00Z", "2024-04-01T00:00:00+02:00", "2024-07-01T00:00:00+02:00"},
		{"a year that begins in April", months(12, 3), "2024-03-15T12:00:00Z", "2023-04-01T00:00:00+02:00", "2024-04-01T00:00:00+02:00"},
		{"a day without midnight", day("America/Sao_Paulo"), "2018-11-04T12:00:00-02:00", "2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00"},
		{"the day before one that never was", day("Pacific/Apia"), "2011-12-29T12:00:00-10:00", "2011-12-29T00:00:00-10:00", "2011-12-31T00:00:00+14:00"},
		{"half an hour from UTC", day("Asia/Kolkata"), "2024-01-01T00:00:00+05:30", "2024-01-01T00:00:00+05:30", "2024-01-02T00:00:00+05:30"},
		{"a fixed distance", day("-03:00"), "2024-01-01T02:59:59Z", "2023-12-31T00:00:00-03:00", "2024-01-01T00:00:00-03:00"},
	} {
		k := c.w.First(at(t, c.ts))
		if c.w.Last(at(t, c.ts)) != k || c.w.Start(k) != at(t, c.start) || c.w.End(k) != at(t, c.end) {
			t.Errorf("%s: %s lies in [%s, %s), want [%s, %s)", c.name, c.ts, time.UnixMicro(c.w.Start(k)).UTC(), time.UnixMicro(c.w.End(k)).UTC(), c.start, c.end)
		}
	}
}

func TestZones(t *testing.T) {
	for _, name := range ZoneNames() {
		if _, err := ZoneOf(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "Local", "Europe/Berlni", "europe/berlin ", "+15:00", "+1:00", "-01:60", "../etc/passwd"} {
		if l, err := ZoneOf(name); err == nil {
			t.Errorf("%q is %s", name, l)
		}
	}
}
