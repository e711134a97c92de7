package streamsql_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/connectors/sim"
)

func TestLoad(t *testing.T) {
	l := open(t, streamsql.Options{})
	const ddl = "CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1); INSERT INTO s VALUES ('a'), ('b'); "
	if _, err := l.Load(l.ctx, "job.sql", ddl+"SELECT id FROM s;", streamsql.Endless); err == nil || !strings.Contains(err.Error(), "job.sql:1:") || !strings.Contains(err.Error(), "would never end") {
		t.Error(err)
	}
	l.exec("DROP STREAM s")
	got, err := l.Load(l.ctx, "job.sql", ddl+"CREATE STREAM o AS SELECT id FROM s; SELECT id FROM s LIMIT 1;", streamsql.UntilEnd)
	if err != nil || len(got.Queries) != 1 || len(got.Rows) != 1 {
		t.Fatal(got, err)
	}
	if err := got.Queries[0].Wait(l.ctx); err != nil || got.Queries[0].State() != streamsql.Finished || got.Queries[0].Stats().Out != 4 {
		t.Errorf("%v %s %+v", err, got.Queries[0].State(), got.Queries[0].Stats()) // the rows of both scripts
	}
	if rows, err := lines(got.Rows[0], -1); err != nil || len(rows) != 1 {
		t.Error(rows, err)
	}
}

func TestOneStatement(t *testing.T) {
	l := open(t, streamsql.Options{})
	for _, sql := range []string{"", "SHOW STREAMS; SHOW TABLES"} {
		if _, err := l.Query(l.ctx, sql); err == nil || !strings.Contains(err.Error(), "where one is wanted") {
			t.Errorf("%q: %v", sql, err)
		}
	}
	if _, err := l.Start(l.ctx, "SHOW STREAMS"); err == nil || !strings.Contains(err.Error(), "no persistent query") {
		t.Error(err)
	}
	l.refuses("SHOW STREAMS", "use Query instead of Exec")
	l.refuses("INFER s FROM TOPIC x", "")
}

func TestStop(t *testing.T) {
	l, q := copying(t)
	l.refuses("INSERT INTO o SELECT id FROM s", "query o runs already: TERMINATE it first")
	if err := q.Stop(l.ctx); err != nil || q.State() != streamsql.Stopped {
		t.Fatal(err, q.State())
	}
	select {
	case <-q.Done():
	default:
		t.Error("not done")
	}
	if err := q.Wait(l.ctx); err != nil {
		t.Error(err)
	}
	if err := q.Stop(l.ctx); err != nil {
		t.Error(err)
	}
	if found, err := l.Lookup("O"); err != nil || found != q {
		t.Error(found, err)
	}
}

// TestSelectLeavesNothing: no group, topic, state or place in the list; what the user named stays.
func TestSelectLeavesNothing(t *testing.T) {
	c := sim.New(1, sim.Schedule{})
	dir := t.TempDir()
	l := open(t, streamsql.Options{Cluster: c, StateDir: dir, Shuffle: streamsql.ShuffleTopic})
	l.exec(`CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 2, late_topic = 'late', on_error = 'dead_letter', dead_letter_topic = 'dead');
		INSERT INTO s VALUES ('a'), ('a');`)
	for range 3 {
		l.wants("SELECT DISTINCT id FROM s WINDOW TUMBLING(1d)", "a")
	}
	if qs := l.Queries(); len(qs) != 0 {
		t.Errorf("%d queries", len(qs))
	}
	topics, err := c.Topics(l.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name := range topics {
		if !slices.Contains([]string{"s", "late", "dead", "streamsql.meta"}, name) {
			t.Errorf("topic %s was left", name)
		}
	}
	for _, name := range []string{"late", "dead"} {
		if _, ok := topics[name]; !ok {
			t.Errorf("topic %s is the user's and gone", name)
		}
	}
	if groups := c.Groups(); len(groups) != 0 {
		t.Errorf("groups %v were left", groups)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "select-") {
			t.Errorf("state %s was left", f.Name())
		}
	}
}

func TestGroupIsGoneFromTheBroker(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1); INSERT INTO s VALUES ('a');")
	rows, err := l.Query(l.ctx, "SELECT id FROM s")
	if err != nil {
		t.Fatal(err)
	}
	group := "streamsql." + rows.Query().Name()
	if _, err := lines(rows, 1); err != nil {
		t.Fatal(err)
	}
	at, err := l.cluster().Committed(l.ctx, group)
	if len(at) != 0 || err != nil && !strings.Contains(err.Error(), "GROUP_ID_NOT_FOUND") {
		t.Errorf("%s has %v %v", group, at, err)
	}
	if err := l.cluster().DeleteGroup(l.ctx, group); err != nil {
		t.Errorf("again: %v", err)
	}
}

