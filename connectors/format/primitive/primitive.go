// Package primitive holds the formats of Kafka's own serialisers, for values and keys of one column. Importing it registers
// them, and 'json', which keys of several columns use. Columns of the Kafka key are not in such a value: a relation may have them
// beside its one column. Kafka's null is NULL, written too: into a table it removes the row.
//
//	string         plain text in UTF-8 (StringSerializer); any column that is a scalar
//	bytes, raw     the bytes as they are (ByteArraySerializer); VARBINARY or VARCHAR
//	boolean        one byte, 0 or 1 (BooleanSerializer); BOOLEAN
//	smallint       2 bytes, big-endian, two's complement (ShortSerializer); integers of at most 16 bits
//	int            4 bytes, big-endian, two's complement (IntegerSerializer); integers of at most 32 bits
//	bigint         8 bytes, big-endian, two's complement (LongSerializer); integers
//	float          4 bytes, IEEE 754, big-endian (FloatSerializer); FLOAT
//	double         8 bytes, IEEE 754, big-endian (DoubleSerializer); DOUBLE and FLOAT
//	kafka          of these the one that belongs to the column's type
package primitive

import (
	"fmt"
	"slices"

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
		{"boolean", "Kafka's BooleanSerializer: one byte, 0 or 1", fixed(booleanCodec)},
		{"smallint", "Kafka's ShortSerializer: 2 bytes, big-endian", fixed(smallintCodec)},
		{"int", "Kafka's IntegerSerializer: 4 bytes, big-endian", fixed(intCodec)},
		{"bigint", "Kafka's LongSerializer: 8 bytes, big-endian", fixed(bigintCodec)},
		{"float", "Kafka's FloatSerializer: 4 bytes, big-endian", fixed(floatCodec)},
		{"double", "Kafka's DoubleSerializer: 8 bytes, big-endian", fixed(doubleCodec)},
		{"kafka", "Kafka's serializer for the type of the one column", kafkaCodec},
	}
	for _, f := range formats {
		format.Register(format.Format{
			Name: f.name,
			Doc:  f.doc,
			NewDecoder: func(s format.Spec) (format.Decoder, error) {
				return newDecoder(f.name, s, f.codec)
			},
			NewEncoder: func(s format.Spec, ordinals []int) (format.Encoder, error) {
				return newEncoder(f.name, s, ordinals, f.codec)
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
	case isInteger(t) && t.Bits <= 16:
		return smallintCodec()
	case isInteger(t) && t.Bits <= 32:
		return intCodec()
	case isInteger(t):
		return bigintCodec()
	case t.Kind == types.Boolean:
		return booleanCodec()
	case t.Kind == types.Double && t.Bits == 32:
		return floatCodec()
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

// one is the name of the column that a value is: the only one of the record, or the only one that the Kafka key does not hold.
func one(name string, s format.Spec) (string, error) {
	names := s.Names()
	if len(names) > 1 {
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(s.Key, n) })
	}
	if len(names) != 1 {
		return "", fmt.Errorf("format '%s' holds one column beside those of the Kafka key, not %d: declare one, name the others in key='…', or use format='json'", name, len(names))
	}
	return names[0], nil
}

// decoder reads the value as one column; the columns of the Kafka key are left NULL, to be filled from it.
type decoder struct {
	codec
	value int // index of the column, -1: nobody wants it
}

func newDecoder(name string, s format.Spec, choose func(types.Type) codec) (*decoder, error) {
	d := &decoder{value: -1}
	if len(s.Names()) == 0 {
		return d, nil
	}
	value, err := one(name, s)
	if err != nil {
		return nil, err
	}
	for i, c := range s.Columns {
		if c.FieldPath()[0] != value {
			continue
		}
		if d.codec, err = newCodec(name, c, choose); err != nil {
			return nil, err
		}
		d.value = i
	}
	return d, nil
}

// Decode implements format.Decoder.
func (d *decoder) Decode(value []byte, cols []*vector.Vector) error {
	if d.value >= 0 {
		if err := d.read(&d.codec, value, cols[d.value]); err != nil {
			return err
		}
	}
	for i, v := range cols {
		if i != d.value {
			v.AppendNull()
		}
	}
	return nil
}

// encoder writes one column; NULL is Kafka's null.
type encoder struct {
	codec
	ordinal int
}

var _ format.NullEncoder = (*encoder)(nil)

func newEncoder(name string, s format.Spec, ordinals []int, choose func(types.Type) codec) (*encoder, error) {
	value, err := one(name, s)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(s.Columns, func(c format.Column) bool { return c.Name == value })
	if at < 0 {
		return nil, fmt.Errorf("column '%s' is not among those to be written", value)
	}
	e := &encoder{ordinal: at}
	if ordinals != nil {
		e.ordinal = ordinals[at]
	}
	e.codec, err = newCodec(name, s.Columns[at], choose)
	return e, err
}

// Encode implements format.Encoder.
func (e *encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	if v := b.Cols[e.ordinal]; !v.IsNull(row) {
		return e.write(dst, v, row), nil
	}
	return dst, nil
}

// Null implements format.NullEncoder.
func (e *encoder) Null(b *vector.Batch, row int) bool { return b.Cols[e.ordinal].IsNull(row) }

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
