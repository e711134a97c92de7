package protobuf

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func col(name string, t types.Type) format.Column { return format.Column{Name: name, Type: t} }

func vectors(cols []format.Column) []*vector.Vector {
	out := make([]*vector.Vector, len(cols))
	for i, c := range cols {
		out[i] = vector.New(c.Type, 1)
	}
	return out
}

func byFile(t testing.TB, schema string, cols ...format.Column) format.Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.proto")
	if err := os.WriteFile(path, []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	return format.Spec{Columns: cols, Topic: "t", Options: map[string]string{"schema.file": path, "key_schema.file": path}}
}

func byRegistry(t testing.TB, cols ...format.Column) (format.Spec, *srfake.Registry) {
	t.Helper()
	r := srfake.New()
	t.Cleanup(r.Close)
	return format.Spec{Columns: cols, Topic: "t", Options: map[string]string{"registry.url": r.URL()}}, r
}

func register(t testing.TB, r *srfake.Registry, subject, schema string, references ...sr.SchemaReference) int {
	t.Helper()
	id, _, err := r.RegisterSchema(subject, sr.Schema{Schema: schema, Type: sr.TypeProtobuf, References: references})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func texts(cols []*vector.Vector) string {
	var out []string
	for _, v := range cols {
		if v.IsNull(0) {
			out = append(out, "NULL")
			continue
		}
		out = append(out, string(format.AppendPlain(nil, v, 0)))
	}
	return strings.Join(out, "|")
}

func decode(t testing.TB, s format.Spec, value []byte) (string, error) {
	t.Helper()
	d, err := NewDecoder(s)
	if err != nil {
		t.Fatal(err)
	}
	into := vectors(s.Columns)
	if err := format.Decode(t.Context(), d, value, into); err != nil {
		for _, v := range into {
			if v.Len() != 0 {
				t.Errorf("a column has a value after %v", err)
			}
		}
		return "", err
	}
	return texts(into), nil
}

const everything = `syntax = "proto3";
package x.y;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
import "google/type/date.proto";
import "google/type/timeofday.proto";
import "confluent/type/decimal.proto";
enum Color { RED = 0; GREEN = 1; }
message All {
  bool a = 1; int32 b = 2; sint64 c = 3; fixed32 d = 4; uint64 e = 5; float f = 6; double g = 7; string h = 8; bytes i = 9; Color j = 10;
  optional int32 k = 11;
  google.protobuf.Timestamp l = 12; google.protobuf.Duration m = 13; google.protobuf.Int64Value n = 14; google.protobuf.Struct o = 15;
  google.type.Date p = 16; google.type.TimeOfDay q = 17; confluent.type.Decimal r = 18;
  repeated sint32 s = 19; map<string, Color> t = 20; Inner u = 21;
  oneof choice { string v = 22; int64 w = 300; }
  message Inner { string name = 1; repeated Inner more = 2; optional bool flag = 3; }
}
message Other { int64 id = 1; }
`

// written encodes text format as a message of the schema, by the library.
func written(t testing.TB, schema, name, text string) []byte {
	t.Helper()
	f, err := parse(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.named(name)
	if err != nil {
		t.Fatal(err)
	}
	d := dynamicpb.NewMessage(m.desc)
	if err := prototext.Unmarshal([]byte(text), d); err != nil {
		t.Fatal(err)
	}
	out, err := proto.MarshalOptions{Deterministic: true}.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDecode(t *testing.T) {
	full := `a: true b: -7 c: -9223372036854775808 d: 4294967295 e: 18446744073709551615 f: 1.5 g: -2.25 h: "é\"" i: "\001\377" j: GREEN k: 0
		l { seconds: -1 nanos: 999999500 } m { seconds: -1 nanos: -500000000 } n { value: 0 } o { fields { key: "x" value { list_value { values { number_value: 1 } values { null_value: NULL_VALUE } } } } }
		p { year: 2030 month: 1 day: 31 } q { hours: 8 nanos: 500000000 } r { value: "\373\056" precision: 4 scale: 2 }
		s: -1 s: 2 t { key: "k" value: GREEN } u { name: "n" more { name: "m" } } w: 5`
	timestamp6, time6 := types.Type{Kind: types.Timestamp, Precision: 6}, types.Type{Kind: types.Time, Precision: 6}
	for _, c := range []struct {
		text string
		cols []format.Column
		want string
	}{
		{full, []format.Column{col("a", types.TBoolean), col("b", types.TInt), col("c", types.TBigInt), col("d", types.Type{Kind: types.Uint, Bits: 32}), col("e", types.TUBigInt)},
			"true|-7|-9223372036854775808|4294967295|18446744073709551615"},
		{full, []format.Column{col("f", types.TDouble), col("g", types.TDouble), col("h", types.TVarchar), col("i", types.TVarbinary), col("j", types.TVarchar), col("k", types.TInt)},
			"1.5|-2.25|é\"|\x01\xff|GREEN|0"},
		{full, []format.Column{col("l", timestamp6), col("m", types.TVarchar), col("n", types.TBigInt), col("o", types.TJSON), col("p", types.TDate), col("q", time6), col("r", types.TDecimal(10, 2))},
			`1969-12-31T23:59:59.999999Z|-1.500s|0|{"x":[1,null]}|2030-01-31|08:00:00.500000|-12.34`},
		{full, []format.Column{col("s", types.Type{Kind: types.Array, Elem: &types.TInt}), col("t", types.TJSON), col("u", types.TJSON), col("V", types.TVarchar), col("w", types.TDecimal(5, 1)), col("none", types.TInt)},
			`[-1,2]|{"k":"GREEN"}|{"name":"n","more":[{"name":"m","more":[],"flag":null}],"flag":null}|NULL|5.0|NULL`},
		{full, []format.Column{{Name: "u.name", Path: []string{"u", "name"}, Type: types.TVarchar}, {Name: "u.flag", Path: []string{"u", "flag"}, Type: types.TBoolean},
			col("u", types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "flag", Type: types.TBoolean}, {Name: "NAME", Type: types.TVarchar}}})}, `n|NULL|{"flag":null,"NAME":"n"}`},
		{"", []format.Column{col("a", types.TBoolean), col("b", types.TInt), col("h", types.TVarchar), col("j", types.TVarchar), col("k", types.TInt), col("l", timestamp6), col("n", types.TBigInt),
			col("s", types.TJSON), col("t", types.TJSON), col("v", types.TVarchar), {Name: "u.name", Path: []string{"u", "name"}, Type: types.TVarchar}, col("u", types.TJSON)},
			`false|0||RED|NULL|NULL|NULL|[]|{}|NULL|NULL|NULL`},
		{`h: "{\"a\": [1]}"`, []format.Column{col("h", types.TJSON)}, `{"a":[1]}`},
		{`b: 42 h: "41"`, []format.Column{col("b", types.TVarchar), col("h", types.TInt)}, "42|41"},
	} {
		s := byFile(t, everything, c.cols...)
		s.Options["schema.name"] = "All"
		if got, err := decode(t, s, written(t, everything, "All", c.text)); err != nil || got != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.text, got, err, c.want)
		}
	}
}

