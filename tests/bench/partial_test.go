package bench

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// BenchmarkCountByKeys: count and sum over a shuffle, from JSON to final rows, for few keys, skewed ones and ones that hardly
// repeat; shuffle-B/op is what travels.
func BenchmarkCountByKeys(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(rng, 1.2, 1, 99_999)
	for _, c := range []struct {
		name string
		user func(i int) uint64
	}{
		{"few", func(int) uint64 { return uint64(rng.Intn(16)) }},
		{"skewed", func(int) uint64 { return zipf.Uint64() }},
		{"unique", func(i int) uint64 { return uint64(i * 7919 % 1_000_003) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := newPipeline(b, stream+`CREATE TABLE o AS SELECT user_id, window_start, COUNT(*) AS n, SUM(amount) AS total FROM m WINDOW TUMBLING(10s) GROUP BY user_id EMIT FINAL;`)
			values := make([][]byte, 2*rig.PerWindow)
			for i := range values {
				values[i] = fmt.Appendf(nil, `{"message_id":"m-%012d","user_id":%d,"amount":%d.%02d,"kind":"view"}`, i, c.user(i), i%1000, i%100)
			}
			at, travelled := 0, int64(0)
			var in [partitions][]connectors.Record
			blocks(b, func(n int) {
				in = [partitions][]connectors.Record{}
				for range n {
					in[at%partitions] = append(in[at%partitions], connectors.Record{Value: values[at%len(values)], Timestamp: rig.At(at).UnixMilli()})
					at++
				}
			}, func() {
				p.feed(0, "messages", in)
				p.commit(0)
				for _, records := range p.packed {
					for _, r := range records {
						travelled += int64(len(r.Value))
					}
				}
				p.receive(1)
			})
			p.rowsOut()
			b.ReportMetric(float64(travelled)/float64(b.N), "shuffle-B/op")
		})
	}
}
