package types

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Int128 is a signed 128-bit integer in two's complement: the unscaled value of a DECIMAL.
type Int128 struct {
	Hi int64
	Lo uint64
}

// The ends of the range of Int128.
var (
	MaxInt128 = Int128{math.MaxInt64, math.MaxUint64}
	MinInt128 = Int128{math.MinInt64, 0}
)

// FromInt64 widens v.
func FromInt64(v int64) Int128 { return Int128{v >> 63, uint64(v)} }

// FromUint64 widens v.
func FromUint64(v uint64) Int128 { return Int128{0, v} }

// FromBigEndian is a two's complement number, its highest byte first; no byte is 0. False: it has more than 128 bits.
func FromBigEndian(b []byte) (Int128, bool) {
	if len(b) == 0 {
		return Int128{}, true
	}
	fill := byte(int8(b[0]) >> 7)
	for len(b) > 16 {
		if b[0] != fill || (b[1]^fill)&0x80 != 0 {
			return Int128{}, false
		}
		b = b[1:]
	}
	a := Int128{Hi: int64(int8(fill)), Lo: uint64(int64(int8(fill)))}
	for _, x := range b {
		a.Hi, a.Lo = a.Hi<<8|int64(a.Lo>>56), a.Lo<<8|uint64(x)
	}
	return a, true
}

// AppendBigEndian appends a in two's complement, its highest byte first, as short as can be.
func (a Int128) AppendBigEndian(dst []byte) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(a.Hi))
	binary.BigEndian.PutUint64(b[8:], a.Lo)
	fill := byte(a.Hi >> 63)
	short := b[:]
	for len(short) > 1 && short[0] == fill && (short[1]^fill)&0x80 == 0 {
		short = short[1:]
	}
	return append(dst, short...)
}

// Int64 returns a as an int64; false when it does not fit.
func (a Int128) Int64() (int64, bool) { return int64(a.Lo), a.Hi == int64(a.Lo)>>63 }

// Uint64 returns a as a uint64; false when it does not fit.
func (a Int128) Uint64() (uint64, bool) { return a.Lo, a.Hi == 0 }

// IsZero says whether a is 0.
func (a Int128) IsZero() bool { return a.Hi == 0 && a.Lo == 0 }

// Sign is -1, 0 or 1.
func (a Int128) Sign() int {
	if a.Hi < 0 {
		return -1
	}
	if a.IsZero() {
		return 0
	}
	return 1
}

// Cmp is -1, 0 or 1 as a is less than, equal to or greater than b.
func (a Int128) Cmp(b Int128) int {
	switch {
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// Add returns a+b; false when it overflows (the result is then wrapped).
func (a Int128) Add(b Int128) (Int128, bool) {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(uint64(a.Hi), uint64(b.Hi), carry)
	r := Int128{int64(hi), lo}
	return r, (a.Hi^b.Hi) < 0 || (a.Hi^r.Hi) >= 0
}

// Sub returns a-b; false when it overflows (the result is then wrapped).
func (a Int128) Sub(b Int128) (Int128, bool) {
	lo, borrow := bits.Sub64(a.Lo, b.Lo, 0)
	hi, _ := bits.Sub64(uint64(a.Hi), uint64(b.Hi), borrow)
	r := Int128{int64(hi), lo}
	return r, (a.Hi^b.Hi) >= 0 || (a.Hi^r.Hi) >= 0
}

// Neg returns -a; false for MinInt128, which has no opposite.
func (a Int128) Neg() (Int128, bool) {
	lo, borrow := bits.Sub64(0, a.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(a.Hi), borrow)
	return Int128{int64(hi), lo}, a != MinInt128
}

// Mul returns a*b; false when it overflows.
func (a Int128) Mul(b Int128) (Int128, bool) {
	if x, ok := a.Int64(); ok {
		if y, ok := b.Int64(); ok {
			hi, lo := bits.Mul64(uint64(x), uint64(y))
			// The unsigned product counts a negative factor as 2^64 too much.
			return Int128{int64(hi) - (x>>63)&y - (y>>63)&x, lo}, true
		}
	}
	ah, al := a.magnitude()
	bh, bl := b.magnitude()
	if ah != 0 && bh != 0 {
		return Int128{}, false
	}
	hi, lo := bits.Mul64(al, bl)
	c1, m1 := bits.Mul64(ah, bl)
	c2, m2 := bits.Mul64(al, bh)
	hi, carry1 := bits.Add64(hi, m1, 0)
	hi, carry2 := bits.Add64(hi, m2, 0)
	if c1|c2|carry1|carry2 != 0 {
		return Int128{}, false
	}
	return signed(hi, lo, (a.Hi < 0) != (b.Hi < 0))
}

// QuoRem divides a by b, which must not be zero, truncating toward zero; the remainder has the sign of a. False for
// MinInt128 / -1.
func (a Int128) QuoRem(b Int128) (quo, rem Int128, ok bool) {
	if x, fits := a.Int64(); fits && x != math.MinInt64 {
		if y, fits := b.Int64(); fits {
			return FromInt64(x / y), FromInt64(x % y), true
		}
	}
	ah, al := a.magnitude()
	bh, bl := b.magnitude()
	qh, ql, rh, rl := quoRemUnsigned(ah, al, bh, bl)
	quo, ok = signed(qh, ql, (a.Hi < 0) != (b.Hi < 0))
	rem, _ = signed(rh, rl, a.Hi < 0)
	return quo, rem, ok
}

func quoRemUnsigned(ah, al, bh, bl uint64) (qh, ql, rh, rl uint64) {
	if bh == 0 {
		qh, r := ah/bl, ah%bl
		ql, r = bits.Div64(r, al, bl)
		return qh, ql, 0, r
	}
	// One quotient digit, estimated from the normalised top halves and at most one too large before it is lowered.
	n := uint(bits.LeadingZeros64(bh))
	top := bh<<n | bl>>(64-n)
	q, _ := bits.Div64(ah>>1, ah<<63|al>>1, top)
	q >>= 63 - n
	if q != 0 {
		q--
	}
	ph, pl := bits.Mul64(q, bl)
	ph += q * bh
	rl, borrow := bits.Sub64(al, pl, 0)
	rh, _ = bits.Sub64(ah, ph, borrow)
	if rh > bh || rh == bh && rl >= bl {
		q++
		rl, borrow = bits.Sub64(rl, bl, 0)
		rh, _ = bits.Sub64(rh, bh, borrow)
	}
	return 0, q, rh, rl
}

// Abs returns |a|; false for MinInt128.
func (a Int128) Abs() (Int128, bool) {
	if a.Hi < 0 {
		return a.Neg()
	}
	return a, true
}

func (a Int128) magnitude() (hi, lo uint64) {
	if a.Hi < 0 {
		a, _ = a.Neg()
	}
	return uint64(a.Hi), a.Lo
}

func signed(hi, lo uint64, negative bool) (Int128, bool) {
	r := Int128{int64(hi), lo}
	if negative {
		n, _ := r.Neg()
		return n, hi < 1<<63 || hi == 1<<63 && lo == 0
	}
	return r, hi < 1<<63
}
