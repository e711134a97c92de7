package json

import (
	"fmt"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// nested is a type inside an ARRAY, MAP or STRUCT column, or such a column itself. It turns the JSON text of a value into
// another one: when reading, the one that stands for the value in the engine (fields as declared and in that order, numbers
// and times in their one form); when writing, that one into the form that the options ask for.
type nested struct {
	scalar *inner
	typ    types.Type
	path   string // for messages
	elem   *nested
	fields fields // of a STRUCT: where its members are found
	parts  []part
}

// part is a field of a STRUCT.
type part struct {
	prefix []byte // `{"name":` or `,"name":`
	slot   int
	value  nested
}

// inner converts a scalar by way of a vector of one row.
type inner struct {
	format.Cell
	member
	row *vector.Vector
}

// newNested prepares a column's type. The column says how times are read, form (a Column.TimestampFormat) how they are
// written.
func newNested(c format.Column, form string, slots *[]span) (nested, error) {
	n := nested{typ: c.Type, path: c.Name}
	switch c.Type.Kind {
	case types.JSON:
	case types.Array, types.Map:
		in := c
		in.Type, in.Name, in.Path = *c.Type.Elem, c.Name+"[]", nil
		elem, err := newNested(in, form, slots)
		if err != nil {
			return n, err
		}
		n.elem = &elem
	case types.Struct:
		for i, f := range c.Type.Fields {
			p := part{prefix: memberPrefix(i, f.Name), slot: n.fields.want([]string{f.Name}, len(*slots))}
			*slots = append(*slots, span{})
			in := c
			in.Type, in.Name, in.Path = f.Type, c.Name+"."+f.Name, nil
			var err error
			if p.value, err = newNested(in, form, slots); err != nil {
				return n, err
			}
			n.parts = append(n.parts, p)
		}
	default:
		cell, err := format.NewCell(c)
		if err != nil {
			return n, err
		}
		c.TimestampFormat = form
		out, err := newMember(c)
		if err != nil {
			return n, err
		}
		n.scalar = &inner{cell, out, vector.New(c.Type, 1)}
	}
	return n, nil
}

// nested appends the value v of the text at hand as n writes it.
func (d *Decoder) nested(dst []byte, n *nested, v *span, depth int) ([]byte, error) {
	if v.kind == null || v.kind == missing {
		return append(dst, "null"...), nil
	}
	if n.scalar != nil {
		return d.inner(dst, n.scalar, v)
	}
	s := d.whole(v)
	switch {
	case n.typ.Kind == types.JSON:
		if !utf8.Valid(s) {
			return dst, n.bad(format.InvalidUTF8, "%s is not valid UTF-8", format.Shown(s))
		}
		return compact(dst, s), nil
	case n.typ.Kind == types.Array && s[0] == '[':
		return d.elements(dst, n, v.from, depth)
	case n.typ.Kind == types.Map && s[0] == '{':
		return d.entries(dst, n, v.from, depth)
	case n.typ.Kind == types.Struct && s[0] == '{':
		return d.parts(dst, n, v.from, depth)
	}
	return dst, n.bad(format.WrongType, "%s is not a %s", format.Shown(s), n.typ)
}

func (n *nested) bad(reason format.Reason, text string, args ...any) error {
	return &format.BadRecord{Reason: reason, Field: n.path, Err: fmt.Errorf(text, args...)}
}

// inner appends a scalar.
func (d *Decoder) inner(dst []byte, c *inner, v *span) ([]byte, error) {
	c.row.Reset()
	if err := d.scalar(&c.Cell, v, c.row); err != nil {
		return dst, err
	}
	return d.out.value(dst, &c.member, c.row, 0), nil
}

// elements appends the elements of the array at i. The text was checked before.
func (d *Decoder) elements(dst []byte, n *nested, i, depth int) ([]byte, error) {
	dst = append(dst, '[')
	var err error
	for i = d.space(i + 1); d.s[i] != ']'; {
		var v span
		i = d.space(d.value(i, depth, &v))
		if dst, err = d.nested(dst, n.elem, &v, depth+1); err != nil {
			return dst, err
		}
		if d.s[i] == ',' {
			dst = append(dst, ',')
			i = d.space(i + 1)
		}
	}
	return append(dst, ']'), nil
}

// entries appends the members of the object at i.
func (d *Decoder) entries(dst []byte, n *nested, i, depth int) ([]byte, error) {
	dst = append(dst, '{')
	var err error
	for i = d.space(i + 1); d.s[i] != '}'; {
		var name, v span
		i = d.name(i, &name)
		key := d.s[name.from:name.to]
		if !utf8.Valid(key) {
			return dst, n.bad(format.InvalidUTF8, "the name %s is not valid UTF-8", format.Shown(key))
		}
		if name.kind == escaped {
			d.scratch = unescape(d.scratch[:0], key)
			key = d.scratch
		}
		dst = append(AppendString(dst, key), ':')
		i = d.space(d.value(i, depth, &v))
		if dst, err = d.nested(dst, n.elem, &v, depth+1); err != nil {
			return dst, err
		}
		if d.s[i] == ',' {
			dst = append(dst, ',')
			i = d.space(i + 1)
		}
	}
	return append(dst, '}'), nil
}

// parts appends the declared fields of the object at i, in their order.
func (d *Decoder) parts(dst []byte, n *nested, i, depth int) ([]byte, error) {
	n.fields.forget(d.slots)
	d.object(&n.fields, i, depth)
	if err := d.ambiguities(&n.fields); err != nil {
		return dst, err
	}
	var err error
	for k := range n.parts {
		p := &n.parts[k]
		dst = append(dst, p.prefix...)
		if dst, err = d.nested(dst, &p.value, &d.slots[p.slot], depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// rewrite appends a document in the form that n writes.
func (d *Decoder) rewrite(dst []byte, n *nested, doc []byte) ([]byte, error) {
	d.s = doc
	var v span
	if d.value(d.space(0), 0, &v) < 0 {
		return dst, d.malformed()
	}
	return d.nested(dst, n, &v, 0)
}

// whole is the text of a value; of strings with the quotes.
func (d *Decoder) whole(v *span) []byte {
	if v.kind == text || v.kind == escaped {
		return d.s[v.from-1 : v.to+1]
	}
	return d.s[v.from:v.to]
}
