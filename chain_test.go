package streamsql_test

import (
	"testing"

	"github.com/streamsql-go/streamsql"
)

// TestBoundedChain: of queries that read each other's results, started together and bounded, each waits for the one before it.
func TestBoundedChain(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 3); INSERT INTO s VALUES ('a', 1), ('b', 2), ('a', 3)")
	loaded, err := l.Load(l.ctx, "chain.sql", `
		CREATE STREAM doubled AS SELECT id, n * 2 AS n FROM s;
		CREATE STREAM counted AS SELECT id, COUNT(*) AS c, SUM(n) AS total FROM doubled WINDOW TUMBLING(1h) GROUP BY id EMIT FINAL;
		CREATE STREAM large AS SELECT id, total FROM counted WHERE total > 4;`, streamsql.UntilEnd)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range loaded.Queries {
		if err := q.Wait(l.ctx); err != nil {
			t.Fatal(err)
		}
	}
	l.wants("SELECT id, total FROM large", "a 8")
}
