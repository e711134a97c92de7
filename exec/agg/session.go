package agg

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/window"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// SessionConfig configures InSessions.
type SessionConfig struct {
	Env    op.Env
	Spec   Spec
	Rule   window.Rule
	Emit   Emit
	Origin bool // something downstream orders by (ts, origin)
	State  op.Sorted
	Sorted op.Sorted // where Spec.Keeps
	Next   op.Next
}

// InSessions aggregates per group and session (window.Rule). Its columns: the group, the aggregates, window_start (the first
// row) and window_end (the last one + gap). The ts of a result is 1 ms before the window's end. With Changes, a session that
// turns out to have begun earlier, or to be one with another, goes by a tombstone and comes with its new start.
//
// The rows of a batch that are together fold into one value, which is merged with the sessions that it joins. Where aggregates keep
// entries, those lie under the first row of their session: sessions become one first, with what is kept of them, then the rows fold into it.
type InSessions struct {
	c        SessionConfig
	f        *folder
	o        *output
	sessions *window.Sessions
	gather   *gathering
	marks    op.Marks
	rows     []standing
	stood    []bool
}

// standing is a row of the output: the session of a key that it stands for.
type standing struct {
	key   []byte
	first int64
	gone  bool
}

// NewInSessions makes an InSessions.
func NewInSessions(c SessionConfig) *InSessions {
	cols := append(c.Spec.columns(), types.TTimestamp, types.TTimestamp)
	s := &InSessions{
		c: c, f: newFolder(c.Env, c.Spec, nil, c.Sorted), o: newOutput(c.Env, cols, c.Spec.Having, c.Origin, c.Next), marks: op.NoMarks,
	}
	s.gather = newGathering(c.Env, s.f, c.Rule, c.Sorted)
	w := window.SessionsConfig{Rule: c.Rule, State: c.State, Merge: s.gather.merge, Fixed: s.f.fixed}
	if c.Emit == Changes {
		w.Left = s.left
	}
	s.sessions = window.NewSessions(w)
	s.gather.sessions = s.sessions
	return s
}

// Process adds the rows of b to their sessions.
func (s *InSessions) Process(_ int, b *vector.Batch) error {
	bad, err := s.f.begin(b)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad == nil || bad[i] == nil {
			s.f.add(i, 0)
		}
	}
	defer s.forget()
	for i := range s.f.found.list {
		if err := s.group(b, &s.f.found.list[i]); err != nil {
			return err
		}
	}
	return s.flush()
}

// group adds the rows of one group.
func (s *InSessions) group(b *vector.Batch, g *group) error {
	key := s.f.found.key(g)
	touched, err := s.gather.add(b, g, s.marks.W)
	if err != nil || s.c.Emit == Final {
		return err
	}
	return s.changed(key, touched)
}

// changed adds the sessions of a key that a batch changed to the output.
func (s *InSessions) changed(key []byte, touched []int64) error {
	for _, first := range touched {
		x, value, ok, err := s.sessions.Get(key, first)
		if err != nil {
			return err
		}
		if !ok {
			continue // one with another by now
		}
		if err := s.add(key, x, value, false); err != nil {
			return err
		}
	}
	return nil
}

// left adds the removal of a session that is no more under its first row.
func (s *InSessions) left(key []byte, x window.Session, value []byte) error {
	if value[emittedAt] == 0 {
		return nil // it was never sent
	}
	return s.add(key, x, value, true)
}

func (s *InSessions) add(key []byte, x window.Session, value []byte, gone bool) error {
	s.rows = append(s.rows, standing{key, x.First, gone})
	s.stood = append(s.stood, value[emittedAt] != 0)
	if err := s.result(key, x, value); err != nil {
		return err
	}
	if gone {
		s.o.gone[s.o.out.N-1] = true
	}
	return nil
}

// result adds the row of a session to the output.
func (s *InSessions) result(key []byte, x window.Session, value []byte) error {
	n, end := len(s.o.out.Cols), x.Last+s.c.Rule.Gap
	s.o.out.Cols[n-2].AppendInt(x.First)
	s.o.out.Cols[n-1].AppendInt(end)
	return s.o.add(s.f, x.First, key, value, end-op.Millisecond)
}

// flush pushes the changes of a batch and stores what stands in the result now.
func (s *InSessions) flush() error {
	if s.o.out.N == 0 {
		return nil
	}
	if err := s.o.judge(); err != nil {
		return err
	}
	for i, ok := range s.o.pass {
		if r := &s.rows[i]; !r.gone && ok != s.stood[i] {
			value, err := s.sessions.Modify(r.key, r.first)
			if err != nil {
				return err
			}
			value[emittedAt] = flag(ok)
		}
	}
	return s.o.changes(s.stood)
}

func (s *InSessions) forget() {
	s.o.reset()
	s.rows, s.stood = s.rows[:0], s.stood[:0]
}

// Advance emits (Final) and forgets the sessions that m closes.
func (s *InSessions) Advance(m op.Marks) error {
	s.marks = s.marks.Raise(m)
	if s.marks.W > types.Never {
		if err := s.sessions.Close(s.marks.W, s.close); err != nil {
			return err
		}
		if err := s.o.final(); err != nil {
			return err
		}
	}
	return s.c.Next.Advance(s.c.Rule.Out(s.marks))
}

func (s *InSessions) close(key []byte, x window.Session, value []byte) error {
	if s.c.Emit == Final {
		if err := s.result(key, x, value); err != nil {
			return err
		}
	}
	if s.f.kept != nil {
		if err := s.f.kept.forget(x.First, key); err != nil {
			return err
		}
	}
	if s.o.out.N < op.ChunkRows {
		return nil
	}
	return s.o.final()
}

// Holds says whether a session is open. What cannot be read is told by the next call that returns an error.
func (s *InSessions) Holds() bool {
	open, err := s.sessions.Open()
	return open || err != nil
}

// Due is when the earliest session may close.
func (s *InSessions) Due() (int64, bool) { return s.sessions.Due() }
