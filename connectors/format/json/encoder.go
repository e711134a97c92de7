package json

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Encoder writes rows as JSON objects.
type Encoder struct {
	writer
	members []member
	nested  *Decoder // of documents that are not written as they are; nil: there are none
}

// member is how one column is written.
type member struct {
	prefix  []byte // `{"name":` or `,"name":`
	ordinal int
	time    *format.TimeWriter // of a temporal column with a form of its own
	doc     *nested            // of a document that is not written as it is
}

// writer writes scalars.
type writer struct {
	conv    Conventions
	scratch []byte // of texts to be quoted
}

// NewEncoder makes an encoder of columns in order; ordinals say where each is in the batch, nil: in the same order.
func NewEncoder(cols []format.Column, ordinals []int) (*Encoder, error) {
	return NewEncoderWith(cols, ordinals, Conventions{})
}

// NewEncoderWith is NewEncoder with conventions.
func NewEncoderWith(cols []format.Column, ordinals []int, conv Conventions) (*Encoder, error) {
	if ordinals != nil && len(ordinals) != len(cols) {
		return nil, fmt.Errorf("%d columns but %d ordinals", len(cols), len(ordinals))
	}
	e := &Encoder{writer: writer{conv: conv}}
	for i, c := range cols {
		m, err := newMember(c)
		if err != nil {
			return nil, err
		}
		m.prefix, m.ordinal = memberPrefix(i, c.Name), i
		if ordinals != nil {
			m.ordinal = ordinals[i]
		}
		if rewritten(c.Type, c.TimestampFormat, conv) {
			if m.doc, err = e.document(c); err != nil {
				return nil, err
			}
		}
		e.members = append(e.members, m)
	}
	return e, nil
}

// memberPrefix is what stands before the value of member i of an object.
func memberPrefix(i int, name string) []byte {
	prefix := []byte{','}
	if i == 0 {
		prefix[0] = '{'
	}
	return append(AppendString(prefix, []byte(name)), ':')
}

func newMember(c format.Column) (member, error) {
	if !c.Type.Temporal() {
		return member{}, nil
	}
	w, err := format.NewTimeWriter(c)
	return member{time: &w}, err
}

// rewritten says whether a document is written in another form than the engine keeps it in.
func rewritten(t types.Type, timestampFormat string, conv Conventions) bool {
	differs := func(t types.Type) bool {
		switch {
		case t.Kind == types.Decimal && conv.BinaryDecimals, isNumber(t) && conv.QuotedNumbers, t.Kind == types.JSON && conv.TextDocuments:
			return true
		case t.Temporal():
			return timestampFormat != "" && timestampFormat != "iso"
		}
		return rewritten(t, timestampFormat, conv)
	}
	switch t.Kind {
	case types.Array, types.Map:
		return differs(*t.Elem)
	case types.Struct:
		return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return differs(f.Type) })
	}
	return false
}

// isNumber says whether values of a type are numbers of JSON.
func isNumber(t types.Type) bool { return t.Numeric() && t.Kind != types.Boolean }

// document prepares the rewriting of a column.
func (e *Encoder) document(c format.Column) (*nested, error) {
	if e.nested == nil {
		e.nested = &Decoder{out: writer{conv: e.conv}}
	}
	form := c.TimestampFormat
	c.TimestampFormat = ""
	n, err := newNested(c, form, &e.nested.slots)
	return &n, err
}

// Encode implements format.Encoder. It fails only for a document that is not of its column's type.
func (e *Encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	return e.encode(dst, b.Cols, row)
}

func (e *Encoder) encode(dst []byte, cols []*vector.Vector, row int) ([]byte, error) {
	if len(e.members) == 0 {
		return append(dst, "{}"...), nil
	}
	for i := range e.members {
		m := &e.members[i]
		dst = append(dst, m.prefix...)
		v := cols[m.ordinal]
		if m.doc == nil || v.IsNull(row) {
			dst = e.value(dst, m, v, row)
			continue
		}
		var err error
		if dst, err = e.nested.rewrite(dst, m.doc, v.Bytes.At(row)); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// value appends a value that is no document to be rewritten.
func (w *writer) value(dst []byte, m *member, v *vector.Vector, row int) []byte {
	if v.IsNull(row) {
		return append(dst, "null"...)
	}
	switch {
	case m.time != nil && !m.time.Numbers():
		w.scratch = m.time.Append(w.scratch[:0], v, row)
		return AppendString(dst, w.scratch)
	case m.time != nil:
		return m.time.Append(dst, v, row)
	case v.Type.Kind == types.Decimal && w.conv.BinaryDecimals:
		w.scratch = v.Decs[row].AppendBigEndian(w.scratch[:0])
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), w.scratch), '"')
	case w.conv.QuotedNumbers && isNumber(v.Type):
		return quotedNumber(dst, v, row)
	case v.Type.Kind == types.JSON && w.conv.TextDocuments:
		return AppendString(dst, v.Bytes.At(row))
	}
	return AppendValue(dst, v, row)
}

func quotedNumber(dst []byte, v *vector.Vector, row int) []byte {
	if v.Type.Kind == types.Double && (math.IsNaN(v.Floats[row]) || math.IsInf(v.Floats[row], 0)) {
		return append(dst, "null"...)
	}
	return append(format.AppendPlain(append(dst, '"'), v, row), '"')
}

// AppendValue appends row i of v as a JSON value; times are text, as without a timestamp_format.
func AppendValue(dst []byte, v *vector.Vector, i int) []byte {
	if v.Type.Kind == types.Null || v.IsNull(i) {
		return append(dst, "null"...)
	}
	switch v.Type.Kind {
	case types.Varchar:
		return AppendString(dst, v.Bytes.At(i))
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
