package expr

import (
	"errors"
	"fmt"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
)

// nestedFunctions make ARRAY, MAP and STRUCT, and take them apart.
func nestedFunctions() []Function {
	cardinality := Function{Name: "CARDINALITY", Min: 1, Max: 1, Signature: "CARDINALITY(array | map) -> BIGINT", Doc: "Number of elements of an array, or of entries of a map.",
		Example: "CARDINALITY(ARRAY[5, NULL])", Result: "2", bind: simple(types.TBigInt, cardinalityKernel, asCollection)}
	return family("array", []Function{
		{Name: "ARRAY", Min: 1, Max: -1, Signature: "ARRAY[x, …] -> ARRAY", Doc: "An array of its arguments, in their common type. Also ARRAY(x, …).",
			Example: "ARRAY[1, 2.5]", Result: "[1.0,2.5]", bind: bindArrayOf},
		{Name: "MAP", Min: 2, Max: -1, Signature: "MAP(key, value, …) -> MAP", Doc: "A map of keys, which are texts, to values in their common type. Of equal keys the last one counts.",
			Example: "MAP('a', 1, 'b', 2)", Result: `{"a":1,"b":2}`, bind: bindMapOf},
		{Name: "STRUCT", Min: 2, Max: -1, Signature: "STRUCT(x AS name, …) -> STRUCT", Doc: "A STRUCT of named fields. As a call: STRUCT('name', x, …).",
			Example: "STRUCT(1 AS a, 'x' AS b)", Result: `{"a":1,"b":"x"}`, bind: bindStructOf},
		{Name: "ELEMENT_AT", Min: 2, Max: 2, Signature: "ELEMENT_AT(array | map | struct, key)", Doc: "An element of an array by position, from 1 or from the end when negative; a value of a map by key; a field by name. NULL when it is not there. Also x[key].",
			Example: "ELEMENT_AT(ARRAY[5, 6, 7], -1)", Result: "7", bind: bindElementAt},
		cardinality, synonym(cardinality, "ARRAY_LENGTH"),
	})
}

func asCollection(x Expr) (Expr, error) {
	switch t := x.Type(); t.Kind {
	case types.Array, types.Map, types.JSON, types.Null:
		return x, nil
	default:
		return nil, fmt.Errorf("%s is %s, not an ARRAY or a MAP", x, t)
	}
}

func cardinalityKernel(r *row) error {
	v, err := r.document(0)
	if err != nil {
		return err
	}
	switch v.Type() {
	case fastjson.TypeArray:
		items, _ := v.Array()
		return r.retInt(int64(len(items)))
	case fastjson.TypeObject:
		return r.retInt(int64(v.GetObject().Len()))
	}
	return fmt.Errorf("CARDINALITY: a JSON %s is neither an array nor an object", v.Type())
}

// commonElement brings values to the one type that an array or a map of them has.
func commonElement(values []Expr) ([]Expr, types.Type, error) {
	t := values[0].Type()
	for _, x := range values[1:] {
		var err error
		if t, err = CommonType(t, x.Type()); err != nil {
			return nil, t, err
		}
	}
	if t.Kind == types.Null {
		return nil, t, errors.New("every value is NULL; give one of them a type with CAST(NULL AS …)")
	}
	out := make([]Expr, len(values))
	for i, x := range values {
		var err error
		if out[i], err = coerce(x, t); err != nil {
			return nil, t, err
		}
	}
	return out, t, nil
}

func bindArrayOf(f *Function, args []Expr) (Expr, error) {
	args, t, err := commonElement(args)
	if err != nil {
		return nil, err
	}
	return seesNull(arrayOf(t), arrayKernel)(f, args)
}

func bindMapOf(f *Function, args []Expr) (Expr, error) {
	if len(args)%2 != 0 {
		return nil, errors.New("needs a value for every key")
	}
	var values []Expr
	for i := 1; i < len(args); i += 2 {
		values = append(values, args[i])
	}
	values, t, err := commonElement(values)
	if err != nil {
		return nil, err
	}
	out := make([]Expr, len(args))
	for i, a := range args {
		if i%2 == 1 {
			out[i] = values[i/2]
			continue
		}
		if out[i], err = asText(a); err != nil {
			return nil, err
		}
	}
	return seesNull(types.Type{Kind: types.Map, Elem: &t}, objectKernel)(f, out)
}

func bindStructOf(f *Function, args []Expr) (Expr, error) {
	if len(args)%2 != 0 {
		return nil, errors.New("needs a name for every field; write STRUCT(x AS name, …)")
	}
	t := types.Type{Kind: types.Struct}
	seen := map[string]bool{}
	for i := 0; i < len(args); i += 2 {
		name, ok := constant(args[i])
		switch {
		case !ok || name.Kind != types.Varchar || name.S == "":
			return nil, fmt.Errorf("%s is not the name of a field; write STRUCT(x AS name, …)", args[i])
		case seen[name.S]:
			return nil, fmt.Errorf("two fields are named %s", name.S)
		}
		seen[name.S] = true
		t.Fields = append(t.Fields, types.Field{Name: name.S, Type: args[i+1].Type()})
	}
	return seesNull(t, objectKernel)(f, args)
}

// bindElementAt is x[key].
func bindElementAt(f *Function, args []Expr) (Expr, error) {
	x, key := args[0], args[1]
	t := x.Type()
	name, fixed := constant(key)
	switch {
	case t.Kind == types.Null:
		return x, nil
	case t.Kind == types.Struct:
		if !fixed || name.Kind != types.Varchar {
			return nil, fmt.Errorf("a field of %s is named by a constant text: %s['name'] or %s.name", x, x, x)
		}
		return NewField(x, name.S)
	case t.Kind == types.Map || t.Kind == types.JSON && key.Type().Text():
		elem := types.TJSON
		if t.Kind == types.Map {
			elem = *t.Elem
		}
		return simple(elem, memberAtKernel(elem), asIs, asText)(f, args)
	}
	elem, err := elementType(x)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is %s, which has no elements", x, t)
	case !key.Type().Exact() && key.Type().Kind != types.Null:
		return nil, fmt.Errorf("the position %s is %s, not a whole number", key, key.Type())
	case fixed && !name.IsNull() && name.I == 0 && name.D.IsZero():
		return nil, errors.New("positions count from 1, or from the end with -1")
	}
	return simple(elem, elementAtKernel(elem), asIs, asInt)(f, args)
}

func asIs(x Expr) (Expr, error) { return x, nil }

func memberAtKernel(elem types.Type) func(*row) error {
	return func(r *row) error {
		doc, err := r.document(0)
		if err != nil {
			return err
		}
		var v *fastjson.Value
		if o, err := doc.Object(); err == nil {
			v = o.Get(string(r.text(1)))
		}
		return r.json().field.convert(v, elem, r.out)
	}
}

func elementAtKernel(elem types.Type) func(*row) error {
	return func(r *row) error {
		doc, err := r.document(0)
		if err != nil {
			return err
		}
		items, err := doc.Array()
		if err != nil {
			return err
		}
		i := r.int(1)
		if i < 0 {
			i += int64(len(items)) + 1
		}
		if i < 1 || i > int64(len(items)) {
			return r.retNull()
		}
		return r.json().field.convert(items[i-1], elem, r.out)
	}
}
