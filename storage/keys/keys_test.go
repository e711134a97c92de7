package keys

import (
	"bytes"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/tests/trial"
)

func ints(t types.Type, x ...int64) *vector.Vector { return &vector.Vector{Type: t, Ints: x} }
func doubles(x ...float64) *vector.Vector          { return &vector.Vector{Type: types.TDouble, Floats: x} }
func text(t types.Type, x ...string) *vector.Vector {
	v := &vector.Vector{Type: t}
	for _, s := range x {
		v.Bytes.Append([]byte(s))
	}
	return v
}

func decimal(scale int, x *big.Int) *vector.Vector {
	y := new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
	lo := new(big.Int).And(y, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	hi := new(big.Int).Rsh(y, 64).Uint64()
	return &vector.Vector{Type: types.TDecimal(38, scale), Decs: []types.Int128{{Hi: int64(hi), Lo: lo}}}
}

func enc(v *vector.Vector) []byte { return Append(nil, v, 0) }

// The bytes decide where a key lives: they are spelled out here and must not change.
func TestBytesAreFixed(t *testing.T) {
	for _, c := range []struct {
		v    *vector.Vector
		want string
	}{
		{ints(types.TBigInt, 0), "\x80\x00"},
		{ints(types.TBigInt, 1), "\x81\x01\x00"},
		{ints(types.TBoolean, 1), "\x81\x01\x00"},
		{ints(types.TInt, 256), "\x82\x01\x00\x00"},
		{ints(types.TBigInt, -1), "\x7f\x00"},
		{ints(types.TBigInt, -2), "\x7e\xfe\x00"},
		{ints(types.TBigInt, math.MinInt64), "\x77\x80\x00\x00\x00\x00\x00\x00\x00\x00"},
		{ints(types.TUBigInt, -1), "\x88\xff\xff\xff\xff\xff\xff\xff\xff\x00"},
		{decimal(2, big.NewInt(100)), "\x81\x01\x00"},
		{decimal(2, big.NewInt(150)), "\x81\x01\x33\x00"},
		{decimal(2, big.NewInt(-150)), "\x7e\xfe\x33\x00"},
		{decimal(3, big.NewInt(1)), "\x80\x01\x0b\x00"},
		{decimal(38, big.NewInt(0)), "\x80\x00"},
		{doubles(math.Copysign(0, -1)), "\xa0\x80\x00\x00\x00\x00\x00\x00\x00"},
		{doubles(-1), "\xa0\x40\x0f\xff\xff\xff\xff\xff\xff"},
		{text(types.TVarchar, "a\x00b"), "\xb0a\x00\xffb\x00\x00"},
		{text(types.TVarbinary, ""), "\xb0\x00\x00"},
		{ints(types.TDate, 0), "\xc0\x80\x00\x00\x00\x00\x00\x00\x00"},
		{ints(types.TTimestamp, -1), "\xc2\x7f\xff\xff\xff\xff\xff\xff\xff"},
		{&vector.Vector{Type: types.TBigInt, Nulls: []bool{true}, Ints: []int64{0}}, "\x00"},
		{&vector.Vector{Nulls: []bool{true}}, "\x00"},
	} {
		if got := enc(c.v); string(got) != c.want {
			t.Errorf("%s: %x, want %x", c.v.Type, got, c.want)
		}
	}
	if Hash(nil) != 0xef46db3751d8e999 { // xxHash64 of nothing, from its specification
		t.Errorf("Hash(nil) = %x", Hash(nil))
	}
}

// number is an exact number of any kind and its value times 10^38.
func number(t *rapid.T, label string) (*vector.Vector, *big.Int) {
	scale := 0
	x := new(big.Int)
	var v *vector.Vector
	near := rapid.SampledFrom([]int64{0, 1, -1, 255, 256, -256, -257, 1 << 40, math.MaxInt64, math.MinInt64}).Draw(t, label+" near")
	i := near
	if rapid.Bool().Draw(t, label+" any") {
		i = rapid.Int64().Draw(t, label)
	}
	switch rapid.IntRange(0, 2).Draw(t, label+" kind") {
	case 0:
		v, x = ints(types.TBigInt, i), big.NewInt(i)
	case 1:
		v, x = ints(types.TUBigInt, i), new(big.Int).SetUint64(uint64(i))
	case 2:
		scale = rapid.IntRange(0, 38).Draw(t, label+" scale")
		x = big.NewInt(i)
		if rapid.Bool().Draw(t, label+" wide") {
			x.Mul(x, big.NewInt(rapid.Int64Range(1, 1<<60).Draw(t, label+" factor")))
		}
		x.Rem(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil))
		v = decimal(scale, x)
	}
	return v, new(big.Int).Mul(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(38-scale)), nil))
}

func TestExactNumbersOrderAcrossKinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := number(t, "a")
		b, y := number(t, "b")
		if got, want := bytes.Compare(enc(a), enc(b)), x.Cmp(y); got != want {
			t.Fatalf("%x against %x is %d, the values %d", enc(a), enc(b), got, want)
		}
	})
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, _ := number(t, "n")
		cols := []*vector.Vector{n,
			text(types.TVarchar, rapid.StringOf(rapid.RuneFrom([]rune{0, 1, 'a', 0xFF})).Draw(t, "s")),
			ints(types.TTimestamp, rapid.Int64().Draw(t, "t")),
			doubles(rapid.Float64().Draw(t, "f")),
			{Type: types.TBigInt, Nulls: []bool{true}, Ints: []int64{0}},
			text(types.TJSON, rapid.String().Draw(t, "j"))}
		key := AppendRow([]byte("x"), cols, 0)[1:]
		var into []*vector.Vector
		for _, c := range cols {
			into = append(into, &vector.Vector{Type: c.Type})
		}
		rest, err := Decode(append(key[:len(key):len(key)], "rest"...), into)
		if err != nil || string(rest) != "rest" {
			t.Fatalf("rest %q, %v", rest, err)
		}
		if again := AppendRow(nil, into, 0); !bytes.Equal(key, again) {
			t.Fatalf("%x became %x", key, again)
		}
		if n.Type.Physical() == types.PhysInt && into[0].Ints[0] != n.Ints[0] || n.Type.Kind == types.Decimal && into[0].Decs[0] != n.Decs[0] {
			t.Fatalf("number %v became %v", n, into[0])
		}
		for i := range key { // nothing cut short is taken for a key
			for _, v := range into {
				*v = vector.Vector{Type: v.Type}
			}
			if _, err := Decode(key[:i], into); err == nil {
				t.Fatalf("%x of %x was read", key[:i], key)
			}
		}
	})
}

func TestStringsAndRowsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.StringOfN(rapid.RuneFrom([]rune{0, 1, 'a'}), 0, 4, -1)
		a1, a2, b1, b2 := g.Draw(t, "a1"), g.Draw(t, "a2"), g.Draw(t, "b1"), g.Draw(t, "b2")
		want := bytes.Compare([]byte(a1), []byte(b1))
		if want == 0 {
			want = bytes.Compare([]byte(a2), []byte(b2))
		}
		a := AppendRow(nil, []*vector.Vector{text(types.TVarchar, a1), text(types.TVarchar, a2)}, 0)
		b := AppendRow(nil, []*vector.Vector{text(types.TVarchar, b1), text(types.TVarchar, b2)}, 0)
		if got := bytes.Compare(a, b); got != want {
			t.Fatalf("%x against %x: %d, want %d", a, b, got, want)
		}
	})
}

func TestDoublesAndTimesOrder(t *testing.T) {
	rising := []float64{math.Inf(-1), -1e300, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 1, 1.5, math.Inf(1), math.NaN()}
	for i := 1; i < len(rising); i++ {
		if bytes.Compare(enc(doubles(rising[i-1])), enc(doubles(rising[i]))) >= 0 {
			t.Errorf("%v does not order before %v", rising[i-1], rising[i])
		}
	}
	if !bytes.Equal(enc(doubles(math.NaN())), enc(doubles(math.Float64frombits(math.Float64bits(math.NaN())|1<<63|7)))) {
		t.Error("two NaNs")
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		if (bytes.Compare(AppendTime(nil, a), AppendTime(nil, b)) < 0) != (a < b) || Time(AppendTime(nil, a)) != a {
			t.Fatal(a, b)
		}
	})
}

func TestDecodeRefusesWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		from *vector.Vector
		into types.Type
	}{
		{ints(types.TBigInt, -1), types.TUBigInt},
		{ints(types.TUBigInt, -1), types.TBigInt},
		{decimal(1, big.NewInt(15)), types.TBigInt},
		{decimal(3, big.NewInt(15)), types.TDecimal(10, 2)},
		{decimal(3, big.NewInt(15)), types.TDecimal(10, 1)},
		{ints(types.TBigInt, 1), types.TVarchar},
		{text(types.TVarchar, "a"), types.TDouble},
	} {
		if _, err := Decode(enc(c.from), []*vector.Vector{{Type: c.into}}); err == nil {
			t.Errorf("%s was read as %s", c.from.Type, c.into)
		}
	}
}

func FuzzDecode(f *testing.F) {
	trial.Fuzz(f, func(t testing.TB, key []byte) {
		into := []*vector.Vector{{Type: types.TDecimal(38, 5)}, {Type: types.TVarchar}}
		if _, err := Decode(key, into); err == nil && (into[0].Len() != 1 || into[1].Len() != 1) {
			t.Fatal("a value is missing")
		}
	}, "\x81\x01\x33\x00\xb0a\x00\xff\x00\x00")
}

func BenchmarkAppendInt(b *testing.B) {
	v := ints(types.TBigInt, 1234567890123)
	dst := make([]byte, 0, 64)
	b.ReportAllocs()
	for range b.N {
		dst = Append(dst[:0], v, 0)
	}
}

func BenchmarkAppendString(b *testing.B) {
	v := text(types.TVarchar, "user-0123456789")
	dst := make([]byte, 0, 64)
	b.ReportAllocs()
	for range b.N {
		dst = Append(dst[:0], v, 0)
	}
}

func BenchmarkAppendDecimal(b *testing.B) {
	v := decimal(2, big.NewInt(-123456789))
	dst := make([]byte, 0, 64)
	b.ReportAllocs()
	for range b.N {
		dst = Append(dst[:0], v, 0)
	}
}
