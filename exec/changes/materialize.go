// Package changes holds the operators that turn one form of changes into another: rows that replace each other by key into
// additions and removals of whole rows, and back.
package changes

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// MaterializeConfig configures Materialize.
type MaterializeConfig struct {
	Env     op.Env
	Columns []types.Type
	Key     []int // ordinals of the columns that name a row
	// Removed keeps, per History of event time, the keys whose newest row is a deletion: an older row that comes later must not
	// bring them back. Nil: the rows of a key come in order, the last one is the newest.
	Removed op.Windows
	History int64
	State   op.Map
	Next    op.Next
}

// Materialize keeps the newest row of each key, by (event time, origin), and sends what changes as removals and additions of
// whole rows. A removal carries the event time and the origin of the row it removes.
type Materialize struct {
	c     MaterializeConfig
	out   *vector.Batch
	names []*vector.Vector
	key   []byte
	value []byte
	marks op.Marks
}

// NewMaterialize makes a Materialize.
func NewMaterialize(c MaterializeConfig) *Materialize {
	m := &Materialize{c: c, out: vector.NewBatch(c.Columns, 0), names: make([]*vector.Vector, len(c.Key)), marks: op.NoMarks}
	m.out.Deleted, m.out.Origin = []bool{}, []types.Origin{}
	return m
}

// A stored version: the ts, 8 bytes big-endian | the origin | 0 for a deletion, else 1 and the row.
const (
	gone  = 0
	alive = 1
)

// Process takes upserts of b: a tombstone has its key columns only.
func (m *Materialize) Process(_ int, b *vector.Batch) error {
	for i, k := range m.c.Key {
		m.names[i] = b.Cols[k]
	}
	for i := range b.N {
		if err := m.row(b, i); err != nil {
			return err
		}
	}
	return m.push()
}

func (m *Materialize) row(b *vector.Batch, i int) error {
	m.key = keys.AppendRow(m.key[:0], m.names, i)
	var origin types.Origin
	if b.Origin != nil {
		origin = b.Origin[i]
	}
	deleted := b.Deleted != nil && b.Deleted[i]
	old, ok, err := m.c.State.Get(m.key)
	if err != nil {
		return err
	}
	if ok {
		if m.c.Removed != nil && newer(old, b.Time[i], origin) {
			m.c.Env.Counters.OldUpdates++
			return nil
		}
		if err := m.remove(old); err != nil {
			return err
		}
	}
	if deleted {
		return m.delete(b.Time[i], origin)
	}
	m.value = version(m.value[:0], b.Time[i], origin, alive)
	m.value = vector.AppendRow(m.value, b.Cols, i)
	m.add(b, i, origin)
	return m.c.State.Put(m.key, m.value)
}

func version(dst []byte, ts int64, o types.Origin, state byte) []byte {
	return append(vector.AppendOrigin(binary.BigEndian.AppendUint64(dst, uint64(ts)), o), state)
}

// newer says whether a stored version comes after (ts, origin).
func newer(stored []byte, ts int64, o types.Origin) bool {
	have := int64(binary.BigEndian.Uint64(stored))
	if have != ts {
		return have > ts
	}
	r := vector.Reader{Rest: stored[8:]}
	at := r.Origin()
	return at.Compare(o) > 0
}

// remove sends the removal of a stored version, if it is a row.
func (m *Materialize) remove(stored []byte) error {
	r := vector.Reader{Rest: stored[8:]}
	origin := r.Origin()
	if r.Byte() == gone {
		return r.Err()
	}
	if r.Row(m.out.Cols); r.Err() != nil {
		return op.ErrRow
	}
	m.sent(int64(binary.BigEndian.Uint64(stored)), origin, true)
	return nil
}

func (m *Materialize) add(b *vector.Batch, i int, origin types.Origin) {
	for c, v := range m.out.Cols {
		v.AppendFrom(b.Cols[c], i)
	}
	m.sent(b.Time[i], origin, false)
}

func (m *Materialize) sent(ts int64, origin types.Origin, removal bool) {
	m.out.Time = append(m.out.Time, ts)
	m.out.Origin = append(m.out.Origin, origin)
	m.out.Deleted = append(m.out.Deleted, removal)
	m.out.N++
}

// delete forgets a key, or keeps its deletion for as long as older rows may come.
func (m *Materialize) delete(ts int64, origin types.Origin) error {
	if m.c.Removed == nil {
		return m.c.State.Delete(m.key)
	}
	m.value = version(m.value[:0], ts, origin, gone)
	if err := m.c.State.Put(m.key, m.value); err != nil {
		return err
	}
	_, err := m.c.Removed.Add(m.period().First(ts), m.key)
	return err
}

func (m *Materialize) push() error {
	if m.out.N == 0 {
		return nil
	}
	err := m.c.Next.Push(m.out)
	m.out.Reset()
	return err
}

// period is the span of event time whose deletions are forgotten together.
func (m *Materialize) period() op.Window {
	return op.Window{Size: max(m.c.History, types.MicrosPerSecond), Grace: m.c.History}
}

// Advance forgets deletions that are older than History and hands on the time: nothing is held back.
func (m *Materialize) Advance(marks op.Marks) error {
	m.marks = m.marks.Raise(marks)
	if m.c.Removed != nil {
		if err := op.CloseWindows(m.c.Removed, m.period(), m.marks.W, m.forget); err != nil {
			return err
		}
	}
	return m.c.Next.Advance(m.marks)
}

// forget drops the keys that were deleted in a period and have not come back since.
func (m *Materialize) forget(period int64) error {
	return m.c.Removed.Scan(period, func(key, _ []byte) error {
		stored, ok, err := m.c.State.Get(key)
		if err != nil || !ok {
			return err
		}
		r := vector.Reader{Rest: stored[8:]}
		r.Origin()
		if r.Byte() != gone || m.period().First(int64(binary.BigEndian.Uint64(stored))) != period {
			return r.Err()
		}
		return m.c.State.Delete(key)
	})
}
