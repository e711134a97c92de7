package protobuf

import (
	"errors"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/tests/trial"
)

var loaderColumns = []format.Column{
	col("message_id", types.TVarchar), col("user_id", types.TBigInt), col("amount", types.TDecimal(12, 2)), col("kind", types.TVarchar), col("note", types.TVarchar),
	col("ts", types.TTimestamp), col("tags", types.Type{Kind: types.Array, Elem: &types.TVarchar}),
}

func loaderBatch() *vector.Batch {
	d, _ := types.ParseDecimal([]byte("12.34"), 12, 2)
	return batch(loaderColumns, types.NewString("m-000000000001"), types.NewInt(12345), types.NewDecimal(d, 2), types.NewString("view"),
		types.NewString(strings.Repeat("Lorem ipsum ", 12)), types.NewTimestamp(1.9e15), types.Value{Kind: types.Array, S: `["a","b"]`})
}

func loader(t testing.TB, columns int) (*Encoder, *Decoder, []byte) {
	t.Helper()
	s, _ := byRegistry(t, loaderColumns...)
	e, err := NewEncoder(s, nil)
	if err == nil {
		err = e.Prepare(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	value, err := e.Encode(nil, loaderBatch(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.Columns = loaderColumns[:columns]
	d, err := NewDecoder(s)
	if err == nil {
		err = format.Decode(t.Context(), d, value, vectors(s.Columns))
	}
	if err != nil {
		t.Fatal(err)
	}
	return e, d, value
}

func TestNothingIsAllocatedPerRecord(t *testing.T) {
	e, d, value := loader(t, 7)
	b := loaderBatch()
	dst := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { _, _ = e.Encode(dst, b, 0) }); n != 0 {
		t.Errorf("%v allocations per row written", n)
	}
	into := vectors(loaderColumns)
	if n := testing.AllocsPerRun(100, func() {
		for _, v := range into {
			v.Reset()
		}
		if d.Decode(value, into) != nil {
			t.Error("it fails")
		}
	}); n != 0 {
		t.Errorf("%v allocations per record read", n)
	}
}

func benchmarkDecode(b *testing.B, columns int) {
	_, d, value := loader(b, columns)
	into := vectors(loaderColumns[:columns])
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	k := 0
	for b.Loop() {
		if err := d.Decode(value, into); err != nil {
			b.Fatal(err)
		}
		if k++; k%1024 == 0 {
			for _, v := range into {
				v.Reset()
			}
		}
	}
}

func BenchmarkDecode1(b *testing.B) { benchmarkDecode(b, 1) }
func BenchmarkDecode5(b *testing.B) { benchmarkDecode(b, 5) }
func BenchmarkDecode7(b *testing.B) { benchmarkDecode(b, 7) }

func BenchmarkEncode7(b *testing.B) {
	e, _, value := loader(b, 7)
	batch := loaderBatch()
	var dst []byte
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = e.Encode(dst[:0], batch, 0)
	}
}

// Any bytes are a row or a bad record, and nothing panics.
func FuzzDecode(f *testing.F) {
	file, err := parse(everything, nil)
	if err != nil {
		f.Fatal(err)
	}
	m, _ := file.named("All")
	wanted := []format.Column{col("b", types.Type{Kind: types.Int, Bits: 8}), col("h", types.TJSON), col("l", types.TTimestamp), col("m", types.TVarchar), col("o", types.TJSON), col("p", types.TDate),
		col("r", types.TDecimal(9, 2)), col("s", types.TJSON), col("t", types.TJSON), col("u", types.TJSON), {Name: "u.name", Path: []string{"u", "name"}, Type: types.TVarchar}, col("w", types.TInt)}
	to, _ := registry.Targets(wanted)
	p, err := planFor(m, to)
	if err != nil {
		f.Fatal(err)
	}
	r := &runner{}
	trial.Fuzz(f, func(t testing.TB, value []byte) {
		into := vectors(wanted)
		err := r.run(p, value, into)
		var bad *format.BadRecord
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%x: %v", value, err)
		}
		for _, v := range into {
			if rows := v.Len(); (err == nil) != (rows == 1) {
				t.Fatalf("%x: %d rows after %v", value, rows, err)
			}
		}
	}, "\x10\x01\x98\x01\x01\x9a\x01\x02\x04\x06\xaa\x01\x03\x0a\x01n",
		"\x62\x05\x08\x01\x10\x80\x01\x6a\x02\x08\x01\x7a\x09\x0a\x07\x0a\x01x\x12\x02\x20\x01\x92\x01\x06\x0a\x02\xfb\x2e\x18\x02")
}
