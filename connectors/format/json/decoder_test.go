package json

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func col(name string, t types.Type) format.Column { return format.Column{Name: name, Type: t} }

func at(t types.Type, path ...string) format.Column {
	return format.Column{Name: path[len(path)-1], Path: path, Type: t}
}

// decode decodes one value and returns the row as text, columns separated by '|'.
func decode(t *testing.T, value string, cols ...format.Column) (string, error) {
	t.Helper()
	d, err := NewDecoder(cols)
	if err != nil {
		t.Fatal(err)
	}
	into := vectors(cols, 1)
	err = d.Decode([]byte(value), into)
	return row(into, 0), err
}

func row(cols []*vector.Vector, i int) string {
	var out []string
	for _, v := range cols {
		if v.Len() <= i {
			return "(nothing)"
		}
		out = append(out, string(types.AppendTextAs(nil, v.Value(i), v.Type)))
	}
	return strings.Join(out, "|")
}

type decodeTest struct {
	value string
	cols  []format.Column
	want  string
}

func checkDecode(t *testing.T, tests []decodeTest) {
	t.Helper()
	for _, test := range tests {
		got, err := decode(t, test.value, test.cols...)
		if err != nil || got != test.want {
			t.Errorf("%s\n got %s, %v\nwant %s", test.value, got, err, test.want)
		}
	}
}

func TestDecodeScalars(t *testing.T) {
	id, qty := col("id", types.TInt), col("qty", types.TBigInt)
	price := col("price", types.TDecimal(10, 2))
	flag, name, f := col("flag", types.TBoolean), col("name", types.TVarchar), col("f", types.TDouble)
	checkDecode(t, []decodeTest{
		// Numbers are exact however they are written.
		{`{"qty":9007199254740993}`, []format.Column{qty}, "9007199254740993"},
		{`{"qty":9.007199254740993e15}`, []format.Column{qty}, "9007199254740993"},
		{`{"qty":-9223372036854775808}`, []format.Column{qty}, "-9223372036854775808"},
		{`{"qty":9223372036854775807}`, []format.Column{qty}, "9223372036854775807"},
		{`{"id":1,"price":12,"qty":1.0}`, []format.Column{id, price, qty}, "1|12.00|1"},
		{`{"id":2,"price":1.005,"qty":1e3}`, []format.Column{id, price, qty}, "2|1.01|1000"},
		{`{"price":-1.005}`, []format.Column{price}, "-1.01"},
		{`{"price":"12.10","id":"41"}`, []format.Column{price, id}, "12.10|41"},
		{`{"price":99999999.99}`, []format.Column{price}, "99999999.99"},
		{`{"price":0.1}`, []format.Column{price}, "0.10"},
		{`{"q":18446744073709551615}`, []format.Column{col("q", types.TUBigInt)}, "18446744073709551615"},
		{`{"id":5,"junk":123456789012345678901234567890}`, []format.Column{id}, "5"},
		{`{"f":1.5e-3}`, []format.Column{f}, "0.0015"},
		{`{"f":"2.5"}`, []format.Column{f}, "2.5"},
		{`{"f":1e-400}`, []format.Column{f}, "0"},
		{`{"f":16777217}`, []format.Column{col("f", types.Type{Kind: types.Double, Bits: 32})}, "16777216"},
		// Truth values.
		{`{"flag":true}`, []format.Column{flag}, "1"},
		{`{"flag":0}`, []format.Column{flag}, "0"},
		{`{"flag":"TRUE"}`, []format.Column{flag}, "1"},
		{`{"flag":"0"}`, []format.Column{flag}, "0"},
		// Text from everything that has one.
		{`{"name":5}`, []format.Column{name}, "5"},
		{`{"name":1.50}`, []format.Column{name}, "1.50"},
		{`{"name":true}`, []format.Column{name}, "true"},
		{`{"name":{"a": [1, 2]}}`, []format.Column{name}, `{"a":[1,2]}`},
		{`{"name":"a\"b\\\u00e9\ud83d\ude00\n"}`, []format.Column{name}, "a\"b\\é😀\n"},
		{`{"name":"\ud83dx"}`, []format.Column{name}, "\uFFFDx"},
		{`{"name":"Köln, 0123456789"}`, []format.Column{name}, "Köln, 0123456789"},
		{`{"name":"aGk="}`, []format.Column{col("name", types.TVarbinary)}, "hi"},
		{`{"name":"longer than five"}`, []format.Column{col("name", types.Type{Kind: types.Varchar, Length: 5})}, "longer than five"},
	})
}

