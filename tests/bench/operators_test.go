package bench

import (
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// block is how many rows go through between two commits.
const block = 20_000

const stream = `CREATE STREAM m (message_id VARCHAR, user_id BIGINT, amount DECIMAL(12,2), kind VARCHAR, note VARCHAR) WITH (topic='messages');
`

// messages are used again and again, each time later in event time.
type messages struct {
	values, keys [][]byte
	at           int
}

func newMessages() *messages {
	m := &messages{}
	for i, x := range rig.Messages(2*rig.PerWindow, 1) {
		r := x.Record("", i)
		m.values, m.keys = append(m.values, r.Value), append(m.keys, r.Key)
	}
	return m
}

// take are the next n, one for each partition in turn.
func (m *messages) take(n int) (out [partitions][]connectors.Record) {
	for range n {
		i := m.at % len(m.values)
		out[m.at%partitions] = append(out[m.at%partitions], connectors.Record{Key: m.keys[i], Value: m.values[i], Timestamp: rig.At(m.at).UnixMilli()})
		m.at++
	}
	return out
}

// blocks calls once for each block of b.N rows: prepare outside the measured time, then run.
func blocks(b *testing.B, prepare func(n int), run func()) {
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; done += block {
		b.StopTimer()
		prepare(min(block, b.N-done))
		b.StartTimer()
		run()
	}
	b.StopTimer()
}

// rowsOut fails a benchmark whose operator gave nothing.
func (p *pipeline) rowsOut() {
	if p.out == 0 && p.b.N > 4*rig.PerWindow {
		p.b.Fatal("no rows came out")
	}
	p.b.ReportMetric(float64(p.out)/float64(p.b.N), "rows-out/op")
}

// BenchmarkFilter: JSON in, a condition and three columns, JSON out.
func BenchmarkFilter(b *testing.B) {
	p := newPipeline(b, stream+`CREATE STREAM o AS SELECT message_id, user_id, amount FROM m WHERE kind <> 'noop';`)
	m := newMessages()
	var in [partitions][]connectors.Record
	blocks(b, func(n int) { in = m.take(n) }, func() {
		p.feed(0, "messages", in)
		p.commit(0)
	})
	p.rowsOut()
}

// downstream measures what stands behind a shuffle: unpacking, the operator over its storage, changelog, encoding.
func downstream(b *testing.B, query string) {
	p := newPipeline(b, stream+query)
	m := newMessages()
	blocks(b, func(n int) { p.feed(0, "messages", m.take(n)); p.commit(0) }, func() { p.receive(1) })
	p.rowsOut()
	b.ReportMetric(float64(p.logged)/float64(b.N), "changelog-B/op")
}

// BenchmarkDistinct: windows of 100,000 messages of which a tenth repeats.
func BenchmarkDistinct(b *testing.B) {
	downstream(b, `CREATE STREAM o AS SELECT DISTINCT ON (message_id) * FROM m WINDOW TUMBLING(10s);`)
}

// BenchmarkDistinctFinal: the same, and the earliest row of each id when the window closes.
func BenchmarkDistinctFinal(b *testing.B) {
	downstream(b, `CREATE STREAM o AS SELECT DISTINCT ON (message_id) message_id, user_id FROM m WINDOW TUMBLING(10s) EMIT FINAL;`)
}

// BenchmarkWindowedCount: count and sum by user, final rows.
func BenchmarkWindowedCount(b *testing.B) {
	downstream(b, `CREATE TABLE o AS SELECT user_id, window_start, COUNT(*) AS n, SUM(amount) AS total FROM m WINDOW TUMBLING(10s) GROUP BY user_id EMIT FINAL;`)
}

// BenchmarkSourceToShuffle: JSON in, packed rows of a repartition topic out.
func BenchmarkSourceToShuffle(b *testing.B) {
	p := newPipeline(b, stream+`CREATE STREAM o AS SELECT DISTINCT ON (message_id) * FROM m WINDOW TUMBLING(10s);`)
	m := newMessages()
	var in [partitions][]connectors.Record
	blocks(b, func(n int) { in = m.take(n); clear(p.packed) }, func() {
		p.feed(0, "messages", in)
		p.commit(0)
	})
}

// BenchmarkStreamTableJoin: an operation per op, and for every second one an update of the 100,000 contexts they refer to.
func BenchmarkStreamTableJoin(b *testing.B) {
	p := newPipeline(b, `CREATE STREAM operations (op_id VARCHAR, ctx_id VARCHAR, kind VARCHAR) WITH (topic='operations');
CREATE TABLE contexts (id VARCHAR PRIMARY KEY, owner VARCHAR, region VARCHAR) WITH (topic='contexts', history='30s');
CREATE STREAM o AS SELECT o.op_id, o.kind, c.owner, c.region FROM operations o JOIN contexts c ON o.ctx_id = c.id;`)
	const contexts = 100_000
	ops := rig.Operations(contexts, contexts, 3)
	update := func(i int, at time.Time) connectors.Record {
		r := rig.Context{ID: i % contexts, Version: i}.Record("", at, "x")
		return connectors.Record{Key: r.Key, Value: r.Value, Timestamp: at.UnixMilli()}
	}
	left, right, last := p.fragmentOf("operations"), p.fragmentOf("contexts"), len(p.query.Fragments)-1
	var first [partitions][]connectors.Record
	for i := range contexts {
		first[i%partitions] = append(first[i%partitions], update(i, rig.Base))
	}
	p.feed(right, "contexts", first)
	p.commit(right)
	p.receive(last)
	at := 0
	blocks(b, func(n int) {
		var stream, table [partitions][]connectors.Record
		for range n {
			when := rig.At(at).Add(time.Second)
			r := ops[at%len(ops)].Record("", at, when)
			stream[at%partitions] = append(stream[at%partitions], connectors.Record{Key: r.Key, Value: r.Value, Timestamp: when.UnixMilli()})
			if at%2 == 0 {
				table[at/2%partitions] = append(table[at/2%partitions], update(at/2, when))
			}
			at++
		}
		p.feed(left, "operations", stream)
		p.feed(right, "contexts", table)
		p.commit(left)
		p.commit(right)
	}, func() { p.receive(last) })
	p.rowsOut()
}

// shuffled is a batch of messages as the deduplication's shuffle carries them, and its layout.
func shuffled(b *testing.B) (wire.Layout, *vector.Batch) {
	b.Helper()
	p := newPipeline(b, stream+`CREATE STREAM o AS SELECT DISTINCT ON (message_id) * FROM m WINDOW TUMBLING(10s);`)
	p.feed(0, "messages", newMessages().take(2048))
	l := task.Layout(p.query.Shuffles[0])
	out := vector.NewBatch(l.Columns, 1024)
	for _, records := range p.packed {
		for _, r := range records {
			if err := wire.ReadRows(r.Value, l, out); err != nil {
				b.Fatal(err)
			}
		}
	}
	if out.N != 2048 {
		b.Fatalf("%d rows came through the shuffle, want 2048", out.N)
	}
	return l, out
}

// BenchmarkWireEncode packs rows of the deduplication: its key column and the record's own key and value.
func BenchmarkWireEncode(b *testing.B) {
	l, rows := shuffled(b)
	w := wire.NewRowWriter(l)
	var size int64
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if w.Append(rows, i%rows.N); w.Len() >= 256<<10 {
			size += int64(len(w.Take()))
		}
	}
	b.SetBytes((size + int64(w.Len())) / int64(b.N))
}

// BenchmarkWireDecode unpacks them.
func BenchmarkWireDecode(b *testing.B) {
	l, rows := shuffled(b)
	w := wire.NewRowWriter(l)
	for i := range rows.N {
		w.Append(rows, i)
	}
	value := w.Take()
	out := vector.NewBatch(l.Columns, rows.N)
	b.SetBytes(int64(len(value) / rows.N))
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; done += rows.N {
		out.Reset()
		if err := wire.ReadRows(value, l, out); err != nil {
			b.Fatal(err)
		}
	}
	if out.N != rows.N {
		b.Fatalf("%d rows, want %d", out.N, rows.N)
	}
}
