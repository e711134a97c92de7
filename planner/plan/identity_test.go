package plan

import (
	"reflect"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// TestIdentityKnowsEveryField: two nodes that differ in anything but what is no part of their rows have two identities.
func TestIdentityKnowsEveryField(t *testing.T) {
	x := &expr.Column{Index: 1, Name: "x", Typ: types.TBigInt}
	count, err := expr.NewAggregate(expr.Aggregate{Func: "COUNT", Arg: []expr.Expr{x}})
	if err != nil {
		t.Fatal(err)
	}
	es, named := []expr.Expr{x}, []Named{{"n", x}}
	aggs, order := []NamedAggregate{{"c", *count}}, []SortKey{{Expr: x}}
	w := Window{Window: types.Window{Size: 1000}}
	// What a source is called and how a shuffle is named and explained is not about its rows; the fields of some values go together.
	apart := []string{"Scan.Alias", "Shuffle.ID", "Shuffle.Name", "Shuffle.Reason", "Window.Zone", "Aggregate.Emit", "NamedAggregate.Agg", "OverCall.Func", "OverCall.Agg"}
	for _, n := range []Node{
		&Scan{Relation: &catalog.Relation{}, Columns: []ScanColumn{{Name: "a", Path: []string{"a"}}}},
		&Filter{Cond: x}, &Project{Exprs: named}, &Unnest{Expr: x, Columns: []types.Column{{Name: "a"}}},
		&LateCheck{Horizons: []Horizon{{Window: w, AsOf: x}}},
		&Shuffle{Key: Partitioning{Exprs: es, Types: []types.Type{types.TBigInt}, Names: []string{"x"}}},
		&PartialAggregate{Group: named, Aggs: aggs, Window: w},
		&Distinct{On: es, Window: w}, &Aggregate{Group: named, Aggs: aggs, Window: w, Having: x},
		&TableJoin{StreamKeys: es, TableKeys: es, NullSafe: []bool{false}, Residual: x, AsOf: x},
		&StreamJoin{LeftKeys: es, RightKeys: es, NullSafe: []bool{false}, Residual: x},
		&TableTableJoin{LeftKeys: es, RightKeys: es, NullSafe: []bool{false}, Residual: x},
		&Materialize{}, &Fold{Key: []int{0}}, &TopN{Partition: es, Order: order},
		&Over{Partition: es, Order: order, Calls: []OverCall{{Name: "a", Func: "FIRST_VALUE", Arg: x, Default: x}, {Name: "b", Func: "LAG", Arg: x, Default: x}}},
	} {
		before := Identity(n)
		if before == "" {
			t.Errorf("%T has no identity", n)
		}
		change(reflect.ValueOf(n).Elem(), "", func(field string) {
			if Identity(n) == before && !slices.Contains(apart, field) {
				t.Errorf("%T: %s is not in its identity %q", n, field, before)
			}
		})
		if Identity(n) != before {
			t.Fatalf("%T was not put back", n)
		}
	}
}

// change gives each field below v another value, one at a time, and puts it back.
func change(v reflect.Value, field string, try func(field string)) {
	set := func(x any) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.Set(reflect.ValueOf(x).Convert(v.Type()))
		try(field)
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.Bool:
		set(!v.Bool())
	case reflect.Int, reflect.Int64:
		set(v.Int() + 1)
	case reflect.Uint8:
		set(v.Uint() + 1)
	case reflect.String:
		set(v.String() + "x")
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[expr.Expr]() {
			set(&expr.Column{Index: 7, Name: "other", Typ: types.TVarchar})
		}
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*catalog.Relation]() {
			set(&catalog.Relation{})
		}
	case reflect.Slice:
		for i := range v.Len() {
			change(v.Index(i), field, try)
		}
	case reflect.Struct:
		switch v.Type() {
		case reflect.TypeFor[Props]():
			return
		case reflect.TypeFor[types.Type]():
			set(types.TDouble)
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				name := v.Type().Name() + "." + f.Name
				if v.Type().Name() == "Column" || f.Anonymous {
					name = field
				}
				change(v.Field(i), name, try)
			}
		}
	}
}
