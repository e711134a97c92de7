package types

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Errors of number parsing; test with errors.Is.
var (
	ErrNotNumber  = errors.New("not a number")
	ErrOutOfRange = errors.New("out of range")
	ErrInexact    = errors.New("not an integer")
)

type text interface{ ~string | ~[]byte }

// number is a scanned number: the digits at s[from:to] with one optional point among them, times 10^exp.
type number struct {
	from, to int // leading zeros and blanks are outside
	point    int // digits of [from,to) before the point, once the exponent is applied; may be negative
	negative bool
}

func scanNumber[T text](s T) (n number, ok bool) {
	i, end := trimmed(s)
	if i < end && (s[i] == '-' || s[i] == '+') {
		n.negative = s[i] == '-'
		i++
	}
	digits, sawPoint := 0, false
	n.from = -1
	for ; i < end; i++ {
		c := s[i]
		if c == '.' && !sawPoint {
			sawPoint = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits++
		if n.from < 0 && c == '0' { // a leading zero only moves the point
			if sawPoint {
				n.point--
			}
			continue
		}
		if n.from < 0 {
			n.from = i
		}
		if !sawPoint {
			n.point++
		}
		n.to = i + 1
	}
	if digits == 0 {
		return n, false
	}
	if n.from < 0 {
		n.from, n.to, n.point = 0, 0, 0
	}
	if i < end && (s[i] == 'e' || s[i] == 'E') {
		exp, ok := scanExponent(s, i+1, end)
		if !ok {
			return n, false
		}
		n.point += exp
		i = end
	}
	return n, i == end
}

func trimmed[T text](s T) (from, to int) {
	to = len(s)
	for from < to && isSpace(s[from]) {
		from++
	}
	for to > from && isSpace(s[to-1]) {
		to--
	}
	return from, to
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func scanExponent[T text](s T, i, end int) (int, bool) {
	negative := false
	if i < end && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	if i == end {
		return 0, false
	}
	exp := 0
	for ; i < end; i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		exp = min(exp*10+int(s[i]-'0'), 1_000_000) // far beyond any DECIMAL, and far from int's end
	}
	if negative {
		exp = -exp
	}
	return exp, true
}

// scanDecimal reads a number into the given scale, rounding half away from zero; inexact says that digits were lost.
func scanDecimal[T text](s T, scale int) (d Int128, inexact bool, err error) {
	n, ok := scanNumber(s)
	if !ok {
		return Int128{}, false, ErrNotNumber
	}
	if n.from == n.to {
		return Int128{}, false, nil
	}
	keep := n.point + scale // digits that count
	if keep > MaxDecimalDigits+1 {
		return Int128{}, false, ErrOutOfRange
	}
	var lo uint64
	i := n.from
	for ; i < n.to && keep > 0; i++ {
		if s[i] == '.' {
			continue
		}
		c := uint64(s[i] - '0')
		keep--
		if d.Hi == 0 && d.Lo == 0 && lo < math.MaxUint64/10-1 {
			lo = lo*10 + c
			continue
		}
		if lo != 0 {
			d, lo = FromUint64(lo), 0
		}
		if d, ok = d.Mul(FromInt64(10)); !ok {
			return Int128{}, false, ErrOutOfRange
		}
		if d, ok = d.Add(FromUint64(c)); !ok {
			return Int128{}, false, ErrOutOfRange
		}
	}
	if lo != 0 {
		d = FromUint64(lo)
	}
	if keep > 0 { // the number ended before the scale did
		if d, ok = d.Mul(pow10[min(keep, MaxDecimalDigits)]); !ok || keep > MaxDecimalDigits {
			return Int128{}, false, ErrOutOfRange
		}
	}
	var roundUp bool
	roundUp, inexact = dropped(s[i:n.to])
	roundUp = roundUp && keep == 0
	if roundUp {
		if d, ok = d.Add(FromInt64(1)); !ok {
			return Int128{}, false, ErrOutOfRange
		}
	}
	if n.negative {
		d, _ = d.Neg()
	}
	return d, inexact, nil
}

// dropped looks at the digits behind the last that counts: whether the first is 5 or more, and whether any is not 0.
func dropped[T text](s T) (half, inexact bool) {
	first := true
	for i := range len(s) {
		if s[i] == '.' {
			continue
		}
		half = half || first && s[i] >= '5'
		inexact = inexact || s[i] != '0'
		first = false
	}
	return half, inexact
}

// ParseDecimal reads a number in any notation ("12", "-1.005", "1e3") into DECIMAL(precision, scale), rounding half away
// from zero. Blanks around it are allowed. Errors: ErrNotNumber, ErrOutOfRange.
func ParseDecimal[T text](s T, precision, scale uint8) (Int128, error) {
	d, _, err := scanDecimal(s, int(scale))
	if err == nil && !FitsDecimal(d, int(precision)) {
		err = ErrOutOfRange
	}
	return d, err
}

// ParseNumber reads a number with as many fraction digits as it has ("1.50" is 150, 2); fraction digits beyond 38
// digits in all are rounded away. Errors: ErrNotNumber, ErrOutOfRange.
func ParseNumber[T text](s T) (Int128, uint8, error) {
	n, ok := scanNumber(s)
	if !ok {
		return Int128{}, 0, ErrNotNumber
	}
	digits := n.to - n.from
	for i := n.from; i < n.to; i++ {
		if s[i] == '.' {
			digits--
		}
	}
	scale := 0
	if n.from != n.to {
		scale = max(min(digits-n.point, MaxDecimalDigits-max(n.point, 0)), 0)
	}
	d, _, err := scanDecimal(s, scale)
	if err == nil && !FitsDecimal(d, MaxDecimalDigits) {
		err = ErrOutOfRange
	}
	return d, uint8(scale), err
}

// ParseInt reads an integer in any notation ("12", "1.0", "1e3"). Errors: ErrNotNumber, ErrInexact (a fraction that is
// not zero), ErrOutOfRange.
func ParseInt[T text](s T) (int64, error) {
	if v, ok := plainInt(s); ok {
		return v, nil
	}
	d, inexact, err := scanDecimal(s, 0)
	if err != nil {
		return 0, err
	}
	if inexact {
		return 0, ErrInexact
	}
	v, ok := d.Int64()
	if !ok {
		return 0, ErrOutOfRange
	}
	return v, nil
}

// plainInt reads up to 18 digits without anything else.
func plainInt[T text](s T) (int64, bool) {
	i, negative := 0, false
	if len(s) > 0 && s[0] == '-' {
		i, negative = 1, true
	}
	if len(s) == i || len(s) > i+18 {
		return 0, false
	}
	var v int64
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		v = v*10 + int64(c)
	}
	if negative {
		v = -v
	}
	return v, true
}

