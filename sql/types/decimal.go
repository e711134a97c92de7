package types

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Decimal arithmetic rounds half away from zero, as MySQL does for exact numbers (MySQL manual, "Rounding Behavior").

var pow10 = func() (p [MaxDecimalDigits + 1]Int128) {
	p[0] = FromInt64(1)
	for i := 1; i < len(p); i++ {
		p[i], _ = p[i-1].Mul(FromInt64(10))
	}
	return p
}()

// Pow10 is 10^n for n in 0..MaxDecimalDigits.
func Pow10(n int) Int128 { return pow10[n] }

// Digits is the number of decimal digits of |d|; 1 for zero.
func Digits(d Int128) int {
	hi, lo := d.magnitude()
	n := bits.Len64(lo)
	if hi != 0 {
		n = 64 + bits.Len64(hi)
	}
	digits := n * 1233 >> 12 // log10(2), rounded down
	if digits < len(pow10) {
		p := pow10[digits]
		if uint64(p.Hi) < hi || uint64(p.Hi) == hi && p.Lo <= lo {
			digits++
		}
	}
	return max(digits, 1)
}

// FitsDecimal says whether d has at most precision digits.
func FitsDecimal(d Int128, precision int) bool {
	if precision > MaxDecimalDigits {
		return true
	}
	hi, lo := d.magnitude()
	p := pow10[precision]
	return hi < uint64(p.Hi) || hi == uint64(p.Hi) && lo < p.Lo
}

// Rescale changes the scale of a decimal, rounding half away from zero; false when it overflows 128 bits.
func Rescale(d Int128, from, to uint8) (Int128, bool) {
	switch {
	case from == to || d.IsZero():
		return d, true
	case from < to:
		if int(to-from) > MaxDecimalDigits {
			return Int128{}, false
		}
		return d.Mul(pow10[to-from])
	case int(from-to) > MaxDecimalDigits:
		return Int128{}, true
	}
	return DivRound(d, pow10[from-to])
}

// DivRound is a/b rounded half away from zero; b must not be zero. False when it overflows.
func DivRound(a, b Int128) (Int128, bool) {
	q, r, ok := a.QuoRem(b)
	if r.IsZero() {
		return q, ok
	}
	rh, rl := r.magnitude()
	bh, bl := b.magnitude()
	lo, borrow := bits.Sub64(bl, rl, 0)
	hi, _ := bits.Sub64(bh, rh, borrow)
	if rh > hi || rh == hi && rl >= lo { // 2r >= b
		step := FromInt64(1)
		if (a.Hi < 0) != (b.Hi < 0) {
			step = FromInt64(-1)
		}
		return q.Add(step)
	}
	return q, ok
}

// DivScaled is a * 10^k / b rounded half away from zero; b must not be zero. False when it overflows 128 bits.
func DivScaled(a Int128, k int, b Int128) (Int128, bool) {
	if k <= MaxDecimalDigits {
		if n, ok := a.Mul(pow10[k]); ok {
			return DivRound(n, b)
		}
	}
	x := toBig(a)
	x.Mul(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil))
	return bigDivRound(x, toBig(b))
}

// MulScaled is a * b / 10^k rounded half away from zero. False when it overflows 128 bits.
func MulScaled(a, b Int128, k int) (Int128, bool) {
	if n, ok := a.Mul(b); ok {
		if k == 0 {
			return n, true
		}
		return DivRound(n, pow10[k])
	}
	if k == 0 {
		return Int128{}, false
	}
	return bigDivRound(new(big.Int).Mul(toBig(a), toBig(b)), toBig(pow10[k]))
}

func bigDivRound(x, y *big.Int) (Int128, bool) {
	negative := x.Sign()*y.Sign() < 0
	x.Abs(x)
	y.Abs(y)
	q, r := x.QuoRem(x, y, new(big.Int))
	if r.Lsh(r, 1).Cmp(y) >= 0 {
		q.Add(q, big.NewInt(1))
	}
	if negative {
		q.Neg(q)
	}
	return fromBig(q)
}

func toBig(a Int128) *big.Int {
	v := big.NewInt(a.Hi)
	return v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(a.Lo))
}

