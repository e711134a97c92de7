package protobuf

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func batch(cols []format.Column, values ...types.Value) *vector.Batch {
	b := &vector.Batch{N: 1, Cols: vectors(cols)}
	for i, v := range values {
		b.Cols[i].Append(v)
	}
	return b
}

func encode(t *testing.T, s format.Spec, values ...types.Value) ([]byte, error) {
	t.Helper()
	e, err := NewEncoder(s, nil)
	if err != nil {
		return nil, err
	}
	if err := format.Prepare(t.Context(), e); err != nil {
		return nil, err
	}
	return e.Encode(nil, batch(s.Columns, values...), 0)
}

func TestTheSchemaOfColumnsIsRegistered(t *testing.T) {
	cols := []format.Column{col("id", types.TBigInt), col("at", types.TTimestamp), col("tags", types.Type{Kind: types.Array, Elem: &types.TVarchar}),
		col("who", types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "name", Type: types.TVarchar}}}), col("m", types.Type{Kind: types.Map, Elem: &types.TInt}), col("price", types.TDecimal(10, 2))}
	s, r := byRegistry(t, cols...)
	s.Options["schema.name"] = "com.example.Order"
	got, err := encode(t, s, types.NewInt(0), types.NewTimestamp(-1), types.Value{Kind: types.Array, S: `["a",""]`}, types.Value{Kind: types.Struct, S: `{"name":"n"}`},
		types.Value{Kind: types.Map, S: `{"k":1}`}, types.NewDecimal(types.FromInt64(120), 2))
	want := "\x00\x00\x00\x00\x01\x00" + "\x08\x00" + "\x12\x11\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x98\x8c\xeb\xdc\x03" + "\x1a\x01a\x1a\x00" + "\x22\x03\x0a\x01n" + "\x2a\x05\x0a\x01k\x10\x01" + "\x32\x041.20"
	if err != nil || string(got) != want {
		t.Errorf("%x, %v; want\n%x", got, err, want)
	}
	schema, ok := r.GetSchema("t-value", 1)
	text := "syntax = \"proto3\";\npackage com.example;\n\nimport \"google/protobuf/timestamp.proto\";\n\nmessage Order {\n  optional int64 id = 1;\n  .google.protobuf.Timestamp at = 2;\n" +
		"  repeated string tags = 3;\n  message M_who {\n    optional string name = 1;\n  }\n  M_who who = 4;\n  map<string, int32> m = 5;\n  optional string price = 6;\n}\n"
	if !ok || schema.Schema.Schema != text {
		t.Errorf("registered:\n%s\nwant\n%s", schema.Schema.Schema, text)
	}
	for want, c := range map[string]format.Column{
		"no list in a list": col("x", types.Type{Kind: types.Array, Elem: &types.Type{Kind: types.Array, Elem: &types.TInt}}), "cannot be a field": col("a b", types.TInt),
	} {
		if _, err := Derive("r", []format.Column{c}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

const strict = `syntax = "proto2"; import "google/protobuf/wrappers.proto"; import "google/type/date.proto"; import "confluent/type/decimal.proto"; import "google/protobuf/struct.proto";
	message R { required int32 ID = 1; enum K { A = 1; B = 2; } optional K kind = 2; optional google.protobuf.Int32Value n = 3; optional google.type.Date day = 4; optional confluent.type.Decimal price = 5;
	oneof o { string x = 6; int64 y = 7; } optional sfixed32 late = 8 [default = 7]; optional group G = 9 { optional int32 a = 1; } optional google.protobuf.Struct doc = 10; }`

func TestASchemaThatIsGiven(t *testing.T) {
	cols := []format.Column{col("id", types.TBigInt), col("kind", types.TVarchar), col("n", types.TInt), col("day", types.TDate), col("price", types.TDecimal(6, 2)), col("x", types.TVarchar), col("y", types.TBigInt),
		col("g", types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "a", Type: types.TInt}}}), col("doc", types.TJSON)}
	s := byFile(t, strict, cols...)
	values := []types.Value{types.NewInt(1), types.NewString("B"), types.NewInt(0), types.NewDate(0), types.NewDecimal(types.FromInt64(-1234), 2), {}, types.NewInt(-1),
		{Kind: types.Struct, S: `{"a":1}`}, types.NewJSON(`{"k":[1.5,null,"s",true,{"z":{}}]}`)}
	got, err := encode(t, s, values...)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := parse(strict, nil)
	m, _ := f.named("")
	if err := proto.Unmarshal(got, dynamicpb.NewMessage(m.desc)); err != nil {
		t.Errorf("the library: %v", err)
	}
	back := byFile(t, strict, append(cols, col("late", types.TInt))...)
	if text, err := decode(t, back, got); err != nil || text != `1|B|0|1970-01-01|-12.34|NULL|-1|{"a":1}|{"k":[1.5,null,"s",true,{"z":{}}]}|7` {
		t.Errorf("%s, %v", text, err)
	}
	for field, at := range map[string]struct {
		i int
		v types.Value
	}{"id": {0, types.Value{}}, "ID": {0, types.NewInt(1 << 31)}, "kind": {1, types.NewString("C")}, "y": {5, types.NewString("too")}, "g": {7, types.Value{Kind: types.Struct, S: `{"a":"x"}`}}} {
		wrong := append([]types.Value{}, values...)
		wrong[at.i] = at.v
		_, err := encode(t, s, wrong...)
		var bad *format.BadRecord
		if !errors.As(err, &bad) || !strings.EqualFold(bad.Field, field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	implicit := byFile(t, `syntax = "proto3"; message M { int32 a = 1; repeated int32 b = 2; }`, col("a", types.TInt), col("b", types.Type{Kind: types.Array, Elem: &types.TInt}))
	if _, err := encode(t, implicit, types.Value{}, types.Value{}); err == nil || !strings.Contains(err.Error(), "declare it optional") {
		t.Errorf("NULL in a field that cannot tell: %v", err)
	}
	if got, err := encode(t, implicit, types.NewInt(0), types.Value{}); err != nil || string(got) != "\x08\x00" {
		t.Errorf("an array of NULL: %x, %v", got, err)
	}
	if _, err := encode(t, implicit, types.NewInt(0), types.Value{Kind: types.Array, S: "[null]"}); err == nil {
		t.Error("null in a list was accepted")
	}
	for want, c := range map[string]format.Column{"ID must have a value": col("kind", types.TVarchar), "no field for column z": col("z", types.TInt)} {
		cols := []format.Column{c}
		if c.Name == "z" {
			cols = append(cols, col("id", types.TInt))
		}
		if _, err := NewEncoder(byFile(t, strict, cols...), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestKeys(t *testing.T) {
	s, r := byRegistry(t, col("id", types.TDouble), col("b", types.TVarchar))
	k, err := format.NewKeyCodec("protobuf", s)
	if err == nil {
		err = format.Prepare(t.Context(), k)
	}
	if err != nil {
		t.Fatal(err)
	}
	minus, _ := k.AppendKey(nil, batch(s.Columns, types.NewDouble(math.Copysign(0, -1)), types.Value{}).Cols, 0)
	zero, ok := k.AppendKey(nil, batch(s.Columns, types.NewDouble(0), types.Value{}).Cols, 0)
	schema, _ := r.GetSchema("t-key", 1)
	if !ok || string(minus) != string(zero) || !strings.Contains(schema.Schema.Schema, "message t_key {") {
		t.Errorf("%x, %x, %s", minus, zero, schema.Schema.Schema)
	}
	into := vectors(s.Columns)
	if err := format.DecodeKey(t.Context(), k, zero, into); err != nil || texts(into) != "0|NULL" {
		t.Errorf("%s, %v", texts(into), err)
	}
	small := byFile(t, `syntax = "proto3"; message K { int32 id = 1; }`, col("id", types.TBigInt))
	if k, err = format.NewKeyCodec("protobuf", small); err != nil {
		t.Fatal(err)
	}
	if err := format.Prepare(t.Context(), k); err == nil || !strings.Contains(err.Error(), "does not take every BIGINT") {
		t.Errorf("a key that does not fit: %v", err)
	}
}

// jsonOf is what a message is in JSON, by the library's reflection.
func jsonOf(m protoreflect.Message) string {
	var parts []string
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		var s string
		switch {
		case f.IsMap():
			var entries []string
			m.Get(f).Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				entries = append(entries, fmt.Sprintf("%q:%s", k.String(), jsonValue(f.MapValue(), v)))
				return true
			})
			s = "{" + strings.Join(entries, ",") + "}"
		case f.IsList():
			var items []string
			for j := range m.Get(f).List().Len() {
				items = append(items, jsonValue(f, m.Get(f).List().Get(j)))
			}
			s = "[" + strings.Join(items, ",") + "]"
		case f.HasPresence() && !m.Has(f):
			s = "null"
		default:
			s = jsonValue(f, m.Get(f))
		}
		parts = append(parts, fmt.Sprintf("%q:%s", f.Name(), s))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func jsonValue(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return jsonOf(v.Message())
	case protoreflect.EnumKind:
		return `"` + string(f.Enum().Values().ByNumber(v.Enum()).Name()) + `"`
	case protoreflect.StringKind:
		return `"` + v.String() + `"`
	}
	return fmt.Sprint(v.Interface())
}

const generated = `syntax = "proto3"; message G { bool a = 1; int32 b = 2; sint32 c = 3; sint64 d = 4; fixed64 e = 5; sfixed32 f = 6; double g = 7; string h = 8; enum K { X = 0; Y = 5; } K i = 9;
	optional uint32 j = 10; repeated int64 k = 11; repeated K l = 12; repeated string m = 13; map<int32, G> n = 14; G o = 15; repeated G p = 16; oneof q { string r = 17; G s = 18; bool t = 1000; } repeated fixed32 u = 19 [packed = false]; }`

func fill(t *rapid.T, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		message := f.Kind() == protoreflect.MessageKind
		if !rapid.Bool().Draw(t, "set") || message && depth == 0 {
			continue
		}
		one := func() protoreflect.Value {
			if message {
				in := dynamicpb.NewMessage(f.Message())
				fill(t, in, depth-1)
				return protoreflect.ValueOfMessage(in)
			}
			return genScalar(t, f.Kind())
		}
		switch {
		case f.IsMap():
			if depth > 0 && rapid.Bool().Draw(t, "entry") {
				in := dynamicpb.NewMessage(f.MapValue().Message())
				fill(t, in, depth-1)
				m.Mutable(f).Map().Set(protoreflect.ValueOfInt32(-3).MapKey(), protoreflect.ValueOfMessage(in))
			}
		case f.IsList():
			for range rapid.IntRange(0, 3).Draw(t, "n") {
				m.Mutable(f).List().Append(one())
			}
		default:
			m.Set(f, one())
		}
	}
}

func genScalar(t *rapid.T, k protoreflect.Kind) protoreflect.Value {
	switch k {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, "x"))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(rapid.Int32().Draw(t, "x"))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(t, "x"))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(t, "x"))
	case protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(t, "x"))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(rapid.SampledFrom([]float64{0, 1.5, -3}).Draw(t, "x"))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(rapid.SampledFrom([]protoreflect.EnumNumber{0, 5}).Draw(t, "x"))
	}
	return protoreflect.ValueOfString(rapid.SampledFrom([]string{"", "a", "日本"}).Draw(t, "x"))
}

