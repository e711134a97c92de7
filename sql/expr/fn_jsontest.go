package expr

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
)

// jsonTestFunctions ask about documents.
func jsonTestFunctions() []Function {
	return family("json", []Function{
		{Name: "JSON_CONTAINS", Min: 2, Max: 3, Signature: "JSON_CONTAINS(json, candidate [, path]) -> BOOLEAN", Doc: "Whether the candidate is in the document: an equal scalar, each element in some element, each member in the member of its key.",
			Example: `JSON_CONTAINS('{"a":[1,2]}', '2', '$.a')`, Result: "1", bind: simple(types.TBoolean, containsKernel, asJSON, asJSON, asExactPath)},
		{Name: "JSON_CONTAINS_PATH", Min: 3, Max: -1, Signature: "JSON_CONTAINS_PATH(json, 'one' | 'all', path, …) -> BOOLEAN", Doc: "Whether there is something at one of the paths, or at all.",
			Example: `JSON_CONTAINS_PATH('{"a":1}', 'one', '$.a', '$.b')`, Result: "1", bind: simple(types.TBoolean, containsPathKernel, asJSON, asOneOrAll, asPath)},
		{Name: "JSON_OVERLAPS", Min: 2, Max: 2, Signature: "JSON_OVERLAPS(json, json) -> BOOLEAN", Doc: "Whether two arrays share an element, two objects a member, two scalars are equal.",
			Example: "JSON_OVERLAPS('[1,3]', '[3,5]')", Result: "1", bind: simple(types.TBoolean, overlapsKernel, asJSON)},
		{Name: "JSON_MEMBEROF", Min: 2, Max: 2, Signature: "JSON_MEMBEROF(value, json) -> BOOLEAN", Doc: "Whether a value is an element of an array. Also value MEMBER OF (json).",
			Example: "JSON_MEMBEROF(17, '[23,17]')", Result: "1", bind: simple(types.TBoolean, memberOfKernel, asIs, asJSON)},
		{Name: "JSON_DEPTH", Min: 1, Max: 1, Signature: "JSON_DEPTH(json) -> BIGINT", Doc: "1 for a scalar or an empty array or object, one more around others.",
			Example: "JSON_DEPTH('[10,{\"a\":20}]')", Result: "3", bind: simple(types.TBigInt, func(r *row) error {
				v, err := r.document(0)
				if err != nil {
					return err
				}
				return r.retInt(jsonDepth(v))
			}, asJSON)},
		{Name: "JSON_SEARCH", Min: 3, Max: -1, Signature: "JSON_SEARCH(json, 'one' | 'all', pattern [, escape [, path, …]]) -> JSON", Doc: "The path of the first string like the pattern, or an array of the paths of all; NULL when there is none.",
			Example: `JSON_SEARCH('{"a":"abc","b":["xyz"]}', 'one', 'x%')`, Result: `"$.b[0]"`, bind: bindSearchJSON},
		{Name: "JSON_PRETTY", Min: 1, Max: 1, Signature: "JSON_PRETTY(json) -> VARCHAR", Doc: "On several lines, with two blanks of indentation.",
			Example: "JSON_PRETTY('[1]')", Result: "[\n  1\n]", bind: simple(types.TVarchar, func(r *row) error {
				v, err := r.document(0)
				if err != nil {
					return err
				}
				dst := r.build()
				*dst = appendPretty(*dst, v, 0)
				return r.done()
			}, asJSON)},
	})
}

func asOneOrAll(x Expr) (Expr, error) {
	if v, ok := constant(x); ok && v.Kind == types.Varchar && !strings.EqualFold(v.S, "one") && !strings.EqualFold(v.S, "all") {
		return nil, fmt.Errorf("%s must be 'one' or 'all'", x)
	}
	return asText(x)
}

// all reads the argument 'one' or 'all'.
func (r *row) all(arg int) (bool, error) {
	switch text := r.text(arg); {
	case strings.EqualFold(string(text), "all"):
		return true, nil
	case strings.EqualFold(string(text), "one"):
		return false, nil
	}
	return false, fmt.Errorf("%s: %q must be 'one' or 'all'", r.fn.Name, r.text(arg))
}

// jsonEqual compares documents: numbers by value, objects without the order of their keys.
func jsonEqual(x, y *fastjson.Value) bool {
	if x.Type() != y.Type() {
		return false
	}
	switch x.Type() {
	case fastjson.TypeString:
		return bytes.Equal(x.GetStringBytes(), y.GetStringBytes())
	case fastjson.TypeNumber:
		return jsonNumbersEqual(x, y)
	case fastjson.TypeArray:
		a, b := x.GetArray(), y.GetArray()
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if !jsonEqual(a[i], b[i]) {
				return false
			}
		}
	case fastjson.TypeObject:
		a, b := x.GetObject(), y.GetObject()
		same := a.Len() == b.Len()
		a.Visit(func(key []byte, v *fastjson.Value) {
			w := b.Get(string(key))
			same = same && w != nil && jsonEqual(v, w)
		})
		return same
	}
	return true
}

