package avro

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/avro"
	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// sample is a type with a way to draw a value for the library and to say what JSON it is.
type sample struct {
	schema string
	draw   func(*rapid.T) (value any, json string)
}

func jsonText(x any) string {
	var b bytes.Buffer
	e := stdjson.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(x); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

var names int

// genSchema draws a schema of bounded depth.
func genSchema(t *rapid.T, depth int) sample {
	names++
	name := fmt.Sprintf("n%d", names)
	kinds := []string{"boolean", "int", "long", "double", "string", "bytes", "enum", "decimal", "timestamp-micros", "date", "fixed"}
	if depth > 0 {
		kinds = append(kinds, "optional", "optional", "array", "map", "record", "record", "union")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "boolean":
		return sample{`"boolean"`, func(t *rapid.T) (any, string) { x := rapid.Bool().Draw(t, "x"); return x, jsonText(x) }}
	case "int":
		return sample{`"int"`, func(t *rapid.T) (any, string) { x := rapid.Int32().Draw(t, "x"); return x, jsonText(x) }}
	case "long":
		return sample{`"long"`, func(t *rapid.T) (any, string) { x := rapid.Int64().Draw(t, "x"); return x, jsonText(x) }}
	case "double":
		return sample{`"double"`, func(t *rapid.T) (any, string) {
			x := rapid.SampledFrom([]float64{0, 1.5, -2e10, 3, math.MaxInt32, 1e-3}).Draw(t, "x")
			return x, strconv.FormatFloat(x, 'f', -1, 64)
		}}
	case "string":
		return sample{`"string"`, func(t *rapid.T) (any, string) {
			x := rapid.SampledFrom([]string{"", "a", "é\"\\\n\t", "日本", strings.Repeat("x", 200)}).Draw(t, "x")
			return x, jsonText(x)
		}}
	case "bytes":
		return sample{`"bytes"`, func(t *rapid.T) (any, string) {
			x := rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "x")
			return x, jsonText(x)
		}}
	case "fixed":
		return sample{`{"type":"fixed","name":"` + name + `","size":3}`, func(t *rapid.T) (any, string) {
			x := rapid.SliceOfN(rapid.Byte(), 3, 3).Draw(t, "x")
			return x, jsonText(x)
		}}
	case "enum":
		return sample{`{"type":"enum","name":"` + name + `","symbols":["A","B","C"]}`, func(t *rapid.T) (any, string) {
			x := rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "x")
			return x, jsonText(x)
		}}
	case "decimal":
		return sample{`{"type":"bytes","logicalType":"decimal","precision":38,"scale":2}`, func(t *rapid.T) (any, string) {
			x := rapid.Int64().Draw(t, "x")
			return big.NewRat(x, 100), big.NewRat(x, 100).FloatString(2)
		}}
	case "timestamp-micros":
		return sample{`{"type":"long","logicalType":"timestamp-micros"}`, func(t *rapid.T) (any, string) {
			x := time.UnixMicro(rapid.Int64Range(-1e15, 1e15).Draw(t, "x")).UTC()
			return x, x.Format(`"2006-01-02T15:04:05.000000Z"`)
		}}
	case "date":
		return sample{`{"type":"int","logicalType":"date"}`, func(t *rapid.T) (any, string) {
			x := time.Unix(rapid.Int64Range(-10000, 30000).Draw(t, "x")*86400, 0).UTC()
			return x, x.Format(`"2006-01-02"`)
		}}
	case "optional":
		in := genSchema(t, depth-1)
		if strings.HasPrefix(in.schema, "[") {
			return in
		}
		return sample{`["null",` + in.schema + `]`, func(t *rapid.T) (any, string) {
			if rapid.Bool().Draw(t, "null") {
				return nil, "null"
			}
			return in.draw(t)
		}}
	case "union":
		return sample{`["null","string","long"]`, func(t *rapid.T) (any, string) {
			switch rapid.IntRange(0, 2).Draw(t, "branch") {
			case 0:
				return nil, "null"
			case 1:
				return "s", `"s"`
			}
			return int64(7), "7"
		}}
	case "array":
		in := genSchema(t, depth-1)
		return sample{`{"type":"array","items":` + in.schema + `}`, func(t *rapid.T) (any, string) {
			out, texts := []any{}, []string{}
			for range rapid.IntRange(0, 4).Draw(t, "n") {
				x, s := in.draw(t)
				out, texts = append(out, x), append(texts, s)
			}
			return out, "[" + strings.Join(texts, ",") + "]"
		}}
	case "map":
		in := genSchema(t, depth-1)
		return sample{`{"type":"map","values":` + in.schema + `}`, func(t *rapid.T) (any, string) {
			if rapid.Bool().Draw(t, "empty") {
				return map[string]any{}, "{}"
			}
			x, s := in.draw(t)
			return map[string]any{"k": x}, `{"k":` + s + `}`
		}}
	}
	return genRecord(t, name, depth-1)
}

