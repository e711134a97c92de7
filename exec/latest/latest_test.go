package latest

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
)

// logs is a cluster of which partitions can be read.
type logs struct {
	connectors.Cluster
	of   map[connectors.Partition][]connectors.Record
	read int
}

func (l *logs) Read(_ context.Context, p connectors.Partition, from, to int64, visit func([]connectors.Record) error) error {
	for ; from < to; from += 7 {
		some := slices.Clone(l.of[p][from:min(from+7, to)])
		for i, r := range some {
			some[i].Key, some[i].Value = slices.Clone(r.Key), slices.Clone(r.Value)
		}
		l.read += len(some)
		if err := visit(some); err != nil {
			return err
		}
		for i := range some { // they belong to whoever fetched them
			clear(some[i].Key)
			clear(some[i].Value)
		}
	}
	return nil
}

func (l *logs) write(p connectors.Partition, key string, value []byte) {
	n := int64(len(l.of[p]))
	l.of[p] = append(l.of[p], connectors.Record{Topic: p.Topic, Partition: p.Partition, Offset: n, Timestamp: n * 10, Key: []byte(key), Value: value})
}

// TestVisit compares what is shown of random logs with the last value of each key, for budgets that hold all, some or nothing.
func TestVisit(t *testing.T) {
	for seed := range int64(16) {
		r := rand.New(rand.NewSource(seed))
		now := time.Unix(0, 0)
		all := &logs{of: map[connectors.Partition][]connectors.Record{}}
		budget := []int64{1 << 30, 3 * blockSize, blockSize, 0}[seed%4]
		tables := New(all, budget, func() time.Time { return now })
		want := map[connectors.Partition]map[string]string{}
		for step := range 40 {
			p := connectors.Partition{Topic: "t", Partition: int32(r.Intn(3))}
			if want[p] == nil {
				want[p] = map[string]string{}
			}
			for range r.Intn(400) {
				k := fmt.Sprint("k", r.Intn(300))
				if r.Intn(4) == 0 {
					all.write(p, k, nil)
					delete(want[p], k)
					continue
				}
				v := make([]byte, r.Intn(600))
				r.Read(v)
				all.write(p, k, v)
				want[p][k] = string(v)
			}
			if now = now.Add(time.Minute); r.Intn(20) == 0 {
				now = now.Add(2 * stale)
			}
			req := Request{Partition: p, ID: "1", End: int64(len(all.of[p]))}
			if r.Intn(2) == 0 {
				for range 1 + r.Intn(3) {
					req.Keys = append(req.Keys, fmt.Appendf(nil, "k%d", r.Intn(320)))
				}
				slices.SortFunc(req.Keys, slices.Compare)
				req.Keys = slices.CompactFunc(req.Keys, slices.Equal)
			}
			got, last := map[string]string{}, int64(-1)
			err := tables.Visit(context.Background(), req, func(rs []connectors.Record) error {
				for _, x := range rs {
					if x.Offset <= last || x.Timestamp != x.Offset*10 || x.Topic != "t" || x.Partition != p.Partition {
						t.Fatalf("seed %d: record %+v after offset %d", seed, x, last)
					}
					last = x.Offset
					if got[string(x.Key)] = string(x.Value); x.Value == nil {
						delete(got, string(x.Key))
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			expected := maps.Clone(want[p])
			if req.Keys != nil {
				maps.DeleteFunc(expected, func(k, _ string) bool {
					return !slices.ContainsFunc(req.Keys, func(w []byte) bool { return string(w) == k })
				})
			}
			if !maps.Equal(got, expected) {
				t.Fatalf("seed %d, step %d: %d rows, want %d", seed, step, len(got), len(expected))
			}
			if tables.used > budget || tables.used < 0 {
				t.Fatalf("seed %d: %d bytes are kept, of %d", seed, tables.used, budget)
			}
		}
	}
}

// TestOnlyNews: what is kept is not read again, until the topic is another one, its start has passed what was read, or too long a time.
func TestOnlyNews(t *testing.T) {
	p := connectors.Partition{Topic: "t"}
	l := &logs{of: map[connectors.Partition][]connectors.Record{}}
	now := time.Unix(0, 0)
	tables := New(l, 1<<20, func() time.Time { return now })
	ask := func(r Request) (read, shown int) {
		l.read, r.Partition, r.End = 0, p, int64(len(l.of[p]))
		if err := tables.Visit(context.Background(), r, func(rs []connectors.Record) error { shown += len(rs); return nil }); err != nil {
			t.Fatal(err)
		}
		return l.read, shown
	}
	for i := range 10 {
		l.write(p, fmt.Sprint(i%5), []byte{1})
	}
	for _, c := range []struct {
		r           Request
		write       int
		later       time.Duration
		read, shown int
	}{
		{r: Request{ID: "1"}, read: 10, shown: 5},
		{r: Request{ID: "1"}, read: 0, shown: 5},
		{r: Request{ID: "1"}, write: 2, read: 2, shown: 7},
		{r: Request{ID: "2"}, read: 12, shown: 7},
		{r: Request{ID: "2", Start: 3}, read: 0, shown: 7},
		{r: Request{ID: "2"}, later: stale + 1, read: 12, shown: 7},
		{r: Request{ID: "2", Keys: [][]byte{[]byte("1")}}, read: 0, shown: 1},
	} {
		for i := range c.write {
			l.write(p, fmt.Sprint("new", i), []byte{2})
		}
		now = now.Add(c.later)
		if read, shown := ask(c.r); read != c.read || shown != c.shown {
			t.Errorf("%+v: %d read and %d shown, want %d and %d", c.r, read, shown, c.read, c.shown)
		}
	}
}
