package protobuf

import (
	"encoding/base64"
	"math"
	"strings"

	"github.com/valyala/fastjson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// nested writes JSON documents, which is how nested columns are carried, as fields. What does not fit is a *format.BadRecord;
// names that a message does not have are left out.
type nested struct {
	parser fastjson.Parser
	writer
	name   string
	shapes map[*field]*shape
	depth  int
}

// shape is a scalar with what it needs on the way from JSON: a column of one row.
type shape struct {
	cell format.Cell
	v    *vector.Vector
}

func (x *nested) append(dst []byte, f *field, text []byte) ([]byte, error) {
	v, err := x.parser.ParseBytes(text)
	if err != nil {
		return dst, unfit(x.name, format.Malformed, "%s is not a JSON text", format.Shown(text))
	}
	x.depth = 0
	return x.field(dst, f, v)
}

func (x *nested) misfit(f *field, v *fastjson.Value) error {
	return unfit(x.name, format.WrongType, "it holds %s where the schema wants %s", v.Type(), f)
}

// field appends a field, however often it stands.
func (x *nested) field(dst []byte, f *field, v *fastjson.Value) ([]byte, error) {
	switch {
	case v.Type() == fastjson.TypeNull && !(f.message != nil && f.message.special == anyValue):
		if f.required() {
			return dst, x.misfit(f, v)
		}
		return dst, nil
	case f.entries:
		return x.entries(dst, f, v)
	case !f.list:
		return x.one(dst, f, v)
	}
	items, err := v.Array()
	if err != nil {
		return dst, x.misfit(f, v)
	}
	for _, item := range items {
		if item.Type() == fastjson.TypeNull && f.message == nil {
			return dst, unfit(x.name, format.WrongType, "an array of Protocol Buffers does not hold null")
		}
		if dst, err = x.one(dst, f, item); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (x *nested) entries(dst []byte, f *field, v *fastjson.Value) ([]byte, error) {
	o, err := v.Object()
	if err != nil {
		return dst, x.misfit(f, v)
	}
	key, value := &f.message.fields[0], &f.message.fields[1]
	o.Visit(func(name []byte, inner *fastjson.Value) {
		if err != nil {
			return
		}
		at := len(dst)
		var s *shape
		if s, err = x.shape(key); err != nil {
			return
		}
		s.v.Reset()
		if key.kind == protoreflect.StringKind {
			s.v.AppendBytes(name)
		} else if err = s.cell.Text(s.v, name); err != nil {
			return
		}
		if dst, err = x.writer.one(dst, key, x.name, s.v, 0); err != nil {
			return
		}
		if inner.Type() == fastjson.TypeNull && value.message == nil {
			err = unfit(x.name, format.WrongType, "a map of Protocol Buffers does not hold null")
			return
		}
		if dst, err = x.field(dst, value, inner); err == nil {
			dst = wrap(dst, at, f)
		}
	})
	return dst, err
}

// one appends one value of a field.
func (x *nested) one(dst []byte, f *field, v *fastjson.Value) ([]byte, error) {
	if f.message == nil || f.message.scalar() {
		s, err := x.shape(f)
		if err != nil {
			return dst, err
		}
		s.v.Reset()
		if err := x.fill(f, s, v); err != nil {
			return dst, err
		}
		return x.writer.one(dst, f, x.name, s.v, 0)
	}
	if x.depth++; x.depth > maxDepth {
		return dst, unfit(x.name, format.WrongType, "messages lie too deep in each other")
	}
	at := len(dst)
	dst, err := x.message(dst, f, v)
	x.depth--
	return wrap(dst, at, f), err
}

// scalar says whether a message stands for one value that a column holds.
func (m *message) scalar() bool {
	switch m.special {
	case timestamp, calendarDate, timeOfDay, wrapper:
		return true
	}
	return false
}

func (x *nested) shape(f *field) (*shape, error) {
	if s, ok := x.shapes[f]; ok {
		return s, nil
	}
	t, err := f.one(nil)
	if err != nil {
		return nil, err
	}
	s := &shape{v: vector.New(t, 1)}
	s.cell, err = format.NewCell(format.Column{Name: x.name, Type: t})
	x.shapes[f] = s
	return s, err
}

// fill converts a JSON scalar to the column of one row.
func (x *nested) fill(f *field, s *shape, v *fastjson.Value) error {
	switch v.Type() {
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return s.cell.Bool(s.v, v.Type() == fastjson.TypeTrue)
	case fastjson.TypeNumber:
		x.scratch = v.MarshalTo(x.scratch[:0])
		return s.cell.Number(s.v, x.scratch)
	case fastjson.TypeString:
		text, err := v.StringBytes()
		if err != nil {
			return err
		}
		if s.cell.Type.Kind != types.Varbinary {
			return s.cell.Text(s.v, text)
		}
		if x.scratch, err = base64.StdEncoding.AppendDecode(x.scratch[:0], text); err != nil {
			return unfit(x.name, format.WrongType, "%s is not base64", format.Shown(text))
		}
		s.v.AppendBytes(x.scratch)
		return nil
	}
	return x.misfit(f, v)
}

// message appends the content of a message.
func (x *nested) message(dst []byte, f *field, v *fastjson.Value) ([]byte, error) {
	m := f.message
	switch m.special {
	case anyStruct, anyList:
		return x.field(dst, &m.fields[0], v)
	case anyValue:
		return x.any(dst, m, v)
	case duration, decimal:
		return dst, unfit(x.name, format.WrongType, "%s in a nested column is not written", f)
	}
	o, err := v.Object()
	if err != nil {
		return dst, x.misfit(f, v)
	}
	chosen := -1
	for i := range m.fields {
		fd := &m.fields[i]
		inner := member(o, fd.name)
		if inner == nil || inner.Type() == fastjson.TypeNull {
			if fd.required() {
				return dst, unfit(x.name, format.WrongType, "it lacks the field %s of %s", fd.name, m.desc.FullName())
			}
			continue
		}
		if fd.oneof >= 0 {
			if fd.oneof == chosen {
				return dst, unfit(x.name, format.WrongType, "two members of the oneof %s have values", fd.desc.ContainingOneof().Name())
			}
			chosen = fd.oneof
		}
		if dst, err = x.field(dst, fd, inner); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func member(o *fastjson.Object, name string) *fastjson.Value {
	if v := o.Get(name); v != nil {
		return v
	}
	var found *fastjson.Value
	o.Visit(func(key []byte, v *fastjson.Value) {
		if found == nil && strings.EqualFold(string(key), name) {
			found = v
		}
	})
	return found
}

// any appends the content of a google.protobuf.Value.
func (x *nested) any(dst []byte, m *message, v *fastjson.Value) ([]byte, error) {
	field := map[fastjson.Type]int{
		fastjson.TypeNull: 0, fastjson.TypeNumber: 1, fastjson.TypeString: 2, fastjson.TypeTrue: 3, fastjson.TypeFalse: 3, fastjson.TypeObject: 4, fastjson.TypeArray: 5,
	}[v.Type()]
	f := &m.fields[field]
	switch field {
	case 0:
		return protowire.AppendVarint(protowire.AppendTag(dst, f.number, f.wire), 0), nil
	case 1:
		n, err := v.Float64()
		if err != nil {
			return dst, x.misfit(f, v)
		}
		return protowire.AppendFixed64(protowire.AppendTag(dst, f.number, f.wire), math.Float64bits(n)), nil
	}
	return x.one(dst, f, v)
}
