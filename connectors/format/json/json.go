// Package json is the format 'json': one JSON object (RFC 8259) per value, and JSON keys. Importing it registers it.
//
// Reading. A value is exactly one object, with blanks around it at most; anything else is a bad record, whichever columns
// are wanted. A column takes the field of its exact name, else the single field that differs from it in case only (two of
// those are a bad record), wherever they stand; of fields repeated under one name the last one counts, as in JSON.parse. A
// missing field, null, and a field below a null or missing parent are NULL. How values convert is format.Cell's rule;
// VARBINARY is base64; JSON, ARRAY, MAP and STRUCT columns keep the field's text without blanks; VARCHAR takes objects and
// arrays as that text.
//
// Writing. Columns in order; exact numbers with all their digits, DECIMAL with its scale (12.10), doubles in the shortest
// form that reads back, NaN and infinities as null, times as format.TimeWriter says (TIMESTAMP as ISO 8601 text in UTC, DATE and
// TIME as MySQL prints them, where the column has no TimestampFormat), VARBINARY as base64, documents as they are. What is written is read back as the same values.
package json

import (
	"github.com/streamsql-go/streamsql/connectors/format"
)

func init() {
	format.Register(format.Format{
		Name:       "json",
		Doc:        "one JSON object per value; as a key the value of the column, or an object of several",
		NewDecoder: func(s format.Spec) (format.Decoder, error) { return NewDecoder(s.Columns) },
		NewEncoder: func(s format.Spec, ordinals []int) (format.Encoder, error) {
			return NewEncoder(s.Columns, ordinals)
		},
		NewKeys: func(s format.Spec) (format.KeyFormat, error) { return NewKeys(s.Columns) },
	})
}
