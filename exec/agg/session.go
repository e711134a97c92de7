package agg

import (
	"cmp"
	"slices"

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
	other    *kept // of a session that becomes one with that of f.kept
	o        *output
	sessions *window.Sessions
	marks    op.Marks
	parts    []part
	value    []byte
	touched  []int64 // the first rows of the sessions of a key that a batch changed
	rows     []standing
	stood    []bool
}

// part is a row of a batch as a session.
type part struct {
	window.Session
	row int32
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
	w := window.SessionsConfig{Rule: c.Rule, State: c.State, Merge: s.merge, Fixed: s.f.fixed}
	if s.f.kept != nil {
		s.other = newKept(c.Sorted, s.f.states)
	}
	if c.Emit == Changes {
		w.Left = s.left
	}
	s.sessions = window.NewSessions(w)
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
	s.apart(b, g)
	key := s.f.found.key(g)
	s.touched = s.touched[:0]
	for from := 0; from < len(s.parts); {
		together := s.parts[from].Session
		to := from + 1
		for ; to < len(s.parts) && s.parts[to].Lo <= together.Last; to++ {
			x := s.parts[to].Session
			together = window.Session{Lo: together.Lo, First: min(together.First, x.First), Last: max(together.Last, x.Last)}
		}
		s.link(g, s.parts[from:to])
		x, err := s.join(b, g, together)
		if err != nil {
			return err
		}
		if !slices.Contains(s.touched, x.First) {
			s.touched = append(s.touched, x.First)
		}
		from = to
	}
	if s.c.Emit == Final {
		return nil
	}
	return s.changed(key)
}

// join adds the rows of g, which are together, to the session that they join.
func (s *InSessions) join(b *vector.Batch, g *group, together window.Session) (x window.Session, err error) {
	key := s.f.found.key(g)
	if s.f.kept == nil {
		if s.value, err = s.f.fresh(s.value, b, g); err != nil {
			return x, err
		}
		return s.sessions.Add(key, together, s.value)
	}
	s.value = s.f.none(s.value, g)
	if x, err = s.sessions.Add(key, together, s.value); err != nil {
		return x, err
	}
	_, value, _, err := s.sessions.Get(key, x.First)
	if err != nil {
		return x, err
	}
	g.start = x.First
	if s.value, err = s.f.rows(append(s.value[:0], value...), b, g); err != nil {
		return x, err
	}
	return x, s.sessions.Set(key, x, s.value)
}

// merge folds a part into a session. Where entries are kept, rows that were not stored are not folded yet.
func (s *InSessions) merge(into, from window.Part) ([]byte, error) {
	switch {
	case s.f.kept == nil:
		return s.f.merge(into.Value, from.Value), nil
	case !from.Stored:
		return into.Value, nil
	}
	value, err := s.f.mergeKept(into.Value, s.f.kept.of(into.First, into.Key), from.Value, s.other.of(from.First, from.Key))
	if err != nil {
		return value, err
	}
	return value, s.other.forget(from.First, from.Key)
}

// apart sets parts to the rows of g, each by itself, in the order in which they reach back.
func (s *InSessions) apart(b *vector.Batch, g *group) {
	s.parts = s.parts[:0]
	for row := g.first; row >= 0; row = s.f.found.next[row] {
		seen := s.marks.W
		if b.Seen != nil {
			seen = max(seen, b.Seen[row])
		}
		x, ok := s.c.Rule.Of(b.Time[row], seen)
		if !ok {
			s.c.Env.Counters.LateAfterIdle++
			continue
		}
		s.parts = append(s.parts, part{x, row})
	}
	slices.SortFunc(s.parts, func(a, b part) int { return cmp.Compare(a.Lo, b.Lo) })
}

// link makes g the group of some of its rows.
func (s *InSessions) link(g *group, parts []part) {
	next := int32(-1)
	for _, p := range slices.Backward(parts) {
		s.f.found.next[p.row], next = next, p.row
	}
	g.first, g.last = next, parts[len(parts)-1].row
}

// changed adds the sessions of a key that a batch changed to the output.
func (s *InSessions) changed(key []byte) error {
	for _, first := range s.touched {
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
