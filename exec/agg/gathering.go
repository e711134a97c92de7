package agg

import (
	"cmp"
	"slices"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/window"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// gathering adds the rows of a batch to the sessions of their groups: those that are together fold into one value first, which is merged with the sessions that it joins.
type gathering struct {
	env      op.Env
	f        *folder
	rule     window.Rule
	other    *kept // of a session that becomes one with that of f.kept
	sessions *window.Sessions

	parts   []part
	value   []byte
	touched []int64
}

// newGathering makes a gathering without its sessions, which are made with its merge. kept is where the aggregates' entries are; nil: they keep none.
func newGathering(env op.Env, f *folder, rule window.Rule, kept op.Sorted) *gathering {
	s := &gathering{env: env, f: f, rule: rule}
	if f.kept != nil {
		s.other = newKept(kept, f.states)
	}
	return s
}

// part is a row of a batch as a session.
type part struct {
	window.Session
	row int32
}

// add adds the rows of a group. It returns the first rows of the sessions that were changed, some of which are one with another by now; valid until the next call.
func (s *gathering) add(b *vector.Batch, g *group, mark int64) ([]int64, error) {
	s.apart(b, g, mark)
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
			return nil, err
		}
		if !slices.Contains(s.touched, x.First) {
			s.touched = append(s.touched, x.First)
		}
		from = to
	}
	return s.touched, nil
}

// join adds the rows of g, which are together, to the session that they join.
func (s *gathering) join(b *vector.Batch, g *group, together window.Session) (x window.Session, err error) {
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
func (s *gathering) merge(into, from window.Part) ([]byte, error) {
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
func (s *gathering) apart(b *vector.Batch, g *group, mark int64) {
	s.parts = s.parts[:0]
	for row := g.first; row >= 0; row = s.f.found.next[row] {
		seen := mark
		if b.Seen != nil {
			seen = max(seen, b.Seen[row])
		}
		x, ok := s.rule.Of(b.Time[row], seen)
		if !ok {
			s.env.Counters.LateAfterIdle++
			continue
		}
		s.parts = append(s.parts, part{x, row})
	}
	slices.SortFunc(s.parts, func(a, b part) int { return cmp.Compare(a.Lo, b.Lo) })
}

// link makes g the group of some of its rows.
func (s *gathering) link(g *group, parts []part) {
	next := int32(-1)
	for _, p := range slices.Backward(parts) {
		s.f.found.next[p.row], next = next, p.row
	}
	g.first, g.last = next, parts[len(parts)-1].row
}
