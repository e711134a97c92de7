package expr

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func bindSum(a *Aggregate) error {
	x, err := asNumber(a.Arg[0])
	if err != nil {
		return err
	}
	a.Arg[0] = x
	t := x.Type()
	avg := a.Func == "AVG"
	if t.Kind == types.Double {
		a.folds(types.TDouble, floatSum{avg}, nil)
		return nil
	}
	p, s := typeDigits(t)
	result := types.TDecimal(types.MaxDecimalDigits, s)
	if avg {
		scale := max(s, min(s+divScale, maxScale))
		result = types.TDecimal(p-s+scale, scale)
	}
	a.folds(result, &exactSum{t, result, avg, a.String()}, nil)
	return nil
}

// exactSum is SUM and AVG of exact numbers. The state is the count of values and their sum in 192 bits, which no number of
// 38-digit values overflows: so the order of rows never matters, and what does not fit in the end is an error of the result.
type exactSum struct {
	arg, typ types.Type
	avg      bool
	text     string // for the error
}

func (*exactSum) Size() int { return 32 }

func (*exactSum) Init(dst []byte) []byte { return append(dst, make([]byte, 32)...) }

func (e *exactSum) Update(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		addCount(state, 1)
		lo, hi, top := e.wide(v, row)
		add192(state[8:32], lo, hi, top)
	}
	return state
}

func (e *exactSum) Retract(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		addCount(state, -1)
		lo, hi, top := e.wide(v, row)
		lo, borrow := bits.Sub64(0, lo, 0)
		hi, borrow = bits.Sub64(0, hi, borrow)
		top, _ = bits.Sub64(0, top, borrow)
		add192(state[8:32], lo, hi, top)
	}
	return state
}

// wide is a value in 192 bits.
func (e *exactSum) wide(v *vector.Vector, row int) (lo, hi, top uint64) {
	switch e.arg.Kind {
	case types.Decimal:
		d := v.Decs[row]
		return d.Lo, uint64(d.Hi), uint64(d.Hi >> 63)
	case types.Uint:
		return uint64(v.Ints[row]), 0, 0
	}
	x := v.Ints[row]
	return uint64(x), uint64(x >> 63), uint64(x >> 63)
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
	addCount(a, int64(binary.LittleEndian.Uint64(b)))
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
