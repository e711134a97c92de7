package json

import (
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Keys writes the key of one column as its JSON value ("a", 1) and the key of several as an object, and reads either; an
// object with a field of the column's name is understood for one column as well.
type Keys struct {
	encoder *Encoder
	decoder *Decoder
	single  *column
	double  bool             // a column is a DOUBLE and must be written as format.KeyDouble
	swapped []*vector.Vector // scratch for that
}

// NewKeys makes the keys of columns in order.
func NewKeys(cols []format.Column) (*Keys, error) {
	k := &Keys{}
	flat := make([]format.Column, len(cols))
	for i, c := range cols {
		if err := format.CheckKeyType(c); err != nil {
			return nil, err
		}
		c.Path = nil // a field of a value has no path in the key
		flat[i] = c
		k.double = k.double || c.Type.Kind == types.Double
	}
	var err error
	if k.encoder, err = NewEncoder(flat, nil); err != nil {
		return nil, err
	}
	if k.decoder, err = NewDecoder(flat); err != nil {
		return nil, err
	}
	if len(cols) == 1 {
		k.single = &k.decoder.columns[0]
	}
	return k, nil
}

// AppendKey implements format.KeyFormat.
func (k *Keys) AppendKey(dst []byte, cols []*vector.Vector, row int) ([]byte, bool) {
	if k.double {
		cols, row = k.canonical(cols, row)
	}
	if k.single == nil {
		out, _ := k.encoder.encode(dst, cols, row) // keys hold no documents
		return out, true
	}
	if cols[0].IsNull(row) {
		return dst, false
	}
	return k.encoder.value(dst, &k.encoder.members[0], cols[0], row), true
}

// canonical is the row with its doubles in the form that stands for all their equals, as row 0 of other vectors.
func (k *Keys) canonical(cols []*vector.Vector, row int) ([]*vector.Vector, int) {
	if k.swapped == nil {
		for _, c := range cols {
			k.swapped = append(k.swapped, vector.New(c.Type, 1))
		}
	}
	for i, c := range cols {
		v := k.swapped[i]
		v.Reset()
		v.AppendFrom(c, row)
		if c.Type.Kind == types.Double {
			v.Floats[0] = format.KeyDouble(v.Floats[0])
		}
	}
	return k.swapped, 0
}

// DecodeKey implements format.KeyFormat.
func (k *Keys) DecodeKey(key []byte, cols []*vector.Vector) error {
	if key == nil {
		for _, c := range cols {
			c.AppendNull()
		}
		return nil
	}
	d := k.decoder
	d.s = key
	i := d.space(0)
	if k.single == nil || i < len(key) && key[i] == '{' {
		return d.Decode(key, cols)
	}
	defer func() { d.s = nil }()
	var v span
	if i = d.value(i, 0, &v); i >= 0 {
		if i = d.space(i); i < len(key) {
			i = d.fail(i, "there is more text after the JSON value")
		}
	}
	if i < 0 {
		return d.malformed()
	}
	return d.convert(k.single, &v, cols[0])
}
