package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestMain also is the raw limit's process: BenchmarkJobs starts this binary again with STREAMSQL_BENCH_RAW.
func TestMain(m *testing.M) {
	if topics := os.Getenv("STREAMSQL_BENCH_RAW"); topics != "" {
		if err := raw(context.Background(), os.Getenv("STREAMSQL_TEST_KAFKA"), strings.Split(topics, ","), os.Getenv("STREAMSQL_BENCH_OUT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	fmt.Print(table.String())
	os.Exit(code)
}

// raw is the limit: it consumes topics to their ends and produces every record to out, exactly once, in transactions of
// 100 ms, without looking at a record.
func raw(ctx context.Context, addr string, topics []string, out string) error {
	s, err := kgo.NewGroupTransactSession(kgo.SeedBrokers(addr), kgo.TransactionalID("raw-"+out), kgo.ConsumerGroup("raw-"+out+topics[0]), kgo.ConsumeTopics(topics...),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchMaxWait(250*time.Millisecond), kgo.ProducerLinger(5*time.Millisecond), kgo.MaxBufferedRecords(100_000), kgo.ProducerBatchCompression(kgo.Lz4Compression()))
	if err != nil {
		return err
	}
	defer s.Close()
	ends, err := kadm.NewClient(s.Client()).ListEndOffsets(ctx, topics...)
	if err != nil {
		return err
	}
	var total, done int64
	ends.Each(func(o kadm.ListedOffset) { total += o.Offset })
	var failed atomic.Bool
	promise := func(_ *kgo.Record, err error) {
		if err != nil {
			failed.Store(true)
		}
	}
	for done < total {
		if err := s.Begin(); err != nil {
			return err
		}
		for start := time.Now(); done < total && time.Since(start) < 100*time.Millisecond; {
			f := s.PollRecords(ctx, 20_000)
			if err := f.Err(); err != nil {
				return err
			}
			f.EachRecord(func(r *kgo.Record) {
				done++
				s.Produce(ctx, &kgo.Record{Topic: out, Key: r.Key, Value: r.Value, Timestamp: r.Timestamp}, promise)
			})
		}
		committed, err := s.End(ctx, kgo.TryCommit)
		if err != nil {
			return err
		}
		if !committed || failed.Load() {
			return errors.New("a transaction was aborted")
		}
	}
	return nil
}
