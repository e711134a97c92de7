package expr

import (
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func TestFields(t *testing.T) {
	inner := types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "city", Type: types.TVarchar}}}
	user := types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "id", Type: types.TBigInt}, {Name: "Country", Type: types.TVarchar}, {Name: "amount", Type: types.TDecimal(10, 2)}, {Name: "addr", Type: inner},
		{Name: "x", Type: types.TInt}, {Name: "X", Type: types.TInt}}}
	base := &Column{Index: 0, Name: "user", Typ: user}
	v := vector.FromValues(user, types.Value{Kind: types.Struct, S: `{"id":9007199254740993,"country":"DE","amount":1.005,"addr":{"city":"Köln"}}`},
		types.Value{Kind: types.Struct, S: `{"id":"41","Country":5,"amount":"12","addr":null}`}, types.Value{}, types.Value{Kind: types.Struct, S: `{"id":"abc","Country":null}`})
	b := &vector.Batch{N: 4, Cols: []*vector.Vector{v}}
	for path, want := range map[string][4]string{
		"id": {"9007199254740993", "41", "NULL", "!"}, "country": {"DE", "5", "NULL", "NULL"}, "amount": {"1.01", "12.00", "NULL", "NULL"},
		"addr": {`{"city":"Köln"}`, "NULL", "NULL", "NULL"},
	} {
		f, err := NewField(base, path)
		if err != nil {
			t.Fatal(err)
		}
		ctx := &Ctx{}
		got := f.Eval(ctx, b)
		failed := ctx.TakeFailed()
		for i, w := range want {
			if w == "!" {
				if failed[i] == nil || !got.IsNull(i) {
					t.Errorf("%s row %d: %s did not fail", path, i, got.Value(i).Text())
				}
				continue
			}
			if got.Value(i).Text() != w || failed[i] != nil {
				t.Errorf("%s row %d: %s, %v; want %s", path, i, got.Value(i).Text(), failed[i], w)
			}
		}
	}
	addr := must(NewField(base, "addr"))
	city := must(NewField(addr, "city"))
	if got := city.Eval(&Ctx{}, b).Value(0).Text(); got != "Köln" || city.String() != "user.addr.city" {
		t.Errorf("%s is %s", city, got)
	}
	for _, bad := range []string{"nope", "iD2"} {
		if _, err := NewField(base, bad); err == nil {
			t.Errorf("field %s was found", bad)
		}
	}
	if f, err := NewField(base, "X"); err != nil || f.(*Field).Name != "X" {
		t.Errorf("X: %v", err)
	}
	if _, err := NewField(&Column{Typ: types.TInt}, "a"); err == nil {
		t.Error("a field of an INT was found")
	}
}

func TestCommonType(t *testing.T) {
	small, usmall := types.Type{Kind: types.Int, Bits: 16}, types.Type{Kind: types.Uint, Bits: 16}
	for _, c := range []struct {
		a, b types.Type
		want string
	}{
		{types.TNull, types.TInt, "INT"}, {types.TInt, types.TBigInt, "BIGINT"}, {types.TInt, types.TDouble, "DOUBLE"}, {types.TInt, types.TDecimal(5, 2), "DECIMAL(12,2)"}, {types.TDecimal(10, 4), types.TDecimal(10, 2), "DECIMAL(12,4)"},
		{types.TBigInt, types.TUBigInt, "DECIMAL(20,0)"}, {small, usmall, "INT"}, {types.TBoolean, types.TInt, "INT"}, {types.TBoolean, types.TBoolean, "BOOLEAN"}, {types.TInt, types.TVarchar, "VARCHAR"}, {types.TDate, types.TTimestamp, "TIMESTAMP(3)"},
		{types.Type{Kind: types.Varchar, Length: 5}, types.TVarchar, "VARCHAR"}, {types.Type{Kind: types.Varchar, Length: 5}, types.Type{Kind: types.Varchar, Length: 7}, "VARCHAR(7)"}, {types.TVarchar, types.TVarbinary, "VARBINARY"}, {types.TJSON, types.TJSON, "JSON"}, {types.TDouble, types.TDecimal(5, 1), "DOUBLE"},
	} {
		for _, p := range [2][2]types.Type{{c.a, c.b}, {c.b, c.a}} {
			if got, err := CommonType(p[0], p[1]); err != nil || got.String() != c.want {
				t.Errorf("%s and %s: %s, %v; want %s", p[0], p[1], got, err, c.want)
			}
		}
	}
	for _, p := range [][2]types.Type{{types.TJSON, types.TInt}, {types.TDate, types.TInt}, {types.TDate, {Kind: types.Time}}} {
		if got, err := CommonType(p[0], p[1]); err == nil {
			t.Errorf("%s and %s: %s", p[0], p[1], got)
		}
	}
}

func TestKeyType(t *testing.T) {
	for _, c := range []struct {
		a, b  types.Type
		want  string
		exact bool
	}{
		{types.TInt, types.TDecimal(10, 2), "INT", true}, {types.TBigInt, types.TUBigInt, "BIGINT", true}, {types.TInt, types.TDouble, "DOUBLE", false}, {types.TDecimal(10, 2), types.TDouble, "DOUBLE", false},
		{types.Type{Kind: types.Varchar, Length: 5}, types.TVarchar, "VARCHAR", false}, {types.TDate, types.TTimestamp, "TIMESTAMP(3)", false},
	} {
		if got, exact, err := KeyType(c.a, c.b); err != nil || got.String() != c.want || exact != c.exact {
			t.Errorf("%s and %s: %s %v, %v", c.a, c.b, got, exact, err)
		}
	}
	for _, p := range [][2]types.Type{{types.TVarchar, types.TInt}, {types.TJSON, types.TJSON}, {types.TDate, types.TVarchar}, {types.TBigInt, types.TTimestamp}} {
		if _, _, err := KeyType(p[0], p[1]); err == nil {
			t.Errorf("%s and %s were accepted as keys", p[0], p[1])
		}
	}
}
