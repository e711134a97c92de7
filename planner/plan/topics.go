package plan

import (
	"slices"

	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Topic is a topic that the engine makes.
type Topic struct {
	Name       string
	Partitions int32  // 0: not known yet
	Replicas   int16  // 0: the broker's default
	Cleanup    string // "delete" or "compact"
	// RetentionMS is -1 for ever.
	RetentionMS int64
	// MaxMessageBytes is 0 for the broker's default. Internal records are a little larger than what they were made from,
	// so internal topics allow more than any source.
	MaxMessageBytes int
	Role            string // source, sink, watermarks, repartition, changelog, dead letter, late
}

// internalMessageBytes is the limit of internal topics. Kafka's default limit is 1 MiB; sources with larger records are
// rare, and 16 MiB is what clients and brokers still fetch without other settings.
const internalMessageBytes = 16 << 20

// RepartitionTopic and ChangelogTopic are the names of internal topics (semantics S8).
func RepartitionTopic(app, query, role string) string {
	return app + "." + query + "." + role + ".repartition"
}

// ChangelogTopic is the topic of a state.
func ChangelogTopic(app, query, state string) string {
	return app + "." + query + "." + state + ".changelog"
}

// Internal are the topics that the query keeps for itself: repartition topics and changelogs, dead letters where a source
// asks for them.
func (q *Query) Internal(app string) []Topic {
	var out []Topic
	for _, s := range q.Shuffles {
		out = append(out, Topic{Name: RepartitionTopic(app, q.Name, s.Name), Partitions: int32(s.Key.Count), Cleanup: "delete", RetentionMS: -1,
			MaxMessageBytes: internalMessageBytes, Role: "repartition"})
	}
	for _, f := range q.Fragments {
		for _, s := range f.States {
			cleanup := "delete"
			if s.Kind == MapState || s.Kind == VersionState || s.Kind == SortedState {
				cleanup = "compact"
			}
			out = append(out, Topic{Name: ChangelogTopic(app, q.Name, s.Name), Partitions: int32(f.Partitions), Cleanup: cleanup, RetentionMS: -1,
				MaxMessageBytes: internalMessageBytes, Role: "changelog"})
		}
	}
	if t, ok := q.Watermarks(); ok {
		out = append(out, t)
	}
	return append(out, q.outlets(app)...)
}

// Watermarks is the topic in which the query tells how far event time has come in its target; false when its readers do not need it.
func (q *Query) Watermarks() (Topic, bool) {
	if q.SinkTopic == nil || !q.Sink.Target.TimeTold() {
		return Topic{}, false
	}
	return WatermarksOf(q.Sink.Target, q.SinkTopic.Partitions), true
}

// WatermarksOf is the topic beside a target with so many partitions. What it holds is about records of the target, so it is kept as long.
func WatermarksOf(target *catalog.Relation, partitions int32) Topic {
	t := Topic{Name: WatermarkTopic(target.Topic), Partitions: partitions, Replicas: target.Replicas, Cleanup: "delete", RetentionMS: -1, Role: "watermarks"}
	if target.Retention > 0 {
		t.RetentionMS = target.Retention / types.MicrosPerMilli
	}
	return t
}

// outlets are the topics for records that are not used.
func (q *Query) outlets(app string) []Topic {
	var out []Topic
	add := func(name, role string) {
		if name != "" && !slices.ContainsFunc(out, func(t Topic) bool { return t.Name == name }) {
			out = append(out, Topic{Name: name, Partitions: 1, Cleanup: "delete", RetentionMS: -1, MaxMessageBytes: internalMessageBytes, Role: role})
		}
	}
	for _, r := range q.Sources {
		if r.OnError == catalog.DeadLetter {
			add(DeadLetterTopic(app, q.Name, r), "dead letter")
		}
		add(r.LateTopic, "late")
	}
	return out
}
