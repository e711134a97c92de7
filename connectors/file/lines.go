package file

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

// Lines says how a text is cut into records.
type Lines struct {
	// Quote is the character between which a record may go on over a line end; 0: every line is one.
	Quote byte
	// Header are the names that the first line must hold, nil: it is a record.
	Header    []string
	delimiter rune
}

// linesOf is how the records of a relation stand in a text.
func linesOf(r endpoint.Relation, header bool) (Lines, error) {
	if slices.Contains(binary, r.Format) {
		return Lines{}, fmt.Errorf("format '%s' is not a text: a file holds one value per line", r.Format)
	}
	if r.Format != "csv" && r.Format != "tsv" {
		if header {
			return Lines{}, fmt.Errorf("a header is a line of format 'csv' or 'tsv', not of '%s'", r.Format)
		}
		return Lines{}, nil
	}
	l := Lines{Quote: '"', delimiter: ','}
	if r.Format == "tsv" {
		l.delimiter = '\t'
	}
	if d, ok := r.Spec.Options["csv.delimiter"]; ok && d != "" {
		l.delimiter = rune(d[0])
		if strings.EqualFold(d, "tab") || d == `\t` {
			l.delimiter = '\t'
		}
	}
	if q, ok := r.Spec.Options["csv.quote"]; ok {
		l.Quote = 0
		if q != "" {
			l.Quote = q[0]
		}
	}
	if header {
		l.Header = []string{}
		for _, c := range r.Columns {
			l.Header = append(l.Header, c.Name)
		}
	}
	return l, nil
}

// quotes counts the quotes in a part of a record: while their number is odd a line end belongs to it.
func (l Lines) quotes(part []byte) int {
	if l.Quote == 0 {
		return 0
	}
	return bytes.Count(part, []byte{l.Quote})
}

// check compares a first line with the names of the columns.
func (l Lines) check(line []byte) error {
	r := csv.NewReader(bytes.NewReader(line))
	r.Comma = l.delimiter
	if l.Quote != '"' {
		r.LazyQuotes = true
	}
	names, err := r.Read()
	if err != nil {
		return fmt.Errorf("the header cannot be read: %w", err)
	}
	for i, name := range names {
		if l.Quote != 0 {
			names[i] = strings.Trim(name, string(l.Quote))
		}
	}
	if !slices.EqualFunc(names, l.Header, func(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), b) }) {
		return fmt.Errorf("the header is %s, the columns are %s: declare them in the order of the file", strings.Join(names, ", "), strings.Join(l.Header, ", "))
	}
	return nil
}

// header is the line that begins a file which is written.
func (l Lines) header() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = l.delimiter
	_ = w.Write(l.Header) // into memory
	w.Flush()
	return bytes.TrimRight(b.Bytes(), "\n")
}
