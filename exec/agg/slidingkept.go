package agg

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// slidingKept is Sliding where an aggregate keeps entries of its rows, which cannot be merged and taken apart again. A group has one
// value, as over rows that are removed: an instant that is decided adds its rows and takes back those that have come out of reach. So each
// row is kept until then, and folded twice.
//
//	group waiting, ending: alarms
//	group instants, key:   under nil the value; per row, under its instant and op.AppendRow: how many like it (8 bytes)
type slidingKept struct {
	sliding
	entry []byte
	read  op.RowReader
	rows  *vector.Batch // that are folded
	gone  *vector.Batch // that are taken back
	value []byte
}

func newSlidingKept(c SlidingConfig) *slidingKept {
	c.Spec.Input = expr.Deltas
	s := &slidingKept{
		sliding: newSlidingBase(c, newFolder(c.Env, c.Spec, nil, c.Sorted)), rows: vector.NewBatch(c.Columns, 0), gone: vector.NewBatch(c.Columns, 0),
	}
	s.f.in.Over = expr.Appends // what is taken back has the origin that it came with
	return s
}

// Process keeps the rows of b until their instants are decided.
func (s *slidingKept) Process(_ int, b *vector.Batch) error {
	if err := s.gather(b); err != nil {
		return err
	}
	for i := range s.f.found.list {
		g := &s.f.found.list[i]
		if err := s.waits.Set(g.start, s.f.found.key(g)); err != nil {
			return err
		}
		s.enter(s.f.found.key(g))
		for row := g.first; row >= 0; row = s.f.found.next[row] {
			if err := s.keep(b, int(row)); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep stores a row.
func (s *slidingKept) keep(b *vector.Batch, i int) error {
	s.entry = op.AppendRow(keys.AppendTime(s.entry[:0], b.Time[i]), b, i)
	value, ok, err := s.c.State.Modify(s.group, s.entry)
	if err != nil {
		return err
	}
	if ok {
		binary.BigEndian.PutUint64(value, binary.BigEndian.Uint64(value)+1)
		return nil
	}
	return s.c.State.Put(s.group, s.entry, binary.BigEndian.AppendUint64(nil, 1))
}

// Advance decides the instants that m reaches.
func (s *slidingKept) Advance(m op.Marks) error { return s.advance(m, s.decide, s.drop) }

// decide emits the result of an instant.
func (s *slidingKept) decide(key []byte, t int64) error {
	s.enter(key)
	value, some, err := s.c.State.Get(s.group, nil)
	if err != nil {
		return err
	}
	s.value = append(s.value[:0], value...)
	if err := s.leave(t - s.c.Reach); err != nil {
		return err
	}
	if err := s.fold(t, some); err != nil {
		return err
	}
	if !some {
		if err := s.ends.Set(t+s.c.Reach, key); err != nil {
			return err
		}
	}
	if err := s.c.State.Put(s.group, nil, s.value); err != nil {
		return err
	}
	return s.emit(key, s.value, t)
}

// fold adds the rows of an instant to the value; some: there is one.
func (s *slidingKept) fold(t int64, some bool) error {
	defer s.rows.Reset()
	if err := s.take(s.rows, t, t+1, nil); err != nil {
		return err
	}
	g, err := s.whole(s.rows)
	if err != nil {
		return err
	}
	if !some {
		s.value = s.f.none(s.value, g)
	}
	s.value, err = s.f.rows(s.value, s.rows, g)
	return err
}

// leave takes the rows before an instant back from the value, and forgets them.
func (s *slidingKept) leave(from int64) error {
	defer s.gone.Reset()
	err := s.take(s.gone, types.Never, from, func(entry []byte) error { return s.c.State.Delete(s.group, entry) })
	if err != nil || s.gone.N == 0 {
		return err
	}
	for range s.gone.N {
		s.gone.Deleted = append(s.gone.Deleted, true)
	}
	g, err := s.whole(s.gone)
	if err != nil {
		return err
	}
	s.value, err = s.f.rows(s.value, s.gone, g)
	return err
}

// take appends the kept rows of the instants [from, to) to a batch.
func (s *slidingKept) take(out *vector.Batch, from, to int64, each func(entry []byte) error) error {
	return s.c.State.Ascend(s.group, keys.AppendTime(nil, from), keys.AppendTime(nil, to), func(entry, value []byte) (bool, error) {
		if len(entry) < 8 || len(value) != 8 {
			return true, op.ErrRow
		}
		for range binary.BigEndian.Uint64(value) {
			if err := s.read.Append(out, entry[8:]); err != nil {
				return true, err
			}
		}
		if each == nil {
			return false, nil
		}
		return false, each(entry)
	})
}

// whole evaluates a batch of rows of one group.
func (s *slidingKept) whole(b *vector.Batch) (*group, error) {
	if _, err := s.f.begin(b); err != nil {
		return nil, err
	}
	for i := range b.N {
		s.f.add(i, 0)
	}
	return &s.f.found.list[0], nil
}

// drop forgets the rows of a group and what its aggregates keep.
func (s *slidingKept) drop(key []byte, reached int64) error {
	err := s.take(s.gone, types.Never, reached+1, func(entry []byte) error { return s.c.State.Delete(s.group, entry) })
	s.gone.Reset()
	if err != nil {
		return err
	}
	return s.f.kept.forget(0, key)
}
