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
		dst = vector.AppendOrigin(dst, b.Origin[i])
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
	dst = vector.AppendNullable(dst, r.Key)
	dst = vector.AppendNullable(dst, r.Value)
	dst = binary.AppendUvarint(dst, uint64(len(r.Headers)))
	for i := range r.Headers {
		h := &r.Headers[i]
		dst = append(binary.AppendUvarint(dst, uint64(len(h.Key))), h.Key...)
		dst = vector.AppendNullable(dst, h.Value)
	}
	return dst
}

// RowOrder reads what orders an encoded row.
func RowOrder(data []byte) (ts int64, o types.Origin, err error) {
	r := vector.Reader{Rest: data}
	flags := r.Byte()
	ts = r.Varint()
	if flags&hasOrigin != 0 {
		o = r.Origin()
	}
	return ts, o, corrupt(&r)
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
	r := vector.Reader{Rest: data}
	flags := r.Byte()
	b.Time = append(b.Time, r.Varint())
	if flags&hasOrigin != 0 || b.Origin != nil {
		b.Origin = pad(b.Origin, b.N, types.Origin{})
		var o types.Origin
		if flags&hasOrigin != 0 {
			o = r.Origin()
		}
		b.Origin = append(b.Origin, o)
	}
	if flags&hasSeen != 0 || b.Seen != nil {
		b.Seen = pad(b.Seen, b.N, types.Never)
		seen := types.Never
		if flags&hasSeen != 0 {
			seen = r.Varint()
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
	if r.Err() != nil {
		return ErrRow
	}
	b.N++
	r.Row(b.Cols)
	if len(r.Rest) > 0 {
		r.Fail()
	}
	return corrupt(&r)
}

func corrupt(r *vector.Reader) error {
	if r.Err() != nil {
		return ErrRow
	}
	return nil
}

func pad[T any](s []T, n int, neutral T) []T {
	for len(s) < n {
		s = append(s, neutral)
	}
	return s
}

func (d *RowReader) raw(r *vector.Reader) vector.Raw {
	raw := vector.Raw{Key: d.keep(r.Nullable()), Value: d.keep(r.Nullable())}
	n := r.Count()
	if n == 0 {
		return raw
	}
	if cap(d.headers)-len(d.headers) < n {
		d.headers = make([]vector.Header, 0, max(n, 256))
	}
	from := len(d.headers)
	for range n {
		d.headers = append(d.headers, vector.Header{Key: string(r.Bytes()), Value: d.keep(r.Nullable())})
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
