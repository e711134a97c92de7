package storage

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
)

func benchStore(b *testing.B, k Kind, budget int64) *Store {
	return mustOpen(b, Options{Dir: "0", FS: NewMemory(), Budget: budget, Specs: []Spec{{"s", k}}})
}

// mix spreads numbers over the keys.
func mix(i uint64) uint64 { return i * 0x9E3779B97F4A7C15 }

// A 17-byte key, one of ten a repeat, windows of 100,000 keys of which six are open, a commit every 10,000 rows.
func BenchmarkWindowsAdd(b *testing.B) {
	s := benchStore(b, WindowsKind, 64<<20)
	defer s.Close()
	w := s.Windows("s")
	key := make([]byte, 17)
	b.ReportAllocs()
	for i := range b.N {
		id := uint64(i)
		if i%10 == 9 {
			id -= 5
		}
		binary.BigEndian.PutUint64(key, mix(id))
		binary.BigEndian.PutUint64(key[8:], id)
		window := int64(i / 110_000)
		if _, err := w.Add(window, key); err != nil {
			b.Fatal(err)
		}
		if i%110_000 == 0 && window >= 6 {
			w.Drop(window - 6)
		}
		if i%10_000 == 0 {
			s.Commit(nil, nil)
		}
	}
}

func BenchmarkMapModify(b *testing.B) {
	s := benchStore(b, MapKind, 64<<20)
	defer s.Close()
	m := s.Map("s")
	const n = 100_000
	key := make([]byte, 17)
	for i := range uint64(n) {
		binary.BigEndian.PutUint64(key, mix(i))
		m.Put(key, make([]byte, 24))
	}
	s.Commit(nil, nil)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		binary.BigEndian.PutUint64(key, mix(uint64(i*7919)%n))
		v, ok, err := m.Modify(key)
		if !ok || err != nil {
			b.Fatal(ok, err)
		}
		v[0]++
		if i%10_000 == 0 {
			s.Commit(nil, nil)
		}
	}
}

func fillVersions(s *Store, n uint64) {
	t, key, row := s.Versions("s"), make([]byte, 17), make([]byte, 28)
	for i := range n {
		binary.BigEndian.PutUint64(key, mix(i))
		t.Put(key, types.Version{TS: int64(i), Origin: types.Origin{Partition: 3, Offset: int64(i)}, Visible: types.Never, Row: row})
	}
}

func BenchmarkVersionsAsOf(b *testing.B) {
	s := benchStore(b, VersionsKind, 1<<30)
	defer s.Discard()
	const n = 1_000_000
	fillVersions(s, n)
	s.Commit(nil, nil)
	b.ReportMetric(float64(s.Bytes())/n, "B/row")
	key := make([]byte, 17)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		binary.BigEndian.PutUint64(key, mix(uint64(i*7919)%n))
		if _, ok, err := s.Versions("s").AsOf(key, n); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
	b.ReportMetric(float64(s.Bytes())/n, "B/row")
}

func TestMemoryOfAMillionRows(t *testing.T) {
	s := mustOpen(t, Options{Dir: "0", FS: NewMemory(), Budget: 1 << 30, FlushBytes: 1 << 30, Specs: []Spec{{"s", VersionsKind}}})
	defer s.Discard()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	fillVersions(s, 1_000_000)
	s.Changes(nil, func(string, []byte, []byte) error { return nil })
	if err := s.Commit(nil, nil); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	heap, counted := int64(after.HeapAlloc)-int64(before.HeapAlloc), s.Bytes()
	t.Logf("heap %d MB, counted %d MB", heap>>20, counted>>20)
	if counted > 120<<20 || heap > counted+40<<20 {
		t.Errorf("heap %d MB, counted %d MB", heap>>20, counted>>20)
	}
}

func BenchmarkQueuePushPop(b *testing.B) {
	s := benchStore(b, QueueKind, 64<<20)
	defer s.Discard()
	q, row := s.Queue("s"), make([]byte, 60)
	b.ReportAllocs()
	for i := range b.N {
		ts := int64(i)
		q.Push(types.Item{TS: ts + int64(mix(uint64(i))%100), Origin: types.Origin{Offset: ts}, Row: row})
		if i%1000 == 999 {
			q.Ascend(func(it types.Item) (bool, bool, error) { return it.TS < ts-10_000, it.TS >= ts-10_000, nil })
		}
		if i%10_000 == 0 {
			s.Commit(nil, nil)
		}
	}
}

// Reads of keys that are on disk, or nowhere, under a budget that holds few.
func BenchmarkMapGetBeyondTheBudget(b *testing.B) {
	const n = 1_000_000
	s := benchStore(b, MapKind, 4<<20)
	defer s.Discard()
	m, key := s.Map("s"), make([]byte, 17)
	for i := range uint64(n) {
		binary.BigEndian.PutUint64(key, mix(i))
		m.Put(key, make([]byte, 24))
		if i%50_000 == 0 {
			s.Commit(nil, nil)
		}
	}
	s.Commit(nil, nil)
	s.Flush()
	for _, c := range []struct {
		name string
		from uint64
	}{{"hit", 0}, {"miss", n}} {
		b.Run(c.name, func(b *testing.B) {
			for i := range b.N {
				binary.BigEndian.PutUint64(key, mix(c.from+mix(uint64(i))%n))
				if _, ok, err := m.Get(key); ok != (c.from == 0) || err != nil {
					b.Fatal(ok, err)
				}
				if i%10_000 == 0 {
					s.Commit(nil, nil)
				}
			}
		})
	}
}

func BenchmarkRestore(b *testing.B) {
	s := benchStore(b, MapKind, 64<<20)
	defer s.Discard()
	key, value := make([]byte, 18), make([]byte, 100)
	key[0] = compactedEntry
	b.ReportAllocs()
	for i := range b.N {
		binary.BigEndian.PutUint64(key[1:], mix(uint64(i)))
		if err := s.Apply("s", key, value, int64(i)); err != nil {
			b.Fatal(err)
		}
	}
}

// A commit after one change costs the same whatever the number of windows that are open.
func BenchmarkWindowsCommit(b *testing.B) {
	for _, open := range []int{10, 1000, 43_200} {
		b.Run(fmt.Sprint("open=", open), func(b *testing.B) {
			s := benchStore(b, WindowsKind, 64<<20)
			defer s.Discard()
			w := s.Windows("s")
			for i := range open {
				w.Add(int64(i), []byte("key"))
			}
			s.Commit(nil, nil)
			b.ReportMetric(float64(s.Bytes())/float64(open), "B/window")
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				if i%10 == 0 { // now and then one closes and one opens
					w.Drop(int64(i / 10))
					w.Add(int64(open+i/10), []byte("key"))
				}
				if _, _, err := w.Modify(int64(i/10+open/2), []byte("key")); err != nil {
					b.Fatal(err)
				}
				s.Changes(nil, func(string, []byte, []byte) error { return nil })
				if err := s.Commit(nil, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
