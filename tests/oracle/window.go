package oracle

import (
	"fmt"
	"time"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

// span is one window.
type span struct{ start, end int64 }

// windows are the aligned windows that hold ts, in the order of their ends. They are found by trying those around it.
func windows(w plan.Window, ts int64) []span {
	hop := w.Size
	if w.Advance > 0 {
		hop = w.Advance
	}
	length := hop // about how long that lasts
	if w.Measure == types.Months {
		length = hop * 30 * types.MicrosPerDay
	}
	about := (ts - boundary(w, hop, w.Offset)) / length
	if w.Measure == types.Months {
		about = about * 30 * 1000 / 30437
	}
	var out []span
	for q := about - w.Size/hop - 5; q <= about+5; q++ {
		from := w.Offset + q*hop
		step := w.Size
		if w.Step > 0 {
			step = w.Step
		}
		for n := step; n <= w.Size; n += step {
			s := span{boundary(w, hop, from), boundary(w, hop, from+n)}
			if s.start <= ts && ts < s.end {
				out = append(out, s)
			}
		}
	}
	return out
}

// boundary is the instant at which a window's measure shows x.
func boundary(w plan.Window, hop, x int64) int64 {
	switch w.Measure {
	case types.Months:
		return time.Date(1970, time.Month(1+x), 1, 0, 0, 0, 0, w.Zone).UnixMicro()
	case types.Clock:
		first := 1
		if hop%(7*types.MicrosPerDay) == 0 {
			first = 5 // a Monday
		}
		days := types.FloorDiv(x, types.MicrosPerDay)
		return time.Date(1970, 1, first+int(days), 0, 0, 0, int(x-days*types.MicrosPerDay)*1000, w.Zone).UnixMicro()
	}
	return x
}

// spans are the windows that a row counts for; without windows one.
func spans(w plan.Window, r Row) []span {
	if w.Size == 0 || w.Kind == ast.Session || w.Kind == ast.Sliding {
		return []span{{}}
	}
	return openWindows(w, r)
}

// sessions takes groups apart into sessions: two rows share one when a chain of rows links them.
func sessions(w plan.Window, groups map[string]*groupRows, order []string) (map[string]*groupRows, []string) {
	out := map[string]*groupRows{}
	var names []string
	for _, id := range order {
		left := groups[id].rows
		for n := 0; len(left) > 0; n++ {
			s := &groupRows{key: groups[id].key, rows: left[:1:1]}
			left = left[1:]
			for i := 0; i < len(s.rows); i++ {
				var others []Row
				for _, r := range left {
					if linked(w, s.rows[i], r) || linked(w, r, s.rows[i]) {
						s.rows = append(s.rows, r)
					} else {
						others = append(others, r)
					}
				}
				left = others
			}
			s.start, s.end = s.rows[0].TS, s.rows[0].TS
			for _, r := range s.rows {
				s.start, s.end = min(s.start, r.TS), max(s.end, r.TS)
			}
			s.end += w.Size
			name := fmt.Sprint(id, n)
			out[name], names = s, append(names, name)
		}
	}
	return out, names
}

// slidings are, for each group and each instant of one of its rows, the rows that are within reach before it.
func slidings(w plan.Window, groups map[string]*groupRows, order []string) (map[string]*groupRows, []string) {
	out := map[string]*groupRows{}
	var names []string
	for _, id := range order {
		for _, last := range groups[id].rows {
			name := fmt.Sprint(id, last.TS)
			if out[name] != nil {
				continue
			}
			s := &groupRows{key: groups[id].key, span: span{last.TS - w.Size, last.TS}}
			for _, r := range groups[id].rows {
				if r.TS >= s.start && r.TS <= s.end {
					s.rows = append(s.rows, r)
				}
			}
			out[name], names = s, append(names, name)
		}
	}
	return out, names
}

// linked says whether b shares a session with a, which is not after it: it comes within the gap, and its own partition had
// not closed a session that ends with a.
func linked(w plan.Window, a, b Row) bool {
	return a.TS <= b.TS && b.TS-a.TS <= w.Size && (b.seen == types.Never || b.seen < a.TS+w.Size+w.Grace)
}

// lastWindow is the last one that holds ts.
func lastWindow(w plan.Window, ts int64) span {
	all := windows(w, ts)
	return all[len(all)-1]
}

// openWindows are those that hold a row and that its own partition had not closed when it came (semantics S3).
func openWindows(w plan.Window, r Row) []span {
	var out []span
	for _, s := range windows(w, r.TS) {
		if r.seen == types.Never || r.seen < s.end+w.Grace-1 {
			out = append(out, s)
		}
	}
	return out
}

// leaving is the watermark behind windows into which time w goes: no row that may still leave them is at or below it (semantics
// S2). A window leaves at its end - 1 ms.
func leaving(win plan.Window, w int64) int64 {
	switch {
	case win.Size == 0 || w == types.Never:
		return w
	case win.Kind == ast.Session:
		return w - win.Grace - 1000
	case win.Kind == ast.Sliding:
		return w - win.Grace
	}
	open := windows(win, w-win.Grace+1) // they all end later than that, and the first of them before any other
	return min(w, open[0].end-1001)
}
