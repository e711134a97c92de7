package planner_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/planner/plan"
)

// begun is the cluster as a query leaves it at its first start: its sources, its repartition topics and changelogs.
func begun(q *plan.Query, sources counts) counts {
	out := counts{}
	for t, n := range sources {
		out[t] = n
	}
	for _, t := range q.Internal("app") {
		out[t.Name] = int(t.Partitions)
	}
	return out
}

// TestGrownSource: a source that only feeds shuffles may grow. The shuffles keep the partitions they were made with, so that
// state stays where it is, and the fingerprint does not change; only the task count of the source's own fragment does
// (semantics S8). The same with local shuffles, which leave nothing but changelogs in the cluster.
func TestGrownSource(t *testing.T) {
	for _, c := range []struct {
		sql         string
		was, is     counts
		shuffles    string // names and counts, before and after
		tasksBefore string // of the fragments
		tasksAfter  string
	}{
		{"CREATE STREAM x AS SELECT DISTINCT ON (id) * FROM s WINDOW TUMBLING(1s)", counts{"s": 2}, counts{"s": 3}, "distinct=2", "2 2", "3 2"},
		{"CREATE TABLE x AS SELECT id, COUNT(*) AS c FROM s GROUP BY id", counts{"s": 4}, counts{"s": 9}, "aggregate=4", "4 4", "9 4"},
		{"CREATE TABLE x AS SELECT COUNT(*) AS c FROM s", counts{"s": 2}, counts{"s": 3}, "aggregate=1", "2 1", "3 1"},
		{"CREATE STREAM x AS SELECT s.id, t.v FROM s JOIN t ON s.id = t.id", counts{"s": 2, "t": 5}, counts{"s": 7, "t": 5}, "join-stream=5 join-table=5", "2 5 5", "7 5 5"},
		{"CREATE STREAM x AS SELECT s.id, t.v FROM s JOIN t ON s.id = t.id", counts{"s": 2, "t": 5}, counts{"s": 2, "t": 6}, "join-stream=5 join-table=5", "2 5 5", "2 6 5"},
		{"CREATE STREAM x AS SELECT s.id, t.v FROM s JOIN t ON s.id = t.id", counts{"s": 2, "t": 1}, counts{"s": 3, "t": 4}, "join-stream=2 join-table=2", "2 1 2", "3 4 2"},
		{"CREATE STREAM x AS SELECT s.id, k.v FROM s JOIN k ON s.id = k.id", counts{"s": 2, "k": 5}, counts{"s": 3, "k": 5}, "join-stream=5", "2 5", "3 5"},
		{"CREATE TABLE x AS SELECT s.n, COUNT(*) AS c FROM s JOIN t ON s.id = t.id GROUP BY s.n", counts{"s": 2, "t": 2}, counts{"s": 3, "t": 4},
			"join-stream=2 join-table=2 aggregate=2", "2 2 2 2", "3 4 2 2"},
		{"CREATE STREAM x AS SELECT s.n, a.v, b.v AS w FROM s JOIN t a ON s.id = a.id JOIN t b ON a.name = b.id", counts{"s": 2, "t": 3}, counts{"s": 4, "t": 5},
			"join-stream=3 join-table=3 join-stream-2=3 join-table-2=3", "2 3 3 3 3", "4 5 3 5 3"},
	} {
		first := mustRun(t, prelude+c.sql+";", c.was)
		there := begun(first, c.is)
		again := mustRun(t, prelude+c.sql+";", there)
		check := func(what string, q *plan.Query, shuffles, tasks string) {
			t.Helper()
			if got := shufflesOf(q); got != shuffles {
				t.Errorf("%s: %s: shuffles %s, want %s", c.sql, what, got, shuffles)
			}
			if got := tasksOf(q); got != tasks {
				t.Errorf("%s: %s: tasks %s, want %s", c.sql, what, got, tasks)
			}
			if q.Fingerprint != first.Fingerprint {
				t.Errorf("%s: %s: another fingerprint:\n%s\nwas\n%s", c.sql, what, q.Canonical, first.Canonical)
			}
		}
		check("first", first, c.shuffles, c.tasksBefore)
		check("again", again, c.shuffles, c.tasksAfter)
		for name := range there {
			if strings.HasSuffix(name, ".repartition") {
				delete(there, name)
			}
		}
		check("local", mustRun(t, prelude+c.sql+";", there), c.shuffles, c.tasksAfter)
	}
}

// TestGrownSourceInPlace: state that lies by the partitions of a source itself is other state when the source grows.
func TestGrownSourceInPlace(t *testing.T) {
	for _, c := range []struct {
		sql     string
		was, is counts
	}{
		{"CREATE TABLE x AS SELECT id, COUNT(*) AS c FROM k2 GROUP BY id", counts{"k2": 2}, counts{"k2": 3}},
		{"CREATE TABLE x AS SELECT id, COUNT(*) AS c FROM s GROUP BY id", counts{"s": 1}, counts{"s": 2}},
		{"CREATE STREAM x AS SELECT s.id, k.v FROM s JOIN k ON s.id = k.id", counts{"s": 2, "k": 5}, counts{"s": 2, "k": 6}},
	} {
		sql := prelude + "CREATE STREAM k2 (id VARCHAR, n INT) WITH (topic='k2', key='id');" + c.sql + ";"
		first := mustRun(t, sql, c.was)
		if again := mustRun(t, sql, begun(first, c.is)); again.Fingerprint == first.Fingerprint {
			t.Errorf("%s: the same fingerprint:\n%s", c.sql, again.Canonical)
		}
	}
}

func shufflesOf(q *plan.Query) string {
	var out []string
	for _, s := range q.Shuffles {
		out = append(out, s.Name+"="+strconv.Itoa(s.Key.Count))
	}
	return strings.Join(out, " ")
}

func tasksOf(q *plan.Query) string {
	var out []string
	for _, f := range q.Fragments {
		out = append(out, strconv.Itoa(f.Partitions))
	}
	return strings.Join(out, " ")
}
