package agg

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/window"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// sliding is what the operators of sliding windows have in common: which instants of a group wait and when they are decided.
type sliding struct {
	c     SlidingConfig
	f     *folder
	o     *output
	marks op.Marks
	waits *window.Alarms // the instants that are not decided
	ends  *window.Alarms // when to look whether all of a group is out of reach; one for each that has anything but instants
	group []byte
}

func newSlidingBase(c SlidingConfig, f *folder) sliding {
	cols := append(c.Spec.columns(), types.TTimestamp, types.TTimestamp)
	return sliding{
		c: c, f: f, o: newOutput(c.Env, cols, c.Spec.Having, c.Origin, c.Next), marks: op.NoMarks,
		waits: window.NewAlarms(c.State, waiting), ends: window.NewAlarms(c.State, ending),
	}
}

func (s *sliding) enter(key []byte) { s.group = append(append(s.group[:0], instants), key...) }

// gather puts the rows of b together by group and instant; those of an instant that is decided are late.
func (s *sliding) gather(b *vector.Batch) error {
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
	return nil
}

// advance decides the instants that m reaches. drop forgets a group, which was entered, of which everything is out of reach.
func (s *sliding) advance(m op.Marks, decide func(key []byte, t int64) error, drop func(key []byte, reached int64) error) error {
	s.marks = s.marks.Raise(m)
	if reached := s.c.reached(s.marks); reached > types.Never {
		if err := s.waits.Ring(reached, func(a window.Alarm) error { return decide(a.Key, a.At) }); err != nil {
			return err
		}
		if err := s.o.final(); err != nil {
			return err
		}
		if err := s.ends.Ring(reached, func(a window.Alarm) error { return s.forget(a.Key, reached, drop) }); err != nil {
			return err
		}
	}
	return s.c.Next.Advance(s.c.out(s.marks))
}

// forget drops a group of which no decided instant is within reach of those to come, or sets another alarm.
func (s *sliding) forget(key []byte, reached int64, drop func(key []byte, reached int64) error) error {
	s.enter(key)
	last := types.Never
	err := s.c.State.Descend(s.group, keys.AppendTime(nil, types.Never), keys.AppendTime(nil, reached+1), func(entry, _ []byte) (bool, error) {
		last = keys.Time(entry)
		return true, nil
	})
	if err != nil {
		return err
	}
	if last+s.c.Reach > reached {
		return s.ends.Set(last+s.c.Reach, key)
	}
	if err := drop(key, reached); err != nil {
		return err
	}
	return s.c.State.Delete(s.group, nil)
}

// emit adds the result of an instant to the output, which goes on when it is full.
func (s *sliding) emit(key, value []byte, t int64) error {
	n := len(s.o.out.Cols)
	s.o.out.Cols[n-2].AppendInt(t - s.c.Reach)
	s.o.out.Cols[n-1].AppendInt(t)
	if err := s.o.add(s.f, 0, key, value, t); err != nil {
		return err
	}
	if s.o.out.N < op.ChunkRows {
		return nil
	}
	return s.o.final()
}

// Holds says whether an instant waits. What cannot be read is told by the next call that returns an error.
func (s *sliding) Holds() bool {
	_, some, err := s.waits.First()
	return some || err != nil
}

// Due is when the earliest instant that waits is decided.
func (s *sliding) Due() (int64, bool) {
	at, some, err := s.waits.First()
	return at + s.c.Grace, some && err == nil
}
