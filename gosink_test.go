package streamsql_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

// taken is a Go sink that keeps rows as lines, and fails before the next row of which the first value is in fails.
type taken struct {
	sync.Mutex
	rows  []string
	fails map[string]error
}

func (k *taken) take(rows []streamsql.Row) error {
	k.Lock()
	defer k.Unlock()
	for _, r := range rows {
		if err := k.fails[r.Text(0)]; err != nil {
			delete(k.fails, r.Text(0))
			if err == errPanics {
				panic("the sink is full")
			}
			return err
		}
		line := fmt.Sprint(r.Time.UnixMilli())
		for i := range r.Values {
			line += " " + r.Text(i)
		}
		if r.Deleted {
			line += " gone"
		}
		k.rows = append(k.rows, line)
	}
	return nil
}

var errPanics = errors.New("panics")

func (k *taken) sorted() []string {
	k.Lock()
	defer k.Unlock()
	return slices.Sorted(slices.Values(k.rows))
}

const goSinkRows = "CREATE STREAM s (id VARCHAR, n INT, d DECIMAL(10,2), at TIMESTAMP(6), bin VARBINARY, tags ARRAY<VARCHAR>, p STRUCT<x DOUBLE, y BIGINT>) WITH (topic = 's', partitions = 1);" +
	`INSERT INTO s (id, n, d, at, bin, tags, p, _timestamp) VALUES ('a', 1, 1.25, TIMESTAMP '2030-01-01 00:00:00.000001', X'00FF', '["u"]', '{"x":1.5,"y":7}', 1000), ('b', 2, NULL, NULL, NULL, NULL, NULL, 2000);`

// TestGoSink: rows arrive as they were committed, values of every type and event times alike; a bounded query ends once they are there.
func TestGoSink(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec(goSinkRows)
	const sql = "CREATE STREAM o WITH (connector = 'go') AS SELECT id, n * 10 AS n, d, at, bin, tags, p FROM s"
	if _, err := l.Start(l.ctx, sql); err == nil || !strings.Contains(err.Error(), `RegisterSink("o"`) {
		t.Error(err)
	}
	l.wants("SHOW STREAMS LIKE 'o'") // what failed left nothing
	var k taken
	mustRegister(t, l.RegisterSink("O", k.take))
	q, err := l.Start(l.ctx, sql, streamsql.Bounded(streamsql.UntilEnd))
	mustRegister(t, err, q.Wait(l.ctx))
	want := []string{"1000 a 10 1.25 2030-01-01 00:00:00.000001 \x00\xff [\"u\"] {\"x\":1.5,\"y\":7}", "2000 b 20 NULL NULL NULL NULL NULL"}
	if got := k.sorted(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if !strings.Contains(q.Explain(), "Sink o (connector go, at least once, by topic streamsql.o.outbox, json)") {
		t.Error(q.Explain())
	}
}

// TestGoSinkChanges: what goes from a table is a row of its key that is Deleted, whether one column names it or several.
func TestGoSinkChanges(t *testing.T) {
	for columns, want := range map[string][]string{
		"id":                      {"1000 a 1", "1000 b 2", "3000 a NULL gone"},
		"n % 2, id":               {"1000 1 a 1", "1000 0 b 2", "3000 1 a NULL gone"},
		"UPPER(id) AS x, id AS y": {"1000 A a 1", "1000 B b 2", "3000 A a NULL gone"},
	} {
		l := open(t, streamsql.Options{})
		l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 1); INSERT INTO s (id, n, _timestamp) VALUES ('a', 1, 1000), ('b', 2, 1000)")
		var k taken
		mustRegister(t, l.RegisterSink("o", k.take))
		var group []string
		for _, c := range strings.Split(columns, ", ") {
			c, _, _ = strings.Cut(c, " AS ")
			group = append(group, c)
		}
		l.exec("CREATE TABLE o WITH (connector = 'go') AS SELECT " + columns + ", SUM(n) AS total FROM s GROUP BY " + strings.Join(group, ", ") + " HAVING SUM(n) < 10")
		l.eventually("two groups", func() bool { return len(k.sorted()) == 2 })
		l.exec("INSERT INTO s (id, n, _timestamp) VALUES ('a', 11, 3000)")
		l.eventually("one of them goes", func() bool { return len(k.sorted()) == 3 })
		slices.Sort(want)
		if got := k.sorted(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", columns, got, want)
		}
	}
}

