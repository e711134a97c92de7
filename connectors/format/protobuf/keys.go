package protobuf

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Keys reads and writes keys as messages with the key's columns.
type Keys struct {
	decoder    *Decoder
	encoder    *Encoder
	unwritable error // why the schema is only for reading
}

// NewKeys makes the keys of a topic.
func NewKeys(s format.Spec) (*Keys, error) {
	place, err := registry.KeyPlace(s)
	if err != nil {
		return nil, err
	}
	flat, err := format.KeyColumns(s.Columns)
	if err != nil {
		return nil, err
	}
	k := &Keys{}
	if k.decoder, err = newDecoder(place, flat); err != nil {
		return nil, err
	}
	if k.encoder, k.unwritable = newEncoder(place, flat, nil); k.unwritable == nil {
		k.encoder.key = true
	}
	return k, nil
}

// Prepare implements format.Preparer. It refuses a schema that does not take every value of the columns.
func (k *Keys) Prepare(ctx context.Context) error {
	if k.unwritable != nil {
		return k.unwritable
	}
	if err := k.encoder.Prepare(ctx); err != nil {
		return err
	}
	for i := range k.encoder.puts {
		p := &k.encoder.puts[i]
		if len(k.encoder.puts) > 1 && p.null() != nil {
			return fmt.Errorf("the key's schema does not take NULL in field %s: declare it optional", p.name)
		}
		if !p.field.total(k.encoder.cols[p.column].Type) {
			return fmt.Errorf("the key's schema has %s for column %s, which does not take every %s", p.field, p.name, k.encoder.cols[p.column].Type)
		}
	}
	return nil
}

// total says whether a field takes every value of a SQL type: a key cannot be left out as a row can.
func (f *field) total(t types.Type) bool {
	if f.oneof >= 0 {
		return false
	}
	switch f.kind {
	case protoreflect.EnumKind:
		return false
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return t.Bits < 32 || t.Kind == types.Int && t.Bits == 32
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return t.Kind == types.Int || t.Bits < 64
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return t.Kind == types.Uint && t.Bits <= 32
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return t.Kind == types.Uint
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return f.message.special != timeOfDay && (f.message.special != wrapper || f.message.fields[0].total(t))
	}
	return true
}

// AppendKey implements format.KeyFormat.
func (k *Keys) AppendKey(dst []byte, cols []*vector.Vector, row int) ([]byte, bool) {
	if len(cols) == 1 && cols[0].IsNull(row) {
		return dst, false
	}
	out, err := k.encoder.encode(dst, cols, row)
	return out, err == nil
}

// DecodeKey implements format.KeyFormat.
func (k *Keys) DecodeKey(key []byte, cols []*vector.Vector) error {
	if key == nil {
		format.AppendNulls(cols)
		return nil
	}
	return k.decoder.Decode(key, cols)
}
