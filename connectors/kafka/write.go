package kafka

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamsql-go/streamsql/connectors"
)

// Write appends records, each to its Partition, with an idempotent producer and acks=all, and returns their offsets in
// the order of records. On an error the records it does not name may have been written.
func (c *Cluster) Write(ctx context.Context, records ...connectors.Record) ([]int64, error) {
	rs := make([]*kgo.Record, len(records))
	slab := make([]kgo.Record, len(records))
	for i := range records {
		toClient(&slab[i], &records[i])
		rs[i] = &slab[i]
	}
	if len(rs) == 0 {
		return nil, nil
	}
	for _, res := range c.cl.ProduceSync(ctx, rs...) {
		if errors.Is(res.Err, kerr.UnknownTopicID) { // the next Write is to the topic that bears the name now
			c.cl.PurgeTopicsFromClient(res.Record.Topic)
		}
		if res.Err != nil {
			return nil, explain(res.Err, subject{doing: "write", topic: res.Record.Topic, operation: "WRITE"})
		}
	}
	offsets := make([]int64, len(rs))
	for i, r := range rs {
		offsets[i] = r.Offset
	}
	return offsets, nil
}

// DeleteBefore trims partitions to start at the given offsets (KIP-107). A topic with cleanup.policy=compact alone is
// refused by real brokers (POLICY_VIOLATION), and the DELETE permission is needed; nothing but space depends on it.
func (c *Cluster) DeleteBefore(ctx context.Context, before map[connectors.Partition]int64) error {
	if len(before) == 0 {
		return nil
	}
	offsets := make(kadm.Offsets)
	for p, at := range before {
		offsets.AddOffset(p.Topic, p.Partition, at, -1)
	}
	resp, err := c.adm.DeleteRecords(ctx, offsets)
	if err != nil {
		return explain(err, subject{doing: "delete records", operation: "DELETE"})
	}
	var errs []error
	seen := make(map[string]bool) // one error per topic says it all
	for _, r := range resp.Sorted() {
		if r.Err != nil && !seen[r.Topic] {
			seen[r.Topic] = true
			errs = append(errs, explain(r.Err, subject{doing: "delete records of", topic: r.Topic, operation: "DELETE"}))
		}
	}
	return errors.Join(errs...)
}
