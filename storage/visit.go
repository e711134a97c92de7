package storage

import (
	"bytes"
	"errors"
)

var errNestedVisit = errors.New("a visit of a sorted state has begun another one of the same state")

// direction is how a visit goes through the keys of a group.
type direction int

const (
	up   direction = 1
	down direction = -1
)

// Ascend visits the entries of a group with from <= key < to in key order until stop.
func (s *Sorted) Ascend(group, from, to []byte, visit func(key, value []byte) (bool, error)) error {
	return s.visit(up, group, from, to, visit)
}

// Descend visits them from the greatest key down.
func (s *Sorted) Descend(group, from, to []byte, visit func(key, value []byte) (bool, error)) error {
	return s.visit(down, group, from, to, visit)
}

func (s *Sorted) visit(d direction, group, from, to []byte, visit func(key, value []byte) (bool, error)) error {
	if s.walking {
		return errNestedVisit
	}
	s.enter(group)
	if s.complete && s.known() == nil {
		return nil
	}
	s.walking = true
	err := s.visitKnown(d, from, to, visit)
	s.walking = false
	return err
}

func (s *Sorted) visitKnown(d direction, from, to []byte, visit func(key, value []byte) (bool, error)) error {
	g, err := s.know()
	if err == nil && g.meta&(whole|vast) == 0 {
		err = s.loadGroup(g)
	}
	if err != nil {
		return err
	}
	w := walk{s: s, d: d, number: s.number - 1, at: len(s.form), from: from, to: to}
	w.mem = w.begin()
	if g.meta&whole == 0 {
		if err := w.read(s.cursor.seek(d, s.form, from, to)); err != nil {
			return err
		}
	}
	return w.run(visit)
}

// loadGroup reads the group of this call into memory, or finds that it is too large for that.
func (s *Sorted) loadGroup(g *entry) error {
	size := 0
	comp, value, ok, err := s.cursor.seek(up, s.form, nil, nil)
	for rows := 0; ok && err == nil; rows++ {
		if size += len(comp) + len(value); rows == loadRows || size > loadBytes {
			g.meta |= vast
			return nil
		}
		h := hash32(comp)
		if _, found := s.t.find(comp, h); !found {
			if _, err := s.read(g, comp, h, value); err != nil {
				return err
			}
		}
		comp, value, ok, err = s.cursor.next(up)
	}
	if err == nil {
		g.meta |= whole
	}
	return err
}

// walk is a visit under way: a seat in memory and, when the group is not whole, a place on disk.
type walk struct {
	s        *Sorted
	d        direction
	number   uint32 // the group's
	at       int    // where keys begin in the entries' keys
	from, to []byte

	mem    seat
	comp   []byte // of the disk's entry, nil at the end
	value  []byte
	onDisk bool // the entry visited is the disk's
}

func (w *walk) group() *entry { return w.s.groups.entry(w.number) }

// begin is the first seat.
func (w *walk) begin() seat {
	o, g := &w.s.order, w.group()
	switch {
	case w.d == up:
		return o.seek(g, newName(w.from, w.at))
	case w.to != nil:
		return o.before(g, newName(w.to, w.at))
	}
	return o.last(g)
}

// again is the seat beyond key, after a change.
func (w *walk) again(key []byte) seat {
	o, g, k := &w.s.order, w.group(), newName(key, w.at)
	if w.d == down {
		return o.before(g, k)
	}
	s := o.seek(g, k)
	if s.n != 0 && bytes.Equal(o.key(s.n-1, w.at), key) {
		return o.after(g, s)
	}
	return s
}

func (w *walk) onward() seat {
	if w.d == up {
		return w.s.order.after(w.group(), w.mem)
	}
	return w.s.order.prior(w.group(), w.mem)
}

// read takes the disk's entry, or the next that memory does not know better.
func (w *walk) read(comp, value []byte, ok bool, err error) error {
	for ok && err == nil {
		if _, known := w.s.t.find(comp, hash32(comp)); !known {
			w.comp, w.value = comp, value
			return nil
		}
		comp, value, ok, err = w.s.cursor.next(w.d)
	}
	w.comp, w.value = nil, nil
	return err
}

// beyond says whether key is on the far side of the range.
func (w *walk) beyond(key []byte) bool {
	if w.d == up {
		return w.to != nil && bytes.Compare(key, w.to) >= 0
	}
	return bytes.Compare(key, w.from) < 0
}

func (w *walk) run(visit func(key, value []byte) (bool, error)) error {
	for w.mem.n != 0 || w.comp != nil {
		key, value := w.current()
		if w.beyond(key) {
			return nil
		}
		before := w.s.mods
		if stop, err := visit(key, value); stop || err != nil {
			return err
		}
		if w.s.mods != before {
			w.mem = w.again(key)
		} else if !w.onDisk {
			w.mem = w.onward()
		}
		if err := w.renew(); err != nil {
			return err
		}
	}
	return nil
}

// current is the entry to visit now, of memory or of the disk.
func (w *walk) current() (key, value []byte) {
	w.onDisk = w.mem.n == 0
	if !w.onDisk {
		e := w.s.t.entry(w.mem.n - 1)
		e.meta |= hot
		key = w.s.t.key(e)[w.at:]
		if w.onDisk = w.comp != nil && bytes.Compare(w.comp[w.at:], key)*int(w.d) < 0; !w.onDisk {
			return key, w.s.t.value(e)
		}
	}
	return w.comp[w.at:], w.value
}

// renew reads on when the disk's entry has been visited, or changed meanwhile.
func (w *walk) renew() error {
	switch {
	case w.onDisk:
		return w.read(w.s.cursor.next(w.d))
	case w.comp != nil:
		return w.read(w.comp, w.value, true, nil)
	}
	return nil
}
