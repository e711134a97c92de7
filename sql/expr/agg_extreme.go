package expr

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func bindExtremeOf(a *Aggregate) error {
	x := a.Arg[0]
	if err := scalar(x); err != nil {
		return err
	}
	want := -1
	if a.Func == "MAX" {
		want = 1
	}
	t := x.Type()
	a.folds(t, &extreme{t, want}, extremes{edges{&edge{want: want, by: -1, value: t}}})
	return nil
}

// extreme is MIN (want -1) and MAX (want 1). The state is a byte, 0 for no value yet, and the value: 8 bytes, 16 for a
// DECIMAL, any number for text.
type extreme struct {
	typ  types.Type
	want int
}

func (e *extreme) Size() int {
	switch e.typ.Physical() {
	case types.PhysBytes:
		return 0
	case types.PhysDec:
		return 17
	}
	return 9
}

func (e *extreme) Init(dst []byte) []byte { return append(dst, make([]byte, max(e.Size(), 1))...) }

func (e *extreme) Update(state []byte, in *Arguments, row int) []byte {
	v := in.Vals[0]
	if v.IsNull(row) {
		return state
	}
	switch e.typ.Physical() {
	case types.PhysFloat:
		return e.keepFloat(state, v.Floats[row])
	case types.PhysDec:
		return e.keepDec(state, v.Decs[row])
	case types.PhysBytes:
		return e.keepBytes(state, v.Bytes.At(row))
	}
	return e.keepInt(state, v.Ints[row])
}

func (e *extreme) Merge(a, b []byte) []byte {
	if b[0] == 0 {
		return a
	}
	switch e.typ.Physical() {
	case types.PhysFloat:
		return e.keepFloat(a, floatAt(b[1:]))
	case types.PhysDec:
		return e.keepDec(a, decAt(b[1:]))
	case types.PhysBytes:
		return e.keepBytes(a, b[1:])
	}
	return e.keepInt(a, int64(binary.LittleEndian.Uint64(b[1:])))
}

func (e *extreme) Result(state []byte, out *vector.Vector) error {
	if state[0] == 0 {
		out.AppendNull()
		return nil
	}
	switch e.typ.Physical() {
	case types.PhysFloat:
		out.AppendFloat(floatAt(state[1:]))
	case types.PhysDec:
		out.AppendDec(decAt(state[1:]))
	case types.PhysBytes:
		out.AppendBytes(state[1:])
	default:
		out.AppendInt(int64(binary.LittleEndian.Uint64(state[1:])))
	}
	return nil
}

func (e *extreme) keepInt(state []byte, x int64) []byte {
	old := int64(binary.LittleEndian.Uint64(state[1:]))
	order := cmp.Compare(x, old)
	if e.typ.Kind == types.Uint {
		order = cmp.Compare(uint64(x), uint64(old))
	}
	if state[0] == 0 || order == e.want {
		state[0] = 1
		binary.LittleEndian.PutUint64(state[1:], uint64(x))
	}
	return state
}

func (e *extreme) keepFloat(state []byte, x float64) []byte {
	if state[0] == 0 || types.CompareFloat(x, floatAt(state[1:])) == e.want {
		state[0] = 1
		binary.LittleEndian.PutUint64(state[1:], math.Float64bits(x+0)) // -0 is 0, whichever came first
	}
	return state
}

func (e *extreme) keepDec(state []byte, x types.Int128) []byte {
	if state[0] == 0 || x.Cmp(decAt(state[1:])) == e.want {
		state[0] = 1
		putDec(state[1:], x)
	}
	return state
}

func (e *extreme) keepBytes(state, x []byte) []byte {
	if state[0] == 0 || bytes.Compare(x, state[1:]) == e.want {
		state[0] = 1
		state = append(state[:1], x...)
	}
	return state
}

func floatAt(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

func decAt(b []byte) types.Int128 {
	return types.Int128{Hi: int64(binary.LittleEndian.Uint64(b[8:])), Lo: binary.LittleEndian.Uint64(b)}
}

func putDec(b []byte, d types.Int128) {
	binary.LittleEndian.PutUint64(b, d.Lo)
	binary.LittleEndian.PutUint64(b[8:], uint64(d.Hi))
}
