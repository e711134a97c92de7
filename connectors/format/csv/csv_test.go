package csv

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func spec(options map[string]string, cols ...format.Column) format.Spec {
	return format.Spec{Columns: cols, Options: options}
}

func col(name string, t types.Type) format.Column { return format.Column{Name: name, Type: t} }

func vectors(cols []format.Column) []*vector.Vector {
	out := make([]*vector.Vector, len(cols))
	for i, c := range cols {
		out[i] = vector.New(c.Type, 1)
	}
	return out
}

func row(cols []*vector.Vector, i int) string {
	var out []string
	for _, v := range cols {
		if v.Len() <= i {
			return "(nothing)"
		}
		if v.IsNull(i) {
			out = append(out, "NULL")
			continue
		}
		out = append(out, string(types.AppendTextAs(nil, v.Value(i), v.Type)))
	}
	return strings.Join(out, "|")
}

var (
	id    = col("id", types.TInt)
	name  = col("name", types.TVarchar)
	price = col("price", types.TDecimal(10, 2))
)

// The records of RFC 4180, section 2, and what Cell says about texts.
func TestDecode(t *testing.T) {
	semicolon := map[string]string{"csv.delimiter": ";", "csv.quote": "'", "csv.null": `\N`}
	three := []format.Column{col("a", types.TVarchar), col("b", types.TVarchar), col("c", types.TVarchar)}
	tests := []struct {
		format  string
		options map[string]string
		cols    []format.Column
		value   string
		want    string
	}{
		{"csv", nil, three, "aaa,bbb,ccc", "aaa|bbb|ccc"},
		{"csv", nil, three, "aaa,bbb,ccc\r\n", "aaa|bbb|ccc"},
		{"csv", nil, three, "zzz,yyy,xxx\n", "zzz|yyy|xxx"},
		{"csv", nil, three, `"aaa","bbb","ccc"`, "aaa|bbb|ccc"},
		{"csv", nil, three, "\"aaa\",\"b\r\nbb\",\"ccc\"\r\n", "aaa|b\r\nbb|ccc"},
		{"csv", nil, three, `"aaa","b""bb","ccc"`, `aaa|b"bb|ccc`},
		{"csv", nil, three, `"""a","b""",""""`, `"a|b"|"`},
		{"csv", nil, three, `,"", `, "NULL|| "},
		{"csv", nil, three, `"a,b",c;d,Köln`, "a,b|c;d|Köln"},
		{"tsv", nil, three, "a,b\tc d\t", "a,b|c d|NULL"},
		{"tsv", nil, three, "\"a\tb\"\tc\td", "a\tb|c|d"},
		{"csv", semicolon, three, `a,"b";'it''s;';\N`, `a,"b"|it's;|NULL`},
		{"csv", semicolon, three, `;'\N';x`, `|\N|x`},
		{"csv", map[string]string{"csv.quote": ""}, three, `5" disk,"x",`, `5" disk|"x"|NULL`},
		{"csv", map[string]string{"csv.delimiter": "tab"}, three, "a\tb\tc", "a|b|c"},
		{"csv", nil, []format.Column{id, name, price}, "7,x,1.005", "7|x|1.01"},
		{"csv", nil, []format.Column{id, name, price}, `"7",x,"12"`, "7|x|12.00"},
		{"csv", nil, []format.Column{id}, "", "NULL"},
		{"csv", nil, []format.Column{name}, `""`, ""},
		{"csv", nil, []format.Column{col("b", types.TVarbinary)}, "aGk=", "hi"},
		{"csv", nil, []format.Column{col("b", types.TBoolean)}, "TRUE", "1"},
		{"csv", nil, []format.Column{{Name: "t", Type: types.TTimestamp, TimestampFormat: "s"}}, "1", "1970-01-01 00:00:01.000"},
	}
	for _, test := range tests {
		d, err := format.NewDecoder(test.format, spec(test.options, test.cols...))
		if err != nil {
			t.Fatal(err)
		}
		into := vectors(test.cols)
		if err := d.Decode([]byte(test.value), into); err != nil || row(into, 0) != test.want {
			t.Errorf("%s %q: got %s, %v; want %s", test.format, test.value, row(into, 0), err, test.want)
		}
	}
}

// Columns are found by their place in the declaration, whichever are wanted and in whatever order.
func TestWantedColumns(t *testing.T) {
	s := format.Spec{Columns: []format.Column{price, id}, Record: []string{"id", "name", "price"}}
	d, err := format.NewDecoder("csv", s)
	if err != nil {
		t.Fatal(err)
	}
	into := vectors(s.Columns)
	if err := d.Decode([]byte(`7,"a ""name""",12.5`), into); err != nil || row(into, 0) != "12.50|7" {
		t.Errorf("got %s, %v", row(into, 0), err)
	}
	s.Columns = nil
	if d, err = format.NewDecoder("csv", s); err != nil {
		t.Fatal(err)
	}
	if err := d.Decode([]byte("1,2,3"), nil); err != nil {
		t.Errorf("without columns: %v", err)
	}
	if err := d.Decode([]byte("1,2"), nil); err == nil {
		t.Error("a record of two fields was taken for three columns")
	}
}

