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

// A million stream rows a minute over 100,000 keys, and a table record for every tenth; real state, a commit every 10,000 rows. As a
// join that does not correct, as one that keeps rows for a minute and meets no late record, and where every record is 30 s late: of the
// ten rows of its key in that minute it changes about five.
func BenchmarkCorrectedJoin(b *testing.B) {
	for _, c := range []struct {
		name          string
		correct, late int64
	}{{"uncorrected", 0, 0}, {"in order", 60 * second, 0}, {"late", 60 * second, 30 * second}} {
		b.Run(c.name, func(b *testing.B) { benchCorrected(b, c.correct, c.late) })
	}
}

func benchCorrected(b *testing.B, correct, late int64) {
	const size, gap, users = 1000, 60, 100_000 // rows of a batch, microseconds between rows
	s, err := storage.Open(storage.Options{
		Dir: "0", FS: storage.NewMemory(), Budget: 1 << 30, Now: time.Now,
		Specs: []storage.Spec{{Name: "v", Kind: storage.VersionsKind}, {Name: "q", Kind: storage.QueueKind}, {Name: "r", Kind: storage.WindowsKind}},
	})
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	check(err)
	defer s.Discard()
	cols, rel := []types.Type{types.TBigInt, types.TVarchar}, optest.NewReleases()
	key := []expr.Expr{optest.Col(0, types.TBigInt)}
	j, err := NewStreamTable(StreamTableConfig{
		Env: op.Env{Counters: &op.Counters{}}, Left: true, Stream: cols, Table: cols, StreamKeys: key, TableKeys: key, Correct: correct, History: second,
		Versions: s.Versions("v"), Queue: s.Queue("q"), Released: s.Windows("r"), Releases: rel, Next: optest.Discard{},
	})
	check(err)
	stream, table, value := vector.NewBatch(cols, size), vector.NewBatch(cols, size), make([]byte, 60)
	add := func(to *vector.Batch, n, ts int64) {
		to.Cols[0].AppendInt(n * 0x9E3779B1 % users)
		binary.BigEndian.PutUint64(value, uint64(n))
		to.Cols[1].AppendBytes(value)
		to.Time = append(to.Time, ts)
		to.N++
	}
	b.ReportAllocs()
	rows, logged := int64(0), 0
	for b.Loop() {
		stream.Reset()
		table.Reset()
		for i := range int64(size) {
			n := rows + i
			add(stream, n, n*gap)
			if i%10 == 0 {
				add(table, n, n*gap-late)
			}
		}
		check(j.Process(TableInput, table))
		rows += size
		rel.Upto = rows * gap
		check(j.Process(StreamInput, stream))
		check(j.Advance(op.Marks{W: rows * gap, Strict: rows * gap}))
		if rows%(10*size) == 0 {
			check(s.Changes(nil, func(_ string, _, v []byte) error { logged += len(v); return nil }))
			check(s.Commit(nil, nil))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
	b.ReportMetric(float64(logged)/float64(rows), "logged/row")
	b.ReportMetric(float64(s.Bytes())/(1<<20), "MB")
}
