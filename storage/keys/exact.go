package keys

import (
	"encoding/binary"
	"math/bits"

	"github.com/streamsql-go/streamsql/sql/types"
)

// An exact number x is its floor, then its fraction x - floor(x). The floor is a tag that holds sign and length, and the
// shortest big-endian bytes of it (of its complement, complemented, when negative). The fraction is pairs of decimal
// digits plus one, trailing zeros left out, ended by 0x00; an integer has the end alone.

const limbDigits = 19 // decimal digits that fit a uint64

// appendMagnitude appends tag + n and the n low bytes of hi:lo, the shortest that hold it.
func appendMagnitude(dst []byte, tag byte, hi, lo uint64) []byte {
	if hi == 0 {
		n := (bits.Len64(lo) + 7) / 8
		dst = append(dst, tag+byte(n))
		return appendLow(dst, lo, n)
	}
	n := (bits.Len64(hi) + 7) / 8
	dst = append(dst, tag+8+byte(n))
	return binary.BigEndian.AppendUint64(appendLow(dst, hi, n), lo)
}

func appendLow(dst []byte, x uint64, n int) []byte {
	at := len(dst)
	dst = binary.BigEndian.AppendUint64(dst, x<<(64-8*n))
	return dst[:at+n]
}

// appendNegative appends the floor ^(hi:lo).
func appendNegative(dst []byte, hi, lo uint64) []byte {
	at := len(dst)
	dst = appendMagnitude(dst, 0, hi, lo)
	dst[at] = exactZero - 1 - dst[at]
	for i := at + 1; i < len(dst); i++ {
		dst[i] = ^dst[i]
	}
	return dst
}

func appendDecimal(dst []byte, d types.Int128, scale uint8) []byte {
	negative := d.Hi < 0
	hi, lo := uint64(d.Hi), d.Lo
	if negative {
		hi, lo = negate(hi, lo)
	}
	hi, lo, f := divide(hi, lo, int(scale))
	if negative && f.zero() {
		hi, lo = decrement(hi, lo) // floor -n is ^(n-1); n is not 0
	} else if negative {
		f = f.complement()
	}
	if negative {
		dst = appendNegative(dst, hi, lo)
	} else {
		dst = appendMagnitude(dst, exactZero, hi, lo)
	}
	return append(f.append(dst), 0)
}

func negate(hi, lo uint64) (uint64, uint64) {
	lo, b := bits.Sub64(0, lo, 0)
	hi, _ = bits.Sub64(0, hi, b)
	return hi, lo
}

func decrement(hi, lo uint64) (uint64, uint64) {
	lo, b := bits.Sub64(lo, 1, 0)
	hi, _ = bits.Sub64(hi, 0, b)
	return hi, lo
}

// fraction is digits after the point: high of highDigits digits, then low of lowDigits digits.
type fraction struct {
	high, low             uint64
	highDigits, lowDigits int
}

func (f fraction) zero() bool { return f.high == 0 && f.low == 0 }

// complement is 1 - f, for f not zero.
func (f fraction) complement() fraction {
	if f.low > 0 {
		f.low = pow10(f.lowDigits) - f.low
		if f.highDigits > 0 {
			f.high = pow10(f.highDigits) - 1 - f.high
		}
		return f
	}
	f.high = pow10(f.highDigits) - f.high
	return f
}

// append appends the digit pairs.
func (f fraction) append(dst []byte) []byte {
	if f.zero() {
		return dst
	}
	var digits [2*limbDigits + 1]byte
	x := f.low
	for i := f.highDigits + f.lowDigits - 1; i >= f.highDigits; i-- {
		digits[i], x = byte(x%10), x/10
	}
	x = f.high
	for i := f.highDigits - 1; i >= 0; i-- {
		digits[i], x = byte(x%10), x/10
	}
	n := f.highDigits + f.lowDigits
	for digits[n-1] == 0 {
		n--
	}
	for i := 0; i < n; i += 2 {
		dst = append(dst, digits[i]*10+digits[i+1]+1)
	}
	return dst
}

// divide splits hi:lo by 10^scale.
func divide(hi, lo uint64, scale int) (qhi, qlo uint64, f fraction) {
	if scale == 0 {
		return hi, lo, f
	}
	f.lowDigits = min(scale, limbDigits)
	hi, lo, f.low = divide64(hi, lo, pow10(f.lowDigits))
	if scale > limbDigits {
		f.highDigits = scale - limbDigits
		hi, lo, f.high = divide64(hi, lo, pow10(f.highDigits))
	}
	return hi, lo, f
}

func divide64(hi, lo, by uint64) (qhi, qlo, rem uint64) {
	qhi, rem = hi/by, hi%by
	qlo, rem = bits.Div64(rem, lo, by)
	return qhi, qlo, rem
}

var powers = [limbDigits + 1]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

func pow10(n int) uint64 { return powers[n] }
