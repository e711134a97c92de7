package format

import (
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
)

func TestFind(t *testing.T) {
	names := []string{"ID", "id", "Name", "x", "X"}
	for name, want := range map[string]int{"id": 1, "ID": 0, "Id": -2, "name": 2, "x": 3, "none": -1} {
		if got := Find(name, len(names), func(i int) string { return names[i] }); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func TestReads(t *testing.T) {
	structOf := func(inner types.Type) types.Type {
		return types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "a", Type: inner}}}
	}
	list := types.Type{Kind: types.Array, Elem: &types.TInt}
	for _, c := range []struct {
		from, to types.Type
		want     bool
	}{
		{types.TBigInt, types.TInt, true}, {types.TBigInt, types.TVarchar, true}, {types.TBigInt, types.TTimestamp, true}, {types.TBigInt, types.TVarbinary, false}, {types.TBigInt, list, false},
		{types.TDecimal(9, 2), types.TBoolean, false}, {types.TDecimal(9, 2), types.TTimestamp, false}, {types.TBoolean, types.TInt, false}, {types.TBoolean, types.TVarchar, true},
		{types.TVarchar, list, true}, {types.TVarchar, types.TDate, true}, {types.TVarbinary, types.TInt, false}, {types.TTimestamp, types.TBigInt, true}, {types.TTimestamp, types.TDouble, false},
		{types.Type{Kind: types.Time}, types.TTimestamp, false}, {list, types.TVarchar, true}, {list, structOf(types.TInt), false}, {types.TJSON, list, true}, {list, types.TJSON, true},
		{structOf(types.TInt), structOf(types.TBigInt), true}, {structOf(types.TInt), structOf(list), false}, {structOf(types.TInt), types.Type{Kind: types.Map, Elem: &types.TInt}, true}, {structOf(types.TInt), list, false},
	} {
		if got := Reads(c.from, c.to); got != c.want {
			t.Errorf("%s into %s: %v", c.from, c.to, got)
		}
	}
}
