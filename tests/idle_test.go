package tests

import (
	"fmt"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/sim"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/story"
)

// TestIdleOverRestart: IDLE that was found before a restart does not count after it. A backlog of 48 s was written meanwhile;
// whatever order its partitions are read in, none of its rows counts as one of an idle partition (semantics S2: of older
// generations).
func TestIdleOverRestart(t *testing.T) {
	const partitions = 4
	ddl := `CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=4);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, TIMESTAMPDIFF(SECOND, '1970-01-01', window_start) AS w FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;`
	for _, g := range story.Regimes(seed(t)) {
		if g.Factor > 1 {
			continue // names partitions
		}
		for _, how := range []string{"restart", "crash"} {
			t.Run(g.Name+", "+how, func(t *testing.T) {
				b := newBench(t, g, exec.Endless, ddl)
				for p := range int32(partitions) {
					b.write("s", p, fmt.Sprintf("k%d@%d", p%2, 90_000+1000*p))
				}
				b.drain()
				b.Calm() // idle timers begin anew after faults
				b.wait(15 * time.Second)
				b.rows("o") // all idle, time stands at 93 s: [90 s, 100 s) is open
				if how == "restart" {
					b.again()
				} else {
					b.Crash()
				}
				counts := map[string]int{"k0 90": 2, "k1 90": 2}
				for p := range int32(partitions) {
					for ms := 95_000; ms <= 143_000; ms += 500 {
						k := fmt.Sprintf("k%d", ms/500%2)
						b.write("s", p, fmt.Sprintf("%s@%d", k, ms))
						counts[fmt.Sprintf("%s %d", k, ms/10_000*10)]++
					}
				}
				b.drain()
				var want []string
				for w := 90; w < 140; w += 10 {
					for _, k := range []string{"k0", "k1"} {
						want = append(want, fmt.Sprintf("%s %d %d", k, counts[fmt.Sprintf("%s %d", k, w)], w))
					}
				}
				b.rows("o", want...)
				b.noneLost("s")
			})
		}
	}
}

// TestIdleOfOlderGenerations: after a restart of two instances one has read all its partitions before the other has said
// anything. IDLE that the other said in the generation before does not count (semantics S2).
func TestIdleOfOlderGenerations(t *testing.T) {
	ddl := `CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;`
	for n := range int64(100) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			b := newBench(t, story.Regime{Name: "two", Seed: seed(t) + n, Instances: 2, Schedule: sim.Schedule{Scatter: 1}}, exec.Endless, ddl)
			b.write("s", 0, "a@1000", "b@1000")
			b.write("s", 1, "a@1000")
			b.drain()
			b.wait(15 * time.Second)
			b.rows("o")
			b.again()
			b.must(b.Pass(b.ctx, 0, 1))
			b.Hold(1, 100)
			b.write("s", 0, "a@5000", "a@48000")
			b.write("s", 1, "a@4000", "a@48000")
			b.drain()
			b.rows("o", "a 4", "b 1")
			b.noneLost("s")
		})
	}
}

const gapDDL = `CREATE TABLE t (k VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=2, idle_timeout='600s');
CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2, idle_timeout='600s');
CREATE STREAM o AS SELECT s.k, s.v, t.v AS tv FROM s JOIN t ON s.k = t.k;`

// TestCompactionGap: the end of a table's topic lies behind offsets that nobody will ever be sent. The proof that the table is
// caught up passes them (semantics S5: a position that is stuck for 500 ms is looked at), so a stream row waits about as long
// as ever; it does not wait for the idle time-out.
func TestCompactionGap(t *testing.T) {
	for _, g := range story.Regimes(seed(t)) {
		if g.Factor > 1 {
			continue // names partitions
		}
		t.Run(g.Name, func(t *testing.T) {
			b := newBench(t, g, exec.Endless, gapDDL)
			b.write("t", 0, "a@1000", "b@1000")
			b.write("t", 1, "c@1000")
			b.write("s", 0, "a@500")
			b.drain()
			b.Calm()
			b.wait(3 * time.Second)
			b.rows("o")
			for round := range 3 {
				txn := b.Cluster().Begin()
				for p := range int32(2) {
					b.must(txn.Append(connectors.Record{Topic: "t", Partition: p, Timestamp: 1500, Value: []byte(`{"k":"a","v":7}`)}))
				}
				txn.Abort()
				b.Cluster().Compact("t")
				b.write("s", int32(round%2), fmt.Sprintf("a@%d", 2000+round), fmt.Sprintf("c@%d", 2000+round))
				b.wait(4 * time.Second)
				var want []string
				for r := range round + 1 {
					want = append(want, fmt.Sprintf("a %d 1000", 2000+r), fmt.Sprintf("c %d 1000", 2000+r))
				}
				b.rows("o", want...)
			}
			b.noneLost("s")
		})
	}
}

// TestCompactionGapBounded: the stored end of a run lies behind such a gap.
func TestCompactionGapBounded(t *testing.T) {
	for _, name := range []string{"plain", "poll-1", "instances-2", "local"} {
		g, err := story.Named(name, seed(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			b := newBench(t, g[0], exec.UntilEnd, gapDDL)
			b.write("t", 0, "a@1000", "a@1500")
			txn := b.Cluster().Begin()
			b.must(txn.Append(connectors.Record{Topic: "t", Partition: 0, Timestamp: 1600, Value: []byte(`{"k":"a","v":7}`)}))
			txn.Abort()
			b.Cluster().Compact("t") // keeps the last record, which has no key
			b.write("s", 1, "a@1700")
			b.drain()
			b.rows("o", "a 1700 1500")
		})
	}
}

// TestLatestWaitsForLoad: what is in the table at a start is loaded before the first row is joined AS OF LATEST, whatever is
// read first.
func TestLatestWaitsForLoad(t *testing.T) {
	ddl := `CREATE TABLE t (k VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=2);
CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT s.k, s.v, t.v AS tv FROM s LEFT JOIN t AS OF LATEST ON s.k = t.k;`
	for _, g := range story.Regimes(seed(t)) {
		if g.Factor > 1 {
			continue // names partitions
		}
		t.Run(g.Name, func(t *testing.T) {
			b := newBench(t, g, exec.Endless, ddl)
			for i := range 20 {
				b.write("t", 0, fmt.Sprintf("a@%d", 1000+i))
				b.write("t", 1, fmt.Sprintf("b@%d", 2000+i))
			}
			b.write("s", 0, "a@10", "b@20")
			b.write("s", 1, "a@30", "none@40")
			b.drain()
			b.rows("o", "a 10 1019", "b 20 2019", "a 30 1019", "none 40 NULL")
		})
	}
}
