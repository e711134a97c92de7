package agg

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// OverlappingChanges aggregates in windows that overlap and emits, for each group that a batch changed, the windows that its
// rows lie in. Each window has its own values. The rows of a batch fold once, into one value for each group and choice of
// windows, which is then merged into every one of those: beyond that the cost is that of what is emitted.
type OverlappingChanges struct {
	windowed
	order []int32 // the found groups, those of one key together
	part  []byte
	rows  []changed // per row of the output
	stood []bool
}

// changed is a group in a window, in the order of the output.
type changed struct {
	k   int64
	key []byte
}

func newOverlappingChanges(c WindowedConfig) *OverlappingChanges {
	return &OverlappingChanges{windowed: newWindowedBase(c)}
}

// Process folds b into the windows of its rows and emits those.
func (w *OverlappingChanges) Process(_ int, b *vector.Batch) error {
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
	w.sort()
	for from := 0; from < len(w.order); {
		to := from + 1
		for to < len(w.order) && bytes.Equal(w.keyOf(w.order[to]), w.keyOf(w.order[from])) {
			to++
		}
		if err := w.group(b, w.order[from:to]); err != nil {
			return err
		}
		from = to
	}
	return w.flush()
}

// keyOf is the group's key of a slice found.
func (w *OverlappingChanges) keyOf(slice int32) []byte {
	key, _ := ofSlice(w.f.found.key(&w.f.found.list[slice]))
	return key
}

// sort puts the slices of a key together, in the order of their windows.
func (w *OverlappingChanges) sort() {
	w.order = w.order[:0]
	for i := range w.f.found.list {
		w.order = append(w.order, int32(i))
	}
	slices.SortFunc(w.order, func(a, b int32) int {
		return cmp.Or(bytes.Compare(w.keyOf(a), w.keyOf(b)), cmp.Compare(w.f.found.list[a].start, w.f.found.list[b].start))
	})
}

// group merges the slices of one key, in order, into their windows, and emits each of those once.
func (w *OverlappingChanges) group(b *vector.Batch, slices []int32) error {
	key := w.keyOf(slices[0])
	for _, s := range slices {
		g := &w.f.found.list[s]
		var err error
		if w.part, err = w.f.fresh(w.part, b, g); err != nil {
			return err
		}
		for k := g.start; k <= w.lastOf(g); k++ {
			if err := w.f.mergeInto(k, key, w.part); err != nil {
				return err
			}
		}
	}
	next := types.Never
	for _, s := range slices {
		g := &w.f.found.list[s]
		for k := max(next, g.start); k <= w.lastOf(g); k++ {
			if err := w.emit(k, key); err != nil {
				return err
			}
		}
		next = max(next, w.lastOf(g)+1)
	}
	return nil
}

func (w *OverlappingChanges) lastOf(g *group) int64 {
	_, last := ofSlice(w.f.found.key(g))
	return last
}

// emit adds a group in a window to the output.
func (w *OverlappingChanges) emit(k int64, key []byte) error {
	value, _, err := w.c.State.Get(k, key)
	if err != nil {
		return err
	}
	w.rows = append(w.rows, changed{k, key})
	w.stood = append(w.stood, value[emittedAt] != 0)
	if err := w.o.add(w.f, k, key, value, w.bounds(k)); err != nil {
		return err
	}
	if w.o.out.N < op.ChunkRows {
		return nil
	}
	return w.flush()
}

// flush pushes the output and stores what stands in the result now.
func (w *OverlappingChanges) flush() error {
	defer func() {
		w.o.reset()
		w.rows, w.stood = w.rows[:0], w.stood[:0]
	}()
	if w.o.out.N == 0 {
		return nil
	}
	if err := w.o.judge(); err != nil {
		return err
	}
	for i, ok := range w.o.pass {
		if ok == w.stood[i] {
			continue
		}
		value, _, err := w.c.State.Modify(w.rows[i].k, w.rows[i].key)
		if err != nil {
			return err
		}
		value[emittedAt] = flag(ok)
	}
	return w.o.changes(w.stood)
}

// Advance forgets the windows that m closes.
func (w *OverlappingChanges) Advance(m op.Marks) error {
	w.marks = w.marks.Raise(m)
	if err := op.CloseWindows(w.c.State, w.c.Window, w.marks.W, nil); err != nil {
		return err
	}
	return w.c.Next.Advance(w.marks.BelowResults(w.c.Window))
}
