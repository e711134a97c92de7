package types

import (
	"errors"
	"math"
	"testing"
)

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		in    string
		scale uint8
		want  string
		err   error
	}{
		{"12", 2, "12.00", nil}, {"1.005", 2, "1.01", nil}, {"-1.005", 2, "-1.01", nil}, {"1.00499999999999999999", 2, "1.00", nil}, {"12.10", 2, "12.10", nil},
		{"1e3", 2, "1000.00", nil}, {"9.007199254740993e15", 0, "9007199254740993", nil}, {"1E-2", 2, "0.01", nil}, {"5e-3", 2, "0.01", nil}, {"4.9e-3", 2, "0.00", nil},
		{".5", 0, "1", nil}, {"-0.5", 0, "-1", nil}, {"5.", 1, "5.0", nil}, {"+7", 0, "7", nil}, {" 7 ", 0, "7", nil}, {"000", 2, "0.00", nil}, {"0.000000000000000000000000000000000000000000001e45", 0, "1", nil},
		{"-0", 1, "0.0", nil}, {"0e99999999999", 2, "0.00", nil}, {"1e-99999999999", 2, "0.00", nil}, {"99999999.995", 2, "", ErrOutOfRange}, {"99999999.994", 2, "99999999.99", nil},
		{"100000000", 2, "", ErrOutOfRange}, {"1e99999999999", 2, "", ErrOutOfRange}, {"", 0, "", ErrNotNumber}, {"-", 0, "", ErrNotNumber}, {".", 0, "", ErrNotNumber}, {"1e", 0, "", ErrNotNumber},
		{"1x", 0, "", ErrNotNumber}, {"1 2", 0, "", ErrNotNumber}, {"0x1", 0, "", ErrNotNumber}, {"1.2.3", 0, "", ErrNotNumber}, {"nan", 0, "", ErrNotNumber},
	} {
		precision := uint8(10)
		if c.scale == 0 {
			precision = 38
		}
		d, err := ParseDecimal(c.in, precision, c.scale)
		if !errors.Is(err, c.err) || err == nil && FormatDecimal(d, c.scale) != c.want {
			t.Errorf("%q: %s, %v; want %s, %v", c.in, FormatDecimal(d, c.scale), err, c.want, c.err)
		}
		if e, err2 := ParseDecimal([]byte(c.in), precision, c.scale); e != d || (err2 == nil) != (err == nil) {
			t.Errorf("%q as bytes differs", c.in)
		}
	}
}

func TestParseInt(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int64
		err  error
	}{
		{"0", 0, nil}, {"-12", -12, nil}, {"1.0", 1, nil}, {"1e3", 1000, nil}, {"9.007199254740993e15", 9007199254740993, nil}, {"9223372036854775807", math.MaxInt64, nil},
		{"-9223372036854775808", math.MinInt64, nil}, {"9223372036854775808", 0, ErrOutOfRange}, {"1.5", 0, ErrInexact}, {"1e-1", 0, ErrInexact}, {"123456789012345678901234567890", 0, ErrOutOfRange}, {"abc", 0, ErrNotNumber}, {"", 0, ErrNotNumber}, {"-", 0, ErrNotNumber},
	} {
		v, err := ParseInt(c.in)
		if v != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q: %d, %v", c.in, v, err)
		}
	}
}

func TestParseLiteral(t *testing.T) {
	for in, want := range map[string]string{
		"1": "BIGINT 1", "9223372036854775807": "BIGINT 9223372036854775807", "9223372036854775808": "BIGINT UNSIGNED 9223372036854775808",
		"18446744073709551616": "DECIMAL(20,0) 18446744073709551616", "1.50": "DECIMAL(3,2) 1.50", "0.05": "DECIMAL(2,2) 0.05", "0.00": "DECIMAL(2,2) 0.00", "1e3": "DOUBLE 1000",
	} {
		v, typ, err := ParseLiteral(in)
		if got := typ.String() + " " + v.Text(); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", in, got, err, want)
		}
	}
	if _, _, err := ParseLiteral("999999999999999999999999999999999999999"); err == nil {
		t.Error("39 digits were accepted")
	}
}

func TestAppendDouble(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 1.5: "1.5", 1e14: "100000000000000", 1e15: "1e15", 1e20: "1e20", 1e-15: "0.000000000000001", 1e-16: "1e-16", -2.5e-20: "-2.5e-20", 1e100: "1e100", 1e5: "100000"} {
		if got := string(AppendDouble(nil, f, 64)); got != want {
			t.Errorf("%g: %s, want %s", f, got, want)
		}
	}
}

func TestFloatToDecimal(t *testing.T) {
	if d, ok := FloatToDecimal(1.005, 2); !ok || FormatDecimal(d, 2) != "1.01" {
		t.Errorf("1.005: %s", FormatDecimal(d, 2)) // through its text, as MySQL; the double itself lies below
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), 1e40} {
		if _, ok := FloatToDecimal(f, 0); ok {
			t.Errorf("%g was accepted", f)
		}
	}
}

func BenchmarkParseDecimal(b *testing.B) {
	b.ReportAllocs()
	in := []byte("12345.67")
	for range b.N {
		if _, err := ParseDecimal(in, 10, 2); err != nil {
			b.Fatal(err)
		}
	}
}
