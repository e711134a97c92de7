package agg

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/window"
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
	c     SlidingConfig
	f     *folder
	o     *output
	marks op.Marks
	waits *window.Alarms // the instants that are not decided
	ends  *window.Alarms // when to look whether all of a group is out of reach; one for each that remembers turned
	group []byte
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
	cols := append(c.Spec.columns(), types.TTimestamp, types.TTimestamp)
	return &Sliding{
		c: c, f: newFolder(c.Env, c.Spec, nil, nil), o: newOutput(c.Env, cols, c.Spec.Having, c.Origin, c.Next), marks: op.NoMarks,
		waits: window.NewAlarms(c.State, waiting), ends: window.NewAlarms(c.State, ending),
	}
}

func (s *Sliding) enter(key []byte) { s.group = append(append(s.group[:0], instants), key...) }

func (s *Sliding) time(t int64) []byte {
	s.at = keys.AppendTime(s.at[:0], t)
	return s.at
}

// Process folds b into its instants.
func (s *Sliding) Process(_ int, b *vector.Batch) error {
	bad, err := s.f.begin(b)
	if err != nil {
		return err
	}
	for i := range b.N {
		switch {
		case bad != nil && bad[i] != nil:
		case s.marks.W >= b.Time[i]+s.c.Grace:
			s.c.Env.Counters.LateAfterIdle++
		default:
			s.f.add(i, b.Time[i])
		}
	}
	for i := range s.f.found.list {
		g := &s.f.found.list[i]
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
	s.marks = s.marks.Raise(m)
	if reached := s.c.reached(s.marks); reached > types.Never {
		if err := s.waits.Ring(reached, func(a window.Alarm) error { return s.decide(a.Key, a.At) }); err != nil {
			return err
		}
		if err := s.o.final(); err != nil {
			return err
		}
		if err := s.ends.Ring(reached, func(a window.Alarm) error { return s.forget(a.Key, reached) }); err != nil {
			return err
		}
	}
	return s.c.Next.Advance(s.c.out(s.marks))
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
	n := len(s.o.out.Cols)
	s.o.out.Cols[n-2].AppendInt(t - s.c.Reach)
	s.o.out.Cols[n-1].AppendInt(t)
	if err := s.o.add(s.f, 0, key, *result, t); err != nil {
		return err
	}
	if s.o.out.N < op.ChunkRows {
		return nil
	}
	return s.o.final()
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

// forget forgets a group of which no decided instant is within reach of those to come, or sets another alarm.
func (s *Sliding) forget(key []byte, reached int64) error {
	s.enter(key)
	last := types.Never
	first := keys.AppendTime(nil, types.Never)
	err := s.c.State.Descend(s.group, first, keys.AppendTime(nil, reached+1), func(key, _ []byte) (bool, error) {
		last = keys.Time(key)
		return true, nil
	})
	if err != nil {
		return err
	}
	if last+s.c.Reach > reached {
		return s.ends.Set(last+s.c.Reach, key)
	}
	if err := s.leave(reached + 1); err != nil {
		return err
	}
	return s.c.State.Delete(s.group, nil)
}

// Holds says whether an instant waits. What cannot be read is told by the next call that returns an error.
func (s *Sliding) Holds() bool {
	_, some, err := s.waits.First()
	return some || err != nil
}

// Due is when the earliest instant that waits is decided.
func (s *Sliding) Due() (int64, bool) {
	at, some, err := s.waits.First()
	return at + s.c.Grace, some && err == nil
}
