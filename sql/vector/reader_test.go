package vector

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/sql/types"
)

// record is one of every field.
func record(n int64, u uint64, b []byte, o types.Origin) []byte {
	out := append(binary.AppendUvarint(binary.AppendVarint([]byte{7}, n), u), 0)
	out = AppendNullable(AppendNullable(AppendBytes(out, b), b), nil)
	row := FromValues(types.TVarchar, types.NewString(string(b)))
	return AppendRow(AppendOrigin(out, o), []*Vector{row}, 0)
}

func TestReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, u, b := rapid.Int64().Draw(t, "n"), rapid.Uint64().Draw(t, "u"), rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "b")
		o := types.Origin{Source: rapid.Int32().Draw(t, "source"), Partition: rapid.Int32().Draw(t, "partition"), Offset: rapid.Int64().Draw(t, "offset")}
		data := record(n, u, b, o)
		read := func(data []byte) (Reader, bool) {
			r, v := Reader{Rest: data}, New(types.TVarchar, 1)
			same := r.Byte() == 7
			same = r.Varint() == n && same
			same = r.Uvarint() == u && same
			same = r.Count() == 0 && same
			x, y, z := r.Bytes(), r.Nullable(), r.Nullable()
			same = bytes.Equal(x, b) && bytes.Equal(y, b) && y != nil && z == nil && same
			same = r.Origin() == o && same
			r.Row([]*Vector{v})
			return r, same && v.Len() == 1 && bytes.Equal(v.Bytes.At(0), b)
		}
		if r, same := read(data); !same || r.Err() != nil || len(r.Rest) != 0 {
			t.Fatalf("%x: same %v, %v, %d bytes left", data, same, r.Err(), len(r.Rest))
		}
		cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut")
		if r, _ := read(data[:cut]); !errors.Is(r.Err(), ErrCorrupt) {
			t.Fatalf("%d of %d bytes: %v", cut, len(data), r.Err())
		}
	})
}

// After an error nothing is read, whatever is left.
func TestReaderStopsAtAnError(t *testing.T) {
	for name, read := range map[string]func(*Reader){
		"length":   func(r *Reader) { r.Bytes() },
		"nullable": func(r *Reader) { r.Nullable() },
		"count":    func(r *Reader) { r.Count() },
		"fail":     (*Reader).Fail,
	} {
		r := Reader{Rest: []byte{9, 1, 2}}
		if read(&r); r.Err() == nil {
			t.Errorf("%s: no error", name)
		}
		if x := r.Byte(); x != 0 || r.Varint() != 0 || r.Uvarint() != 0 || r.Bytes() != nil || r.Nullable() != nil || r.Origin() != (types.Origin{}) {
			t.Errorf("%s: %d was read after an error", name, x)
		}
	}
}
