package avro

import (
	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
)

// nested writes JSON documents, which is how nested columns are carried, as values of a type. What does not fit the type is
// a *format.BadRecord; fields of an object that a record does not have are left out.
type nested struct {
	root   *shape
	parser fastjson.Parser
	writer
	field string
	depth int
}

// shape is a type with what its scalars need on the way from JSON.
type shape struct {
	n      *node
	inner  []*shape // fields of a record, branches of a union, items
	scalar *registry.Scalar
}

func newNested(n *node, field string) (*nested, error) {
	x := &nested{field: field}
	var err error
	x.root, err = newShape(n, field, map[*node]*shape{})
	return x, err
}

func newShape(n *node, field string, made map[*node]*shape) (*shape, error) {
	if s, ok := made[n]; ok {
		return s, nil
	}
	s := &shape{n: n}
	made[n] = s
	var inside []*node
	switch n.kind {
	case null:
		return s, nil
	case record:
		for _, f := range n.fields {
			inside = append(inside, f.node)
		}
	case union:
		inside = n.branches
	case array, mapping:
		inside = []*node{n.items}
	default:
		t, err := n.sqlType(nil)
		if err == nil {
			s.scalar, err = registry.NewScalar(field, t)
		}
		return s, err
	}
	for _, i := range inside {
		in, err := newShape(i, field, made)
		if err != nil {
			return nil, err
		}
		s.inner = append(s.inner, in)
	}
	return s, nil
}

func (x *nested) append(dst, text []byte) ([]byte, error) {
	v, err := x.parser.ParseBytes(text)
	if err != nil {
		return dst, registry.Unfit(x.field, format.Malformed, "%s is not a JSON text", format.Shown(text))
	}
	return x.value(dst, x.root, v)
}

func (x *nested) misfit(s *shape, v *fastjson.Value) error {
	return registry.Unfit(x.field, format.WrongType, "it holds %s where the schema wants %s", v.Type(), s.n)
}

func (x *nested) value(dst []byte, s *shape, v *fastjson.Value) ([]byte, error) {
	if x.depth++; x.depth > maxDepth {
		x.depth = 0
		return dst, registry.Unfit(x.field, format.WrongType, "values lie too deep in each other")
	}
	dst, err := x.inside(dst, s, v)
	x.depth--
	if err != nil {
		x.depth = 0
	}
	return dst, err
}

func (x *nested) inside(dst []byte, s *shape, v *fastjson.Value) ([]byte, error) {
	switch s.n.kind {
	case union:
		for i, b := range s.inner {
			if b.fits(v) {
				return x.value(appendLong(dst, int64(i)), b, v)
			}
		}
		return dst, x.misfit(s, v)
	case null:
		if v.Type() == fastjson.TypeNull {
			return dst, nil
		}
		return dst, x.misfit(s, v)
	case record:
		return x.record(dst, s, v)
	case array:
		return x.array(dst, s, v)
	case mapping:
		return x.mapping(dst, s, v)
	}
	if err := s.scalar.Fill(v); err != nil {
		return dst, err
	}
	return x.scalar(dst, s.n, x.field, s.scalar.Row, 0)
}

// fits says whether a branch of a union is the one for a JSON value.
func (s *shape) fits(v *fastjson.Value) bool {
	switch v.Type() {
	case fastjson.TypeNull:
		return s.n.kind == null
	case fastjson.TypeObject:
		return s.n.kind == record || s.n.kind == mapping
	case fastjson.TypeArray:
		return s.n.kind == array
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return s.n.kind == boolean
	case fastjson.TypeNumber:
		return s.n.kind == integer || s.n.kind == float || s.n.kind == double || s.n.logical == decimal
	}
	return s.n.kind == text || s.n.kind == enum || s.n.kind == octets || s.n.kind == fixed || s.n.logical != plain
}

func (x *nested) record(dst []byte, s *shape, v *fastjson.Value) ([]byte, error) {
	o, err := v.Object()
	if err != nil {
		return dst, x.misfit(s, v)
	}
	for i := range s.n.fields {
		f := &s.n.fields[i]
		inner := o.Get(f.name)
		switch {
		case inner != nil:
			if dst, err = x.value(dst, s.inner[i], inner); err != nil {
				return dst, err
			}
		case f.fallback != nil:
			dst = append(dst, f.fallback...)
		case f.node.kind == union && f.node.nullAt >= 0:
			dst = appendLong(dst, int64(f.node.nullAt))
		default:
			return dst, registry.Unfit(x.field, format.WrongType, "it lacks the field %s of %s", f.name, s.n)
		}
	}
	return dst, nil
}

func (x *nested) array(dst []byte, s *shape, v *fastjson.Value) ([]byte, error) {
	items, err := v.Array()
	if err != nil {
		return dst, x.misfit(s, v)
	}
	if len(items) > 0 {
		dst = appendLong(dst, int64(len(items)))
	}
	for _, item := range items {
		if dst, err = x.value(dst, s.inner[0], item); err != nil {
			return dst, err
		}
	}
	return append(dst, 0), nil
}

func (x *nested) mapping(dst []byte, s *shape, v *fastjson.Value) ([]byte, error) {
	o, err := v.Object()
	if err != nil {
		return dst, x.misfit(s, v)
	}
	if o.Len() > 0 {
		dst = appendLong(dst, int64(o.Len()))
	}
	o.Visit(func(key []byte, inner *fastjson.Value) {
		if err == nil {
			dst, err = x.value(appendBytes(dst, key), s.inner[0], inner)
		}
	})
	if err != nil {
		return dst, err
	}
	return append(dst, 0), nil
}