func genRecord(t *rapid.T, name string, depth int) sample {
	var fields []sample
	var texts []string
	for i := range rapid.IntRange(1, 5).Draw(t, "fields") {
		f := genSchema(t, depth)
		fields = append(fields, f)
		texts = append(texts, fmt.Sprintf(`{"name":"f%d","type":%s}`, i, f.schema))
	}
	return sample{`{"type":"record","name":"` + name + `","fields":[` + strings.Join(texts, ",") + `]}`, func(t *rapid.T) (any, string) {
		out, texts := map[string]any{}, []string{}
		for i, f := range fields {
			x, s := f.draw(t)
			out[fmt.Sprintf("f%d", i)] = x
			texts = append(texts, fmt.Sprintf(`"f%d":%s`, i, s))
		}
		return out, "{" + strings.Join(texts, ",") + "}"
	}}
}

// What the library writes is read as the JSON of the value, whichever of the fields are wanted.
func TestDecodeAgainstTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genRecord(t, "r", 3)
		schema, err := avro.Parse(s.schema)
		if err != nil {
			t.Fatalf("%s: %v", s.schema, err)
		}
		n, err := parse(s.schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		value, want := s.draw(t)
		data, err := schema.Encode(value)
		if err != nil {
			t.Fatalf("%s %v: %v", s.schema, value, err)
		}
		var whole []stdjson.RawMessage
		var byName map[string]stdjson.RawMessage
		if err := stdjson.Unmarshal([]byte(want), &byName); err != nil {
			t.Fatal(err)
		}
		var cols []format.Column
		for i := range n.fields {
			if rapid.Bool().Draw(t, "wanted") {
				cols = append(cols, col(n.fields[i].name, types.TJSON))
				whole = append(whole, byName[n.fields[i].name])
			}
		}
		for i := range cols {
			if plainKind(n, cols[i].Name) == text { // of which a JSON column takes the document in it
				cols[i].Type = types.TVarchar
			}
		}
		to, err := registry.Targets(cols)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compile(n, nil, to)
		if err != nil {
			t.Fatal(err)
		}
		into := vectors(cols)
		if err := (&runner{}).run(p, data, into); err != nil {
			t.Fatalf("%s %x: %v", s.schema, data, err)
		}
		for i, v := range into {
			got := "null"
			if !v.IsNull(0) {
				got = string(v.Bytes.At(0))
			}
			if !sameText(got, whole[i], plainKind(n, cols[i].Name)) {
				t.Fatalf("%s, field %s: %s, want %s", s.schema, cols[i].Name, got, whole[i])
			}
		}
	})
}

// plainKind is the kind of a field, of one that may be null the other kind.
func plainKind(n *node, name string) kind {
	f := n.fields[n.find(name)].node
	if f.optional != nil {
		f = f.optional
	}
	return f.kind
}

// sameText compares a VARCHAR or JSON with the JSON that is wanted: a VARCHAR is without quotes.
func sameText(got string, want stdjson.RawMessage, k kind) bool {
	var s string
	if k == text && stdjson.Unmarshal(want, &s) == nil && string(want) != "null" {
		return got == s
	}
	return got == string(want)
}

