package agg

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// Overlapping aggregates in windows that overlap, hopping or cumulating ones, and emits each when it closes. A row counts for
// the neighbours a to b (semantics S3: those that it lies in and that its own partition had not closed), so rows of equal a
// and b fold into one slice, each once. When window a closes, the slice enters a forest in the place b, where it is merged with
// those that go with the same window; the result of a window is what has entered and has not gone. So the cost per row does
// not depend on how many windows overlap, and the cost per group and window grows with the logarithm of that (forest).
type Overlapping struct {
	windowed
	forest forest
	key    []byte
	slice  []byte
}

// What State holds: under the number of a window the slices that enter with it, by key and b; the forest; and, while that holds
// anything, under nextWindow the number of the next window to be emitted.
const (
	firstNode  int64 = 1 << 61
	nextWindow int64 = 1 << 62
)

func newOverlapping(c WindowedConfig) *Overlapping {
	w := &Overlapping{windowed: newWindowedBase(c)}
	w.forest = newForest(c.State, w.f)
	if c.Window.Step == 0 {
		w.forest.grow(c.Window.Most())
	}
	return w
}

// Process folds b into its slices.
func (w *Overlapping) Process(_ int, b *vector.Batch) error {
	bad, err := w.f.begin(b)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad != nil && bad[i] != nil {
			continue
		}
		if first, last := w.windows(b, i); first <= last {
			w.f.addSlice(i, first, last)
		}
	}
	for i := range w.f.found.list {
		if _, _, err := w.f.fold(b, &w.f.found.list[i], 0); err != nil {
			return err
		}
	}
	return nil
}

// addSlice puts row i into the slice of its group that counts for windows first to last.
func (f *folder) addSlice(i int, first, last int64) {
	f.key = keys.AppendTime(keys.AppendRow(f.key[:0], f.cols, i), last)
	f.found.add(int32(i), first, f.key)
}

// ofSlice takes a slice's key apart: the group's key, and the last window that the slice counts for.
func ofSlice(key []byte) (group []byte, last int64) {
	n := len(key) - 8
	return key[:n:n], keys.Time(key[n:])
}

// Advance emits the windows that m closes.
func (w *Overlapping) Advance(m op.Marks) error {
	w.marks = w.marks.Raise(m)
	next, err := w.next()
	if err != nil {
		return err
	}
	for {
		k, ok := w.following(next)
		if !ok || !w.c.Window.Closed(k, w.marks.W) {
			break
		}
		if err := w.emit(k); err != nil {
			return err
		}
		next = k + 1
	}
	if err := w.remember(next); err != nil {
		return err
	}
	return w.c.Next.Advance(w.marks.BelowResults(w.c.Window))
}

// next is a window before which all were emitted.
func (w *Overlapping) next() (int64, error) {
	v, ok, err := w.c.State.Get(nextWindow, nil)
	if !ok || err != nil {
		return types.Never, err
	}
	if len(v) != 8 {
		return 0, op.ErrRow
	}
	return int64(binary.BigEndian.Uint64(v)), nil
}

// following is the first window from next on that holds a row; ok false when there is none.
func (w *Overlapping) following(next int64) (k int64, ok bool) {
	if !w.forest.empty() {
		return next, true
	}
	a, ok := w.entering()
	return max(next, a), ok
}

// entering is the first window that a slice enters with.
func (w *Overlapping) entering() (a int64, ok bool) {
	if all := w.c.State.Starts(); len(all) > 0 && all[0] < firstNode/2 {
		return all[0], true
	}
	return 0, false
}

// remember keeps where to go on, as long as that does not follow from the slices alone.
func (w *Overlapping) remember(next int64) error {
	if w.forest.empty() {
		return w.c.State.Drop(nextWindow)
	}
	var v [8]byte
	binary.BigEndian.PutUint64(v[:], uint64(next))
	if old, ok, err := w.c.State.Get(nextWindow, nil); err != nil || ok && string(old) == string(v[:]) {
		return err
	}
	return w.c.State.Put(nextWindow, nil, v[:])
}

// emit lets the slices of window k enter, pushes its results and lets go what ends with it.
func (w *Overlapping) emit(k int64) error {
	for {
		a, ok := w.entering()
		if !ok || a > k {
			break
		}
		if err := w.c.State.Scan(a, w.enter); err != nil {
			return err
		}
		if err := w.c.State.Drop(a); err != nil {
			return err
		}
	}
	if err := w.forest.each(k, func(key, value []byte) error { return w.final(k, key, value) }); err != nil {
		return err
	}
	if err := w.o.final(); err != nil {
		return err
	}
	return w.forest.leave(k)
}

// enter puts a slice into the forest.
func (w *Overlapping) enter(key, value []byte) error {
	group, last := ofSlice(key)
	w.key, w.slice = append(w.key[:0], group...), append(w.slice[:0], value...)
	return w.forest.enter(last, w.key, w.slice)
}
