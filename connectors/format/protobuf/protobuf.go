// Package protobuf is the format 'protobuf': values and keys as Protocol Buffers messages, with the header of a schema registry
// and the place of the message in front, or plain with the schema in a file (schema.file). Importing it registers it.
//
// Reading. A column takes the field of its exact name in the .proto file, else the single one that differs in case only; a field without a
// column is passed over; a column without a field is NULL. A field that is not there is NULL where the schema can tell (optional, oneof,
// messages, proto2), else the default of its type: 0, "", false, an empty array. A value that does not fit its column's type is a bad
// record, as with JSON. Nested types are kept as JSON text, with the fields' names of the .proto file.
//
// Writing. The schema is made of the columns (Derive), or is the one of schema.file or schema.version. NULL in an array field
// is an empty array: Protocol Buffers do not tell them apart.
package protobuf

import (
	"context"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
)

func init() {
	format.Register(format.Format{
		Name:       "protobuf",
		Doc:        "Protocol Buffers, with a schema registry or a .proto file",
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
