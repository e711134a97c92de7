package dedup

import (
	"cmp"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/window"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// SessionConfig configures InSessions.
type SessionConfig struct {
	Env     op.Env
	On      []expr.Expr  // the distinct columns; NULL is one value
	Columns []types.Type // of the input
	Rule    window.Rule
	State   op.Sorted
	Next    op.Next
}

// InSessions keeps, per key and session (window.Rule), the row that is first by (ts, origin), and lets it go when the session
// closes, with window_start and window_end behind its columns. Rows keep their own ts, so W_out stays below the first rows of
// open sessions, and below what may still begin one.
type InSessions struct {
	c        SessionConfig
	on       *op.Evaluator
	sessions *window.Sessions
	firsts   *window.Alarms // the first rows of the open sessions
	marks    op.Marks
	key      []byte
	row      []byte
	read     op.RowReader
	out      bounded
}

// firstRows is the group of the state that firsts are in, beside those of window.Sessions.
const firstRows byte = 2

// NewInSessions makes an InSessions.
func NewInSessions(c SessionConfig) *InSessions {
	s := &InSessions{
		c: c, on: c.Env.NewEvaluator(c.On...), firsts: window.NewAlarms(c.State, firstRows), marks: op.NoMarks, out: newBounded(c.Columns, c.Next),
	}
	s.sessions = window.NewSessions(window.SessionsConfig{
		Rule: c.Rule, State: c.State, Merge: earlier,
		Left: func(key []byte, x window.Session, _ []byte) error { return s.firsts.Unset(x.First, key) },
	})
	return s
}

// earlier is the one of two encoded rows that is first by (ts, origin), in the place of a.
func earlier(a, b window.Part) ([]byte, error) {
	ats, ao, err := op.RowOrder(a.Value)
	if err != nil {
		return a.Value, err
	}
	bts, bo, err := op.RowOrder(b.Value)
	if err != nil || cmp.Or(cmp.Compare(ats, bts), ao.Compare(bo)) <= 0 {
		return a.Value, err
	}
	return append(a.Value[:0], b.Value...), nil
}

// Process adds the rows of b to their sessions.
func (s *InSessions) Process(_ int, b *vector.Batch) error {
	cols := s.on.Eval(b)
	bad, err := s.on.Failed(b, nil)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad != nil && bad[i] != nil {
			continue
		}
		seen := s.marks.W
		if b.Seen != nil {
			seen = max(seen, b.Seen[i])
		}
		row, ok := s.c.Rule.Of(b.Time[i], seen)
		if !ok {
			s.c.Env.Counters.LateAfterIdle++
			continue
		}
		s.key = keys.AppendRow(s.key[:0], cols, i)
		s.row = op.AppendRow(s.row[:0], b, i)
		x, err := s.sessions.Add(s.key, row, s.row)
		if err != nil {
			return err
		}
		if x.First == row.First {
			if err := s.firsts.Set(x.First, s.key); err != nil {
				return err
			}
		}
	}
	return nil
}

// Advance emits the sessions that m closes.
func (s *InSessions) Advance(m op.Marks) error {
	s.marks = s.marks.Raise(m)
	if s.marks.W <= types.Never {
		return s.c.Next.Advance(s.marks)
	}
	if err := s.sessions.Close(s.marks.W, s.close); err != nil {
		return err
	}
	if err := s.out.flush(); err != nil {
		return err
	}
	out := s.marks
	if s.marks.W < types.Forever {
		out = out.Below(s.marks.W - s.c.Rule.Gap - s.c.Rule.Grace + 1)
		first, ok, err := s.firsts.First()
		if err != nil {
			return err
		}
		if ok {
			out = out.Below(first)
		}
	}
	return s.c.Next.Advance(out)
}

func (s *InSessions) close(key []byte, x window.Session, row []byte) error {
	if err := s.read.Append(s.out.rows, row); err != nil {
		return err
	}
	if err := s.out.bound(x.First, x.Last+s.c.Rule.Gap); err != nil {
		return err
	}
	return s.firsts.Unset(x.First, key)
}

// Holds says whether a session is open. What cannot be read is told by the next call that returns an error.
func (s *InSessions) Holds() bool {
	open, err := s.sessions.Open()
	return open || err != nil
}

// Due is when the earliest session may close.
func (s *InSessions) Due() (int64, bool) { return s.sessions.Due() }
