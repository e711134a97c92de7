package jsonschema

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
)

// columns are those of a topic's schema.
func columns(ctx context.Context, s format.Spec, of func(format.Spec) (registry.Place, error)) (format.Schema, error) {
	place, err := of(s)
	if err != nil {
		return format.Schema{}, err
	}
	current, err := place.Current(ctx)
	if err == nil {
		err = current.Is(registry.JSON)
	}
	if err != nil {
		return format.Schema{}, err
	}
	r := &reader{named: map[string]*fastjson.Value{}}
	for _, ref := range current.References {
		if r.named[ref.Name], err = fastjson.Parse(ref.Text); err != nil {
			return format.Schema{}, fmt.Errorf("%s: the reference %s: %w", current.Origin(), ref.Name, err)
		}
	}
	root, err := fastjson.Parse(current.Text)
	if err != nil {
		return format.Schema{}, fmt.Errorf("%s: %w", current.Origin(), err)
	}
	return r.schema(root, current.Origin()), nil
}

// reader turns a JSON Schema into types. What is no plain type is JSON.
type reader struct{ named map[string]*fastjson.Value }

// place is a schema in its document, which its references are relative to.
type place struct{ node, document *fastjson.Value }

func (r *reader) schema(root *fastjson.Value, origin string) format.Schema {
	out := format.Schema{Origin: origin}
	at := r.resolve(place{root, root})
	properties := at.node.GetObject("properties")
	if properties == nil {
		out.Columns = []types.Column{{Type: r.typeOf(place{root, root}, nil)}}
		return out
	}
	properties.Visit(func(name []byte, v *fastjson.Value) {
		out.Columns = append(out.Columns, types.Column{Name: string(name), Type: r.typeOf(place{v, at.document}, []*fastjson.Value{at.node})})
	})
	return out
}

const mostSteps = 100

// resolve follows references, and goes from a choice of null and one other schema to that one.
func (r *reader) resolve(p place) place {
	for range mostSteps {
		if ref := string(p.node.GetStringBytes("$ref")); ref != "" {
			file, path, _ := strings.Cut(ref, "#")
			if file != "" {
				if r.named[file] == nil {
					return p
				}
				p.document = r.named[file]
			}
			var keys []string
			for key := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
				if key != "" {
					keys = append(keys, strings.NewReplacer("~1", "/", "~0", "~").Replace(key))
				}
			}
			node := p.document.Get(keys...)
			if node == nil {
				return p
			}
			p.node = node
			continue
		}
		one := only(p.node)
		if one == nil {
			return p
		}
		p.node = one
	}
	return p
}

// only is the one schema beside null of a oneOf or anyOf; nil: there is no such.
func only(node *fastjson.Value) *fastjson.Value {
	for _, word := range []string{"oneOf", "anyOf"} {
		var others []*fastjson.Value
		for _, v := range node.GetArray(word) {
			if string(v.GetStringBytes("type")) != "null" {
				others = append(others, v)
			}
		}
		if len(others) == 1 {
			return others[0]
		}
	}
	return nil
}

// kinds are the types that a schema allows, null apart.
func kinds(node *fastjson.Value) []string {
	t := node.Get("type")
	if t == nil {
		return nil
	}
	var out []string
	for _, v := range append(t.GetArray(), t) {
		if s := string(v.GetStringBytes()); s != "" && s != "null" {
			out = append(out, s)
		}
	}
	return out
}

func (r *reader) typeOf(p place, within []*fastjson.Value) types.Type {
	p = r.resolve(p)
	k := kinds(p.node)
	if len(k) != 1 || slices.Contains(within, p.node) {
		return types.TJSON
	}
	switch k[0] {
	case "boolean":
		return types.TBoolean
	case "integer":
		return integer(p.node)
	case "number":
		return number(p.node)
	case "string":
		return text(p.node)
	case "array":
		if items := p.node.Get("items"); items != nil && items.Type() == fastjson.TypeObject {
			elem := r.typeOf(place{items, p.document}, append(within[:len(within):len(within)], p.node))
			return types.Type{Kind: types.Array, Elem: &elem}
		}
	case "object":
		return r.object(p, append(within[:len(within):len(within)], p.node))
	}
	return types.TJSON
}

func (r *reader) object(p place, within []*fastjson.Value) types.Type {
	properties := p.node.GetObject("properties")
	if properties == nil || properties.Len() == 0 {
		more := p.node.Get("additionalProperties")
		if more == nil || more.Type() != fastjson.TypeObject {
			return types.TJSON
		}
		elem := r.typeOf(place{more, p.document}, within)
		return types.Type{Kind: types.Map, Elem: &elem}
	}
	t := types.Type{Kind: types.Struct}
	properties.Visit(func(name []byte, v *fastjson.Value) {
		t.Fields = append(t.Fields, types.Field{Name: string(name), Type: r.typeOf(place{v, p.document}, within)})
	})
	return t
}

func integer(node *fastjson.Value) types.Type {
	switch string(node.GetStringBytes("connect.type")) {
	case "int8":
		return types.Type{Kind: types.Int, Bits: 8}
	case "int16":
		return types.Type{Kind: types.Int, Bits: 16}
	case "int32":
		return types.TInt
	}
	if low := node.Get("minimum"); low != nil && low.GetFloat64() >= 0 && node.Get("connect.type") == nil {
		return types.TUBigInt
	}
	return types.TBigInt
}

func number(node *fastjson.Value) types.Type {
	if unit := node.Get("multipleOf"); unit != nil {
		s := unit.String()
		if s == "1" {
			return types.TDecimal(types.MaxDecimalDigits, 0)
		}
		if digits, ok := strings.CutPrefix(s, "0."); ok && strings.Trim(digits, "0") == "1" && strings.HasSuffix(digits, "1") && len(digits) <= 30 {
			return types.TDecimal(types.MaxDecimalDigits, len(digits))
		}
	}
	if string(node.GetStringBytes("connect.type")) == "float32" {
		return types.Type{Kind: types.Double, Bits: 32}
	}
	return types.TDouble
}

func text(node *fastjson.Value) types.Type {
	switch {
	case string(node.GetStringBytes("format")) == "date-time":
		return types.Type{Kind: types.Timestamp, Precision: 6}
	case string(node.GetStringBytes("format")) == "date":
		return types.TDate
	case string(node.GetStringBytes("contentEncoding")) == "base64":
		return types.TVarbinary
	}
	return types.TVarchar
}