// What the library writes is read as the JSON of the message.
func TestDecodeAgainstTheLibrary(t *testing.T) {
	f, err := parse(generated, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := f.named("")
	var cols []format.Column
	for i := range m.fields {
		c := col(m.fields[i].name, types.TJSON)
		if m.fields[i].kind == protoreflect.StringKind && !m.fields[i].list {
			c.Type = types.TVarchar // of which a JSON column takes the document in it
		}
		cols = append(cols, c)
	}
	to, err := registry.Targets(cols)
	if err != nil {
		t.Fatal(err)
	}
	p, err := planFor(m, to)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := dynamicpb.NewMessage(m.desc)
		fill(t, x, 2)
		data, err := proto.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		into := vectors(cols)
		if err := (&runner{}).run(p, data, into); err != nil {
			t.Fatalf("%x: %v", data, err)
		}
		var parts []string
		for i, v := range into {
			s := "null"
			if !v.IsNull(0) {
				if s = string(v.Bytes.At(0)); v.Type.Kind == types.Varchar {
					s = `"` + s + `"`
				}
			}
			parts = append(parts, fmt.Sprintf("%q:%s", cols[i].Name, s))
		}
		if got, want := "{"+strings.Join(parts, ",")+"}", jsonOf(x); got != want {
			t.Fatalf("%x\n got %s\nwant %s", data, got, want)
		}
	})
}

