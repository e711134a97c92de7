package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
)

// The ListOffsets timestamps that stand for the ends of a log (KIP-79).
const (
	atStart = -2
	atEnd   = -1
)

// Starts are the log start offsets.
func (c *Cluster) Starts(ctx context.Context, ps ...connectors.Partition) (map[connectors.Partition]int64, error) {
	return c.list(ctx, atStart, ps)
}

// Ends are the read_uncommitted end offsets: open transactions are below them.
func (c *Cluster) Ends(ctx context.Context, ps ...connectors.Partition) (map[connectors.Partition]int64, error) {
	return c.list(ctx, atEnd, ps)
}

// OffsetsAt is the offset of the first record at or after millis, or the end where there is none.
func (c *Cluster) OffsetsAt(ctx context.Context, millis int64, ps ...connectors.Partition) (map[connectors.Partition]int64, error) {
	if millis < 0 {
		return nil, fmt.Errorf("offsets at %d ms: want a time at or after 1970", millis)
	}
	out, err := c.list(ctx, millis, ps)
	if err != nil {
		return nil, err
	}
	var none []connectors.Partition
	for p, offset := range out {
		if offset < 0 {
			none = append(none, p)
		}
	}
	if len(none) == 0 {
		return out, nil
	}
	ends, err := c.list(ctx, atEnd, none)
	for p, end := range ends {
		out[p] = end
	}
	return out, err
}

func (c *Cluster) list(ctx context.Context, at int64, ps []connectors.Partition) (map[connectors.Partition]int64, error) {
	out := make(map[connectors.Partition]int64, len(ps))
	left := ps
	if len(ps) == 0 {
		return out, nil
	}
	err := retry(ctx, func() error {
		resp, err := listRequest(at, left).RequestWith(ctx, c.cl)
		if err != nil {
			return explain(err, subject{doing: "list offsets of", topic: left[0].Topic})
		}
		left = left[:0:0]
		var passes error
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				key := connectors.Partition{Topic: t.Topic, Partition: p.Partition}
				err := kerr.ErrorForCode(p.ErrorCode)
				switch {
				case err == nil:
					out[key] = p.Offset
				case passing(err):
					left = append(left, key)
					passes = explain(err, subject{doing: "list offsets of", topic: t.Topic})
				default:
					return explain(err, subject{doing: "read", topic: t.Topic, operation: "DESCRIBE"})
				}
			}
		}
		return passes
	})
	if err != nil {
		return nil, err
	}
	for _, p := range ps {
		if _, ok := out[p]; !ok {
			return nil, fmt.Errorf("the broker left topic %s partition %d out of its answer", p.Topic, p.Partition)
		}
	}
	return out, nil
}

func listRequest(at int64, ps []connectors.Partition) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	index := make(map[string]int)
	for _, p := range ps {
		i, ok := index[p.Topic]
		if !ok {
			i = len(req.Topics)
			index[p.Topic] = i
			t := kmsg.NewListOffsetsRequestTopic()
			t.Topic = p.Topic
			req.Topics = append(req.Topics, t)
		}
		rp := kmsg.NewListOffsetsRequestTopicPartition()
		rp.Partition, rp.Timestamp = p.Partition, at
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, rp)
	}
	return req
}

// Committed are the group's committed offsets. It waits for transactions that hold offsets of the group (KIP-447's
// require-stable), at most 30 s.
func (c *Cluster) Committed(ctx context.Context, group string) (map[connectors.Partition]connectors.Offset, error) {
	var out map[connectors.Partition]connectors.Offset
	err := retry(ctx, func() error {
		req := kmsg.NewPtrOffsetFetchRequest()
		req.RequireStable = true
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group = group
		req.Groups = append(req.Groups, g)
		resp, err := req.RequestWith(ctx, c.cl)
		if err == nil {
			err = kerr.ErrorForCode(resp.ErrorCode)
		}
		if err != nil {
			return explain(err, subject{doing: "read", group: group})
		}
		out, err = committedIn(resp, nil, refuse)
		return explain(err, subject{doing: "read", group: group})
	})
	return out, err
}

// committedIn reads an answer for one group; names resolves topics that it gives by id only. bad is told of partitions
// that have an error and decides whether they end it.
func committedIn(resp *kmsg.OffsetFetchResponse, names map[[16]byte]string,
	bad func(connectors.Partition, error) error) (map[connectors.Partition]connectors.Offset, error) {
	out := make(map[connectors.Partition]connectors.Offset)
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return nil, err
		}
		for _, t := range g.Topics {
			name := orDefault(t.Topic, names[t.TopicID])
			for _, p := range t.Partitions {
				key := connectors.Partition{Topic: name, Partition: p.Partition}
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					if err := bad(key, err); err != nil {
						return nil, err
					}
					continue
				}
				if p.Offset < 0 {
					continue
				}
				o := connectors.Offset{At: p.Offset}
				if p.Metadata != nil {
					o.Metadata = *p.Metadata
				}
				out[key] = o
			}
		}
	}
	return out, nil
}

func refuse(p connectors.Partition, err error) error {
	return fmt.Errorf("topic %s partition %d: %w", p.Topic, p.Partition, err)
}

func passOver(connectors.Partition, error) error { return nil }

// DeleteGroup forgets a group without members; one that does not exist is no error. It needs DELETE on Group.
func (c *Cluster) DeleteGroup(ctx context.Context, group string) error {
	return retry(ctx, func() error {
		_, err := c.adm.DeleteGroup(ctx, group)
		if errors.Is(err, kerr.GroupIDNotFound) {
			return nil
		}
		return explain(err, subject{doing: "delete", group: group, operation: "DELETE"})
	})
}
