package agg

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/window"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// VersionedConfig configures Versioned.
type VersionedConfig struct {
	Env    op.Env
	Spec   Spec // of aggregates that do not keep entries, over rows that stay
	Origin bool // something downstream orders by (ts, origin)
	// Slack is that of op.ReleaseMark, µs; Correct how far below the mark the join corrects what it has released. Late is told of late rows; nil: nobody.
	Slack, Correct int64
	Late           op.LateVersion
	// Horizon is an instant before which nobody asks for a version any more; types.Never: none is known.
	Horizon func() int64
	State   op.Sorted
	Next    op.Next
}

// Versioned aggregates per group and sends, for each instant at which a group has rows, the result of all its rows up to there, in
// whatever order they come: an upsert whose ts is the instant, a tombstone where HAVING does not hold. A row that comes late
// (op.ReleaseMark, less Correct) counts from 1 µs above the mark on. Its columns: the group, the aggregates.
//
// A row in order adds a version. One that comes after n versions of later instants changes those, too: once for the rows of its
// group that came in one batch, so that n is what arrives within the disorder.
type Versioned struct {
	c     VersionedConfig
	f     *folder
	o     *output
	ends  *window.Alarms // when the horizon reaches a version, those before it may go
	order []int32        // the groups of a batch, by key and instant
	group []byte
	at    []byte
	leaf  []byte // of the rows of one instant in the batch
	delta []byte // of those so far, where later versions take them too
	sum   []byte // of all rows up to an instant
	later versions
	stood []bool
}

// versions are the values of a group at some instants, in their order.
type versions struct {
	list []versionAt
	data []byte
}

type versionAt struct {
	t        int64
	from, to int
}

func (v *versions) value(i int) []byte { return v.data[v.list[i].from:v.list[i].to] }

func (v *versions) add(t int64, value []byte) {
	from := len(v.data)
	v.data = append(v.data, value...)
	v.list = append(v.list, versionAt{t, from, len(v.data)})
}

func (v *versions) reset() { v.list, v.data = v.list[:0], v.data[:0] }

// NewVersioned makes a Versioned.
func NewVersioned(c VersionedConfig) *Versioned {
	return &Versioned{
		c: c, f: newFolder(c.Env, c.Spec, nil, nil), o: newOutput(c.Env, c.Spec.columns(), c.Spec.Having, c.Origin, c.Next),
		ends: window.NewAlarms(c.State, ending),
	}
}

func (v *Versioned) enter(key []byte) { v.group = append(append(v.group[:0], instants), key...) }

func (v *Versioned) time(t int64) []byte {
	v.at = keys.AppendTime(v.at[:0], t)
	return v.at
}

// Process folds b into the versions of its groups and sends those that it changed.
func (v *Versioned) Process(_ int, b *vector.Batch) error {
	if err := v.ends.Ring(v.c.Horizon(), func(a window.Alarm) error { return v.forget(a.Key, a.At) }); err != nil {
		return err
	}
	bad, err := v.f.begin(b)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad == nil || bad[i] == nil {
			v.f.add(i, v.instant(b, i))
		}
	}
	v.sort()
	for from := 0; from < len(v.order); {
		key := v.key(from)
		to := from + 1
		for to < len(v.order) && bytes.Equal(v.key(to), key) {
			to++
		}
		if err := v.fold(b, key, v.order[from:to]); err != nil {
			return err
		}
		from = to
	}
	return v.flush()
}

// instant is from when on row i counts.
func (v *Versioned) instant(b *vector.Batch, i int) int64 {
	mark, late := op.ReleaseMark(b, i, v.c.Slack+v.c.Correct)
	if !late {
		return b.Time[i]
	}
	v.c.Env.Counters.LateTable++
	if v.c.Late != nil {
		v.c.Late(b, i, b.Seen[i]+1-v.c.Correct-b.Time[i])
	}
	return mark + 1
}

func (v *Versioned) key(i int) []byte { return v.f.found.key(&v.f.found.list[v.order[i]]) }

