package csv

import (
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

type decoder struct {
	dialect
	fields  []field // wanted ones by position; others have no column
	scratch []byte  // of a field with doubled quotes
	s       []byte
}

// field is what is wanted of a position.
type field struct {
	format.Cell
	column int // -1: nobody wants it
}

func newDecoder(name string, s format.Spec, d dialect) (*decoder, error) {
	names := s.Names()
	out := &decoder{dialect: d, fields: make([]field, len(names))}
	for i := range out.fields {
		out.fields[i].column = -1
	}
	for i, c := range s.Columns {
		if err := scalar(name, c); err != nil {
			return nil, err
		}
		cell, err := format.NewCell(c)
		if err != nil {
			return nil, err
		}
		at := slices.Index(names, c.FieldPath()[0])
		if at < 0 || len(c.FieldPath()) > 1 || out.fields[at].column >= 0 {
			return nil, fmt.Errorf("column '%s' is no field of the record", cell.Field)
		}
		out.fields[at] = field{cell, i}
	}
	return out, nil
}

// Decode implements format.Decoder.
func (d *decoder) Decode(value []byte, cols []*vector.Vector) error {
	n := 0
	if len(cols) > 0 {
		n = cols[0].Len()
	}
	d.s = line(value)
	err := d.row(cols)
	d.s = nil
	if err != nil {
		format.Truncate(cols, n)
	}
	return err
}

// line is a value without the line end after it.
func line(s []byte) []byte {
	if n := len(s); n > 0 && s[n-1] == '\n' {
		s = s[:n-1]
	}
	if n := len(s); n > 0 && s[n-1] == '\r' {
		s = s[:n-1]
	}
	return s
}

func (d *decoder) row(cols []*vector.Vector) error {
	i, n := 0, 0
	for {
		text, quoted, end, err := d.next(i)
		if err != nil {
			return err
		}
		if n < len(d.fields) && d.fields[n].column >= 0 {
			if err := d.convert(&d.fields[n], text, quoted, cols); err != nil {
				return err
			}
		}
		if n++; end == len(d.s) {
			break
		}
		i = end + 1
	}
	if n != len(d.fields) {
		return malformed("it has %d fields, but %d columns are declared", n, len(d.fields))
	}
	return nil
}

// next reads the field at i and returns the position of the delimiter or end after it.
func (d *decoder) next(i int) (text []byte, quoted bool, end int, err error) {
	s := d.s
	if i < len(s) && s[i] == d.quote && d.quote != 0 {
		text, end, err = d.quoted(i + 1)
		return text, true, end, err
	}
	end = i
	for ; end < len(s) && s[end] != d.delimiter; end++ {
		switch c := s[end]; {
		case c == d.quote && c != 0:
			return nil, false, 0, malformed("byte %d is a quote inside a field that does not begin with one", end)
		case c == '\n' || c == '\r':
			return nil, false, 0, malformed("byte %d is a line break outside quotes: a value holds one record", end)
		}
	}
	return s[i:end], false, end, nil
}

// quoted reads the rest of a field after its first quote.
func (d *decoder) quoted(from int) (text []byte, end int, err error) {
	s := d.s
	d.scratch = d.scratch[:0]
	for i := from; i < len(s); i++ {
		if s[i] != d.quote {
			continue
		}
		if i+1 < len(s) && s[i+1] == d.quote { // a doubled quote is one
			d.scratch = append(d.scratch, s[from:i+1]...)
			i++
			from = i + 1
			continue
		}
		if i+1 < len(s) && s[i+1] != d.delimiter {
			return nil, 0, malformed("byte %d is neither a delimiter nor the end after a quoted field", i+1)
		}
		if len(d.scratch) == 0 {
			return s[from:i], i + 1, nil
		}
		d.scratch = append(d.scratch, s[from:i]...)
		return d.scratch, i + 1, nil
	}
	return nil, 0, malformed("it ends inside a quoted field")
}

func (d *decoder) convert(f *field, text []byte, quoted bool, cols []*vector.Vector) error {
	v := cols[f.column]
	switch {
	case !quoted && string(text) == d.null:
		v.AppendNull()
		return nil
	case f.Type.Kind != types.Varbinary:
		return f.Text(v, text)
	}
	data, err := base64.StdEncoding.AppendDecode(v.Bytes.Data, text)
	if err != nil {
		return f.Bad(format.WrongType, "%s is not base64", format.Shown(text))
	}
	v.Bytes.Data = data
	v.CloseBytes()
	return nil
}

func malformed(text string, args ...any) error {
	return &format.BadRecord{Reason: format.Malformed, Err: fmt.Errorf(text, args...)}
}
