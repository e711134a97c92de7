// Package window holds what the operators in windows that depend on the rows share: sessions.
package window

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// Session is one session of a key, or a part of one: the event times of its first and its last row. Lo is how far it reaches
// back: it joins another one whose rows lie between Lo and Last, and those whose own reach takes in one of its rows.
type Session struct {
	Lo, First, Last int64
}

// joins says whether two parts are of one session: as intervals [Lo, Last] they meet.
func (a Session) joins(b Session) bool { return a.Lo <= b.Last && b.Lo <= a.Last }

// with is both together.
func (a Session) with(b Session) Session {
	return Session{min(a.Lo, b.Lo), min(a.First, b.First), max(a.Last, b.Last)}
}

// Rule says which rows share a session. A row shares one with the rows at most Gap before it, of those sessions that the
// watermark of its own partition just before it leaves open. One is closed iff W >= last + gap + grace: a row exactly gap after
// the last one still belongs to it. Which rows are together therefore depends on the rows alone (docs/semantics.md, S2).
type Rule struct {
	Gap, Grace int64 // microseconds
}

// Closes is the smallest watermark that closes a session.
func (r Rule) Closes(s Session) int64 { return s.Last + r.Gap + r.Grace }

// Of is a row by itself. seen is the watermark before it; ok false: that closes even a session of this row alone.
func (r Rule) Of(ts, seen int64) (s Session, ok bool) {
	lo := ts - r.Gap
	if seen > types.Never {
		lo = max(lo, seen-r.Gap-r.Grace+1)
	}
	return Session{lo, ts, ts}, lo <= ts
}

// Out is W_out for sessions that are emitted when they close, 1 ms before their end: every one that is open, or can still
// begin, ends after W - grace.
func (r Rule) Out(m op.Marks) op.Marks {
	if m.W <= types.Never || m.W >= types.Forever {
		return m
	}
	return m.Below(m.W - r.Grace - op.Millisecond + 1)
}

// SessionsConfig configures Sessions.
type SessionsConfig struct {
	Rule  Rule
	State op.Sorted
	// Merge folds the value of a part into that of a session of the same key: in place when Fixed, else the grown value is returned.
	// Neither may be lent by State.
	Merge func(into, from Part) ([]byte, error)
	Fixed bool
	// Left is told of a session that is no more under its first row: it was merged with one that began earlier. nil: nobody.
	Left func(key []byte, s Session, value []byte) error
}

// Part is what is merged: the value of the session of a key that is stored under its first row, or of rows that were not stored yet.
type Part struct {
	Key   []byte
	First int64
	Value []byte
	// Stored: it has been a session of its own. What merges into another one is no more under its first row.
	Stored bool
}

// Sessions are the open sessions of all keys, each with a value. In State, the sessions of a key lie in the order of their first
// rows (group sessionsOf, key; entry first: lo, last, value). A key with open sessions has an alarm at or before the closing of its
// earliest one.
type Sessions struct {
	c     SessionsConfig
	group []byte
	key   []byte
	value []byte
	found []found
	ends  *Alarms
}

// What a group of the state begins with; from 2 on they are the operator's.
const (
	alarms     byte = 0
	sessionsOf byte = 1
)

const valueAt = 16 // in an entry, behind lo and last

// found is an open session that a part joins.
type found struct {
	Session
	value []byte // nil: not read yet
}

// NewSessions makes Sessions.
func NewSessions(c SessionsConfig) *Sessions {
	return &Sessions{c: c, ends: NewAlarms(c.State, alarms)}
}

func (s *Sessions) enter(key []byte) { s.group = append(append(s.group[:0], sessionsOf), key...) }

func (s *Sessions) at(first int64) []byte {
	s.key = keys.AppendTime(s.key[:0], first)
	return s.key
}

