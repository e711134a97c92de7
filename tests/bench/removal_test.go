package bench

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// BenchmarkMinOfOneGroup: a table of which all rows are in one group, each record replacing a row whose value was among the
// least. What a record costs must not grow with the size of the group, and memory stays within the budget of the four tasks,
// 16 MB each, and what is read of the disk.
func BenchmarkMinOfOneGroup(b *testing.B) {
	for _, size := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", size), func(b *testing.B) {
			p := newPipelineWithin(b, 16<<20, `CREATE TABLE t (id BIGINT PRIMARY KEY, g VARCHAR, v BIGINT) WITH (topic='t', key='id', partitioner='unknown');
CREATE TABLE o AS SELECT g, MIN(v) AS lo, MAX(v) AS hi, COUNT(*) AS n FROM t GROUP BY g;`)
			at := 0
			write := func(n int) {
				var in [partitions][]connectors.Record
				for range n {
					id := at % size
					in[id%partitions] = append(in[id%partitions], connectors.Record{
						Key: fmt.Append(nil, id), Value: fmt.Appendf(nil, `{"id":%d,"g":"g","v":%d}`, id, at), Timestamp: rig.Base.Add(time.Duration(at) * time.Millisecond).UnixMilli(),
					})
					at++
				}
				p.feed(0, "t", in)
				p.commit(0)
				for f := 1; f < len(p.tasks); f++ {
					p.receive(f)
				}
			}
			for at < size {
				write(min(block, size-at))
			}
			n := 0
			blocks(b, func(most int) { n = most }, func() { write(n) })
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc>>20), "heap-MB")
			p.rowsOut()
		})
	}
}