func TestBadRecords(t *testing.T) {
	cols := []format.Column{id, name, price}
	d, err := format.NewDecoder("csv", spec(nil, cols...))
	if err != nil {
		t.Fatal(err)
	}
	into := vectors(cols)
	for _, test := range []struct {
		value  string
		reason format.Reason
		says   string
	}{
		{"", format.Malformed, "1 fields, but 3 columns"},
		{"1,2", format.Malformed, "2 fields"},
		{"1,2,3,4", format.Malformed, "4 fields"},
		{"1,2,3\n4,5,6", format.Malformed, "line break outside quotes"},
		{`1,a"b,3`, format.Malformed, "byte 3 is a quote inside"},
		{`1,"ab`, format.Malformed, "ends inside a quoted field"},
		{`1,"ab"c,3`, format.Malformed, "byte 6 is neither"},
		{"x,a,3", format.WrongType, `"x" as INT`},
		{"99999999999,a,3", format.OutOfRange, "INT"},
		{"1,\xff,3", format.InvalidUTF8, "UTF-8"},
		{"1,a,", "", ""},
	} {
		err := d.Decode([]byte(test.value), into)
		if test.reason == "" {
			if err != nil || row(into, 0) != "1|a|NULL" {
				t.Errorf("after bad records: %s, %v", row(into, 0), err)
			}
			continue
		}
		var bad *format.BadRecord
		if !errors.As(err, &bad) || bad.Reason != test.reason || !strings.Contains(err.Error(), test.says) || into[0].Len() != 0 {
			t.Errorf("%q: got %v, want %s %q", test.value, err, test.reason, test.says)
		}
	}
}

func TestEncode(t *testing.T) {
	kinds := []format.Column{name, id, price, col("f", types.TDouble), col("b", types.TBoolean), col("x", types.TVarbinary), col("t", types.TTimestamp)}
	values := [][]types.Value{
		{types.NewString("plain"), types.NewInt(-7), types.NewDecimal(types.FromInt64(1210), 2), types.NewDouble(0.5), types.NewBool(true), types.NewBinary([]byte("hi")), types.NewTimestamp(0)},
		{types.NewString(`a "b", c`), {}, {}, types.NewDouble(math.NaN()), {}, {}, {}},
		{types.NewString(""), {}, {}, {}, {}, {}, {}},
		{{}, {}, {}, {}, {}, {}, {}},
		{types.NewString("two\nlines"), {}, {}, {}, {}, {}, {}},
	}
	want := []string{
		`plain,-7,12.10,0.5,true,aGk=,1970-01-01T00:00:00.000Z`,
		`"a ""b"", c",,,,,,`,
		`"",,,,,,`,
		`,,,,,,`,
		"\"two\nlines\",,,,,,",
	}
	e, err := format.NewEncoder("csv", spec(nil, kinds...), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, vs := range values {
		b := &vector.Batch{N: 1, Cols: vectors(kinds)}
		for j, v := range vs {
			b.Cols[j].Append(v)
		}
		if got, _ := e.Encode([]byte("|"), b, 0); string(got) != "|"+want[i] {
			t.Errorf("got %s, want %s", got, want[i])
		}
	}
}

func TestRefused(t *testing.T) {
	doc := format.Of(col("doc", types.TJSON))
	for _, test := range []struct {
		err  func() error
		says string
	}{
		{func() error { _, err := format.NewDecoder("csv", doc); return err }, "column 'doc' is JSON"},
		{func() error { _, err := format.NewEncoder("tsv", doc, nil); return err }, "format 'tsv' holds scalars"},
		{func() error { _, err := format.NewKeyCodec("csv", format.Of(id)); return err }, "not a key format"},
		{func() error { _, err := format.NewEncoder("csv", format.Spec{}, nil); return err }, "needs a column"},
		{func() error {
			_, err := format.NewDecoder("csv", spec(map[string]string{"csv.delimiter": "::"}, id))
			return err
		}, "not one ASCII character"},
		{func() error {
			_, err := format.NewDecoder("csv", spec(map[string]string{"csv.delimiter": `"`}, id))
			return err
		}, "both"},
		{func() error {
			_, err := format.NewDecoder("csv", spec(map[string]string{"csv.null": "a,b"}, id))
			return err
		}, "must not hold the delimiter"},
		{func() error {
			_, err := format.NewEncoder("csv", spec(map[string]string{"csv.quote": ""}, id), nil)
			return err
		}, "cannot be written"},
		{func() error {
			_, err := format.NewDecoder("csv", spec(map[string]string{"csv.delimeter": ";"}, id))
			return err
		}, "did you mean 'csv.delimiter'"},
	} {
		if err := test.err(); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("got %v, want %q", err, test.says)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	cols := []format.Column{id, name, price}
	d, err := format.NewDecoder("csv", spec(nil, cols...))
	if err != nil {
		t.Fatal(err)
	}
	e, err := format.NewEncoder("csv", spec(nil, cols...), nil)
	if err != nil {
		t.Fatal(err)
	}
	value, into, dst := []byte(`7,"a ""name""",12.50`), vectors(cols), make([]byte, 0, 64)
	b := &vector.Batch{N: 1, Cols: into}
	round := func() {
		for _, v := range into {
			v.Reset()
		}
		if err := d.Decode(value, into); err != nil {
			t.Fatal(err)
		}
		dst, _ = e.Encode(dst[:0], b, 0)
	}
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 || string(dst) != string(value) {
		t.Errorf("%v allocations, wrote %s", n, dst)
	}
}

func BenchmarkDecode5(b *testing.B) {
	cols := []format.Column{col("message_id", types.TVarchar), col("user_id", types.TBigInt), col("amount", types.TDecimal(12, 2)), col("kind", types.TVarchar), col("note", types.TVarchar)}
	value := []byte("m-000000000001,12345,12.34,view," + strings.Repeat("Lorem ipsum ", 12))
	d, err := format.NewDecoder("csv", spec(nil, cols...))
	if err != nil {
		b.Fatal(err)
	}
	into := vectors(cols)
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
