package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cespare/xxhash/v2"
)

var (
	errKeyTooLong = errors.New("a state key is longer than 16 MB")
	errTableFull  = errors.New("a state holds more than 4 GB in memory; commit more often or lower the memory budget")
)

// entry is a key and what is known about it. Its value is in the arena (Versions: a chain of versions).
type entry struct {
	key, val uint32 // references
	meta     uint32 // flags, key length
	vlen     uint32 // value length (Versions: number of versions)
}

const (
	live    uint32 = 1 << (24 + iota) // the key has a value
	changed                           // since the last Commit
	wasLive                           // it had a value at the last Commit, or that is not known
	dirty                             // since the last flush
	onDisk                            // Pebble has it, or that is not known
	hot                               // used since the last eviction

	maxKey    = 1<<24 - 1
	entrySize = 16
	perChunk  = 1024 // entries
)

// table is a hash table with open addressing. Entries are numbered in order of arrival; their memory holds no pointers.
type table struct {
	slots   []uint64 // hash << 32 | number + 1; 0 is free
	entries [][]entry
	n       int // entries
	dead    int // entries that are not live
	stuck   int // of them, those that the last rebuild had to keep for the next flush
	old     int // entries that the last rebuild has left: they come first
	garbage int // bytes of the arena no longer used
	arena   arena
	touched []uint32 // entries changed in this epoch
	dirtied int64    // about how many bytes a flush writes
}

func newTable(mem *int64) table { return table{arena: arena{mem: mem}} }

func (t *table) entry(i uint32) *entry { return &t.entries[i/perChunk][i%perChunk] }

func (t *table) key(e *entry) []byte { return t.arena.at(e.key, int(e.meta&maxKey)) }

func (t *table) value(e *entry) []byte {
	if e.vlen == 0 {
		return []byte{}
	}
	return t.arena.at(e.val, int(e.vlen))
}

func hash32(key []byte) uint32 { return uint32(xxhash.Sum64(key)) }

// find returns the number of key's entry.
func (t *table) find(key []byte, h uint32) (uint32, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			return 0, false
		}
		if uint32(s>>32) == h {
			n := uint32(s) - 1
			if bytes.Equal(t.key(t.entry(n)), key) {
				return n, true
			}
		}
	}
}

// insert adds an entry for key, which must be absent, without a value and not live.
func (t *table) insert(key []byte, h, flags uint32) (uint32, error) {
	if len(key) > maxKey {
		return 0, errKeyTooLong
	}
	if t.arena.full() {
		return 0, errTableFull
	}
	if (t.n+1)*5 > len(t.slots)*4 {
		t.grow()
	}
	n := uint32(t.n)
	t.n++
	t.dead++
	e := t.add(n)
	e.meta = flags | uint32(len(key))
	if len(key) > 0 {
		var b []byte
		e.key, b = t.arena.alloc(len(key))
		copy(b, key)
	} else if len(t.arena.chunks) == 0 {
		t.arena.alloc(4) // so that reference 0 exists
	}
	t.place(h, n)
	return n, nil
}

func (t *table) add(n uint32) *entry {
	c := int(n / perChunk)
	if c == len(t.entries) {
		var chunk []entry
		if c > 0 { // the first chunk grows, the others are whole
			chunk = make([]entry, 0, perChunk)
			*t.arena.mem += perChunk * entrySize
		}
		t.entries = append(t.entries, chunk)
	}
	before := cap(t.entries[c])
	t.entries[c] = append(t.entries[c], entry{})
	*t.arena.mem += int64(cap(t.entries[c])-before) * entrySize
	return &t.entries[c][n%perChunk]
}

func (t *table) place(h, n uint32) {
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = uint64(h)<<32 | uint64(n+1)
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]uint64, max(8, 2*len(old)))
	*t.arena.mem += int64(len(t.slots)-len(old)) * 8
	for _, s := range old {
		if s != 0 {
			t.place(uint32(s>>32), uint32(s)-1)
		}
	}
}

// set gives an entry a value, in place when it fits.
func (t *table) set(e *entry, value []byte) {
	room := (int(e.vlen) + 3) &^ 3
	switch {
	case len(value) == 0:
		t.garbage += room
	case len(value) <= room && room-len(value) < 4:
		copy(t.arena.at(e.val, len(value)), value)
	default:
		t.garbage += room
		var b []byte
		e.val, b = t.arena.alloc(len(value))
		copy(b, value)
	}
	e.vlen = uint32(len(value))
	if e.meta&live == 0 {
		e.meta |= live
		t.dead--
	}
}

// unset takes the value away.
func (t *table) unset(e *entry) {
	t.garbage += (int(e.vlen) + 3) &^ 3
	e.vlen = 0
	if e.meta&live != 0 {
		e.meta &^= live
		t.dead++
	}
}

// touch notes a change of this epoch.
func (t *table) touch(n uint32, e *entry) {
	if e.meta&changed == 0 {
		t.touched = append(t.touched, n)
	}
	t.soil(e)
	e.meta |= changed | hot
}

// soil notes a change that the next flush has to write.
func (t *table) soil(e *entry) {
	if e.meta&dirty == 0 {
		e.meta |= dirty
		t.dirtied += int64(e.meta&maxKey) + int64(e.vlen) + entrySize
	}
}

// committed ends the epoch.
func (t *table) committed() {
	for _, n := range t.touched {
		e := t.entry(n)
		e.meta &^= changed | wasLive
		if e.meta&live != 0 {
			e.meta |= wasLive
		}
	}
	t.touched = reuse(t.touched)
}

// reuse empties a slice, and lets go of it when it is large: that was an exception.
func reuse[T any](s []T) []T {
	if cap(s) > 1<<16 {
		return nil
	}
	return s[:0]
}

// free gives the memory back.
func (t *table) free() {
	mem := t.arena.mem
	t.arena.free()
	*mem -= int64(len(t.slots)) * 8
	for _, c := range t.entries {
		*mem -= int64(cap(c)) * entrySize
	}
	*t = newTable(mem)
}

// wasteful says whether a rebuild is worth its time.
func (t *table) wasteful() bool {
	dead := t.dead - t.stuck
	return dead > 1024 && dead > t.n/2 || t.garbage > 1<<16 && t.garbage > t.size()/2
}

// ordered is an entry with the first bytes of its key, which decide most comparisons.
type ordered struct {
	prefix uint64
	n      uint32
}

// sorted returns the entries that have any of the flags, in key order, in place of into.
func (t *table) sorted(flags uint32, into []ordered) []ordered {
	into = into[:0]
	n := uint32(0)
	for _, chunk := range t.entries {
		for i := range chunk {
			if chunk[i].meta&flags != 0 {
				into = append(into, ordered{prefix(t.key(&chunk[i])), n})
			}
			n++
		}
	}
	t.sort(into)
	return into
}

func (t *table) sort(s []ordered) {
	slices.SortFunc(s, func(a, b ordered) int {
		switch {
		case a.prefix < b.prefix:
			return -1
		case a.prefix > b.prefix:
			return 1
		}
		return bytes.Compare(t.key(t.entry(a.n)), t.key(t.entry(b.n)))
	})
}

func prefix(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}
