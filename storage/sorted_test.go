package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/exec/op"
)

var _ op.Sorted = (*Sorted)(nil)

func sortedStore(t testing.TB, o Options) *Store {
	t.Helper()
	if o.FS == nil {
		o.FS = NewMemory()
	}
	o.Dir, o.Specs = "0", []Spec{{"s", SortedKind}}
	return mustOpen(t, o)
}

// evictAll flushes and forgets all that is in memory.
func evictAll(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	s.Sorted("s").evict(0)
}

func onDiskKeys(t *testing.T, s *Store) (n int) {
	t.Helper()
	c, err := s.disk.cursor([]byte{stateID})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for {
		_, _, ok, err := c.next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return n
		}
		n++
	}
}

// What came and went between two flushes leaves nothing on disk, also when the state is larger than memory.
func TestAShortEntryNeverTouchesTheDisk(t *testing.T) {
	for _, evicted := range []bool{false, true} {
		s := sortedStore(t, Options{FlushBytes: 1 << 30})
		x := s.Sorted("s")
		x.Put([]byte("old"), []byte("k"), nil)
		s.Commit(nil, nil)
		if evicted {
			evictAll(t, s)
		}
		for i := range 5000 {
			g := fmt.Appendf(nil, "group %d", i)
			x.Put(g, []byte("k"), []byte("v"))
			x.Put([]byte("old"), g, []byte("v"))
			if i%100 == 0 {
				s.Commit(nil, nil)
			}
			x.Delete(g, []byte("k"))
			x.Delete([]byte("old"), g)
		}
		s.Commit(nil, nil)
		for _, chunk := range x.t.entries {
			for i := range chunk {
				if e := &chunk[i]; needed(e) && e.meta&live == 0 && string(x.t.key(e)[:3]) != "old" {
					t.Fatalf("evicted %v: the deletion of %q is to be written", evicted, x.t.key(e))
				}
			}
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		if n := onDiskKeys(t, s); n != 1 {
			t.Errorf("evicted %v: %d keys on disk, want 1", evicted, n)
		}
		if s.Bytes() > 1<<20 {
			t.Errorf("evicted %v: %d bytes of memory in use", evicted, s.Bytes())
		}
		s.Close()
	}
}

// A rebuild keeps what is live, and the deletions that Pebble has not seen.
func TestTidyKeepsOrderAndDeletions(t *testing.T) {
	s := sortedStore(t, Options{FlushBytes: 1 << 30})
	defer s.Close()
	x := s.Sorted("s")
	key := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
	const n = 6000
	for i := range n {
		x.Put([]byte("a"), key(i*7919%n), key(i))
		x.Put(key(i), []byte("k"), nil)
	}
	s.Commit(nil, nil)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if i%10 != 0 {
			x.Delete([]byte("a"), key(i))
			x.Delete(key(i), []byte("k"))
		}
	}
	rows := x.t.n
	s.Commit(nil, nil)
	if x.t.stuck == 0 {
		t.Fatal("the commit did not rebuild")
	}
	x.Put([]byte("a"), key(1), nil)
	s.Commit(nil, nil)
	if x.t.n != rows {
		t.Errorf("%d entries after another rebuild, want %d: all of them are to be written", x.t.n, rows)
	}
	check := func() {
		t.Helper()
		var got []int
		if err := x.Ascend([]byte("a"), nil, nil, func(key, _ []byte) (bool, error) {
			got = append(got, int(binary.BigEndian.Uint32(key)))
			return false, nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(got) != n/10+1 || got[1] != 1 || got[2] != 10 || !slices.IsSorted(got) {
			t.Fatalf("%d keys, %v", len(got), got[:min(len(got), 5)])
		}
		for i := range 30 {
			if _, ok, err := x.Get(key(i), []byte("k")); ok != (i%10 == 0) || err != nil {
				t.Fatal(i, ok, err)
			}
		}
	}
	check()
	evictAll(t, s)
	check()
	if d := onDiskKeys(t, s); d != n/10*2+1 {
		t.Errorf("%d keys on disk", d)
	}
}

func TestAVisitWithinAVisitIsRefused(t *testing.T) {
	s := sortedStore(t, Options{})
	defer s.Close()
	x := s.Sorted("s")
	x.Put(nil, []byte("k"), nil)
	err := x.Ascend(nil, nil, nil, func(_, _ []byte) (bool, error) {
		return false, x.Descend(nil, nil, nil, func(_, _ []byte) (bool, error) { return true, nil })
	})
	if !errors.Is(err, errNestedVisit) {
		t.Errorf("%v", err)
	}
	if err := x.Ascend(nil, nil, nil, func(_, _ []byte) (bool, error) { return true, nil }); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// The first entries of a large group, and groups that are not there, are found without reading the group.
func TestReadsOfALargeGroupAreShort(t *testing.T) {
	s := sortedStore(t, Options{Budget: 1 << 20})
	defer s.Close()
	x := s.Sorted("s")
	const n = 200_000
	for i := range uint32(n) {
		x.Put([]byte("big"), binary.BigEndian.AppendUint32(nil, i), []byte("value"))
		if i%10_000 == 0 {
			s.Commit(nil, nil)
		}
	}
	s.Commit(nil, nil)
	evictAll(t, s)
	read := func(visit func(group, from, to []byte, v func(k, _ []byte) (bool, error)) error, from []byte, want uint32) {
		t.Helper()
		rows := 0
		if err := visit([]byte("big"), from, nil, func(k, _ []byte) (bool, error) {
			if rows++; rows == 1 && binary.BigEndian.Uint32(k) != want {
				t.Errorf("first is %x, want %d", k, want)
			}
			return rows == 3, nil
		}); err != nil || rows != 3 {
			t.Error(rows, err)
		}
	}
	read(x.Ascend, nil, 0)
	read(x.Descend, nil, n-1)
	read(x.Ascend, binary.BigEndian.AppendUint32(nil, n/2), n/2)
	if x.t.n > loadRows {
		t.Errorf("%d entries were read into memory", x.t.n)
	}
	for i := range 1000 {
		if err := x.Ascend(fmt.Appendf(nil, "not %d", i), nil, nil, func(_, _ []byte) (bool, error) { return false, errors.New("an entry") }); err != nil {
			t.Fatal(err)
		}
	}
	if x.groups.n < 1000 {
		t.Error("groups that are not there are asked for again and again")
	}
}

// After warming up no call allocates.
func TestSortedAllocatesNothingPerCall(t *testing.T) {
	s := sortedStore(t, Options{})
	defer s.Close()
	x := s.Sorted("s")
	group, key, value := make([]byte, 9), make([]byte, 12), make([]byte, 40)
	for i := range uint64(20_000) {
		binary.BigEndian.PutUint64(group, i%5000)
		binary.BigEndian.PutUint64(key, i*7919)
		x.Put(group, key, value)
	}
	visit := func(_, _ []byte) (bool, error) { return false, nil }
	i := uint64(0)
	n := testing.AllocsPerRun(5000, func() {
		i++
		binary.BigEndian.PutUint64(group, i%5000)
		binary.BigEndian.PutUint64(key, i*7919)
		x.Put(group, key, value)
		x.Get(group, key)
		x.Modify(group, key)
		x.Ascend(group, key, nil, visit)
		x.Descend(group, nil, nil, visit)
		x.Delete(group, key)
		x.Put(group, key, value)
	})
	if n > 0 {
		t.Errorf("%.2f allocations", n)
	}
}

func TestCorruptSortedRecordsAreRefused(t *testing.T) {
	s := sortedStore(t, Options{})
	defer s.Close()
	for _, key := range []string{"\x01", "\x01group", "\x01group\x00", "\x01group\x00\x01key"} {
		if err := s.Apply("s", []byte(key), []byte("v"), 0); !errors.Is(err, errRecord) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// Damaged files end visits of what is on disk with ErrCorrupt, not with entries left out.
func TestVisitsOfDamagedFilesAreErrCorrupt(t *testing.T) {
	dir := t.TempDir()
	o := Options{Dir: dir, Specs: []Spec{{"s", SortedKind}}, Budget: 1}
	s := mustOpen(t, o)
	for i := range uint64(20_000) {
		value := binary.BigEndian.AppendUint64(nil, mix(i))
		if err := s.Sorted("s").Put([]byte("group"), binary.BigEndian.AppendUint64(nil, i), append(value, value...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Commit(nil, nil), s.Close()); err != nil {
		t.Fatal(err)
	}
	damage(t, dir, "*.sst", func(b []byte) []byte {
		for i := len(b) / 4; i < len(b)*3/4; i++ {
			b[i] ^= 0xA5
		}
		return b
	})
	for name, visit := range map[string]func(x *Sorted, each func(_, _ []byte) (bool, error)) error{
		"up": func(x *Sorted, each func(_, _ []byte) (bool, error)) error {
			return x.Ascend([]byte("group"), nil, nil, each)
		},
		"down": func(x *Sorted, each func(_, _ []byte) (bool, error)) error {
			return x.Descend([]byte("group"), nil, nil, each)
		},
	} {
		s, err := Open(Options{Dir: dir, Specs: o.Specs, Budget: 1, Now: time.Now})
		if err == nil {
			s.Sorted("s").evict(0)
			rows := 0
			err = visit(s.Sorted("s"), func(_, _ []byte) (bool, error) { rows++; return false, nil })
			s.Discard()
			if rows == 20_000 {
				t.Errorf("%s: all rows were read", name)
			}
		}
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
