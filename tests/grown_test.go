package tests

import (
	"testing"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/story"
)

const countDDL = `CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2, idle_timeout='600s');
CREATE STREAM o AS SELECT k, COUNT(*) AS n, SECOND(window_start) AS w FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;`

// TestGrownSource: when a source gets another partition the query stops; started again it goes on with its state, and the new
// upstream task begins at −∞: windows stay open until it has told its time (semantics S8).
func TestGrownSource(t *testing.T) {
	for _, g := range story.Regimes(seed(t)) {
		if g.Factor > 1 {
			continue // names partitions
		}
		t.Run(g.Name, func(t *testing.T) {
			b := newBench(t, g, exec.Endless, countDDL)
			b.write("s", 0, "a@1000", "b@3000", "tick@11000")
			b.write("s", 1, "a@2000", "tick@11000")
			b.drain()
			b.rows("o", "a 2 0", "b 1 0")
			b.Cluster().Grow("s", 3)
			b.fails("topic s has 3 partitions", "start")

			b.again()
			b.write("s", 0, "a@12000", "a@26000")
			b.write("s", 1, "a@13000", "x@26000")
			b.drain()
			b.rows("o", "a 2 0", "b 1 0") // [10 s, 20 s) waits for partition 2
			b.write("s", 2, "a@14000", "b@15000")
			b.drain()
			b.rows("o", "a 2 0", "b 1 0")
			b.write("s", 2, "a@26000")
			b.drain()
			b.rows("o", "a 2 0", "b 1 0", "a 3 10", "b 1 10", "tick 2 10")

			b.again()
			b.write("s", 1, "b@27000", "b@30000")
			b.write("s", 2, "b@30000")
			b.write("s", 0, "b@30000")
			b.drain()
			b.rows("o", "a 2 0", "b 1 0", "a 3 10", "b 1 10", "tick 2 10", "a 2 20", "x 1 20", "b 1 20")
			b.noneLost("s")
		})
	}
}

// TestGrownSourceBounded: the next run reads the new partition from its beginning.
func TestGrownSourceBounded(t *testing.T) {
	for _, name := range []string{"plain", "local", "instances-2", "instances-3", "everything"} {
		g, err := story.Named(name, seed(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			b := newBench(t, g[0], exec.UntilEnd, countDDL)
			b.write("s", 0, "a@1000")
			b.drain()
			b.rows("o", "a 1 0")
			b.Cluster().Grow("s", 4)
			b.write("s", 3, "a@12000", "b@13000")
			b.write("s", 0, "a@14000")
			for range 2 { // one that was killed at the end of the first run may have begun another, of what was there then
				b.again()
				b.drain()
			}
			b.rows("o", "a 1 0", "a 2 10", "b 1 10")
			b.noneLost("s")
		})
	}
}

// TestNextRunBesideTheLast: an instance that is started again finds its bounded run complete and begins the next, while another one has
// not found that out yet. Rows of the next run are not for tasks that have finished the last (semantics S8).
func TestNextRunBesideTheLast(t *testing.T) {
	for s := seed(t); s < seed(t)+20; s++ {
		b := newBench(t, story.Regime{Seed: s, Instances: 2}, exec.UntilEnd, countDDL)
		b.write("s", 0, "a@1000")
		b.write("s", 1, "a@2000")
		b.must(b.Pass(b.ctx, 0, 30)) // all tasks finish; to look whether all have takes time
		b.write("s", 0, "a@12000")
		b.write("s", 1, "b@13000")
		b.CrashOne(int(s % 2))
		b.must(b.Pass(b.ctx, 0, 30))
		b.drain()
		b.again()
		b.drain()
		b.rows("o", "a 2 0", "a 1 10", "b 1 10")
		b.noneLost("s")
	}
}

// TestGrownSourceRefused: state by the source's own partitions would be elsewhere, and the changes of a table by its Kafka key
// would lie in two partitions.
func TestGrownSourceRefused(t *testing.T) {
	for name, ddl := range map[string]string{
		"grouped in place": "CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2, key='k');\nCREATE TABLE o AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;",
		"one partition":    "CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=1);\nCREATE TABLE o AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;",
		"joined in place": "CREATE STREAM r (k VARCHAR, v INT) WITH (topic='r', partitions=2);\nCREATE TABLE s (k VARCHAR PRIMARY KEY, v INT) WITH (topic='s', partitions=2, key='k');\n" +
			"CREATE STREAM o AS SELECT r.k, s.v FROM r JOIN s ON r.k = s.k;",
		"a table of a table": "CREATE TABLE s (k VARCHAR PRIMARY KEY, v INT) WITH (topic='s', partitions=2, key='k');\nCREATE TABLE o AS SELECT k, v FROM s WHERE v > 0;",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, story.Plain(), exec.Endless, ddl)
			b.write("s", 0, "a@1000")
			b.drain()
			b.Cluster().Grow("s", 3)
			b.fails("topic s has 3 partitions")
			b.again()
			b.fails("partitions", "new name")
		})
	}
}
