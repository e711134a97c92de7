package csv

import (
	stdcsv "encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// What is accepted has the fields that encoding/csv finds, and is written and read back as the same values; nothing panics.
func FuzzDecode(f *testing.F) {
	cols := []format.Column{col("a", types.TVarchar), col("b", types.TVarchar), col("c", types.TVarchar)}
	d, _ := format.NewDecoder("csv", spec(nil, cols...))
	e, _ := format.NewEncoder("csv", spec(nil, cols...), nil)
	trial.Fuzz(f, func(t testing.TB, value []byte) {
		into := vectors(cols)
		if err := d.Decode(value, into); err != nil {
			var bad *format.BadRecord
			if !errors.As(err, &bad) || into[0].Len() != 0 {
				t.Fatalf("%q: %v", value, err)
			}
			return
		}
		if !strings.Contains(string(value), "\r") { // encoding/csv changes line ends inside quotes
			r := stdcsv.NewReader(strings.NewReader(string(value)))
			want, err := r.Read()
			if err != nil || len(want) != 3 {
				t.Fatalf("%q was accepted: encoding/csv says %v, %v", value, want, err)
			}
			for i, w := range want {
				if got := string(into[i].Bytes.At(0)); got != w {
					t.Fatalf("%q: field %d is %q, encoding/csv says %q", value, i, got, w)
				}
			}
		}
		written, _ := e.Encode(nil, &vector.Batch{N: 1, Cols: into}, 0)
		again := vectors(cols)
		if err := d.Decode(written, again); err != nil || row(again, 0) != row(into, 0) {
			t.Fatalf("%q is written as %q and read as %s, not %s: %v", value, written, row(again, 0), row(into, 0), err)
		}
	}, "a,b,c", `"a","b""",`, "a,\"b\nc\",d\r\n", `"a"b,c,d`, ",,", `"""","",""`, "ä,\xff,c")
}
