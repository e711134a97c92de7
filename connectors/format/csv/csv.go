// Package csv is the formats 'csv' and 'tsv': one line per value, fields by position. Importing it registers them.
//
// Reading. A value is one record of RFC 4180, with a line end after it or without. Its fields are the relation's columns in
// the order of their declaration, as many as there are columns: fewer or more are a bad record. A field that begins with the
// quote runs to the next single quote, line breaks and delimiters included, and a doubled quote in it stands for one; a quote
// anywhere else is a bad record. A field without quotes that is the text of csv.null is NULL; blanks around a field belong
// to it. How texts convert is format.Cell's rule; VARBINARY is base64. JSON, ARRAY, MAP and STRUCT have no place in a field
// and are refused at CREATE.
//
// Writing. Columns in order, without a line end. Texts are quoted where they hold the delimiter, the quote or a line break,
// or would be read as NULL; numbers, times and truth values are as format.AppendPlain and format.TimeWriter write them, NaN
// and infinities as NULL. What is written is read back as the same values.
package csv

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
)

func init() {
	register("csv", "one record of RFC 4180 per value, fields by position", ",")
	register("tsv", "as csv, with tabs between the fields", "tab")
}

func register(name, doc, delimiter string) {
	table := []connectors.Option{
		{Name: "csv.delimiter", Default: delimiter, Doc: "what stands between fields: one character, or the word 'tab'; ',' for csv, 'tab' for tsv"},
		{Name: "csv.quote", Default: `"`, Doc: "what a field that holds delimiters or line breaks stands in: one character; '' for none, which can only be read"},
		{Name: "csv.null", Default: "", Doc: "the text without quotes that means NULL"},
	}
	format.Register(format.Format{
		Name: name, Doc: doc, Options: table,
		NewDecoder: func(s format.Spec) (format.Decoder, error) {
			d, err := newDialect(table, s)
			if err != nil {
				return nil, err
			}
			return newDecoder(name, s, d)
		},
		NewEncoder: func(s format.Spec, ordinals []int) (format.Encoder, error) {
			d, err := newDialect(table, s)
			if err != nil {
				return nil, err
			}
			return newEncoder(name, s, ordinals, d)
		},
	})
}

// dialect is how fields stand in a record.
type dialect struct {
	delimiter byte
	quote     byte // 0: none
	null      string
}

func newDialect(table []connectors.Option, s format.Spec) (dialect, error) {
	own := map[string]string{}
	for name, value := range s.Options {
		if strings.HasPrefix(name, "csv.") {
			own[name] = value
		}
	}
	o, err := connectors.CheckOptions(table, nil, own)
	if err != nil {
		return dialect{}, err
	}
	d := dialect{null: o.Get("csv.null")}
	text := o.Get("csv.delimiter")
	if strings.EqualFold(text, "tab") || text == `\t` {
		text = "\t"
	}
	if d.delimiter, err = character("csv.delimiter", text); err != nil {
		return d, err
	}
	if text = o.Get("csv.quote"); text != "" {
		if d.quote, err = character("csv.quote", text); err != nil {
			return d, err
		}
	}
	switch {
	case d.quote == d.delimiter:
		return d, fmt.Errorf("csv.quote and csv.delimiter are both '%c'", d.quote)
	case strings.IndexByte(d.null, d.delimiter) >= 0, d.quote != 0 && strings.IndexByte(d.null, d.quote) >= 0, strings.ContainsAny(d.null, "\r\n"):
		return d, fmt.Errorf("csv.null = %q must not hold the delimiter, the quote or a line break", d.null)
	}
	return d, nil
}

// character is an option of one character. Only ASCII: the text around it stays UTF-8 whatever is in it.
func character(option, text string) (byte, error) {
	if len(text) != 1 || text[0] >= 0x80 || text[0] == '\r' || text[0] == '\n' || text[0] == 0 {
		return 0, fmt.Errorf("%s = '%s' is not one ASCII character", option, text)
	}
	return text[0], nil
}

// scalar refuses a column that a field cannot hold.
func scalar(name string, c format.Column) error {
	if c.Type.Nested() || c.Type.Physical() == types.PhysNone {
		return fmt.Errorf("format '%s' holds scalars, but column '%s' is %s: declare it VARCHAR and take the text apart with JSON functions", name, c.Name, c.Type)
	}
	return nil
}
