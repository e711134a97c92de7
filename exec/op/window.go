package op

import "github.com/streamsql-go/streamsql/sql/types"

// Millisecond is the resolution of output timestamps, in microseconds: a window's result is stamped one before its end.
const Millisecond = 1000

// Window is a tumbling window: [start, start+Size) with start = floor((ts-Offset)/Size)*Size + Offset. Microseconds.
type Window struct {
	Size, Offset, Grace int64
}

// Start is the start of the window that holds ts.
func (w Window) Start(ts int64) int64 {
	x := ts - w.Offset
	r := x % w.Size
	if r < 0 {
		r += w.Size
	}
	return ts - r
}

// Limit is the smallest watermark that closes the window of that start: end + grace - 1 µs (semantics S2).
func (w Window) Limit(start int64) int64 { return start + w.Size + w.Grace - 1 }

// Closed says whether a watermark closes the window of that start.
func (w Window) Closed(start, mark int64) bool { return mark >= w.Limit(start) }

// Unclosed is the start of the earliest window that the watermark leaves open, whether or not it holds a row. It is
// types.Never before there is a watermark and types.Forever once the input has ended.
func (w Window) Unclosed(mark int64) int64 {
	if mark <= types.Never || mark >= types.Forever {
		return mark
	}
	return w.Start(mark - w.Grace + 1)
}

// CloseWindows calls emit (nil: nothing) for each window that the watermark closes, in order, and removes it from state.
func CloseWindows(state Windows, w Window, mark int64, emit func(start int64) error) error {
	for {
		starts := state.Starts()
		if len(starts) == 0 || !w.Closed(starts[0], mark) {
			return nil
		}
		start := starts[0]
		if emit != nil {
			if err := emit(start); err != nil {
				return err
			}
		}
		if err := state.Drop(start); err != nil {
			return err
		}
	}
}

// Raise moves m up to o where o is higher: marks never fall.
func (m Marks) Raise(o Marks) Marks { return Marks{max(m.W, o.W), max(m.Strict, o.Strict)} }

// Below holds m below an instant: at most 1 µs before it.
func (m Marks) Below(ts int64) Marks {
	if ts >= types.Forever {
		return m
	}
	ts = max(ts-1, types.Never)
	return Marks{min(m.W, ts), min(m.Strict, ts)}
}

// NoMarks is what an operator starts with. After a restore the task calls Advance with the stored marks before the first
// Process, so that the operator knows which windows were closed.
var NoMarks = Marks{W: types.Never, Strict: types.Never}
