package join

import (
	"cmp"
	"slices"
)

// waiting knows about the rows in the queue what the queue, ordered by as-of instant, does not: their own earliest ts and
// when they arrived.
type waiting struct {
	arrivals []arrival // ascending; a group goes when its last row does
	// Rows leave in another order than that of ts: the smallest of ts that is not in gone as well is the earliest.
	ts, gone minHeap[struct{}]
}

type arrival struct {
	at   int64
	rows int
}

func (w *waiting) add(ts, at int64) {
	w.ts.push(ts, struct{}{})
	if n := len(w.arrivals); n > 0 && w.arrivals[n-1].at == at {
		w.arrivals[n-1].rows++
		return
	}
	i, ok := w.find(at)
	if ok {
		w.arrivals[i].rows++
		return
	}
	w.arrivals = slices.Insert(w.arrivals, i, arrival{at: at, rows: 1})
}

func (w *waiting) remove(ts, at int64) {
	w.gone.push(ts, struct{}{})
	for len(w.gone) > 0 && w.gone[0].key == w.ts[0].key {
		w.gone.pop()
		w.ts.pop()
	}
	i, ok := w.find(at)
	if !ok {
		return
	}
	if w.arrivals[i].rows--; w.arrivals[i].rows == 0 {
		w.arrivals = slices.Delete(w.arrivals, i, i+1)
	}
}

func (w *waiting) find(at int64) (int, bool) {
	return slices.BinarySearchFunc(w.arrivals, at, func(a arrival, at int64) int { return cmp.Compare(a.at, at) })
}

// earliest is the smallest ts of a waiting row.
func (w *waiting) earliest() (ts int64, ok bool) {
	if len(w.ts) == 0 {
		return 0, false
	}
	return w.ts[0].key, true
}

func (w *waiting) oldest() int64 {
	if len(w.arrivals) == 0 {
		return 0
	}
	return w.arrivals[0].at
}

func (w *waiting) latest() int64 {
	if len(w.arrivals) == 0 {
		return 0
	}
	return w.arrivals[len(w.arrivals)-1].at
}
