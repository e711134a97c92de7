package storage

import (
	"bytes"
	"slices"

	"github.com/streamsql-go/streamsql/storage/keys"
)

// Sorted is state keyed by a group and an ordered key within it; op.Sorted says what its methods do.
//
// An entry's key, in memory, in Pebble and in the changelog, is its group in the form of keys.AppendBytes and the key
// behind it: all entries order by group and key, and Pebble's filters are told to look at the group alone (comparer), so
// that asking for a group that the disk does not have reads nothing. In memory an entry is found by its hash, its
// neighbours by the order of its group. Entries that were deleted are in the hash table only, where they hide the disk's.
type Sorted struct {
	part
	groups  table // see the flags in order.go
	order   order
	cursor  *groupCursor
	changes bool
	mods    int // counts what moves seats or hides entries of the disk
	walking bool
	scratch []ordered

	// The group of the last call: as given, its form, and its number in groups + 1, which ends with the epoch.
	group  []byte
	form   []byte
	number uint32
	comp   []byte // the key of the last call behind form
}

const (
	loadRows  = 64       // a group that has no more entries on disk is read into memory as a whole
	loadBytes = 64 << 10 // and no more bytes
)

func newSorted(s *shared, id []byte) *Sorted {
	x := &Sorted{part: newPart(s, slices.Clone(id)), groups: newTable(&s.mem)}
	x.order.t = &x.t
	x.complete = true
	x.cursor = s.disk.groupCursor(x.prefix)
	return x
}

// enter makes group the group of this call.
func (s *Sorted) enter(group []byte) {
	if len(s.form) == 0 || !bytes.Equal(group, s.group) {
		s.group = append(s.group[:0], group...)
		s.form = keys.AppendBytes(s.form[:0], group)
		s.number = 0
	}
}

// known returns the record of the group of this call, nil when there is none.
func (s *Sorted) known() *entry {
	if s.number == 0 {
		n, ok := s.groups.find(s.group, hash32(s.group))
		if !ok {
			return nil
		}
		s.number = n + 1
	}
	g := s.groups.entry(s.number - 1)
	g.meta |= hot
	return g
}

// know finds or makes the record of the group of this call. While nothing has been evicted a group without one has no
// entries; else the disk is asked, once, whether it has the group.
func (s *Sorted) know() (*entry, error) {
	if g := s.known(); g != nil {
		return g, nil
	}
	absent := s.complete
	if !absent {
		some, err := s.s.disk.has(s.diskKey(s.form))
		if err != nil {
			return nil, err
		}
		absent = !some
	}
	return s.record(absent)
}

// record makes the record of the group of this call.
func (s *Sorted) record(absent bool) (*entry, error) {
	flags := hot
	if absent {
		flags |= whole
	}
	n, err := s.groups.insert(s.group, hash32(s.group), flags)
	if err != nil {
		return nil, err
	}
	s.number = n + 1
	return s.groups.entry(n), nil
}

// compose is the key of an entry of the group of this call.
func (s *Sorted) compose(key []byte) []byte {
	s.comp = append(append(s.comp[:0], s.form...), key...)
	return s.comp
}

// find finds an entry, reading it into memory when it is on disk only. It returns nil when nothing is known of it.
func (s *Sorted) find(group, key []byte) (uint32, *entry, error) {
	s.enter(group)
	comp := s.compose(key)
	h := hash32(comp)
	if n, ok := s.t.find(comp, h); ok {
		return n, s.t.entry(n), nil
	}
	if s.complete {
		return 0, nil, nil
	}
	g, err := s.know()
	if err != nil || g.meta&whole != 0 {
		return 0, nil, err
	}
	value, ok, err := s.s.disk.entry(s.diskKey(comp))
	if err != nil || !ok {
		return 0, nil, err
	}
	n, err := s.read(g, comp, h, value)
	if err != nil {
		return 0, nil, err
	}
	return n, s.t.entry(n), nil
}

// read inserts what the disk has of an entry of the group of this call.
func (s *Sorted) read(g *entry, comp []byte, h uint32, value []byte) (uint32, error) {
	n, err := s.part.load(comp, h, value)
	if err != nil {
		return 0, err
	}
	s.order.grow()
	s.link(g, n, comp)
	return n, nil
}

