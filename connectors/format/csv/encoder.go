package csv

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

type encoder struct {
	dialect
	columns []output
	scratch []byte
}

type output struct {
	ordinal int
	time    *format.TimeWriter // of a temporal column
}

func newEncoder(name string, s format.Spec, ordinals []int, d dialect) (*encoder, error) {
	switch {
	case d.quote == 0:
		return nil, fmt.Errorf("csv.quote = '' cannot be written: a text may hold the delimiter or a line break")
	case len(s.Columns) == 0:
		return nil, fmt.Errorf("format '%s' needs a column", name)
	case ordinals != nil && len(ordinals) != len(s.Columns):
		return nil, fmt.Errorf("%d columns but %d ordinals", len(s.Columns), len(ordinals))
	}
	e := &encoder{dialect: d}
	for i, c := range s.Columns {
		if err := scalar(name, c); err != nil {
			return nil, err
		}
		o := output{ordinal: i}
		if ordinals != nil {
			o.ordinal = ordinals[i]
		}
		if c.Type.Temporal() {
			w, err := format.NewTimeWriter(c)
			if err != nil {
				return nil, err
			}
			o.time = &w
		}
		e.columns = append(e.columns, o)
	}
	return e, nil
}

// Encode implements format.Encoder. It never fails.
func (e *encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	for i := range e.columns {
		if i > 0 {
			dst = append(dst, e.delimiter)
		}
		c := &e.columns[i]
		dst = e.field(dst, c, b.Cols[c.ordinal], row)
	}
	return dst, nil
}

func (e *encoder) field(dst []byte, c *output, v *vector.Vector, row int) []byte {
	if v.Type.Kind == types.Null || v.IsNull(row) {
		return append(dst, e.null...)
	}
	switch v.Type.Kind {
	case types.Varchar:
		return e.text(dst, v.Bytes.At(row))
	case types.Varbinary:
		e.scratch = base64.StdEncoding.AppendEncode(e.scratch[:0], v.Bytes.At(row))
		return e.text(dst, e.scratch)
	case types.Double:
		if f := v.Floats[row]; math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, e.null...)
		}
	}
	if c.time != nil {
		e.scratch = c.time.Append(e.scratch[:0], v, row)
	} else {
		e.scratch = format.AppendPlain(e.scratch[:0], v, row)
	}
	return e.text(dst, e.scratch)
}

// text appends a text, in quotes where it would be read as something else without.
func (e *encoder) text(dst, s []byte) []byte {
	plain := string(s) != e.null
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] != e.delimiter && s[i] != e.quote && s[i] != '\n' && s[i] != '\r'
	}
	if plain {
		return append(dst, s...)
	}
	dst = append(dst, e.quote)
	for {
		i := bytes.IndexByte(s, e.quote)
		if i < 0 {
			break
		}
		dst = append(append(dst, s[:i+1]...), e.quote)
		s = s[i+1:]
	}
	return append(append(dst, s...), e.quote)
}