func TestDecodeShapes(t *testing.T) {
	id, name, doc := col("id", types.TInt), col("name", types.TVarchar), col("addr", types.TJSON)
	user := []string{"user", "country"}
	checkDecode(t, []decodeTest{
		// Missing, null, extra.
		{`{}`, []format.Column{id, name, doc}, "NULL|NULL|NULL"},
		{`{"id":null,"extra":true}`, []format.Column{id}, "NULL"},
		{" \n{\"id\":5}\r\n ", []format.Column{id}, "5"},
		{"{ \"id\" : 5 , \"name\" : \"x\" }", []format.Column{id, name}, "5|x"},
		// The last of repeated fields counts.
		{`{"id":1,"id":2}`, []format.Column{id}, "2"},
		{`{"user":{"country":"at"},"user":{}}`, []format.Column{at(types.TVarchar, user...)}, "NULL"},
		// Inside objects.
		{`{"user":{"id":7,"country":"at"}}`, []format.Column{at(types.TVarchar, user...), at(types.TJSON, "user")}, `at|{"id":7,"country":"at"}`},
		{`{"user":null}`, []format.Column{at(types.TVarchar, user...)}, "NULL"},
		{`{"USER":{"Country":"at"}}`, []format.Column{at(types.TVarchar, user...)}, "at"},
		{`{"a":{"b":{"c":1}},"x":2}`, []format.Column{at(types.TInt, "a", "b", "c"), at(types.TInt, "x")}, "1|2"},
		{`{"u\u0073er":{"countr\u0079":"at"}}`, []format.Column{at(types.TVarchar, user...)}, "at"},
		// Documents.
		{`{"addr":{ "city" : "X y" , "tags":[ "p", "q" ] }}`, []format.Column{doc}, `{"city":"X y","tags":["p","q"]}`},
		{`{"addr":"te\"xt"}`, []format.Column{doc}, `"te\"xt"`},
		{`{"addr":1.50}`, []format.Column{doc}, `1.50`},
		{`{"addr":null}`, []format.Column{doc}, "NULL"},
		{`{"addr":[ 1 ]}`, []format.Column{col("addr", types.Type{Kind: types.Array, Elem: &types.TInt})}, `[1]`},
	})
}

