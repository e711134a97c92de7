package join

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage"
)

// A million rows a side and minute, WITHIN 10 s, real state, a commit every 10,000 rows: keys that occur once on each side, 5 s
// apart, and keys of which a row finds a thousand partners. logged is what goes to the changelogs, bytes a row.
func BenchmarkStreamStreamJoin(b *testing.B) {
	for _, c := range []struct {
		name string
		keys uint64
	}{{"unique", 1 << 62}, {"hot", 330}} {
		for kind, outer := range map[string]bool{"inner": false, "full": true} {
			b.Run(c.name+"/"+kind, func(b *testing.B) { benchStreamStream(b, c.keys, outer) })
		}
	}
}

func benchStreamStream(b *testing.B, keys uint64, outer bool) {
	const size, gap = 1000, 60 // rows of a batch, microseconds between rows
	cols := []types.Type{types.TBigInt, types.TVarchar}
	s, err := storage.Open(storage.Options{
		Dir: "0", FS: storage.NewMemory(), Budget: 256 << 20, Now: time.Now,
		Specs: []storage.Spec{{Name: "l", Kind: storage.WindowsKind}, {Name: "r", Kind: storage.WindowsKind}},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Discard()
	side := func(name string) Side {
		return Side{Columns: cols, Keys: []expr.Expr{optest.Col(0, types.TBigInt)}, Outer: outer, Reach: 10 * second, State: s.Windows(name)}
	}
	j, err := NewStreamStream(StreamStreamConfig{Env: op.Env{Counters: &op.Counters{}}, Left: side("l"), Right: side("r"), Next: optest.Discard{}})
	if err != nil {
		b.Fatal(err)
	}
	batch := vector.NewBatch(cols, size)
	logged, value := 0, make([]byte, 60)
	fill := func(first uint64) {
		batch.Reset()
		for i := range uint64(size) {
			n := first + i
			batch.Cols[0].AppendInt(int64(n * 0x9E3779B97F4A7C15 >> 2 % keys))
			binary.BigEndian.PutUint64(value, n)
			batch.Cols[1].AppendBytes(value)
			batch.Time = append(batch.Time, int64(n)*gap)
			batch.N++
		}
	}
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	rows := uint64(1 << 20)
	for b.Loop() {
		fill(rows)
		check(j.Process(Left, batch))
		if keys > 1<<32 {
			for i := range batch.Time { // the partner is a row of 5 s before
				batch.Cols[0].Ints[i] = int64((rows + uint64(i) - 83_000) * 0x9E3779B97F4A7C15 >> 2 % keys)
			}
		}
		check(j.Process(Right, batch))
		rows += size
		w := int64(rows) * gap
		check(j.Advance(op.Marks{W: w, Strict: w}))
		if rows%(10*size) < size {
			check(s.Changes(nil, func(_ string, _, v []byte) error { logged += len(v); return nil }))
			check(s.Commit(nil, nil))
		}
	}
	n := float64(2 * (rows - 1<<20))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/row")
	b.ReportMetric(float64(logged)/n, "logged/row")
	b.ReportMetric(float64(s.Bytes())/(1<<20), "MB")
}
