package storage

func (t *table) size() int {
	n := 0
	for _, c := range t.arena.chunks {
		n += len(c)
	}
	return n
}

// bytes is the memory of the table.
func (t *table) bytes() int64 {
	n := int64(t.size()) + int64(len(t.slots))*8
	for _, c := range t.entries {
		n += int64(cap(c)) * entrySize
	}
	return n
}

// needed says whether an entry must stay in memory whatever the pressure: it has to be written.
func needed(e *entry) bool { return e.meta&dirty != 0 && e.meta&(live|onDisk) != 0 }

// survivors are the entries that an eviction leaves: those that are needed; of the others those used since the last one, if
// they were there then, for they have been used twice; then the newest ones. Either stops where the room is full.
type survivors struct {
	old, fresh uint32 // of the entries of before and of those that came since, the first that stays
	before     uint32
	all        bool // all that was used stays
}

func (s *survivors) keep(n uint32, e *entry) bool {
	switch {
	case needed(e):
		return true
	case e.meta&(live|hot) != live|hot:
		return false
	}
	return n >= s.fresh || n < s.before && n >= s.old
}

// survivors of a table that takes so many bytes with what is beside it, when it has to do with fewer.
func (t *table) survivors(bytes, room int64) *survivors {
	total, kept := int64(0), int64(0)
	for _, chunk := range t.entries {
		for i := range chunk {
			n := footprint(&chunk[i])
			if total += n; needed(&chunk[i]) {
				kept += n
			}
		}
	}
	left := int64(float64(room)*float64(total)/float64(max(1, bytes-int64(t.garbage)))) - kept
	s := &survivors{before: uint32(t.old)}
	s.old, left = t.last(0, s.before, left)
	s.fresh, left = t.last(s.before, uint32(t.n), left)
	s.all = left >= 0
	return s
}

// last is the entry from which on those up to number to, of which none is below from, fit into room; what is left of it is
// negative when one did not.
func (t *table) last(from, to uint32, room int64) (uint32, int64) {
	for n := to; n > from; n-- {
		e := t.entry(n - 1)
		if e.meta&(live|hot) != live|hot || needed(e) {
			continue
		}
		if room -= footprint(e); room < 0 {
			return n, room
		}
	}
	return from, room
}

// footprint is about how many bytes of a table an entry takes: what is beside it in the store grows alike.
func footprint(e *entry) int64 { return entrySize + 12 + int64(e.meta&maxKey) + int64(e.vlen) }

// cool begins a new time of use.
func (t *table) cool() {
	for _, chunk := range t.entries {
		for i := range chunk {
			chunk[i].meta &^= hot
		}
	}
}

// rebuild copies the entries that keep wants into a new table, and gives the memory of the old one back as it goes. No epoch is
// open. move copies a value; pins, where values are plain, tell what of the arena has been copied.
func (t *table) rebuild(keep func(n uint32, e *entry) bool, move func(to *table, e *entry) uint32, p pins) {
	to := newTable(t.arena.mem)
	to.dirtied = t.dirtied
	t.forgetSlots()
	n := uint32(0)
	for c, chunk := range t.entries {
		for i := range chunk {
			if e := &chunk[i]; keep(n, e) {
				t.copyEntry(&to, e, move)
				t.unpin(p, e)
			}
			n++
		}
		*t.arena.mem -= int64(cap(chunk)) * entrySize
		t.entries[c] = nil
	}
	to.stuck, to.old = to.dead, to.n
	t.free()
	*t = to
}

// forgetSlots frees what only finding an entry by its key needs.
func (t *table) forgetSlots() {
	*t.arena.mem -= int64(len(t.slots)) * 8
	t.slots = nil
}

// pins counts, for each chunk of a table's arena, the keys and values in it that are still to be copied.
type pins []uint32

// pin counts those of the entries that keep wants, and frees the chunks that have none. Values are plain.
func (t *table) pin(keep func(n uint32, e *entry) bool) pins {
	p := make(pins, len(t.arena.chunks))
	n := uint32(0)
	for _, chunk := range t.entries {
		for i := range chunk {
			if e := &chunk[i]; keep(n, e) {
				p[e.key>>16]++
				if e.vlen > 0 {
					p[e.val>>16]++
				}
			}
			n++
		}
	}
	for c, n := range p {
		if n == 0 {
			t.arena.drop(uint32(c))
		}
	}
	return p
}

// unpin says that an entry has been copied.
func (t *table) unpin(p pins, e *entry) {
	if p == nil {
		return
	}
	t.unpinChunk(p, e.key>>16)
	if e.vlen > 0 {
		t.unpinChunk(p, e.val>>16)
	}
}

func (t *table) unpinChunk(p pins, c uint32) {
	if p[c]--; p[c] == 0 {
		t.arena.drop(c)
	}
}

// copyEntry inserts an entry of t into another table, which does not have its key, and returns its number there.
func (t *table) copyEntry(to *table, e *entry, move func(to *table, e *entry) uint32) uint32 {
	key := t.key(e)
	n, err := to.insert(key, hash32(key), e.meta&^(maxKey|live))
	if err != nil { // cannot be: it is smaller than t
		panic(err)
	}
	if e.meta&live != 0 {
		c := to.entry(n)
		c.vlen = e.vlen
		if e.vlen > 0 {
			c.val = move(to, e)
		}
		c.meta |= live
		to.dead--
	}
	return n
}

// moveValue is rebuild's move of plain values.
func (t *table) moveValue(to *table, e *entry) uint32 {
	ref, b := to.arena.alloc(int(e.vlen))
	copy(b, t.value(e))
	return ref
}
