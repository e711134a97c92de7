package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
)

// fetcher sends Fetch requests for one partition to its leader, outside the consumer of the client: the position, which
// empty and aborted batches advance too, is then known exactly.
type fetcher struct {
	c      *Cluster
	p      connectors.Partition
	id     [16]byte
	leader int32
	level  kgo.IsolationLevel
	wait   time.Duration
	bytes  int32
}

// fetched is the answer at a position: records from there on, and the position after them.
type fetched struct {
	records []*kgo.Record // with control records
	next    int64
	end     int64 // high watermark
}

// final hides an error from retry.
type final struct{ error }

var errNoLeader = fmt.Errorf("partition has no leader: %w", kerr.LeaderNotAvailable)

func (c *Cluster) fetcher(ctx context.Context, p connectors.Partition, level kgo.IsolationLevel) (*fetcher, error) {
	f := &fetcher{c: c, p: p, level: level, leader: -1, wait: c.o.FetchMaxWait, bytes: 8 << 20}
	return f, f.locate(ctx)
}

// locate finds the leader. A topic that changed its id since the first time was created again.
func (f *fetcher) locate(ctx context.Context) error {
	found, err := f.c.metadata(ctx, []string{f.p.Topic})
	if err != nil {
		return err
	}
	t, ok := found[f.p.Topic]
	if !ok {
		return noTopic(f.p.Topic)
	}
	if f.id == ([16]byte{}) {
		f.id = t.TopicID
	}
	if t.TopicID != f.id {
		return final{explain(kerr.UnknownTopicID, subject{topic: f.p.Topic})}
	}
	for _, p := range t.Partitions {
		if p.Partition == f.p.Partition {
			if f.leader = p.Leader; f.leader < 0 {
				return errNoLeader
			}
			return nil
		}
	}
	return fmt.Errorf("topic %s has no partition %d: %w", f.p.Topic, f.p.Partition, kerr.UnknownTopicOrPartition)
}

// at fetches once at offset, following the leader. OFFSET_OUT_OF_RANGE comes as *connectors.ErrOffsetGone.
func (f *fetcher) at(ctx context.Context, offset int64) (fetched, error) {
	var out fetched
	err := retry(ctx, func() error {
		if f.leader < 0 {
			if err := f.locate(ctx); err != nil {
				return err
			}
		}
		resp, err := f.c.cl.Broker(int(f.leader)).RetriableRequest(ctx, f.request(offset))
		if err != nil {
			f.leader = -1
			if ctx.Err() != nil || !kgo.IsRetryableBrokerErr(err) {
				return explain(err, subject{doing: "read", topic: f.p.Topic})
			}
			return fmt.Errorf("%w: %w", kerr.LeaderNotAvailable, err)
		}
		out, err = f.decode(resp.(*kmsg.FetchResponse), offset)
		if err != nil && passing(err) {
			f.leader = -1
		}
		return err
	})
	if f, ok := errors.AsType[final](err); ok {
		err = f.error
	}
	if errors.Is(err, kerr.OffsetOutOfRange) {
		err = f.c.gone(ctx, f.p, offset, err)
	}
	return out, err
}

func (f *fetcher) request(offset int64) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis = int32(f.wait.Milliseconds())
	req.MinBytes = 1
	req.MaxBytes = f.bytes
	if f.level == kgo.ReadCommitted() {
		req.IsolationLevel = 1
	}
	req.SessionEpoch = -1
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = f.p.Topic, f.id
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = f.p.Partition, offset, f.bytes
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	return req
}

func (f *fetcher) decode(resp *kmsg.FetchResponse, offset int64) (fetched, error) {
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return fetched{}, err
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return fetched{}, fmt.Errorf("the broker answered a fetch of topic %s partition %d without it", f.p.Topic, f.p.Partition)
	}
	fp, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		KeepControlRecords: true,
		Offset:             offset,
		IsolationLevel:     f.level,
		Topic:              f.p.Topic,
		Partition:          f.p.Partition,
	}, &resp.Topics[0].Partitions[0], kgo.DefaultDecompressor(), nil)
	if fp.Err != nil {
		if errors.Is(fp.Err, kerr.OffsetOutOfRange) {
			return fetched{}, fp.Err
		}
		return fetched{}, explain(fp.Err, subject{doing: "read", topic: f.p.Topic})
	}
	return fetched{records: fp.Records, next: next, end: fp.HighWatermark}, nil
}

// gone describes an offset that is out of range, with the log's bounds when they can be had.
func (c *Cluster) gone(ctx context.Context, p connectors.Partition, wanted int64, cause error) error {
	e := &connectors.ErrOffsetGone{Partition: p, Wanted: wanted, Start: -1, End: -1}
	starts, err := c.Starts(ctx, p)
	if err != nil {
		return errors.Join(cause, err)
	}
	ends, err := c.Ends(ctx, p)
	if err != nil {
		return errors.Join(cause, err)
	}
	e.Start, e.End = starts[p], ends[p]
	return e
}
