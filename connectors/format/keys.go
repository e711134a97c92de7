package format

import (
	"bytes"
	"fmt"
	"math"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// KeyFormat writes and reads record keys. It is a function of the typed values alone: values that are equal in SQL have
// equal bytes (-0 is written as 0, every NaN alike), so a partition computed from the bytes is one of the values.
type KeyFormat interface {
	// AppendKey appends the key of one row of cols, which are parallel to the columns given at construction. False: the
	// key is Kafka's null, because the only column is NULL.
	AppendKey(dst []byte, cols []*vector.Vector, row int) ([]byte, bool)
	// DecodeKey appends one row to cols; a nil key is a row of NULLs. Errors are as those of Decoder.Decode.
	DecodeKey(key []byte, cols []*vector.Vector) error
}

// KeyCodec is the key format of one relation or shuffle. It belongs to one goroutine.
type KeyCodec struct {
	KeyFormat
	scratch []byte
}

// NewKeyCodec makes the codec of a key format ("string", "json", "int", …) for the key columns of a spec, in order.
func NewKeyCodec(name string, s Spec) (*KeyCodec, error) {
	if len(s.Columns) == 0 && name != "json" { // a JSON key of no columns is {}: that of a result of one row
		return nil, fmt.Errorf("key format '%s' needs a column: declare which are in the key with key='…'", name)
	}
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if f.NewKeys == nil {
		return nil, fmt.Errorf("format '%s' is not a key format: use key_format='string' or 'json'", name)
	}
	keys, err := f.NewKeys(s)
	if err != nil {
		return nil, err
	}
	return &KeyCodec{KeyFormat: keys}, nil
}

// AppendKey is KeyFormat.AppendKey. A key that is not null is never a nil slice, also when it is empty and dst was nil.
func (k *KeyCodec) AppendKey(dst []byte, cols []*vector.Vector, row int) ([]byte, bool) {
	key, ok := k.KeyFormat.AppendKey(dst, cols, row)
	if ok && key == nil {
		key = []byte{}
	}
	return key, ok
}

// SameBytes says whether our own serialisation of a row's key is exactly these bytes. Only then does the record lie in
// the partition that its typed key says ("1" and "01" are one INT in two partitions).
func (k *KeyCodec) SameBytes(key []byte, cols []*vector.Vector, row int) bool {
	own, ok := k.AppendKey(k.scratch[:0], cols, row)
	k.scratch = own
	if !ok || key == nil {
		return !ok && key == nil
	}
	return bytes.Equal(own, key)
}

// KeyDouble is the double that stands for all that are equal to f in SQL: 0 for -0, one NaN.
func KeyDouble(f float64) float64 {
	switch {
	case f == 0:
		return 0
	case math.IsNaN(f):
		return math.NaN()
	}
	return f
}

// CheckKeyType refuses types whose equal values do not have one text (semantics S6).
func CheckKeyType(c Column) error {
	if c.Type.Nested() {
		return fmt.Errorf("column '%s' is %s and cannot be a key: take a field of it", c.Name, c.Type)
	}
	return nil
}

// KeyColumns are columns as they lie in a key: a field of a value has no path there. Types that cannot be keys are refused.
func KeyColumns(cols []Column) ([]Column, error) {
	out := make([]Column, len(cols))
	for i, c := range cols {
		if err := CheckKeyType(c); err != nil {
			return nil, err
		}
		c.Path = nil
		out[i] = c
	}
	return out, nil
}

// AppendNulls appends a row of NULLs, which is what a null key is.
func AppendNulls(cols []*vector.Vector) {
	for _, c := range cols {
		c.AppendNull()
	}
}

// AppendPlain appends row i of v as plain text: numbers and strings as they are, BOOLEAN as true or false, DECIMAL with its
// scale, DATE as YYYY-MM-DD, TIME as HH:MM:SS[.f…], TIMESTAMP as ISO 8601 in UTC with the digits of its type, VARBINARY as
// its bytes, documents as JSON text. NULL appends nothing.
func AppendPlain(dst []byte, v *vector.Vector, i int) []byte {
	if v.Type.Kind == types.Null || v.IsNull(i) {
		return dst
	}
	switch v.Type.Kind {
	case types.Boolean:
		if v.Ints[i] != 0 {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case types.Double:
		return AppendDouble(dst, v.Floats[i], v.Type.Bits)
	case types.Decimal:
		return types.AppendDecimal(dst, v.Decs[i], v.Type.Scale)
	case types.Int, types.Uint, types.Date, types.Time, types.Timestamp:
		return appendInts(dst, v.Type, v.Ints[i])
	}
	return append(dst, v.Bytes.At(i)...)
}
