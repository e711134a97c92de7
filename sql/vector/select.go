package vector

import "github.com/streamsql-go/streamsql/sql/types"

// Slice is rows [from, to), sharing the memory of v.
func (v *Vector) Slice(from, to int) *Vector {
	s := &Vector{Type: v.Type}
	if v.Nulls != nil {
		s.Nulls = v.Nulls[from:to:to]
	}
	switch v.Type.Physical() {
	case types.PhysInt:
		s.Ints = v.Ints[from:to:to]
	case types.PhysFloat:
		s.Floats = v.Floats[from:to:to]
	case types.PhysDec:
		s.Decs = v.Decs[from:to:to]
	case types.PhysBytes:
		if len(v.Bytes.Off) > 0 {
			s.Bytes.Off = v.Bytes.Off[from : to+1 : to+1]
		}
		s.Bytes.Data = v.Bytes.Data
	}
	return s
}

// Select is a new vector of the given rows of v, in the given order.
func (v *Vector) Select(rows []int32) *Vector {
	s := New(v.Type, len(rows))
	s.AppendSelect(v, rows)
	return s
}

// AppendSelect adds the given rows of src, a vector of the same type.
func (v *Vector) AppendSelect(src *Vector, rows []int32) {
	if src.Nulls != nil {
		v.growNulls()
		v.Nulls = gather(v.Nulls, src.Nulls, rows)
	} else if v.Nulls != nil {
		v.Nulls = append(v.Nulls, make([]bool, len(rows))...)
	}
	switch v.Type.Physical() {
	case types.PhysInt:
		v.Ints = gather(v.Ints, src.Ints, rows)
	case types.PhysFloat:
		v.Floats = gather(v.Floats, src.Floats, rows)
	case types.PhysDec:
		v.Decs = gather(v.Decs, src.Decs, rows)
	case types.PhysBytes:
		for _, r := range rows {
			v.Bytes.Append(src.Bytes.At(int(r)))
		}
	}
}

func gather[T any](dst, src []T, rows []int32) []T {
	for _, r := range rows {
		dst = append(dst, src[r])
	}
	return dst
}

// Concat is the rows of all vectors, which have one type, in order. There must be at least one.
func Concat(vs ...*Vector) *Vector {
	n := 0
	for _, v := range vs {
		n += v.Len()
	}
	out := New(vs[0].Type, n)
	for _, v := range vs {
		out.AppendAll(v)
	}
	return out
}