func jsonNumbersEqual(x, y *fastjson.Value) bool {
	a, b := x.MarshalTo(nil), y.MarshalTo(nil)
	if bytes.Equal(a, b) {
		return true
	}
	v, _, errV := types.ParseLiteral(strings.TrimPrefix(string(a), "-"))
	w, _, errW := types.ParseLiteral(strings.TrimPrefix(string(b), "-"))
	return errV == nil && errW == nil && types.Equal(v, w) && (a[0] == '-') == (b[0] == '-')
}

func containsKernel(r *row) error {
	doc, err := r.document(0)
	if err != nil {
		return err
	}
	candidate, err := r.document(1)
	if err != nil {
		return err
	}
	if len(r.args) > 2 {
		p, err := r.exactPath(2)
		if err != nil {
			return err
		}
		if doc = p.find(doc); doc == nil {
			return r.retNull()
		}
	}
	return r.retBool(jsonContains(doc, candidate))
}

func jsonContains(doc, candidate *fastjson.Value) bool {
	if items, err := doc.Array(); err == nil {
		wanted := []*fastjson.Value{candidate}
		if candidate.Type() == fastjson.TypeArray {
			wanted = candidate.GetArray()
		}
		for _, w := range wanted {
			found := false
			for _, x := range items {
				found = found || (w.Type() != fastjson.TypeArray || x.Type() == fastjson.TypeArray) && jsonContains(x, w)
			}
			if !found {
				return false
			}
		}
		return true
	}
	o, err := doc.Object()
	if err != nil || candidate.Type() != fastjson.TypeObject {
		return jsonEqual(doc, candidate)
	}
	contained := true
	candidate.GetObject().Visit(func(key []byte, w *fastjson.Value) {
		v := o.Get(string(key))
		contained = contained && v != nil && jsonContains(v, w)
	})
	return contained
}

func containsPathKernel(r *row) error {
	doc, err := r.document(0)
	if err != nil {
		return err
	}
	all, err := r.all(1)
	if err != nil {
		return err
	}
	s := r.json()
	for k := 2; k < len(r.args); k++ {
		p, err := r.path(k)
		if err != nil {
			return err
		}
		s.found = p.findAll(doc, s.found[:0])
		if found := len(s.found) > 0; found != all {
			return r.retBool(found)
		}
	}
	return r.retBool(all)
}

func overlapsKernel(r *row) error {
	x, err := r.document(0)
	if err != nil {
		return err
	}
	y, err := r.document(1)
	if err != nil {
		return err
	}
	if x.Type() == fastjson.TypeObject && y.Type() == fastjson.TypeObject {
		shared := false
		x.GetObject().Visit(func(key []byte, v *fastjson.Value) {
			w := y.Get(string(key))
			shared = shared || w != nil && jsonEqual(v, w)
		})
		return r.retBool(shared)
	}
	for _, a := range jsonItems(x) {
		for _, b := range jsonItems(y) {
			if jsonEqual(a, b) {
				return r.retBool(true)
			}
		}
	}
	return r.retBool(false)
}

// jsonItems are the elements of an array; anything else is an array of itself.
func jsonItems(v *fastjson.Value) []*fastjson.Value {
	if items, err := v.Array(); err == nil {
		return items
	}
	return []*fastjson.Value{v}
}

func memberOfKernel(r *row) error {
	s := r.json()
	s.buf = r.appendJSON(s.buf[:0], 0)
	x, err := s.parsers[0].ParseBytes(s.buf)
	if err != nil {
		return err
	}
	doc, err := r.document(1)
	if err != nil {
		return err
	}
	for _, v := range jsonItems(doc) {
		if jsonEqual(x, v) {
			return r.retBool(true)
		}
	}
	return r.retBool(false)
}

func jsonDepth(v *fastjson.Value) int64 {
	deepest := int64(0)
	switch v.Type() {
	case fastjson.TypeArray:
		for _, x := range v.GetArray() {
			deepest = max(deepest, jsonDepth(x))
		}
	case fastjson.TypeObject:
		v.GetObject().Visit(func(_ []byte, x *fastjson.Value) { deepest = max(deepest, jsonDepth(x)) })
	}
	return deepest + 1
}

