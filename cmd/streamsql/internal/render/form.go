// Package render writes the rows of a result for people and for programs: as a table whose columns keep their widths while rows
// come, one value a line, CSV, JSON, Markdown, or as a table that changes in place, with a status line below what is still running.
package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/streamsql-go/streamsql"
)

// Forms are the forms of rows.
func Forms() []string { return []string{"table", "vertical", "jsonl", "json", "csv", "markdown"} }

// CheckForm refuses a form that is none.
func CheckForm(name string) error {
	forms := Forms()
	for _, f := range forms {
		if name == f {
			return nil
		}
	}
	return fmt.Errorf("use %s or %s", strings.Join(forms[:len(forms)-1], ", "), forms[len(forms)-1])
}

// FormOf is the form that the name of a file asks for; "table" when it does not say.
func FormOf(file string) string {
	for end, form := range map[string]string{".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".md": "markdown"} {
		if strings.HasSuffix(strings.ToLower(file), end) {
			return form
		}
	}
	return "table"
}

// shape is what is known of a result before its rows.
type shape struct {
	columns []streamsql.Column
	key     []int // rows replace each other by it; nil: they do not
	changes bool
	endless bool // rows come as they are made
}

func shapeOf(rows *streamsql.Rows) shape {
	return shape{rows.Columns(), rows.Key(), rows.Changes(), rows.Query() != nil}
}

// header names the columns; of a result of changes the last one says that a row is gone.
func (s shape) header() []string {
	var out []string
	for _, c := range s.columns {
		out = append(out, c.Name)
	}
	if s.changes {
		out = append(out, "_deleted")
	}
	return out
}

// plain tells a result of lines of text, of EXPLAIN or SHOW CREATE: it has no frame.
func (s shape) plain() bool {
	return !s.endless && len(s.columns) == 1 && (s.columns[0].Name == "plan" || s.columns[0].Name == "ddl")
}

// printer writes the rows of one result.
type printer interface {
	row(r streamsql.Row) error
	// tick comes every flushEvery: what is held back may go.
	tick() error
	end() error
}

// look is how tables look.
type look struct {
	null   string
	width  int // of the terminal; 0: there is none
	height int
	full   bool // values are never cut
	colour palette
}

func newPrinter(form string, w io.Writer, s shape, l look) (printer, error) {
	switch form {
	case "jsonl", "json":
		return newJSONPrinter(form, w, s)
	case "csv":
		return newCSVPrinter(w, s)
	case "markdown":
		return newMarkdownPrinter(w, s, l), nil
	case "vertical":
		return newVerticalPrinter(w, s, l), nil
	}
	return newTablePrinter(w, s, l), nil
}

// deleted is the value of the column _deleted.
func deleted(r streamsql.Row) string {
	if r.Deleted {
		return "true"
	}
	return ""
}

// cells are the values of a row as text in one line each.
func (l look) cells(s shape, r streamsql.Row) []string {
	out := make([]string, 0, len(r.Values)+1)
	for i, v := range r.Values {
		if v.IsNull() {
			out = append(out, l.null)
			continue
		}
		out = append(out, oneLine(r.Text(i)))
	}
	if s.changes {
		out = append(out, deleted(r))
	}
	return out
}
