package expr

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
)

// jsonModifyFunctions change documents at paths.
func jsonModifyFunctions() []Function {
	return family("json", []Function{
		{Name: "JSON_SET", Min: 3, Max: -1, Signature: "JSON_SET(json, path, value, …) -> JSON", Doc: "With the value at the path replaced, or put there when nothing is.",
			Example: `JSON_SET('{"a":1}', '$.a', 2, '$.b', 'x')`, Result: `{"a":2,"b":"x"}`, bind: bindModify(modifySet)},
		{Name: "JSON_INSERT", Min: 3, Max: -1, Signature: "JSON_INSERT(json, path, value, …) -> JSON", Doc: "With the value put where nothing is yet.",
			Example: `JSON_INSERT('{"a":1}', '$.a', 2, '$.b', 'x')`, Result: `{"a":1,"b":"x"}`, bind: bindModify(modifyInsert)},
		{Name: "JSON_REPLACE", Min: 3, Max: -1, Signature: "JSON_REPLACE(json, path, value, …) -> JSON", Doc: "With the value at the path replaced, where there is one.",
			Example: `JSON_REPLACE('{"a":1}', '$.a', 2, '$.b', 'x')`, Result: `{"a":2}`, bind: bindModify(modifyReplace)},
		{Name: "JSON_ARRAY_APPEND", Min: 3, Max: -1, Signature: "JSON_ARRAY_APPEND(json, path, value, …) -> JSON", Doc: "With the value at the end of the array at the path; what is no array becomes the first element of one.",
			Example: `JSON_ARRAY_APPEND('{"a":[1]}', '$.a', 2)`, Result: `{"a":[1,2]}`, bind: bindModify(modifyAppend)},
		{Name: "JSON_ARRAY_INSERT", Min: 3, Max: -1, Signature: "JSON_ARRAY_INSERT(json, path, value, …) -> JSON", Doc: "With the value before the element at the path, which ends in [n].",
			Example: `JSON_ARRAY_INSERT('["a","c"]', '$[1]', 'b')`, Result: `["a","b","c"]`, bind: bindModify(modifyArrayInsert)},
		{Name: "JSON_REMOVE", Min: 2, Max: -1, Signature: "JSON_REMOVE(json, path, …) -> JSON", Doc: "Without what is at the paths.",
			Example: `JSON_REMOVE('{"a":1,"b":2}', '$.a')`, Result: `{"b":2}`, bind: simple(types.TJSON, removeKernel, asJSON, asExactPath)},
	})
}

// modifier changes doc at a path without wild cards, and returns it, or what stands in its place.
type modifier func(s *jsonScratch, doc *fastjson.Value, p jsonPath, value *fastjson.Value) (*fastjson.Value, error)

// asExactPath checks constant paths at once: they must be of one place.
func asExactPath(x Expr) (Expr, error) {
	if v, ok := constant(x); ok && v.Kind == types.Varchar {
		if p, err := parseJSONPath(v.S); err == nil && p.wild() {
			return nil, fmt.Errorf("JSON path %q is of many places; one without *, ** and ranges is needed", v.S)
		}
	}
	return asPath(x)
}

func (r *row) exactPath(arg int) (jsonPath, error) {
	p, err := r.path(arg)
	if err == nil && p.wild() {
		err = fmt.Errorf("JSON path %q is of many places; one without *, ** and ranges is needed", r.text(arg))
	}
	return p, err
}

func bindModify(modify modifier) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		if len(args)%2 == 0 {
			return nil, errors.New("needs a value for every path")
		}
		out := make([]Expr, len(args))
		for i, a := range args {
			var err error
			switch {
			case i == 0:
				out[i], err = asJSON(a)
			case i%2 == 1:
				out[i], err = asExactPath(a)
			default:
				out[i] = a
			}
			if err != nil {
				return nil, err
			}
		}
		return seesNull(types.TJSON, func(r *row) error { return modifyKernel(r, modify) })(f, out)
	}
}

func modifyKernel(r *row, modify modifier) error {
	for k := range r.args {
		if (k == 0 || k%2 == 1) && r.null(k) { // a NULL value is JSON null
			return r.retNull()
		}
	}
	doc, err := r.document(0)
	if err != nil {
		return err
	}
	s := r.json()
	s.arena.Reset()
	for k := 1; k < len(r.args); k += 2 {
		p, err := r.exactPath(k)
		if err != nil {
			return err
		}
		s.buf = r.appendJSON(s.buf[:0], k+1)
		value, err := s.parsers[k+1].ParseBytes(s.buf)
		if err != nil {
			return err
		}
		if doc, err = modify(s, doc, p, value); err != nil {
			return fmt.Errorf("%s: %w", r.fn.Name, err)
		}
	}
	dst := r.build()
	*dst = doc.MarshalTo(*dst)
	return r.done()
}