func appendPretty(dst []byte, v *fastjson.Value, depth int) []byte {
	line := func(depth int) {
		dst = append(dst, '\n')
		for range depth {
			dst = append(dst, "  "...)
		}
	}
	first := true
	next := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		line(depth + 1)
	}
	switch v.Type() {
	case fastjson.TypeArray:
		dst = append(dst, '[')
		for _, x := range v.GetArray() {
			next()
			dst = appendPretty(dst, x, depth+1)
		}
		if !first {
			line(depth)
		}
		return append(dst, ']')
	case fastjson.TypeObject:
		dst = append(dst, '{')
		v.GetObject().Visit(func(key []byte, x *fastjson.Value) {
			next()
			dst = append(appendJSONString(dst, key), ": "...)
			dst = appendPretty(dst, x, depth+1)
		})
		if !first {
			line(depth)
		}
		return append(dst, '}')
	}
	return v.MarshalTo(dst)
}

func bindSearchJSON(f *Function, args []Expr) (Expr, error) {
	escape := `\`
	if len(args) > 3 && !isNull(args[3]) {
		v, ok := constant(args[3])
		if !ok || v.Kind != types.Varchar || len(v.S) > 1 {
			return nil, errors.New("the escape must be a constant of one character")
		}
		if v.S != "" {
			escape = v.S
		}
	}
	params := []param{asJSON, asOneOrAll, asText}
	if len(args) > 3 {
		kept := append([]Expr{}, args[:3]...)
		args, params = append(kept, args[4:]...), append(params, asPath)
	}
	return simple(types.TJSON, func(r *row) error { return searchKernel(r, rune(escape[0])) }, params...)(f, args)
}

func searchKernel(r *row, escape rune) error {
	doc, err := r.document(0)
	if err != nil {
		return err
	}
	all, err := r.all(1)
	if err != nil {
		return err
	}
	under := make([]jsonPath, 0, 4)
	for k := 3; k < len(r.args); k++ {
		p, err := r.path(k)
		if err != nil {
			return err
		}
		under = append(under, p)
	}
	h := &searchJSON{match: compileLike(r.text(2), escape), all: all, path: []byte("$")}
	h.visit(doc, under, len(under) == 0)
	switch {
	case len(h.found) == 0:
		return r.retNull()
	case len(h.found) == 1:
		dst := r.build()
		*dst = appendJSONString(*dst, h.found[0])
		return r.done()
	}
	dst := r.build()
	for i, p := range h.found {
		*dst = appendJSONString(append(*dst, "[,"[min(i, 1)]), p)
	}
	*dst = append(*dst, ']')
	return r.done()
}

// searchJSON walks a document and notes the paths of strings that match.
type searchJSON struct {
	match matcher
	all   bool
	path  []byte
	found [][]byte
}

// visit looks at v; under are the paths that must still be followed, inside says that v lies under one.
func (h *searchJSON) visit(v *fastjson.Value, under []jsonPath, inside bool) {
	for _, p := range under {
		inside = inside || len(p) == 0 || len(p) == 1 && p[0].kind == stepDeep
	}
	if len(h.found) > 0 && !h.all {
		return
	}
	length := len(h.path)
	switch v.Type() {
	case fastjson.TypeString:
		if inside && h.match.match(v.GetStringBytes()) {
			h.found = append(h.found, bytes.Clone(h.path))
		}
	case fastjson.TypeArray:
		items := v.GetArray()
		for i, x := range items {
			h.path = append(strconv.AppendInt(append(h.path, '['), int64(i), 10), ']')
			h.visit(x, below(under, func(s jsonStep) bool { return s.hasIndex(i, len(items)) }), inside)
			h.path = h.path[:length]
		}
	case fastjson.TypeObject:
		v.GetObject().Visit(func(key []byte, x *fastjson.Value) {
			h.path = append(h.path, '.')
			if plainKey(key) {
				h.path = append(h.path, key...)
			} else {
				h.path = appendJSONString(h.path, key)
			}
			h.visit(x, below(under, func(s jsonStep) bool { return s.kind == stepAnyKey || s.kind == stepKey && s.key == string(key) }), inside)
			h.path = h.path[:length]
		})
	}
}

func (s jsonStep) hasIndex(i, n int) bool {
	switch s.kind {
	case stepIndex:
		return at(s.index, s.fromLast, n) == i
	case stepRange:
		return at(s.index, s.fromLast, n) <= i && i <= at(s.to, s.toLast, n)
	}
	return s.kind == stepAnyIndex
}

// below are the rests of the paths whose first step is taken; ** may take it and stay.
func below(under []jsonPath, takes func(jsonStep) bool) []jsonPath {
	var out []jsonPath
	for _, p := range under {
		switch {
		case len(p) == 0:
		case p[0].kind == stepDeep:
			out = append(out, p)
			if len(p) > 1 && takes(p[1]) {
				out = append(out, p[2:])
			}
		case takes(p[0]):
			out = append(out, p[1:])
		}
	}
	return out
}

// plainKey says whether a key needs no quotes in a path.
func plainKey(key []byte) bool {
	for i, c := range key {
		if c != '_' && c != '$' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || !isDigitByte(c)) {
			return false
		}
	}
	return len(key) > 0
}
