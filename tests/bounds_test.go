package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/story"
)

// spanned is a source of two partitions with records in it, read between two places.
func spanned(b *bench, options string) {
	b.Helper()
	b.write("s", 0, "a@1000", "b@2000", "c@3000", "d@4000")
	b.write("s", 1, "e@1500", "f@2500")
	b.ddl = "CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2" + options + ");\nCREATE STREAM o AS SELECT k FROM s;"
	b.again()
}

const bareSource = "CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2);"

// eachRegime runs a test under every regime that leaves partitions as they are named.
func eachRegime(t *testing.T, until exec.Until, ddl string, f func(b *bench)) {
	for _, g := range story.Regimes(seed(t)) {
		if g.Factor <= 1 {
			t.Run(g.Name, func(t *testing.T) {
				b := newBench(t, g, until, ddl)
				b.T = t
				f(b)
			})
		}
	}
}

// TestStartAndEnd: offsets, instants, counts back; what is written later is beyond an end and not beyond a start.
func TestStartAndEnd(t *testing.T) {
	for _, c := range []struct{ options, want string }{
		{"", "a b c d e f g"},
		{", start='latest'", "g"},
		{", start='offset:1'", "b c d f g"},
		{", start='offset:0=2,1=0', end='offset:0=3,1=1'", "c e"},
		{", start='offset:4', on_data_loss='continue', end='offset:9'", "!s/1 ends at offset 2, before 4"},
		{", start='offset:0=4,1=2', end='offset:5'", "g"},
		{", start='1970-01-01T00:00:02Z', end='4000'", "b c f"},
		{", start='1970-01-01 00:00:02.0005'", "c d f g"},
		{", start='-1'", "d f g"},
		{", end='-1'", "a b c e"},
		{", start='-3', end='-2'", "b"},
		{", end='latest'", "a b c d e f"},
		{", start='-22000d'", "a b c d e f g"},
		{", start='-1h'", "g"},
		{", end='-1h'", "a b c d e f"},
		{", start='offset:3', end='-3'", "!s/1 ends at offset 2, before 3"},
		{", start='offset:0=0'", "!no offset is said for s/1"},
		{", start='offset:0=0,1=0,2=0'", "!there is no 2"},
		{", end='2030-01-02'", "!'2030-01-02' is still to come"},
		{", start='group:nobody'", "!consumer group nobody has committed nothing of topic s"},
	} {
		t.Run(c.options, func(t *testing.T) {
			eachRegime(t, exec.Endless, bareSource, func(b *bench) {
				spanned(b, c.options)
				if says, fails := strings.CutPrefix(c.want, "!"); fails {
					b.fails(says)
					return
				}
				b.drain()
				at := b.Now().UnixMilli()
				b.write("s", 0, fmt.Sprintf("g@%d", at))
				b.drain()
				b.rows("o", strings.Fields(c.want)...)
				b.again() // where it was, not where the options would lead now
				b.drain()
				b.rows("o", strings.Fields(c.want)...)
			})
		})
	}
}

// TestStartOfGroup: a query goes on where another consumer group stands.
func TestStartOfGroup(t *testing.T) {
	eachRegime(t, exec.Endless, bareSource, func(b *bench) {
		spanned(b, "")
		b.drain()
		group := b.Group("o")
		b.write("s", 1, "g@5000")
		b.ddl = "CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2, start='group:" + group + "');\nCREATE STREAM p AS SELECT k FROM s;"
		b.again()
		b.drain()
		b.rows("p", "g")
	})
}

// TestEndCloses: where all sources end the query does: its last windows close, and there is nothing more to do when it is started
// again.
func TestEndCloses(t *testing.T) {
	eachRegime(t, exec.Endless, bareSource, func(b *bench) {
		b.write("s", 0, "a@1000", "b@2000", "a@13000")
		b.write("s", 1, "a@1500")
		b.ddl = "CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2, end='offset:0=4,1=1');\n" +
			"CREATE STREAM o AS SELECT k, COUNT(*) AS n, SECOND(window_start) AS w FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;"
		b.again()
		b.drain()
		b.rows("o", "a 2 0", "b 1 0") // partition 1 has ended and holds nothing up, partition 0 has one more to come
		b.write("s", 0, "b@14000", "b@15000")
		b.write("s", 1, "a@15000")
		b.drain()
		want := []string{"a 2 0", "b 1 0", "a 1 10", "b 1 10"}
		b.rows("o", want...)
		b.noneLost("s")
		if !b.Over(0) {
			b.Errorf("the query goes on\n%s", b.Status())
		}
		b.again()
		b.drain()
		b.rows("o", want...)
		if !b.Over(0) {
			b.Errorf("the query goes on when it is started again\n%s", b.Status())
		}
	})
}

