package bench

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/nexmark"
	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

const nexmarkQueries = "../../examples/queries/nexmark/"

// nexmarkTopics are the topics of kafka.sql, with their partitions.
var nexmarkTopics = map[string]int32{"nexmark_person": 4, "nexmark_auction": 4, "nexmark_bid": 4, "nexmark_side": 1}

// BenchmarkNexmark runs each Nexmark query once as a process of its own, from and to Kafka JSON, exactly once, and prints events a second and
// CPU-seconds per million of them (events of all three types, whatever a query reads of them), the largest resident size, and the
// largest size of the state directory. nexmark.sh starts the broker; STREAMSQL_BENCH_N is the number of events,
// STREAMSQL_BENCH_QUERIES names some queries. A broker that has the topics already is measured with what they hold.
func BenchmarkNexmark(b *testing.B) {
	addr := os.Getenv("STREAMSQL_TEST_KAFKA")
	if addr == "" {
		b.Skip("STREAMSQL_TEST_KAFKA (host:port) is not set: run make bench-nexmark, which starts a broker")
	}
	ctx := context.Background()
	broker, err := rig.Connect(addr)
	if err != nil {
		b.Fatal(err)
	}
	defer broker.Close()
	events := nexmarkEvents(ctx, b, broker)
	r := &running{B: b, broker: broker, binary: build(b), prefix: fmt.Sprintf("bench-%x-", time.Now().UnixNano()&0xffffff)}
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d events\tevents/s\tCPU-s per M\tpeak MB\tstate MB\tseconds\trows\t\n", events)
	first := *r // the first of all pays for the broker's start
	first.prefix += "warm-"
	first.nexmark(ctx, "q2")
	for _, name := range chosen(b) {
		b.Run(name, func(b *testing.B) {
			one := *r
			one.B = b
			m, state := one.nexmark(ctx, name)
			millions := float64(events) / 1e6
			fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%d\t%d\t%.1f\t%d\t\n", name, float64(events)/m.wall.Seconds(), m.cpu.Seconds()/millions, m.peak>>20, state>>20, m.wall.Seconds(), m.rows)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(events)/m.wall.Seconds(), "events/s")
			b.ReportMetric(m.cpu.Seconds()/millions, "CPU-s/M")
			b.ReportMetric(float64(m.peak>>20), "peak-MB")
			b.ReportMetric(float64(state), "state-bytes")
		})
	}
	w.Flush()
}

// chosen are the queries to run: all, or those that STREAMSQL_BENCH_QUERIES names.
func chosen(b *testing.B) []string {
	b.Helper()
	var all []string
	for q := range 24 {
		all = append(all, fmt.Sprint("q", q))
	}
	names := os.Getenv("STREAMSQL_BENCH_QUERIES")
	if names == "" {
		return all
	}
	some := strings.Split(names, ",")
	for _, n := range some {
		if !slices.Contains(all, n) {
			b.Fatalf("STREAMSQL_BENCH_QUERIES: there is no query %q; they are q0 to q23", n)
		}
	}
	return some
}

// nexmarkEvents is how many events the topics hold. Those that are not there are made, and deleted at the end.
func nexmarkEvents(ctx context.Context, b *testing.B, broker *rig.Broker) (n int) {
	b.Helper()
	there, err := broker.Topics(ctx, "nexmark_")
	if err != nil {
		b.Fatal(err)
	}
	if len(there) == 0 {
		return loadNexmark(ctx, b, broker)
	}
	for topic := range nexmarkTopics {
		if there[topic] == 0 {
			b.Fatalf("the broker has topics of Nexmark, but no %s", topic)
		}
		records, err := broker.Count(ctx, topic)
		if err != nil {
			b.Fatal(err)
		}
		if topic != "nexmark_side" {
			n += int(records)
		}
	}
	return n
}

func loadNexmark(ctx context.Context, b *testing.B, broker *rig.Broker) int {
	b.Helper()
	n, err := strconv.Atoi(os.Getenv("STREAMSQL_BENCH_N"))
	if err != nil || n < 1000 {
		n = 3_000_000
	}
	for topic, partitions := range nexmarkTopics {
		if err := broker.Create(ctx, topic, partitions); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = broker.Delete(ctx, topic) })
	}
	for _, kind := range []string{"person", "auction", "bid"} {
		if err := loadKind(ctx, broker, kind, n); err != nil {
			b.Fatal(err)
		}
	}
	err = broker.Load(ctx, 10_000, func(i int) rig.Record {
		return rig.Record{Topic: "nexmark_side", Partition: 0, Key: fmt.Append(nil, i), Value: fmt.Appendf(nil, `{"key":%d,"value":"side-%d"}`, i, i), Time: rig.Base}
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func loadKind(ctx context.Context, broker *rig.Broker, kind string, events int) error {
	g, err := nexmark.New(nil, "json", map[string]string{"nexmark.type": kind, "nexmark.events": strconv.Itoa(events), "nexmark.start": rig.Base.Format(time.RFC3339)}, rig.Base)
	if err != nil {
		return err
	}
	return nexmark.NewFeed(g, still{}).Run(ctx, func(rs []connectors.Record) error {
		return broker.Load(ctx, len(rs), func(i int) rig.Record {
			return rig.Record{Topic: "nexmark_" + kind, Partition: -1, Key: rs[i].Key, Value: rs[i].Value, Time: time.UnixMilli(rs[i].Timestamp)}
		})
	})
}

// still is a clock that nobody looks at.
type still struct{}

func (still) Now() time.Time                             { return rig.Base }
func (still) Sleep(context.Context, time.Duration) error { return nil }

var target = regexp.MustCompile(`(?m)^(CREATE (?:STREAM|TABLE) q\d+) AS$`)

// nexmark measures a query; state is the largest size of its state directory.
func (r *running) nexmark(ctx context.Context, name string) (m measured, state int64) {
	r.Helper()
	r.out = r.prefix + name
	sources, query := r.read(nexmarkQueries+"kafka.sql"), r.read(nexmarkQueries+name+".sql")
	text := sources + target.ReplaceAllString(query, "$1 WITH (topic = '"+r.out+"') AS")
	for _, err := range streamsql.Check(name, text, nil) {
		r.Fatal(err)
	}
	dir := r.TempDir()
	file, stateDir := filepath.Join(dir, "job.sql"), filepath.Join(dir, "state")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
	defer r.remove(ctx, r.out)
	cmd := exec.Command(r.binary, "run", "-b", r.broker.Addr, "--name", r.out, "--state-dir", stateDir, "--until", "end", "--shuffle", "topic", file)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "STREAMSQL_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	ended, largest := make(chan struct{}), make(chan int64)
	go func() { largest <- watchSize(stateDir, ended) }()
	m = r.measure(cmd)
	close(ended)
	state = <-largest
	if err := r.broker.ReadAll(ctx, r.out, func(rig.Record) { m.rows++ }); err != nil {
		r.Fatal(err)
	}
	if m.rows == 0 {
		r.Fatal("nothing came out")
	}
	return m, state
}

func (r *running) read(name string) string {
	r.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

// watchSize is the largest size that a directory has until ended.
func watchSize(dir string, ended <-chan struct{}) (most int64) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		most = max(most, size(dir))
		select {
		case <-ended:
			return max(most, size(dir))
		case <-tick.C:
		}
	}
}

// size is what the files below a directory hold. Files may go while it looks.
func size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // gone
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
