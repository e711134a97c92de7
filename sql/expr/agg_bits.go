package expr

import (
	"encoding/binary"
	"math/bits"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func bindBits(a *Aggregate) error {
	x, err := asBits(a.Arg[0])
	if err != nil {
		return err
	}
	a.Arg[0] = x
	b := bitAccumulator{a.Func}
	if a.Func == "BIT_XOR" {
		a.folds(types.TUBigInt, xorAccumulator{b}, nil)
		return nil
	}
	a.folds(types.TUBigInt, b, nil)
	a.over[Deltas].acc = bitCounts{b}
	return nil
}

// bitAccumulator is BIT_AND, BIT_OR and BIT_XOR over 64 bits: 8 bytes. Over no rows all bits of BIT_AND are set, as in MySQL.
type bitAccumulator struct{ fn string }

func (bitAccumulator) Size() int { return 8 }

func (b bitAccumulator) Init(dst []byte) []byte {
	empty := uint64(0)
	if b.fn == "BIT_AND" {
		empty = ^empty
	}
	return binary.LittleEndian.AppendUint64(dst, empty)
}

func (b bitAccumulator) Update(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		b.fold(state, uint64(v.Ints[row]))
	}
	return state
}

func (b bitAccumulator) fold(state []byte, x uint64) {
	y := binary.LittleEndian.Uint64(state)
	switch b.fn {
	case "BIT_AND":
		y &= x
	case "BIT_OR":
		y |= x
	default:
		y ^= x
	}
	binary.LittleEndian.PutUint64(state, y)
}

func (bitAccumulator) Result(state []byte, out *vector.Vector) error {
	out.AppendInt(int64(binary.LittleEndian.Uint64(state)))
	return nil
}

func (b bitAccumulator) Merge(x, y []byte) []byte {
	b.fold(x, binary.LittleEndian.Uint64(y))
	return x
}

// xorAccumulator is BIT_XOR: a value that is folded in once more is taken back.
type xorAccumulator struct{ bitAccumulator }

func (x xorAccumulator) Retract(state []byte, in *Arguments, row int) []byte {
	return x.Update(state, in, row)
}

// bitCounts is BIT_AND and BIT_OR where rows are removed: how many values there are, and how many of them have each bit, 8
// bytes each.
type bitCounts struct{ bitAccumulator }

func (bitCounts) Size() int { return 65 * 8 }

func (b bitCounts) Init(dst []byte) []byte { return append(dst, make([]byte, b.Size())...) }

func (b bitCounts) Update(state []byte, in *Arguments, row int) []byte {
	return b.count(state, in, row, 1)
}

func (b bitCounts) Retract(state []byte, in *Arguments, row int) []byte {
	return b.count(state, in, row, -1)
}

func (bitCounts) count(state []byte, in *Arguments, row int, times int64) []byte {
	v := in.Vals[0]
	if v.IsNull(row) {
		return state
	}
	addCount(state, times)
	for x := uint64(v.Ints[row]); x != 0; x &= x - 1 {
		addCount(state[8+8*bits.TrailingZeros64(x):], times)
	}
	return state
}

func (b bitCounts) Result(state []byte, out *vector.Vector) error {
	n := binary.LittleEndian.Uint64(state)
	least := uint64(1)
	if b.fn == "BIT_AND" {
		least = n
	}
	var x uint64
	for i := range 64 {
		if binary.LittleEndian.Uint64(state[8+8*i:]) >= least {
			x |= 1 << i
		}
	}
	out.AppendInt(int64(x))
	return nil
}

func (bitCounts) Merge(a, b []byte) []byte {
	for at := 0; at < len(a); at += 8 {
		addCount(a[at:], int64(binary.LittleEndian.Uint64(b[at:])))
	}
	return a
}
