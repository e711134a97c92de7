package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

const clicks = `CREATE STREAM c (k VARCHAR, v BIGINT) WITH (topic='clicks');
`

// clock makes rows of a number of keys, evenly in event time, the same in each partition.
type clock struct {
	now   time.Duration // since rig.Base
	every time.Duration
	keys  int
	at    int
}

// take are the next n rows of each partition.
func (c *clock) take(n int) (out [partitions][]connectors.Record) {
	for range n {
		value := fmt.Appendf(nil, `{"k":"key-%06d","v":%d}`, c.at*7919%c.keys, c.at%1000)
		for p := range out {
			out[p] = append(out[p], connectors.Record{Value: value, Timestamp: rig.Base.Add(c.now).UnixMilli()})
		}
		c.at++
		c.now += c.every
	}
	return out
}

// windowed measures what stands behind the shuffle of a query over clicks, after a time in which every key had a row now and
// then, so that all the windows of the measured rows have their share.
func windowed(b *testing.B, query string, warm *clock, n int, every time.Duration) {
	p := newPipeline(b, clicks+query)
	for done := 0; done < n; done += block {
		p.feed(0, "clicks", warm.take(min(block, n-done)))
		p.commit(0)
		p.receive(1)
	}
	p.out, p.logged = 0, 0
	warm.every = every
	blocks(b, func(n int) { p.feed(0, "clicks", warm.take((n+partitions-1)/partitions)); p.commit(0) }, func() { p.receive(1) })
	b.ReportMetric(float64(p.out)/float64(b.N), "rows-out/op")
	b.ReportMetric(float64(p.logged)/float64(b.N), "changelog-B/op")
	state := int64(0)
	for _, t := range p.tasks[1] {
		state += t.State().Bytes()
	}
	b.ReportMetric(float64(state)/(1<<20), "state-MB")
}

// BenchmarkHopping: windows of 1 to 43,200 minutes (30 days), one each minute, over 50 keys and 10,000 rows a minute. The
// cost of a row must not grow with the number of windows that share it.
func BenchmarkHopping(b *testing.B) {
	for _, overlap := range []int{1, 10, 100, 43_200} {
		b.Run(fmt.Sprint("overlap=", overlap), func(b *testing.B) {
			const keys = 50
			query := fmt.Sprintf(`CREATE STREAM o AS SELECT k, window_start, COUNT(*) AS n, SUM(v) AS t FROM c WINDOW HOPPING(%dm, 1m) GROUP BY k EMIT FINAL;`, overlap)
			windowed(b, query, &clock{keys: keys, every: time.Minute / keys}, overlap*keys, 2*time.Minute/10_000)
		})
	}
}

// BenchmarkCumulate: a day by steps of a day to a minute.
func BenchmarkCumulate(b *testing.B) {
	for _, step := range []string{"1d", "1h", "1m"} {
		b.Run("step="+step, func(b *testing.B) {
			query := fmt.Sprintf(`CREATE STREAM o AS SELECT k, window_end, COUNT(*) AS n, SUM(v) AS t FROM c WINDOW CUMULATE(1d, %s) GROUP BY k EMIT FINAL;`, step)
			windowed(b, query, &clock{keys: 50, every: time.Second}, 10_000, 2*time.Minute/10_000)
		})
	}
}

// BenchmarkSession: 100,000 keys whose sessions, of a gap of 24 hours, never end; and as many that end all the time.
func BenchmarkSession(b *testing.B) {
	for _, c := range []struct {
		gap   string
		every time.Duration
	}{{"24h", time.Millisecond}, {"1s", time.Millisecond}} {
		b.Run("gap="+c.gap, func(b *testing.B) {
			query := fmt.Sprintf(`CREATE STREAM o AS SELECT k, window_start, COUNT(*) AS n, SUM(v) AS t FROM c WINDOW SESSION(%s) GROUP BY k EMIT FINAL;`, c.gap)
			windowed(b, query, &clock{keys: 100_000, every: c.every}, 100_000, c.every)
		})
	}
}

// BenchmarkSliding: 10 to 10,000 rows of a key within reach.
func BenchmarkSliding(b *testing.B) {
	for _, reach := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprint("rows=", reach), func(b *testing.B) {
			const keys = 10
			query := fmt.Sprintf(`CREATE STREAM o AS SELECT k, COUNT(*) AS n, SUM(v) AS t FROM c WINDOW SLIDING(%dms) GROUP BY k EMIT FINAL;`, reach*keys)
			windowed(b, query, &clock{keys: keys, every: time.Millisecond}, 2*reach*keys, time.Millisecond)
		})
	}
}
