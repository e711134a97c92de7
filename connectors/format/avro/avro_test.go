package avro

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

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

// byFile is a spec with a schema file of that text.
func byFile(t testing.TB, schema string, cols ...format.Column) format.Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.avsc")
	if err := os.WriteFile(path, []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	return format.Spec{Columns: cols, Topic: "t", Options: map[string]string{"schema.file": path, "key_schema.file": path}}
}

// byRegistry is a spec with a registry of its own.
func byRegistry(t testing.TB, cols ...format.Column) (format.Spec, *srfake.Registry) {
	t.Helper()
	r := srfake.New()
	t.Cleanup(r.Close)
	return format.Spec{Columns: cols, Topic: "t", Options: map[string]string{"registry.url": r.URL()}}, r
}

func register(t testing.TB, r *srfake.Registry, subject, schema string) int {
	t.Helper()
	id, _, err := r.RegisterSchema(subject, sr.Schema{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// texts are the values of row 0, NULL as "NULL".
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

// The bytes are those of the specification's examples (1.12, "Binary Encoding"), or follow from its rules.
func TestDecodeBytesOfTheSpecification(t *testing.T) {
	for _, c := range []struct {
		schema, value string
		cols          []format.Column
		want          string
	}{
		{`{"type":"record","name":"test","fields":[{"name":"a","type":"long"},{"name":"b","type":"string"}]}`, "\x36\x06foo",
			[]format.Column{col("a", types.TBigInt), col("b", types.TVarchar)}, "27|foo"},
		{`{"type":"array","items":"long"}`, "\x04\x06\x36\x00", []format.Column{col("x", types.TJSON)}, "[3,27]"},
		{`{"type":"array","items":"long"}`, "\x03\x04\x06\x36\x00", []format.Column{col("x", types.TJSON)}, "[3,27]"}, // a block with its size
		{`["null","string"]`, "\x00", []format.Column{col("x", types.TVarchar)}, "NULL"},
		{`["null","string"]`, "\x02\x02a", []format.Column{col("x", types.TVarchar)}, "a"},
		{`"long"`, "\x01", []format.Column{col("x", types.TBigInt)}, "-1"},
		{`"long"`, "\x7f", []format.Column{col("x", types.TBigInt)}, "-64"},
		{`"long"`, "\x80\x01", []format.Column{col("x", types.TBigInt)}, "64"},
		{`"long"`, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", []format.Column{col("x", types.TBigInt)}, "-9223372036854775808"},
		{`"double"`, "\x00\x00\x00\x00\x00\x00\xf8\x3f", []format.Column{col("x", types.TDouble)}, "1.5"},
		{`"float"`, "\x00\x00\xc0\x3f", []format.Column{col("x", types.TDouble)}, "1.5"},
		{`{"type":"enum","name":"Foo","symbols":["A","B","C","D"]}`, "\x06", []format.Column{col("x", types.TVarchar)}, "D"},
		{`{"type":"map","values":"boolean"}`, "\x02\x02k\x01\x00", []format.Column{col("x", types.TJSON)}, `{"k":true}`},
		{`{"type":"bytes","logicalType":"decimal","precision":6,"scale":2}`, "\x04\xfb\x2e", []format.Column{col("x", types.TDecimal(6, 2))}, "-12.34"},
		{`{"type":"fixed","name":"f","size":4,"logicalType":"decimal","precision":6,"scale":2}`, "\x00\x00\x04\xd2", []format.Column{col("x", types.TDecimal(8, 3))}, "12.340"},
		{`{"type":"int","logicalType":"date"}`, "\x01", []format.Column{col("x", types.TDate)}, "1969-12-31"},
		{`{"type":"int","logicalType":"time-millis"}`, "\xd0\x0f", []format.Column{col("x", types.Type{Kind: types.Time, Precision: 3})}, "00:00:01.000"},
		{`{"type":"long","logicalType":"timestamp-millis"}`, "\xd0\x0f", []format.Column{col("x", types.TTimestamp)}, "1970-01-01T00:00:01.000Z"},
		{`{"type":"long","logicalType":"timestamp-millis"}`, "\xd0\x0f", []format.Column{col("x", types.TBigInt)}, "1000"},
		{`{"type":"long","logicalType":"local-timestamp-micros"}`, "\xd0\x0f", []format.Column{col("x", types.Type{Kind: types.Timestamp, Precision: 6})}, "1970-01-01T00:00:00.001000Z"},
		{`{"type":"long","logicalType":"timestamp-nanos"}`, "\xd0\x0f", []format.Column{col("x", types.Type{Kind: types.Timestamp, Precision: 6})}, "1970-01-01T00:00:00.000001Z"},
		{`{"type":"long","logicalType":"timestamp-nanos"}`, "\xd7\x1f", []format.Column{col("x", types.Type{Kind: types.Timestamp, Precision: 6})}, "1969-12-31T23:59:59.999998Z"}, // -2028 ns
		{`{"type":"fixed","name":"u","size":16,"logicalType":"uuid"}`, "\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00",
			[]format.Column{col("x", types.TVarchar)}, "123e4567-e89b-12d3-a456-426614174000"},
		{`{"type":"fixed","name":"d","size":12,"logicalType":"duration"}`, "123456789012", []format.Column{col("x", types.TVarbinary)}, "123456789012"},
		{`"int"`, "\x54", []format.Column{col("x", types.TVarchar)}, "42"},
		{`"string"`, "\x0441", []format.Column{col("x", types.TInt)}, "41"},
		{`"string"`, "\x0e{\"a\":1}", []format.Column{col("x", types.TJSON)}, `{"a":1}`},
	} {
		got, err := decode(t, byFile(t, c.schema, c.cols...), []byte(c.value))
		if err != nil || got != c.want {
			t.Errorf("%s %x: %q, %v; want %q", c.schema, c.value, got, err, c.want)
		}
	}
}

func TestBadValues(t *testing.T) {
	long := `{"type":"record","name":"r","fields":[{"name":"a","type":"long"},{"name":"s","type":["null","string"]}]}`
	for _, c := range []struct {
		schema, value string
		col           format.Column
		want          format.Reason
	}{
		{long, "", col("a", types.TBigInt), format.Malformed},
		{long, "\x02", col("a", types.TBigInt), format.Malformed},
		{long, "\x02\x00\x00", col("a", types.TBigInt), format.Malformed},        // more bytes
		{long, "\x02\x04", col("a", types.TBigInt), format.Malformed},            // branch 2 of 2
		{long, "\x02\x02\x09", col("a", types.TBigInt), format.Malformed},        // a length below zero, of a field nobody wants
		{long, "\x02\x02\x02\xff", col("s", types.TVarchar), format.InvalidUTF8}, // text that is none
		{long, "\x80\x80\x04\x00", col("a", types.Type{Kind: types.Int, Bits: 8}), format.OutOfRange},
		{long, "\x01\x00", col("a", types.TUBigInt), format.OutOfRange},
		{long, "\x02\x02\x02x", col("s", types.TInt), format.WrongType},
		{long, "\x02\x02\x02x", format.Column{Name: "s.x", Path: []string{"s", "x"}, Type: types.TInt}, format.WrongType},
		{`{"type":"long","logicalType":"timestamp-micros"}`, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", col("x", types.TTimestamp), format.OutOfRange},
		{`{"type":"int","logicalType":"date"}`, "\xff\xff\xff\xff\x0f", col("x", types.TDate), format.OutOfRange},
		{`{"type":"fixed","name":"d","size":12,"logicalType":"duration"}`, "123456789012", col("x", types.TVarchar), format.WrongType},
		{`{"type":"array","items":"long"}`, "\x00", col("x", types.TBigInt), format.WrongType},
		{`{"type":"array","items":"null"}`, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", col("x", types.TJSON), format.Malformed},
		{`{"type":"record","name":"n","fields":[{"name":"x","type":["null","n"]}]}`, strings.Repeat("\x02", 5000) + "\x00", col("x", types.TJSON), format.Malformed},
	} {
		_, err := decode(t, byFile(t, c.schema, c.col), []byte(c.value))
		var bad *format.BadRecord
		if !errors.As(err, &bad) || bad.Reason != c.want {
			t.Errorf("%s %x: %v, want %s", c.schema, c.value, err, c.want)
		}
	}
}

// A schema of a later writer: fields come and go, and keep their meaning by name, alias and default.
func TestEvolution(t *testing.T) {
	s, r := byRegistry(t, col("id", types.TBigInt), col("country", types.TVarchar), col("ZIP", types.TVarchar), col("gone", types.TVarchar),
		format.Column{Name: "u.name", Path: []string{"u", "name"}, Type: types.TVarchar})
	v1 := register(t, r, "t-value", `{"type":"record","name":"r","fields":[{"name":"id","type":"int"},{"name":"post","type":"string"},{"name":"u","type":["null",{"type":"record","name":"u","fields":[{"name":"name","type":"string"}]}]}]}`)
	v2 := register(t, r, "t-value", `{"type":"record","name":"r","fields":[{"name":"extra","type":{"type":"array","items":"string"},"default":[]},{"name":"id","type":"long"},
		{"name":"country","type":"string","default":"de"},{"name":"zip","type":["null","string"],"default":null,"aliases":["post"]},
		{"name":"u","type":["null",{"type":"record","name":"u","fields":[{"name":"name","type":"string"}]}]}]}`)
	for _, c := range []struct {
		id         int
		body, want string
	}{
		{v1, "\x0e\x022\x02\x06bob", "7|de|2|NULL|bob"},
		{v1, "\x0e\x0212\x00", ""},
		{v2, "\x02\x02x\x00\x10\x04at\x02\x0299\x00", ""},
		{v2, "\x02\x02x\x00\x10\x04at\x02\x0499\x00", "8|at|99|NULL|NULL"},
		{v2, "\x00\x10\x04at\x00\x02\x06amy", "8|at|NULL|NULL|amy"},
	} {
		got, err := decode(t, s, append(registry.AppendHeader(nil, c.id), c.body...))
		if c.want == "" && err == nil || c.want != "" && (err != nil || got != c.want) {
			t.Errorf("%d %x: %q, %v; want %q", c.id, c.body, got, err, c.want)
		}
	}
}

func registerWith(t testing.TB, r *srfake.Registry, subject, schema, name, reference string) int {
	t.Helper()
	id, _, err := r.RegisterSchema(subject, sr.Schema{Schema: schema, References: []sr.SchemaReference{{Name: name, Subject: reference, Version: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}
