package expr

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// exactSum is SUM and AVG of exact numbers. The state is the count of values and their sum in 192 bits, which no number of
// 38-digit values overflows: so the order of rows never matters, and what does not fit in the end is an error of the result.
type exactSum struct {
	arg, typ types.Type
	avg      bool
	text     string // for the error
}

func (*exactSum) Size() int { return 32 }

func (*exactSum) Init(dst []byte) []byte { return append(dst, make([]byte, 32)...) }

func (e *exactSum) Update(state []byte, args []*vector.Vector, row int) []byte {
	v := args[0]
	if v.IsNull(row) {
		return state
	}
	var lo, hi uint64
	var top int64
	switch e.arg.Kind {
	case types.Decimal:
		d := v.Decs[row]
		lo, hi, top = d.Lo, uint64(d.Hi), d.Hi>>63
	case types.Uint:
		lo = uint64(v.Ints[row])
	default:
		x := v.Ints[row]
		lo, hi, top = uint64(x), uint64(x>>63), x>>63
	}
	addCount(state, 1)
	add192(state[8:32], lo, hi, uint64(top))
	return state
}

func add192(sum []byte, lo, hi, top uint64) {
	a, carry := bits.Add64(binary.LittleEndian.Uint64(sum), lo, 0)
	b, carry := bits.Add64(binary.LittleEndian.Uint64(sum[8:]), hi, carry)
	c, _ := bits.Add64(binary.LittleEndian.Uint64(sum[16:]), top, carry)
	binary.LittleEndian.PutUint64(sum, a)
	binary.LittleEndian.PutUint64(sum[8:], b)
	binary.LittleEndian.PutUint64(sum[16:], c)
}

func (*exactSum) Merge(a, b []byte) []byte {
	addCount(a, binary.LittleEndian.Uint64(b))
	add192(a[8:32], binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:]))
	return a
}

func (e *exactSum) Result(state []byte, out *vector.Vector) error {
	n := binary.LittleEndian.Uint64(state)
	if n == 0 {
		out.AppendNull()
		return nil
	}
	sum := decAt(state[8:])
	ok := int64(binary.LittleEndian.Uint64(state[24:])) == sum.Hi>>63 // the top word only repeats the sign
	if ok && e.avg {
		_, scale := typeDigits(e.arg)
		sum, ok = types.DivScaled(sum, int(e.typ.Scale)-scale, types.FromUint64(n))
	}
	if !ok || !types.FitsDecimal(sum, types.MaxDecimalDigits) {
		out.AppendNull()
		return fmt.Errorf("DECIMAL value is out of range in '%s'", e.text)
	}
	out.AppendDec(sum)
	return nil
}