// Add merges a part of a session with the open ones of its key that it joins, and returns the session that came of it. The
// value must not be lent by the state.
func (s *Sessions) Add(key []byte, part Session, value []byte) (Session, error) {
	s.enter(key)
	if err := s.find(part); err != nil {
		return part, err
	}
	switch {
	case len(s.found) == 0:
		if err := s.put(part, value); err != nil {
			return part, err
		}
		return part, s.ends.Set(s.c.Rule.Closes(part), key)
	case len(s.found) == 1 && s.found[0].First <= part.First:
		return s.extend(key, s.found[0].Session, part, value)
	}
	return s.unite(key, part, value)
}

// find finds the open sessions that a part joins.
func (s *Sessions) find(part Session) error {
	s.found = s.found[:0]
	take := func(key, value []byte) (stop bool, err error) {
		x, err := read(key, value)
		if err != nil || !x.joins(part) {
			return true, err
		}
		s.found = append(s.found, found{Session: x})
		return false, nil
	}
	if err := s.c.State.Descend(s.group, nil, s.at(part.Last+1), take); err != nil {
		return err
	}
	return s.c.State.Ascend(s.group, s.at(part.Last+1), nil, take)
}

func read(key, value []byte) (Session, error) {
	if len(key) != 8 || len(value) < valueAt {
		return Session{}, op.ErrRow
	}
	return Session{int64(binary.BigEndian.Uint64(value)), keys.Time(key), int64(binary.BigEndian.Uint64(value[8:]))}, nil
}

func stamp(entry []byte, x Session) {
	binary.BigEndian.PutUint64(entry, uint64(x.Lo))
	binary.BigEndian.PutUint64(entry[8:], uint64(x.Last))
}

func (s *Sessions) put(x Session, value []byte) error {
	s.value = append(append(s.value[:0], make([]byte, valueAt)...), value...)
	stamp(s.value, x)
	return s.c.State.Put(s.group, s.at(x.First), s.value)
}

// extend merges a part into a session that begins before it: the usual case.
func (s *Sessions) extend(key []byte, x, part Session, value []byte) (Session, error) {
	together := x.with(part)
	rows := Part{Key: key, First: part.First, Value: value}
	if s.c.Fixed {
		entry, _, err := s.c.State.Modify(s.group, s.at(x.First))
		if err != nil {
			return x, err
		}
		stamp(entry, together)
		_, err = s.c.Merge(Part{key, x.First, entry[valueAt:], true}, rows)
		return together, err
	}
	entry, _, err := s.c.State.Get(s.group, s.at(x.First))
	if err != nil {
		return x, err
	}
	s.value = append(s.value[:0], entry...)
	if err := s.fold(Part{Key: key, First: x.First, Stored: true}, rows); err != nil {
		return x, err
	}
	return together, s.store(together)
}

// fold merges a part into s.value, an entry.
func (s *Sessions) fold(into, from Part) error {
	into.Value = s.value[valueAt:len(s.value):len(s.value)]
	merged, err := s.c.Merge(into, from)
	s.value = append(s.value[:valueAt], merged...)
	return err
}

// store stores s.value.
func (s *Sessions) store(x Session) error {
	stamp(s.value, x)
	return s.c.State.Put(s.group, s.at(x.First), s.value)
}

// unite merges several sessions, or one that begins after the part.
func (s *Sessions) unite(key []byte, part Session, value []byte) (Session, error) {
	together := part
	for i := range s.found {
		together = together.with(s.found[i].Session)
	}
	for i := range s.found {
		x := &s.found[i]
		entry, _, err := s.c.State.Get(s.group, s.at(x.First))
		if err != nil {
			return part, err
		}
		x.value = append([]byte{}, entry[valueAt:]...)
		if x.First == together.First {
			continue
		}
		if s.c.Left != nil {
			if err := s.c.Left(key, x.Session, x.value); err != nil {
				return part, err
			}
		}
		if err := s.c.State.Delete(s.group, s.at(x.First)); err != nil {
			return part, err
		}
	}
	return together, s.merge(key, part, together, value)
}