// The case of field names: exact first, else a single other spelling, whatever the order.
func TestFieldCase(t *testing.T) {
	cols := []format.Column{col("userId", types.TVarchar), col("city", types.TVarchar)}
	d, err := NewDecoder(cols)
	if err != nil {
		t.Fatal(err)
	}
	into := vectors(cols, 8)
	for _, v := range []string{
		`{"userId":"u1","city":"Oslo","cITY":"Rome"}`,
		`{"cITY":"Lima","city":"Kyiv","USERID":"u2"}`,
		`{"UserID":"u3"}`,
		`{"CITY":"Bonn","CITY":"Graz"}`,
	} {
		if err := d.Decode([]byte(v), into); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
	for i, want := range []string{"u1|Oslo", "u2|Kyiv", "u3|NULL", "NULL|Graz"} {
		if got := row(into, i); got != want {
			t.Errorf("row %d: got %s, want %s", i, got, want)
		}
	}
	err = d.Decode([]byte(`{"CITY":"Bonn","City":"Graz"}`), into)
	var bad *format.BadRecord
	if !errors.As(err, &bad) || bad.Reason != format.AmbiguousField || bad.Field != "city" {
		t.Errorf("two spellings: got %v", err)
	}
}

// What was learned from the records before must not change how the next one is read.
func TestGuessesDoNotMatter(t *testing.T) {
	cols := []format.Column{col("a", types.TInt), col("b", types.TInt), at(types.TInt, "c", "a")}
	records := []string{
		`{"a":1,"b":2,"c":{"a":3}}`, `{"b":2,"a":1}`, `{"a":1,"c":{"b":1,"a":3},"b":2}`, `{"x":0,"a":1}`, `{"a":1}`, `{}`,
		`{"A":1,"b":2}`, `{"ab":9,"a":1}`, `{"a" : 1, "b" :2}`, `{"c":{"a":3},"c":null}`,
	}
	d, err := NewDecoder(cols)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range records {
		for _, second := range records {
			into := vectors(cols, 2)
			for _, r := range []string{first, second} {
				if err := d.Decode([]byte(r), into); err != nil {
					t.Fatalf("%s: %v", r, err)
				}
			}
			want, err := decode(t, second, cols...)
			if got := row(into, 1); err != nil || got != want {
				t.Errorf("%s after %s: got %s, alone %s, %v", second, first, got, want, err)
			}
		}
	}
}

var age = col("age", types.TInt)

var badRecords = []struct {
	value  string
	col    format.Column
	reason format.Reason
	field  string
	says   string
}{
	{``, age, format.Empty, "", "empty"},
	{" \n", age, format.Empty, "", "blank"},
	{`{"id":2`, age, format.Malformed, "", "ends inside an object"},
	{`not json`, age, format.Malformed, "", "expected a value"},
	{`{id:3}`, age, format.Malformed, "", "field name in double quotes"},
	{`{"id":4} trailing`, age, format.Malformed, "", "more text after"},
	{`{"id":4}{"id":5}`, age, format.Malformed, "", "more text after"},
	{`[1,2]`, age, format.NotObject, "", "an array"},
	{`"str"`, age, format.NotObject, "", "a string"},
	{`null`, age, format.NotObject, "", "null"},
	{`{"a":1,}`, age, format.Malformed, "", "field name"},
	{`{"a":01}`, age, format.Malformed, "", "expected a comma"},
	{`{"a":+1}`, age, format.Malformed, "", "expected a value"},
	{`{"a":NaN}`, age, format.Malformed, "", "expected a value"},
	{`{"a":.5}`, age, format.Malformed, "", "expected a value"},
	{`{"a":1.}`, age, format.Malformed, "", "after its point"},
	{`{"a":"x` + "\n" + `"}`, age, format.Malformed, "", "control character"},
	{`{"a":"\x"}`, age, format.Malformed, "", "escape"},
	{`{"a":'x'}`, age, format.Malformed, "", "double quotes"},
	{"\uFEFF{}", age, format.Malformed, "", "expected a value"},
	{strings.Repeat(`{"a":`, 20000), age, format.Malformed, "", "too deep"},
	{`{"age":"abc"}`, age, format.WrongType, "age", "not a number"},
	{`{"age":""}`, age, format.WrongType, "age", "not a number"},
	{`{"age":1.5}`, age, format.WrongType, "age", "not an integer"},
	{`{"age":true}`, age, format.WrongType, "age", "INT"},
	{`{"age":{"long":1}}`, age, format.WrongType, "age", "an object"},
	{`{"age":[1]}`, age, format.WrongType, "age", "an array"},
	{`{"age":2147483648}`, age, format.OutOfRange, "age", "out of range"},
	{`{"id":9223372036854775808}`, col("id", types.TBigInt), format.OutOfRange, "id", "out of range"},
	{`{"id":1e400}`, col("id", types.TBigInt), format.OutOfRange, "id", "out of range"},
	{`{"id":-1}`, col("id", types.TUBigInt), format.OutOfRange, "id", "out of range"},
	{`{"p":100000000.00}`, col("p", types.TDecimal(10, 2)), format.OutOfRange, "p", "DECIMAL(10,2)"},
	{`{"p":99999999.995}`, col("p", types.TDecimal(10, 2)), format.OutOfRange, "p", "DECIMAL(10,2)"},
	{`{"f":1e400}`, col("f", types.TDouble), format.OutOfRange, "f", "out of range"},
	{`{"f":"NaN"}`, col("f", types.TDouble), format.WrongType, "f", "not a number"},
	{`{"f":"0x10"}`, col("f", types.TDouble), format.WrongType, "f", "not a number"},
	{`{"b":2}`, col("b", types.TBoolean), format.WrongType, "b", "truth value"},
	{`{"b":"yes"}`, col("b", types.TBoolean), format.WrongType, "b", "truth value"},
	{"{\"v\":\"\xff\"}", col("v", types.TVarchar), format.InvalidUTF8, "v", "UTF-8"},
	{"{\"v\":[\"\xff\"]}", col("v", types.TJSON), format.InvalidUTF8, "v", "UTF-8"},
	{`{"v":"!"}`, col("v", types.TVarbinary), format.WrongType, "v", "base64"},
	{`{"v":"x"}`, col("v", types.Type{Kind: types.Struct}), format.WrongType, "v", "STRUCT"},
	{`{"user":5}`, at(types.TInt, "user", "id"), format.WrongType, "user.id", `inside "user"`},
	{`{"ts":"abc"}`, col("ts", types.TTimestamp), format.WrongType, "ts", "date or time"},
}

func TestBadRecords(t *testing.T) {
	for _, test := range badRecords {
		got, err := decode(t, test.value, test.col)
		var bad *format.BadRecord
		if !errors.As(err, &bad) {
			t.Errorf("%.60s: got %s, %v", test.value, got, err)
			continue
		}
		if bad.Reason != test.reason || bad.Field != test.field || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%.60s: got %s %q: %v\nwant %s %q with %q", test.value, bad.Reason, bad.Field, err, test.reason, test.field, test.says)
		}
	}
}

