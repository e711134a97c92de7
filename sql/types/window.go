package types

// Window is a tumbling window: [start, start+Size) with start = floor((ts-Offset)/Size)*Size + Offset. Microseconds.
type Window struct {
	Size, Offset, Grace int64
}

// Start is the start of the window that holds ts.
func (w Window) Start(ts int64) int64 { return FloorDiv(ts-w.Offset, w.Size)*w.Size + w.Offset }

// Limit is the smallest watermark that closes the window of that start: end + grace - 1 µs (semantics S2).
func (w Window) Limit(start int64) int64 { return start + w.Size + w.Grace - 1 }

// Closed says whether a watermark closes the window of that start.
func (w Window) Closed(start, mark int64) bool { return mark >= w.Limit(start) }

// Unclosed is the start of the earliest window that the watermark leaves open, whether or not it holds a row. It is Never
// before there is a watermark and Forever once the input has ended.
func (w Window) Unclosed(mark int64) int64 {
	if mark <= Never || mark >= Forever {
		return mark
	}
	return w.Start(mark - w.Grace + 1)
}
