// Package primitive holds the formats of Kafka's own serialisers, for values and keys of one column. Importing it registers
// them, and 'json', which keys of several columns use.
//
//	string         plain text in UTF-8 (StringSerializer); any column that is a scalar
//	bytes, raw     the bytes as they are (ByteArraySerializer); VARBINARY or VARCHAR
//	int            4 bytes, big-endian, two's complement (IntegerSerializer); integers
//	bigint         8 bytes, big-endian, two's complement (LongSerializer); integers
//	double         8 bytes, IEEE 754, big-endian (DoubleSerializer); DOUBLE and FLOAT
//	kafka          of these the one that belongs to the column's type
package primitive

import (
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
	_ "github.com/streamsql-go/streamsql/connectors/format/json" // keys of several columns
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// codec is the serialisation of one column. It is chosen once; its functions do not allocate.
type codec struct {
	format.Cell
	fits  func(types.Type) bool
	takes string // what fits, in words
	write func(dst []byte, v *vector.Vector, row int) []byte
	read  func(c *codec, data []byte, v *vector.Vector) error
}

func init() {
	formats := []struct {
		name, doc string
		codec     func(types.Type) codec
	}{
		{"string", "plain text of one column; as a key of several columns a JSON object", textCodec},
		{"bytes", "the bytes of one column as they are", bytesCodec},
		{"raw", "the bytes of one column as they are", bytesCodec},
		{"int", "Kafka's IntegerSerializer: 4 bytes, big-endian", fixed(intCodec)},
		{"bigint", "Kafka's LongSerializer: 8 bytes, big-endian", fixed(bigintCodec)},
		{"double", "Kafka's DoubleSerializer: 8 bytes, big-endian", fixed(doubleCodec)},
		{"kafka", "Kafka's serializer for the type of the one column", kafkaCodec},
	}
	for _, f := range formats {
		format.Register(format.Format{
			Name: f.name,
			Doc:  f.doc,
			NewDecoder: func(s format.Spec) (format.Decoder, error) {
				return newDecoder(f.name, s.Columns, f.codec)
			},
			NewEncoder: func(s format.Spec, ordinals []int) (format.Encoder, error) {
				return newEncoder(f.name, s.Columns, ordinals, f.codec)
			},
			NewKeys: func(s format.Spec) (format.KeyFormat, error) {
				return newKeys(f.name, s, f.codec)
			},
		})
	}
}

func fixed(c func() codec) func(types.Type) codec { return func(types.Type) codec { return c() } }

func kafkaCodec(t types.Type) codec {
	switch {
	case (t.Kind == types.Int || t.Kind == types.Uint) && t.Bits <= 32:
		return intCodec()
	case t.Kind == types.Int || t.Kind == types.Uint:
		return bigintCodec()
	case t.Kind == types.Double:
		return doubleCodec()
	case t.Kind == types.Varbinary:
		return bytesCodec(t)
	}
	return textCodec(t)
}

// newCodec makes the codec for a column and refuses a type that the format cannot hold.
func newCodec(name string, c format.Column, choose func(types.Type) codec) (codec, error) {
	out := choose(c.Type)
	if !out.fits(c.Type) {
		return out, fmt.Errorf("format '%s' holds %s, but column '%s' is %s", name, out.takes, c.Name, c.Type)
	}
	var err error
	if out.Cell, err = format.NewCell(c); err != nil || !c.Type.Temporal() {
		return out, err
	}
	w, err := format.NewTimeWriter(c) // a temporal column fits text alone
	out.write = w.Append
	return out, err
}

type decoder struct{ columns []codec }

func newDecoder(name string, cols []format.Column, choose func(types.Type) codec) (*decoder, error) {
	if len(cols) > 1 {
		return nil, fmt.Errorf("format '%s' holds one column, not %d: declare one, or use format='json'", name, len(cols))
	}
	d := &decoder{}
	for _, c := range cols {
		one, err := newCodec(name, c, choose)
		if err != nil {
			return nil, err
		}
		d.columns = append(d.columns, one)
	}
	return d, nil
}

// Decode implements format.Decoder. Without a column every value is a row.
func (d *decoder) Decode(value []byte, cols []*vector.Vector) error {
	if len(d.columns) == 0 {
		return nil
	}
	c := &d.columns[0]
	return c.read(c, value, cols[0])
}

type encoder struct {
	codec
	ordinal int
}

func newEncoder(name string, cols []format.Column, ordinals []int, choose func(types.Type) codec) (*encoder, error) {
	if len(cols) != 1 {
		return nil, fmt.Errorf("format '%s' holds one column, not %d: select one, or use format='json'", name, len(cols))
	}
	one, err := newCodec(name, cols[0], choose)
	e := &encoder{codec: one}
	if len(ordinals) > 0 {
		e.ordinal = ordinals[0]
	}
	return e, err
}

// Encode implements format.Encoder. The value of NULL is empty.
func (e *encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	if v := b.Cols[e.ordinal]; !v.IsNull(row) {
		return e.write(dst, v, row), nil
	}
	return dst, nil
}

type keys struct{ codec }

func newKeys(name string, s format.Spec, choose func(types.Type) codec) (format.KeyFormat, error) {
	cols := s.Columns
	for _, c := range cols {
		if err := format.CheckKeyType(c); err != nil {
			return nil, err
		}
	}
	if len(cols) != 1 {
		if name != "string" {
			return nil, fmt.Errorf("key format '%s' holds one column, not %d: use key_format='json'", name, len(cols))
		}
		object, err := format.Lookup("json")
		if err != nil {
			return nil, err
		}
		return object.NewKeys(s)
	}
	one, err := newCodec(name, cols[0], choose)
	return &keys{one}, err
}

// AppendKey implements format.KeyFormat.
func (k *keys) AppendKey(dst []byte, cols []*vector.Vector, row int) ([]byte, bool) {
	if cols[0].IsNull(row) {
		return dst, false
	}
	return k.write(dst, cols[0], row), true
}

// DecodeKey implements format.KeyFormat.
func (k *keys) DecodeKey(key []byte, cols []*vector.Vector) error {
	if key == nil {
		cols[0].AppendNull()
		return nil
	}
	return k.read(&k.codec, key, cols[0])
}
