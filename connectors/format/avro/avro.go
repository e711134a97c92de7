// Package avro is the format 'avro': values and keys in Avro's binary encoding (specification 1.12), with the header of a
// schema registry in front, or plain with the schema in a file (schema.file). Importing it registers it.
//
// Reading. A record is read by the schema it was written with. A column takes the field of its exact name, else the single
// one that differs in case only; a field without a column is passed over; a column without a field is NULL, or the default
// that the field has in the schema readers go by: the file, or schema.version of the subject. That schema's aliases count as
// names too. A value that does not fit its column's type is a bad record, as with JSON. Nested types are kept as JSON text.
//
// A single column also takes a value that is no record: the key "a" written with the schema "string".
//
// Writing. The schema is made of the columns, each of them nullable (Derive), or is the one of schema.file or
// schema.version.
package avro

import (
	"context"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
)

func init() {
	format.Register(format.Format{
		Name:       "avro",
		Doc:        "Avro, with a schema registry or a schema file",
		Options:    registry.Options(),
		NewDecoder: func(s format.Spec) (format.Decoder, error) { return NewDecoder(s) },
		NewEncoder: func(s format.Spec, ordinals []int) (format.Encoder, error) { return NewEncoder(s, ordinals) },
		NewKeys:    func(s format.Spec) (format.KeyFormat, error) { return NewKeys(s) },
		Schema: func(ctx context.Context, s format.Spec) (format.Schema, error) {
			return columns(ctx, s, registry.ValuePlace)
		},
		KeySchema: func(ctx context.Context, s format.Spec) (format.Schema, error) {
			return columns(ctx, s, registry.KeyPlace)
		},
	})
}
