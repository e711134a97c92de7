package storage

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// Windows is state keyed by a window's start (or another number that orders windows) and a key; op.Windows says what its
// methods do. A window's entries are a table of their own, so dropping it frees all at once. A commit visits the windows
// that its epoch changed and a flush those changed since the last, however many are open.
type Windows struct {
	s       *shared
	id      []byte // prefix of the state in Pebble
	starts  []int64
	open    map[int64]*window
	last    *window   // the one used last
	drops   []int64   // dropped in this epoch, of those the changelog may have
	removed []int64   // dropped since the last flush, of those Pebble may have
	active  []*window // changed since the last commit, some of them dropped again
	soiled  []*window // to be flushed, some of them dropped again
	pending int64     // about how many bytes the next flush writes, as of the last commit
	next    int64     // changelog offset below which nothing of the open epoch is
	changes bool
	order   []ordered
}

type window struct {
	part
	start  int64
	first  int64 // no entry of the window lies below this changelog offset
	logged bool  // the changelog may have entries
	stored bool  // Pebble may have entries
	soiled bool  // there is something to flush, be it only first
	active bool  // it is in Windows.active
	gone   bool  // it was dropped
	large  bool  // it is too large to be read as a whole
	due    int64 // its part of Windows.pending
}

// In Pebble: id, markWindow, start -> first; id, dataWindow, start, key -> value.
const (
	markWindow byte = 1
	dataWindow byte = 2
)

func newWindows(s *shared, id []byte) *Windows {
	return &Windows{s: s, id: id, open: map[int64]*window{}}
}

func (w *Windows) key(kind byte, start int64) []byte {
	return keys.AppendTime(append(slices.Clip(w.id), kind), start)
}

func (w *Windows) find(start int64) *window {
	if w.last != nil && w.last.start == start {
		return w.last
	}
	x := w.open[start]
	if x != nil {
		w.last = x
	}
	return x
}

// make finds or opens a window.
func (w *Windows) make(start, offset int64) *window {
	if x := w.find(start); x != nil {
		return x
	}
	x := &window{part: newPart(w.s, w.key(dataWindow, start)), start: start, first: offset}
	x.complete = true
	w.open[start], w.last = x, x
	if n := len(w.starts); n == 0 || w.starts[n-1] < start {
		w.starts = append(w.starts, start)
	} else {
		i, _ := slices.BinarySearch(w.starts, start)
		w.starts = slices.Insert(w.starts, i, start)
	}
	w.changed(x)
	return x
}

// together is how many entries of a window are read into memory when one of them is asked for.
const together = 256

// awake reads a small window into memory of which nothing is there: its entries are wanted together.
func (x *window) awake() error {
	if x.complete || x.large || x.t.n > 0 {
		return nil
	}
	all, err := x.loadFirst(together)
	x.large = !all
	return err
}

// changed notes that there is something to commit and to flush of x.
func (w *Windows) changed(x *window) {
	if !x.active {
		x.active = true
		w.active = append(w.active, x)
	}
	if !x.soiled {
		x.soiled = true
		w.soiled = append(w.soiled, x)
	}
}

// Add puts key without a value if it is absent.
func (w *Windows) Add(start int64, key []byte) (bool, error) {
	x := w.make(start, w.next)
	if err := x.awake(); err != nil {
		return false, err
	}
	added, err := x.add(key)
	if added {
		w.changes = true
		w.changed(x)
	}
	return added, err
}

// Get returns the value, valid until the next call.
func (w *Windows) Get(start int64, key []byte) ([]byte, bool, error) {
	x := w.find(start)
	if x == nil {
		return nil, false, nil
	}
	if err := x.awake(); err != nil {
		return nil, false, err
	}
	return x.get(key)
}

// Modify returns the value to be changed in place.
func (w *Windows) Modify(start int64, key []byte) ([]byte, bool, error) {
	x := w.find(start)
	if x == nil {
		return nil, false, nil
	}
	if err := x.awake(); err != nil {
		return nil, false, err
	}
	v, ok, err := x.modify(key)
	if ok {
		w.changes = true
		w.changed(x)
	}
	return v, ok, err
}

// Put sets the value of a key.
func (w *Windows) Put(start int64, key, value []byte) error {
	x := w.make(start, w.next)
	w.changes = true
	w.changed(x)
	return x.put(key, value)
}

// Starts are the open windows' starts, ascending.
func (w *Windows) Starts() []int64 { return w.starts }

// Scan visits a window's entries in key order. The window must not be changed meanwhile.
func (w *Windows) Scan(start int64, visit func(key, value []byte) error) error {
	x := w.find(start)
	if x == nil {
		return nil
	}
	if err := x.awake(); err != nil {
		return err
	}
	return x.scan(visit)
}

// Drop removes a window.
func (w *Windows) Drop(start int64) error {
	x := w.find(start)
	if x == nil {
		return nil
	}
	w.changes = true
	if x.logged {
		w.drops = append(w.drops, start)
	}
	w.remove(x)
	return nil
}

func (w *Windows) remove(x *window) {
	if x.stored {
		w.removed = append(w.removed, x.start)
	}
	x.t.free()
	x.gone = true
	w.pending -= x.due
	delete(w.open, x.start)
	w.last = nil
	if w.starts[0] == x.start { // mostly it is the oldest
		w.starts = w.starts[1:]
		return
	}
	i, _ := slices.BinarySearch(w.starts, x.start)
	w.starts = slices.Delete(w.starts, i, i+1)
}

func (w *Windows) dirty() bool { return w.changes }

func (w *Windows) unflushed() int64 {
	return w.pending + int64(len(w.removed))*32
}

