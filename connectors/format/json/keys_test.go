package json

import (
	"math"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func TestKeys(t *testing.T) {
	one, err := NewKeys([]format.Column{col("user_id", types.TInt)})
	if err != nil {
		t.Fatal(err)
	}
	ids := vector.FromValues(types.TInt, types.NewInt(7), types.Value{})
	if key, ok := one.AppendKey(nil, []*vector.Vector{ids}, 0); string(key) != "7" || !ok {
		t.Errorf("got %s, %v", key, ok)
	}
	if _, ok := one.AppendKey(nil, []*vector.Vector{ids}, 1); ok {
		t.Error("the key of NULL is not null")
	}
	into := []*vector.Vector{vector.New(types.TInt, 4)}
	for _, key := range []string{`7`, ` {"user_id":8} `, `"9"`, `null`} {
		if err := one.DecodeKey([]byte(key), into); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := one.DecodeKey(nil, into); err != nil {
		t.Error(err)
	}
	for i, want := range []string{"7", "8", "9", "NULL", "NULL"} {
		if got := row(into, i); got != want {
			t.Errorf("key %d: got %s, want %s", i, got, want)
		}
	}
	for _, key := range []string{``, `7 8`, `x`, `"x"`, `[1]`} {
		if err := one.DecodeKey([]byte(key), into); err == nil {
			t.Errorf("key %q was accepted", key)
		}
	}
	if into[0].Len() != 5 {
		t.Errorf("%d keys", into[0].Len())
	}
}

// Doubles that are equal in SQL have one key.
func TestKeysOfDoubles(t *testing.T) {
	cols := []format.Column{col("user_id", types.TDouble), col("window_start", types.TTimestamp)}
	keys, err := NewKeys(cols)
	if err != nil {
		t.Fatal(err)
	}
	f := vector.FromValues(types.TDouble, types.NewDouble(0), types.NewDouble(math.Copysign(0, -1)))
	ts := vector.FromValues(types.TTimestamp, types.NewTimestamp(10_000_000), types.NewTimestamp(10_000_000))
	for i := range 2 {
		key, ok := keys.AppendKey(nil, []*vector.Vector{f, ts}, i)
		if want := `{"user_id":0,"window_start":"1970-01-01T00:00:10.000Z"}`; string(key) != want || !ok {
			t.Errorf("row %d: got %s", i, key)
		}
	}
}
