package types

import "testing"

func TestWindowStart(t *testing.T) {
	for _, c := range []struct{ size, offset, ts, want int64 }{
		{10, 0, 0, 0}, {10, 0, 9, 0}, {10, 0, 10, 10},
		{10, 0, -1, -10}, {10, 0, -10, -10}, {10, 0, -11, -20}, // floor division below zero
		{60, 15, 14, -45}, {60, 15, 15, 15}, {60, 15, 74, 15}, {60, -15, 44, -15}, {60, -15, 45, 45},
	} {
		if got := (Window{Size: c.size, Offset: c.offset}).Start(c.ts); got != c.want {
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

// Unclosed is the earliest start that Closed denies, by definition.
func TestWindowUnclosed(t *testing.T) {
	for _, w := range []Window{{Size: 10}, {Size: 10, Grace: 3}, {Size: 10, Grace: 25, Offset: 4}, {Size: 7, Offset: -3, Grace: 7}} {
		for mark := int64(-60); mark <= 60; mark++ {
			start := w.Start(-200)
			for w.Closed(start, mark) {
				start += w.Size
			}
			if got := w.Unclosed(mark); got != start {
				t.Fatalf("%+v at %d: %d, want %d", w, mark, got, start)
			}
		}
		if w.Unclosed(Never) != Never || w.Unclosed(Forever) != Forever {
			t.Errorf("%+v: before any watermark nothing is closed, after the end all", w)
		}
	}
}
