package expr

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/streamsql-go/streamsql/sql/types"
)

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
