package wire

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// wireRow is a row as a test sees it.
type wireRow struct {
	ts, seen int64
	deleted  bool
	origin   types.Origin
	values   []types.Value
	raw      vector.Raw
}

func drawLayout(t *rapid.T) Layout {
	ts := rapid.SliceOfN(rapid.SampledFrom([]types.Type{types.TVarchar, types.TBigInt, types.TDouble, types.TDecimal(38, 4), types.TBoolean}), 0, 10).Draw(t, "types")
	flag := rapid.Bool()
	return Layout{Columns: ts, Origin: flag.Draw(t, "origin"), Key: flag.Draw(t, "key"), Value: flag.Draw(t, "value"), Headers: flag.Draw(t, "headers"), Deletes: flag.Draw(t, "deletes")}
}

// drawBytes is nil, empty or something: a null key is not an empty one.
func drawBytes(t *rapid.T) []byte {
	if rapid.Bool().Draw(t, "null") {
		return nil
	}
	return append([]byte{}, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes")...)
}

func drawValue(t *rapid.T, of types.Type) types.Value {
	if rapid.Bool().Draw(t, "NULL") {
		return types.Value{}
	}
	switch of.Kind {
	case types.Varchar:
		return types.NewString(rapid.String().Draw(t, "s"))
	case types.Double:
		return types.NewDouble(rapid.Float64().Draw(t, "f"))
	case types.Decimal:
		return types.NewDecimal(types.Int128{Hi: rapid.Int64Range(-1<<40, 1<<40).Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")}, of.Scale)
	case types.Boolean:
		return types.NewBool(rapid.Bool().Draw(t, "b"))
	}
	return types.NewInt(rapid.Int64().Draw(t, "i"))
}

func drawRow(t *rapid.T, l Layout) wireRow {
	instant := rapid.Int64Range(-1<<55, 1<<55)
	r := wireRow{ts: instant.Draw(t, "ts"), seen: types.Never}
	if rapid.Bool().Draw(t, "has seen") {
		r.seen = instant.Draw(t, "seen")
	}
	r.deleted = l.Deletes && rapid.Bool().Draw(t, "deleted")
	if l.Origin {
		part := rapid.Int32Range(0, math.MaxInt32)
		r.origin = types.Origin{Source: part.Draw(t, "source"), Partition: part.Draw(t, "partition"), Offset: rapid.Int64Range(0, math.MaxInt64).Draw(t, "offset")}
	}
	for _, of := range l.Columns {
		r.values = append(r.values, drawValue(t, of))
	}
	if l.Key {
		r.raw.Key = drawBytes(t)
	}
	if l.Value {
		r.raw.Value = drawBytes(t)
	}
	if l.Headers {
		for range rapid.IntRange(0, 3).Draw(t, "headers") {
			r.raw.Headers = append(r.raw.Headers, vector.Header{Key: rapid.String().Draw(t, "name"), Value: drawBytes(t)})
		}
	}
	return r
}

func batch(l Layout, rows []wireRow) *vector.Batch {
	b := vector.NewBatch(l.Columns, len(rows))
	for _, r := range rows {
		for c, v := range r.values {
			b.Cols[c].Append(v)
		}
		b.Time, b.Seen, b.Deleted = append(b.Time, r.ts), append(b.Seen, r.seen), append(b.Deleted, r.deleted)
		b.Origin, b.Raw = append(b.Origin, r.origin), append(b.Raw, r.raw)
		b.N++
	}
	return b
}

func rowsOf(l Layout, b *vector.Batch) []wireRow {
	var out []wireRow
	for i := range b.N {
		r := wireRow{ts: b.Time[i], seen: b.Seen[i]}
		if l.Deletes {
			r.deleted = b.Deleted[i]
		}
		if l.Origin {
			r.origin = b.Origin[i]
		}
		if l.raw() {
			r.raw = b.Raw[i]
		}
		for _, c := range b.Cols {
			r.values = append(r.values, c.Value(i))
		}
		out = append(out, r)
	}
	return out
}

func packed(w *RowWriter, b *vector.Batch) []byte {
	for i := range b.N {
		w.Append(b, i)
	}
	return w.Take()
}

func TestRowsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		w := NewRowWriter(l)
		for range 2 { // a writer is used again
			var rows []wireRow
			for range rapid.IntRange(1, 5).Draw(t, "rows") {
				rows = append(rows, drawRow(t, l))
			}
			record := packed(w, batch(l, rows))
			if w.Len() != 0 || IsControl(record) {
				t.Fatalf("%d bytes left, control %v", w.Len(), IsControl(record))
			}
			out := vector.NewBatch(l.Columns, 0)
			if err := ReadRows(record, l, out); err != nil {
				t.Fatal(err)
			}
			if got := rowsOf(l, out); !slices.EqualFunc(got, rows, func(a, b wireRow) bool { return reflect.DeepEqual(a, b) }) {
				t.Fatalf("%+v\ngot %+v\nwant %+v", l, got, rows)
			}
		}
	})
}

