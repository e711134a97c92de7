package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// topics makes sure, before the group is joined, that every topic the query needs is there with the partitions the plan
// counts on: sinks and internal topics are created, sources must exist. It returns partition counts and topic ids.
func topics(ctx context.Context, c Config, q *plan.Query) (counts map[string]int32, ids map[string]string, err error) {
	var specs []connectors.TopicSpec
	if !adHoc(q) {
		specs = append(specs, connectors.TopicSpec{Name: plan.MetaTopic(c.App), Partitions: 1, Configs: forever("delete")})
	}
	for _, t := range q.Internal(c.App) {
		if t.Role == "repartition" && c.Shuffle == ShuffleLocal || t.Role == "watermarks" {
			continue
		}
		specs = append(specs, TopicSpec(t))
	}
	if q.SinkTopic != nil {
		specs = append(specs, TopicSpec(*q.SinkTopic))
	}
	names := map[string]bool{}
	for _, s := range q.Sources {
		names[s.Topic] = true
	}
	for _, s := range specs {
		names[s.Name] = true
	}
	infos, err := c.Cluster.Topics(ctx, sortedTopics(names)...)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range q.Sources {
		if _, ok := infos[s.Topic]; !ok {
			return nil, nil, fmt.Errorf("topic %s of %s does not exist: create it, or declare partitions=… in its WITH clause to have it created", s.Topic, s.Name)
		}
	}
	missing := slices.DeleteFunc(slices.Clone(specs), func(s connectors.TopicSpec) bool { _, ok := infos[s.Name]; return ok })
	if len(missing) > 0 {
		if err := c.Cluster.Create(ctx, missing...); err != nil && !otherSink(err, q) {
			return nil, nil, err
		}
		if infos, err = c.Cluster.Topics(ctx, sortedTopics(names)...); err != nil {
			return nil, nil, err
		}
	}
	counts, ids = map[string]int32{}, map[string]string{}
	for n, i := range infos {
		counts[n], ids[n] = i.Partitions, i.ID
	}
	if err := verify(c, q, specs, counts); err != nil {
		return nil, nil, err
	}
	return counts, ids, besides(ctx, c, q, counts, ids)
}

// besides makes sure that beside the target, and beside sources that other queries write, there is the topic that tells their time,
// partition for partition. Whoever comes first creates it: a query may begin before the one that it reads.
func besides(ctx context.Context, c Config, q *plan.Query, counts map[string]int32, ids map[string]string) error {
	targets := map[string]connectors.TopicSpec{}
	add := func(r *catalog.Relation) {
		if r != nil && r.TimeTold() {
			t := plan.WatermarksOf(r, counts[r.Topic])
			targets[t.Name] = TopicSpec(t)
		}
	}
	add(q.Sink.Target)
	for _, s := range q.Sources {
		add(s)
	}
	if len(targets) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(targets))
	infos, err := c.Cluster.Topics(ctx, names...)
	if err != nil {
		return err
	}
	var missing []connectors.TopicSpec
	for _, n := range names {
		if _, ok := infos[n]; !ok {
			missing = append(missing, targets[n])
		}
	}
	if len(missing) > 0 {
		if err := c.Cluster.Create(ctx, missing...); err != nil {
			return err
		}
		if infos, err = c.Cluster.Topics(ctx, names...); err != nil {
			return err
		}
	}
	for n, i := range infos {
		counts[n], ids[n] = i.Partitions, i.ID
		if want := targets[n].Partitions; i.Partitions != want {
			return fmt.Errorf("topic %s has %d partitions, and tells the time of one with %d: stop the queries that write and read that one, delete %s, and start them again", n, i.Partitions, want, n)
		}
	}
	return nil
}

// otherSink says that all that is wrong is the partition count of a sink whose count was left open: somebody has created it
// since it was looked for.
func otherSink(err error, q *plan.Query) bool {
	var n *connectors.PartitionsError
	return errors.As(err, &n) && n.Topic == q.Sink.Topic() && q.Sink.Target.Partitions == 0
}

// verify compares the partition counts with the plan's.
func verify(c Config, q *plan.Query, specs []connectors.TopicSpec, counts map[string]int32) error {
	for _, s := range specs {
		n, ok := counts[s.Name]
		if !ok {
			return fmt.Errorf("topic %s could not be created", s.Name)
		}
		internal := strings.HasSuffix(s.Name, ".repartition") || strings.HasSuffix(s.Name, ".changelog")
		if internal && n != s.Partitions {
			return fmt.Errorf("internal topic %s has %d partitions, the plan needs %d: a source has changed its partition count, or another query of this name made it. Reset the query (streamsql reset), or start it under a new name", s.Name, n, s.Partitions)
		}
	}
	for _, f := range q.Fragments {
		for _, in := range f.Inputs {
			if s, ok := in.Node.(*plan.Scan); ok && s.P.Partitioning.Count != int(counts[s.Relation.Topic]) {
				return fmt.Errorf("topic %s has %d partitions, it was planned with %d: start again", s.Relation.Topic, counts[s.Relation.Topic], s.P.Partitioning.Count)
			}
		}
	}
	return nil
}

func forever(cleanup string) map[string]string {
	return map[string]string{"cleanup.policy": cleanup, "retention.ms": "-1", "retention.bytes": "-1", "message.timestamp.type": "CreateTime",
		// Event time is what it is: the end of an open window lies ahead of the broker's clock (KIP-937).
		"message.timestamp.after.max.ms": strconv.FormatInt(math.MaxInt64, 10)}
}

// TopicSpec is how a topic of a plan is created.
func TopicSpec(t plan.Topic) connectors.TopicSpec {
	configs := forever(t.Cleanup)
	configs["retention.ms"] = strconv.FormatInt(t.RetentionMS, 10)
	if t.MaxMessageBytes > 0 {
		configs["max.message.bytes"] = strconv.Itoa(t.MaxMessageBytes)
	}
	return connectors.TopicSpec{Name: t.Name, Partitions: max(t.Partitions, 1), Replication: t.Replicas, Configs: configs}
}
