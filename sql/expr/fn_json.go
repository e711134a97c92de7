package expr

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// jsonScratch is what a JSON function keeps from row to row.
type jsonScratch struct {
	parsers []fastjson.Parser // one per argument: a document lives until the next parse
	arena   fastjson.Arena
	paths   map[string]jsonPath
	found   []*fastjson.Value
	buf     []byte
	field   fieldScratch
	items   []*vector.Vector // one per argument: the elements of an array
	order   []int32
	seen    map[string]struct{}
}

func (r *row) json() *jsonScratch {
	s, _ := r.s.aux.(*jsonScratch)
	if s == nil {
		s = &jsonScratch{paths: map[string]jsonPath{}, parsers: make([]fastjson.Parser, len(r.args))}
		r.s.aux = s
	}
	return s
}

// document parses an argument.
func (r *row) document(arg int) (*fastjson.Value, error) {
	v, err := r.json().parsers[arg].ParseBytes(r.text(arg))
	if err != nil {
		return nil, fmt.Errorf("invalid JSON text: %w", err)
	}
	return v, nil
}

// path is an argument as a path; paths are compiled once per context.
func (r *row) path(arg int) (jsonPath, error) {
	s := r.json()
	if p, ok := s.paths[string(r.text(arg))]; ok {
		return p, nil
	}
	text := string(r.text(arg))
	p, err := parseJSONPath(text)
	if err == nil && len(s.paths) < 1000 {
		s.paths[text] = p
	}
	return p, err
}

// asJSON accepts JSON, nested types and text that holds JSON.
func asJSON(x Expr) (Expr, error) {
	t := x.Type()
	if t.Nested() || t.Text() || t.Kind == types.Null {
		return x, nil
	}
	return nil, fmt.Errorf("%s is %s, not JSON", x, t)
}

// asPath checks constant paths at once.
func asPath(x Expr) (Expr, error) {
	if v, ok := constant(x); ok && v.Kind == types.Varchar {
		if _, err := parseJSONPath(v.S); err != nil {
			return nil, err
		}
	}
	if !x.Type().Text() && x.Type().Kind != types.Null {
		return nil, fmt.Errorf("%s is not a JSON path; write for example '$.a.b[0]'", x)
	}
	return x, nil
}

func jsonFunctions() []Function {
	return family("json", []Function{
		{Name: "JSON_EXTRACT", Min: 2, Max: -1, Signature: "JSON_EXTRACT(json, path, …) -> JSON", Doc: "The value at a path; an array of them for several paths or a path with *. NULL when nothing is there. Also json->'path'.",
			Example: `JSON_EXTRACT('{"a":{"b":[1,2]}}', '$.a.b[1]')`, Result: "2", bind: simple(types.TJSON, extractKernel, asJSON, asPath)},
		{Name: "JSON_UNQUOTE", Min: 1, Max: 1, Signature: "JSON_UNQUOTE(json) -> VARCHAR", Doc: "A JSON string as plain text, anything else as its JSON text. json->>'path' is JSON_UNQUOTE(json->'path').",
			Example: `JSON_UNQUOTE('"a\\u00e9"')`, Result: "aé", bind: simple(types.TVarchar, unquoteKernel, asJSON)},
		{Name: "JSON_VALUE", Min: 2, Max: 2, Signature: "JSON_VALUE(json, path) -> VARCHAR", Doc: "The scalar at a path as text; NULL when nothing, null, an object or an array is there.",
			Example: `JSON_VALUE('{"a":"x"}', '$.a')`, Result: "x", bind: simple(types.TVarchar, valueKernel, asJSON, asPath)},
		{Name: "JSON_TYPE", Min: 1, Max: 1, Signature: "JSON_TYPE(json) -> VARCHAR", Doc: "OBJECT, ARRAY, STRING, INTEGER, UNSIGNED INTEGER, DOUBLE, BOOLEAN or NULL.",
			Example: "JSON_TYPE('[1]')", Result: "ARRAY", bind: simple(types.TVarchar, typeKernel, asJSON)},
		{Name: "JSON_LENGTH", Min: 1, Max: 2, Signature: "JSON_LENGTH(json [, path]) -> BIGINT", Doc: "Number of elements of an array or members of an object; 1 for a scalar.",
			Example: "JSON_LENGTH('[1,2,3]')", Result: "3", bind: simple(types.TBigInt, lengthKernel, asJSON, asPath)},
		{Name: "JSON_KEYS", Min: 1, Max: 2, Signature: "JSON_KEYS(json [, path]) -> JSON", Doc: "The keys of an object as an array; NULL for anything else.",
			Example: `JSON_KEYS('{"a":1,"b":2}')`, Result: `["a","b"]`, bind: simple(types.TJSON, keysKernel, asJSON, asPath)},
		{Name: "JSON_VALID", Min: 1, Max: 1, Signature: "JSON_VALID(text) -> BOOLEAN", Doc: "Whether a text is JSON.",
			Example: "JSON_VALID('{a}')", Result: "0", bind: simple(types.TBoolean, func(r *row) error {
				return r.retBool(fastjson.ValidateBytes(r.text(0)) == nil)
			}, asText)},
	})
}

