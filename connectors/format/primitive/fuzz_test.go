package primitive

import (
	"errors"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// Whatever bytes a key has: nothing panics, an error leaves nothing behind, and a key that is read is written in a form
// that is read as the same value.
func FuzzKeys(f *testing.F) {
	kinds := []types.Type{
		types.TVarchar, types.TVarbinary, types.TInt, types.TBigInt, types.TUBigInt, types.TDouble, types.TBoolean, types.TDate,
		types.TDecimal(20, 4), types.TTimestamp, {Kind: types.Time, Precision: 6}, {Kind: types.Double, Bits: 32}, {Kind: types.Int, Bits: 16},
	}
	var codecs []*format.KeyCodec
	var of []types.Type
	for _, name := range []string{"string", "bytes", "boolean", "smallint", "int", "bigint", "float", "double", "kafka", "json"} {
		for _, t := range kinds {
			k, err := format.NewKeyCodec(name, format.Of(format.Column{Name: "k", Type: t}))
			if err == nil {
				codecs, of = append(codecs, k), append(of, t)
			}
		}
	}
	trial.Fuzz(f, func(t testing.TB, key []byte) {
		for i, k := range codecs {
			first, second := []*vector.Vector{vector.New(of[i], 1)}, []*vector.Vector{vector.New(of[i], 1)}
			err := k.DecodeKey(key, first)
			var bad *format.BadRecord
			if err != nil {
				if !errors.As(err, &bad) || first[0].Len() != 0 {
					t.Fatalf("codec %d, %s: %v left %d", i, of[i], err, first[0].Len())
				}
				continue
			}
			own, ok := k.AppendKey(nil, first, 0)
			if !ok {
				continue
			}
			if err := k.DecodeKey(own, second); err != nil || types.Compare(first[0].Value(0), second[0].Value(0)) != 0 {
				t.Fatalf("codec %d, %s: %q is read as %v, written as %q, read as %v, %v", i, of[i], key, first[0].Value(0), own, second[0].Value(0), err)
			}
			if !k.SameBytes(own, second, 0) {
				t.Fatalf("codec %d, %s: %q is not its own form", i, of[i], own)
			}
		}
	}, "", "1", "01", "-0", "1e3", "abc", "\x00\x00\x00\x01", "\x3f\xf0\x00\x00\x00\x00\x00\x00", `"x"`, `{"k":1}`, "2026-01-01T00:00:00.5Z", "10:00")
}
