package expr

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// spread is which of the family a variance is: STD and STDDEV are the names of STDDEV_POP, VARIANCE of VAR_POP.
type spread struct {
	sample bool // divide by n-1; NULL for a single value
	root   bool // the standard deviation
}

func bindSpread(a *Aggregate) error {
	x, err := asNumber(a.Arg[0])
	if err != nil {
		return err
	}
	a.Arg[0] = x
	s := spread{sample: strings.HasSuffix(a.Func, "_SAMP"), root: strings.HasPrefix(a.Func, "STD")}
	if t := x.Type(); t.Kind != types.Double {
		_, scale := typeDigits(t)
		a.folds(types.TDouble, &exactSpread{s, exactSum{arg: t}, scale}, nil)
		return nil
	}
	a.folds(types.TDouble, floatSpread{s}, nil)
	return nil
}

// of is the result for n values: (n Σx² − (Σx)²) / (n · n) or / (n (n−1)), computed with every digit and rounded once (the
// square root once more).
func (s spread) of(n uint64, sum, squares *big.Rat) (value float64, ok bool) {
	by := n
	if s.sample {
		by--
	}
	if by == 0 || n == 0 {
		return 0, false
	}
	count := new(big.Rat).SetInt(new(big.Int).SetUint64(n))
	top := new(big.Rat).Mul(count, squares)
	top.Sub(top, new(big.Rat).Mul(sum, sum))
	top.Quo(top, count.Mul(count, new(big.Rat).SetInt(new(big.Int).SetUint64(by))))
	if !s.root {
		value, _ = top.Float64()
		return value, true
	}
	// The square may lie beyond the doubles although its root does not.
	f := new(big.Float).SetPrec(256).SetRat(top)
	if f.Sign() > 0 {
		f.Sqrt(f)
	}
	value, _ = f.Float64()
	return value, true
}

// exactSpread is of exact numbers. The state is that of exactSum, then the sum of squares in 320 bits, which no number of
// 38-digit values overflows.
type exactSpread struct {
	spread
	sum   exactSum
	scale int
}

const (
	squaresAt  = 32
	squareSize = 40
)

func (*exactSpread) Size() int { return squaresAt + squareSize }

func (e *exactSpread) Init(dst []byte) []byte { return append(dst, make([]byte, e.Size())...) }

func (e *exactSpread) Update(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		e.sum.Update(state, in, row)
		sq := e.square(v, row)
		addWords(state[squaresAt:], sq[:])
	}
	return state
}

func (e *exactSpread) Retract(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		e.sum.Retract(state, in, row)
		sq := e.square(v, row)
		subWords(state[squaresAt:], sq[:])
	}
	return state
}

func (e *exactSpread) Merge(a, b []byte) []byte {
	e.sum.Merge(a, b)
	var words [5]uint64
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[squaresAt+8*i:])
	}
	addWords(a[squaresAt:], words[:])
	return a
}

// square is the square of a value in words of 64 bits, lowest first.
func (e *exactSpread) square(v *vector.Vector, row int) (sq [5]uint64) {
	lo, hi, top := e.sum.wide(v, row)
	if int64(top) < 0 {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	h, l := bits.Mul64(lo, lo)
	sq[0], sq[1] = l, h
	if hi == 0 {
		return sq
	}
	h, l = bits.Mul64(lo, hi) // twice, at word 1
	for range 2 {
		addAt(&sq, 1, l, h)
	}
	h, l = bits.Mul64(hi, hi)
	addAt(&sq, 2, l, h)
	return sq
}

func addAt(sum *[5]uint64, at int, lo, hi uint64) {
	var c uint64
	sum[at], c = bits.Add64(sum[at], lo, 0)
	sum[at+1], c = bits.Add64(sum[at+1], hi, c)
	for i := at + 2; i < len(sum); i++ {
		sum[i], c = bits.Add64(sum[i], 0, c)
	}
}

// addWords adds a number to one in state, both in words of 64 bits, lowest first.
func addWords(state []byte, words []uint64) {
	var c uint64
	for i, w := range words {
		w, c = bits.Add64(binary.LittleEndian.Uint64(state[8*i:]), w, c)
		binary.LittleEndian.PutUint64(state[8*i:], w)
	}
}

func subWords(state []byte, words []uint64) {
	var c uint64
	for i, w := range words {
		w, c = bits.Sub64(binary.LittleEndian.Uint64(state[8*i:]), w, c)
		binary.LittleEndian.PutUint64(state[8*i:], w)
	}
}

func (e *exactSpread) Result(state []byte, out *vector.Vector) error {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(e.scale)), nil)
	sum := new(big.Rat).SetFrac(signedWords(state[8:squaresAt]), ten)
	squares := new(big.Rat).SetFrac(signedWords(state[squaresAt:squaresAt+squareSize]), new(big.Int).Mul(ten, ten))
	return appendSpread(out, e.spread, binary.LittleEndian.Uint64(state), sum, squares)
}

// signedWords reads a number in two's complement, lowest byte first.
func signedWords(b []byte) *big.Int {
	back := make([]byte, len(b))
	for i, x := range b {
		back[len(b)-1-i] = x
	}
	n := new(big.Int).SetBytes(back)
	if b[len(b)-1]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

func appendSpread(out *vector.Vector, s spread, n uint64, sum, squares *big.Rat) error {
	value, ok := s.of(n, sum, squares)
	switch {
	case !ok:
		out.AppendNull()
	case math.IsInf(value, 0):
		out.AppendNull()
		return errDoubleRange
	default:
		out.AppendFloat(value)
	}
	return nil
}
