package agg

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// SlidingConfig configures Sliding.
type SlidingConfig struct {
	Env     op.Env
	Spec    Spec
	Columns []types.Type // of the input
	Reach   int64        // µs
	Grace   int64        // µs
	Origin  bool         // something downstream orders by (ts, origin)
	State   op.Sorted
	Sorted  op.Sorted // where Spec.Keeps
	Next    op.Next
}

// reached is the last instant that a watermark decides.
func (c *SlidingConfig) reached(m op.Marks) int64 {
	if m.W <= types.Never || m.W >= types.Forever {
		return m.W
	}
	return m.W - c.Grace
}

// out is W_out when the instants up to reached are decided.
func (c *SlidingConfig) out(m op.Marks) op.Marks {
	if reached := c.reached(m); reached > types.Never && reached < types.Forever {
		return m.Below(reached + 1)
	}
	return m
}

// Sliding gives, for each group and each instant t at which it has a row, the aggregates over its rows in [t - Reach, t], both
// ends included. Its columns: the group, the aggregates, window_start (t - Reach) and window_end (t); the ts of a result is t.
// An instant is decided when W >= t + Grace, in the order of instants, and never again; W_out = W_in - Grace.
//
// The rows of an instant fold into one value. The instants of a group that were decided and are still within reach are two
// stacks: of the older ones, up to an instant the group remembers (turned), each value is the merge with those after it up to
// there; the younger ones are merged in one value. So each value is merged a constant number of times, however many are within
// reach: now and then one instant takes its time, when all the older ones have gone and the younger ones are turned.
type Sliding struct {
	sliding
	at    []byte
	leaf  []byte
	stack []byte
	older []byte
}

// What a group of the state begins with. Of a group: under an instant the value of its rows, and under nil turned (8 bytes) and
// the merge of the younger values, if there are any.
const (
	waiting byte = iota
	ending
	instants
)

// NewSliding makes the operator of sliding windows: Sliding, or where aggregates keep entries of their rows, one that takes rows back.
func NewSliding(c SlidingConfig) Aggregator {
	if c.Spec.Keeps() {
		return newSlidingKept(c)
	}
	return newSlidingMerged(c)
}

func newSlidingMerged(c SlidingConfig) *Sliding {
	return &Sliding{sliding: newSlidingBase(c, newFolder(c.Env, c.Spec, nil, nil))}
}

func (s *Sliding) time(t int64) []byte {
	s.at = keys.AppendTime(s.at[:0], t)
	return s.at
}

// Process folds b into its instants.
func (s *Sliding) Process(_ int, b *vector.Batch) error {
	if err := s.gather(b); err != nil {
		return err
	}
	for i := range s.f.found.list {
		g := &s.f.found.list[i]
		var err error
		if s.leaf, err = s.f.fresh(s.leaf, b, g); err != nil {
			return err
		}
		if err := s.fold(s.f.found.key(g), g.start); err != nil {
			return err
		}
	}
	return nil
}

// fold merges s.leaf into the value of an instant.
func (s *Sliding) fold(key []byte, t int64) error {
	s.enter(key)
	value, ok, err := s.c.State.Get(s.group, s.time(t))
	if err != nil {
		return err
	}
	if !ok {
		if err := s.waits.Set(t, key); err != nil {
			return err
		}
	} else {
		s.leaf = s.f.merge(s.leaf, value)
	}
	return s.c.State.Put(s.group, s.time(t), s.leaf)
}

// Advance decides the instants that m reaches.
func (s *Sliding) Advance(m op.Marks) error {
	return s.advance(m, s.decide, func(_ []byte, reached int64) error { return s.leave(reached + 1) })
}

// decide emits the result of an instant.
func (s *Sliding) decide(key []byte, t int64) error {
	s.enter(key)
	if err := s.leave(t - s.c.Reach); err != nil {
		return err
	}
	turned, err := s.recall(key, t)
	if err != nil {
		return err
	}
	result := &s.older
	some, err := s.oldest(t-s.c.Reach, turned)
	switch {
	case err != nil:
		return err
	case some:
		if err := s.push(t); err != nil {
			return err
		}
		s.older = s.f.merge(s.older, s.stack[8:])
	default:
		if err := s.turn(t); err != nil {
			return err
		}
		result = &s.leaf
	}
	return s.emit(key, *result, t)
}

// leave removes the instants before one.
func (s *Sliding) leave(from int64) error {
	first := keys.AppendTime(nil, types.Never)
	return s.c.State.Ascend(s.group, first, keys.AppendTime(nil, from), func(key, _ []byte) (bool, error) {
		return false, s.c.State.Delete(s.group, key)
	})
}

// recall reads what the group remembers into s.stack and returns up to where its values are turned.
func (s *Sliding) recall(key []byte, t int64) (turned int64, err error) {
	value, ok, err := s.c.State.Get(s.group, nil)
	if err != nil {
		return 0, err
	}
	if !ok {
		never := types.Never
		s.stack = binary.BigEndian.AppendUint64(s.stack[:0], uint64(never))
		return never, s.ends.Set(t+s.c.Reach, key)
	}
	if len(value) < 8 {
		return 0, op.ErrRow
	}
	s.stack = append(s.stack[:0], value...)
	return int64(binary.BigEndian.Uint64(value)), nil
}

// oldest sets s.older to the merge of the turned values from an instant on, if there is one.
func (s *Sliding) oldest(from, turned int64) (some bool, err error) {
	if turned < from {
		return false, nil
	}
	err = s.c.State.Ascend(s.group, s.time(from), keys.AppendTime(nil, turned+1), func(_, value []byte) (bool, error) {
		s.older, some = append(s.older[:0], value...), true
		return true, nil
	})
	return some, err
}

// push merges the value of an instant into that of the younger ones.
func (s *Sliding) push(t int64) error {
	value, _, err := s.c.State.Get(s.group, s.time(t))
	if err != nil {
		return err
	}
	if len(s.stack) == 8 {
		s.stack = append(s.stack, value...)
	} else {
		merged := s.f.merge(s.stack[8:len(s.stack):len(s.stack)], value)
		s.stack = append(s.stack[:8], merged...)
	}
	return s.c.State.Put(s.group, nil, s.stack)
}

// turn merges each value up to an instant with those after it, and leaves the oldest in s.leaf.
func (s *Sliding) turn(t int64) error {
	s.leaf = s.leaf[:0]
	err := s.c.State.Descend(s.group, keys.AppendTime(nil, types.Never), keys.AppendTime(nil, t+1), func(key, value []byte) (bool, error) {
		if len(s.leaf) == 0 {
			s.leaf = append(s.leaf, value...)
			return false, nil
		}
		s.leaf = s.f.merge(s.leaf, value)
		return false, s.c.State.Put(s.group, key, s.leaf)
	})
	if err != nil {
		return err
	}
	s.stack = binary.BigEndian.AppendUint64(s.stack[:0], uint64(t))
	return s.c.State.Put(s.group, nil, s.stack)
}
