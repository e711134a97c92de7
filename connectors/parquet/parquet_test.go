package parquet

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time                             { return c.now }
func (c *clock) Sleep(context.Context, time.Duration) error { return errors.New("nobody is to wait") }

func decimalOf(precision, scale uint8) types.Type {
	return types.Type{Kind: types.Decimal, Precision: precision, Scale: scale}
}

func timestamp(digits uint8) types.Type {
	return types.Type{Kind: types.Timestamp, Precision: digits}
}

func arrayOf(t types.Type) types.Type { return types.Type{Kind: types.Array, Elem: &t} }
func mapOf(t types.Type) types.Type   { return types.Type{Kind: types.Map, Elem: &t} }
func structOf(fields ...types.Field) types.Type {
	return types.Type{Kind: types.Struct, Fields: fields}
}

// everything is a column of each type, out of alphabetical order.
var everything = []types.Column{
	{Name: "z", Type: types.Type{Kind: types.Int, Bits: 8}}, {Name: "yes", Type: types.Type{Kind: types.Boolean}},
	{Name: "big", Type: types.Type{Kind: types.Uint, Bits: 64}}, {Name: "f", Type: types.Type{Kind: types.Double, Bits: 32}}, {Name: "d", Type: types.Type{Kind: types.Double, Bits: 64}},
	{Name: "d9", Type: decimalOf(9, 2)}, {Name: "d18", Type: decimalOf(18, 0)}, {Name: "d38", Type: decimalOf(38, 10)},
	{Name: "text", Type: types.TVarchar}, {Name: "bin", Type: types.Type{Kind: types.Varbinary}}, {Name: "doc", Type: types.TJSON},
	{Name: "day", Type: types.Type{Kind: types.Date}}, {Name: "time", Type: types.Type{Kind: types.Time, Precision: 6}}, {Name: "ms", Type: timestamp(3)}, {Name: "us", Type: timestamp(6)},
	{Name: "tags", Type: arrayOf(types.TVarchar)},
	{Name: "grid", Type: arrayOf(arrayOf(types.Type{Kind: types.Int, Bits: 32}))},
	{Name: "by", Type: mapOf(decimalOf(10, 1))},
	{Name: "who", Type: structOf(types.Field{Name: "name", Type: types.TVarchar}, types.Field{Name: "ids", Type: arrayOf(types.TBigInt)}, types.Field{Name: "at", Type: timestamp(3)}, types.Field{Name: "key", Type: types.Type{Kind: types.Varbinary}})},
	{Name: "many", Type: arrayOf(structOf(types.Field{Name: "a", Type: types.TInt}, types.Field{Name: "m", Type: mapOf(types.TBigInt)}))},
}

var everyRow = []string{
	`{"z":-128,"yes":true,"big":18446744073709551615,"f":1.5,"d":-0.1,"d9":-1234567.89,"d18":999999999999999999,"d38":-1234567890123456789012345678.0123456789,"text":"é\"\n","bin":"AP8=","doc":{"b":[1,null],"a":"x"},"day":"1969-12-31","time":"23:59:59.999999","ms":"1969-12-31T23:59:59.999Z","us":"2030-01-02T03:04:05.678901Z","tags":["a",null,""],"grid":[[1,2],[],null,[3]],"by":{"a":1.5,"b":null},"who":{"name":"n","ids":[9007199254740993,null],"at":"2030-01-01T00:00:00.000Z","key":"AQI="},"many":[{"a":1,"m":{"x":1,"y":2}},{"a":null,"m":{}},null]}`,
	`{"z":null,"yes":null,"big":null,"f":null,"d":null,"d9":null,"d18":null,"d38":null,"text":null,"bin":null,"doc":null,"day":null,"time":null,"ms":null,"us":null,"tags":null,"grid":null,"by":null,"who":null,"many":null}`,
	`{"z":0,"yes":false,"big":0,"f":0,"d":0,"d9":0.00,"d18":-1,"d38":0.0000000001,"text":"","bin":"","doc":"s","day":"2030-01-01","time":"00:00:00.000000","ms":"2030-01-01T00:00:00.000Z","us":"1970-01-01T00:00:00.000000Z","tags":[],"grid":[],"by":{},"who":{"name":null,"ids":[],"at":null,"key":null},"many":[]}`,
}

