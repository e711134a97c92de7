package op

import (
	"encoding/binary"
	"errors"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// ErrRow is returned for a withheld row that cannot be read back.
var ErrRow = errors.New("corrupt row in state: restore it from the changelog")

// What is in a row's encoding besides ts and columns.
const (
	hasOrigin = 1 << iota
	hasSeen
	hasRaw
)

// AppendRow appends the whole of row i: what travels with it (ts, origin, Seen, source record, as far as the batch has
// them) and its columns. Tombstones are not withheld and have no encoding.
//
//	flags | ts | [source partition offset] | [seen] | [key value headers] | vector.AppendRow
func AppendRow(dst []byte, b *vector.Batch, i int) []byte {
	var flags byte
	if b.Origin != nil {
		flags |= hasOrigin
	}
	if b.Seen != nil && b.Seen[i] > types.Never {
		flags |= hasSeen
	}
	if b.Raw != nil {
		flags |= hasRaw
	}
	dst = binary.AppendVarint(append(dst, flags), b.Time[i])
	if flags&hasOrigin != 0 {
		o := b.Origin[i]
		dst = binary.AppendVarint(dst, int64(o.Source))
		dst = binary.AppendVarint(dst, int64(o.Partition))
		dst = binary.AppendVarint(dst, o.Offset)
	}
	if flags&hasSeen != 0 {
		dst = binary.AppendVarint(dst, b.Seen[i])
	}
	if flags&hasRaw != 0 {
		dst = appendRaw(dst, &b.Raw[i])
	}
	return vector.AppendRow(dst, b.Cols, i)
}

func appendRaw(dst []byte, r *vector.Raw) []byte {
	dst = appendNullable(dst, r.Key)
	dst = appendNullable(dst, r.Value)
	dst = binary.AppendUvarint(dst, uint64(len(r.Headers)))
	for i := range r.Headers {
		h := &r.Headers[i]
		dst = binary.AppendUvarint(dst, uint64(len(h.Key)))
		dst = append(dst, h.Key...)
		dst = appendNullable(dst, h.Value)
	}
	return dst
}

// appendNullable writes length+1, 0 for nil: a null key is not an empty one.
func appendNullable(dst, x []byte) []byte {
	if x == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(x))+1)
	return append(dst, x...)
}

// RowOrder reads what orders an encoded row.
func RowOrder(data []byte) (ts int64, o types.Origin, err error) {
	r := rowReader{data: data}
	flags := r.flags()
	ts = r.varint()
	if flags&hasOrigin != 0 {
		o = r.origin()
	}
	return ts, o, r.err
}

// RowReader appends encoded rows to a batch of the right columns.
type RowReader struct {
	// arena holds the bytes of source records. It is never written again: a sink may keep them longer than the batch.
	arena   []byte
	headers []vector.Header
}

const arenaBytes = 64 << 10

// Append appends the row to b. What only some rows of b have is filled with its neutral value in the others.
func (d *RowReader) Append(b *vector.Batch, data []byte) error {
	r := rowReader{data: data}
	flags := r.flags()
	b.Time = append(b.Time, r.varint())
	if flags&hasOrigin != 0 || b.Origin != nil {
		b.Origin = pad(b.Origin, b.N, types.Origin{})
		var o types.Origin
		if flags&hasOrigin != 0 {
			o = r.origin()
		}
		b.Origin = append(b.Origin, o)
	}
	if flags&hasSeen != 0 || b.Seen != nil {
		b.Seen = pad(b.Seen, b.N, types.Never)
		seen := types.Never
		if flags&hasSeen != 0 {
			seen = r.varint()
		}
		b.Seen = append(b.Seen, seen)
	}
	if flags&hasRaw != 0 || b.Raw != nil {
		b.Raw = pad(b.Raw, b.N, vector.Raw{})
		var raw vector.Raw
		if flags&hasRaw != 0 {
			raw = d.raw(&r)
		}
		b.Raw = append(b.Raw, raw)
	}
	if r.err != nil {
		return r.err
	}
	b.N++
	rest, err := vector.DecodeRow(r.data, b.Cols)
	if err == nil && len(rest) > 0 {
		err = ErrRow
	}
	return err
}

func pad[T any](s []T, n int, neutral T) []T {
	for len(s) < n {
		s = append(s, neutral)
	}
	return s
}

func (d *RowReader) raw(r *rowReader) vector.Raw {
	raw := vector.Raw{Key: d.keep(r.nullable()), Value: d.keep(r.nullable())}
	count := r.uvarint()
	if count > uint64(len(r.data)) {
		r.err = ErrRow
	}
	if count == 0 || r.err != nil {
		return raw
	}
	n := int(count)
	if cap(d.headers)-len(d.headers) < n {
		d.headers = make([]vector.Header, 0, max(n, 256))
	}
	from := len(d.headers)
	for range n {
		d.headers = append(d.headers, vector.Header{Key: string(r.bytes(r.uvarint())), Value: d.keep(r.nullable())})
	}
	raw.Headers = d.headers[from:len(d.headers):len(d.headers)]
	return raw
}

func (d *RowReader) keep(x []byte) []byte {
	if len(x) == 0 {
		return x[:0:0]
	}
	if cap(d.arena)-len(d.arena) < len(x) {
		d.arena = make([]byte, 0, max(arenaBytes, len(x)))
	}
	from := len(d.arena)
	d.arena = append(d.arena, x...)
	return d.arena[from:len(d.arena):len(d.arena)]
}

type rowReader struct {
	data []byte
	err  error
}

func (r *rowReader) flags() byte {
	if len(r.data) == 0 {
		r.err = ErrRow
		return 0
	}
	f := r.data[0]
	r.data = r.data[1:]
	return f
}

func (r *rowReader) varint() int64 {
	x, n := binary.Varint(r.data)
	if n <= 0 {
		r.err, r.data = ErrRow, nil
		return 0
	}
	r.data = r.data[n:]
	return x
}

func (r *rowReader) uvarint() uint64 {
	x, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.err, r.data = ErrRow, nil
		return 0
	}
	r.data = r.data[n:]
	return x
}

func (r *rowReader) origin() types.Origin {
	return types.Origin{Source: int32(r.varint()), Partition: int32(r.varint()), Offset: r.varint()}
}

func (r *rowReader) bytes(n uint64) []byte {
	if n > uint64(len(r.data)) {
		r.err, r.data = ErrRow, nil
		return nil
	}
	x := r.data[:n:n]
	r.data = r.data[n:]
	return x
}

func (r *rowReader) nullable() []byte {
	n := r.uvarint()
	if n == 0 {
		return nil
	}
	return r.bytes(n - 1)
}
