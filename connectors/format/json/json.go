// Package json is the format 'json': one JSON object (RFC 8259) per value, and JSON keys. Importing it registers it.
//
// Reading. A value is exactly one object, with blanks around it at most; anything else is a bad record, whichever columns
// are wanted. A column takes the field of its exact name, else the single field that differs from it in case only (two of
// those are a bad record), wherever they stand; of fields repeated under one name the last one counts, as in JSON.parse. A
// missing field, null, and a field below a null or missing parent are NULL. How values convert is format.Cell's rule;
// VARBINARY is base64; a JSON column keeps the field's text without blanks, and VARCHAR takes objects and arrays as that text.
// ARRAY, MAP and STRUCT columns hold what is in them to its declared type, by the same rules, and keep it in one form: a
// STRUCT its declared fields in that order and no others, numbers and times as they are written without options.
//
// Writing. Columns in order; exact numbers with all their digits, DECIMAL with its scale (12.10), doubles in the shortest
// form that reads back, NaN and infinities as null, times as format.TimeWriter says (TIMESTAMP as ISO 8601 text in UTC, DATE and
// TIME as MySQL prints them, where the column has no TimestampFormat), VARBINARY as base64, documents as they are, with times
// in them in the column's form. The option json.quoted_numbers puts numbers in quotes, those in ARRAY, MAP and STRUCT too;
// keys and JSON columns stay as they are. What is written is read back as the same values.
package json

import (
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
)

var table = []connectors.Option{
	{Name: "json.quoted_numbers", Type: connectors.BoolOption, Default: "false", Doc: "write numbers in quotes, for readers that keep 53 bits of them; when reading, quotes are always understood"},
}

func init() {
	format.Register(format.Format{
		Name:       "json",
		Doc:        "one JSON object per value; as a key the value of the column, or an object of several",
		Options:    table,
		NewDecoder: func(s format.Spec) (format.Decoder, error) { return NewDecoder(s.Columns) },
		NewEncoder: func(s format.Spec, ordinals []int) (format.Encoder, error) {
			return NewEncoderWith(s.Columns, ordinals, Conventions{QuotedNumbers: strings.EqualFold(s.Options["json.quoted_numbers"], "true")})
		},
		NewKeys: func(s format.Spec) (format.KeyFormat, error) { return NewKeys(s.Columns) },
	})
}
