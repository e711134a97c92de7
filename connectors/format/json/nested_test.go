package json

import (
	"errors"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func arrayOf(t types.Type) types.Type { return types.Type{Kind: types.Array, Elem: &t} }
func mapOf(t types.Type) types.Type   { return types.Type{Kind: types.Map, Elem: &t} }
func structOf(fields ...types.Field) types.Type {
	return types.Type{Kind: types.Struct, Fields: fields}
}
func fieldOf(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

var user = structOf(fieldOf("id", types.TBigInt), fieldOf("country", types.TVarchar))

// What lies in documents is held to the declared type, and kept in one form.
func TestDecodeNested(t *testing.T) {
	deep := structOf(fieldOf("a", arrayOf(mapOf(user))), fieldOf("b", structOf(fieldOf("price", types.TDecimal(10, 2)), fieldOf("at", types.TTimestamp))))
	checkDecode(t, []decodeTest{
		{`{"u":{"country":"at","id":1.0,"new":[1]}}`, []format.Column{col("u", user)}, `{"id":1,"country":"at"}`},
		{`{"u":{"COUNTRY":"at"}}`, []format.Column{col("u", user)}, `{"id":null,"country":"at"}`},
		{`{"u":{"ID":1,"id":"2","Id":3}}`, []format.Column{col("u", user)}, `{"id":2,"country":null}`},
		{`{"u":{ }}`, []format.Column{col("u", user)}, `{"id":null,"country":null}`},
		{`{"u":null}`, []format.Column{col("u", user)}, `NULL`},
		{`{"u":{"id":7,"country":"at"}}`, []format.Column{at(types.TVarchar, "u", "country"), col("u", user)}, `at|{"id":7,"country":"at"}`},
		{`{"l":[ 1, "2" , 3e1, null ]}`, []format.Column{col("l", arrayOf(types.TInt))}, `[1,2,30,null]`},
		{`{"l":[]}`, []format.Column{col("l", arrayOf(types.TInt))}, `[]`},
		{`{"l":["a\u00e9\n","\"", {"x": 1}, 5, true]}`, []format.Column{col("l", arrayOf(types.TVarchar))}, `["aé\n","\"","{\"x\":1}","5","true"]`},
		{`{"l":[[1],[],[2, 3]]}`, []format.Column{col("l", arrayOf(arrayOf(types.TInt)))}, `[[1],[],[2,3]]`},
		{`{"m":{"k\u0031":1.5,"":2, "x":null}}`, []format.Column{col("m", mapOf(types.TDecimal(5, 2)))}, `{"k1":1.50,"":2.00,"x":null}`},
		{`{"l":["2024-05-06T07:08:09Z",1714979289000]}`, []format.Column{col("l", arrayOf(types.TTimestamp))}, `["2024-05-06T07:08:09.000Z","2024-05-06T07:08:09.000Z"]`},
		{`{"l":["aGk="]}`, []format.Column{col("l", arrayOf(types.TVarbinary))}, `["aGk="]`},
		{`{"l":[{"a": [1 ]}, 1.50]}`, []format.Column{col("l", arrayOf(types.TJSON))}, `[{"a":[1]},1.50]`},
		{`{"d":{"b":{"at":0,"price":"12.1"},"a":[{"x":{"id":1}}]}}`, []format.Column{col("d", deep)},
			`{"a":[{"x":{"id":1,"country":null}}],"b":{"price":12.10,"at":"1970-01-01T00:00:00.000Z"}}`},
	})
	seconds := format.Column{Name: "l", Type: arrayOf(types.TTimestamp), TimestampFormat: "s"}
	checkDecode(t, []decodeTest{{`{"l":[1]}`, []format.Column{seconds}, `["1970-01-01T00:00:01.000Z"]`}})
}

func TestBadNested(t *testing.T) {
	small := types.Type{Kind: types.Int, Bits: 8}
	for _, test := range []struct {
		value  string
		of     types.Type
		reason format.Reason
		field  string
		says   string
	}{
		{`{"v":{"id":"x"}}`, user, format.WrongType, "v.id", "BIGINT"},
		{`{"v":[1]}`, user, format.WrongType, "v", "STRUCT"},
		{`{"v":{}}`, arrayOf(small), format.WrongType, "v", "ARRAY<TINYINT>"},
		{`{"v":[1,300]}`, arrayOf(small), format.OutOfRange, "v[]", "300"},
		{`{"v":[[1],2]}`, arrayOf(arrayOf(small)), format.WrongType, "v[]", "ARRAY"},
		{`{"v":{"a":{"id":true}}}`, mapOf(user), format.WrongType, "v[].id", "BIGINT"},
		{`{"v":{"Id":1,"iD":2}}`, user, format.AmbiguousField, "id", "upper and lower"},
		{"{\"v\":[\"\xff\"]}", arrayOf(types.TVarchar), format.InvalidUTF8, "v[]", "UTF-8"},
		{"{\"v\":{\"\xff\":1}}", mapOf(small), format.InvalidUTF8, "v", "name"},
	} {
		cols := []format.Column{col("w", types.TJSON), col("v", test.of)}
		d, err := NewDecoder(cols)
		if err != nil {
			t.Fatal(err)
		}
		into := vectors(cols, 1)
		err = d.Decode([]byte(test.value), into)
		var bad *format.BadRecord
		if !errors.As(err, &bad) || bad.Reason != test.reason || bad.Field != test.field || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %s %q with %q", test.value, err, test.reason, test.field, test.says)
		}
		if err := d.Decode([]byte(`{"v":null}`), into); err != nil || row(into, 0) != "NULL|NULL" {
			t.Errorf("after %s: %s, %v", test.value, row(into, 0), err)
		}
	}
}

func TestQuotedNumbers(t *testing.T) {
	cols := []format.Column{
		col("id", types.TBigInt), col("price", types.TDecimal(10, 2)), col("f", types.TDouble), col("ok", types.TBoolean), col("s", types.TVarchar), col("u", user),
		col("l", arrayOf(types.TInt)), col("doc", types.TJSON), {Name: "ts", Type: arrayOf(types.TTimestamp), TimestampFormat: "s"}, col("tags", arrayOf(types.TVarchar)),
	}
	spec := format.Spec{Columns: cols, Options: map[string]string{"json.quoted_numbers": "TRUE"}}
	e, err := format.NewEncoder("json", spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := format.NewDecoder("json", spec)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"9007199254740993","price":"12.10","f":"0.5","ok":true,"s":"1","u":{"id":"7","country":"5"},"l":["1",null],"doc":{"n":1},"ts":[1.5],"tags":["a"]}`
	into := vectors(cols, 1)
	if err := d.Decode([]byte(want), into); err != nil {
		t.Fatal(err)
	}
	got, err := e.Encode(nil, &vector.Batch{N: 1, Cols: into}, 0)
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	buf, value, batch := make([]byte, 0, 512), []byte(want), &vector.Batch{N: 1, Cols: into}
	if n := testing.AllocsPerRun(100, func() {
		for _, v := range into {
			v.Reset()
		}
		_ = d.Decode(value, into)
		_, _ = e.Encode(buf[:0], batch, 0)
	}); n != 0 {
		t.Errorf("%v allocations per row", n)
	}
	for i := range into {
		into[i].Reset()
		into[i].AppendNull()
	}
	if got, _ := e.Encode(nil, &vector.Batch{N: 1, Cols: into}, 0); strings.Count(string(got), "null") != len(cols) {
		t.Errorf("NULLs: %s", got)
	}
}

// A document that is not of its column's type cannot be written in another form.
func TestForeignDocument(t *testing.T) {
	e, err := NewEncoderWith([]format.Column{col("l", arrayOf(types.TInt))}, nil, Conventions{QuotedNumbers: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{`["x"]`, `{}`, `[1`} {
		v := vector.New(arrayOf(types.TInt), 1)
		v.AppendString(doc)
		_, err := e.Encode(nil, &vector.Batch{N: 1, Cols: []*vector.Vector{v}}, 0)
		var bad *format.BadRecord
		if !errors.As(err, &bad) {
			t.Errorf("%s: got %v", doc, err)
		}
	}
}

func BenchmarkDecodeNested(b *testing.B) {
	cols := []format.Column{col("u", user), col("l", arrayOf(types.TBigInt))}
	d, err := NewDecoder(cols)
	if err != nil {
		b.Fatal(err)
	}
	into, value := vectors(cols, 1), []byte(`{"u":{"id":12345,"country":"at"},"l":[1,22,333,4444]}`)
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		for _, v := range into {
			v.Reset()
		}
		if err := d.Decode(value, into); err != nil {
			b.Fatal(err)
		}
	}
}
