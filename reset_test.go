package streamsql_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
)

func TestReset(t *testing.T) {
	l := open(t, streamsql.Options{Shuffle: streamsql.ShuffleTopic})
	l.exec(`CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 2);
		INSERT INTO s VALUES ('a', 1), ('a', 1), ('b', 2);`)
	run := func(sql string) (*streamsql.Query, error) {
		q, err := l.Start(l.ctx, sql, streamsql.Name("q"), streamsql.Bounded(streamsql.UntilEnd))
		if err != nil {
			t.Fatal(err)
		}
		return q, q.Wait(l.ctx)
	}
	const first = "CREATE OR REPLACE STREAM o WITH (topic = 'o') AS SELECT DISTINCT id FROM s WINDOW TUMBLING(1d)"
	const other = "CREATE OR REPLACE STREAM o WITH (topic = 'o2') AS SELECT DISTINCT ON (n) id FROM s WINDOW TUMBLING(1d)"
	if q, err := run(first); err != nil || q.Stats().Out != 2 {
		t.Fatal(err, q.Stats().Out)
	}
	if _, err := run(other); err == nil || !strings.Contains(err.Error(), "streamsql reset") {
		t.Fatal(err)
	}
	r, err := l.Remains(l.ctx, "q")
	if err != nil || r.Group != "streamsql.q" || len(r.Topics) != 2 || !strings.HasSuffix(r.Topics[0], "changelog") || !strings.HasSuffix(r.Topics[1], "repartition") {
		t.Fatalf("%+v %v", r, err)
	}
	if _, err := run(other); err == nil {
		t.Fatal("looking has deleted something")
	}
	if _, err := l.Reset(l.ctx, "q"); err != nil {
		t.Fatal(err)
	}
	topics := l.query("SHOW TOPICS")
	for _, gone := range r.Topics {
		if slices.ContainsFunc(topics, func(x string) bool { return strings.HasPrefix(x, gone+" ") }) {
			t.Errorf("%s is there still", gone)
		}
	}
	if _, err := l.Remains(l.ctx, "q"); err == nil {
		t.Error("it is known still")
	}
	if q, err := run(other); err != nil || q.Stats().In != 3 || q.Stats().Out != 2 {
		t.Error(err, q.Stats().In, q.Stats().Out) // all of s again, under the new plan
	}
}

// Readers go by the event time that a query tells them, which would begin anew (semantics S7).
func TestResetOfAWriter(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 2); INSERT INTO s VALUES ('a'), ('b');")
	for _, sql := range []string{
		"CREATE STREAM o AS SELECT id FROM s", "CREATE STREAM p AS SELECT id, COUNT(*) AS n FROM o WINDOW TUMBLING(1d) GROUP BY id EMIT FINAL",
		"CREATE STREAM timed WITH (disorder = '1s') AS SELECT id FROM s", "CREATE STREAM x AS SELECT id FROM timed",
	} {
		q, err := l.Start(l.ctx, sql, streamsql.Bounded(streamsql.UntilEnd))
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Wait(l.ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Reset(l.ctx, "o"); err == nil || !strings.Contains(err.Error(), "Reset p first") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"p", "o", "timed"} { // readers first; nobody is told anything by the last
		if _, err := l.Reset(l.ctx, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestResetRefuses(t *testing.T) {
	l, q := copying(t)
	l.eventually("it runs", func() bool { return q.Stats().In > 0 })
	if _, err := l.Reset(l.ctx, "o"); err == nil || !strings.Contains(err.Error(), "TERMINATE it first") {
		t.Error(err)
	}
	other := openAt(t, l)
	if _, err := other.Reset(l.ctx, "o"); err == nil || !strings.Contains(err.Error(), "stop it on all instances first") {
		t.Error(err)
	}
	if _, err := l.Reset(l.ctx, "nobody"); err == nil || !strings.Contains(err.Error(), "has begun no query nobody") {
		t.Error(err)
	}
	if q.State() != streamsql.Running {
		t.Error(q.State())
	}
}

// openAt is another engine on the same broker.
func openAt(t *testing.T, l *lab) *lab {
	return open(t, streamsql.Options{Brokers: []string{l.Address()}, StateDir: t.TempDir()})
}