func fromBig(v *big.Int) (Int128, bool) {
	if v.BitLen() > 128 { // signed decides at the edge
		return Int128{}, false
	}
	m := new(big.Int).Abs(v)
	lo := new(big.Int).And(m, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	return signed(m.Rsh(m, 64).Uint64(), lo, v.Sign() < 0)
}

// CompareDecimal compares two decimals of any scales by value.
func CompareDecimal(a Int128, as uint8, b Int128, bs uint8) int {
	switch {
	case as == bs:
		return a.Cmp(b)
	case as > bs:
		return -CompareDecimal(b, bs, a, as)
	}
	scaled, ok := Rescale(a, as, bs)
	if !ok { // too large for 128 bits, so farther from zero than b
		return a.Sign()
	}
	return scaled.Cmp(b)
}

// NormalDecimal is the scale-free form of an exact number: trailing zeros of the fraction are stripped, so equal values
// have equal forms whatever their scales. An integer is (v, 0).
func NormalDecimal(d Int128, scale uint8) (Int128, uint8) {
	if d.IsZero() {
		return Int128{}, 0
	}
	if v, ok := d.Int64(); ok {
		for scale > 0 && v%10 == 0 {
			v /= 10
			scale--
		}
		return FromInt64(v), scale
	}
	ten := FromInt64(10)
	for scale > 0 {
		q, r, _ := d.QuoRem(ten)
		if !r.IsZero() {
			break
		}
		d = q
		scale--
	}
	return d, scale
}

// AppendDecimal appends the text of a decimal with exactly scale digits after the point: -12.00, 0.5 as 0.5.
func AppendDecimal(dst []byte, d Int128, scale uint8) []byte {
	if d.Hi < 0 {
		dst = append(dst, '-')
	}
	hi, lo := d.magnitude()
	var buf [40]byte
	digits := appendUnsigned(buf[:0], hi, lo)
	if scale == 0 {
		return append(dst, digits...)
	}
	if n := len(digits) - int(scale); n > 0 {
		dst = append(dst, digits[:n]...)
		digits = digits[n:]
	} else {
		dst = append(dst, '0')
	}
	dst = append(dst, '.')
	for i := len(digits); i < int(scale); i++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

func appendUnsigned(dst []byte, hi, lo uint64) []byte {
	if hi == 0 {
		return strconv.AppendUint(dst, lo, 10)
	}
	const chunk = 1_000_000_000_000_000_000
	qh, ql, _, r := quoRemUnsigned(hi, lo, 0, chunk)
	dst = appendUnsigned(dst, qh, ql)
	for p := uint64(chunk / 10); p > r && p > 1; p /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, r, 10)
}

// FormatDecimal is the text of a decimal with exactly scale digits after the point.
func FormatDecimal(d Int128, scale uint8) string { return string(AppendDecimal(nil, d, scale)) }

// String writes a as an integer.
func (a Int128) String() string { return FormatDecimal(a, 0) }

// DecimalToFloat is the double nearest to a decimal.
func DecimalToFloat(d Int128, scale uint8) float64 {
	if v, ok := d.Int64(); ok && v > -1<<53 && v < 1<<53 && scale <= 22 {
		// Both operands are exact, so the one rounding of the division is the right one.
		return float64(v) / math.Pow10(int(scale))
	}
	var buf [64]byte
	f, _ := strconv.ParseFloat(string(AppendDecimal(buf[:0], d, scale)), 64)
	return f
}

// FloatToDecimal is the decimal of the given scale nearest to the shortest text of f (MySQL converts DOUBLE to DECIMAL
// through its text); false when f is not finite or too large.
func FloatToDecimal(f float64, scale uint8) (Int128, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Int128{}, false
	}
	var buf [32]byte
	d, _, err := scanDecimal(strconv.AppendFloat(buf[:0], f, 'e', -1, 64), int(scale))
	return d, err == nil
}

// DivTrunc is the integer quotient of two decimals, truncated toward zero; b must not be zero. False when it overflows.
func DivTrunc(a Int128, as uint8, b Int128, bs uint8) (Int128, bool) {
	scale := max(as, bs)
	if x, ok := Rescale(a, as, scale); ok {
		if y, ok := Rescale(b, bs, scale); ok {
			q, _, ok := x.QuoRem(y)
			return q, ok
		}
	}
	x, y := alignBig(a, as, b, bs)
	return fromBig(x.Quo(x, y))
}

// ModDecimal is the remainder of DivTrunc at the larger of the two scales; it has the sign of a.
func ModDecimal(a Int128, as uint8, b Int128, bs uint8) (Int128, bool) {
	scale := max(as, bs)
	if x, ok := Rescale(a, as, scale); ok {
		if y, ok := Rescale(b, bs, scale); ok {
			_, r, _ := x.QuoRem(y)
			return r, true
		}
	}
	x, y := alignBig(a, as, b, bs)
	return fromBig(x.Rem(x, y))
}

func alignBig(a Int128, as uint8, b Int128, bs uint8) (x, y *big.Int) {
	x, y = toBig(a), toBig(b)
	if as < bs {
		x.Mul(x, toBig(pow10[bs-as]))
	} else {
		y.Mul(y, toBig(pow10[as-bs]))
	}
	return x, y
}