// ParseUint is ParseInt for unsigned integers.
func ParseUint[T text](s T) (uint64, error) {
	d, inexact, err := scanDecimal(s, 0)
	if err != nil {
		return 0, err
	}
	if inexact {
		return 0, ErrInexact
	}
	v, ok := d.Uint64()
	if !ok {
		return 0, ErrOutOfRange
	}
	return v, nil
}

// ParseDouble reads a decimal floating point number; hexadecimal, infinities and NaN are not numbers.
func ParseDouble[T text](s T) (float64, error) {
	if _, ok := scanNumber(s); !ok {
		return 0, ErrNotNumber
	}
	from, to := trimmed(s)
	f, err := strconv.ParseFloat(string(s[from:to]), 64)
	if err != nil {
		return 0, ErrOutOfRange
	}
	return f, nil
}

// AppendDouble appends the shortest text that reads back as f, as MySQL prints it: without exponent from 1e-15 up to 1e15.
func AppendDouble(dst []byte, f float64, bits int) []byte {
	if a := math.Abs(f); a != 0 && (a < 1e-15 || a >= 1e15) {
		n := len(dst)
		dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
		s := string(dst[n:])
		s = strings.Replace(s, "e+0", "e", 1)
		s = strings.Replace(s, "e+", "e", 1)
		return append(dst[:n], strings.Replace(s, "e-0", "e-", 1)...)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, bits)
}

// ParseLiteral reads a numeric literal as MySQL types it: digits are BIGINT, BIGINT UNSIGNED or DECIMAL, whichever is
// the first they fit; digits with a point are DECIMAL; an exponent makes a DOUBLE.
func ParseLiteral(s string) (Value, Type, error) {
	if strings.ContainsAny(s, "eE") {
		f, err := ParseDouble(s)
		if err != nil {
			return Value{}, Type{}, fmt.Errorf("number %s: %w", s, err)
		}
		return NewDouble(f), TDouble, nil
	}
	d, scale, err := ParseNumber(s)
	if err != nil {
		return Value{}, Type{}, fmt.Errorf("number %s: %w; a DECIMAL has at most %d digits", s, err, MaxDecimalDigits)
	}
	if !strings.Contains(s, ".") {
		if v, ok := d.Int64(); ok {
			return NewInt(v), TBigInt, nil
		}
		if v, ok := d.Uint64(); ok {
			return NewUint(v), TUBigInt, nil
		}
	} else if i := strings.IndexByte(s, '.'); len(s)-i-1 > int(scale) { // 1.50 keeps its zero
		scale = uint8(min(len(s)-i-1, MaxDecimalDigits))
		if d, err = ParseDecimal(s, MaxDecimalDigits, scale); err != nil {
			return Value{}, Type{}, fmt.Errorf("number %s: %w; a DECIMAL has at most %d digits", s, err, MaxDecimalDigits)
		}
	}
	return NewDecimal(d, scale), TDecimal(max(Digits(d), int(scale)), int(scale)), nil
}
