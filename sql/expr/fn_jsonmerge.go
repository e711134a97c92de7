package expr

import (
	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
)

func jsonMergeFunctions() []Function {
	preserve := Function{Name: "JSON_MERGE_PRESERVE", Min: 2, Max: -1, Signature: "JSON_MERGE_PRESERVE(json, json, …) -> JSON", Doc: "Arrays one after the other, objects with the values of equal keys merged; anything else as an array of one.",
		Example: `JSON_MERGE_PRESERVE('{"a":1}', '{"a":2,"b":3}')`, Result: `{"a":[1,2],"b":3}`, bind: simple(types.TJSON, func(r *row) error { return mergeKernel(r, mergePreserve) }, asJSON)}
	return family("json", []Function{
		preserve, synonym(preserve, "JSON_MERGE"),
		{Name: "JSON_MERGE_PATCH", Min: 2, Max: -1, Signature: "JSON_MERGE_PATCH(json, json, …) -> JSON", Doc: "RFC 7396: members of the second replace those of the first, null removes them.",
			Example: `JSON_MERGE_PATCH('{"a":1,"b":2}', '{"b":null,"c":3}')`, Result: `{"a":1,"c":3}`, bind: simple(types.TJSON, func(r *row) error { return mergeKernel(r, mergePatch) }, asJSON)},
	})
}

func mergeKernel(r *row, merge func(s *jsonScratch, x, y *fastjson.Value) *fastjson.Value) error {
	x, err := r.document(0)
	if err != nil {
		return err
	}
	s := r.json()
	s.arena.Reset()
	for k := 1; k < len(r.args); k++ {
		y, err := r.document(k)
		if err != nil {
			return err
		}
		x = merge(s, x, y)
	}
	dst := r.build()
	*dst = x.MarshalTo(*dst)
	return r.done()
}

func mergePatch(s *jsonScratch, x, y *fastjson.Value) *fastjson.Value {
	patch, err := y.Object()
	if err != nil {
		return y
	}
	if x == nil || x.Type() != fastjson.TypeObject {
		x = s.arena.NewObject()
	}
	patch.Visit(func(key []byte, v *fastjson.Value) {
		k := string(key)
		if v.Type() == fastjson.TypeNull {
			x.Del(k)
			return
		}
		x.Set(k, mergePatch(s, x.Get(k), v))
	})
	return x
}

func mergePreserve(s *jsonScratch, x, y *fastjson.Value) *fastjson.Value {
	if a, err := x.Object(); err == nil {
		if b, err := y.Object(); err == nil {
			b.Visit(func(key []byte, v *fastjson.Value) {
				k := string(key)
				if have := a.Get(k); have != nil {
					v = mergePreserve(s, have, v)
				}
				a.Set(k, v)
			})
			return x
		}
	}
	if x.Type() != fastjson.TypeArray {
		only := s.arena.NewArray()
		only.SetArrayItem(0, x)
		x = only
	}
	items := []*fastjson.Value{y}
	if y.Type() == fastjson.TypeArray {
		items = y.GetArray()
	}
	for _, v := range items {
		x.SetArrayItem(len(x.GetArray()), v)
	}
	return x
}
