package vector

import "github.com/streamsql-go/streamsql/sql/types"

// NewBatch is an empty batch with one column per type and room for capacity rows; per-row slices other than Time are nil.
func NewBatch(cols []types.Type, capacity int) *Batch {
	b := &Batch{Cols: make([]*Vector, len(cols)), Time: make([]int64, 0, capacity)}
	for i, t := range cols {
		b.Cols[i] = New(t, capacity)
	}
	return b
}

// Reset empties the batch and keeps its memory. Per-row slices that are nil stay nil. The bytes of Raw are let go.
func (b *Batch) Reset() {
	b.N = 0
	for _, c := range b.Cols {
		c.Reset()
	}
	clear(b.Raw)
	b.Time, b.Seen, b.Deleted = b.Time[:0], b.Seen[:0], b.Deleted[:0]
	b.Origin, b.Raw = b.Origin[:0], b.Raw[:0]
}

// Slice is rows [from, to), sharing the memory of b.
func (b *Batch) Slice(from, to int) *Batch {
	s := &Batch{N: to - from, Cols: make([]*Vector, len(b.Cols))}
	for i, c := range b.Cols {
		s.Cols[i] = c.Slice(from, to)
	}
	s.Time = slice(b.Time, from, to)
	s.Seen = slice(b.Seen, from, to)
	s.Deleted = slice(b.Deleted, from, to)
	s.Origin = slice(b.Origin, from, to)
	s.Raw = slice(b.Raw, from, to)
	return s
}

func slice[T any](s []T, from, to int) []T {
	if s == nil {
		return nil
	}
	return s[from:to:to]
}

// Select is a new batch of the given rows of b, in the given order.
func (b *Batch) Select(rows []int32) *Batch {
	s := &Batch{N: len(rows), Cols: make([]*Vector, len(b.Cols))}
	for i, c := range b.Cols {
		s.Cols[i] = c.Select(rows)
	}
	s.Time = pick(b.Time, rows)
	s.Seen = pick(b.Seen, rows)
	s.Deleted = pick(b.Deleted, rows)
	s.Origin = pick(b.Origin, rows)
	s.Raw = pick(b.Raw, rows)
	return s
}

func pick[T any](s []T, rows []int32) []T {
	if s == nil {
		return nil
	}
	return gather(make([]T, 0, len(rows)), s, rows)
}

// AppendSelect adds the given rows of src, a batch of the same columns. A per-row slice that only one of the two batches
// has is filled with its neutral value for the other's rows: Seen types.Never, Deleted false, the rest zero.
func (b *Batch) AppendSelect(src *Batch, rows []int32) {
	for i, c := range b.Cols {
		c.AppendSelect(src.Cols[i], rows)
	}
	b.Time = appendPicked(b.Time, src.Time, rows, b.N, 0)
	b.Seen = appendPicked(b.Seen, src.Seen, rows, b.N, types.Never)
	b.Deleted = appendPicked(b.Deleted, src.Deleted, rows, b.N, false)
	b.Origin = appendPicked(b.Origin, src.Origin, rows, b.N, types.Origin{})
	b.Raw = appendPicked(b.Raw, src.Raw, rows, b.N, Raw{})
	b.N += len(rows)
}

// AppendFrom adds row i of src, a batch of the same columns, like AppendSelect.
func (b *Batch) AppendFrom(src *Batch, i int) {
	rows := [1]int32{int32(i)}
	b.AppendSelect(src, rows[:])
}

func appendPicked[T any](dst, src []T, rows []int32, n int, neutral T) []T {
	if src == nil && len(dst) < n || src == nil && dst == nil {
		return dst
	}
	for len(dst) < n {
		dst = append(dst, neutral)
	}
	if src != nil {
		return gather(dst, src, rows)
	}
	for range rows {
		dst = append(dst, neutral)
	}
	return dst
}

// ConcatBatches is the rows of all batches, which have the same columns, in order. There must be at least one.
func ConcatBatches(bs ...*Batch) *Batch {
	n := 0
	kinds := make([]types.Type, len(bs[0].Cols))
	for i, c := range bs[0].Cols {
		kinds[i] = c.Type
	}
	for _, b := range bs {
		n += b.N
	}
	out := NewBatch(kinds, n)
	for _, b := range bs {
		rows := make([]int32, b.N)
		for i := range rows {
			rows[i] = int32(i)
		}
		out.AppendSelect(b, rows)
	}
	return out
}