// TestGoSinkAtLeastOnce: rows that were committed and not taken are delivered again: at once after a Retry, when the next query starts after any other error
// or a panic, in another process too.
func TestGoSinkAtLeastOnce(t *testing.T) {
	broker := open(t, streamsql.Options{})
	broker.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1)")
	dir := t.TempDir()
	seen := map[string]bool{}
	for run, c := range []struct {
		fails map[string]error
		says  string
	}{
		{map[string]error{"a": &endpoint.Retry{After: time.Millisecond, Err: errors.New("soon")}, "b": errors.New("the disk is full")}, "target o: the disk is full"},
		{map[string]error{"b": errPanics}, "target o: the Go sink panicked: the sink is full"},
		{nil, ""},
	} {
		e, err := streamsql.Open(broker.ctx, streamsql.Options{Brokers: []string{broker.Address()}, StateDir: dir, Name: "app"})
		if err != nil {
			t.Fatal(err)
		}
		l := &lab{e, t, broker.ctx}
		k := taken{fails: c.fails}
		mustRegister(t, l.RegisterSink("o", k.take))
		if run == 0 {
			broker.exec("INSERT INTO s (id, _timestamp) VALUES ('a', 1), ('b', 2), ('c', 3)")
		}
		l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's')")
		q, err := l.Start(l.ctx, "CREATE STREAM o WITH (connector = 'go') AS SELECT DISTINCT id FROM s")
		if err != nil {
			t.Fatal(err)
		}
		if c.says != "" {
			if err := q.Wait(l.ctx); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("run %d: %v", run, err)
			}
		} else {
			l.eventually("the rest comes", func() bool { return slices.Contains(k.sorted(), "3 c") })
			if q.Stats().Out != 0 {
				t.Error("the query wrote rows again: they are not those of the outbox")
			}
		}
		for _, r := range k.sorted() {
			seen[r] = true
		}
		if err := e.Close(); err != nil && c.says == "" {
			t.Fatal(err)
		}
	}
	if !seen["1 a"] || !seen["2 b"] || !seen["3 c"] || len(seen) != 3 {
		t.Error(seen)
	}
}

// TestGoSinkFormats: what lies in the outbox may be of any format; one of one column has NULLs.
func TestGoSinkFormats(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 1); INSERT INTO s (id, n, _timestamp) VALUES ('a', 7, 1000), ('b', NULL, 2000)")
	for name, sql := range map[string]string{
		"string":        "CREATE STREAM o1 WITH (connector = 'go', format = 'string') AS SELECT NULLIF(id, 'b') AS x FROM s",
		"csv":           "CREATE STREAM o2 WITH (connector = 'go', format = 'csv') AS SELECT NULLIF(id, 'b') AS x, n FROM s",
		"json":          "CREATE STREAM o3 WITH (connector = 'go') AS SELECT * FROM s",
		"debezium-json": "CREATE TABLE o4 WITH (connector = 'go', format = 'debezium-json') AS SELECT id, COUNT(*) AS n FROM s GROUP BY id HAVING COUNT(*) < 2",
	} {
		var k taken
		want := map[string][]string{
			"string": {"1000 a", "2000 NULL"}, "csv": {"1000 a 7", "2000 NULL NULL"}, "json": {"1000 a 7", "2000 b NULL"}, "debezium-json": {"1000 a 1", "2000 b 1"},
		}[name]
		_, target, _ := strings.Cut(sql, " o")
		mustRegister(t, l.RegisterSink("o"+target[:1], k.take))
		l.exec(sql)
		l.eventually(name, func() bool { return len(k.sorted()) >= 2 })
		if name == "debezium-json" {
			l.exec("INSERT INTO s (id, _timestamp) VALUES ('a', 3000)")
			l.eventually(name, func() bool { return len(k.sorted()) == 3 })
			if gone := k.sorted()[2]; !strings.HasPrefix(gone, "3000 a ") || !strings.HasSuffix(gone, " gone") {
				t.Error(gone)
			}
		}
		if got := k.sorted(); !slices.Equal(got[:len(want)], want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestRegisteredTwice(t *testing.T) {
	l := open(t, streamsql.Options{})
	var k taken
	mustRegister(t, l.RegisterSink("o", k.take), l.RegisterSource("o", streamsql.FeedFunc(nil)))
	for says, err := range map[string]error{
		"a Go sink of O is registered already":   l.RegisterSink("O", k.take),
		"a Go source of O is registered already": l.RegisterSource("O", streamsql.FeedFunc(nil)),
		"the Go sink of p is nil":                l.RegisterSink("p", nil),
		"the Go source of p is nil":              l.RegisterSource("p", nil),
	} {
		if err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
