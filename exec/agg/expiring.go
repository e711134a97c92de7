package agg

import (
	"slices"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/window"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// ExpiringConfig configures Expiring.
type ExpiringConfig struct {
	Env    op.Env
	Spec   Spec  // of aggregates that do not keep entries
	TTL    int64 // µs
	Origin bool  // something downstream orders by (ts, origin)
	State  op.Sorted
	Next   op.Next
}

// Expiring is Running whose groups go: one that was not touched for TTL of event time is removed by a tombstone, and begins anew with a later row. Which rows are folded
// together is decided as for sessions with that gap (window.Rule), so it does not depend on the order in which they come; of the sessions of a group that are still open the
// one that begins last is shown. The ts of a result is the largest one folded in, that of a removal TTL later. At the end of a bounded input what its
// rows reach is the time.
type Expiring struct {
	c        ExpiringConfig
	f        *folder
	o        *output
	sessions *window.Sessions
	gather   *gathering
	marks    op.Marks
	keys     [][]byte // of the rows of the output
	firsts   []int64  // of their sessions
	stood    []bool   // the group is in the result before
}

// NewExpiring makes an Expiring.
func NewExpiring(c ExpiringConfig) *Expiring {
	x := &Expiring{
		c: c, f: newFolder(c.Env, c.Spec, nil, nil), o: newOutput(c.Env, c.Spec.columns(), c.Spec.Having, c.Origin, c.Next),
		marks: op.NoMarks,
	}
	rule := window.Rule{Gap: c.TTL}
	x.gather = newGathering(c.Env, x.f, rule, nil)
	x.sessions = window.NewSessions(window.SessionsConfig{Rule: rule, State: c.State, Merge: x.gather.merge, Fixed: x.f.fixed})
	x.gather.sessions = x.sessions
	return x
}

// Process adds the rows of b to their groups.
func (x *Expiring) Process(_ int, b *vector.Batch) error {
	bad, err := x.f.begin(b)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad == nil || bad[i] == nil {
			x.f.add(i, 0)
		}
	}
	defer x.forget()
	for i := range x.f.found.list {
		if err := x.group(b, &x.f.found.list[i]); err != nil {
			return err
		}
	}
	return x.flush()
}

// group adds the rows of one group, and its newest session to the output if one of them is in it.
func (x *Expiring) group(b *vector.Batch, g *group) error {
	key := x.f.found.key(g)
	was, value, stood, err := x.sessions.Last(key)
	if err != nil {
		return err
	}
	stood = stood && value[emittedAt] != 0
	touched, err := x.gather.add(b, g, x.marks.W)
	if err != nil {
		return err
	}
	newest, value, ok, err := x.sessions.Last(key)
	if err != nil || !ok || !slices.Contains(touched, newest.First) {
		return err
	}
	x.keys, x.firsts, x.stood = append(x.keys, key), append(x.firsts, newest.First), append(x.stood, stood)
	if err := x.o.add(x.f, 0, key, value, newest.Last); err != nil || !stood || was.First == newest.First {
		return err
	}
	return x.hide(key, was.First)
}

// hide notes that a session does not stand for its group any more, if it is one still.
func (x *Expiring) hide(key []byte, first int64) error {
	if _, _, open, err := x.sessions.Get(key, first); !open || err != nil {
		return err
	}
	value, err := x.sessions.Modify(key, first)
	if err == nil {
		value[emittedAt] = 0
	}
	return err
}

// flush pushes the changes of a batch and stores what stands in the result now.
func (x *Expiring) flush() error {
	if x.o.out.N == 0 {
		return nil
	}
	if err := x.o.judge(); err != nil {
		return err
	}
	for i, ok := range x.o.pass {
		value, err := x.sessions.Modify(x.keys[i], x.firsts[i])
		if err != nil {
			return err
		}
		value[emittedAt] = flag(ok)
	}
	return x.o.changes(x.stood)
}

func (x *Expiring) forget() {
	x.o.reset()
	x.keys, x.firsts, x.stood = x.keys[:0], x.firsts[:0], x.stood[:0]
}

// Advance removes the groups that time has passed by TTL.
func (x *Expiring) Advance(m op.Marks) error {
	x.marks = x.marks.Raise(m)
	if x.marks.Time() > types.Never {
		defer x.forget()
		if err := x.sessions.Close(x.marks.Time(), x.expire); err != nil {
			return err
		}
		if err := x.removed(); err != nil {
			return err
		}
	}
	return x.c.Next.Advance(x.marks)
}

// expire removes a group from the result with the session that stands for it.
func (x *Expiring) expire(key []byte, s window.Session, value []byte) error {
	if value[emittedAt] == 0 {
		return nil
	}
	x.stood = append(x.stood, true)
	if err := x.o.add(x.f, 0, key, value, s.Last+x.c.TTL); err != nil {
		return err
	}
	x.o.gone[x.o.out.N-1] = true
	if x.o.out.N < op.ChunkRows {
		return nil
	}
	return x.removed()
}

func (x *Expiring) removed() error {
	if x.o.out.N == 0 {
		return nil
	}
	defer x.forget()
	if err := x.o.judge(); err != nil {
		return err
	}
	return x.o.changes(x.stood)
}
