package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/catalog"
)

// Names of what a query has in the cluster (semantics S8). They come from the application's and the query's name and the
// operators' roles, never from counters.

// Group is the query's consumer group.
func Group(app, query string) string { return app + "." + query }

// TransactionalID is that of a worker of an instance.
func TransactionalID(app, query, instance string, worker int) string {
	return fmt.Sprintf("%s.%s.%s.%d", app, query, instance, worker)
}

// MetaTopic holds where an application's queries began and their bounded runs.
func MetaTopic(app string) string { return app + ".meta" }

// DeadLetterTopic takes the records of a source that cannot be used.
func DeadLetterTopic(app, query string, source *catalog.Relation) string {
	if source.DeadLetterTopic != "" {
		return source.DeadLetterTopic
	}
	return app + "." + query + ".dlq"
}

// WatermarkTopic tells the readers of a topic that a query writes how far event time has come in it.
func WatermarkTopic(target string) string { return target + ".watermarks" }

// Topic is the shuffle's repartition topic.
func (s *Shuffle) Topic(app, query string) string { return RepartitionTopic(app, query, s.Name) }

// Topic is the state's changelog topic.
func (s State) Topic(app, query string) string { return ChangelogTopic(app, query, s.Name) }

// Upstream are the fragments that feed a shuffle.
func (q *Query) Upstream(s *Shuffle) []*Fragment {
	var out []*Fragment
	for _, f := range q.Fragments {
		if f.Feeds(s) {
			out = append(out, f)
		}
	}
	return out
}

// Feeds says whether rows of the fragment go through a shuffle.
func (f *Fragment) Feeds(s *Shuffle) bool {
	return slices.ContainsFunc(f.Roots, func(n Node) bool { x, ok := n.(*Shuffle); return ok && x.ID == s.ID })
}

// Writes says whether rows of the fragment are rows of the result.
func (f *Fragment) Writes() bool {
	return slices.ContainsFunc(f.Roots, func(n Node) bool { _, sink := n.(*Sink); return sink })
}

// Direct is the source that a fragment reads and nothing else; nil for others.
func (f *Fragment) Direct() *Scan {
	if len(f.Inputs) != 1 {
		return nil
	}
	s, _ := f.Inputs[0].Node.(*Scan)
	return s
}

// OwnTopic says whether a topic is one that nobody means by a pattern: Kafka's own, and what applications keep for themselves.
func OwnTopic(app, topic string) bool {
	if strings.HasPrefix(topic, "__") || topic == MetaTopic(app) {
		return true
	}
	return slices.ContainsFunc([]string{".repartition", ".changelog", ".outbox", ".rejected", ".dlq"}, func(role string) bool { return strings.HasSuffix(topic, role) })
}
