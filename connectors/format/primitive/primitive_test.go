package primitive

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func codecOf(t *testing.T, name string, of ...types.Type) *format.KeyCodec {
	t.Helper()
	names := []string{"user_id", "window_start", "c"}
	var cols []format.Column
	for i, x := range of {
		cols = append(cols, format.Column{Name: names[i], Type: x})
	}
	k, err := format.NewKeyCodec(name, format.Of(cols...))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return k
}

// The bytes that Kafka's serializers make of a value (IntegerSerializer, LongSerializer, DoubleSerializer,
// StringSerializer), and back.
func TestKeyBytes(t *testing.T) {
	small, tiny := types.TInt, types.Type{Kind: types.Int, Bits: 8}
	tests := []struct {
		format string
		of     types.Type
		value  types.Value
		want   string
	}{
		{"string", types.TVarchar, types.NewString("m-1"), "m-1"},
		{"string", types.TVarchar, types.NewString(""), ""},
		{"string", types.TInt, types.NewInt(-7), "-7"},
		{"string", types.TUBigInt, types.NewUint(math.MaxUint64), "18446744073709551615"},
		{"string", types.TDecimal(10, 2), types.NewDecimal(types.FromInt64(1210), 2), "12.10"},
		{"string", types.TBoolean, types.NewBool(true), "true"},
		{"string", types.TDouble, types.NewDouble(0.5), "0.5"},
		{"string", types.TDate, types.NewDate(1), "1970-01-02"},
		{"string", types.TTimestamp, types.NewTimestamp(1_000_000), "1970-01-01T00:00:01.000Z"},
		{"string", types.TVarbinary, types.NewBinary([]byte("\xff\x00")), "\xff\x00"},
		{"bytes", types.TVarbinary, types.NewBinary([]byte("\xff\x00")), "\xff\x00"},
		{"raw", types.TVarchar, types.NewString("é"), "é"},
		{"int", small, types.NewInt(1), "\x00\x00\x00\x01"},
		{"int", small, types.NewInt(-2), "\xff\xff\xff\xfe"},
		{"int", tiny, types.NewInt(-128), "\xff\xff\xff\x80"},
		{"int", types.Type{Kind: types.Uint, Bits: 32}, types.NewUint(math.MaxUint32), "\xff\xff\xff\xff"},
		{"bigint", types.TBigInt, types.NewInt(258), "\x00\x00\x00\x00\x00\x00\x01\x02"},
		{"bigint", small, types.NewInt(-1), "\xff\xff\xff\xff\xff\xff\xff\xff"},
		{"bigint", types.TUBigInt, types.NewUint(math.MaxUint64), "\xff\xff\xff\xff\xff\xff\xff\xff"},
		{"double", types.TDouble, types.NewDouble(1), "\x3f\xf0\x00\x00\x00\x00\x00\x00"},
		{"smallint", tiny, types.NewInt(-2), "\xff\xfe"},
		{"smallint", types.Type{Kind: types.Uint, Bits: 16}, types.NewUint(65535), "\xff\xff"},
		{"boolean", types.TBoolean, types.NewBool(true), "\x01"},
		{"float", types.Type{Kind: types.Double, Bits: 32}, types.NewDouble(-2), "\xc0\x00\x00\x00"},
		{"kafka", tiny, types.NewInt(1), "\x00\x01"},
		{"kafka", types.TBoolean, types.NewBool(false), "\x00"},
		{"kafka", types.Type{Kind: types.Double, Bits: 32}, types.NewDouble(1), "\x3f\x80\x00\x00"},
		{"kafka", small, types.NewInt(1), "\x00\x00\x00\x01"},
		{"kafka", types.TBigInt, types.NewInt(1), "\x00\x00\x00\x00\x00\x00\x00\x01"},
		{"kafka", types.TDouble, types.NewDouble(-2), "\xc0\x00\x00\x00\x00\x00\x00\x00"},
		{"kafka", types.TVarchar, types.NewString("x"), "x"},
		{"kafka", types.TVarbinary, types.NewBinary([]byte{0xff}), "\xff"},
	}
	for _, test := range tests {
		k := codecOf(t, test.format, test.of)
		cols := []*vector.Vector{vector.FromValues(test.of, test.value)}
		key, ok := k.AppendKey([]byte("x"), cols, 0)
		if want := "x" + test.want; string(key) != want || !ok {
			t.Errorf("%s of %v: got %q, want %q", test.format, test.value, key, want)
		}
		back := []*vector.Vector{vector.New(test.of, 1)}
		if err := k.DecodeKey([]byte(test.want), back); err != nil {
			t.Errorf("%s of %v: %v", test.format, test.value, err)
		} else if got := back[0].Value(0); got != test.value {
			t.Errorf("%s: got %v back, want %v", test.format, got, test.value)
		}
		if !k.SameBytes([]byte(test.want), cols, 0) {
			t.Errorf("%s of %v: SameBytes is false", test.format, test.value)
		}
	}
}

