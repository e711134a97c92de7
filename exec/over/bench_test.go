package over

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// BenchmarkTopN: rows of 1,000 partitions, the ten largest of each with their numbers.
func BenchmarkTopN(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var batches []*vector.Batch
	for range 64 {
		rows := make([]optest.Row, 1000)
		for i := range rows {
			rows[i] = row(int64(i), int64(i), fmt.Sprint(r.IntN(1000)), r.Int64N(1_000_000))
		}
		batches = append(batches, optest.Batch(columns, rows...))
	}
	for _, numbered := range []bool{false, true} {
		b.Run(fmt.Sprintf("numbered=%v", numbered), func(b *testing.B) {
			top := topN(TopNConfig{Order: []Key{{byValue, true}}, N: 10, Numbered: numbered}, optest.Discard{})
			b.ReportAllocs()
			for i := range b.N {
				if i%1000 == 0 {
					if err := top.Process(0, batches[i/1000%len(batches)]); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
