package expr

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// floatSum is SUM and AVG of DOUBLE: the exact sum, rounded once, so the order of rows never matters. The state is flags,
// the number of large partials, the count of values (8 bytes), then partials of 8 bytes: doubles that do not overlap and
// whose sum is exact (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997, section 2.2), smallest first, then
// zeros, so that the usual state keeps its length and is updated in place. Values from 2^960 on are kept apart, scaled down, because a sum of partials on its way could pass the largest double.
type floatSum struct{ avg bool }

const (
	sawPlusInf  = 1
	sawMinusInf = 2
	sawNaN      = 4

	floatHead  = 10
	floatRoom  = 3 * 8 // partials there is room for from the start
	largeScale = 100   // binary digits the large partials are scaled down by
)

var large = math.Ldexp(1, 960)

func (floatSum) Size() int { return 0 }

func (floatSum) Init(dst []byte) []byte { return append(dst, make([]byte, floatHead+floatRoom)...) }

func (f floatSum) Update(state []byte, args []*vector.Vector, row int) []byte {
	if args[0].IsNull(row) {
		return state
	}
	addCount(state[2:], 1)
	return addFloatPartial(state, args[0].Floats[row])
}

func addFloatPartial(state []byte, x float64) []byte {
	switch {
	case x == 0:
		return state
	case math.IsNaN(x):
		state[0] |= sawNaN
		return state
	case math.IsInf(x, 1):
		state[0] |= sawPlusInf
		return state
	case math.IsInf(x, -1):
		state[0] |= sawMinusInf
		return state
	case math.Abs(x) >= large:
		return addLarge(state, math.Ldexp(x, -largeScale))
	}
	return addPartial(state, x)
}

// addPartial adds x, which may be larger than any one value is, to the ordinary partials.
func addPartial(state []byte, x float64) []byte {
	from := floatHead + 8*int(state[1])
	at := from + growPartials(state[from:], &x)
	if x != 0 {
		if at == len(state) {
			return appendPartial(state, x)
		}
		binary.LittleEndian.PutUint64(state[at:], math.Float64bits(x))
		at += 8
	}
	clear(state[at:])
	return state
}

// growPartials adds x to the partials in place: it returns how many bytes of them are left, all low-order parts, and in x
// the high-order part to put behind them.
func growPartials(partials []byte, x *float64) int {
	kept := 0
	hi := *x
	for i := 0; i < len(partials); i += 8 {
		y := floatAt(partials[i:])
		if math.Abs(hi) < math.Abs(y) {
			hi, y = y, hi
		}
		sum := hi + y
		if lo := y - (sum - hi); lo != 0 {
			binary.LittleEndian.PutUint64(partials[kept:], math.Float64bits(lo))
			kept += 8
		}
		hi = sum
	}
	*x = hi
	return kept
}

func appendPartial(state []byte, x float64) []byte {
	if x == 0 {
		return state
	}
	return binary.LittleEndian.AppendUint64(state, math.Float64bits(x))
}

// addLarge adds to the large partials, which lie before the others.
func addLarge(state []byte, x float64) []byte {
	end := floatHead + 8*int(state[1])
	rest := append([]byte(nil), state[end:]...)
	n := growPartials(state[floatHead:end], &x)
	state = appendPartial(state[:floatHead+n], x)
	state[1] = byte((len(state) - floatHead) / 8)
	return append(state, rest...)
}

func (f floatSum) Merge(a, b []byte) []byte {
	a[0] |= b[0]
	addCount(a[2:], binary.LittleEndian.Uint64(b[2:]))
	border := floatHead + 8*int(b[1])
	for i := floatHead; i < len(b); i += 8 {
		if x := floatAt(b[i:]); i < border {
			a = addLarge(a, x)
		} else {
			a = addPartial(a, x)
		}
	}
	return a
}

func (f floatSum) Result(state []byte, out *vector.Vector) error {
	n := binary.LittleEndian.Uint64(state[2:])
	if n == 0 {
		out.AppendNull()
		return nil
	}
	sum := f.sum(state)
	if f.avg && finite(sum) {
		sum /= float64(n)
	} else if f.avg && state[0] == 0 { // only the sum is too large for a double
		exact := exactFloat(state)
		exact.Quo(exact, new(big.Float).SetUint64(n))
		sum, _ = exact.Float64()
	}
	if !finite(sum) && state[0] == 0 {
		out.AppendNull()
		return errDoubleRange
	}
	out.AppendFloat(sum)
	return nil
}

func (f floatSum) sum(state []byte) float64 {
	switch flags := state[0]; {
	case flags&sawNaN != 0 || flags == sawPlusInf|sawMinusInf:
		return math.NaN()
	case flags == sawPlusInf:
		return math.Inf(1)
	case flags == sawMinusInf:
		return math.Inf(-1)
	}
	if state[1] > 0 {
		v, _ := exactFloat(state).Float64()
		return v
	}
	return roundPartials(state[floatHead:])
}

// roundPartials adds partials from the largest down until the rest cannot matter, then corrects the one case where it
// does: half-way between two doubles, and the next partial says which way.
func roundPartials(p []byte) float64 {
	i := len(p) - 8
	for i >= 0 && floatAt(p[i:]) == 0 {
		i -= 8
	}
	if i < 0 {
		return 0
	}
	hi, lo := floatAt(p[i:]), 0.0
	for i > 0 && lo == 0 {
		i -= 8
		x, y := hi, floatAt(p[i:])
		hi = x + y
		lo = y - (hi - x)
	}
	if i > 0 {
		if next := floatAt(p[i-8:]); lo < 0 && next < 0 || lo > 0 && next > 0 {
			y := lo * 2
			if x := hi + y; y == x-hi {
				hi = x
			}
		}
	}
	return hi
}

// exactFloat is the sum of all partials with every digit.
func exactFloat(state []byte) *big.Float {
	sum := new(big.Float).SetPrec(2400) // from 2^1200 down to 2^-1074
	border := floatHead + 8*int(state[1])
	for i := floatHead; i < len(state); i += 8 {
		x := new(big.Float).SetPrec(2400).SetFloat64(floatAt(state[i:]))
		if i < border {
			x.SetMantExp(x, largeScale)
		}
		sum.Add(sum, x)
	}
	return sum
}
