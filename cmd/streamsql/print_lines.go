package main

import (
	"encoding/csv"
	"io"

	"github.com/streamsql-go/streamsql"
)

// jsonPrinter writes an object per row: one a line, or as one array. In a result of changes an object with
// "_deleted": true says that the row of its key is gone.
type jsonPrinter struct {
	w       io.Writer
	enc     *streamsql.RowEncoder
	array   bool
	rows    int
	changes bool
	buf     []byte
}

func newJSONPrinter(format string, w io.Writer, rows *streamsql.Rows) (*jsonPrinter, error) {
	enc, err := streamsql.NewRowEncoder(rows.Columns())
	return &jsonPrinter{w: w, enc: enc, array: format == "json", changes: rows.Changes()}, err
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

func (p *jsonPrinter) flush() error { return nil }

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
	w       *csv.Writer
	changes bool
	fields  []string
}

func newCSVPrinter(w io.Writer, rows *streamsql.Rows) (*csvPrinter, error) {
	p := &csvPrinter{w: csv.NewWriter(w), changes: rows.Changes()}
	return p, p.w.Write(header(rows))
}

// header names the columns.
func header(rows *streamsql.Rows) []string {
	var out []string
	for _, c := range rows.Columns() {
		out = append(out, c.Name)
	}
	if rows.Changes() {
		out = append(out, "_deleted")
	}
	return out
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
	if p.changes {
		p.fields = append(p.fields, deleted(r))
	}
	return p.w.Write(p.fields)
}

func deleted(r streamsql.Row) string {
	if r.Deleted {
		return "true"
	}
	return ""
}

func (p *csvPrinter) flush() error {
	p.w.Flush()
	return p.w.Error()
}

func (p *csvPrinter) end() error { return p.flush() }
