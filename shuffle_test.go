package streamsql_test

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/sim"
)

// TestLocalAfterTopic: a query goes over from repartition topics to local shuffles once every row in them was read; before
// that it is refused, for nobody would read the rest.
func TestLocalAfterTopic(t *testing.T) {
	c := sim.New(1, sim.Schedule{})
	run := func(sh streamsql.Shuffle) error {
		l := open(t, streamsql.Options{Cluster: c, StateDir: t.TempDir(), Shuffle: sh})
		l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 2)")
		if sh == streamsql.ShuffleTopic {
			l.exec("INSERT INTO s VALUES ('a', 1), ('a', 1), ('b', 2)")
		}
		q, err := l.Start(l.ctx, "CREATE STREAM o WITH (topic = 'o') AS SELECT DISTINCT id FROM s WINDOW TUMBLING(1d)",
			streamsql.Name("q"), streamsql.Bounded(streamsql.UntilEnd))
		if err != nil {
			return err
		}
		return q.Wait(l.ctx)
	}
	if err := run(streamsql.ShuffleTopic); err != nil {
		t.Fatal(err)
	}
	if err := run(streamsql.ShuffleLocal); err != nil {
		t.Fatal("all rows were read:", err)
	}
	topics, err := c.Topics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var shuffle string
	for name := range topics {
		if strings.HasSuffix(name, "repartition") {
			shuffle = name
		}
	}
	if shuffle == "" {
		t.Fatal("no repartition topic in", topics)
	}
	if _, err := c.Write(t.Context(), connectors.Record{Topic: shuffle, Partition: 1, Value: []byte("a row")}); err != nil {
		t.Fatal(err)
	}
	if err := run(streamsql.ShuffleLocal); err == nil || !strings.Contains(err.Error(), "rows are still under way in "+shuffle+"/1") || !strings.Contains(err.Error(), "--shuffle topic") {
		t.Fatal(err)
	}
}
