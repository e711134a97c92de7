package format

import (
	"github.com/streamsql-go/streamsql/sql/vector"
)

// HeaderColumn reads and writes a column that is a header of the record: as plain text, times by the column's TimestampFormat,
// VARBINARY as its bytes. It is immutable.
type HeaderColumn struct {
	Header string
	cell   Cell
	time   *TimeWriter
}

// NewHeaderColumn prepares a column.
func NewHeaderColumn(c Column, header string) (HeaderColumn, error) {
	cell, err := NewCell(c)
	h := HeaderColumn{Header: header, cell: cell}
	if err == nil && c.Type.Temporal() {
		var w TimeWriter
		w, err = NewTimeWriter(c)
		h.time = &w
	}
	return h, err
}

// Read appends what the last header of the name says; NULL when there is none, or it has no value. An error is a *BadRecord.
func (h *HeaderColumn) Read(v *vector.Vector, hs []vector.Header) error {
	for i := len(hs) - 1; i >= 0; i-- {
		if hs[i].Key == h.Header && hs[i].Value != nil {
			return h.cell.Text(v, hs[i].Value)
		} else if hs[i].Key == h.Header {
			break
		}
	}
	v.AppendNull()
	return nil
}

// Append appends the header's value for row i of v, which must not be NULL.
func (h *HeaderColumn) Append(dst []byte, v *vector.Vector, i int) []byte {
	if h.time != nil {
		return h.time.Append(dst, v, i)
	}
	return AppendPlain(dst, v, i)
}
