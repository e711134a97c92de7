package vector

import "github.com/streamsql-go/streamsql/sql/types"

// New is an empty vector with room for capacity rows.
func New(t types.Type, capacity int) *Vector {
	v := &Vector{Type: t}
	switch t.Physical() {
	case types.PhysInt:
		v.Ints = make([]int64, 0, capacity)
	case types.PhysFloat:
		v.Floats = make([]float64, 0, capacity)
	case types.PhysDec:
		v.Decs = make([]types.Int128, 0, capacity)
	case types.PhysBytes:
		v.Bytes.Off = append(make([]uint32, 0, capacity+1), 0)
	}
	return v
}

// FromValues is a vector of the given values, which must be of type t or NULL.
func FromValues(t types.Type, values ...types.Value) *Vector {
	v := New(t, len(values))
	for _, x := range values {
		v.Append(x)
	}
	return v
}

// Len is the number of rows.
func (v *Vector) Len() int {
	switch v.Type.Physical() {
	case types.PhysInt:
		return len(v.Ints)
	case types.PhysFloat:
		return len(v.Floats)
	case types.PhysDec:
		return len(v.Decs)
	case types.PhysBytes:
		return max(len(v.Bytes.Off)-1, 0)
	}
	return len(v.Nulls)
}

// IsNull says whether row i is NULL.
func (v *Vector) IsNull(i int) bool { return v.Nulls != nil && v.Nulls[i] }

// Reset empties the vector and keeps its memory, for a builder that fills it again and again. Whoever was given the vector
// must be done with it.
func (v *Vector) Reset() {
	if v.Nulls != nil {
		v.spare = v.Nulls[:0]
		v.Nulls = nil
	}
	v.Ints, v.Floats, v.Decs = v.Ints[:0], v.Floats[:0], v.Decs[:0]
	v.Bytes.Reset()
}

// Reset empties the column and keeps its memory.
func (b *Bytes) Reset() {
	b.Data = b.Data[:0]
	if len(b.Off) > 0 {
		b.Off = b.Off[:1]
		b.Off[0] = 0
	}
}

// Close ends a value whose bytes were appended to Data directly.
func (b *Bytes) Close() {
	if len(b.Off) == 0 {
		b.Off = append(b.Off, 0)
	}
	b.Off = append(b.Off, uint32(len(b.Data)))
}

// AppendInt adds a value to a vector of a PhysInt type.
func (v *Vector) AppendInt(x int64) {
	v.Ints = append(v.Ints, x)
	v.notNull()
}

// AppendFloat adds a value to a vector of a PhysFloat type.
func (v *Vector) AppendFloat(x float64) {
	v.Floats = append(v.Floats, x)
	v.notNull()
}

// AppendDec adds a value to a vector of a PhysDec type, already at the scale of the vector.
func (v *Vector) AppendDec(x types.Int128) {
	v.Decs = append(v.Decs, x)
	v.notNull()
}

// AppendBytes adds a copy of a value to a vector of a PhysBytes type.
func (v *Vector) AppendBytes(x []byte) {
	v.Bytes.Append(x)
	v.notNull()
}

// AppendString adds a value to a vector of a PhysBytes type.
func (v *Vector) AppendString(x string) {
	v.Bytes.Data = append(v.Bytes.Data, x...)
	v.Bytes.Close()
	v.notNull()
}

// CloseBytes ends a value whose bytes were appended to v.Bytes.Data directly.
func (v *Vector) CloseBytes() {
	v.Bytes.Close()
	v.notNull()
}

func (v *Vector) notNull() {
	if v.Nulls != nil {
		v.Nulls = append(v.Nulls, false)
	}
}

