package expr

import (
	"fmt"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
)

func mapFunctions() []Function {
	return family("array", []Function{
		{Name: "MAP_KEYS", Min: 1, Max: 1, Signature: "MAP_KEYS(map) -> ARRAY<VARCHAR>", Doc: "The keys of a map, in their order in the record.",
			Example: "MAP_KEYS(MAP('a', 1, 'b', 2))", Result: `["a","b"]`, bind: bindMapParts(func(types.Type) types.Type { return arrayOf(types.TVarchar) },
				func(dst []byte, key []byte, _ *fastjson.Value) []byte { return appendJSONString(dst, key) })},
		{Name: "MAP_VALUES", Min: 1, Max: 1, Signature: "MAP_VALUES(map) -> ARRAY", Doc: "The values of a map, in the order of MAP_KEYS.",
			Example: "MAP_VALUES(MAP('a', 1, 'b', 2))", Result: "[1,2]", bind: bindMapParts(arrayOf,
				func(dst []byte, _ []byte, v *fastjson.Value) []byte { return v.MarshalTo(dst) })},
		{Name: "MAP_ENTRIES", Min: 1, Max: 1, Signature: "MAP_ENTRIES(map) -> ARRAY<STRUCT<k VARCHAR, v …>>", Doc: "The entries of a map as STRUCTs of key and value.",
			Example: "MAP_ENTRIES(MAP('a', 1))", Result: `[{"k":"a","v":1}]`, bind: bindMapParts(func(value types.Type) types.Type {
				return arrayOf(types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "k", Type: types.TVarchar}, {Name: "v", Type: value}}})
			}, func(dst []byte, key []byte, v *fastjson.Value) []byte {
				dst = append(appendJSONString(append(dst, `{"k":`...), key), `,"v":`...)
				return append(v.MarshalTo(dst), '}')
			})},
		{Name: "MAP_CONTAINS_KEY", Min: 2, Max: 2, Signature: "MAP_CONTAINS_KEY(map, key) -> BOOLEAN", Doc: "Whether the map has the key.",
			Example: "MAP_CONTAINS_KEY(MAP('a', 1), 'b')", Result: "0", bind: simple(types.TBoolean, func(r *row) error {
				doc, err := r.document(0)
				if err != nil {
					return err
				}
				o, err := doc.Object()
				if err != nil {
					return err
				}
				return r.retBool(o.Get(string(r.text(1))) != nil)
			}, asMap, asText)},
	})
}

func asMap(x Expr) (Expr, error) {
	_, err := valueType(x)
	return x, err
}

// valueType is the type of a map's values.
func valueType(x Expr) (types.Type, error) {
	switch t := x.Type(); t.Kind {
	case types.Map:
		return *t.Elem, nil
	case types.JSON, types.Null:
		return types.TJSON, nil
	default:
		return t, fmt.Errorf("%s is %s, not a MAP", x, t)
	}
}

// bindMapParts binds a function that makes an array of what part appends for each entry.
func bindMapParts(result func(value types.Type) types.Type, part func(dst, key []byte, v *fastjson.Value) []byte) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		value, err := valueType(args[0])
		if err != nil {
			return nil, err
		}
		return simple(result(value), func(r *row) error {
			doc, err := r.document(0)
			if err != nil {
				return err
			}
			o, err := doc.Object()
			if err != nil {
				return err
			}
			dst, first := r.build(), true
			*dst = append(*dst, '[')
			o.Visit(func(key []byte, v *fastjson.Value) {
				if !first {
					*dst = append(*dst, ',')
				}
				*dst, first = part(*dst, key, v), false
			})
			*dst = append(*dst, ']')
			return r.done()
		})(f, args)
	}
}
