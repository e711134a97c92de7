package bench

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// BenchmarkMinOfOneGroup: a table of which all rows are in one group, each record replacing a row: one whose value was among the
// least by one that is the greatest, or any value by any. What a record costs should hardly grow with the size of the group, and
// memory stays within the budget of the four tasks, 16 MB each, and what is read of the disk. STREAMSQL_BENCH_N is the largest size.
func BenchmarkMinOfOneGroup(b *testing.B) {
	most, err := strconv.Atoi(os.Getenv("STREAMSQL_BENCH_N"))
	if err != nil {
		most = 1_000_000
	}
	values := []struct {
		name string
		of   func(at int) uint64
	}{
		{"in order", func(at int) uint64 { return uint64(at) }},
		{"any", func(at int) uint64 { return (uint64(at) + 1) * 0x9E3779B97F4A7C15 >> 24 }},
	}
	for _, v := range values {
		for _, size := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
			if size <= most {
				b.Run(fmt.Sprintf("%s/rows=%d", v.name, size), func(b *testing.B) { minOfOneGroup(b, size, v.of) })
			}
		}
	}
}

func minOfOneGroup(b *testing.B, size int, value func(at int) uint64) {
	p := newPipelineWithin(b, 16<<20, `CREATE TABLE t (id BIGINT PRIMARY KEY, g VARCHAR, v BIGINT) WITH (topic='t', key='id', partitioner='unknown');
CREATE TABLE o AS SELECT g, MIN(v) AS lo, MAX(v) AS hi, COUNT(*) AS n FROM t GROUP BY g;`)
	at := 0
	write := func(n int) {
		var in [partitions][]connectors.Record
		for range n {
			id := at % size
			in[id%partitions] = append(in[id%partitions], connectors.Record{
				Key: fmt.Append(nil, id), Value: fmt.Appendf(nil, `{"id":%d,"g":"g","v":%d}`, id, value(at)), Timestamp: rig.Base.Add(time.Duration(at) * time.Millisecond).UnixMilli(),
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
	n, before := 0, processorTime()
	blocks(b, func(most int) { n = most }, func() { write(n) })
	b.ReportMetric((processorTime()-before).Seconds()/float64(b.N)*1e6, "CPU-us/op")
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc>>20), "heap-MB")
	p.rowsOut()
}