// rowTypes are all that a query may write.
var rowTypes = []types.Type{
	types.TBoolean, {Kind: types.Int, Bits: 8}, types.TInt, types.TBigInt, {Kind: types.Uint, Bits: 32}, types.TUBigInt, {Kind: types.Double, Bits: 32}, types.TDouble,
	types.TDecimal(38, 10), types.TVarchar, types.TVarbinary, types.TDate, {Kind: types.Time, Precision: 6}, types.TTimestamp, {Kind: types.Timestamp, Precision: 6}, types.TJSON,
	{Kind: types.Array, Elem: &types.TBigInt}, {Kind: types.Map, Elem: &types.TVarchar},
	{Kind: types.Struct, Fields: []types.Field{{Name: "a", Type: types.TDecimal(5, 2)}, {Name: "b", Type: types.Type{Kind: types.Array, Elem: &types.TBoolean}}, {Name: "ts", Type: types.TTimestamp}}},
}

func genValue(t *rapid.T, k types.Type) types.Value {
	if k.Kind != types.Array && k.Kind != types.Map && rapid.IntRange(0, 4).Draw(t, "null") == 0 {
		return types.Value{}
	}
	v := types.Value{Kind: k.Kind}
	switch k.Kind {
	case types.Boolean:
		v.I = rapid.Int64Range(0, 1).Draw(t, "x")
	case types.Int:
		lo, hi := types.IntRange(k.Bits)
		v.I = rapid.Int64Range(lo, hi).Draw(t, "x")
	case types.Uint:
		v.I = int64(rapid.Uint64Range(0, types.UintMax(k.Bits)).Draw(t, "x"))
	case types.Double:
		if v.F = rapid.Float64().Draw(t, "x"); k.Bits == 32 {
			v.F = float64(rapid.Float32().Draw(t, "x"))
		}
	case types.Decimal:
		v.D, v.Scale = types.FromInt64(rapid.Int64().Draw(t, "x")), k.Scale
	case types.Varchar:
		v.S = rapid.String().Draw(t, "x")
	case types.Varbinary:
		v.S = string(rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "x"))
	case types.Date:
		v.I = rapid.Int64Range(-700000, 2000000).Draw(t, "x")
	case types.Time:
		v.I = rapid.Int64Range(-types.MicrosPerDay, types.MicrosPerDay).Draw(t, "x")
	case types.Timestamp:
		v.I = types.RoundMicros(rapid.Int64Range(-6e16, 2e17).Draw(t, "x"), k.Precision)
	case types.JSON:
		v.S = rapid.SampledFrom([]string{`{"a":[1,null]}`, `"x"`, `3`, `null`}).Draw(t, "x")
	case types.Array:
		v.S = rapid.SampledFrom([]string{`[]`, `[1,-9223372036854775808]`}).Draw(t, "x")
	case types.Map:
		v.S = rapid.SampledFrom([]string{`{}`, `{"k":"v"}`, `{"é":""}`}).Draw(t, "x")
	case types.Struct:
		v.S = rapid.SampledFrom([]string{`{"a":1.50,"b":[true,false],"ts":"2030-01-01T00:00:00.123Z"}`, `{"a":null,"b":[],"ts":null}`}).Draw(t, "x")
	}
	return v
}

