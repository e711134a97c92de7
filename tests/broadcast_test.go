package tests

import (
	"testing"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/story"
)

// TestBroadcastCountsOnce: all tasks of a broadcast join meet each row of the table; what is to be said of it is said once.
func TestBroadcastCountsOnce(t *testing.T) {
	for _, name := range []string{"plain", "local"} {
		regimes, err := story.Named(name, seed(t))
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t, regimes[0], exec.Endless, `CREATE STREAM s (id INT, v INT) WITH (topic='s', partitions=4);
CREATE TABLE t (name VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=2);
CREATE STREAM o AS SELECT s.id, t.name FROM s JOIN t BROADCAST ON s.v > t.v;
INSERT INTO t (name, v, _partition, _timestamp) VALUES ('a', 1, 0, 100000), ('b', 1, 0, 200000), ('a', 2, 0, 90000);
INSERT INTO s (id, v, _partition, _timestamp) VALUES (1, 5, 2, 150000);`)
		b.drain()
		if s := b.Stats(0); s.LateTable != 1 || s.OldRow != 1 {
			t.Errorf("%s: of one row that is late and older than the newest of its key: %d and %d", name, s.LateTable, s.OldRow)
		}
	}
}
