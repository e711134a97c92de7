package json

import (
	stdjson "encoding/json"
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func TestEncode(t *testing.T) {
	cols := []format.Column{
		col("id", types.TBigInt), col("u", types.TUBigInt), col("price", types.TDecimal(10, 2)), col("f", types.TDouble),
		col("s", types.TVarchar), col("bin", types.TVarbinary), col("ok", types.TBoolean), col("d", types.TDate),
		col("t", types.Type{Kind: types.Time}), col("ts", types.TTimestamp), col("doc", types.TJSON), col(`a"b`, types.TInt),
	}
	values := []types.Value{
		types.NewInt(-9223372036854775808), types.NewUint(math.MaxUint64), types.NewDecimal(types.FromInt64(1210), 2), types.NewDouble(0.1),
		types.NewString("q\"\\\n\x01é\u2028</\xff"), types.NewBinary([]byte("hi")), types.NewBool(true), types.NewDate(0),
		types.NewTime(-3_723_000_000), types.NewTimestamp(1_700_000_000_120_000), types.NewJSON(`{"x":[1]}`), {},
	}
	e, err := NewEncoder(cols, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &vector.Batch{N: 1}
	for i, c := range cols {
		b.Cols = append(b.Cols, vector.FromValues(c.Type, values[i]))
	}
	got := string(encoded(e, nil, b, 0))
	want := `{"id":-9223372036854775808,"u":18446744073709551615,"price":12.10,"f":0.1,` +
		`"s":"q\"\\\n\u0001é` + "\u2028" + `</` + "\uFFFD" + `","bin":"aGk=","ok":true,"d":"1970-01-01",` +
		`"t":"-01:02:03","ts":"2023-11-14T22:13:20.120Z","doc":{"x":[1]},"a\"b":null}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	buf := make([]byte, 0, 512)
	if n := testing.AllocsPerRun(100, func() { _, _ = e.Encode(buf[:0], b, 0) }); n != 0 {
		t.Errorf("%v allocations per row", n)
	}
	e, err = NewEncoder([]format.Column{col("second", types.TUBigInt)}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(encoded(e, []byte("x"), b, 0)); got != `x{"second":18446744073709551615}` {
		t.Errorf("ordinals: got %s", got)
	}
	e, _ = NewEncoder(nil, nil)
	if got := string(encoded(e, nil, b, 0)); got != `{}` {
		t.Errorf("no columns: got %s", got)
	}
}

// Doubles as ECMAScript writes them (ECMA-262, Number::toString).
func TestEncodeDouble(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 1: "1", 100: "100", 1e20: "100000000000000000000", 1e21: "1e+21", 1e-6: "0.000001", 1e-7: "1e-7",
		123456.789: "123456.789", 5e-324: "5e-324", math.MaxFloat64: "1.7976931348623157e+308", -0.5: "-0.5",
		math.Inf(1): "null", math.Inf(-1): "null",
	} {
		v := vector.FromValues(types.TDouble, types.NewDouble(f))
		if got := string(AppendValue(nil, v, 0)); got != want {
			t.Errorf("%g: got %s, want %s", f, got, want)
		}
	}
	if got := string(AppendValue(nil, vector.FromValues(types.TDouble, types.NewDouble(math.NaN())), 0)); got != "null" {
		t.Errorf("NaN: got %s", got)
	}
	v := vector.FromValues(types.Type{Kind: types.Double, Bits: 32}, types.NewDouble(float64(float32(0.1))))
	if got := string(AppendValue(nil, v, 0)); got != "0.1" {
		t.Errorf("FLOAT 0.1: got %s", got)
	}
}

// Any row that is written is valid JSON and is read back as the same values.
func TestRoundTrip(t *testing.T) {
	cols := []format.Column{
		col("i", types.TBigInt), col("small", types.Type{Kind: types.Int, Bits: 8}), col("u", types.TUBigInt),
		col("p", types.TDecimal(38, 7)), col("f", types.TDouble), col("s", types.TVarchar), col("bin", types.TVarbinary),
		col("ok", types.TBoolean), col("d", types.TDate), col("t", types.Type{Kind: types.Time, Precision: 6}),
		col("ts", types.Type{Kind: types.Timestamp, Precision: 6}), col("Name ß\"", types.TVarchar),
	}
	e, err := NewEncoder(cols, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDecoder(cols)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		b := &vector.Batch{N: 1}
		for _, c := range cols {
			b.Cols = append(b.Cols, vector.FromValues(c.Type, randomValue(t, c.Type)))
		}
		text := encoded(e, nil, b, 0)
		if !stdjson.Valid(text) {
			t.Fatalf("not valid: %s", text)
		}
		into := vectors(cols, 1)
		if err := d.Decode(text, into); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i, c := range cols {
			if want, got := b.Cols[i].Value(0), into[i].Value(0); want != got {
				t.Fatalf("%s: wrote %v, read %v from %s", c.Name, want, got, text)
			}
		}
	})
}

func randomValue(t *rapid.T, of types.Type) types.Value {
	if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
		return types.Value{}
	}
	switch of.Kind {
	case types.Boolean:
		return types.NewBool(rapid.Bool().Draw(t, "bool"))
	case types.Int:
		lo, hi := types.IntRange(of.Bits)
		return types.NewInt(rapid.Int64Range(lo, hi).Draw(t, "int"))
	case types.Uint:
		return types.NewUint(rapid.Uint64().Draw(t, "uint"))
	case types.Decimal:
		d := types.Int128{Hi: rapid.Int64Range(-1<<60, 1<<60).Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")}
		return types.NewDecimal(d, of.Scale)
	case types.Double:
		return types.NewDouble(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "double"))
	case types.Varchar:
		return types.NewString(rapid.StringN(0, 20, -1).Filter(utf8.ValidString).Draw(t, "string"))
	case types.Varbinary:
		return types.NewBinary(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "binary"))
	case types.Date:
		return types.NewDate(rapid.Int64Range(-719162, 2932896).Draw(t, "date")) // years 1 to 9999
	case types.Time:
		const most = 838*3_600_000_000 + 59*60_000_000 + 59_999_999
		return types.NewTime(rapid.Int64Range(-most, most).Draw(t, "time"))
	}
	return types.NewTimestamp(rapid.Int64Range(-719162*types.MicrosPerDay, 2932897*types.MicrosPerDay-1).Draw(t, "timestamp"))
}

// Times are written as their column says, in values and keys, and read back.
func TestEncodeTimes(t *testing.T) {
	second := types.NewTimestamp(1_700_000_000_000_000)
	for layout, want := range map[string]string{
		"": `"2023-11-14T22:13:20.000Z"`, "s": `1700000000`, "ms": `1700000000000`,
		"%d.%m.%Y %H:%i:%s": `"14.11.2023 22:13:20"`, `"%Y" %T %c%e`: `"\"2023\" 22:13:20 1114"`,
	} {
		c := format.Column{Name: "ts", Type: types.TTimestamp, TimestampFormat: layout}
		e, err := NewEncoder([]format.Column{c}, nil)
		if err != nil {
			t.Fatal(err)
		}
		keys, err := NewKeys([]format.Column{c})
		if err != nil {
			t.Fatal(err)
		}
		v := vector.FromValues(c.Type, second, types.Value{})
		got := string(encoded(e, nil, &vector.Batch{N: 2, Cols: []*vector.Vector{v}}, 0))
		if got != `{"ts":`+want+`}` {
			t.Errorf("%s: got %s", layout, got)
		}
		key, _ := keys.AppendKey(nil, []*vector.Vector{v}, 0)
		if string(key) != want {
			t.Errorf("%s: key %s", layout, key)
		}
		into := []*vector.Vector{vector.New(c.Type, 1)}
		if err := keys.DecodeKey(key, into); err != nil || into[0].Ints[0] != second.I {
			t.Errorf("%s: key read as %v, %v", layout, into[0].Ints, err)
		}
		if got := string(encoded(e, nil, &vector.Batch{N: 2, Cols: []*vector.Vector{v}}, 1)); got != `{"ts":null}` {
			t.Errorf("%s: NULL is %s", layout, got)
		}
	}
	if _, err := NewEncoder([]format.Column{{Name: "ts", Type: types.TTimestamp, TimestampFormat: "seconds"}}, nil); err == nil {
		t.Error("an unknown form was accepted")
	}
}

func encoded(e *Encoder, dst []byte, b *vector.Batch, row int) []byte {
	out, err := e.Encode(dst, b, row)
	if err != nil {
		panic(err)
	}
	return out
}
