package avro

import (
	"errors"
	"math"
	"strings"
	"testing"

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
	cols := []format.Column{col("id", types.TBigInt), col("price", types.TDecimal(12, 2)), col("tags", types.Type{Kind: types.Array, Elem: &types.TVarchar})}
	s, r := byRegistry(t, cols...)
	s.Topic = "orders.v1"
	got, err := encode(t, s, types.NewInt(-1), types.Value{}, types.Value{Kind: types.Array, S: `["a"]`})
	if want := "\x00\x00\x00\x00\x01\x02\x01\x00\x02\x02\x02\x02a\x00"; err != nil || string(got) != want {
		t.Errorf("%x, %v; want %x", got, err, want)
	}
	schema, ok := r.GetSchema("orders.v1-value", 1)
	if want := `{"type":"record","name":"orders_v1","fields":[{"name":"id","type":["null","long"],"default":null},` +
		`{"name":"price","type":["null",{"type":"bytes","logicalType":"decimal","precision":12,"scale":2}],"default":null},` +
		`{"name":"tags","type":["null",{"type":"array","items":["null","string"]}],"default":null}]}`; !ok || schema.Schema.Schema != want {
		t.Errorf("registered:\n%s\nwant\n%s", schema.Schema.Schema, want)
	}
	s.Options["registry.auto_register"] = "false"
	if again, err := encode(t, s, types.NewInt(-1), types.Value{}, types.Value{Kind: types.Array, S: `["a"]`}); err != nil || string(again) != string(got) {
		t.Errorf("looked up: %x, %v", again, err)
	}
	s.Topic = "other"
	if _, err := encode(t, s); err == nil || !strings.Contains(err.Error(), "registry.auto_register is false") {
		t.Errorf("not registered: %v", err)
	}
	s.Options["registry.subject_strategy"], s.Options["schema.name"] = "topic_record", "com.example.Order"
	s.Options["registry.auto_register"] = "true"
	if _, err := encode(t, s, types.NewInt(1), types.Value{}, types.Value{}); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.GetSchema("other-com.example.Order", 1); !ok {
		t.Error("no subject by topic and record")
	}
}

const strict = `{"type":"record","name":"r","fields":[{"name":"ID","type":"int"},{"name":"kind","type":{"type":"enum","name":"k","symbols":["A","B"]}},
	{"name":"at","type":{"type":"long","logicalType":"timestamp-micros"},"default":7},{"name":"note","type":["string","null"]},
	{"name":"who","type":["null",{"type":"record","name":"w","fields":[{"name":"name","type":"string"},{"name":"age","type":["null","int"]}]}]}]}`

var strictColumns = []format.Column{
	col("id", types.TBigInt), col("kind", types.TVarchar), col("note", types.TVarchar),
	col("who", types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "name", Type: types.TVarchar}}}),
}

