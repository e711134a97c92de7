package join

import (
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage"
)

// Real state, a row of the stream in one range: of a thousand ranges, each compared, that rest or of which one changes every
// thousand rows of the stream; of a hundred thousand, three of which have the zone of the row.
func BenchmarkBroadcastJoin(b *testing.B) {
	for _, c := range []struct {
		name        string
		rows, zones int64
		changes     bool
	}{{"ranges", 1000, 0, false}, {"changing", 1000, 0, true}, {"indexed", 100_000, 33_333, false}} {
		b.Run(c.name, func(b *testing.B) { benchBroadcast(b, c.rows, c.zones, c.changes) })
	}
}

// benchBroadcast joins (zone, ip) with (name, zone, low, high). No zones: they are not compared.
func benchBroadcast(b *testing.B, rows, zones int64, changes bool) {
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	stream := []types.Type{types.TBigInt, types.TBigInt}
	table := []types.Type{types.TVarchar, types.TBigInt, types.TBigInt, types.TBigInt}
	s, err := storage.Open(storage.Options{
		Dir: "0", FS: storage.NewMemory(), Budget: 256 << 20, Now: time.Now,
		Specs: []storage.Spec{{Name: "t", Kind: storage.VersionsKind}, {Name: "i", Kind: storage.SortedKind}},
	})
	check(err)
	defer s.Discard()
	col := func(i int) expr.Expr { return optest.Col(i, types.TBigInt) }
	from, err := expr.NewBinary(">=", col(1), col(4))
	check(err)
	to, err := expr.NewBinary("<", col(1), col(5))
	check(err)
	in, err := expr.NewBinary("AND", from, to)
	check(err)
	rel := optest.NewReleases()
	c := StreamTableConfig{
		Env: op.Env{Counters: &op.Counters{}}, Stream: stream, Table: table, Primary: []expr.Expr{optest.Col(0, types.TVarchar)}, Residual: in,
		History: 60 * second, Versions: s.Versions("t"), Index: s.Sorted("i"), Queue: &fifo{}, Releases: rel, Next: optest.Discard{},
	}
	if zones > 0 {
		c.StreamKeys, c.TableKeys = []expr.Expr{col(0)}, []expr.Expr{col(1)}
	}
	j, err := NewStreamTable(c)
	check(err)
	ranges := vector.NewBatch(table, int(rows))
	row := func(i, ts int64) {
		ranges.Cols[0].AppendString(time.Duration(i).String())
		ranges.Cols[1].AppendInt(i % max(zones, 1))
		ranges.Cols[2].AppendInt(i * 10)
		ranges.Cols[3].AppendInt(i*10 + 10)
		ranges.Time = append(ranges.Time, ts)
		ranges.N++
	}
	for i := range rows {
		row(i, 0)
	}
	check(j.Process(TableInput, ranges))
	const size = 1000
	hits := vector.NewBatch(stream, size)
	n := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		hits.Reset()
		for k := range int64(size) {
			at := (n + k) * 7919 % rows
			hits.Cols[0].AppendInt(at % max(zones, 1))
			hits.Cols[1].AppendInt(at*10 + 3)
			hits.Time = append(hits.Time, second+n+k)
			hits.N++
		}
		if n += size; changes {
			ranges.Reset()
			row(n/size%rows, second+n)
			check(j.Process(TableInput, ranges))
		}
		rel.Upto = second + n
		check(j.Process(StreamInput, hits))
		check(j.Advance(op.Marks{W: second + n, Strict: second + n}))
		check(s.Changes(nil, func(string, []byte, []byte) error { return nil }))
		check(s.Commit(nil, nil))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/row")
	b.ReportMetric(float64(s.Bytes())/(1<<20), "MB")
}
