package json

import (
	"encoding/base64"
	"fmt"
	"math"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Encoder writes rows as JSON objects.
type Encoder struct {
	members []member
	scratch []byte // of texts to be quoted
}

type member struct {
	prefix  []byte // `{"name":` or `,"name":`
	ordinal int
	time    *format.TimeWriter // of a temporal column
}

// NewEncoder makes an encoder of columns in order; ordinals say where each is in the batch, nil: in the same order.
func NewEncoder(cols []format.Column, ordinals []int) (*Encoder, error) {
	if ordinals != nil && len(ordinals) != len(cols) {
		return nil, fmt.Errorf("%d columns but %d ordinals", len(cols), len(ordinals))
	}
	e := &Encoder{}
	for i, c := range cols {
		m := member{prefix: []byte{','}, ordinal: i}
		if i == 0 {
			m.prefix[0] = '{'
		}
		m.prefix = append(appendString(m.prefix, []byte(c.Name)), ':')
		if ordinals != nil {
			m.ordinal = ordinals[i]
		}
		if c.Type.Temporal() {
			w, err := format.NewTimeWriter(c)
			if err != nil {
				return nil, err
			}
			m.time = &w
		}
		e.members = append(e.members, m)
	}
	return e, nil
}

// Encode implements format.Encoder. It never fails.
func (e *Encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	return e.encode(dst, b.Cols, row), nil
}

func (e *Encoder) encode(dst []byte, cols []*vector.Vector, row int) []byte {
	if len(e.members) == 0 {
		return append(dst, "{}"...)
	}
	for i := range e.members {
		m := &e.members[i]
		dst = append(dst, m.prefix...)
		dst = e.value(dst, m, cols[m.ordinal], row)
	}
	return append(dst, '}')
}

func (e *Encoder) value(dst []byte, m *member, v *vector.Vector, row int) []byte {
	if m.time == nil || v.IsNull(row) {
		return AppendValue(dst, v, row)
	}
	if m.time.Numbers() {
		return m.time.Append(dst, v, row)
	}
	e.scratch = m.time.Append(e.scratch[:0], v, row)
	return appendString(dst, e.scratch)
}

// AppendValue appends row i of v as a JSON value; times are text, as without a timestamp_format.
func AppendValue(dst []byte, v *vector.Vector, i int) []byte {
	if v.Type.Kind == types.Null || v.IsNull(i) {
		return append(dst, "null"...)
	}
	switch v.Type.Kind {
	case types.Varchar:
		return appendString(dst, v.Bytes.At(i))
	case types.Varbinary:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, v.Bytes.At(i))
		return append(dst, '"')
	case types.Date, types.Time, types.Timestamp:
		dst = append(dst, '"')
		dst = format.AppendPlain(dst, v, i)
		return append(dst, '"')
	case types.Double:
		if f := v.Floats[i]; math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
	case types.JSON, types.Array, types.Map, types.Struct:
		if len(v.Bytes.At(i)) == 0 {
			return append(dst, "null"...)
		}
	}
	return format.AppendPlain(dst, v, i)
}
