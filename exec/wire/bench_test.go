package wire

import (
	"fmt"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// shuffled is a batch as a shuffle of facts sees it.
func shuffled(n int) (Layout, *vector.Batch) {
	l := Layout{Columns: []types.Type{types.TVarchar, types.TBigInt, types.TDouble}, Origin: true, Key: true}
	b := vector.NewBatch(l.Columns, n)
	for i := range n {
		b.Cols[0].AppendString(fmt.Sprintf("user-%d", i%100))
		b.Cols[1].AppendInt(int64(i))
		b.Cols[2].AppendFloat(float64(i) / 4)
		b.Time = append(b.Time, int64(i)*1000)
		b.Origin = append(b.Origin, types.Origin{Source: 1, Partition: 3, Offset: int64(i)})
		b.Raw = append(b.Raw, vector.Raw{Key: []byte("key")})
		b.N++
	}
	return l, b
}

func BenchmarkRows(b *testing.B) {
	l, in := shuffled(1024)
	w, out := NewRowWriter(l), vector.NewBatch(l.Columns, 1024)
	b.ReportAllocs()
	for b.Loop() {
		for i := range in.N {
			w.Append(in, i)
		}
		out.Reset()
		if err := ReadRows(w.Take(), l, out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(in.N), "ns/row")
}
