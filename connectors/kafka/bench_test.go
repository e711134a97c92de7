package kafka

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
)

const benchParts = 4

// benchEnv is a broker with a full topic of n records of 200 bytes, half of them noise.
func benchEnv(b *testing.B, n int, compression string) (e *env, in, out string) {
	eo := embedded.Options{}
	t := &testing.T{}
	o := Options{Logger: quiet, Compression: compression}
	if addr := os.Getenv("STREAMSQL_TEST_KAFKA"); addr != "" {
		o.Brokers = []string{addr}
	} else {
		broker, err := embedded.Start(eo)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(broker.Close)
		o.Brokers = []string{broker.Addr()}
	}
	c, err := New(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	e = &env{T: t, ctx: ctx, c: c, o: o, prefix: "streamsql-bench-" + time.Now().Format("150405.000000") + "."}
	in, out = e.topic("in", benchParts), e.topic("out", benchParts)
	b.Cleanup(func() {
		_ = c.Delete(ctx, e.topics...)
		_, _ = c.adm.DeleteGroups(ctx, e.prefix+"group")
		cancel()
		c.Close()
	})
	value := append(noise(100), make([]byte, 100)...)
	for i := 0; i < n; i += 10_000 {
		rs := make([]connectors.Record, min(10_000, n-i))
		for j := range rs {
			rs[j] = connectors.Record{Topic: in, Partition: int32((i + j) / 100 % benchParts), Timestamp: 1000, Value: value}
		}
		if _, err := c.Write(ctx, rs...); err != nil {
			b.Fatal(err)
		}
	}
	return e, in, out
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func report(b *testing.B, n int, begin time.Time, used time.Duration) {
	b.ReportMetric(float64(n)/time.Since(begin).Seconds(), "rec/s")
	b.ReportMetric(float64((cpu()-used).Nanoseconds())/float64(n), "cpu-ns/rec")
}

const benchRecords = 1_000_000

// BenchmarkSession copies a topic exactly once through a Session, with a commit every 100 ms.
func BenchmarkSession(b *testing.B) {
	for _, compression := range []string{"none", "snappy", "lz4"} {
		b.Run(compression, func(b *testing.B) {
			e, in, out := benchEnv(b, benchRecords, compression)
			for b.Loop() {
				b.StopTimer()
				o := e.options(time.Now().String(), benchParts, in)
				o.Group += o.TransactionalID
				cs, err := e.c.Open(e.ctx, o)
				if err != nil {
					b.Fatal(err)
				}
				s := cs.(*Session)
				e.assigned(s)
				b.StartTimer()
				b.ReportAllocs()
				begin, used := time.Now(), cpu()
				copySession(b, e, s, out)
				report(b, benchRecords, begin, used)
				b.StopTimer()
				_ = s.Close(e.ctx, connectors.Leave)
				b.StartTimer()
			}
		})
	}
}

func copySession(b *testing.B, e *env, s *Session, out string) {
	next := map[connectors.Partition]connectors.Offset{}
	last := time.Now()
	for n := 0; n < benchRecords; {
		p, err := s.Poll(e.ctx, 5000)
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range p.Fetched {
			for i := range f.Records {
				r := connectors.Record{Topic: out, Partition: f.Partition.Partition, Timestamp: f.Records[i].Timestamp, Value: f.Records[i].Value}
				s.Produce(&r)
			}
			n += len(f.Records)
			next[f.Partition] = connectors.Offset{At: f.Next}
		}
		if time.Since(last) > 100*time.Millisecond || n == benchRecords {
			if _, err := s.Commit(e.ctx, next); err != nil {
				b.Fatal(err)
			}
			last = time.Now()
		}
	}
}

// BenchmarkPlainClient does the same with franz-go's own session and a fresh record each, for comparison.
func BenchmarkPlainClient(b *testing.B) {
	for _, compression := range []string{"none", "snappy", "lz4"} {
		b.Run(compression, func(b *testing.B) {
			e, in, out := benchEnv(b, benchRecords, compression)
			for b.Loop() {
				b.StopTimer()
				id := e.prefix + time.Now().String()
				gs, err := kgo.NewGroupTransactSession(with(e.c.opts, kgo.ConsumerGroup(id), kgo.TransactionalID(id), kgo.ConsumeTopics(in),
					kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.RecordPartitioner(kgo.ManualPartitioner()),
					kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()))...)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				b.ReportAllocs()
				begin, used := time.Now(), cpu()
				copyPlain(b, e.ctx, gs, out)
				report(b, benchRecords, begin, used)
				b.StopTimer()
				gs.Close()
				b.StartTimer()
			}
		})
	}
}

func copyPlain(b *testing.B, ctx context.Context, gs *kgo.GroupTransactSession, out string) {
	last := time.Now()
	if err := gs.Begin(); err != nil {
		b.Fatal(err)
	}
	failed := kgo.AbortingFirstErrPromise(gs.Client())
	for n := 0; n < benchRecords; {
		fs := gs.PollRecords(ctx, 5000)
		fs.EachRecord(func(r *kgo.Record) {
			gs.Produce(ctx, &kgo.Record{Topic: out, Partition: r.Partition, Timestamp: r.Timestamp, Value: r.Value}, failed.Promise())
			n++
		})
		if time.Since(last) > 100*time.Millisecond || n == benchRecords {
			end := kgo.PreTxnCommitFnContext(ctx, func(*kmsg.TxnOffsetCommitRequest) error { return nil })
			if ok, err := gs.End(end, kgo.TryCommit); err != nil || !ok || failed.Err() != nil {
				b.Fatal(ok, err, failed.Err())
			}
			if n < benchRecords {
				if err := gs.Begin(); err != nil {
					b.Fatal(err)
				}
			}
			last = time.Now()
		}
	}
}

// BenchmarkRead reads a partition directly, as a restore does.
func BenchmarkRead(b *testing.B) {
	e, in, _ := benchEnv(b, benchRecords, "lz4")
	p := connectors.Partition{Topic: in}
	ends, err := e.c.Ends(e.ctx, p)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		begin, used, n := time.Now(), cpu(), 0
		if err := e.c.Read(e.ctx, p, 0, ends[p], func(rs []connectors.Record) error { n += len(rs); return nil }); err != nil {
			b.Fatal(err)
		}
		report(b, n, begin, used)
	}
}
