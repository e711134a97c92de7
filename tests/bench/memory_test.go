package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"text/tabwriter"
)

// manyKeys are queries whose state has an entry for each of ${n} rows.
var manyKeys = []struct{ name, query string }{
	{"GROUP BY", `CREATE TABLE o AS SELECT id, COUNT(*) AS n, SUM(v) AS s FROM m GROUP BY id;`},
	{"DISTINCT", `CREATE STREAM o AS SELECT DISTINCT window_start, id FROM m WINDOW TUMBLING(24 HOURS);`},
}

const madeUp = `CREATE STREAM m (id BIGINT, v BIGINT, ts TIMESTAMP) WITH (connector = 'generate', timestamp = 'ts', generate.rows = ${n},
  generate.id = 'sequence', generate.v = 'uniform(0,100)', generate.start = '2026-01-01T00:00:00Z', generate.interval = '1ms');
`

// BenchmarkMemory prints the curves of operations.md: what a row costs and what memory takes as the number of keys grows up to
// STREAMSQL_BENCH_N (1,000,000), for two budgets. Each is a process with its broker inside, which makes up the rows and keeps its
// topics on disk.
func BenchmarkMemory(b *testing.B) {
	most, err := strconv.Atoi(os.Getenv("STREAMSQL_BENCH_N"))
	if err != nil {
		most = 1_000_000
	}
	r := &running{B: b, binary: build(b)}
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "keys\tbudget\trows/s\tCPU-s per M\tpeak MB\t\n")
	for _, q := range manyKeys {
		for _, budget := range []string{"64MB", "256MB"} {
			for _, n := range []int{100_000, 300_000, 1_000_000, 3_000_000, 10_000_000} {
				if n > most {
					continue
				}
				b.Run(fmt.Sprintf("%s/%s/keys=%d", q.name, budget, n), func(b *testing.B) {
					one := *r
					one.B = b
					m := one.alone(madeUp+q.query, n, budget)
					perSecond, cpu := float64(n)/m.wall.Seconds(), m.cpu.Seconds()/float64(n)*1e6
					fmt.Fprintf(w, "%s %d\t%s\t%.0f\t%.2f\t%d\t\n", q.name, n, budget, perSecond, cpu, m.peak>>20)
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(perSecond, "rows/s")
					b.ReportMetric(cpu, "CPU-s/M")
					b.ReportMetric(float64(m.peak>>20), "peak-MB")
				})
			}
		}
	}
	w.Flush()
}

// alone runs a script of n rows in a process that needs no broker.
func (r *running) alone(text string, n int, budget string) measured {
	r.Helper()
	dir := r.TempDir()
	file := filepath.Join(dir, "job.sql")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
	cmd := exec.Command(r.binary, "run", "--until", "end", "--memory", budget, "--state-dir", filepath.Join(dir, "state"), "--data-dir", filepath.Join(dir, "data"),
		"-D", fmt.Sprint("n=", n), file)
	return r.measure(cmd)
}
