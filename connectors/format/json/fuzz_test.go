package json

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// A value is accepted as a row exactly if encoding/json finds it valid and it is an object; what is wanted from it, and
// what was read before, makes no difference to that; documents that are kept stay valid; nothing panics.
func FuzzDecode(f *testing.F) {
	bare, _ := NewDecoder(nil)
	wanted := []format.Column{
		at(types.TJSON, "a"), at(types.TVarchar, "b", "c"), at(types.TJSON, "b"), at(types.TDecimal(10, 2), "d"), at(structOf(fieldOf("c", arrayOf(types.TVarchar)), fieldOf("d", mapOf(types.TInt))), "n"),
		at(types.TVarchar, "message_id"), at(types.TBigInt, "user_id"), at(types.TDouble, "amount"), at(types.TTimestamp, "ts"),
	}
	d, _ := NewDecoder(wanted)
	trial.Fuzz(f, func(t testing.TB, value []byte) {
		before := bytes.Clone(value)
		want := stdjson.Valid(value) && bytes.TrimLeft(value, " \t\r\n")[0] == '{'
		if err := bare.Decode(value, nil); (err == nil) != want {
			t.Fatalf("%q: got %v, encoding/json says %v", value, err, want)
		}
		into := vectors(wanted, 1)
		err := d.Decode(value, into)
		var bad *format.BadRecord
		switch {
		case err == nil && !want:
			t.Fatalf("%q was accepted", value)
		case err != nil && !errors.As(err, &bad):
			t.Fatalf("%q: %T", value, err)
		case err != nil && want && bad.Field == "":
			t.Fatalf("%q: %v names no field", value, err)
		}
		checkRow(t, value, err, into)
		if !bytes.Equal(before, value) {
			t.Fatal("the value was changed")
		}
	},
		`{"a":1,"b":{"c":[true,false,null,"x\u00e9\n"]},"d":-1.5e+3}`, `{id:3}`, `{"a":1} x`, `[1,2]`, ` {} `, `{"a":01}`, `{"":{}}`,
		`{"n":{"c":["x",1,null],"d":{"\u00e9":1},"e":[[]]}}`,
		`{"A":"é","a":"\ud83d\ude00"}`, `{"a":1,}`, `{"b":{"c":1},"b":[]}`, `{"message_id":"m-1","user_id":1,"amount":12.34}`)
}

func checkRow(t testing.TB, value []byte, err error, into []*vector.Vector) {
	for _, v := range into {
		switch {
		case err != nil && v.Len() != 0:
			t.Fatalf("%q: a column has a value after %v", value, err)
		case err == nil && v.Len() != 1:
			t.Fatalf("%q: a column has %d values", value, v.Len())
		case err == nil && v.Type.Nested() && !v.IsNull(0) && !stdjson.Valid(v.Bytes.At(0)):
			t.Fatalf("%q: kept %q", value, v.Bytes.At(0))
		}
	}
}