// A row that fails in its last column leaves nothing behind in the ones before.
func TestNothingIsAppendedOnError(t *testing.T) {
	cols := []format.Column{col("a", types.TVarchar), col("b", types.TDecimal(5, 1)), col("c", types.TDouble), col("d", types.TInt), col("e", types.TInt)}
	d, err := NewDecoder(cols)
	if err != nil {
		t.Fatal(err)
	}
	into, want := vectors(cols, 4), vectors(cols, 4)
	good := []string{`{"a":"x","b":1,"c":2,"d":null,"e":1}`, `{"a":"y","b":1.5,"c":2.5,"d":4,"e":2}`}
	for _, r := range []string{`{"a":"bad","e":"no"}`, good[0], `{"a":"bad","b":2,"c":3,"d":4,"e":"no"}`, good[1], `{"e":"no"}`} {
		if err := d.Decode([]byte(r), into); (err == nil) != (r == good[0] || r == good[1]) {
			t.Fatalf("%s: %v", r, err)
		}
	}
	for _, r := range good {
		if err := d.Decode([]byte(r), want); err != nil {
			t.Fatal(err)
		}
	}
	for i := range into {
		if into[i].Len() != 2 || len(into[i].Bytes.Data) != len(want[i].Bytes.Data) {
			t.Errorf("column %d has %d rows", i, into[i].Len())
		}
		for r := range 2 {
			if d := cmp.Diff(want[i].Value(r), into[i].Value(r)); d != "" {
				t.Error(d)
			}
		}
	}
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	d, err := NewDecoder(loaderColumns)
	if err != nil {
		t.Fatal(err)
	}
	into := vectors(loaderColumns, 4)
	n := testing.AllocsPerRun(100, func() {
		for _, v := range into {
			v.Reset()
		}
		if err := d.Decode(loaderRecord, into); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations per record", n)
	}
}