// "1" and "01" are one INT, but lie in different partitions: only our own form is in place.
func TestSameBytes(t *testing.T) {
	k := codecOf(t, "string", types.TInt)
	v := []*vector.Vector{vector.New(types.TInt, 4)}
	for i, test := range []struct {
		key  []byte
		want bool
	}{{[]byte("1"), true}, {[]byte("01"), false}, {[]byte(" 1"), false}, {[]byte("1.0"), false}, {nil, true}} {
		if err := k.DecodeKey(test.key, v); err != nil {
			t.Fatal(err)
		}
		if got := k.SameBytes(test.key, v, i); got != test.want {
			t.Errorf("%q: got %v", test.key, got)
		}
	}
	if k.SameBytes([]byte{}, v, 4) || k.SameBytes(nil, v, 0) {
		t.Error("a null key and another key are the same")
	}
	if n := testing.AllocsPerRun(100, func() { k.SameBytes([]byte("1"), v, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Values that are equal in SQL have one key.
func TestEqualDoublesHaveOneKey(t *testing.T) {
	otherNaN := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)
	v := []*vector.Vector{vector.FromValues(types.TDouble, types.NewDouble(0), types.NewDouble(math.Copysign(0, -1)),
		types.NewDouble(math.NaN()), types.NewDouble(otherNaN))}
	for _, name := range []string{"string", "double", "json", "kafka"} {
		k := codecOf(t, name, types.TDouble)
		for _, pair := range [][2]int{{0, 1}, {2, 3}} {
			a, _ := k.AppendKey(nil, v, pair[0])
			b, _ := k.AppendKey(nil, v, pair[1])
			if !bytes.Equal(a, b) {
				t.Errorf("%s: %q and %q", name, a, b)
			}
		}
	}
}

func TestKeyOfSeveralColumns(t *testing.T) {
	k := codecOf(t, "string", types.TBigInt, types.TTimestamp)
	cols := []*vector.Vector{vector.FromValues(types.TBigInt, types.NewInt(1)), vector.FromValues(types.TTimestamp, types.NewTimestamp(0))}
	key, ok := k.AppendKey(nil, cols, 0)
	if want := `{"user_id":1,"window_start":"1970-01-01T00:00:00.000Z"}`; string(key) != want || !ok {
		t.Errorf("got %s", key)
	}
	back := []*vector.Vector{vector.New(types.TBigInt, 1), vector.New(types.TTimestamp, 1)}
	if err := k.DecodeKey(key, back); err != nil || back[0].Ints[0] != 1 || back[1].Ints[0] != 0 {
		t.Errorf("read back: %v", err)
	}
}

func TestBadKeys(t *testing.T) {
	tests := []struct {
		format string
		of     types.Type
		key    string
		reason format.Reason
	}{
		{"int", types.TInt, "\x00", format.Malformed},
		{"int", types.TInt, "", format.Malformed},
		{"int", types.Type{Kind: types.Int, Bits: 8}, "\x00\x00\x01\x00", format.OutOfRange},
		{"bigint", types.TInt, "\x00\x00\x00\x01\x00\x00\x00\x00", format.OutOfRange},
		{"bigint", types.Type{Kind: types.Uint, Bits: 32}, "\xff\xff\xff\xff\xff\xff\xff\xff", format.OutOfRange},
		{"double", types.TDouble, "1.5", format.Malformed},
		{"boolean", types.TBoolean, "\x02", format.Malformed},
		{"smallint", types.Type{Kind: types.Int, Bits: 16}, "\x00", format.Malformed},
		{"string", types.TInt, "abc", format.WrongType},
		{"string", types.TVarchar, "\xff", format.InvalidUTF8},
		{"bytes", types.TVarchar, "\xff", format.InvalidUTF8},
	}
	for _, test := range tests {
		v := []*vector.Vector{vector.New(test.of, 1)}
		err := codecOf(t, test.format, test.of).DecodeKey([]byte(test.key), v)
		var bad *format.BadRecord
		if !errors.As(err, &bad) || bad.Reason != test.reason || bad.Field != "user_id" || v[0].Len() != 0 {
			t.Errorf("%s %q: got %v", test.format, test.key, err)
		}
	}
}

func TestRefused(t *testing.T) {
	one := []format.Column{{Name: "a", Type: types.TVarchar}}
	two := append(one, format.Column{Name: "b", Type: types.TVarchar})
	doc := []format.Column{{Name: "a", Type: types.TJSON}}
	big := []format.Column{{Name: "a", Type: types.TBigInt}}
	for _, test := range []struct {
		err  func() error
		says string
	}{
		{func() error { _, err := format.NewKeyCodec("int", format.Of(one...)); return err }, "column 'a' is VARCHAR"},
		{func() error { _, err := format.NewKeyCodec("int", format.Of(big...)); return err }, "at most 32 bits"},
		{func() error { _, err := format.NewKeyCodec("int", format.Of(two...)); return err }, "key_format='json'"},
		{func() error { _, err := format.NewKeyCodec("string", format.Of(doc...)); return err }, "cannot be a key"},
		{func() error { _, err := format.NewKeyCodec("json", format.Of(doc...)); return err }, "cannot be a key"},
		{func() error { _, err := format.NewKeyCodec("string", format.Spec{}); return err }, "needs a column"},
		{func() error { _, err := format.NewDecoder("string", format.Of(two...)); return err }, "one column"},
		{func() error { _, err := format.NewEncoder("bytes", format.Of(two...), nil); return err }, "one column"},
		{func() error { _, err := format.NewDecoder("avro", format.Of(one...)); return err }, "connectors/format/avro"},
		{func() error { _, err := format.NewDecoder("xml", format.Of(one...)); return err }, "bigint, boolean, bytes, double, float, int, json, kafka, raw, smallint, string"},
	} {
		if err := test.err(); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("got %v, want %q", err, test.says)
		}
	}
}

// The key of an empty string is empty and not null.
func TestEmptyKey(t *testing.T) {
	k := codecOf(t, "string", types.TVarchar)
	if key, ok := k.AppendKey(nil, []*vector.Vector{vector.FromValues(types.TVarchar, types.NewString(""))}, 0); key == nil || len(key) != 0 || !ok {
		t.Errorf("got %v, %v", key, ok)
	}
}

func TestValues(t *testing.T) {
	cols := []format.Column{{Name: "a", Type: types.TInt}}
	d, err := format.NewDecoder("STRING", format.Of(cols...))
	if err != nil {
		t.Fatal(err)
	}
	v := []*vector.Vector{vector.New(types.TInt, 1)}
	if err := d.Decode([]byte("41"), v); err != nil || v[0].Ints[0] != 41 {
		t.Errorf("got %v, %v", v[0].Ints, err)
	}
	e, err := format.NewEncoder("bigint", format.Of(cols...), []int{1})
	if err != nil {
		t.Fatal(err)
	}
	b := &vector.Batch{N: 2, Cols: []*vector.Vector{nil, vector.FromValues(types.TInt, types.NewInt(3), types.Value{})}}
	if got, _ := e.Encode(nil, b, 0); !bytes.Equal(got, []byte{0, 0, 0, 0, 0, 0, 0, 3}) {
		t.Errorf("got %x", got)
	}
	if got, _ := e.Encode([]byte("x"), b, 1); string(got) != "x" {
		t.Errorf("NULL: got %q", got)
	}
	if format.Null(e, b, 0) || !format.Null(e, b, 1) {
		t.Error("NULL and only NULL is Kafka's null")
	}
	none, err := format.NewDecoder("bytes", format.Spec{})
	if err != nil || none.Decode([]byte("anything"), nil) != nil {
		t.Errorf("without columns: %v", err)
	}
}

// A time in a key has the form of its column.
func TestKeyOfTime(t *testing.T) {
	keys, err := format.NewKeyCodec("string", format.Of(format.Column{Name: "ts", Type: types.TTimestamp, TimestampFormat: "s"}))
	if err != nil {
		t.Fatal(err)
	}
	v := vector.FromValues(types.TTimestamp, types.NewTimestamp(1_700_000_000_500_000))
	if key, ok := keys.AppendKey(nil, []*vector.Vector{v}, 0); string(key) != "1700000000.5" || !ok {
		t.Errorf("got %s, %v", key, ok)
	}
}

// A value holds the one column that the Kafka key does not hold.
func TestValueBesideTheKey(t *testing.T) {
	id, note := format.Column{Name: "id", Type: types.TInt}, format.Column{Name: "note", Type: types.TVarchar}
	s := format.Spec{Columns: []format.Column{id, note}, Key: []string{"id"}}
	d, err := format.NewDecoder("string", s)
	if err != nil {
		t.Fatal(err)
	}
	cols := []*vector.Vector{vector.New(types.TInt, 1), vector.New(types.TVarchar, 1)}
	if err := d.Decode([]byte("hello"), cols); err != nil || !cols[0].IsNull(0) || string(cols[1].Bytes.At(0)) != "hello" {
		t.Errorf("got %v, %v, %v", cols[0].Value(0), cols[1].Value(0), err)
	}
	e, err := format.NewEncoder("string", s, []int{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	b := &vector.Batch{N: 1, Cols: []*vector.Vector{cols[1], cols[0]}}
	if got, _ := e.Encode(nil, b, 0); string(got) != "hello" {
		t.Errorf("got %s", got)
	}
	s.Columns = s.Columns[:1] // the value is not wanted
	if d, err = format.NewDecoder("string", format.Spec{Columns: s.Columns, Record: []string{"id", "note"}, Key: s.Key}); err != nil {
		t.Fatal(err)
	}
	cols = []*vector.Vector{vector.New(types.TInt, 1)}
	if err := d.Decode([]byte("hello"), cols); err != nil || !cols[0].IsNull(0) {
		t.Errorf("got %v, %v", cols[0].Value(0), err)
	}
}
