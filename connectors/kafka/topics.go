package kafka

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
)

// Topics describes those of names that exist, or all topics that are not internal. With connectors.WithConfigs, Configs
// are filled.
func (c *Cluster) Topics(ctx context.Context, names ...string) (map[string]connectors.TopicInfo, error) {
	found, err := c.metadata(ctx, names)
	if err != nil {
		return nil, err
	}
	out := make(map[string]connectors.TopicInfo, len(found))
	for name, t := range found {
		if t.IsInternal && len(names) == 0 {
			continue
		}
		id := base64.RawURLEncoding.EncodeToString(t.TopicID[:])
		out[name] = connectors.TopicInfo{ID: id, Partitions: int32(len(t.Partitions))}
	}
	if len(names) > 0 {
		c.learn(ctx, found)
	}
	if connectors.WantsConfigs(ctx) {
		err = c.fillConfigs(ctx, out)
	}
	return out, err
}

// metadata asks the cluster anew; topics that do not exist are left out.
func (c *Cluster) metadata(ctx context.Context, names []string) (map[string]kmsg.MetadataResponseTopic, error) {
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, t)
	}
	if len(names) == 0 {
		req.Topics = nil
	}
	var out map[string]kmsg.MetadataResponseTopic
	err := retry(ctx, func() error {
		resp, err := req.RequestWith(ctx, c.cl)
		if err != nil {
			return explain(err, subject{doing: "list topics"})
		}
		out = make(map[string]kmsg.MetadataResponseTopic, len(resp.Topics))
		for _, t := range resp.Topics {
			err := kerr.ErrorForCode(t.ErrorCode)
			if errors.Is(err, kerr.UnknownTopicOrPartition) || t.Topic == nil {
				continue
			}
			if err != nil && (len(names) > 0 || !errors.Is(err, kerr.TopicAuthorizationFailed)) {
				return explain(err, subject{doing: "describe", topic: *t.Topic, operation: "DESCRIBE"})
			}
			out[*t.Topic] = t
		}
		return nil
	})
	return out, err
}

func (c *Cluster) fillConfigs(ctx context.Context, topics map[string]connectors.TopicInfo) error {
	if len(topics) == 0 {
		return nil
	}
	configs, err := c.adm.DescribeTopicConfigs(ctx, slices.Collect(maps.Keys(topics))...)
	if err != nil {
		return explain(err, subject{doing: "describe topics", operation: "DESCRIBE_CONFIGS"})
	}
	for _, r := range configs {
		if r.Err != nil {
			return explain(r.Err, subject{doing: "describe", topic: r.Name, operation: "DESCRIBE_CONFIGS"})
		}
		info := topics[r.Name]
		info.Configs = make(map[string]string, len(r.Configs))
		for _, kv := range r.Configs {
			info.Configs[kv.Key] = kv.MaybeValue()
		}
		topics[r.Name] = info
	}
	return nil
}

// Create makes the topics that do not exist, and waits until they can be used. Of those that exist only the partition
// count is compared (connectors.CheckPartitions).
func (c *Cluster) Create(ctx context.Context, specs ...connectors.TopicSpec) error {
	if len(specs) == 0 {
		return nil
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 15_000
	for _, s := range specs {
		t := kmsg.NewCreateTopicsRequestTopic()
		t.Topic = s.Name
		t.NumPartitions = orDefault(s.Partitions, -1)
		t.ReplicationFactor = orDefault(s.Replication, -1)
		for _, key := range slices.Sorted(maps.Keys(s.Configs)) {
			kv := kmsg.NewCreateTopicsRequestTopicConfig()
			kv.Name, kv.Value = key, kmsg.StringPtr(s.Configs[key])
			t.Configs = append(t.Configs, kv)
		}
		req.Topics = append(req.Topics, t)
	}
	resp, err := c.create(ctx, req)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range resp.Topics {
		err := kerr.ErrorForCode(t.ErrorCode)
		if err == nil || errors.Is(err, kerr.TopicAlreadyExists) {
			continue
		}
		if t.ErrorMessage != nil && *t.ErrorMessage != "" {
			err = fmt.Errorf("%w (%s)", err, *t.ErrorMessage)
		}
		errs = append(errs, explain(err, subject{doing: "create", topic: t.Topic, operation: "CREATE"}))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return c.usable(ctx, specs)
}

// usable waits until the metadata names every topic with a leader for every partition.
func (c *Cluster) usable(ctx context.Context, specs []connectors.TopicSpec) error {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	infos := make(map[string]connectors.TopicInfo, len(specs))
	var topics map[string]kmsg.MetadataResponseTopic
	err := retry(ctx, func() error {
		found, err := c.metadata(ctx, names)
		if err != nil {
			return err
		}
		topics = found
		for _, name := range names {
			t, ok := found[name]
			if !ok {
				return fmt.Errorf("topic %s was created, but the broker does not know it yet: %w", name, kerr.LeaderNotAvailable)
			}
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return explain(err, subject{doing: "create", topic: name})
				}
			}
			infos[name] = connectors.TopicInfo{Partitions: int32(len(t.Partitions))}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.learn(ctx, topics)
	return connectors.CheckPartitions(specs, infos)
}

// Delete removes topics; one that does not exist is no error.
func (c *Cluster) Delete(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	defer c.cl.PurgeTopicsFromClient(names...) // else writing to a topic created again under the name fails for ever
	resp, err := c.adm.DeleteTopics(ctx, names...)
	if err != nil {
		return explain(err, subject{doing: "delete topics"})
	}
	var errs []error
	for _, r := range resp.Sorted() {
		if r.Err != nil && !errors.Is(r.Err, kerr.UnknownTopicOrPartition) {
			errs = append(errs, explain(r.Err, subject{doing: "delete", topic: r.Topic, operation: "DELETE"}))
		}
	}
	return errors.Join(errs...)
}

// timestampBounds came with Kafka 3.6 (KIP-937); older brokers, which have no such bounds, refuse the name.
const timestampBounds = "message.timestamp.after.max.ms"

// create sends the request, and once more without settings that an old broker does not know.
func (c *Cluster) create(ctx context.Context, req *kmsg.CreateTopicsRequest) (*kmsg.CreateTopicsResponse, error) {
	resp, err := req.RequestWith(ctx, c.cl)
	if err != nil {
		return nil, explain(err, subject{doing: "create topics"})
	}
	old := slices.ContainsFunc(resp.Topics, func(t kmsg.CreateTopicsResponseTopic) bool {
		return errors.Is(kerr.ErrorForCode(t.ErrorCode), kerr.InvalidConfig)
	})
	if !old {
		return resp, nil
	}
	for i := range req.Topics {
		req.Topics[i].Configs = slices.DeleteFunc(req.Topics[i].Configs, func(c kmsg.CreateTopicsRequestTopicConfig) bool { return c.Name == timestampBounds })
	}
	if resp, err = req.RequestWith(ctx, c.cl); err != nil {
		return nil, explain(err, subject{doing: "create topics"})
	}
	return resp, nil
}
