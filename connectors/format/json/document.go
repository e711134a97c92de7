package json

import (
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Documents turns JSON texts into the values of a JSON, ARRAY, MAP or STRUCT column, as the decoder does with the text of a field. It
// belongs to one goroutine.
type Documents struct {
	d    Decoder
	cell format.Cell
	typ  *nested // nil: of JSON, any will do
}

// NewDocuments prepares a column.
func NewDocuments(c format.Column) (*Documents, error) {
	x := &Documents{}
	var err error
	if x.cell, err = format.NewCell(c); err != nil || c.Type.Kind == types.JSON {
		return x, err
	}
	c.Name = x.cell.Field
	n, err := newNested(c, "", &x.d.slots)
	x.typ = &n
	return x, err
}

// Append appends a document to the column. What is no JSON, or not of its type, is a *format.BadRecord.
func (x *Documents) Append(v *vector.Vector, text []byte) error {
	d := &x.d
	d.s = text
	defer func() { d.s = nil }()
	var doc span
	i := d.value(d.space(0), 0, &doc)
	if i >= 0 {
		if i = d.space(i); i < len(text) {
			i = d.fail(i, "there is more text after the JSON value")
		}
	}
	switch {
	case i < 0:
		err := d.malformed()
		return x.cell.Bad(format.Malformed, "%v", err)
	case x.typ == nil:
		return d.document(&x.cell, &doc, v)
	case doc.kind == null:
		v.AppendNull()
		return nil
	}
	return d.typed(x.typ, &doc, v)
}
