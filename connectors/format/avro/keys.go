package avro

import (
	"context"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Keys reads and writes keys: of one column a value, of several a record. A record with a field of the column's name is read for
// one column too.
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
	if k.encoder, k.unwritable = newEncoder(place, flat, nil, keySchema); k.encoder != nil {
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
	return k.encoder.total()
}

// total refuses a schema of keys that some value of the columns does not fit: a key cannot be left out as a row can.
func (e *Encoder) total() error {
	if e.root.column >= 0 {
		return e.root.total(e.cols[0])
	}
	for i := range e.root.fields {
		f := &e.root.fields[i]
		if f.column < 0 {
			continue
		}
		if f.n.kind != union || f.n.nullAt < 0 {
			return fmt.Errorf("the key's schema does not take NULL in field %s: give it the type [\"null\", …]", f.field)
		}
		if err := f.total(e.cols[f.column]); err != nil {
			return err
		}
	}
	return nil
}

func (p *put) total(c format.Column) error {
	ok := true
	switch v := p.value; {
	case v.kind == enum || v.kind == fixed:
		ok = false
	case v.kind == integer && v.logical == plain:
		ok = !v.short && (c.Type.Kind == types.Int || c.Type.Bits < 64) || v.short && (c.Type.Bits < 32 || c.Type.Kind == types.Int && c.Type.Bits == 32)
	case v.logical == decimal && c.Type.Kind == types.Decimal:
		ok = v.digits-v.scale >= int(c.Type.Precision)-int(c.Type.Scale) && v.scale >= int(c.Type.Scale)
	case v.logical == decimal:
		ok = v.digits-v.scale >= 20
	}
	if !ok {
		return fmt.Errorf("the key's schema has %s for column %s, which does not take every %s", p.value, c.Name, c.Type)
	}
	return nil
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
