package storage

import (
	"bytes"

	"github.com/streamsql-go/streamsql/storage/keys"
)

// This file is what a store does with a Sorted.

func (s *Sorted) dirty() bool { return s.changes }

func (s *Sorted) unflushed() int64 { return s.t.dirtied }

func (s *Sorted) log(r *emitter) error { return s.logRows(r) }

func (s *Sorted) commit(int64) {
	s.changes = false
	s.t.committed()
	if s.t.wasteful() || s.groups.wasteful() {
		s.rebuild(current, 0)
	}
}

func (s *Sorted) flush(out writer) error { return s.part.flush(out, &s.scratch) }

// evict drops clean entries: what was not used since the last eviction, and of the rest as many as it takes.
func (s *Sorted) evict(limit int64) {
	if s.s.mem <= limit || s.t.n == 0 && s.groups.n == 0 {
		return
	}
	own := s.t.bytes() + s.order.bytes() + s.groups.bytes()
	stay := s.t.survivors(own, own-(s.s.mem-limit))
	known := uint32(0)
	if stay.all {
		known = hot
	}
	s.rebuild(stay.keep, known)
	s.complete = false
	s.t.cool()
	s.groups.cool()
}

// rebuild copies into new tables the entries that keep wants, each group's side by side, and the groups that have some left or
// any of the flags; the memory of the old ones goes as they are copied. No epoch is open.
func (s *Sorted) rebuild(keep func(n uint32, e *entry) bool, flags uint32) {
	to := &Sorted{part: newPart(s.s, s.prefix), groups: newTable(&s.s.mem)}
	to.order.t = &to.t
	to.t.dirtied = s.t.dirtied
	s.t.forgetSlots()
	p := s.t.pin(keep)
	for _, chunk := range s.groups.entries {
		for i := range chunk {
			s.copyGroup(to, &chunk[i], keep, flags, p)
		}
	}
	for _, chunk := range s.t.entries {
		for i := range chunk {
			if e := &chunk[i]; e.meta&live == 0 && needed(e) {
				s.t.copyEntry(&to.t, e, s.t.moveValue)
				s.t.unpin(p, e)
				to.order.grow()
			}
		}
	}
	to.t.stuck, to.t.old = to.t.dead, to.t.n
	s.t.free()
	s.groups.free()
	s.order.free()
	s.t, s.groups, s.order = to.t, to.groups, to.order
	s.order.t = &s.t
	s.number = 0
}

func (s *Sorted) copyGroup(to *Sorted, g *entry, keep func(n uint32, e *entry) bool, flags uint32, p pins) {
	to.group = s.groups.key(g)
	to.form = keys.AppendBytes(to.form[:0], to.group)
	var copied *entry
	missing := false
	s.order.each(g, func(n uint32) {
		e := s.t.entry(n)
		if !keep(n, e) {
			missing = true
			return
		}
		if copied == nil {
			copied = to.mustRecord(g.meta & (hot | whole | vast))
		}
		n = s.t.copyEntry(&to.t, e, s.t.moveValue)
		s.t.unpin(p, e)
		to.order.grow()
		to.link(copied, n, to.t.key(to.t.entry(n)))
	})
	if copied == nil && !missing && g.meta&flags != 0 && g.meta&whole != 0 {
		to.mustRecord(g.meta & (hot | whole)) // known to have no entries
	}
	if copied != nil && missing {
		copied.meta &^= whole
	}
}

// mustRecord makes the record of a group in tables smaller than those it comes from.
func (s *Sorted) mustRecord(flags uint32) *entry {
	g, err := s.record(false)
	if err != nil { // cannot be
		panic(err)
	}
	g.meta = g.meta&^hot | flags
	return g
}

// enterForm makes the group that an entry's key begins with the group of this call and finds or makes its record.
func (s *Sorted) enterForm(comp []byte, absent bool) (*entry, error) {
	if len(s.form) == 0 || !bytes.HasPrefix(comp, s.form) {
		group, rest, err := keys.CutBytes(s.group[:0], comp)
		if err != nil {
			return nil, errRecord
		}
		s.group, s.number = group, 0
		s.form = append(s.form[:0], comp[:len(comp)-len(rest)]...)
	}
	if g := s.known(); g != nil {
		return g, nil
	}
	return s.record(absent)
}

// applyRow replays a committed change; value nil removes the key. The disk is not asked for anything.
func (s *Sorted) applyRow(comp, value []byte) error {
	if _, err := s.enterForm(comp, s.complete); err != nil {
		return err
	}
	h := hash32(comp)
	n, ok := s.t.find(comp, h)
	var err error
	if value == nil {
		n, err = s.clear(n, ok, comp, h)
	} else {
		n, err = s.assign(n, ok, comp, h, value)
	}
	if err != nil {
		return err
	}
	e := s.t.entry(n)
	e.meta &^= wasLive
	if value != nil {
		e.meta |= wasLive
	}
	s.t.soil(e)
	return nil
}

// load reads groups into memory until the store uses more than limit.
func (s *Sorted) load(limit int64) error {
	c, err := s.s.disk.cursor(s.prefix)
	if err != nil {
		return err
	}
	defer c.close()
	s.complete = false
	var g *entry
	for s.s.mem <= limit {
		k, v, ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok {
			s.complete = true
			return nil
		}
		comp := k[len(s.prefix):]
		if g, err = s.enterForm(comp, true); err != nil {
			return &CorruptError{s.s.disk.dir, err}
		}
		if _, err := s.read(g, comp, hash32(comp), v); err != nil {
			return err
		}
	}
	if g != nil { // the rest of it has not been read
		g.meta &^= whole
	}
	return nil
}