func (v *Versioned) sort() {
	v.order = v.order[:0]
	for i := range v.f.found.list {
		v.order = append(v.order, int32(i))
	}
	found := v.f.found
	slices.SortFunc(v.order, func(i, j int32) int {
		a, b := &found.list[i], &found.list[j]
		return cmp.Or(bytes.Compare(found.key(a), found.key(b)), cmp.Compare(a.start, b.start))
	})
}

// fold adds the rows of one key, by instants in their order.
func (v *Versioned) fold(b *vector.Batch, key []byte, parts []int32) error {
	v.enter(key)
	first := v.f.found.list[parts[0]].start
	if err := v.read(first); err != nil {
		return err
	}
	v.delta = v.delta[:0]
	for i := 0; len(parts) > 0 || i < len(v.later.list); {
		t, isNew := types.Forever, true
		if len(parts) > 0 {
			t = v.f.found.list[parts[0]].start
		}
		if i < len(v.later.list) && v.later.list[i].t <= t {
			t, isNew = v.later.list[i].t, false
		}
		for ; len(parts) > 0 && v.f.found.list[parts[0]].start == t; parts = parts[1:] {
			if err := v.add(b, &v.f.found.list[parts[0]]); err != nil {
				return err
			}
		}
		if isNew {
			if err := v.alarm(key, t, i); err != nil {
				return err
			}
		} else {
			v.sum = v.f.merge(append(v.sum[:0], v.later.value(i)...), v.delta)
			i++
		}
		if err := v.put(key, t); err != nil {
			return err
		}
	}
	return nil
}

// alarm sets the alarm of a new version, and again that of the next one, before which something lies now.
func (v *Versioned) alarm(key []byte, t int64, next int) error {
	if next < len(v.later.list) {
		if err := v.ends.Set(v.later.list[next].t, key); err != nil {
			return err
		}
	}
	return v.ends.Set(t, key)
}

// read sets sum to the version before an instant, if there is one, and later to those from it on.
func (v *Versioned) read(t int64) error {
	v.sum = v.sum[:0]
	err := v.c.State.Descend(v.group, nil, v.time(t), func(_, value []byte) (bool, error) {
		v.sum = append(v.sum, value...)
		return true, nil
	})
	if err != nil {
		return err
	}
	v.later.reset()
	return v.c.State.Ascend(v.group, v.time(t), nil, func(at, value []byte) (bool, error) {
		if len(at) != 8 || len(value) < rowAt {
			return true, op.ErrRow
		}
		v.later.add(keys.Time(at), value)
		return false, nil
	})
}

// add folds the rows of g into sum and delta.
func (v *Versioned) add(b *vector.Batch, g *group) (err error) {
	if v.leaf, err = v.f.fresh(v.leaf, b, g); err != nil {
		return err
	}
	for _, to := range []*[]byte{&v.sum, &v.delta} {
		if len(*to) == 0 {
			*to = append(*to, v.leaf...)
		} else {
			*to = v.f.merge(*to, v.leaf)
		}
	}
	return nil
}

// put stores the version of an instant and adds it to the output.
func (v *Versioned) put(key []byte, t int64) error {
	if err := v.c.State.Put(v.group, v.time(t), v.sum); err != nil {
		return err
	}
	if err := v.o.add(v.f, 0, key, v.sum, t); err != nil {
		return err
	}
	if v.o.out.N < op.ChunkRows {
		return nil
	}
	return v.flush()
}

// flush sends the versions in the output; one that HAVING does not let stand hides those before it.
func (v *Versioned) flush() error {
	if v.o.out.N == 0 {
		return nil
	}
	defer v.o.reset()
	if err := v.o.judge(); err != nil {
		return err
	}
	for len(v.stood) < v.o.out.N {
		v.stood = append(v.stood, true)
	}
	return v.o.changes(v.stood)
}

// forget removes the versions of a key before one, which the horizon has reached. A row that still comes for an instant among them makes
// a version there without what was forgotten, for which nobody asks, and counts in those that somebody may ask for.
func (v *Versioned) forget(key []byte, t int64) error {
	v.enter(key)
	return v.c.State.Ascend(v.group, nil, v.time(t), func(at, _ []byte) (bool, error) { return false, v.c.State.Delete(v.group, at) })
}

// Advance hands on m: nothing is held back.
func (v *Versioned) Advance(m op.Marks) error { return v.c.Next.Advance(m) }