func extractKernel(r *row) error {
	v, err := r.document(0)
	if err != nil {
		return err
	}
	s := r.json()
	s.found = s.found[:0]
	several := len(r.args) > 2
	for k := 1; k < len(r.args); k++ {
		p, err := r.path(k)
		if err != nil {
			return err
		}
		if p.wild() {
			several = true
			s.found = p.findAll(v, s.found)
		} else if x := p.find(v); x != nil {
			s.found = append(s.found, x)
		}
	}
	if len(s.found) == 0 {
		return r.retNull()
	}
	dst := r.build()
	if !several {
		*dst = s.found[0].MarshalTo(*dst)
		return r.done()
	}
	for i, x := range s.found {
		*dst = append(*dst, "[,"[min(i, 1)])
		*dst = x.MarshalTo(*dst)
	}
	*dst = append(*dst, ']')
	return r.done()
}

func unquoteKernel(r *row) error {
	s := bytes.TrimSpace(r.text(0))
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return r.retText(r.text(0))
	}
	v, err := r.document(0)
	if err != nil {
		return err
	}
	b, err := v.StringBytes()
	if err != nil {
		return err
	}
	return r.retText(b)
}

func valueKernel(r *row) error {
	v, err := r.document(0)
	if err != nil {
		return err
	}
	p, err := r.path(1)
	if err != nil {
		return err
	}
	x := p.find(v)
	if x == nil {
		return r.retNull()
	}
	switch x.Type() {
	case fastjson.TypeNull, fastjson.TypeObject, fastjson.TypeArray:
		return r.retNull()
	case fastjson.TypeString:
		b, _ := x.StringBytes()
		return r.retText(b)
	}
	dst := r.build()
	*dst = x.MarshalTo(*dst)
	return r.done()
}

func typeKernel(r *row) error {
	v, err := r.document(0)
	if err != nil {
		return err
	}
	dst := r.build()
	switch v.Type() {
	case fastjson.TypeTrue, fastjson.TypeFalse:
		*dst = append(*dst, "BOOLEAN"...)
	case fastjson.TypeNumber:
		at := len(*dst)
		*dst = v.MarshalTo(*dst)
		name := "DOUBLE"
		if text := (*dst)[at:]; !bytes.ContainsAny(text, ".eE") {
			if _, err := types.ParseInt(text); err == nil {
				name = "INTEGER"
			} else if _, err := types.ParseUint(text); err == nil {
				name = "UNSIGNED INTEGER"
			}
		}
		*dst = append((*dst)[:at], name...)
	default:
		*dst = append(*dst, strings.ToUpper(v.Type().String())...)
	}
	return r.done()
}

// at is the document, or the value at the optional path.
func (r *row) target() (*fastjson.Value, error) {
	v, err := r.document(0)
	if err != nil || len(r.args) == 1 {
		return v, err
	}
	p, err := r.path(1)
	if err != nil {
		return nil, err
	}
	return p.find(v), nil
}

func lengthKernel(r *row) error {
	v, err := r.target()
	switch {
	case err != nil:
		return err
	case v == nil:
		return r.retNull()
	case v.Type() == fastjson.TypeArray:
		items, _ := v.Array()
		return r.retInt(int64(len(items)))
	case v.Type() == fastjson.TypeObject:
		return r.retInt(int64(v.GetObject().Len()))
	}
	return r.retInt(1)
}

func keysKernel(r *row) error {
	v, err := r.target()
	if err != nil {
		return err
	}
	if v == nil || v.Type() != fastjson.TypeObject {
		return r.retNull()
	}
	dst := r.build()
	*dst = append(*dst, '[')
	first := true
	v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
		if !first {
			*dst = append(*dst, ',')
		}
		first = false
		*dst = appendJSONString(*dst, key)
	})
	*dst = append(*dst, ']')
	return r.done()
}