// A record that was cut off reads as fewer whole rows, or is an error: never as a row that was not written.
func TestRowsTruncated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		w := NewRowWriter(l)
		rows := []wireRow{drawRow(t, l), drawRow(t, l)}
		b := batch(l, rows)
		w.Append(b, 0)
		first := w.Len()
		w.Append(b, 1)
		record := w.Take()
		cut := rapid.IntRange(0, len(record)-1).Draw(t, "cut")
		out := vector.NewBatch(l.Columns, 0)
		err := ReadRows(record[:cut], l, out)
		if whole := cut == first || cut == 1; (err == nil) != whole {
			t.Fatalf("%d of %d bytes, the first row ends at %d: %v", cut, len(record), first, err)
		}
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Fatalf("%v is no ErrFormat", err)
		}
	})
}

func TestRowsOfAnotherVersion(t *testing.T) {
	for _, record := range [][]byte{nil, {}, {0}, {controlV1, 0}, {99, 1, 2}} {
		if err := ReadRows(record, Layout{}, &vector.Batch{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%v: %v", record, err)
		}
	}
}

func FuzzReadRows(f *testing.F) {
	l := Layout{Columns: []types.Type{types.TVarchar, types.TDecimal(38, 4), types.TDouble}, Origin: true, Key: true, Value: true, Headers: true, Deletes: true}
	row := wireRow{ts: 5, seen: 7, deleted: true, origin: types.Origin{Source: 1, Partition: 2, Offset: 3},
		values: []types.Value{types.NewString("x"), {}, types.NewDouble(1)}, raw: vector.Raw{Key: []byte("k"), Headers: []vector.Header{{Key: "h", Value: []byte("v")}}}}
	trial.Fuzz(f, func(t testing.TB, record []byte) {
		out := vector.NewBatch(l.Columns, 0)
		if ReadRows(record, l, out) == nil && (len(out.Time) != out.N || out.Cols[0].Len() != out.N || len(out.Raw) != out.N) {
			t.Fatalf("%d rows, %d times, %d values", out.N, len(out.Time), out.Cols[0].Len())
		}
	}, string(packed(NewRowWriter(l), batch(l, []wireRow{row, row}))), string([]byte{rowsV1}),
		string([]byte{rowsV1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}))
}

// TestComputedRows: rows that are of no record go through a shuffle that carries parts of records, as rows without them.
func TestComputedRows(t *testing.T) {
	l := Layout{Columns: []types.Type{types.TBigInt}, Origin: true, Key: true, Value: true, Headers: true}
	b := vector.NewBatch(l.Columns, 1)
	b.Cols[0].Append(types.NewInt(7))
	b.N, b.Time = 1, append(b.Time, 1000)
	w := NewRowWriter(l)
	w.Append(b, 0)
	out := vector.NewBatch(l.Columns, 1)
	if err := ReadRows(w.Take(), l, out); err != nil {
		t.Fatal(err)
	}
	if r := out.Raw[0]; out.N != 1 || r.Key != nil || r.Value != nil || len(r.Headers) != 0 || out.Origin[0] != (types.Origin{}) {
		t.Errorf("%d rows, key %q, value %q, headers %v, origin %v", out.N, r.Key, r.Value, r.Headers, out.Origin[0])
	}
}