// Rows are written by a schema that is there: fields without a column have their default, and what does not fit is refused.
func TestASchemaThatIsGiven(t *testing.T) {
	file := byFile(t, strict, strictColumns...)
	inRegistry, r := byRegistry(t, strictColumns...)
	register(t, r, "t-value", strict)
	inRegistry.Options["schema.version"] = "latest"
	who := types.Value{Kind: types.Struct, S: `{"name":"x","age":3,"more":true}`}
	plain, err := encode(t, file, types.NewInt(1), types.NewString("B"), types.Value{}, who)
	if want := "\x02\x02\x0e\x02\x02\x02x\x02\x06"; err != nil || string(plain) != want {
		t.Errorf("%x, %v; want %x", plain, err, want)
	}
	if framed, err := encode(t, inRegistry, types.NewInt(1), types.NewString("B"), types.Value{}, who); err != nil || string(framed) != "\x00\x00\x00\x00\x01"+string(plain) {
		t.Errorf("framed: %x, %v", framed, err)
	}
	for _, c := range []struct {
		values []types.Value
		field  string
		want   format.Reason
	}{
		{[]types.Value{{}, types.NewString("A"), {}, {}}, "id", format.WrongType},
		{[]types.Value{types.NewInt(1 << 31), types.NewString("A"), {}, {}}, "id", format.OutOfRange},
		{[]types.Value{types.NewInt(1), types.NewString("C"), {}, {}}, "kind", format.WrongType},
		{[]types.Value{types.NewInt(1), types.NewString("A"), {}, {Kind: types.Struct, S: `{"age":1}`}}, "who", format.WrongType},
		{[]types.Value{types.NewInt(1), types.NewString("A"), {}, {Kind: types.Struct, S: `{"name":"x","age":"old"}`}}, "who", format.WrongType},
	} {
		_, err := encode(t, file, c.values...)
		var bad *format.BadRecord
		if !errors.As(err, &bad) || bad.Reason != c.want || bad.Field != c.field {
			t.Errorf("%v: %v, want %s of %s", c.values, err, c.want, c.field)
		}
	}
	for want, cols := range map[string][]format.Column{
		"ID must have a value":         {col("kind", types.TVarchar)},
		"no field for column x":        append([]format.Column{col("x", types.TInt)}, strictColumns...),
		"column kind is BIGINT, which": {col("id", types.TInt), col("kind", types.TBigInt)},
		"not a record":                 nil,
	} {
		schema := strict
		if cols == nil {
			schema = `"string"`
		}
		if _, err := NewEncoder(byFile(t, schema, cols...), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Derive("r", []format.Column{col("a b", types.TInt)}); err == nil || !strings.Contains(err.Error(), "cannot be a field") {
		t.Errorf("a name Avro does not have: %v", err)
	}
}

func TestKeys(t *testing.T) {
	one, r := byRegistry(t, col("id", types.TBigInt))
	k, err := format.NewKeyCodec("avro", one)
	if err != nil {
		t.Fatal(err)
	}
	if err := format.Prepare(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	key, ok := k.AppendKey(nil, batch(one.Columns, types.NewInt(3)).Cols, 0)
	if schema, _ := r.GetSchema("t-key", 1); !ok || string(key) != "\x00\x00\x00\x00\x01\x06" || schema.Schema.Schema != `"long"` {
		t.Errorf("%x, %v, %s", key, ok, schema.Schema.Schema)
	}
	if key, ok := k.AppendKey(nil, batch(one.Columns, types.Value{}).Cols, 0); ok {
		t.Errorf("the key of NULL: %x", key)
	}
	text := register(t, r, "else", `"string"`)
	object := register(t, r, "record", `{"type":"record","name":"k","fields":[{"name":"x","type":"int"},{"name":"id","type":"int"}]}`)
	for want, key := range map[string]string{"NULL": "", "3": string(key), "41": string(registry.AppendHeader(nil, text)) + "\x0441", "5": string(registry.AppendHeader(nil, object)) + "\x02\x0a"} {
		into := vectors(one.Columns)
		bytes := []byte(key)
		if key == "" {
			bytes = nil
		}
		if err := format.DecodeKey(t.Context(), k, bytes, into); err != nil || texts(into) != want {
			t.Errorf("%x: %s, %v; want %s", key, texts(into), err, want)
		}
	}
	two, r := byRegistry(t, col("a", types.TDouble), col("b", types.TVarchar))
	k, _ = format.NewKeyCodec("avro", two)
	if err := format.Prepare(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	minus, _ := k.AppendKey(nil, batch(two.Columns, types.NewDouble(negativeZero), types.Value{}).Cols, 0)
	zero, _ := k.AppendKey(nil, batch(two.Columns, types.NewDouble(0), types.Value{}).Cols, 0)
	if schema, _ := r.GetSchema("t-key", 1); string(minus) != string(zero) || !strings.Contains(schema.Schema.Schema, `"name":"t_key"`) {
		t.Errorf("%x, %x, %s", minus, zero, schema.Schema.Schema)
	}
	small := byFile(t, `"int"`, col("id", types.TBigInt))
	k, err = format.NewKeyCodec("avro", small)
	if err != nil {
		t.Fatal(err)
	}
	if err := format.Prepare(t.Context(), k); err == nil || !strings.Contains(err.Error(), "does not take every BIGINT") {
		t.Errorf("a key that does not fit: %v", err)
	}
}

var negativeZero = math.Copysign(0, -1)

// A schema of references, and one that another kind of format registered.
func TestRegisteredSchemas(t *testing.T) {
	s, r := byRegistry(t, format.Column{Name: "a.city", Path: []string{"a", "city"}, Type: types.TVarchar}, col("b", types.TJSON))
	register(t, r, "address", `{"type":"record","name":"com.x.Address","fields":[{"name":"city","type":"string"}]}`)
	id := registerWith(t, r, "t-value", `{"type":"record","name":"com.x.Person","fields":[{"name":"a","type":"Address"},{"name":"b","type":["null","com.x.Address"]}]}`, "com.x.Address", "address")
	got, err := decode(t, s, append(registry.AppendHeader(nil, id), "\x02x\x02\x02y"...))
	if err != nil || got != `x|{"city":"y"}` {
		t.Errorf("%s, %v", got, err)
	}
	_, err = decode(t, s, registry.AppendHeader(nil, 99))
	var bad *format.BadRecord
	if !errors.As(err, &bad) || bad.Reason != registry.UnknownSchema {
		t.Errorf("an id that is not there: %v", err)
	}
	_, err = decode(t, s, []byte(`{"a":1}`))
	if !errors.As(err, &bad) || bad.Reason != format.Malformed || !strings.Contains(err.Error(), "schema.file") {
		t.Errorf("a value without header: %v", err)
	}
	r.Close()
	d, _ := NewDecoder(s)
	err = format.Decode(t.Context(), d, registry.AppendHeader(nil, 5), vectors(s.Columns))
	var away *format.Away
	if !errors.As(err, &away) || errors.As(err, &bad) && bad == nil {
		t.Errorf("a registry that is away: %v", err)
	}
}

func TestColumns(t *testing.T) {
	s := byFile(t, `{"type":"record","name":"n.r","fields":[
		{"name":"a","type":"boolean"},{"name":"b","type":"int"},{"name":"c","type":["null","long"]},{"name":"d","type":"float"},{"name":"e","type":"double"},
		{"name":"f","type":"string"},{"name":"g","type":"bytes"},{"name":"h","type":{"type":"fixed","name":"fx","size":4}},{"name":"i","type":{"type":"enum","name":"en","symbols":["A"]}},
		{"name":"j","type":{"type":"bytes","logicalType":"decimal","precision":10,"scale":3}},{"name":"k","type":{"type":"bytes","logicalType":"decimal","precision":50,"scale":3}},
		{"name":"l","type":{"type":"int","logicalType":"date"}},{"name":"m","type":{"type":"int","logicalType":"time-millis"}},{"name":"o","type":{"type":"long","logicalType":"time-micros"}},
		{"name":"p","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"q","type":{"type":"long","logicalType":"local-timestamp-micros"}},
		{"name":"r","type":{"type":"string","logicalType":"uuid"}},{"name":"s","type":{"type":"array","items":"fx"}},{"name":"t","type":{"type":"map","values":["null","int"]}},
		{"name":"u","type":{"type":"record","name":"sub","fields":[{"name":"x","type":"int"},{"name":"y","type":["null","n.r"]}]}},
		{"name":"v","type":["int","string"]},{"name":"w","type":"null"}]}`)
	schema, err := format.SchemaOf(t.Context(), "avro", s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range schema.Columns {
		got = append(got, c.Name+" "+c.Type.String())
	}
	want := "a BOOLEAN, b INT, c BIGINT, d FLOAT, e DOUBLE, f VARCHAR, g VARBINARY, h VARBINARY(4), i VARCHAR, j DECIMAL(10,3), k VARCHAR, l DATE, m TIME(3), o TIME(6), " +
		"p TIMESTAMP(3), q TIMESTAMP(6), r VARCHAR, s ARRAY<VARBINARY(4)>, t MAP<VARCHAR, INT>, u STRUCT<x INT, y JSON>, v JSON, w JSON"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("\n%s\nwant\n%s", text, want)
	}
	for schema, want := range map[string]string{
		`{"type":"record","name":"r","fields":[{"name":"x","type":{"type":"fixed","name":"d","size":12,"logicalType":"duration"}}]}`: "field x: a duration has no SQL type",
		`{"type":"record"}`: "schema.file",
	} {
		if _, err := format.SchemaOf(t.Context(), "avro", byFile(t, schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", schema, err)
		}
	}
	if _, err := format.SchemaOf(t.Context(), "avro", format.Spec{Topic: "t"}); err == nil || !strings.Contains(err.Error(), "registry.url") {
		t.Errorf("no place: %v", err)
	}
}
