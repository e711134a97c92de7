package storage

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// A million rows in groups of 1, 10, 1,000 and a million: 17-byte groups, 16-byte keys in order of arrival, 60-byte values;
// a commit every 10,000 calls. B/row is the memory of all of it.
func BenchmarkSorted(b *testing.B) {
	const n = 1_000_000
	group, key, value := make([]byte, 17), make([]byte, 16), make([]byte, 60)
	for _, rows := range []uint64{1, 10, 1000, n} {
		groups := n / rows
		at := func(i uint64) {
			binary.BigEndian.PutUint64(group, mix(i%groups))
			binary.BigEndian.PutUint64(key, i)
		}
		var s *Store
		fill := func() {
			s = sortedStore(b, Options{Budget: 2 << 30, FlushBytes: 2 << 30})
			for i := range uint64(n) {
				at(i)
				s.Sorted("s").Put(group, key, value)
			}
			s.Commit(nil, nil)
		}
		run := func(name string, call func(x *Sorted, i uint64) error) {
			b.Run(fmt.Sprintf("groups of %d/%s", rows, name), func(b *testing.B) {
				b.ReportAllocs()
				x := s.Sorted("s")
				for i := range b.N {
					if err := call(x, mix(uint64(i))%n); err != nil {
						b.Fatal(err)
					}
					if i%10_000 == 0 {
						s.Commit(nil, nil)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("groups of %d/put new", rows), func(b *testing.B) {
			b.ReportAllocs()
			s := sortedStore(b, Options{Budget: 2 << 30, FlushBytes: 2 << 30})
			for i := range b.N {
				at(uint64(i))
				s.Sorted("s").Put(group, key, value)
				if i%10_000 == 0 {
					s.Commit(nil, nil)
				}
			}
			b.ReportMetric(float64(s.Bytes())/float64(b.N), "B/row")
			s.Discard()
		})
		fill()
		run("get", func(x *Sorted, i uint64) error {
			at(i)
			_, _, err := x.Get(group, key)
			return err
		})
		run("put again", func(x *Sorted, i uint64) error {
			at(i)
			return x.Put(group, key, value)
		})
		run("first", func(x *Sorted, i uint64) error {
			at(i)
			return x.Ascend(group, nil, nil, func(_, _ []byte) (bool, error) { return true, nil })
		})
		run("last below", func(x *Sorted, i uint64) error {
			at(i)
			return x.Descend(group, nil, key, func(_, _ []byte) (bool, error) { return true, nil })
		})
		run("delete and put", func(x *Sorted, i uint64) error {
			at(i)
			if err := x.Delete(group, key); err != nil {
				return err
			}
			return x.Put(group, key, value)
		})
		s.Discard()
	}
}

// Reads of what is on disk, under a budget that holds little: a group that is there, one that is not, and the first entry
// of a group of a million.
func BenchmarkSortedBeyondTheBudget(b *testing.B) {
	const n = 1_000_000
	s := sortedStore(b, Options{Budget: 4 << 20})
	defer s.Discard()
	x, group, key := s.Sorted("s"), make([]byte, 17), make([]byte, 16)
	for i := range uint64(n) {
		binary.BigEndian.PutUint64(group, mix(i/2))
		binary.BigEndian.PutUint64(key, i)
		x.Put(group, key, make([]byte, 60))
		x.Put([]byte("big"), key, nil)
		if i%20_000 == 0 {
			s.Commit(nil, nil)
		}
	}
	s.Commit(nil, nil)
	s.Flush()
	stop := func(_, _ []byte) (bool, error) { return true, nil }
	for _, c := range []struct {
		name string
		from uint64
	}{{"group", 0}, {"no group", n}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				binary.BigEndian.PutUint64(group, mix(c.from+mix(uint64(i))%(n/2)))
				if err := x.Ascend(group, nil, nil, stop); err != nil {
					b.Fatal(err)
				}
				if i%10_000 == 0 {
					s.Commit(nil, nil)
				}
			}
		})
	}
	b.Run("first of a million", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if err := x.Ascend([]byte("big"), nil, nil, stop); err != nil {
				b.Fatal(err)
			}
		}
	})
}