// TestEndOfOne: a stream ends for good, the table beside it does not; windows behind the join close all the same. The other way round, a
// table that has ended holds no row back.
func TestEndOfOne(t *testing.T) {
	const tables = bareSource + "\nCREATE TABLE t (k VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=2);\n"
	const query = "CREATE STREAM o AS SELECT s.k, MAX(t.v) AS v, COUNT(*) AS n FROM s JOIN t WITHIN 1s ON s.k = t.k WINDOW TUMBLING(10s) GROUP BY s.k EMIT FINAL;"
	eachRegime(t, exec.Endless, tables, func(b *bench) {
		b.write("t", 0, "a@500", "b@600")
		b.write("s", 0, "a@1000", "b@2000")
		b.write("s", 1, "a@1500")
		b.ddl = strings.Replace(tables, "partitions=2)", "partitions=2, end='latest')", 1) + query
		b.again()
		b.drain()
		b.wait(3e9) // the proof for the table
		b.rows("o", "a 500 2", "b 600 1")
		b.write("s", 0, "a@3000")
		b.drain()
		b.rows("o", "a 500 2", "b 600 1")
		b.again()
		b.drain()
		b.wait(3e9)
		b.rows("o", "a 500 2", "b 600 1")
		b.noneLost("s")
		if b.Over(0) {
			b.Error("the query has ended, the table has not")
		}
	})
	eachRegime(t, exec.Endless, tables, func(b *bench) {
		b.write("t", 0, "a@500")
		b.ddl = strings.Replace(tables, "topic='t', partitions=2)", "topic='t', partitions=2, end='latest')", 1) +
			"CREATE STREAM o AS SELECT s.k, t.v FROM s JOIN t WITHIN 1h ON s.k = t.k;"
		b.again()
		b.drain()
		b.write("t", 0, "a@900")
		b.write("s", 1, "a@1500")
		b.drain() // without a proof an hour later
		b.rows("o", "a 500")
		b.noneLost("s")
	})
}

// TestEndInARun: of the end of a bounded run and the one a source declares the first counts; a later run goes on to the other.
func TestEndInARun(t *testing.T) {
	for _, until := range []exec.Until{exec.UntilEnd, exec.UntilCaughtUp} {
		eachRegime(t, until, bareSource, func(b *bench) {
			spanned(b, ", end='offset:0=5,1=1'")
			b.drain()
			b.rows("o", "a", "b", "c", "d", "e")
			b.write("s", 0, "g@5000", "h@6000")
			b.again()
			b.drain()
			b.rows("o", "a", "b", "c", "d", "e", "g")
			b.again()
			b.drain()
			b.rows("o", "a", "b", "c", "d", "e", "g")
		})
	}
}

// TestCorrectedInTheNextRun: the end of a bounded run is no end of the table: what the next run reads of it corrects what this one joined.
func TestCorrectedInTheNextRun(t *testing.T) {
	const ddl = bareSource + "\nCREATE TABLE t (k VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=2);\n" +
		"CREATE TABLE o AS SELECT COALESCE(t.v, 0) AS v, COUNT(*) AS n FROM s LEFT JOIN t WITHIN 1s CORRECT 20s ON s.k = t.k GROUP BY COALESCE(t.v, 0);"
	eachRegime(t, exec.UntilEnd, ddl, func(b *bench) {
		b.write("s", 0, "a@5000", "b@5000")
		b.write("s", 1, "a@6000", "a@8000")
		b.write("t", 0, "a@7000", "c@10000")
		b.write("t", 1, "c@10000")
		b.drain()
		b.stands("o", "0 3", "7000 1")
		b.write("t", 0, "a@5500")
		b.write("t", 1, "b@4000")
		for range 2 { // where an instance was killed, the first run may have an end to come
			b.again()
			b.drain()
		}
		b.stands("o", "0 1", "4000 1", "5500 1", "7000 1")
	})
}

// TestOtherEnd: the end is a part of what a query is; so is that two relations over one topic end at one place.
func TestOtherEnd(t *testing.T) {
	g, err := story.Named("plain", seed(t))
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, g[0], exec.Endless, bareSource)
	spanned(b, ", end='offset:1'")
	b.drain()
	b.ddl = strings.Replace(b.ddl, "offset:1", "offset:2", 1)
	b.again()
	b.fails("from 'earliest' to 'offset:1' when the query began", "to 'offset:2' now")

	b = newBench(t, g[0], exec.Endless, bareSource+"\nCREATE TABLE t (k VARCHAR PRIMARY KEY, v INT) WITH (topic='s', end='latest');\n"+
		"CREATE STREAM o AS SELECT s.k, t.v FROM s JOIN t ON s.k = t.k;")
	b.fails("two relations over topic s", "declare the same start and end")
}
