package registry

import (
	"encoding/base64"
	"fmt"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Target is a column that a decoder fills, with what converts values to it.
type Target struct {
	format.Column
	Cell *format.Cell
	Docs *json.Documents // of a nested column
}

// Targets prepares columns.
func Targets(cols []format.Column) ([]Target, error) {
	cells, err := format.Cells(cols)
	if err != nil {
		return nil, err
	}
	out := make([]Target, len(cols))
	for i, c := range cols {
		out[i] = Target{Column: c, Cell: &cells[i]}
		if c.Type.Nested() {
			if out[i].Docs, err = json.NewDocuments(c); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Scalar is the way of a JSON scalar in a document to a type: a column of one row.
type Scalar struct {
	format.Cell
	Row     *vector.Vector
	scratch []byte
}

// NewScalar prepares a type. column names the column of the document, for messages.
func NewScalar(column string, t types.Type) (*Scalar, error) {
	cell, err := format.NewCell(format.Column{Name: column, Type: t})
	return &Scalar{Cell: cell, Row: vector.New(t, 1)}, err
}

// Fill makes a JSON scalar the row. What does not fit is a *format.BadRecord.
func (s *Scalar) Fill(v *fastjson.Value) error {
	s.Row.Reset()
	switch v.Type() {
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return s.Bool(s.Row, v.Type() == fastjson.TypeTrue)
	case fastjson.TypeNumber:
		s.scratch = v.MarshalTo(s.scratch[:0])
		return s.Number(s.Row, s.scratch)
	case fastjson.TypeString:
		text, err := v.StringBytes()
		if err != nil {
			return err
		}
		if s.Type.Kind != types.Varbinary {
			return s.Text(s.Row, text)
		}
		if s.scratch, err = base64.StdEncoding.AppendDecode(s.scratch[:0], text); err != nil {
			return s.Bad(format.WrongType, "%s is not base64", format.Shown(text))
		}
		s.Row.AppendBytes(s.scratch)
		return nil
	}
	return s.Bad(format.WrongType, "it holds %s where the schema wants %s", v.Type(), s.Type)
}

// Unfit is the error of a column's value that the schema does not hold.
func Unfit(column string, reason format.Reason, text string, args ...any) error {
	return &format.BadRecord{Reason: reason, Field: column, Err: fmt.Errorf(text, args...)}
}