// rowTypes are all that a query may write.
var rowTypes = []types.Type{
	types.TBoolean, {Kind: types.Int, Bits: 8}, types.TInt, types.TBigInt, {Kind: types.Uint, Bits: 32}, types.TUBigInt,
	{Kind: types.Double, Bits: 32}, types.TDouble, types.TDecimal(38, 10), types.TDecimal(9, 0), types.TVarchar, types.TVarbinary, types.TDate,
	{Kind: types.Time, Precision: 0}, {Kind: types.Time, Precision: 6}, types.TTimestamp, {Kind: types.Timestamp, Precision: 6}, types.TJSON,
	{Kind: types.Array, Elem: &types.TBigInt}, {Kind: types.Map, Elem: &types.TVarchar},
	{Kind: types.Struct, Fields: []types.Field{{Name: "a", Type: types.TDecimal(5, 2)}, {Name: "b", Type: types.Type{Kind: types.Array, Elem: &types.TBoolean}}, {Name: "ts", Type: types.TTimestamp}}},
}

func genValue(t *rapid.T, k types.Type) types.Value {
	if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
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
		d := types.Int128{Hi: rapid.Int64().Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")}
		_, d, _ = d.QuoRem(types.Pow10(int(k.Precision)))
		v.D, v.Scale = d, k.Scale
	case types.Varchar:
		v.S = rapid.String().Draw(t, "x")
	case types.Varbinary:
		v.S = string(rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "x"))
	case types.Date:
		v.I = rapid.Int64Range(-700000, 2000000).Draw(t, "x")
	case types.Time:
		v.I = types.RoundMicros(rapid.Int64Range(0, types.MicrosPerDay-1e6).Draw(t, "x"), k.Precision)
	case types.Timestamp:
		v.I = types.RoundMicros(rapid.Int64Range(-6e16, 2e17).Draw(t, "x"), k.Precision)
	case types.JSON:
		v.S = rapid.SampledFrom([]string{`{"a":[1,null]}`, `"x"`, `3`, `null`}).Draw(t, "x")
	case types.Array:
		v.S = rapid.SampledFrom([]string{`[]`, `[1,null,-9223372036854775808]`}).Draw(t, "x")
	case types.Map:
		v.S = rapid.SampledFrom([]string{`{}`, `{"k":"v"}`, `{"é":null}`}).Draw(t, "x")
	case types.Struct:
		v.S = rapid.SampledFrom([]string{`{"a":1.50,"b":[true,null],"ts":"2030-01-01T00:00:00.123Z"}`, `{"a":null,"b":null,"ts":null}`}).Draw(t, "x")
	}
	return v
}

// Rows that are written are read back as they were, and the library reads them by the registered schema.
func TestEncodeRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var cols []format.Column
		var kinds []types.Type
		for i := range rapid.IntRange(1, 6).Draw(rt, "columns") {
			k := rapid.SampledFrom(rowTypes).Draw(rt, "type")
			cols, kinds = append(cols, col(fmt.Sprintf("c%d", i), k)), append(kinds, k)
		}
		text, err := Derive("r", cols)
		if err != nil {
			rt.Fatal(err)
		}
		schema, err := avro.Parse(text)
		if err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		e := &Encoder{cols: cols, Writing: registry.Writing{Place: registry.Place{File: "made.avsc"}}}
		n, err := parse(text, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if err := e.use(n); err != nil {
			rt.Fatal(err)
		}
		b := vector.NewBatch(kinds, 1)
		for i, k := range kinds {
			b.Cols[i].Append(genValue(rt, k))
		}
		b.N = 1
		data, err := e.Encode([]byte("x"), b, 0)
		if err != nil {
			rt.Fatalf("%s %s: %v", text, texts(b.Cols), err)
		}
		body := data[1:]
		var by map[string]any
		if rest, err := schema.Decode(body, &by); err != nil || len(rest) != 0 {
			rt.Fatalf("the library: %v, %d bytes left", err, len(rest))
		}
		to, _ := registry.Targets(cols)
		p, err := compile(n, nil, to)
		if err != nil {
			rt.Fatal(err)
		}
		into := vectors(cols)
		if err := (&runner{}).run(p, body, into); err != nil {
			rt.Fatal(err)
		}
		if got, want := texts(into), texts(b.Cols); got != want {
			rt.Fatalf("%s:\n got %s\nwant %s", text, got, want)
		}
		for i, c := range cols {
			if (by[c.Name] == nil) != b.Cols[i].IsNull(0) {
				rt.Fatalf("the library reads %v for %s", by[c.Name], texts(b.Cols[i:i+1]))
			}
		}
	})
}