// What merging and odd encodings mean is fixed by the encoding's specification.
func TestWire(t *testing.T) {
	s := byFile(t, everything, col("b", types.TInt), col("s", types.TJSON), col("u", types.TJSON), col("v", types.TVarchar), col("w", types.TBigInt))
	s.Options["schema.name"] = "x.y.All"
	for value, want := range map[string]string{
		"\x10\x01\x10\x02":                                         "2|[]|NULL|NULL|NULL",                               // the last one counts
		"\x98\x01\x01\x9a\x01\x02\x04\x06":                         "0|[-1,2,3]|NULL|NULL|NULL",                         // single and packed
		"\xaa\x01\x03\x0a\x01n\xaa\x01\x02\x18\x01":                `0|[]|{"name":"n","more":[],"flag":true}|NULL|NULL`, // messages merge
		"\xb2\x01\x01a\xe0\x12\x05":                                "0|[]|NULL|NULL|5",                                  // of a oneof the last
		"\x12\x01x\x10\x03":                                        "3|[]|NULL|NULL|NULL",                               // another wire type is an unknown field
		"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xfa\x7f\x00": "-1|[]|NULL|NULL|NULL",                              // an unknown field
	} {
		if got, err := decode(t, s, []byte(value)); err != nil || got != want {
			t.Errorf("%x: %s, %v; want %s", value, got, err, want)
		}
	}
	for value, want := range map[string]format.Reason{
		"\x10": format.Malformed, "\x00": format.Malformed, "\x9a\x01\x05\x01": format.Malformed, "\xb2\x01\x01\xff": format.InvalidUTF8,
		"\xaa\x01\x02\x0a\x05": format.Malformed, "\x9a\x01\x01\x80": format.Malformed, "\x0c": format.Malformed,
	} {
		_, err := decode(t, s, []byte(value))
		var bad *format.BadRecord
		if !errors.As(err, &bad) || bad.Reason != want {
			t.Errorf("%x: %v, want %s", value, err, want)
		}
	}
}

