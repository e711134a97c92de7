package op

import (
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Millisecond is the resolution of output timestamps, in microseconds: a window's result is stamped one before its end.
const Millisecond = 1000

// Window is a family of aligned windows.
type Window = types.Window

// CloseWindows calls emit (nil: nothing) for each window that the watermark closes, in order, and removes it from state,
// which is kept by the windows' numbers.
func CloseWindows(state Windows, w Window, mark int64, emit func(k int64) error) error {
	for {
		open := state.Starts()
		if len(open) == 0 || !w.Closed(open[0], mark) {
			return nil
		}
		k := open[0]
		if emit != nil {
			if err := emit(k); err != nil {
				return err
			}
		}
		if err := state.Drop(k); err != nil {
			return err
		}
	}
}

// DueWindow is the watermark that closes the earliest open window of a state kept by the windows' numbers.
func DueWindow(state Windows, w Window) (watermark int64, ok bool) {
	open := state.Starts()
	if len(open) == 0 {
		return 0, false
	}
	return w.Limit(open[0]), true
}

// WindowsOf are the first and the last window that row i counts for: those that hold it and were not closed for its own
// partition (semantics S3) or, once that was idle, here, which is counted. first is above last when there is none.
func WindowsOf(span *types.Span, b *vector.Batch, i int, here Marks, n *Counters) (first, last int64) {
	seen := types.Never
	if b.Seen != nil {
		seen = b.Seen[i]
	}
	first, last = span.Open(b.Time[i], seen)
	if open, _ := span.Open(b.Time[i], here.W); open > first {
		n.LateAfterIdle++
		first = open
	}
	return first, last
}

// Raise moves m up to o where o is higher: marks never fall.
func (m Marks) Raise(o Marks) Marks {
	out := Marks{W: max(m.W, o.W), Strict: max(m.Strict, o.Strict), End: m.End}
	if o.W >= types.Forever {
		out.End = o.End
	}
	return out
}

// Below holds m below an instant: at most 1 µs before it.
func (m Marks) Below(ts int64) Marks {
	if ts >= types.Forever {
		return m
	}
	ts = max(ts-1, types.Never)
	return Marks{W: min(m.W, ts), Strict: min(m.Strict, ts)}
}

// BelowResults holds m below the results of the earliest window that it leaves open, empty or not: they are stamped 1 ms
// before its end (semantics S2).
func (m Marks) BelowResults(w Window) Marks {
	_, end := w.Unclosed(m.W)
	if end >= types.Forever {
		return m
	}
	return m.Below(end - Millisecond)
}

// NoMarks is what an operator starts with. After a restore the task calls Advance with the stored marks before the first
// Process, so that the operator knows which windows were closed.
var NoMarks = Marks{W: types.Never, Strict: types.Never}
