package streamsql

import (
	"context"
	"errors"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner"
)

// createTopics creates the topics that a query writes, before the query starts: a query over its result may be planned at
// once, and must know how many partitions there are.
func (e *Engine) createTopics(ctx context.Context, c *planner.Compiled) error {
	for _, t := range c.Create {
		spec := exec.TopicSpec(t)
		partitions := spec.Partitions
		err := e.cluster.Create(ctx, spec)
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