// AppendNull adds a NULL.
func (v *Vector) AppendNull() {
	v.growNulls()
	v.Nulls = append(v.Nulls, true)
	switch v.Type.Physical() {
	case types.PhysInt:
		v.Ints = append(v.Ints, 0)
	case types.PhysFloat:
		v.Floats = append(v.Floats, 0)
	case types.PhysDec:
		v.Decs = append(v.Decs, types.Int128{})
	case types.PhysBytes:
		v.Bytes.Close()
	}
}

// growNulls makes Nulls, one false per row so far.
func (v *Vector) growNulls() {
	if v.Nulls != nil {
		return
	}
	n := v.Len()
	if cap(v.spare) < n+1 {
		v.spare = make([]bool, 0, max(n+1, v.capacity()))
	}
	v.Nulls = v.spare[:n]
	clear(v.Nulls)
}

func (v *Vector) capacity() int {
	return max(cap(v.Ints), cap(v.Floats), cap(v.Decs), cap(v.Bytes.Off), 8)
}

// Append adds a value of the vector's type, or NULL. A decimal is brought to the vector's scale; a value of another
// physical form is a programming error and becomes NULL.
func (v *Vector) Append(x types.Value) {
	p := v.Type.Physical()
	if x.IsNull() || p == types.PhysNone || (types.Type{Kind: x.Kind}).Physical() != p {
		v.AppendNull()
		return
	}
	switch p {
	case types.PhysInt:
		v.AppendInt(x.I)
	case types.PhysFloat:
		v.AppendFloat(x.F)
	case types.PhysDec:
		d, ok := types.Rescale(x.D, x.Scale, v.Type.Scale)
		if !ok {
			v.AppendNull()
			return
		}
		v.AppendDec(d)
	case types.PhysBytes:
		v.AppendString(x.S)
	}
}

// AppendFrom adds row i of src, a vector of the same type.
func (v *Vector) AppendFrom(src *Vector, i int) {
	if src.IsNull(i) {
		v.AppendNull()
		return
	}
	switch v.Type.Physical() {
	case types.PhysInt:
		v.AppendInt(src.Ints[i])
	case types.PhysFloat:
		v.AppendFloat(src.Floats[i])
	case types.PhysDec:
		v.AppendDec(src.Decs[i])
	case types.PhysBytes:
		v.AppendBytes(src.Bytes.At(i))
	}
}

// AppendAll adds every row of src, a vector of the same type.
func (v *Vector) AppendAll(src *Vector) {
	n := v.Len()
	switch {
	case src.Nulls != nil:
		v.growNulls()
		v.Nulls = append(v.Nulls, src.Nulls...)
	case v.Nulls != nil:
		v.Nulls = append(v.Nulls, make([]bool, src.Len())...)
	}
	v.Ints = append(v.Ints, src.Ints...)
	v.Floats = append(v.Floats, src.Floats...)
	v.Decs = append(v.Decs, src.Decs...)
	if v.Type.Physical() == types.PhysBytes && src.Len() > 0 {
		if n == 0 && len(v.Bytes.Off) == 0 {
			v.Bytes.Off = append(v.Bytes.Off, 0)
		}
		from := src.Bytes.Off[0]
		base := uint32(len(v.Bytes.Data)) - from
		v.Bytes.Data = append(v.Bytes.Data, src.Bytes.Data[from:src.Bytes.Off[src.Len()]]...)
		for _, off := range src.Bytes.Off[1:] {
			v.Bytes.Off = append(v.Bytes.Off, base+off)
		}
	}
}

// Value is row i.
func (v *Vector) Value(i int) types.Value {
	if v.Type.Kind == types.Null || v.IsNull(i) {
		return types.Value{}
	}
	x := types.Value{Kind: v.Type.Kind}
	switch v.Type.Physical() {
	case types.PhysInt:
		x.I = v.Ints[i]
	case types.PhysFloat:
		x.F = v.Floats[i]
	case types.PhysDec:
		x.D, x.Scale = v.Decs[i], v.Type.Scale
	case types.PhysBytes:
		x.S = string(v.Bytes.At(i))
	}
	return x
}
