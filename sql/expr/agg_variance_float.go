package expr

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// floatSpread is the variance of DOUBLE: from the exact sum of the values and the exact sum of their squares, so that the
// order of rows never matters. A square is two doubles, hi = x·x and lo = FMA(x, x, −hi), exactly, as long as x lies between
// 2^−480 and 2^480; the squares of others are summed apart, of x scaled up or down. The state is that of four sums, each
// behind its length in 2 bytes: values, squares, scaled squares of small and of large values; the last two are empty until
// there is one.
type floatSpread struct{ spread }

const (
	valueSum = iota
	squareSum
	smallSquares
	largeSquares
	spreadSums

	squareScale = 540 // binary digits by which small and large values are scaled before they are squared
)

var smallest, largest = math.Ldexp(1, -480), math.Ldexp(1, 480)

func (floatSpread) Size() int { return 0 }

func (floatSpread) Init(dst []byte) []byte {
	for i := range spreadSums {
		at := len(dst)
		dst = append(dst, 0, 0)
		if i < smallSquares {
			dst = floatSum{}.Init(dst)
		}
		binary.LittleEndian.PutUint16(dst[at:], uint16(len(dst)-at-2))
	}
	return dst
}

func (f floatSpread) Update(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		return f.add(state, v.Floats[row], 1)
	}
	return state
}

func (f floatSpread) Retract(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		return f.add(state, v.Floats[row], -1)
	}
	return state
}

func (f floatSpread) add(state []byte, x float64, times int64) []byte {
	state = changeSum(state, valueSum, func(sum []byte) []byte { return changeFloat(sum, x, times) })
	which := squareSum
	switch a := math.Abs(x); {
	case x == 0 || !finite(x):
		return state
	case a < smallest:
		which, x = smallSquares, math.Ldexp(x, squareScale)
	case a > largest:
		which, x = largeSquares, math.Ldexp(x, -squareScale)
	}
	hi := x * x
	lo := math.FMA(x, x, -hi)
	return changeSum(state, which, func(sum []byte) []byte {
		if len(sum) == 0 {
			sum = floatSum{}.Init(nil)
		}
		return changeFloat(changeFloat(sum, hi, times), lo, times)
	})
}

// changeSum replaces one of the sums.
func changeSum(state []byte, which int, change func(sum []byte) []byte) []byte {
	from, to := sumAt(state, which)
	sum := change(state[from:to:to])
	if len(sum) == to-from {
		copy(state[from:to], sum)
		return state
	}
	out := append(append(append(make([]byte, 0, len(state)+len(sum)), state[:from]...), sum...), state[to:]...)
	binary.LittleEndian.PutUint16(out[from-2:], uint16(len(sum)))
	return out
}

func sumAt(state []byte, which int) (from, to int) {
	for ; ; which-- {
		from = to + 2
		to = from + int(binary.LittleEndian.Uint16(state[from-2:]))
		if which == 0 {
			return from, to
		}
	}
}

func (f floatSpread) Merge(a, b []byte) []byte {
	for i := range spreadSums {
		from, to := sumAt(b, i)
		if from == to {
			continue
		}
		a = changeSum(a, i, func(sum []byte) []byte {
			if len(sum) == 0 {
				sum = floatSum{}.Init(nil)
			}
			return floatSum{}.Merge(sum, b[from:to])
		})
	}
	return a
}

func (f floatSpread) Result(state []byte, out *vector.Vector) error {
	from, to := sumAt(state, valueSum)
	values := state[from:to]
	n := binary.LittleEndian.Uint64(values[floatCount:])
	if _, finitely := floatTotal(values); n > 0 && !finitely {
		out.AppendFloat(math.NaN())
		return nil
	}
	squares := new(big.Rat)
	for i, scale := range map[int]int{squareSum: 0, smallSquares: -2 * squareScale, largeSquares: 2 * squareScale} {
		if from, to := sumAt(state, i); from < to {
			part := exactFloat(state[from:to])
			r, _ := part.SetMantExp(part, scale).Rat(nil)
			squares.Add(squares, r)
		}
	}
	sum, _ := exactFloat(values).Rat(nil)
	return appendSpread(out, f.spread, n, sum, squares)
}
