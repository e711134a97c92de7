package planner

import (
	"github.com/streamsql-go/streamsql/planner/distribute"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
)

// count is the number of partitions of a relation: the topic's, else the declared one; 0: not known.
func (o Options) count(r *catalog.Relation) int {
	if r.Connector != "kafka" {
		return max(1, int(r.Partitions))
	}
	if n, ok := o.Topics.Partitions(r.Topic); ok {
		return n
	}
	return int(r.Partitions)
}

// made says what an earlier start of the query left in the cluster.
func (o Options) made(query string) distribute.Made {
	return func(topic func(app, query, role string) string, role string) int {
		n, _ := o.Topics.Partitions(topic(o.App, query, role))
		return n
	}
}

// source is the topic of a source that says how many partitions it wants, if it is not there.
func (o Options) source(r *catalog.Relation) []plan.Topic {
	if _, there := o.Topics.Partitions(r.Topic); there || r.Partitions == 0 || r.Connector != "kafka" {
		return nil
	}
	return []plan.Topic{TopicOf(r, r.Partitions, "source")}
}

// sink is the topic that a query writes as the engine would create it: as many partitions as said, or as its largest
// source. Nil when the target is no topic.
func (o Options) sink(q *plan.Query) *plan.Topic {
	if q.Sink.Topic() == "" {
		return nil
	}
	r := q.Sink.Target
	n := int(r.Partitions)
	if n == 0 {
		for _, s := range q.Sources {
			n = max(n, o.count(s))
		}
	}
	if n == 0 {
		n = o.DefaultPartitions
	}
	if q.Sink.Outbox != "" { // it keeps what is still to be delivered
		return &plan.Topic{Name: q.Sink.Outbox, Partitions: int32(n), Replicas: r.Replicas, Cleanup: "delete", RetentionMS: -1, Role: "outbox"}
	}
	t := TopicOf(r, int32(n), "sink")
	return &t
}

// TopicOf is a relation's topic as the engine creates it. A table's is compacted if its records have keys: a compacted topic
// takes no others.
func TopicOf(r *catalog.Relation, partitions int32, role string) plan.Topic {
	t := plan.Topic{Name: r.Topic, Partitions: partitions, Replicas: r.Replicas, Cleanup: "delete", RetentionMS: -1, Role: role}
	if r.Kind == ast.Table && (len(r.Key) > 0 || r.Query != "") {
		t.Cleanup = "compact"
	}
	if r.Retention > 0 {
		t.RetentionMS = r.Retention / types.MicrosPerMilli
		if t.Cleanup == "compact" {
			t.Cleanup = "compact,delete"
		}
	}
	return t
}
