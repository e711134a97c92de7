package streamsql

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/planner"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// clusterTopics answers one planning from the cluster: a topic that is asked for twice is the same the second time, so that a plan
// does not disagree with itself while topics come and go.
type clusterTopics struct {
	ctx  context.Context
	e    *Engine
	seen map[string]connectors.TopicInfo // those that are not there have no partitions
	err  error                           // the first of the cluster: what was answered since is not known
}

func (e *Engine) clusterTopics(ctx context.Context) *clusterTopics {
	return &clusterTopics{ctx: ctx, e: e, seen: map[string]connectors.TopicInfo{}}
}

// Partitions implements planner.Topics.
func (c *clusterTopics) Partitions(topic string) (int, bool) {
	i, ok := c.seen[topic]
	if !ok && c.err == nil {
		var infos map[string]connectors.TopicInfo
		if infos, c.err = c.e.cluster.Topics(c.ctx, topic); c.err == nil {
			i = infos[topic]
			c.seen[topic] = i
		}
	}
	return int(i.Partitions), i.Partitions > 0
}

// Names implements planner.Topics.
func (c *clusterTopics) Names() []string {
	if c.err != nil {
		return nil
	}
	var infos map[string]connectors.TopicInfo
	infos, c.err = c.e.cluster.Topics(c.ctx)
	return slices.Collect(maps.Keys(infos))
}

// missing says which topic of a query's sources was not there when it was planned.
func (c *clusterTopics) missing(q *plan.Query) error {
	for _, s := range q.Sources {
		if _, ok := c.Partitions(s.Topic); !ok && c.err == nil {
			return fmt.Errorf("topic %s of %s does not exist: create it, or declare partitions=… in its WITH clause to have it created", s.Topic, s.Name)
		}
	}
	return c.err
}

// settling is how long brokers may not know yet of a topic that was just created.
const settling = 300 * time.Millisecond

// compileToRun is compile for a query that is to run: its sources must be there, before it leaves anything behind, a relation or topics.
func (e *Engine) compileToRun(ctx context.Context, s *ast.Script, st ast.Statement, name string) (*planner.Compiled, error) {
	for last := false; ; last = true {
		topics := e.clusterTopics(ctx)
		c, err := e.compileWith(ctx, topics, s, st, name)
		if err != nil {
			return nil, err
		}
		missing := topics.missing(c.Query)
		if missing == nil || last {
			return c, missing
		}
		select {
		case <-time.NewTimer(settling).C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
