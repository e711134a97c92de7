package streamsql_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/streamsql-go/streamsql"
)

const twoOld = `CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1);
	CREATE STREAM all_of_s (id VARCHAR) WITH (topic = 's', start = 'earliest');
	CREATE TABLE t (id VARCHAR PRIMARY KEY, v VARCHAR) WITH (topic = 't', partitions = 1);
	INSERT INTO s (id, _timestamp) VALUES ('a', 1000), ('b', 1000);
	INSERT INTO t (id, v, _timestamp) VALUES ('a', 'x', 500);`

func TestStartOfSelect(t *testing.T) {
	l := open(t, streamsql.Options{Start: "latest"})
	l.exec(twoOld)
	l.wants("SELECT id FROM s") // bounded by the end, begun at the end
	l.wants("SELECT id FROM t")
	l.wants("SELECT id FROM all_of_s", "a", "b") // it says where to start
	l.exec("SET start = 'EARLIEST'")
	l.wants("SELECT id FROM s", "a", "b")
	l.exec("SET start = 'latest'")
	l.wants("SELECT id FROM s")
}

// TestStartBesideATable: new rows of the stream meet what the table held before.
func TestStartBesideATable(t *testing.T) {
	l := open(t, streamsql.Options{Start: "latest"})
	l.exec(twoOld)
	rows, err := l.Query(l.ctx, "SELECT s.id, t.v FROM s LEFT JOIN t AS OF LATEST ON s.id = t.id")
	if err != nil {
		t.Fatal(err)
	}
	l.eventually("the query has partitions", func() bool { return rows.Query().Stats().Tasks > 0 })
	l.exec("INSERT INTO s VALUES ('a')")
	if got, err := lines(rows, 1); err != nil || got[0] != "a x" {
		t.Errorf("%q %v", got, err)
	}
}

func TestPersistentQueriesBeginAtTheBeginning(t *testing.T) {
	l := open(t, streamsql.Options{Start: "latest"})
	l.exec(twoOld)
	q, err := l.Start(l.ctx, "CREATE STREAM o AS SELECT id FROM s", streamsql.Bounded(streamsql.UntilEnd))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(l.ctx); err != nil || q.Stats().Out != 2 {
		t.Errorf("%v, %d out", err, q.Stats().Out)
	}
}

func TestSet(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.wants("SHOW SETTINGS LIKE 'commit\\_%'", "commit_interval 100ms")
	l.exec("SET commit_interval = '1s'; SET start = 'latest'")
	l.wants("SHOW SETTINGS LIKE 'COMMIT_interval'", "commit_interval 1s")
	l.wants("SHOW SETTINGS LIKE 'start'", "start latest")
	l.wants("SHOW SETTINGS LIKE 'memory'", "memory 268435456")
	l.wants("SHOW SETTINGS LIKE 'st*'") // no shell pattern
	for sql, text := range map[string]string{
		"SET start = 'yesterday'":       "use 'earliest' or 'latest'",
		"SET commit_interval = '0s'":    "above zero",
		"SET commit_interval = 'quick'": "commit_interval",
		"SET memory = '1GB'":            "start and commit_interval can be set",
	} {
		l.refuses(sql, text)
		if errs := streamsql.Check("", sql+";", nil); len(errs) != 1 || !strings.Contains(errs[0].Error(), text) {
			t.Errorf("Check %s: %v", sql, errs)
		}
	}
	l.wants("SHOW SETTINGS LIKE 'start'", "start latest")
}

// TestSetWhileOthersRun is for the race detector.
func TestSetWhileOthersRun(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's')")
	var all sync.WaitGroup
	for _, sql := range []string{"SET start = 'latest'", "SET commit_interval = '10ms'", "DEFINE a = 'b'"} {
		all.Go(func() {
			for range 20 {
				if err := l.Exec(l.ctx, sql); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		all.Go(func() {
			l.query("SHOW SETTINGS")
			rows, err := l.Query(l.ctx, "SELECT id FROM s")
			if err != nil {
				t.Error(err)
				return
			}
			if err := rows.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
