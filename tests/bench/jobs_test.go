package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

const (
	sources = `CREATE STREAM m (message_id VARCHAR, user_id BIGINT, amount DECIMAL(12,2), kind VARCHAR, seq BIGINT) WITH (topic='@messages');
`
	joined = `CREATE STREAM operations (op_id VARCHAR, ctx_id VARCHAR, kind VARCHAR) WITH (topic='@operations');
CREATE TABLE contexts (id VARCHAR PRIMARY KEY, owner VARCHAR, region VARCHAR) WITH (topic='@%s');
CREATE STREAM x WITH (topic='@out') AS SELECT o.op_id, o.kind, c.owner, c.region FROM operations o JOIN contexts c ON o.ctx_id = c.id WHERE o.kind <> 'noop';
`
	dedup = sources + `CREATE STREAM x WITH (topic='@out') AS SELECT DISTINCT ON (message_id) * FROM m WINDOW TUMBLING(10s);
`
)

// job is a query over the loaded topics, run by one process to their end.
type job struct {
	name, sql, shuffle string
	from               []string // topics, for its figure of records in
	judge              func(*inputs) *rig.Judge
}

var jobs = []job{
	{"warm up", "", "", []string{"messages"}, nil},
	{"raw messages", "", "", []string{"messages"}, nil},
	{"filter", sources + `CREATE STREAM x WITH (topic='@out') AS SELECT message_id, user_id, amount, seq FROM m WHERE kind <> 'noop';
`, "topic", []string{"messages"}, func(in *inputs) *rig.Judge { return rig.Filter(in.messages) }},
	{"dedup topic", dedup, "topic", []string{"messages"}, func(in *inputs) *rig.Judge { return rig.Dedup(in.messages) }},
	{"dedup local", dedup, "local", []string{"messages"}, func(in *inputs) *rig.Judge { return rig.Dedup(in.messages) }},
	{"count", sources + `CREATE TABLE x WITH (topic='@out') AS SELECT user_id, window_start, COUNT(*) AS n, SUM(amount) AS total
FROM m WINDOW TUMBLING(10s) GROUP BY user_id EMIT FINAL;
`, "topic", []string{"messages"}, func(in *inputs) *rig.Judge { return rig.Count(in.messages) }},
	{"raw join", "", "", []string{"contexts", "operations"}, nil},
	{"join", strings.Replace(fmt.Sprintf(joined, "contexts"), "contexts')", "contexts', key='id')", 1), "topic", []string{"contexts", "operations"}, joinJudge},
	{"join foreign", fmt.Sprintf(joined, "contexts_foreign"), "topic", []string{"contexts_foreign", "operations"}, joinJudge},
}

func joinJudge(in *inputs) *rig.Judge {
	return rig.Join(in.operations, func(seq int) rig.Context { return version(int(in.operations[seq].Context)) })
}

// version is the only one a context has here.
func version(id int) rig.Context { return rig.Context{ID: id, Version: id} }

// inputs are what the topics hold: n messages, n operations over n/2 contexts.
type inputs struct {
	messages   []rig.Message
	operations []rig.Operation
	counts     map[string]int
}

// load creates the topics (4 partitions, the foreign table 3) and fills them. Contexts are all older than operations.
func load(ctx context.Context, b *rig.Broker, prefix string, n int) (*inputs, error) {
	half := n / 2
	in := &inputs{rig.Messages(n, 1), rig.Operations(n, half, 2), map[string]int{"messages": n, "contexts": half, "contexts_foreign": half, "operations": n}}
	for topic := range in.counts {
		partitions := int32(4)
		if topic == "contexts_foreign" {
			partitions = 3
		}
		if err := b.Create(ctx, prefix+topic, partitions); err != nil {
			return nil, err
		}
	}
	at := func(i int) time.Time { return rig.Base.Add(time.Duration(i/10) * time.Millisecond) }
	return in, errors.Join(
		b.Load(ctx, n, func(i int) rig.Record { return in.messages[i].Record(prefix+"messages", i) }),
		b.Load(ctx, half, func(i int) rig.Record {
			c := version(i)
			return c.Record(prefix+"contexts", at(i), c.Key())
		}),
		b.Load(ctx, half, func(i int) rig.Record {
			c := version(i)
			return c.Record(prefix+"contexts_foreign", at(i), c.Owner())
		}),
		b.Load(ctx, n, func(i int) rig.Record { return in.operations[i].Record(prefix+"operations", i, at(half+i)) }),
	)
}

// table collects what BenchmarkJobs measured.
var table strings.Builder

// BenchmarkJobs runs each job once as a process of its own against a real broker, and checks every row. run.sh starts the
// broker; STREAMSQL_BENCH_N is n.
func BenchmarkJobs(b *testing.B) {
	addr := os.Getenv("STREAMSQL_TEST_KAFKA")
	if addr == "" {
		b.Skip("STREAMSQL_TEST_KAFKA (host:port) is not set: run make bench, which starts a broker")
	}
	n, err := strconv.Atoi(os.Getenv("STREAMSQL_BENCH_N"))
	if err != nil || n < 1000 {
		n = 2_000_000
	}
	ctx := context.Background()
	broker, err := rig.Connect(addr)
	if err != nil {
		b.Fatal(err)
	}
	defer broker.Close()
	prefix := fmt.Sprintf("bench-%x-", time.Now().UnixNano()&0xffffff)
	in, err := load(ctx, broker, prefix, n)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		for t := range in.counts {
			_ = broker.Delete(ctx, prefix+t)
		}
	}()
	binary := build(b)
	// The first of all pays for the broker's start: its code is not compiled yet, its group and transaction topics not there.
	(&running{B: b, broker: broker, in: in, prefix: prefix, binary: binary}).run(ctx, jobs[0])
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "job\trecords/s\tCPU-s per M\tpeak MB\tseconds\trows\t")
	for _, j := range jobs[1:] {
		b.Run(strings.ReplaceAll(j.name, " ", "-"), func(b *testing.B) {
			r := &running{B: b, broker: broker, in: in, prefix: prefix, binary: binary}
			m := r.run(ctx, j)
			millions := float64(m.records) / 1e6
			fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%d\t%.1f\t%d\t\n", j.name, float64(m.records)/m.wall.Seconds(), m.cpu.Seconds()/millions, m.peak>>20, m.wall.Seconds(), m.rows)
			b.ReportMetric(0, "ns/op") // the wall clock includes checking
			b.ReportMetric(float64(m.records)/m.wall.Seconds(), "records/s")
			b.ReportMetric(m.cpu.Seconds()/millions, "CPU-s/M")
			b.ReportMetric(float64(m.peak>>20), "peak-MB")
			b.ReportMetric(float64(m.rows), "rows")
		})
	}
	w.Flush()
}

func build(b *testing.B) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "streamsql")
	cmd := exec.Command("go", "build", "-o", binary, "../../cmd/streamsql")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("building streamsql: %v\n%s", err, out)
	}
	return binary
}
