package protobuf

import (
	"math"
	"strings"

	"github.com/valyala/fastjson"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
)

// nested writes JSON documents, which is how nested columns are carried, as fields. What does not fit is a *format.BadRecord;
// names that a message does not have are left out.
type nested struct {
	parser fastjson.Parser
	writer
	name    string
	scalars map[*field]*registry.Scalar
	depth   int
}

func (x *nested) append(dst []byte, f *field, text []byte) ([]byte, error) {
	v, err := x.parser.ParseBytes(text)
	if err != nil {
		return dst, registry.Unfit(x.name, format.Malformed, "%s is not a JSON text", format.Shown(text))
	}
	x.depth = 0
	return x.field(dst, f, v)
}

func (x *nested) misfit(f *field, v *fastjson.Value) error {
	return registry.Unfit(x.name, format.WrongType, "it holds %s where the schema wants %s", v.Type(), f)
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
			return dst, registry.Unfit(x.name, format.WrongType, "an array of Protocol Buffers does not hold null")
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
		var s *registry.Scalar
		if s, err = x.scalar(key); err != nil {
			return
		}
		s.Row.Reset()
		if err = s.Text(s.Row, name); err != nil {
			return
		}
		if dst, err = x.writer.one(dst, key, x.name, s.Row, 0); err != nil {
			return
		}
		if inner.Type() == fastjson.TypeNull && value.message == nil {
			err = registry.Unfit(x.name, format.WrongType, "a map of Protocol Buffers does not hold null")
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
		s, err := x.scalar(f)
		if err == nil {
			err = s.Fill(v)
		}
		if err != nil {
			return dst, err
		}
		return x.writer.one(dst, f, x.name, s.Row, 0)
	}
	if x.depth++; x.depth > maxDepth {
		return dst, registry.Unfit(x.name, format.WrongType, "messages lie too deep in each other")
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

func (x *nested) scalar(f *field) (*registry.Scalar, error) {
	if s, ok := x.scalars[f]; ok {
		return s, nil
	}
	t, err := f.one(nil)
	if err != nil {
		return nil, err
	}
	s, err := registry.NewScalar(x.name, t)
	x.scalars[f] = s
	return s, err
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
		return dst, registry.Unfit(x.name, format.WrongType, "%s in a nested column is not written", f)
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
				return dst, registry.Unfit(x.name, format.WrongType, "it lacks the field %s of %s", fd.name, m.desc.FullName())
			}
			continue
		}
		if fd.oneof >= 0 {
			if fd.oneof == chosen {
				return dst, registry.Unfit(x.name, format.WrongType, "two members of the oneof %s have values", fd.desc.ContainingOneof().Name())
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
