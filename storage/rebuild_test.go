package storage

import (
	"encoding/binary"
	"testing"
)

// fill puts n keys into a state and flushes.
func fill(t *testing.T, s *Store, n uint64, put func(key []byte) error) {
	t.Helper()
	key := make([]byte, 8)
	for i := range n {
		binary.BigEndian.PutUint64(key, i)
		if err := put(key); err != nil {
			t.Fatal(err)
		}
	}
	s.Commit(nil, nil)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
}

// TestRebuildGivesBackAsItCopies: while half of a table is copied into a new one, memory hardly grows.
func TestRebuildGivesBackAsItCopies(t *testing.T) {
	const n = 100_000
	value := make([]byte, 60)
	s := mustOpen(t, Options{FS: NewMemory(), Dir: "0", Budget: 1 << 30, FlushBytes: 1 << 30, Specs: []Spec{{"m", MapKind}, {"s", SortedKind}}})
	m, x := s.Map("m"), s.Sorted("s")
	fill(t, s, n, func(key []byte) error { return m.Put(key, value) })
	for _, c := range []struct {
		name    string
		most    float64 // of the memory before
		rebuild func(keep func(n uint32, e *entry) bool)
	}{
		{"map", 1.05, func(keep func(n uint32, e *entry) bool) { m.t.rebuild(keep, m.t.moveValue, m.t.pin(keep)) }},
		{"sorted", 1.25, func(keep func(n uint32, e *entry) bool) { x.rebuild(keep, 0) }},
	} {
		before, peak := s.mem, int64(0)
		c.rebuild(func(n uint32, e *entry) bool {
			peak = max(peak, s.mem)
			return n%2 == 0
		})
		if float64(peak) > c.most*float64(before) || s.mem > before*6/10 {
			t.Errorf("%s: %d bytes, at most %d while they were copied, %d afterwards", c.name, before, peak, s.mem)
		}
		m.t.free()
		fill(t, s, n, func(key []byte) error { return x.Put([]byte("g"), key, value) })
	}
}

// TestWhatIsUsedTwiceStays: an eviction leaves what was used again since the one before, then what is newest.
func TestWhatIsUsedTwiceStays(t *testing.T) {
	const n = 10_000
	s := mustOpen(t, Options{FS: NewMemory(), Dir: "0", Budget: 1 << 30, FlushBytes: 1 << 30, Specs: []Spec{{"m", MapKind}}})
	m, value := s.Map("m"), make([]byte, 60)
	key := func(i uint64) []byte { return binary.BigEndian.AppendUint64(nil, i) }
	inMemory := func(i uint64) bool {
		_, ok := m.t.find(key(i), hash32(key(i)))
		return ok
	}
	fill(t, s, n, func(k []byte) error { return m.Put(k, value) })
	m.evict(s.mem * 9 / 10)
	if inMemory(0) || !inMemory(n-1) {
		t.Error("of entries used once the oldest should go")
	}
	for i := range uint64(1000) { // used again
		if _, ok, err := m.Get(key(n - 1 - i)); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	for i := range uint64(n) {
		if err := m.Put(key(n+i), value); err != nil {
			t.Fatal(err)
		}
	}
	s.Commit(nil, nil)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	limit := s.mem / 3
	m.evict(limit)
	if !inMemory(n-1) || !inMemory(n-1000) || inMemory(n-1001) || inMemory(n) || !inMemory(2*n-1) || inMemory(2*n-n*2/3) {
		t.Error("what was used twice should stay, then the newest; what was not used again should go")
	}
	if s.mem > limit*12/10 || s.mem < limit*7/10 {
		t.Errorf("%d bytes stayed of %d allowed", s.mem, limit)
	}
	for i := range uint64(2 * n) {
		if _, ok, err := m.Get(key(i)); !ok || err != nil {
			t.Fatal(i, ok, err)
		}
	}
}
