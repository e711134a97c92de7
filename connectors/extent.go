package connectors

import "context"

// PartitionsOf are the first n partitions of a topic.
func PartitionsOf(topic string, n int32) []Partition {
	out := make([]Partition, n)
	for i := range out {
		out[i] = Partition{Topic: topic, Partition: int32(i)}
	}
	return out
}

// Extent is what a cluster holds of partitions: log start and read_uncommitted end offsets.
func Extent(ctx context.Context, c Cluster, ps ...Partition) (starts, ends map[Partition]int64, err error) {
	if starts, err = c.Starts(ctx, ps...); err != nil {
		return nil, nil, err
	}
	ends, err = c.Ends(ctx, ps...)
	return starts, ends, err
}
