package streamsql

import (
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// RowEncoder writes rows of one result as JSON objects, as a sink of format 'json' writes them.
type RowEncoder struct {
	enc format.Encoder
	one *vector.Batch
}

// NewRowEncoder makes the encoder of rows with these columns.
func NewRowEncoder(columns []Column) (*RowEncoder, error) {
	cols := make([]format.Column, len(columns))
	ts := make([]types.Type, len(columns))
	for i, c := range columns {
		cols[i], ts[i] = format.Column{Name: c.Name, Type: c.Type}, c.Type
	}
	enc, err := format.NewEncoder("json", format.Of(cols...), nil)
	if err != nil {
		return nil, err
	}
	return &RowEncoder{enc: enc, one: vector.NewBatch(ts, 1)}, nil
}

// Append appends row to dst: one object, without a line end.
func (e *RowEncoder) Append(dst []byte, row Row) ([]byte, error) {
	if len(row.Values) != len(e.one.Cols) {
		return dst, fmt.Errorf("a row of %d values for %d columns", len(row.Values), len(e.one.Cols))
	}
	for i, v := range row.Values {
		e.one.Cols[i].Reset()
		e.one.Cols[i].Append(v)
	}
	e.one.N = 1
	return e.enc.Encode(dst, e.one, 0)
}
