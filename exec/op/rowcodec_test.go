package op_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func codecRows() []optest.Row {
	return []optest.Row{
		{Time: -5, Seen: 12, Origin: types.Origin{Source: 1, Partition: 2, Offset: 1 << 40}, Vals: []any{"x", 1},
			Raw: vector.Raw{Key: []byte("k"), Value: []byte("value"), Headers: []vector.Header{{Key: "h", Value: []byte("1")}, {Key: "h"}, {Key: "e", Value: []byte{}}}}},
		{Time: 1 << 50, Vals: []any{nil, -1}, Raw: vector.Raw{Key: []byte{}}},
		{Time: 0, Vals: []any{"", nil}, Raw: vector.Raw{Value: []byte{}}},
	}
}

func TestRowCodecKeepsEverything(t *testing.T) {
	rows := codecRows()
	b := optest.Batch(keyed, rows...)
	out := vector.NewBatch(keyed, 0)
	var d op.RowReader
	for range 2 {
		for i := range b.N {
			data := op.AppendRow([]byte("before"), b, i)[len("before"):]
			ts, o, err := op.RowOrder(data)
			if err != nil || ts != rows[i].Time || o != rows[i].Origin {
				t.Fatal(ts, o, err)
			}
			if err := d.Append(out, data); err != nil {
				t.Fatal(err)
			}
			clear(data) // the state takes its bytes back
		}
		got, want := optest.Rows(out), optest.Rows(b)
		for i := range want {
			if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) || !reflect.DeepEqual(out.Raw[i], b.Raw[i]) || got[i].Seen != want[i].Seen {
				t.Fatalf("row %d: %+v, want %+v", i, got[i], want[i])
			}
		}
		raw := out.Raw[0].Value
		out.Reset()
		if string(raw) != "value" {
			t.Fatal("a source record outlives its batch")
		}
	}
}

func TestRowCodecWithNothingCarried(t *testing.T) {
	b := optest.Batch(keyed, codecRows()...)
	b.Seen, b.Origin, b.Raw = nil, nil, nil
	out := vector.NewBatch(keyed, 0)
	var d op.RowReader
	for i := range b.N {
		if err := d.Append(out, op.AppendRow(nil, b, i)); err != nil {
			t.Fatal(err)
		}
	}
	if out.Seen != nil || out.Origin != nil || out.Raw != nil || out.N != 3 {
		t.Fatalf("%+v", out)
	}
}

// A batch whose rows carry different things has neutral values where there was nothing.
func TestRowCodecMixed(t *testing.T) {
	b := optest.Batch(keyed, codecRows()...)
	bare := *b
	bare.Seen, bare.Origin, bare.Raw = nil, nil, nil
	out := vector.NewBatch(keyed, 0)
	var d op.RowReader
	for _, x := range []*vector.Batch{&bare, b, &bare} {
		if err := d.Append(out, op.AppendRow(nil, x, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int64{types.Never, 12, types.Never}; !reflect.DeepEqual(out.Seen, want) || len(out.Origin) != 3 || len(out.Raw) != 3 {
		t.Fatal(out.Seen, out.Origin, out.Raw)
	}
}

func TestRowCodecRefusesDamage(t *testing.T) {
	b := optest.Batch(keyed, codecRows()...)
	data := op.AppendRow(nil, b, 0)
	for n := range data {
		var d op.RowReader
		err := d.Append(vector.NewBatch(keyed, 0), data[:n])
		if !errors.Is(err, op.ErrRow) && !errors.Is(err, vector.ErrCorrupt) {
			t.Fatalf("cut at %d of %d: %v", n, len(data), err)
		}
	}
	var d op.RowReader
	if err := d.Append(vector.NewBatch(keyed, 0), append(data, 0)); !errors.Is(err, op.ErrRow) {
		t.Fatal("bytes left over:", err)
	}
}