// byStart puts windows in order, without those that were dropped.
func byStart(ws []*window) []*window {
	ws = slices.DeleteFunc(ws, func(x *window) bool { return x.gone })
	slices.SortFunc(ws, func(a, b *window) int { return cmp.Compare(a.start, b.start) })
	return ws
}

// log emits the epoch's changes: drops first, since a window may have been opened again.
func (w *Windows) log(r *emitter) error {
	for _, start := range w.drops {
		if _, err := r.begin(10); err != nil {
			return err
		}
		r.buf = binary.AppendVarint(append(r.buf, entryDrop), start)
	}
	w.active = byStart(w.active)
	for _, x := range w.active {
		if err := x.log(r); err != nil {
			return err
		}
	}
	return nil
}

func appendWindow(dst []byte, start int64) []byte {
	return binary.AppendVarint(append(dst, entryWindow), start)
}

func (x *window) log(r *emitter) error {
	opened := false
	for _, n := range x.t.touched {
		e := x.t.entry(n)
		key, value := x.t.key(e), x.t.value(e)
		fresh, err := r.begin(len(key) + len(value) + 24)
		if err != nil {
			return err
		}
		if fresh || !opened {
			r.buf = appendWindow(r.buf, x.start)
			opened = true
		}
		r.buf = vector.AppendBytes(vector.AppendBytes(append(r.buf, entryPut), key), value)
	}
	return nil
}

// commit ends the epoch; nothing of the next lies below the changelog offset next.
func (w *Windows) commit(next int64) {
	w.next, w.changes, w.drops = next, false, reuse(w.drops)
	for _, x := range w.active {
		x.active = false
		if x.gone {
			continue
		}
		if len(x.t.touched) > 0 {
			x.logged = true
			x.t.committed()
		}
		x.tidy()
		w.pending += x.t.dirtied - x.due
		x.due = x.t.dirtied
	}
	clear(w.active)
	w.active = reuse(w.active)
}

func (w *Windows) flush(out writer) error {
	slices.Sort(w.removed)
	w.removed = slices.Compact(w.removed)
	w.soiled = byStart(w.soiled)
	for _, start := range w.removed {
		if err := out.removeRange(w.key(dataWindow, start), successor(w.key(dataWindow, start))); err != nil {
			return err
		}
	}
	if err := w.flushMarks(out); err != nil {
		return err
	}
	for _, x := range w.soiled {
		if err := x.flush(out, &w.order); err != nil {
			return err
		}
		x.soiled, x.stored, x.due = false, true, 0
	}
	clear(w.soiled)
	w.removed, w.soiled, w.pending = reuse(w.removed), reuse(w.soiled), 0
	return nil
}

// flushMarks writes which windows there are, in order of their starts.
func (w *Windows) flushMarks(out writer) error {
	gone := w.removed
	for _, x := range w.soiled {
		for len(gone) > 0 && gone[0] < x.start {
			if err := out.remove(w.key(markWindow, gone[0])); err != nil {
				return err
			}
			gone = gone[1:]
		}
		if len(gone) > 0 && gone[0] == x.start { // opened again
			gone = gone[1:]
		}
		if err := out.set(w.key(markWindow, x.start), binary.AppendVarint(nil, x.first)); err != nil {
			return err
		}
	}
	for _, start := range gone {
		if err := out.remove(w.key(markWindow, start)); err != nil {
			return err
		}
	}
	return nil
}

// evict frees clean windows, the oldest first, until the store uses no more than limit.
func (w *Windows) evict(limit int64) {
	for _, start := range w.starts {
		if w.s.mem <= limit {
			return
		}
		x := w.open[start]
		if x.soiled || x.t.n == 0 {
			continue
		}
		x.t.free()
		x.complete = false
	}
}

func (w *Windows) apply(kind byte, r *vector.Reader, start *int64, offset int64) error {
	switch kind {
	case entryWindow:
		*start = r.Varint()
	case entryDrop:
		if x := w.find(r.Varint()); x != nil && r.Err() == nil {
			w.remove(x)
		}
	case entryPut:
		key, value := r.Bytes(), r.Bytes()
		if r.Err() != nil {
			return errRecord
		}
		x := w.make(*start, offset)
		x.logged = true
		w.changed(x)
		return x.apply(key, value, false)
	default:
		return fmt.Errorf("%w: entry kind %d in a windows state", errRecord, kind)
	}
	return nil
}

// oldest is the changelog offset below which no entry of a live window is; ok false when there is no window.
func (w *Windows) oldest() (offset int64, ok bool) {
	for _, x := range w.open {
		if !ok || x.first < offset {
			offset, ok = x.first, true
		}
	}
	return offset, ok
}

// load reads which windows there are, and the entries of the newest while the store uses no more than limit.
func (w *Windows) load(limit int64) error {
	c, err := w.s.disk.cursor(append(slices.Clip(w.id), markWindow))
	if err != nil {
		return err
	}
	defer c.close()
	for {
		k, v, ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		first, n := binary.Varint(v)
		if n <= 0 || len(k) != len(w.id)+9 {
			return &CorruptError{w.s.disk.dir, errRecord}
		}
		x := w.make(keys.Time(k[len(w.id)+1:]), first)
		x.logged, x.stored, x.soiled, x.active, x.complete = true, true, false, false, false
	}
	w.soiled, w.active = w.soiled[:0], w.active[:0]
	for _, start := range slices.Backward(w.starts) {
		if w.s.mem > limit {
			break
		}
		if err := w.open[start].loadAll(limit); err != nil {
			return err
		}
	}
	return nil
}