// TestBadRowsAreShown: rows whose expression fails behind an aggregate have no record; they count as bad all the same.
func TestBadRowsAreShown(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec(`CREATE STREAM s (id VARCHAR, n BIGINT) WITH (topic = 's', partitions = 1);
		INSERT INTO s VALUES ('a', 4), ('b', 1);`)
	q, err := l.Start(l.ctx, "CREATE TABLE o AS SELECT id, CAST(SUM(n) AS SIGNED) * 4611686018427387904 AS x FROM s GROUP BY id", streamsql.Bounded(streamsql.UntilEnd))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(l.ctx); err != nil {
		t.Fatal(err)
	}
	// 4 × 2^62 is out of BIGINT, 1 × 2^62 is not.
	got := l.query("SHOW QUERIES")
	if len(got) != 1 || !strings.HasPrefix(got[0], "o FINISHED 2 1 0 1 ") {
		t.Errorf("%q", got)
	}
	if got := l.query("SHOW STATUS"); len(got) != 1 || !strings.Contains(got[0], "2 in, 1 out, 1 bad") {
		t.Errorf("%q", got)
	}
}

// TestSelectOverAnEndedSource ends by itself, also in a script, from the beginning of the source and not from what comes.
func TestSelectOverAnEndedSource(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1); INSERT INTO s (id) VALUES ('a'), ('b'), ('c');" +
		"CREATE STREAM two (id VARCHAR) WITH (topic = 's', end = 'offset:2'); SET start = 'latest'")
	loaded, err := l.Load(l.ctx, "job.sql", "SELECT id FROM two;", streamsql.Endless)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lines(loaded.Rows[0], -1)
	if err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%v, %v", got, err)
	}
	q, err := l.Start(l.ctx, "CREATE STREAM copy AS SELECT id FROM two")
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(l.ctx); err != nil || q.State() != streamsql.Finished {
		t.Errorf("%s: %v", q.State(), err)
	}
}

// TestLimitIsOfTheResult (case C44): LIMIT counts the rows of all partitions together, and the query then ends by itself.
func TestLimitIsOfTheResult(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id INT) WITH (topic = 's', partitions = 4)")
	l.exec("INSERT INTO s (id, _partition) VALUES (1, 0), (2, 0), (3, 1), (4, 1), (5, 2), (6, 2), (7, 3), (8, 3)")
	for limit := range 9 {
		rows, err := l.Query(l.ctx, fmt.Sprintf("SELECT id FROM s LIMIT %d", limit))
		if err != nil {
			t.Fatal(err)
		}
		got, err := lines(rows, -1)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		if len(got) != limit || len(slices.Compact(got)) != limit {
			t.Errorf("LIMIT %d: rows %v", limit, got)
		}
	}
}

// TestSeveralTopics: a stream of several topics on the broker in the process, which makes those that are named; a pattern takes what is there.
func TestSeveralTopics(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM ab (id VARCHAR) WITH (topics = 'in-a, in-b'); CREATE STREAM a (id VARCHAR) WITH (topic = 'in-a'); CREATE STREAM b (id VARCHAR) WITH (topic = 'in-b');" +
		"INSERT INTO a VALUES ('1'), ('2'); INSERT INTO b VALUES ('2'); CREATE STREAM every (id VARCHAR) WITH (topic_pattern = 'in-.+')")
	for _, from := range []string{"ab", "every"} {
		if got := l.query("SELECT id, _topic AS t FROM " + from); !slices.Equal(got, []string{"1 in-a", "2 in-a", "2 in-b"}) {
			t.Errorf("%s: %q", from, got)
		}
		if got := l.final("SELECT id, COUNT(*) AS n FROM " + from + " GROUP BY id"); !slices.Equal(got, []string{"1 1", "2 2"}) {
			t.Errorf("%s: %q", from, got)
		}
		l.refuses("INSERT INTO "+from+" VALUES ('3')", "reads several topics")
	}
	l.refuses("CREATE STREAM x AS SELECT id FROM nothing", "unknown stream")
	l.exec("CREATE STREAM nothing (id VARCHAR) WITH (topic_pattern = 'out-.+')")
	l.refuses("CREATE STREAM x AS SELECT id FROM nothing", "no topic matches the pattern 'out-.+' of nothing")
	l.refuses("CREATE STREAM x (id VARCHAR) WITH (topics = 'in-a,in-b', partitions = 7)", "topic in-a has 1 partitions, not 7")
	l.refuses("CREATE STREAM x WITH (format = 'json', topics = 'in-a,in-b')", "")
}
