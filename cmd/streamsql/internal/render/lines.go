package render

import (
	"encoding/csv"
	"io"

	"github.com/streamsql-go/streamsql"
)

// jsonPrinter writes an object per row: one a line, or as one array. In a result of changes an object with
// "_deleted": true says that the row of its key is gone.
type jsonPrinter struct {
	w     io.Writer
	enc   *streamsql.RowEncoder
	array bool
	rows  int
	buf   []byte
}

func newJSONPrinter(form string, w io.Writer, s shape) (*jsonPrinter, error) {
	enc, err := streamsql.NewRowEncoder(s.columns)
	return &jsonPrinter{w: w, enc: enc, array: form == "json"}, err
}

func (p *jsonPrinter) row(r streamsql.Row) error {
	p.buf = p.buf[:0]
	switch {
	case p.array && p.rows == 0:
		p.buf = append(p.buf, "[\n"...)
	case p.array:
		p.buf = append(p.buf, ",\n"...)
	}
	p.rows++
	var err error
	if p.buf, err = p.enc.Append(p.buf, r); err != nil {
		return err
	}
	if r.Deleted {
		p.buf = p.buf[:len(p.buf)-1]
		if p.buf[len(p.buf)-1] != '{' {
			p.buf = append(p.buf, ',')
		}
		p.buf = append(p.buf, `"_deleted":true}`...)
	}
	if !p.array {
		p.buf = append(p.buf, '\n')
	}
	_, err = p.w.Write(p.buf)
	return err
}

func (p *jsonPrinter) tick() error { return nil }

func (p *jsonPrinter) end() error {
	text := ""
	switch {
	case p.array && p.rows == 0:
		text = "[]\n"
	case p.array:
		text = "\n]\n"
	}
	_, err := io.WriteString(p.w, text)
	return err
}

// csvPrinter writes RFC 4180 with a header; NULL is an empty field. A result of changes has a last column _deleted.
type csvPrinter struct {
	w      *csv.Writer
	s      shape
	fields []string
}

func newCSVPrinter(w io.Writer, s shape) (*csvPrinter, error) {
	p := &csvPrinter{w: csv.NewWriter(w), s: s}
	return p, p.w.Write(s.header())
}

func (p *csvPrinter) row(r streamsql.Row) error {
	p.fields = p.fields[:0]
	for i, v := range r.Values {
		text := ""
		if !v.IsNull() {
			text = r.Text(i)
		}
		p.fields = append(p.fields, text)
	}
	if p.s.changes {
		p.fields = append(p.fields, deleted(r))
	}
	return p.w.Write(p.fields)
}

func (p *csvPrinter) tick() error {
	p.w.Flush()
	return p.w.Error()
}

func (p *csvPrinter) end() error { return p.tick() }
