package json

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// loaderRecord is about 230 bytes, as the loaders of the end-to-end benchmarks write it.
var loaderRecord = []byte(`{"message_id":"m-000000000001","user_id":12345,"amount":12.34,"kind":"view","note":"` +
	strings.Repeat("Lorem ipsum dolor sit amet, consectetur adipiscing elit. ", 3)[:140] + `"}`)

var loaderColumns = []format.Column{
	{Name: "message_id", Type: types.TVarchar},
	{Name: "user_id", Type: types.TBigInt},
	{Name: "amount", Type: types.TDecimal(12, 2)},
	{Name: "kind", Type: types.TVarchar},
	{Name: "note", Type: types.TVarchar},
}

func vectors(cols []format.Column, capacity int) []*vector.Vector {
	out := make([]*vector.Vector, len(cols))
	for i, c := range cols {
		out[i] = vector.New(c.Type, capacity)
	}
	return out
}

func benchmarkDecode(b *testing.B, columns int) {
	cols := loaderColumns[:columns]
	d, err := NewDecoder(cols)
	if err != nil {
		b.Fatal(err)
	}
	into := vectors(cols, 1024)
	for _, v := range into {
		if v.Type.Physical() == types.PhysBytes {
			v.Bytes.Data = make([]byte, 0, 1024*160)
		}
	}
	b.SetBytes(int64(len(loaderRecord)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if err := d.Decode(loaderRecord, into); err != nil {
			b.Fatal(err)
		}
		if n++; n%1024 == 0 {
			for _, v := range into {
				v.Reset()
			}
		}
	}
}

func BenchmarkDecode0(b *testing.B) { benchmarkDecode(b, 0) }
func BenchmarkDecode1(b *testing.B) { benchmarkDecode(b, 1) }
func BenchmarkDecode3(b *testing.B) { benchmarkDecode(b, 3) }
func BenchmarkDecode5(b *testing.B) { benchmarkDecode(b, 5) }

func BenchmarkEncode5(b *testing.B) {
	d, _ := NewDecoder(loaderColumns)
	into := vectors(loaderColumns, 1)
	if err := d.Decode(loaderRecord, into); err != nil {
		b.Fatal(err)
	}
	e, _ := NewEncoder(loaderColumns, nil)
	batch := &vector.Batch{N: 1, Cols: into}
	var dst []byte
	b.SetBytes(int64(len(loaderRecord)))
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = e.Encode(dst[:0], batch, 0)
	}
}
