package planner_test

import (
	"testing"

	"github.com/streamsql-go/streamsql/planner/plan"
)

// TestTopics: which topics a statement wants (semantics S7: sinks with the partitions of their source, retention for ever,
// tables compacted; sources only if partitions is given).
func TestTopics(t *testing.T) {
	const src = "CREATE STREAM a (id VARCHAR, n INT) WITH (topic='ta');"
	one := func(topic plan.Topic) []plan.Topic { return []plan.Topic{topic} }
	for _, c := range []struct {
		sql    string
		topics counts
		want   []plan.Topic
	}{
		{"CREATE STREAM b (id VARCHAR) WITH (topic='tb')", nil, nil},
		{"CREATE STREAM b (id VARCHAR) WITH (topic='tb', partitions=3, replicas=2)", nil,
			one(plan.Topic{Name: "tb", Partitions: 3, Replicas: 2, Cleanup: "delete", RetentionMS: -1, Role: "source"})},
		{"CREATE STREAM b (id VARCHAR) WITH (topic='tb', partitions=3)", counts{"tb": 5}, nil},
		{"CREATE STREAM b (id VARCHAR) WITH (connector='file', partitions=3)", nil, nil},
		{"CREATE STREAM o AS SELECT id FROM a", counts{"ta": 6}, one(plan.Topic{Name: "o", Partitions: 6, Cleanup: "delete", RetentionMS: -1, Role: "sink"})},
		{"CREATE STREAM o WITH (topic='x', partitions=2, retention='1d') AS SELECT id FROM a", counts{"ta": 6},
			one(plan.Topic{Name: "x", Partitions: 2, Cleanup: "delete", RetentionMS: 86400000, Role: "sink"})},
		{"CREATE TABLE o AS SELECT id, COUNT(*) AS c FROM a GROUP BY id", counts{"ta": 6}, one(plan.Topic{Name: "o", Partitions: 6, Cleanup: "compact", RetentionMS: -1, Role: "sink"})},
		{"CREATE STREAM o AS SELECT id FROM a", counts{"ta": 6, "o": 1}, nil},
		{"SELECT id FROM a", counts{"ta": 6}, nil},
	} {
		got, err := run(t, src+c.sql+";", c.topics)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if len(got.Create) != len(c.want) || len(c.want) == 1 && got.Create[0] != c.want[0] {
			t.Errorf("%s: %+v, want %+v", c.sql, got.Create, c.want)
		}
	}
}

// TestInternalTopics leave room above the sources' records and are kept until the engine trims them.
func TestInternalTopics(t *testing.T) {
	q := mustRun(t, prelude+"CREATE STREAM x AS SELECT s.id, k.v FROM s JOIN k ON s.id = k.id;", counts{"s": 2, "k": 5})
	want := map[string]plan.Topic{
		"app.x.join-stream.repartition": {Partitions: 5, Cleanup: "delete", Role: "repartition"},
		"app.x.join-table.changelog":    {Partitions: 5, Cleanup: "compact", Role: "changelog"},
		"app.x.join-waiting.changelog":  {Partitions: 5, Cleanup: "delete", Role: "changelog"},
		"x.watermarks":                  {Partitions: 5, Cleanup: "delete", Role: "watermarks"},
	}
	for _, topic := range q.Internal("app") {
		w, ok := want[topic.Name]
		w.Name, w.RetentionMS = topic.Name, -1
		if w.Role != "watermarks" { // those hold no rows
			w.MaxMessageBytes = 16 << 20
		}
		if !ok || topic != w {
			t.Errorf("%+v, want %+v", topic, w)
		}
		delete(want, topic.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