// replaceAt replaces what is at a path that leads somewhere; root is the document.
func replaceAt(root *fastjson.Value, p jsonPath, value *fastjson.Value) *fastjson.Value {
	parent := p[:max(len(p)-1, 0)].find(root)
	if len(p) == 0 {
		return value
	}
	step := p[len(p)-1]
	if step.kind == stepKey {
		parent.Set(step.key, value)
		return root
	}
	items, err := parent.Array()
	if err != nil { // [0] of what is no array is itself
		return replaceAt(root, p[:len(p)-1], value)
	}
	parent.SetArrayItem(at(step.index, step.fromLast, len(items)), value)
	return root
}

// createAt puts a value at a path where nothing is, if its parent is there: a new member, or a new last element.
func createAt(s *jsonScratch, root *fastjson.Value, p jsonPath, value *fastjson.Value) *fastjson.Value {
	parent := p[:len(p)-1].find(root)
	step := p[len(p)-1]
	switch {
	case parent == nil:
	case step.kind == stepKey:
		if parent.Type() == fastjson.TypeObject {
			parent.Set(step.key, value)
		}
	case parent.Type() == fastjson.TypeArray:
		n := len(parent.GetArray())
		if step.fromLast {
			insertItem(parent, 0, value)
		} else {
			parent.SetArrayItem(n, value)
		}
	default: // a scalar or an object becomes the first element
		return replaceAt(root, p[:len(p)-1], pair(s, parent, value, step.fromLast))
	}
	return root
}

// pair is [x, y], or [y, x] when y comes first.
func pair(s *jsonScratch, x, y *fastjson.Value, first bool) *fastjson.Value {
	if first {
		x, y = y, x
	}
	a := s.arena.NewArray()
	a.SetArrayItem(0, x)
	a.SetArrayItem(1, y)
	return a
}

// insertItem puts a value before element i.
func insertItem(array *fastjson.Value, i int, value *fastjson.Value) {
	items := array.GetArray()
	n := len(items)
	i = min(i, n)
	if i == n {
		array.SetArrayItem(n, value)
		return
	}
	array.SetArrayItem(n, items[n-1])
	items = array.GetArray()
	copy(items[i+1:], items[i:n])
	array.SetArrayItem(i, value)
}

func modifySet(s *jsonScratch, doc *fastjson.Value, p jsonPath, value *fastjson.Value) (*fastjson.Value, error) {
	if p.find(doc) != nil {
		return replaceAt(doc, p, value), nil
	}
	return createAt(s, doc, p, value), nil
}

func modifyInsert(s *jsonScratch, doc *fastjson.Value, p jsonPath, value *fastjson.Value) (*fastjson.Value, error) {
	if p.find(doc) != nil {
		return doc, nil
	}
	return createAt(s, doc, p, value), nil
}

func modifyReplace(_ *jsonScratch, doc *fastjson.Value, p jsonPath, value *fastjson.Value) (*fastjson.Value, error) {
	if p.find(doc) == nil {
		return doc, nil
	}
	return replaceAt(doc, p, value), nil
}

func modifyAppend(s *jsonScratch, doc *fastjson.Value, p jsonPath, value *fastjson.Value) (*fastjson.Value, error) {
	v := p.find(doc)
	switch {
	case v == nil:
		return doc, nil
	case v.Type() == fastjson.TypeArray:
		v.SetArrayItem(len(v.GetArray()), value)
		return doc, nil
	}
	return replaceAt(doc, p, pair(s, v, value, false)), nil
}

func modifyArrayInsert(_ *jsonScratch, doc *fastjson.Value, p jsonPath, value *fastjson.Value) (*fastjson.Value, error) {
	if len(p) == 0 || p[len(p)-1].kind != stepIndex {
		return nil, errors.New("the path must end in [n]")
	}
	step := p[len(p)-1]
	array := p[:len(p)-1].find(doc)
	if array == nil || array.Type() != fastjson.TypeArray {
		return doc, nil
	}
	insertItem(array, max(at(step.index, step.fromLast, len(array.GetArray())), 0), value)
	return doc, nil
}

func removeKernel(r *row) error {
	doc, err := r.document(0)
	if err != nil {
		return err
	}
	for k := 1; k < len(r.args); k++ {
		p, err := r.exactPath(k)
		if err != nil {
			return err
		}
		if len(p) == 0 {
			return errors.New("JSON_REMOVE: the path $ is the whole document")
		}
		step := p[len(p)-1]
		parent := p[:len(p)-1].find(doc)
		switch {
		case parent == nil:
		case step.kind == stepKey && parent.Type() == fastjson.TypeObject:
			parent.Del(step.key)
		case step.kind == stepIndex && parent.Type() == fastjson.TypeArray:
			if i := at(step.index, step.fromLast, len(parent.GetArray())); i >= 0 {
				parent.Del(strconv.Itoa(i))
			}
		}
	}
	dst := r.build()
	*dst = doc.MarshalTo(*dst)
	return r.done()
}
