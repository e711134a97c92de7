// Package wire is what travels through repartition topics: records that each hold many rows of one shuffle for one
// partition, and control records with the watermarks of the upstream tasks (semantics S4). Nothing demands one row per
// Kafka record here: packing rows takes the broker's and the client's cost per record off every row.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// The first byte of a record says what it is.
const (
	rowsV1    byte = 1
	controlV1 byte = 2
)

// ErrFormat is returned for a record that this version cannot read.
var ErrFormat = errors.New("unknown format of a repartition record: was the topic written by another version?")

// Layout says what rows of a shuffle carry besides their columns; both ends know it from the plan.
type Layout struct {
	Columns             []types.Type
	Origin              bool
	Key, Value, Headers bool
	Deletes             bool // a table: rows may be tombstones
}

func (l Layout) raw() bool { return l.Key || l.Value || l.Headers }

// RowWriter packs rows of one partition into a record.
type RowWriter struct {
	layout Layout
	buf    []byte
	rows   int
	lastTS int64
}

// NewRowWriter makes an empty writer.
func NewRowWriter(l Layout) *RowWriter { return &RowWriter{layout: l} }

// Len is the size so far, bytes; 0 when there are no rows.
func (w *RowWriter) Len() int { return len(w.buf) }

// Take returns the record's value and starts a new one. The writer keeps no reference.
func (w *RowWriter) Take() []byte {
	b := w.buf
	w.buf, w.rows, w.lastTS = make([]byte, 0, min(cap(b), 1<<18)), 0, 0
	return b
}

// Append adds row i of b.
func (w *RowWriter) Append(b *vector.Batch, i int) {
	d := w.buf
	if len(d) == 0 {
		d = append(d, rowsV1)
	}
	ts := b.Time[i]
	d = binary.AppendVarint(d, ts-w.lastTS)
	w.lastTS = ts
	d = appendSeen(d, b, i, ts)
	if w.layout.Deletes {
		d = append(d, boolByte(b.Deleted != nil && b.Deleted[i]))
	}
	if w.layout.Origin {
		var o types.Origin // rows that were computed have none
		if b.Origin != nil {
			o = b.Origin[i]
		}
		d = binary.AppendUvarint(d, uint64(o.Source))
		d = binary.AppendUvarint(d, uint64(o.Partition))
		d = binary.AppendUvarint(d, uint64(o.Offset))
	}
	d = vector.AppendRow(d, b.Cols, i)
	if w.layout.raw() {
		var r vector.Raw // rows that were computed are of no record
		if b.Raw != nil {
			r = b.Raw[i]
		}
		d = w.appendRaw(d, &r)
	}
	w.buf = d
	w.rows++
}

// appendSeen writes ts - Seen, which is small, shifted by one; 0 stands for types.Never.
func appendSeen(d []byte, b *vector.Batch, i int, ts int64) []byte {
	if b.Seen == nil || b.Seen[i] == types.Never {
		return append(d, 0)
	}
	delta := ts - b.Seen[i]
	if delta >= 0 {
		delta++
	}
	return binary.AppendVarint(d, delta)
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func (w *RowWriter) appendRaw(d []byte, r *vector.Raw) []byte {
	if w.layout.Key {
		d = vector.AppendNullable(d, r.Key)
	}
	if w.layout.Value {
		d = vector.AppendNullable(d, r.Value)
	}
	if w.layout.Headers {
		d = binary.AppendUvarint(d, uint64(len(r.Headers)))
		for _, h := range r.Headers {
			d = vector.AppendNullable(d, []byte(h.Key))
			d = vector.AppendNullable(d, h.Value)
		}
	}
	return d
}

// IsControl says whether a record's value is a control record.
func IsControl(value []byte) bool { return len(value) > 0 && value[0] == controlV1 }

// ReadRows appends the rows of a record to b, whose columns have the layout's types. Raw bytes share value's memory.
func ReadRows(value []byte, l Layout, b *vector.Batch) error {
	if len(value) == 0 || value[0] != rowsV1 {
		return ErrFormat
	}
	r := vector.Reader{Rest: value[1:]}
	var ts int64
	for len(r.Rest) > 0 {
		ts += r.Varint()
		b.Time = append(b.Time, ts)
		b.Seen = append(b.Seen, readSeen(&r, ts))
		if l.Deletes {
			b.Deleted = append(b.Deleted, r.Byte() == 1)
		}
		if l.Origin {
			b.Origin = append(b.Origin, types.Origin{Source: int32(r.Uvarint()), Partition: int32(r.Uvarint()), Offset: int64(r.Uvarint())})
		}
		r.Row(b.Cols)
		if l.raw() {
			b.Raw = append(b.Raw, readRaw(&r, l))
		}
		if r.Err() == nil {
			b.N++
		}
	}
	return truncated(&r)
}

// readSeen reads what appendSeen wrote.
func readSeen(r *vector.Reader, ts int64) int64 {
	delta := r.Varint()
	switch {
	case delta == 0:
		return types.Never
	case delta > 0:
		delta--
	}
	return ts - delta
}

func readRaw(r *vector.Reader, l Layout) (raw vector.Raw) {
	if l.Key {
		raw.Key = r.Nullable()
	}
	if l.Value {
		raw.Value = r.Nullable()
	}
	if l.Headers {
		for n := r.Count(); n > 0 && r.Err() == nil; n-- {
			key := string(r.Nullable())
			raw.Headers = append(raw.Headers, vector.Header{Key: key, Value: r.Nullable()})
		}
	}
	return raw
}

// truncated is the error of a record that r could not read to its end.
func truncated(r *vector.Reader) error {
	if r.Err() != nil {
		return fmt.Errorf("%w: truncated", ErrFormat)
	}
	return nil
}
