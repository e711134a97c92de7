package types

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// genInt128 draws numbers of every size, and the ends of the range often.
var genInt128 = rapid.Custom(func(t *rapid.T) Int128 {
	switch rapid.IntRange(0, 4).Draw(t, "size") {
	case 0:
		return FromInt64(rapid.Int64().Draw(t, "small"))
	case 1:
		return FromInt64(int64(rapid.IntRange(-12, 12).Draw(t, "tiny")))
	case 2:
		return rapid.SampledFrom([]Int128{MaxInt128, MinInt128, {0, math.MaxUint64}, {-1, 0}, {1, 0}, pow10[38], pow10[19], {math.MinInt64, 1}}).Draw(t, "edge")
	}
	shift := rapid.IntRange(0, 63).Draw(t, "shift")
	return Int128{rapid.Int64().Draw(t, "hi") >> shift, rapid.Uint64().Draw(t, "lo")}
})

func sameAsBig(t *rapid.T, what string, got Int128, ok bool, want *big.Int) {
	fits := want.Cmp(toBig(MaxInt128)) <= 0 && want.Cmp(toBig(MinInt128)) >= 0
	if ok != fits || ok && toBig(got).Cmp(want) != 0 {
		t.Fatalf("%s: %v %v, want %v", what, toBig(got), ok, want)
	}
}

func TestInt128AgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genInt128.Draw(t, "a"), genInt128.Draw(t, "b")
		x, y := toBig(a), toBig(b)
		r, ok := a.Add(b)
		sameAsBig(t, "add", r, ok, new(big.Int).Add(x, y))
		r, ok = a.Sub(b)
		sameAsBig(t, "sub", r, ok, new(big.Int).Sub(x, y))
		r, ok = a.Mul(b)
		sameAsBig(t, "mul", r, ok, new(big.Int).Mul(x, y))
		r, ok = a.Neg()
		sameAsBig(t, "neg", r, ok, new(big.Int).Neg(x))
		if a.Cmp(b) != x.Cmp(y) || a.Sign() != x.Sign() {
			t.Fatalf("cmp %v %v: %d, sign %d", x, y, a.Cmp(b), a.Sign())
		}
		if !b.IsZero() {
			q, rem, ok := a.QuoRem(b)
			wantQ, wantR := new(big.Int).QuoRem(x, y, new(big.Int))
			sameAsBig(t, "quo", q, ok, wantQ)
			sameAsBig(t, "rem", rem, true, wantR)
		}
		if a.String() != x.String() {
			t.Fatalf("text %s, want %s", a, x)
		}
		if Digits(a) != len(new(big.Int).Abs(x).String()) {
			t.Fatalf("digits of %v: %d", x, Digits(a))
		}
	})
}

// roundedQuo is x/y half away from zero.
func roundedQuo(x, y *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(x, y, new(big.Int))
	if new(big.Int).Abs(new(big.Int).Lsh(r, 1)).Cmp(new(big.Int).Abs(y)) >= 0 {
		q.Add(q, big.NewInt(int64(x.Sign()*y.Sign())))
	}
	return q
}

func TestScaledArithmeticAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genInt128.Draw(t, "a"), genInt128.Draw(t, "b")
		k := rapid.IntRange(0, 38).Draw(t, "k")
		p := toBig(pow10[k])
		r, ok := MulScaled(a, b, k)
		sameAsBig(t, "mulscaled", r, ok, roundedQuo(new(big.Int).Mul(toBig(a), toBig(b)), p))
		if !b.IsZero() {
			r, ok = DivScaled(a, k, b)
			sameAsBig(t, "divscaled", r, ok, roundedQuo(new(big.Int).Mul(toBig(a), p), toBig(b)))
		}
		r, ok = Rescale(a, uint8(k), 0)
		sameAsBig(t, "rescale down", r, ok, roundedQuo(toBig(a), p))
		r, ok = Rescale(a, 0, uint8(k))
		sameAsBig(t, "rescale up", r, ok, new(big.Int).Mul(toBig(a), p))
		if got, want := CompareDecimal(a, 0, b, uint8(k)), new(big.Int).Mul(toBig(a), p).Cmp(toBig(b)); got != want {
			t.Fatalf("compare %v with %v / 10^%d: %d, want %d", a, b, k, got, want)
		}
		n, s := NormalDecimal(a, uint8(k))
		if CompareDecimal(n, s, a, uint8(k)) != 0 {
			t.Fatalf("normal form of %v / 10^%d is %v / 10^%d", a, k, n, s)
		}
	})
}

func TestDecimalTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genInt128.Draw(t, "a")
		if !FitsDecimal(a, MaxDecimalDigits) {
			return
		}
		scale := uint8(rapid.IntRange(0, 38).Draw(t, "scale"))
		s := FormatDecimal(a, scale)
		d, err := ParseDecimal(s, MaxDecimalDigits, scale)
		if err != nil || d != a {
			t.Fatalf("%s reads back as %v, %v", s, d, err)
		}
		f, _, err := big.ParseFloat(s, 10, 600, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := f.Float64(); DecimalToFloat(a, scale) != want {
			t.Fatalf("%s as a double is %v, want %v", s, DecimalToFloat(a, scale), want)
		}
	})
}

// The bytes are those of Java's BigInteger.toByteArray.
func TestBigEndian(t *testing.T) {
	for text, want := range map[string]string{"0": "\x00", "1": "\x01", "127": "\x7f", "128": "\x00\x80", "-1": "\xff", "-128": "\x80", "-129": "\xff\x7f", "1234": "\x04\xd2",
		"170141183460469231731687303715884105727": "\x7f" + strings.Repeat("\xff", 15), "-170141183460469231731687303715884105728": "\x80" + strings.Repeat("\x00", 15)} {
		x, _ := new(big.Int).SetString(text, 10)
		a, ok := FromBigEndian([]byte(want))
		if !ok || a.String() != text || string(a.AppendBigEndian([]byte("x"))) != "x"+want {
			t.Errorf("%s: read %v, %v, written %x", x, a, ok, a.AppendBigEndian(nil))
		}
		long := append([]byte(strings.Repeat(string([]byte{byte(int8(want[0]) >> 7)}), 20)), want...)
		if b, ok := FromBigEndian(long); !ok || b != a {
			t.Errorf("%s in 20 bytes more: %v, %v", x, b, ok)
		}
	}
	if _, ok := FromBigEndian([]byte("\x00\x80" + strings.Repeat("\x00", 15))); ok {
		t.Error("a number of 129 bits was read")
	}
	if a, ok := FromBigEndian(nil); !ok || !a.IsZero() {
		t.Error("no byte is not 0")
	}
}
