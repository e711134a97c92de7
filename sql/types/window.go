package types

import "time"

// Measure is what a Window's lengths are counted in.
type Measure uint8

// The measures.
const (
	Elapsed Measure = iota // microseconds
	Clock                  // microseconds on the clock of Zone: a day is 24 hours of them, however long it lasts
	Months                 // calendar months of Zone
)

// Window is a family of aligned windows [start, end). They are numbered in the order of their ends, and an instant lies in
// the neighbours First to Last. The first one begins at Offset after 1970-01-01 (weeks of the calendar: after Monday, the
// 5th), the others each Advance before and after it.
type Window struct {
	Size    int64 // the length of a window
	Advance int64 // between the starts of neighbours; 0: Size
	Step    int64 // divides Size: from one start a window ends after each Step (cumulating); 0: one after Size
	Offset  int64
	Grace   int64 // microseconds, whatever the measure
	Measure Measure
	Zone    *time.Location // of Clock and Months
}

// Hop is the distance of neighbouring starts, in the window's measure.
func (w Window) Hop() int64 {
	if w.Advance > 0 {
		return w.Advance
	}
	return w.Size
}

// Steps is how many windows have one start: 1, unless they cumulate.
func (w Window) Steps() int64 {
	if w.Step > 0 {
		return w.Size / w.Step
	}
	return 1
}

// Most is the most windows that an instant lies in.
func (w Window) Most() int64 {
	if w.Step > 0 {
		return w.Steps()
	}
	return (w.Size + w.Hop() - 1) / w.Hop()
}

// First is the first window that ends after ts. Advance is at most Size, so it holds ts.
func (w Window) First(ts int64) int64 {
	switch {
	case w.Size == Forever:
		return 0
	case w.Step > 0:
		return w.firstStep(ts)
	}
	hop := w.Hop()
	k := FloorDiv(w.reading(ts)-w.origin()-w.Size, hop) + 1
	for w.End(k) <= ts {
		k++
	}
	for w.End(k-1) > ts {
		k--
	}
	return k
}

func (w Window) firstStep(ts int64) int64 {
	n := w.Steps()
	q := w.lastStart(ts)
	k := q*n + max(0, min(n-1, FloorDiv(w.reading(ts)-w.origin()-q*w.Size, w.Step)))
	for w.End(k) <= ts {
		k++
	}
	for k > q*n && w.End(k-1) > ts {
		k--
	}
	return k
}

// Last is the last window that holds ts.
func (w Window) Last(ts int64) int64 {
	if w.Size == Forever {
		return 0
	}
	n := w.Steps()
	return w.lastStart(ts)*n + n - 1
}

// lastStart is the number of the last start that is not after ts.
func (w Window) lastStart(ts int64) int64 {
	hop := w.Hop()
	q := FloorDiv(w.reading(ts)-w.origin(), hop)
	for w.mark(w.origin()+(q+1)*hop) <= ts {
		q++
	}
	for w.mark(w.origin()+q*hop) > ts {
		q--
	}
	return q
}

// Start is the first instant of window k.
func (w Window) Start(k int64) int64 { return w.mark(w.origin() + FloorDiv(k, w.Steps())*w.Hop()) }

// End is the first instant after window k.
func (w Window) End(k int64) int64 {
	if w.Size == Forever {
		return Forever
	}
	n := w.Steps()
	q := FloorDiv(k, n)
	length := w.Size
	if w.Step > 0 {
		length = (k - q*n + 1) * w.Step
	}
	return w.mark(w.origin() + q*w.Hop() + length)
}

// Limit is the smallest watermark that closes window k: its end + grace - 1 µs (semantics S2).
func (w Window) Limit(k int64) int64 { return w.End(k) + w.Grace - 1 }

// Closed says whether a watermark closes window k, and with it all before.
func (w Window) Closed(k, mark int64) bool { return mark >= w.Limit(k) }

// Open is the earliest window that a watermark leaves open, whether or not it holds a row. The mark must lie between Never
// and Forever.
func (w Window) Open(mark int64) int64 { return w.First(mark - w.Grace + 1) }

// Unclosed are the bounds of the earliest window that the watermark leaves open: both Never before there is a watermark and
// Forever once the input has ended.
func (w Window) Unclosed(mark int64) (start, end int64) {
	if mark <= Never || mark >= Forever {
		return mark, mark
	}
	k := w.Open(mark)
	return w.Start(k), w.End(k)
}

// monday is the 5th of January 1970: what weeks of the calendar count from.
const monday = 4 * MicrosPerDay

// origin is where start 0 lies, in the window's measure.
func (w Window) origin() int64 {
	if w.Measure == Clock && w.Hop()%(7*MicrosPerDay) == 0 {
		return w.Offset + monday
	}
	return w.Offset
}

// reading is what the measure shows at an instant: a month of which it is in, or the time on the clock.
func (w Window) reading(ts int64) int64 {
	switch w.Measure {
	case Clock:
		return ClockAt(w.Zone, ts)
	case Months:
		c := CivilOf(ClockAt(w.Zone, ts))
		return int64(c.Year-1970)*12 + int64(c.Month) - 1
	}
	return ts
}

// mark is the first instant at which the measure shows x or more.
func (w Window) mark(x int64) int64 {
	switch w.Measure {
	case Clock:
		return ClockShows(w.Zone, x)
	case Months:
		return ClockShows(w.Zone, DaysOf(1970, int(x)+1, 1)*MicrosPerDay)
	}
	return x
}

// Span finds the windows of instants one after the other: those between two neighbouring bounds lie in the same windows, so
// most are found by two comparisons.
type Span struct {
	w           Window
	from, to    int64
	first, last int64
	limit       int64 // of first
}

// NewSpan finds windows of w.
func NewSpan(w Window) *Span { return &Span{w: w} }

// Of are the first and the last window that hold ts, as Window.First and Window.Last.
func (s *Span) Of(ts int64) (first, last int64) {
	if ts >= s.from && ts < s.to {
		return s.first, s.last
	}
	s.first, s.last = s.w.First(ts), s.w.Last(ts)
	s.limit = s.w.Limit(s.first)
	s.from, s.to = ts, ts+1
	if s.w.Size != Forever {
		s.from = max(s.w.Start(s.last), s.w.End(s.first-1))
		s.to = min(s.w.Start(s.last+1), s.w.End(s.first))
	}
	return s.first, s.last
}

// Open are the first and the last window that hold ts and that a watermark leaves open; first is above last when there is
// none.
func (s *Span) Open(ts, mark int64) (first, last int64) {
	first, last = s.Of(ts)
	switch {
	case mark < s.limit:
		return first, last
	case mark >= Forever:
		return last + 1, last
	}
	return max(first, s.w.Open(mark)), last
}
