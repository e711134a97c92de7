package jsonschema

import (
	stdjson "encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/tests/trial"
)

func col(name string, t types.Type) format.Column { return format.Column{Name: name, Type: t} }

func byRegistry(t testing.TB, cols ...format.Column) (format.Spec, *srfake.Registry) {
	t.Helper()
	r := srfake.New()
	t.Cleanup(r.Close)
	return format.Spec{Columns: cols, Topic: "t", Options: map[string]string{"registry.url": r.URL()}}, r
}

func described(t *testing.T, s format.Spec) string {
	t.Helper()
	schema, err := format.SchemaOf(t.Context(), "json-schema", s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range schema.Columns {
		got = append(got, c.Name+" "+c.Type.String())
	}
	return strings.Join(got, ", ")
}

func TestWriteAndRead(t *testing.T) {
	cols := []format.Column{col("id", types.TBigInt), col("n", types.TInt), col("u", types.TUBigInt), col("price", types.TDecimal(10, 2)), col("f", types.TDouble), col("b", types.TVarbinary), col("at", types.TTimestamp),
		col("d", types.TDate), col("ok", types.TBoolean), col("tags", types.Type{Kind: types.Array, Elem: &types.TVarchar}), col("m", types.Type{Kind: types.Map, Elem: &types.TBigInt}),
		col("who", types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "name", Type: types.TVarchar}}}), col("doc", types.TJSON)}
	s, r := byRegistry(t, cols...)
	e, err := NewEncoder(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &vector.Batch{N: 1}
	for _, c := range cols {
		v := vector.New(c.Type, 1)
		v.AppendNull()
		b.Cols = append(b.Cols, v)
	}
	b.Cols[0].Reset()
	b.Cols[0].AppendInt(7)
	if _, err := e.Encode(nil, b, 0); err == nil {
		t.Error("it writes before it is prepared")
	}
	if err := format.Prepare(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	value, err := e.Encode(nil, b, 0)
	if err != nil || !strings.HasPrefix(string(value), "\x00\x00\x00\x00\x01{\"id\":7,\"n\":null,") {
		t.Errorf("%q, %v", value, err)
	}
	schema, _ := r.GetSchema("t-value", 1)
	if !stdjson.Valid([]byte(schema.Schema.Schema)) || schema.Schema.Type != sr.TypeJSON {
		t.Errorf("registered: %s", schema.Schema.Schema)
	}
	if got, want := described(t, s), "id BIGINT, n INT, u BIGINT UNSIGNED, price DECIMAL(38,2), f DOUBLE, b VARBINARY, at TIMESTAMP(6), d DATE, ok BOOLEAN, tags ARRAY<VARCHAR>, "+
		"m MAP<VARCHAR, BIGINT>, who STRUCT<name VARCHAR>, doc JSON"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	d, err := NewDecoder(format.Spec{Columns: cols[:1]})
	if err != nil {
		t.Fatal(err)
	}
	v := vector.New(types.TBigInt, 1)
	if err := d.Decode(value, []*vector.Vector{v}); err != nil || v.Ints[0] != 7 {
		t.Errorf("%v, %v", v.Ints, err)
	}
	err = d.Decode([]byte(`{"id":1}`), []*vector.Vector{v})
	var bad *format.BadRecord
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "format = 'json'") {
		t.Errorf("a value without header: %v", err)
	}
}

func TestSchemasOfOthers(t *testing.T) {
	s, r := byRegistry(t)
	if _, _, err := r.RegisterSchema("common", sr.Schema{Type: sr.TypeJSON, Schema: `{"definitions":{"city":{"type":"string"}}}`}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.RegisterSchema("t-value", sr.Schema{Type: sr.TypeJSON, References: []sr.SchemaReference{{Name: "common.json", Subject: "common", Version: 1}}, Schema: `{"$ref":"#/definitions/node","definitions":{"node":{"type":"object","properties":{
		"b":{"oneOf":[{"type":"null"},{"type":"integer"}]},"a":{"type":["string","integer"]},"c":{"$ref":"common.json#/definitions/city"},"d":{"$ref":"#/definitions/node"},
		"e":{"type":"array","items":{"$ref":"#/definitions/node"}},"f":{"type":"object"},"g":{"enum":["x"]},"h":{"$ref":"#/nowhere"},"i":{"type":"number","multipleOf":0.25}}}}}`}); err != nil {
		t.Fatal(err)
	}
	if got, want := described(t, s), "b BIGINT, a JSON, c VARCHAR, d JSON, e ARRAY<JSON>, f JSON, g JSON, h JSON, i DOUBLE"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestKeys(t *testing.T) {
	s, r := byRegistry(t, col("id", types.TVarchar))
	k, err := format.NewKeyCodec("json-schema", s)
	if err == nil {
		err = format.Prepare(t.Context(), k)
	}
	if err != nil {
		t.Fatal(err)
	}
	v := vector.New(types.TVarchar, 2)
	v.AppendString("a")
	v.AppendNull()
	key, ok := k.AppendKey(nil, []*vector.Vector{v}, 0)
	if !ok || string(key) != "\x00\x00\x00\x00\x01\"a\"" {
		t.Errorf("%q, %v", key, ok)
	}
	if _, ok := k.AppendKey(nil, []*vector.Vector{v}, 1); ok {
		t.Error("NULL has a key")
	}
	into := vector.New(types.TVarchar, 1)
	if err := k.DecodeKey(key, []*vector.Vector{into}); err != nil || string(into.Bytes.At(0)) != "a" {
		t.Errorf("%v", err)
	}
	if schema, _ := r.GetSchema("t-key", 1); schema.Schema.Schema != `{"$schema":"http://json-schema.org/draft-07/schema#","title":"t_key","type":"string"}` {
		t.Errorf("registered: %s", schema.Schema.Schema)
	}
}

// Any bytes are a row or a bad record, and nothing panics.
func FuzzDecode(f *testing.F) {
	cols := []format.Column{col("id", types.TBigInt), col("doc", types.TJSON), col("tags", types.Type{Kind: types.Array, Elem: &types.TVarchar})}
	s, _ := byRegistry(f, cols...)
	d, err := NewDecoder(s)
	if err != nil {
		f.Fatal(err)
	}
	trial.Fuzz(f, func(t testing.TB, value []byte) {
		into := []*vector.Vector{vector.New(cols[0].Type, 1), vector.New(cols[1].Type, 1), vector.New(cols[2].Type, 1)}
		err := d.Decode(value, into)
		var bad *format.BadRecord
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%q: %v", value, err)
		}
		for _, v := range into {
			if rows := v.Len(); (err == nil) != (rows == 1) {
				t.Fatalf("%q: %d rows after %v", value, rows, err)
			}
		}
	}, "\x00\x00\x00\x00\x01"+`{"id":1,"doc":{"a":[null]},"tags":["x",null]}`, `{"id":1}`)
}
