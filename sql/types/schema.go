package types

import "math"

// Event time is an int64 of microseconds since 1970-01-01T00:00:00Z. Never stands for "before everything"
// (no watermark yet), Forever for "after everything". Both leave head-room for adding durations.
const (
	Never   int64 = math.MinInt64 / 4
	Forever int64 = math.MaxInt64 / 4
)

// Column is a named, typed column of a schema.
type Column struct {
	Name string
	Type Type
}

// Schema is an ordered list of columns and, for a table, the ordinals of its primary key: nil when it is not known, empty
// when there is one row at most.
type Schema struct {
	Columns []Column
	Key     []int
}

// Origin is where a record was first read: source topic (its index in the query's sorted list of sources),
// partition and offset. It breaks ties between equal event times.
type Origin struct {
	Source    int32
	Partition int32
	Offset    int64
}

// Compare orders origins by source, partition, offset.
func (o Origin) Compare(p Origin) int {
	switch {
	case o.Source != p.Source:
		return cmpInt(int64(o.Source), int64(p.Source))
	case o.Partition != p.Partition:
		return cmpInt(int64(o.Partition), int64(p.Partition))
	}
	return cmpInt(o.Offset, p.Offset)
}

func cmpInt(a, b int64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}
