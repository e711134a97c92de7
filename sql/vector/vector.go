// Package vector holds what flows through the engine: typed columns and batches of them.
package vector

import "github.com/streamsql-go/streamsql/sql/types"

// Vector is one column of a batch. Which slice is filled depends on Type.Physical(). A vector is immutable once it has
// been handed to another operator; it may be shared between batches.
type Vector struct {
	Type   types.Type
	Nulls  []bool // nil: no value is NULL; else one per row. The slot of a NULL holds the zero value.
	Ints   []int64
	Floats []float64
	Decs   []types.Int128
	Bytes  Bytes

	spare []bool // memory for Nulls, kept by Reset
}

// Bytes is a column of byte strings in one allocation: value i is Data[Off[i]:Off[i+1]], len(Off) is rows+1 (or 0 for none).
type Bytes struct {
	Off  []uint32
	Data []byte
}

// At returns value i, which must not be changed.
func (b *Bytes) At(i int) []byte { return b.Data[b.Off[i]:b.Off[i+1]:b.Off[i+1]] }

// Append adds a value at the end.
func (b *Bytes) Append(v []byte) {
	if len(b.Off) == 0 {
		b.Off = append(b.Off, 0)
	}
	b.Data = append(b.Data, v...)
	b.Off = append(b.Off, uint32(len(b.Data)))
}

// Header is one Kafka record header.
type Header struct {
	Key   string
	Value []byte
}

// Raw is the record a row came from, as far as the plan carries it (plan.Carry): the bytes are shared, not copied.
// A nil Key or Value is Kafka's null.
type Raw struct {
	Key, Value []byte
	Headers    []Header
}

// Batch is rows of one input in order. All slices that are not nil have N entries.
type Batch struct {
	N    int
	Cols []*Vector
	// Time is the event time of each row, microseconds.
	Time []int64
	// Seen is, for each row, the watermark of its own source partition just before the row (semantics S3): a row is late
	// for a horizon h iff Seen >= h-1. types.Never: nothing was seen, or the row can never be late. Nil: all Never.
	Seen []int64
	// Deleted marks tombstones in a batch of table changes: only the key columns are set. Nil: none.
	Deleted []bool
	// Origin is where each row was first read, when an operator downstream orders by it. Nil: not carried.
	Origin []types.Origin
	// Raw is the source record of each row, as far as the plan carries it. Nil: not carried.
	Raw []Raw
}
