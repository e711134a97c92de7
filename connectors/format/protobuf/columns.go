package protobuf

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

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
	var f *file
	origin := place.File
	if place.File != "" {
		f, err = parseFile(place.File)
	} else {
		var current registry.Schema
		if current, err = place.Current(ctx); err != nil {
			return format.Schema{}, err
		}
		origin = current.Origin()
		f, err = usable(current)
	}
	if err == nil {
		var m *message
		if m, err = f.named(place.Name); err == nil {
			return m.schema(origin)
		}
	}
	return format.Schema{}, fmt.Errorf("%s: %w", origin, err)
}

// schema is what a message means in SQL.
func (m *message) schema(origin string) (format.Schema, error) {
	out := format.Schema{Origin: origin}
	for i := range m.fields {
		t, err := m.fields[i].sqlType([]*message{m})
		if err != nil {
			return out, fmt.Errorf("%s: field %s: %w", origin, m.fields[i].name, err)
		}
		out.Columns = append(out.Columns, types.Column{Name: m.fields[i].name, Type: t})
	}
	return out, nil
}

// sqlType is the type of a column for a field. within are the messages around it: a message inside itself is JSON.
func (f *field) sqlType(within []*message) (types.Type, error) {
	switch {
	case f.entries:
		elem, err := f.message.fields[1].one(within)
		return types.Type{Kind: types.Map, Elem: &elem}, err
	case f.list:
		elem, err := f.one(within)
		return types.Type{Kind: types.Array, Elem: &elem}, err
	}
	return f.one(within)
}

// one is the type of one value of a field.
func (f *field) one(within []*message) (types.Type, error) {
	switch f.kind {
	case protoreflect.BoolKind:
		return types.TBoolean, nil
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return types.TInt, nil
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return types.Type{Kind: types.Uint, Bits: 32}, nil
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return types.TBigInt, nil
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return types.TUBigInt, nil
	case protoreflect.FloatKind:
		return types.Type{Kind: types.Double, Bits: 32}, nil
	case protoreflect.DoubleKind:
		return types.TDouble, nil
	case protoreflect.BytesKind:
		return types.TVarbinary, nil
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return f.message.sqlType(within)
	}
	return types.TVarchar, nil // strings and enums
}

func (m *message) sqlType(within []*message) (types.Type, error) {
	switch m.special {
	case timestamp:
		return types.Type{Kind: types.Timestamp, Precision: 6}, nil
	case calendarDate:
		return types.TDate, nil
	case timeOfDay:
		return types.Type{Kind: types.Time, Precision: 6}, nil
	case duration, decimal:
		return types.TVarchar, nil // exactly, as text
	case wrapper:
		return m.fields[0].one(within)
	case ordinary:
		return m.structType(within)
	}
	return types.TJSON, nil
}

func (m *message) structType(within []*message) (types.Type, error) {
	for _, outer := range within {
		if outer == m {
			return types.TJSON, nil
		}
	}
	within = append(within[:len(within):len(within)], m)
	t := types.Type{Kind: types.Struct}
	for i := range m.fields {
		inner, err := m.fields[i].sqlType(within)
		if err != nil {
			return t, err
		}
		t.Fields = append(t.Fields, types.Field{Name: m.fields[i].name, Type: inner})
	}
	if len(t.Fields) == 0 {
		return types.TJSON, nil
	}
	return t, nil
}
