package avro

import (
	"context"
	"errors"
	"fmt"

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
	if place.File != "" {
		n, err := parseFile(place.File)
		if err != nil {
			return format.Schema{}, err
		}
		return n.schema(place.File)
	}
	current, err := place.Current(ctx)
	if err != nil {
		return format.Schema{}, err
	}
	n, err := usable(current)
	if err != nil {
		return format.Schema{}, fmt.Errorf("%s: %w", current.Origin(), err)
	}
	return n.schema(current.Origin())
}

// schema is what a schema means in SQL.
func (n *node) schema(origin string) (format.Schema, error) {
	out := format.Schema{Origin: origin}
	if n.optional != nil {
		n = n.optional
	}
	if n.kind != record {
		t, err := n.sqlType(nil)
		if err != nil {
			return out, fmt.Errorf("%s: %w", origin, err)
		}
		out.Columns = []types.Column{{Type: t}}
		return out, nil
	}
	for _, f := range n.fields {
		t, err := f.node.sqlType([]*node{n})
		if err != nil {
			return out, fmt.Errorf("%s: field %s: %w", origin, f.name, err)
		}
		out.Columns = append(out.Columns, types.Column{Name: f.name, Type: t})
	}
	return out, nil
}

var errDuration = errors.New("a duration has no SQL type: declare the columns, this one as VARBINARY for its 12 bytes or not at all")

// sqlType is the type of a column for a type's values. within are the records around it: a record inside itself, and a union of
// several types, are JSON.
func (n *node) sqlType(within []*node) (types.Type, error) {
	switch n.kind {
	case boolean:
		return types.TBoolean, nil
	case integer:
		return n.integerType(), nil
	case float:
		return types.Type{Kind: types.Double, Bits: 32}, nil
	case double:
		return types.TDouble, nil
	case text, enum:
		return types.TVarchar, nil
	case octets, fixed:
		return n.bytesType()
	case array, mapping:
		elem, err := n.items.sqlType(within)
		if err != nil {
			return types.Type{}, err
		}
		kinds := map[kind]types.Kind{array: types.Array, mapping: types.Map}
		return types.Type{Kind: kinds[n.kind], Elem: &elem}, nil
	case record:
		return n.structType(within)
	case union:
		if n.optional != nil {
			return n.optional.sqlType(within)
		}
		if len(n.branches) == 1 {
			return n.branches[0].sqlType(within)
		}
	}
	return types.TJSON, nil
}

func (n *node) integerType() types.Type {
	switch n.logical {
	case date:
		return types.TDate
	case timeMillis:
		return types.Type{Kind: types.Time, Precision: 3}
	case timeMicros:
		return types.Type{Kind: types.Time, Precision: 6}
	case timestampMillis:
		return types.TTimestamp
	case timestampMicros, timestampNanos:
		return types.Type{Kind: types.Timestamp, Precision: 6}
	}
	if n.short {
		return types.TInt
	}
	return types.TBigInt
}

func (n *node) bytesType() (types.Type, error) {
	switch {
	case n.logical == duration:
		return types.Type{}, errDuration
	case n.logical == decimal && n.digits <= types.MaxDecimalDigits:
		return types.TDecimal(n.digits, n.scale), nil
	case n.logical == decimal, n.logical == uuid:
		return types.TVarchar, nil // more digits than a DECIMAL has: as text, exactly
	case n.kind == fixed:
		return types.Type{Kind: types.Varbinary, Length: n.size}, nil
	}
	return types.TVarbinary, nil
}

func (n *node) structType(within []*node) (types.Type, error) {
	for _, outer := range within {
		if outer == n {
			return types.TJSON, nil
		}
	}
	within = append(within[:len(within):len(within)], n)
	t := types.Type{Kind: types.Struct}
	for _, f := range n.fields {
		inner, err := f.node.sqlType(within)
		if err != nil {
			return t, fmt.Errorf("%s: %w", f.name, err)
		}
		t.Fields = append(t.Fields, types.Field{Name: f.name, Type: inner})
	}
	if len(t.Fields) == 0 {
		return types.TJSON, nil
	}
	return t, nil
}
