package tests

import (
	"fmt"
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/story"
)

// lossy is the DDL of one source and a query over it; the query with a state keeps its positions there, the one without in
// the group's offsets.
func lossy(onLoss, query string) string {
	return fmt.Sprintf("CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=1, on_data_loss='%s');\n%s;", onLoss, query)
}

var lossyQueries = map[string]string{
	"rows":  "CREATE STREAM o AS SELECT k FROM s",
	"state": "CREATE STREAM o AS SELECT DISTINCT ON (k, v) k FROM s WINDOW TUMBLING(1h)",
}

func sequence(prefix string, from, to int) (rows, values []string) {
	for i := from; i < to; i++ {
		rows = append(rows, fmt.Sprintf("%s%d@%d", prefix, i, 1000+i))
		values = append(values, fmt.Sprintf("%s%d", prefix, i))
	}
	return rows, values
}

// recreate deletes the topic of a source and creates it again with so many rows.
func (b *bench) recreate(rows []string) {
	b.Helper()
	b.must(b.Cluster().Delete(b.ctx, "s"))
	b.must(b.Cluster().Create(b.ctx, connectors.TopicSpec{Name: "s", Partitions: 1}))
	b.write("s", 0, rows...)
}

// TestRecreatedTopic: a topic that was deleted and created again while the query did not run. Its new rows are
// all read when that is asked for, also where more of them are there than had been read of the old topic; else the query
// says so. Never silence.
func TestRecreatedTopic(t *testing.T) {
	old, oldValues := sequence("old", 0, 10)
	for name, query := range lossyQueries {
		for _, n := range []int{3, 12} {
			fresh, values := sequence("new", 0, n)
			t.Run(fmt.Sprintf("%s, %d rows", name, n), func(t *testing.T) {
				b := newBench(t, story.Plain(), exec.Endless, lossy("continue", query))
				b.write("s", 0, old...)
				b.drain()
				b.rows("o", oldValues...)
				b.recreate(fresh)
				b.again()
				b.drain()
				b.rows("o", append(append([]string{}, oldValues...), values...)...)
				b.again() // and is not read twice
				b.Touch()
				b.drain()
				b.rows("o", append(append([]string{}, oldValues...), values...)...)
				b.noneLost("s")
			})
			t.Run(fmt.Sprintf("%s, %d rows, fail", name, n), func(t *testing.T) {
				b := newBench(t, story.Plain(), exec.Endless, lossy("fail", query))
				b.write("s", 0, old...)
				b.drain()
				b.recreate(fresh)
				b.again()
				b.fails("topic s was deleted and created again", "new name", "on_data_loss")
				b.rows("o", oldValues...)
			})
		}
	}
}

// TestRecreatedTopicUnderway: the same under a running query.
func TestRecreatedTopicUnderway(t *testing.T) {
	old, oldValues := sequence("old", 0, 10)
	fresh, values := sequence("new", 0, 12)
	for name, query := range lossyQueries {
		for _, onLoss := range []string{"continue", "fail"} {
			t.Run(name+", "+onLoss, func(t *testing.T) {
				b := newBench(t, story.Plain(), exec.Endless, lossy(onLoss, query))
				b.write("s", 0, old...)
				b.drain()
				b.recreate(fresh)
				b.fails("topic s was deleted and created again")
				b.again()
				if onLoss == "fail" {
					b.fails("topic s was deleted and created again", "on_data_loss")
					return
				}
				b.drain()
				seen := map[string]bool{}
				rows, err := b.Rows("o")
				b.must(err)
				for _, r := range rows {
					seen[r.Values[0].Text()] = true
				}
				for _, v := range append(append([]string{}, oldValues...), values...) {
					if !seen[v] {
						t.Errorf("%s is missing", v)
					}
				}
			})
		}
	}
}

// TestTruncatedTopic: records 5 to 7 are gone before they were read.
func TestTruncatedTopic(t *testing.T) {
	first, firstValues := sequence("r", 0, 5)
	rest, _ := sequence("r", 5, 12)
	_, kept := sequence("r", 8, 12)
	p := connectors.Partition{Topic: "s", Partition: 0}
	for name, query := range lossyQueries {
		for _, restart := range []bool{false, true} {
			truncate := func(t *testing.T, onLoss string) *bench {
				b := newBench(t, story.Plain(), exec.Endless, lossy(onLoss, query))
				b.write("s", 0, first...)
				b.drain()
				b.rows("o", firstValues...)
				b.write("s", 0, rest...)
				b.must(b.Cluster().DeleteBefore(b.ctx, map[connectors.Partition]int64{p: 8}))
				if restart {
					b.again()
				}
				return b
			}
			t.Run(fmt.Sprintf("%s, restart %v, continue", name, restart), func(t *testing.T) {
				b := truncate(t, "continue")
				b.drain()
				b.rows("o", append(append([]string{}, firstValues...), kept...)...)
				if lost := b.Stats(0).Lost; lost != 3 {
					t.Errorf("%d records counted as lost, want 3", lost)
				}
			})
			t.Run(fmt.Sprintf("%s, restart %v, fail", name, restart), func(t *testing.T) {
				b := truncate(t, "fail")
				b.fails("offset 5 of topic s partition 0 is gone", "[8, 12)", "on_data_loss='continue'")
				b.rows("o", firstValues...)
			})
		}
	}
}
