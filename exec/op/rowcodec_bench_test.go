package op

import (
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func BenchmarkRowCodec(b *testing.B) {
	ts := []types.Type{types.TVarchar, types.TBigInt}
	in := vector.NewBatch(ts, 1)
	in.Cols[0].AppendString("user-1")
	in.Cols[1].AppendInt(42)
	in.N, in.Time, in.Seen = 1, []int64{1000}, []int64{2000}
	in.Origin = []types.Origin{{Source: 1, Partition: 2, Offset: 3}}
	in.Raw = []vector.Raw{{Key: []byte("k"), Value: []byte("a value of some length")}}
	out := vector.NewBatch(ts, 1024)
	var buf []byte
	var d RowReader
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendRow(buf[:0], in, 0)
		if out.N == 1024 {
			out.Reset()
		}
		if err := d.Append(out, buf); err != nil {
			b.Fatal(err)
		}
	}
}
