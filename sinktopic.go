package streamsql

import (
	"context"
	"errors"
	"strconv"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/planner"
)

// createTopics creates the topics that a query writes, before the query starts: a query over its result may be planned at
// once, and must know how many partitions there are.
func (e *Engine) createTopics(ctx context.Context, c *planner.Compiled) error {
	for _, t := range c.Create {
		configs := map[string]string{
			"cleanup.policy": t.Cleanup, "retention.ms": strconv.FormatInt(t.RetentionMS, 10), "retention.bytes": "-1",
			"message.timestamp.type": "CreateTime",
		}
		partitions := max(t.Partitions, 1)
		err := e.cluster.Create(ctx, connectors.TopicSpec{Name: t.Name, Partitions: partitions, Replication: t.Replicas, Configs: configs})
		var other *connectors.PartitionsError
		if errors.As(err, &other) && c.Query.Sink.Target.Partitions == 0 { // somebody created it since it was looked for
			partitions, err = other.Got, nil
		}
		if err != nil {
			return err
		}
		if c.Relation != nil && c.Relation.Topic == t.Name {
			c.Relation.Partitions = partitions
		}
	}
	return nil
}
