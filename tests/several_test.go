package tests

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/story"
)

const (
	twoTopics   = "CREATE STREAM b (k VARCHAR, v INT) WITH (topic='in-b', partitions=2);\nCREATE STREAM d (k VARCHAR, v INT) WITH (topic='in-d', partitions=1);\n"
	threeTopics = twoTopics + "CREATE STREAM a (k VARCHAR, v INT) WITH (topic='in-a', partitions=3);\n"
	byPattern   = "CREATE STREAM s (k VARCHAR, v INT) WITH (topic_pattern='in-.', idle_timeout='600s');\n"
	counting    = "CREATE STREAM o AS SELECT k, COUNT(*) AS n, SECOND(window_start) AS w FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;"
)

// TestTopicThatComes: a topic that matches a pattern is read from the next start on, from its beginning; what the query keeps stays where it is, and windows wait for the
// new topic as they do for a new partition.
func TestTopicThatComes(t *testing.T) {
	eachRegime(t, exec.Endless, twoTopics+byPattern+counting, func(b *bench) {
		b.write("in-b", 0, "x@1000", "y@2000", "tick@11000")
		b.write("in-b", 1, "x@1500", "tick@11000")
		b.write("in-d", 0, "y@1600", "x@12000")
		b.drain()
		b.rows("o", "x 2 0", "y 2 0")
		b.ddl = threeTopics + byPattern + counting
		b.again()
		b.drain()
		b.write("in-b", 0, "x@13000", "x@26000")
		b.write("in-b", 1, "x@26000")
		b.write("in-d", 0, "x@26000")
		b.drain()
		b.rows("o", "x 2 0", "y 2 0") // [10 s, 20 s) waits for the three partitions of in-a
		b.write("in-a", 2, "x@14000", "z@26000")
		b.write("in-a", 0, "z@26000")
		b.write("in-a", 1, "z@26000")
		b.drain()
		want := []string{"x 2 0", "y 2 0", "x 3 10", "tick 2 10"}
		b.rows("o", want...)
		b.again()
		for i, topic := range []string{"in-a", "in-a", "in-a", "in-b", "in-b", "in-d"} {
			b.write(topic, int32(i%3*(1-i/5)), "end@40000")
		}
		b.drain()
		b.rows("o", append(want, "x 3 20", "z 3 20")...)
		b.noneLost("s")
	})
}

// TestTopicThatComesWaiting: rows that wait for a table are told apart by where they came from; a topic that comes changes none of that.
func TestTopicThatComesWaiting(t *testing.T) {
	const table = "CREATE TABLE t (k VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=2);\n"
	const join = "CREATE STREAM o AS SELECT s.k, s.v, t.v AS w FROM s LEFT JOIN t WITHIN 1h ON s.k = t.k;"
	eachRegime(t, exec.Endless, twoTopics+table+byPattern+join, func(b *bench) {
		b.write("t", 0, "x@500")
		b.write("in-b", 0, "x@1000")
		b.write("in-d", 0, "x@1000")
		b.drain()
		b.rows("o") // they wait for the proof
		b.ddl = threeTopics + table + byPattern + join
		b.again()
		b.write("in-a", 0, "x@1000")
		b.drain()
		b.write("t", 0, "x@7200000")
		b.write("t", 1, "y@7200000")
		b.drain()
		b.rows("o", "x 1000 500", "x 1000 500", "x 1000 500")
		b.noneLost("s")
	})
}

// TestTopicThatGoes: without one of its topics a query does not go on, unless it may lose records.
func TestTopicThatGoes(t *testing.T) {
	eachRegime(t, exec.Endless, threeTopics+byPattern+counting, func(b *bench) {
		b.write("in-a", 0, "x@1000")
		b.write("in-b", 0, "x@1000")
		b.drain()
		b.must(b.Cluster().Delete(b.ctx, "in-a"))
		b.ddl = twoTopics + byPattern + counting
		b.again()
		b.fails("topic in-a was read when the query began, and is not among its sources now")
		b.ddl = strings.Replace(b.ddl, "idle_timeout", "on_data_loss='continue', idle_timeout", 1)
		b.again()
		b.write("in-b", 0, "end@40000")
		b.write("in-b", 1, "end@40000")
		b.write("in-d", 0, "end@40000")
		b.drain()
		b.rows("o", "x 2 0")
	})
}

// betweenRuns runs a test of bounded runs without kills: a process that comes back begins the next run, and the test could not say which one a
// record is in.
func betweenRuns(t *testing.T, ddl string, f func(b *bench)) {
	for _, name := range []string{"plain", "local", "instances-2", "instances-3", "aborts", "stalls", "poll-1"} {
		g, err := story.Named(name, seed(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			b := newBench(t, g[0], exec.UntilEnd, ddl)
			b.T = t
			f(b)
		})
	}
}

// TestTopicThatComesBounded: the next run reads it.
func TestTopicThatComesBounded(t *testing.T) {
	betweenRuns(t, twoTopics+byPattern+counting, func(b *bench) {
		b.write("in-b", 0, "x@1000")
		b.drain()
		b.rows("o", "x 1 0")
		b.ddl = threeTopics + byPattern + counting
		b.again()
		b.write("in-a", 2, "y@12000")
		b.write("in-d", 0, "y@13000")
		b.drain()
		b.rows("o", "x 1 0", "y 2 10")
		b.noneLost("s")
	})
}

// TestListedTopicsChange: the same for a list.
func TestListedTopicsChange(t *testing.T) {
	const list = "CREATE STREAM s (k VARCHAR, v INT) WITH (topics='in-d, in-b', idle_timeout='600s');\n"
	betweenRuns(t, threeTopics+list+counting, func(b *bench) {
		b.write("in-b", 0, "x@1000")
		b.write("in-a", 0, "x@12000")
		b.drain()
		b.rows("o", "x 1 0")
		b.ddl = threeTopics + strings.Replace(list, "in-d, in-b", "in-a, in-b, in-d", 1) + counting
		b.again()
		b.drain()
		b.rows("o", "x 1 0", "x 1 10")
	})
}