// merge stores, under its first row, a part merged with all found sessions.
func (s *Sessions) merge(key []byte, part, together Session, value []byte) error {
	base := -1 // the session that stays under its first row, if one does: what it remembers about itself stays, too
	for i := range s.found {
		if s.found[i].First == together.First {
			base = i
		}
	}
	into := Part{Key: key, First: together.First, Stored: base >= 0}
	s.value = append(s.value[:0], make([]byte, valueAt)...)
	if base < 0 {
		s.value = append(s.value, value...)
	} else {
		s.value = append(s.value, s.found[base].value...)
		if err := s.fold(into, Part{Key: key, First: part.First, Value: value}); err != nil {
			return err
		}
	}
	for i := range s.found {
		if i == base {
			continue
		}
		if err := s.fold(into, Part{Key: key, First: s.found[i].First, Value: s.found[i].value, Stored: true}); err != nil {
			return err
		}
	}
	return s.store(together)
}

// Get is the open session of a key that begins with a row, and its value, valid until the next call.
func (s *Sessions) Get(key []byte, first int64) (x Session, value []byte, ok bool, err error) {
	s.enter(key)
	entry, ok, err := s.c.State.Get(s.group, s.at(first))
	if !ok || err != nil {
		return x, nil, false, err
	}
	x, err = read(s.key, entry)
	return x, entry[min(valueAt, len(entry)):], true, err
}

// Set replaces the value of an open session.
func (s *Sessions) Set(key []byte, x Session, value []byte) error {
	s.enter(key)
	return s.put(x, value)
}

// Last is the open session of a key that begins last, and its value, valid until the next call.
func (s *Sessions) Last(key []byte) (x Session, value []byte, ok bool, err error) {
	s.enter(key)
	err = s.c.State.Descend(s.group, nil, nil, func(first, entry []byte) (bool, error) {
		if x, err = read(first, entry); err != nil {
			return true, err
		}
		value, ok = entry[valueAt:], true
		return true, nil
	})
	return x, value, ok, err
}

// Modify returns the value of an open session to be changed in place.
func (s *Sessions) Modify(key []byte, first int64) ([]byte, error) {
	s.enter(key)
	entry, _, err := s.c.State.Modify(s.group, s.at(first))
	if err != nil || len(entry) < valueAt {
		return nil, err
	}
	return entry[valueAt:], nil
}

// Close calls visit for each session that a watermark closes, and forgets it.
func (s *Sessions) Close(mark int64, visit func(key []byte, x Session, value []byte) error) error {
	return s.ends.Ring(mark, func(a Alarm) error { return s.look(a.Key, mark, visit) })
}

// look closes the sessions of a key that a watermark closes, and sets an alarm for the others.
func (s *Sessions) look(key []byte, mark int64, visit func(key []byte, x Session, value []byte) error) error {
	s.enter(key)
	next := types.Forever
	err := s.c.State.Ascend(s.group, nil, nil, func(first, entry []byte) (bool, error) {
		x, err := read(first, entry)
		if err != nil {
			return true, err
		}
		if due := s.c.Rule.Closes(x); due > mark {
			next = min(next, due)
			return false, nil
		}
		if err := visit(key, x, entry[valueAt:]); err != nil {
			return true, err
		}
		return false, s.c.State.Delete(s.group, first)
	})
	if err != nil || next == types.Forever {
		return err
	}
	return s.ends.Set(next, key)
}

// Open says whether there is an open session: a key that has one has an alarm.
func (s *Sessions) Open() (bool, error) {
	_, open, err := s.ends.First()
	return open, err
}

// Due is a watermark below which no open session closes; ok false when there is none. What cannot be read is told by the next
// call that returns an error.
func (s *Sessions) Due() (watermark int64, ok bool) {
	at, open, err := s.ends.First()
	return at, open && err == nil
}
