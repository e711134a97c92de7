package avro

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

func loader(t testing.TB) (*Encoder, *Decoder, []byte) {
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
	d, err := NewDecoder(s)
	if err == nil {
		err = format.Decode(t.Context(), d, value, vectors(loaderColumns))
	}
	if err != nil {
		t.Fatal(err)
	}
	return e, d, value
}

func TestNothingIsAllocatedPerRecord(t *testing.T) {
	e, d, value := loader(t)
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
	_, all, value := loader(b)
	to := all.cols[:columns]
	n, err := parse(mustDerive(b), nil)
	if err != nil {
		b.Fatal(err)
	}
	p, err := compile(n, nil, to)
	if err != nil {
		b.Fatal(err)
	}
	into := vectors(loaderColumns[:columns])
	r := &runner{}
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	k := 0
	for b.Loop() {
		if err := r.run(p, value[5:], into); err != nil {
			b.Fatal(err)
		}
		if k++; k%1024 == 0 {
			for _, v := range into {
				v.Reset()
			}
		}
	}
}

func mustDerive(b *testing.B) string {
	text, err := Derive("t", loaderColumns)
	if err != nil {
		b.Fatal(err)
	}
	return text
}

func BenchmarkDecode1(b *testing.B) { benchmarkDecode(b, 1) }
func BenchmarkDecode5(b *testing.B) { benchmarkDecode(b, 5) }
func BenchmarkDecode7(b *testing.B) { benchmarkDecode(b, 7) }

func BenchmarkEncode7(b *testing.B) {
	e, _, value := loader(b)
	batch := loaderBatch()
	var dst []byte
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = e.Encode(dst[:0], batch, 0)
	}
}

// Any bytes are a row or a bad record, whichever columns are wanted: both decoders agree, and nothing panics.
func FuzzDecode(f *testing.F) {
	const schema = `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":40,"scale":3}},
		{"name":"a","type":{"type":"array","items":["null","string","r"]}},{"name":"m","type":{"type":"map","values":{"type":"fixed","name":"u","size":16,"logicalType":"uuid"}}},
		{"name":"e","type":{"type":"enum","name":"k","symbols":["A","B"]}},{"name":"t","type":["null",{"type":"long","logicalType":"timestamp-nanos"}]},{"name":"n","type":{"type":"array","items":"null"}}]}`
	n, err := parse(schema, nil)
	if err != nil {
		f.Fatal(err)
	}
	wanted := []format.Column{col("id", types.TInt), col("d", types.TVarchar), col("a", types.TJSON), col("m", types.TJSON), col("e", types.TVarchar), col("t", types.TTimestamp), col("n", types.TJSON)}
	to, _ := registry.Targets(wanted)
	all, _ := compile(n, nil, to)
	none, _ := compile(n, nil, nil)
	trial.Fuzz(f, func(t testing.TB, value []byte) {
		var bad *format.BadRecord
		into := vectors(wanted)
		passed := (&runner{}).run(none, value, nil)
		err := (&runner{}).run(all, value, into)
		if err != nil && !errors.As(err, &bad) || err == nil && passed != nil || passed == nil && err != nil && bad.Reason == format.Malformed {
			t.Fatalf("%x: %v, %v", value, err, passed)
		}
		for _, v := range into {
			if rows := v.Len(); (err == nil) != (rows == 1) {
				t.Fatalf("%x: %d rows after %v", value, rows, err)
			}
		}
	}, "\x02\x02\x01\x02\x02\x02a\x00\x00\x00\x00\x00",
		"\x02\x04\xff\x01\x02\x04\x00\x02\x01\x00\x00\x00\x00\x00\x00\x02\x02k0123456789abcdef\x00\x02\x02\x08\x04\x00")
}