func relation(path string, cols []types.Column, given ...string) endpoint.Relation {
	r := endpoint.Relation{Name: "rel", Connector: "parquet", Format: "json", Columns: cols, Options: map[string]string{"parquet.path": path}}
	for _, c := range cols {
		r.Spec.Columns = append(r.Spec.Columns, format.Column{Name: c.Name, Type: c.Type})
	}
	for _, g := range given {
		name, value, _ := strings.Cut(g, "=")
		r.Options["parquet."+name] = value
	}
	return r
}

func env(c *clock) endpoint.Env {
	return endpoint.Env{App: "app", Outbox: "0a", Clock: c, Logger: slog.New(slog.DiscardHandler)}
}

func openSink(t *testing.T, r endpoint.Relation, c *clock) *sink {
	t.Helper()
	s, err := newSink(r, env(c))
	if err != nil {
		t.Fatal(err)
	}
	return s.(*sink)
}

func records(from int64, values ...string) []connectors.Record {
	var out []connectors.Record
	for i, v := range values {
		out = append(out, connectors.Record{Offset: from + int64(i), Value: []byte(v)})
	}
	return out
}

// read are the rows of files, as records.
func read(t *testing.T, r endpoint.Relation, seen ...connectors.Record) []connectors.Record {
	t.Helper()
	src, err := newSource(r, env(&clock{}))
	if err != nil {
		t.Fatal(err)
	}
	feed := src.Feed.(*source)
	feed.Seen(seen)
	var got []connectors.Record
	if err := feed.Run(t.Context(), func(rs []connectors.Record) error { got = append(got, slices.Clone(rs)...); return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

func texts(rs []connectors.Record) []string {
	out := []string{}
	for _, r := range rs {
		out = append(out, string(r.Value))
	}
	return out
}

// canonical decodes records as the engine does and writes them again: two texts of one row become equal.
func canonical(t *testing.T, cols []types.Column, values []string) []string {
	t.Helper()
	r := relation("", cols)
	d, err := json.NewDecoder(r.Spec.Columns)
	if err != nil {
		t.Fatal(err)
	}
	e, err := json.NewEncoder(r.Spec.Columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make([]types.Type, len(cols))
	for i, c := range cols {
		kinds[i] = c.Type
	}
	var out []string
	for _, v := range values {
		b := vector.NewBatch(kinds, 1)
		if err := d.Decode([]byte(v), b.Cols); err != nil {
			t.Fatalf("%s: %v", v, err)
		}
		b.N = 1
		text, err := e.Encode(nil, b, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return out
}

// TestRoundTrip: every type with every kind of value, in every compression, comes back as it was.
func TestRoundTrip(t *testing.T) {
	for codec := range codecs {
		r := relation(t.TempDir(), everything, "compression="+codec)
		s := openSink(t, r, &clock{})
		if _, err := s.Begin(t.Context(), 0, -1); err != nil {
			t.Fatal(err)
		}
		if err := s.Deliver(t.Context(), 0, records(0, everyRow...)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Settle(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		got := canonical(t, everything, texts(read(t, r)))
		if d := cmp.Diff(canonical(t, everything, everyRow), got); d != "" {
			t.Errorf("%s: %s", codec, d)
		}
	}
}

// TestSchema is what other readers find: names, order and types, and the values as parquet-go's own mapping to Go structures reads them.
func TestSchema(t *testing.T) {
	r := relation(t.TempDir(), everything)
	s := openSink(t, r, &clock{})
	if _, err := s.Begin(t.Context(), 0, -1); err != nil {
		t.Fatal(err)
	}
	if err := s.Deliver(t.Context(), 0, records(0, everyRow...)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Settle(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(r.Options["parquet.path"], "*"))
	if err != nil || len(names) != 1 || filepath.Base(names[0]) != "rel-0a-0-0-3.parquet" {
		t.Fatal(names, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"message rel {",
		"	optional int32 z (INT(8,true));",
		"	optional boolean yes;",
		"	optional int64 big (INT(64,false));",
		"	optional float f;",
		"	optional double d;",
		"	optional int32 d9 (DECIMAL(9,2));",
		"	optional int64 d18 (DECIMAL(18,0));",
		"	optional fixed_len_byte_array(16) d38 (DECIMAL(38,10));",
		"	optional binary text (STRING);",
		"	optional binary bin;",
		"	optional binary doc (JSON);",
		"	optional int32 day (DATE);",
		"	optional int64 time (TIME(isAdjustedToUTC=false,unit=MICROS));",
		"	optional int64 ms (TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS));",
		"	optional int64 us (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));",
		"	optional group tags (LIST) {",
		"		repeated group list {",
		"			optional binary element (STRING);",
	}, "\n")
	if got := f.Schema().String(); !strings.HasPrefix(got, want) {
		t.Errorf("schema\n%s\nwant\n%s", got, want)
	}
	type who struct {
		Name *string  `parquet:"name"`
		IDs  []*int64 `parquet:"ids,list"`
	}
	type row struct {
		Z    *int8     `parquet:"z"`
		Big  *uint64   `parquet:"big"`
		D9   *int32    `parquet:"d9"`
		MS   *int64    `parquet:"ms"`
		US   *int64    `parquet:"us"`
		Tags []*string `parquet:"tags,list"`
		Who  *who      `parquet:"who,optional"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	first := rows[0]
	if *first.Z != -128 || *first.Big != math.MaxUint64 || *first.D9 != -123456789 || *first.MS != -1 || *first.US != 1893553445678901 ||
		len(first.Tags) != 3 || *first.Tags[0] != "a" || first.Tags[1] != nil || *first.Who.Name != "n" || *first.Who.IDs[0] != 9007199254740993 || rows[1].Z != nil || rows[1].Who != nil {
		t.Errorf("%+v", first)
	}
}

// TestForeignFiles: what others write, by parquet-go's mapping of Go structures: required and repeated columns, physical types, INT96, nanoseconds.
func TestForeignFiles(t *testing.T) {
	type inner struct {
		X int32   `parquet:"x"`
		Y *string `parquet:"y,optional"`
	}
	type row struct {
		ID    string           `parquet:"ID"`
		N     int32            `parquet:"n"`
		U     uint32           `parquet:"u"`
		Old   deprecated.Int96 `parquet:"old"`
		Nanos int64            `parquet:"nanos,timestamp(nanosecond)"`
		Money int64            `parquet:"money,decimal(2:12)"`
		Raw   []byte           `parquet:"raw"`
		UUID  [16]byte         `parquet:"uuid,uuid"`
		Bare  []int64          `parquet:"bare"`
		Rep   []inner          `parquet:"rep"`
		List  []inner          `parquet:"list,list"`
		M     map[string]int64 `parquet:"m"`
		Text  string           `parquet:"doc,json"`
		Extra float64          `parquet:"extra"`
	}
	y := "y"
	// 2000-01-01 is Julian day 2451545; half past midnight is 1800 s.
	nanos := uint64(1_800_000_000_000)
	in := []row{
		{ID: "a", N: -5, U: math.MaxUint32, Old: deprecated.Int96{uint32(nanos), uint32(nanos >> 32), 2451545}, Nanos: -1, Money: -1205, Raw: []byte{0, 255}, UUID: [16]byte{0x12, 15: 0xff},
			Bare: []int64{1, 2}, Rep: []inner{{1, &y}, {2, nil}}, List: []inner{{3, nil}}, M: map[string]int64{"k": 7}, Text: `{"a": [1]}`},
		{ID: "b", Old: deprecated.Int96{0, 0, julianEpoch}, Raw: []byte("text"), Text: "no json"},
	}
	path := filepath.Join(t.TempDir(), "in.parquet")
	if err := parquet.WriteFile(path, in); err != nil {
		t.Fatal(err)
	}
	cols := []types.Column{
		{Name: "id", Type: types.TVarchar}, {Name: "n", Type: types.TBigInt}, {Name: "u", Type: types.TBigInt}, {Name: "old", Type: timestamp(6)}, {Name: "nanos", Type: timestamp(6)},
		{Name: "money", Type: decimalOf(12, 2)}, {Name: "raw", Type: types.Type{Kind: types.Varbinary}}, {Name: "uuid", Type: types.TVarchar}, {Name: "bare", Type: arrayOf(types.TBigInt)},
		{Name: "rep", Type: arrayOf(structOf(types.Field{Name: "x", Type: types.TInt}, types.Field{Name: "y", Type: types.TVarchar}))},
		{Name: "list", Type: types.TJSON}, {Name: "m", Type: mapOf(types.TBigInt)}, {Name: "doc", Type: types.TJSON},
	}
	want := []string{
		`{"id":"a","n":-5,"u":4294967295,"old":"2000-01-01T00:30:00.000000Z","nanos":"1969-12-31T23:59:59.999999Z","money":-12.05,"raw":"AP8=","uuid":"12000000-0000-0000-0000-0000000000ff","bare":[1,2],"rep":[{"x":1,"y":"y"},{"x":2,"y":null}],"list":[{"x":3,"y":null}],"m":{"k":7},"doc":{"a": [1]}}`,
		`{"id":"b","n":0,"u":0,"old":"1970-01-01T00:00:00.000000Z","nanos":"1970-01-01T00:00:00.000000Z","money":0.00,"raw":"dGV4dA==","uuid":"00000000-0000-0000-0000-000000000000","bare":[],"rep":[],"list":[],"m":{},"doc":"no json"}`,
	}
	got := texts(read(t, relation(path, cols)))
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestArrowFiles reads files of Apache Arrow (pyarrow 26.0.1, pq.write_table): data pages of version 2 with snappy; and version 1 with LZ4, INT96, and elements of lists
// named as older writers did.
func TestArrowFiles(t *testing.T) {
	cols := []types.Column{
		{Name: "id", Type: types.TVarchar}, {Name: "ts", Type: timestamp(6)}, {Name: "dec", Type: decimalOf(38, 2)}, {Name: "l", Type: arrayOf(arrayOf(types.TBigInt))},
		{Name: "m", Type: mapOf(types.TDouble)}, {Name: "s", Type: structOf(types.Field{Name: "a", Type: types.TBigInt}, types.Field{Name: "b", Type: arrayOf(types.TVarchar)})},
		{Name: "big", Type: types.Type{Kind: types.Uint, Bits: 64}}, {Name: "t", Type: types.Type{Kind: types.Time, Precision: 6}}, {Name: "dict", Type: types.TVarchar}, {Name: "bin", Type: types.Type{Kind: types.Varbinary}},
	}
	want := []string{
		`{"id":"a","ts":"2030-01-01T01:02:03.456789Z","dec":12345678901234567890.12,"l":[[1,2],null],"m":{"x":1.5},"s":{"a":1,"b":["q"]},"big":9223372036854775808,"t":"01:02:03.000004","dict":"u","bin":"AP8="}`,
		`{"id":"b","ts":null,"dec":-0.01,"l":[],"m":null,"s":null,"big":1,"t":null,"dict":"u","bin":""}`,
	}
	for _, name := range []string{"arrow.parquet", "arrow_int96_lz4.parquet"} {
		if d := cmp.Diff(want, texts(read(t, relation(filepath.Join("testdata", name), cols)))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestFilesInParts: sizes, ages, partitions; a sink that comes after another goes on behind what is whole, and removes what is not.
func TestFilesInParts(t *testing.T) {
	cols := []types.Column{{Name: "a", Type: types.TBigInt}}
	dir := filepath.Join(t.TempDir(), "made", "here")
	r := relation(dir, cols, "file_size=15", "file_age=1m")
	c := &clock{now: time.UnixMilli(0)}
	s := openSink(t, r, c)
	begin := func(s *sink, p int32, committed, want int64) {
		t.Helper()
		if at, err := s.Begin(t.Context(), p, committed); at != want || err != nil {
			t.Fatalf("begins at %d, %v, want %d", at, err, want)
		}
	}
	settled := func(s *sink, all bool, want map[int32]int64) {
		t.Helper()
		safe, err := s.Settle(t.Context(), all)
		if d := cmp.Diff(want, safe); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
	}
	deliver := func(s *sink, p int32, rs []connectors.Record) {
		t.Helper()
		if err := s.Deliver(t.Context(), p, rs); err != nil {
			t.Fatal(err)
		}
	}
	begin(s, 0, -1, 0)
	begin(s, 1, 40, 40)
	deliver(s, 0, records(0, `{"a":1}`, `{"a":2}`, `{"a":33}`, `{"a":4}`)) // 15 bytes after the third
	deliver(s, 1, records(40, `{"a":5}`))
	settled(s, false, map[int32]int64{0: 3, 1: 40})
	c.now = c.now.Add(59 * time.Second)
	deliver(s, 1, records(40, `{"a":5}`, `{"a":6}`)) // the first was taken before
	settled(s, false, map[int32]int64{0: 3, 1: 40})
	c.now = c.now.Add(time.Second)
	settled(s, false, map[int32]int64{0: 4, 1: 42})
	deliver(s, 0, records(9, `{"a":7}`)) // offsets have gaps

	// The process hangs, another one goes on from what it committed last: nothing of partition 0.
	other := openSink(t, r, c)
	begin(other, 0, -1, 4)
	deliver(other, 0, records(9, `{"a":7}`, `{"a":9}`))
	settled(other, true, map[int32]int64{0: 11})
	if _, err := s.Settle(t.Context(), true); err == nil { // it may not finish what is somebody else's now
		t.Error("a row is there twice")
	}
	if err := errors.Join(s.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	got := texts(read(t, r))
	slices.Sort(got)
	if d := cmp.Diff([]string{`{"a":1}`, `{"a":2}`, `{"a":33}`, `{"a":4}`, `{"a":5}`, `{"a":6}`, `{"a":7}`, `{"a":9}`}, got); d != "" {
		t.Error(d)
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if strings.HasSuffix(n.Name(), unfinished) {
			t.Errorf("%s was left", n.Name())
		}
	}
	fresh := openSink(t, r, c) // an outbox that was made anew has other numbers
	fresh.prefix = "rel-0b-"
	begin(fresh, 0, -1, 0)
}

// TestRestart: what was read is known from the records; new files are found.
func TestRestart(t *testing.T) {
	type row struct {
		A int64 `parquet:"a"`
	}
	dir := t.TempDir()
	put := func(name string, values ...int64) {
		var rows []row
		for _, v := range values {
			rows = append(rows, row{v})
		}
		if err := parquet.WriteFile(filepath.Join(dir, name), rows, parquet.MaxRowsPerRowGroup(2)); err != nil {
			t.Fatal(err)
		}
	}
	put("b.parquet", 1, 2, 3, 4, 5)
	r := relation(dir, []types.Column{{Name: "a", Type: types.TBigInt}})
	first := read(t, r)
	put("a.parquet", 6)
	for n, want := range map[int][]string{0: {`{"a":6}`, `{"a":1}`, `{"a":2}`, `{"a":3}`, `{"a":4}`, `{"a":5}`}, 3: {`{"a":6}`, `{"a":4}`, `{"a":5}`}, 5: {`{"a":6}`}} {
		if d := cmp.Diff(want, texts(read(t, r, first[:n]...))); d != "" {
			t.Errorf("after %d: %s", n, d)
		}
	}
}

func TestMistakes(t *testing.T) {
	type row struct {
		A    int64    `parquet:"a"`
		Tags []string `parquet:"tags,list"`
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x.parquet")
	if err := parquet.WriteFile(path, []row{{A: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "text.parquet"), []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		col  types.Column
		says string
	}{
		{path, types.Column{Name: "b", Type: types.TInt}, "x.parquet: it has no column b: it has a, tags"},
		{path, types.Column{Name: "tags", Type: types.TInt}, "column tags: it is a list, not INT"},
		{path, types.Column{Name: "a", Type: arrayOf(types.TInt)}, "column a: it is INT(64,true), not ARRAY<INT>"},
		{filepath.Join(dir, "text.parquet"), types.Column{Name: "a", Type: types.TInt}, "no Parquet file"},
		{filepath.Join(dir, "none.parquet"), types.Column{Name: "a", Type: types.TInt}, "no such file"},
		{filepath.Join(dir, "none*"), types.Column{Name: "a", Type: types.TInt}, "no file matches"},
	} {
		src, err := newSource(relation(c.path, []types.Column{c.col}), env(&clock{}))
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Feed.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: %v, want %s", c.path, c.col.Name, err, c.says)
		}
	}
	one := []types.Column{{Name: "a", Type: types.TInt}}
	csv, iso := relation("x", one), relation("x", one)
	csv.Format, iso.Spec.Columns[0].TimestampFormat = "csv", "ms"
	for says, r := range map[string]endpoint.Relation{
		"needs the option parquet.path": relation("", one), "use zstd, snappy, gzip or none": relation("x", one, "compression=lzo"), "above zero": relation("x", one, "file_age=0s"),
		"a format of its own": csv, "leave timestamp_format out": iso, "is not a pattern": relation("x[", one), "did you mean 'parquet.file_age'": relation("x", one, "file_ag=1s"),
	} {
		if _, err := check(r); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %s", r.Options, err, says)
		}
	}
	if err := target(relation("x.parquet", one), false); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Error(err)
	}
	if err := target(relation("x", one), true); !errors.Is(err, errChanges) {
		t.Error(err)
	}
}