func TestRegistered(t *testing.T) {
	s, r := byRegistry(t, col("id", types.TBigInt), format.Column{Name: "at.name", Path: []string{"at", "name"}, Type: types.TVarchar})
	register(t, r, "common", `syntax = "proto3"; package c; message Place { string name = 1; }`)
	id := register(t, r, "t-value", `syntax = "proto3"; import "common.proto"; message First { int64 id = 1; }
		message Outer { message Skip {} message Inner { int64 id = 2; c.Place at = 3; } }`, sr.SchemaReference{Name: "common.proto", Subject: "common", Version: 1})
	avro, _, err := r.RegisterSchema("avro", sr.Schema{Schema: `"string"`})
	if err != nil {
		t.Fatal(err)
	}
	framed := func(id int, rest string) []byte { return append(registry.AppendHeader(nil, id), rest...) }
	for value, want := range map[string]string{
		string(framed(id, "\x00\x08\x07")):                          "7|NULL", // the first message, in short
		string(framed(id, "\x02\x00\x08\x07")):                      "7|NULL", // and in full
		string(framed(id, "\x04\x02\x02\x10\x08\x1a\x03\x0a\x01x")): "8|x",
	} {
		if got, err := decode(t, s, []byte(value)); err != nil || got != want {
			t.Errorf("%x: %s, %v; want %s", value, got, err, want)
		}
	}
	for value, want := range map[string]format.Reason{
		string(framed(id, "")): format.Malformed, string(framed(id, "\x06\x00")): format.Malformed, string(framed(id, "\x02\x08")): registry.UnusableSchema,
		string(framed(avro, "\x00")): registry.UnusableSchema, string(framed(77, "\x00")): registry.UnknownSchema, "{}": format.Malformed, "": format.Empty,
	} {
		_, err := decode(t, s, []byte(value))
		var bad *format.BadRecord
		if !errors.As(err, &bad) || bad.Reason != want {
			t.Errorf("%x: %v, want %s", value, err, want)
		}
	}
	s.Options["schema.name"] = "First"
	_, err = decode(t, s, framed(id, "\x04\x02\x02"))
	var bad *format.BadRecord
	if !errors.As(err, &bad) || bad.Reason != OtherMessage {
		t.Errorf("another message: %v", err)
	}
}

// Some clients register a file descriptor in base64 instead of the file.
func TestASerializedSchema(t *testing.T) {
	d := &descriptorpb.FileDescriptorProto{Name: proto.String("other.proto"), Syntax: proto.String("proto3"), MessageType: []*descriptorpb.DescriptorProto{{
		Name: proto.String("M"), Field: []*descriptorpb.FieldDescriptorProto{
			{Name: proto.String("id"), Number: proto.Int32(1), Type: descriptorpb.FieldDescriptorProto_TYPE_INT64.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()},
			{Name: proto.String("n"), Number: proto.Int32(2), Type: descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}}}}}
	b, err := proto.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parse(base64.StdEncoding.EncodeToString(b), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := f.named("M"); err != nil || m.fields[0].name != "id" {
		t.Errorf("%v, %v", m, err)
	}
}

func TestColumns(t *testing.T) {
	s := byFile(t, everything)
	schema, err := format.SchemaOf(t.Context(), "protobuf", s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range schema.Columns {
		got = append(got, c.Name+" "+c.Type.String())
	}
	want := "a BOOLEAN, b INT, c BIGINT, d INT UNSIGNED, e BIGINT UNSIGNED, f FLOAT, g DOUBLE, h VARCHAR, i VARBINARY, j VARCHAR, k INT, l TIMESTAMP(6), m VARCHAR, n BIGINT, " +
		"o JSON, p DATE, q TIME(6), r VARCHAR, s ARRAY<INT>, t MAP<VARCHAR, VARCHAR>, u STRUCT<name VARCHAR, more ARRAY<JSON>, flag BOOLEAN>, v VARCHAR, w BIGINT"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("\n%s\nwant\n%s", text, want)
	}
	s.Options["schema.name"] = "Nothing"
	if _, err := format.SchemaOf(t.Context(), "protobuf", s); err == nil || !strings.Contains(err.Error(), "there are x.y.All, x.y.All.Inner, x.y.Other") {
		t.Errorf("a message that is not there: %v", err)
	}
	if _, err := format.SchemaOf(t.Context(), "protobuf", byFile(t, "syntax = \"proto3\"\nmessage M {}")); err == nil || !strings.Contains(err.Error(), "s.proto") {
		t.Errorf("a file that is no schema: %v", err)
	}
}
