package kafka

import (
	"context"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	maxMessageBytes = "max.message.bytes"
	// usualLimit is max.message.bytes of a topic that nobody configured (Kafka's documentation, "Topic Configs").
	usualLimit = 1_048_588
	// leastLimit is the smallest batch limit that the client takes.
	leastLimit = 512
)

// limits are how large a batch each topic takes. The client cuts its batches by them, and refuses a record that is larger
// than its topic's limit; it asks once per partition, when it begins to write to it.
type limits struct {
	most   int32 // Options.MaxBatch
	mu     sync.Mutex
	topics map[string]topicLimit
}

type topicLimit struct {
	id    [16]byte
	bytes int32
}

func newLimits(most int) *limits { return &limits{most: int32(most), topics: map[string]topicLimit{}} }

// of is the limit of a topic; of one not described, what is usual.
func (l *limits) of(topic string) int32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	limit, ok := l.topics[topic]
	if !ok {
		limit.bytes = usualLimit
	}
	return max(leastLimit, min(limit.bytes, l.most))
}

// learn asks for the limits of topics that are new, or were created again. When the cluster does not tell (it needs the
// permission DESCRIBE_CONFIGS), the usual ones are taken.
func (c *Cluster) learn(ctx context.Context, topics map[string]kmsg.MetadataResponseTopic) {
	req := kmsg.NewPtrDescribeConfigsRequest()
	c.limits.mu.Lock()
	for name, t := range topics {
		if known, ok := c.limits.topics[name]; ok && known.id == t.TopicID {
			continue
		}
		c.limits.topics[name] = topicLimit{t.TopicID, usualLimit}
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName, r.ConfigNames = kmsg.ConfigResourceTypeTopic, name, []string{maxMessageBytes}
		req.Resources = append(req.Resources, r)
	}
	c.limits.mu.Unlock()
	if len(req.Resources) == 0 {
		return
	}
	resp, err := req.RequestWith(ctx, c.cl)
	if err != nil {
		c.o.Logger.Debug("the sizes of messages that topics take are not known", "error", err)
		return
	}
	c.limits.mu.Lock()
	defer c.limits.mu.Unlock()
	for _, r := range resp.Resources {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			c.o.Logger.Debug("the size of messages that a topic takes is not known", "topic", r.ResourceName, "error", err)
			continue
		}
		for _, kv := range r.Configs {
			if kv.Name != maxMessageBytes || kv.Value == nil {
				continue
			}
			if n, err := strconv.ParseInt(*kv.Value, 10, 32); err == nil {
				c.limits.topics[r.ResourceName] = topicLimit{topics[r.ResourceName].TopicID, int32(n)}
			}
		}
	}
}