// Rows that are written are read back as they were, and the library reads them by the schema.
func TestEncodeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cols []format.Column
		var values []types.Value
		for i := range rapid.IntRange(1, 6).Draw(t, "columns") {
			k := rapid.SampledFrom(rowTypes).Draw(t, "type")
			cols, values = append(cols, col(fmt.Sprintf("c%d", i), k)), append(values, genValue(t, k))
		}
		text, err := Derive("r", cols)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parse(text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		e := &Encoder{cols: cols, Writing: registry.Writing{Place: registry.Place{File: "made.proto"}}}
		if err := e.use(f, "r"); err != nil {
			t.Fatal(err)
		}
		b := batch(cols, values...)
		data, err := e.Encode([]byte("x"), b, 0)
		if err != nil {
			t.Fatalf("%s %s: %v", text, texts(b.Cols), err)
		}
		body := data[1:]
		if err := proto.Unmarshal(body, dynamicpb.NewMessage(e.m.desc)); err != nil {
			t.Fatalf("the library: %v", err)
		}
		to, _ := registry.Targets(cols)
		p, err := planFor(e.m, to)
		if err != nil {
			t.Fatal(err)
		}
		into := vectors(cols)
		if err := (&runner{}).run(p, body, into); err != nil {
			t.Fatal(err)
		}
		if got, want := texts(into), texts(b.Cols); got != want {
			t.Fatalf("%s:\n got %s\nwant %s", text, got, want)
		}
	})
}
