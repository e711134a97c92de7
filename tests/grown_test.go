package tests

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/story"
)

// bench is a lab with what most tests need around it.
type bench struct {
	*testing.T
	*story.Lab
	ctx context.Context
	ddl string
}

func newBench(t *testing.T, g story.Regime, until exec.Until, ddl string) *bench {
	t.Helper()
	b := &bench{t, story.NewLab(g, until), context.Background(), ddl}
	t.Cleanup(b.Lab.Close)
	b.must(b.Exec(b.ctx, ddl))
	return b
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("%v\n%s", err, b.Status())
	}
}

// write appends records {"k": key} to a partition; rows are written "key@milliseconds".
func (b *bench) write(topic string, partition int32, rows ...string) {
	b.Helper()
	for _, r := range rows {
		var ms int64
		k, at, _ := strings.Cut(r, "@")
		_, err := fmt.Sscan(at, &ms)
		b.must(err)
		_, err = b.Cluster().Write(b.ctx, connectors.Record{
			Topic: topic, Partition: partition, Timestamp: ms, Key: []byte(k), Value: fmt.Appendf(nil, `{"k":%q,"v":%d}`, k, ms),
		})
		b.must(err)
	}
	b.Touch()
}

// drain lets everything go through.
func (b *bench) drain() {
	b.Helper()
	b.must(b.Drain(b.ctx))
}

// wait lets wall clock pass.
func (b *bench) wait(d time.Duration) {
	b.Helper()
	b.must(b.Advance(b.ctx, d, 250*time.Millisecond))
}

// fails drains and waits until the query ends with an error that says all of parts.
func (b *bench) fails(parts ...string) {
	b.Helper()
	b.Touch()
	err := b.Drain(b.ctx)
	for range 60 {
		if err == nil {
			err = b.Advance(b.ctx, time.Second, 250*time.Millisecond)
		}
	}
	if err == nil {
		b.Fatalf("no error, want one with %q\n%s", parts, b.Status())
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			b.Errorf("the error does not say %q: %v", p, err)
		}
	}
}

// again starts the program anew.
func (b *bench) again() {
	b.Helper()
	b.must(b.Again(b.ctx, b.ddl))
}

// rows compares the rows of a target, in any order, written as their values with blanks between them.
func (b *bench) rows(target string, want ...string) {
	b.Helper()
	rows, err := b.Rows(target)
	b.must(err)
	got := []string{}
	for _, r := range rows {
		var s []string
		for _, v := range r.Values {
			s = append(s, v.Text())
		}
		got = append(got, strings.Join(s, " "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		b.Fatalf("%s has %q\nwant %q\n%s", target, got, want, b.Status())
	}
}

// noneLost fails the test when rows were late, bad, or behind an idle partition.
func (b *bench) noneLost(source string) {
	b.Helper()
	if b.Late(source)+b.Bad(source)+b.Idle() > 0 {
		b.Errorf("rows of %s were left out: %d late, %d bad, %d after idle", source, b.Late(source), b.Bad(source), b.Idle())
	}
}

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
	for _, name := range []string{"plain", "local", "instances-2"} {
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
			b.again()
			b.drain()
			b.rows("o", "a 1 0", "a 2 10", "b 1 10")
			b.noneLost("s")
		})
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
