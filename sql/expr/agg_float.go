package expr

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// floatSum is SUM and AVG of DOUBLE: the exact sum, rounded once, so the order of rows never matters. The state is the
// number of large partials, how many values, infinities of either sign and NaNs were added (8 bytes each), then partials of 8
// bytes: doubles that do not overlap and whose sum is exact (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997,
// section 2.2), smallest first, then zeros, so that the usual state keeps its length and is updated in place. Values from
// 2^960 on are kept apart, scaled down, because a sum of partials on its way could pass the largest double.
type floatSum struct{ avg bool }

const (
	floatCount = 1 // where the counts begin
	plusInf    = 9
	minusInf   = 17
	notANumber = 25

	floatHead  = 33
	floatRoom  = 3 * 8 // partials there is room for from the start
	largeScale = 100   // binary digits the large partials are scaled down by
)

var large = math.Ldexp(1, 960)

func (floatSum) Size() int { return 0 }

func (floatSum) Init(dst []byte) []byte { return append(dst, make([]byte, floatHead+floatRoom)...) }

func (f floatSum) Update(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		return changeFloat(state, v.Floats[row], 1)
	}
	return state
}

func (f floatSum) Retract(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		return changeFloat(state, v.Floats[row], -1)
	}
	return state
}

// changeFloat adds x (times 1), or takes it back (times -1).
func changeFloat(state []byte, x float64, times int64) []byte {
	addCount(state[floatCount:], times)
	switch {
	case x == 0:
		return state
	case math.IsNaN(x):
		addCount(state[notANumber:], times)
		return state
	case math.IsInf(x, 1):
		addCount(state[plusInf:], times)
		return state
	case math.IsInf(x, -1):
		addCount(state[minusInf:], times)
		return state
	}
	x *= float64(times)
	if math.Abs(x) >= large {
		return addLarge(state, math.Ldexp(x, -largeScale))
	}
	return addPartial(state, x)
}

// addPartial adds x, which may be larger than any one value is, to the ordinary partials.
func addPartial(state []byte, x float64) []byte {
	from := floatHead + 8*int(state[0])
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
	end := floatHead + 8*int(state[0])
	rest := append([]byte(nil), state[end:]...)
	n := growPartials(state[floatHead:end], &x)
	state = appendPartial(state[:floatHead+n], x)
	state[0] = byte((len(state) - floatHead) / 8)
	return append(state, rest...)
}

func (f floatSum) Merge(a, b []byte) []byte {
	for at := floatCount; at < floatHead; at += 8 {
		addCount(a[at:], int64(binary.LittleEndian.Uint64(b[at:])))
	}
	border := floatHead + 8*int(b[0])
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
	n := binary.LittleEndian.Uint64(state[floatCount:])
	if n == 0 {
		out.AppendNull()
		return nil
	}
	sum, finitely := floatTotal(state)
	if f.avg && finite(sum) {
		sum /= float64(n)
	} else if f.avg && finitely { // only the sum is too large for a double
		exact := exactFloat(state)
		exact.Quo(exact, new(big.Float).SetUint64(n))
		sum, _ = exact.Float64()
	}
	if !finite(sum) && finitely {
		out.AppendNull()
		return errDoubleRange
	}
	out.AppendFloat(sum)
	return nil
}

// floatTotal is the sum, rounded; finitely: of numbers that are all finite.
func floatTotal(state []byte) (sum float64, finitely bool) {
	some := func(at int) bool { return binary.LittleEndian.Uint64(state[at:]) != 0 }
	switch up, down := some(plusInf), some(minusInf); {
	case some(notANumber) || up && down:
		return math.NaN(), false
	case up:
		return math.Inf(1), false
	case down:
		return math.Inf(-1), false
	}
	if state[0] > 0 {
		v, _ := exactFloat(state).Float64()
		return v, true
	}
	return roundPartials(state[floatHead:]), true
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
	border := floatHead + 8*int(state[0])
	for i := floatHead; i < len(state); i += 8 {
		x := new(big.Float).SetPrec(2400).SetFloat64(floatAt(state[i:]))
		if i < border {
			x.SetMantExp(x, largeScale)
		}
		sum.Add(sum, x)
	}
	return sum
}