// link and unlink put an entry into the order of the group of this call and take it out.
func (s *Sorted) link(g *entry, n uint32, comp []byte) {
	if g.vlen == 0 {
		g.meta |= live
		s.groups.dead--
	}
	s.order.link(g, n, newName(comp[len(s.form):], len(s.form)))
	s.mods++
}

func (s *Sorted) unlink(g *entry, n uint32, comp []byte) {
	s.order.unlink(g, n, newName(comp[len(s.form):], len(s.form)))
	if g.vlen == 0 {
		g.meta &^= live
		s.groups.dead++
	}
	s.mods++
}

// add makes an entry that is not in memory, for a blind write: what the disk has of it is not asked.
func (s *Sorted) add(g *entry, comp []byte, h uint32) (uint32, error) {
	unknown := wasLive | onDisk
	if g.meta&whole != 0 {
		unknown = 0
	}
	n, err := s.t.insert(comp, h, unknown)
	if err == nil {
		s.order.grow()
		s.mods++
	}
	return n, err
}

// assign gives an entry a value, found in memory (ok) or not.
func (s *Sorted) assign(n uint32, ok bool, comp []byte, h uint32, value []byte) (uint32, error) {
	if s.t.arena.full() {
		return 0, errTableFull
	}
	if !ok || s.t.entry(n).meta&live == 0 {
		g, err := s.know()
		if err == nil && !ok {
			n, err = s.add(g, comp, h)
		}
		if err != nil {
			return 0, err
		}
		s.link(g, n, comp)
	}
	s.t.set(s.t.entry(n), value)
	return n, nil
}

// clear takes the value of an entry away, found in memory (ok) or not.
func (s *Sorted) clear(n uint32, ok bool, comp []byte, h uint32) (uint32, error) {
	g, err := s.know()
	if err == nil && !ok {
		n, err = s.add(g, comp, h)
	}
	if err != nil {
		return 0, err
	}
	e := s.t.entry(n)
	if e.meta&live != 0 {
		s.unlink(g, n, comp)
	}
	s.t.unset(e)
	return n, nil
}

// Get returns the value, valid until the next call.
func (s *Sorted) Get(group, key []byte) ([]byte, bool, error) {
	_, e, err := s.find(group, key)
	if err != nil || e == nil {
		return nil, false, err
	}
	e.meta |= hot
	if e.meta&live == 0 {
		return nil, false, nil
	}
	return s.t.value(e), true, nil
}

// Modify returns the value to be changed in place.
func (s *Sorted) Modify(group, key []byte) ([]byte, bool, error) {
	n, e, err := s.find(group, key)
	if err != nil || e == nil || e.meta&live == 0 {
		return nil, false, err
	}
	s.changes = true
	s.t.touch(n, e)
	return s.t.value(e), true, nil
}

// Put sets the value of a key.
func (s *Sorted) Put(group, key, value []byte) error {
	s.enter(group)
	comp := s.compose(key)
	h := hash32(comp)
	n, ok := s.t.find(comp, h)
	n, err := s.assign(n, ok, comp, h, value)
	if err != nil {
		return err
	}
	s.changes = true
	s.t.touch(n, s.t.entry(n))
	return nil
}

// Delete removes a key.
func (s *Sorted) Delete(group, key []byte) error {
	s.enter(group)
	comp := s.compose(key)
	h := hash32(comp)
	n, ok := s.t.find(comp, h)
	if !ok && s.complete || ok && s.t.entry(n).meta&live == 0 {
		return nil
	}
	if g, err := s.know(); err != nil || !ok && g.meta&whole != 0 {
		return err
	}
	n, err := s.clear(n, ok, comp, h)
	if err != nil {
		return err
	}
	s.changes = true
	s.t.touch(n, s.t.entry(n))
	return nil
}

// Scan visits all entries, groups in byte order.
func (s *Sorted) Scan(visit func(group, key, value []byte) error) error {
	var group []byte
	return s.scan(func(comp, value []byte) (err error) {
		var key []byte
		if group, key, err = keys.CutBytes(group[:0], comp); err != nil {
			return &CorruptError{s.s.disk.dir, errRecord}
		}
		return visit(group, key, value)
	})
}
