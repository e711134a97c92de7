package format

import (
	"context"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
)

// Schema is what a registered schema, or one in a file, means in SQL.
type Schema struct {
	// Columns are those of its record, in its order. A schema of one value that is no record is one column without a name.
	Columns []types.Column
	// Origin says in words where the schema is: "subject orders-value, version 3", "orders.avsc".
	Origin string
}

// ErrNoSchema is wrapped by the error of a format that has no schemas.
var ErrNoSchema = errors.New("it has no schema to take columns from")

// ErrAbsent is wrapped by the error of a schema that is not there: nobody has registered it yet.
var ErrAbsent = errors.New("it is not in the schema registry")

// SchemaOf is the schema of a topic's values in a format, and so the columns of a relation over them: from a schema registry
// or a file, as the spec's options say.
func SchemaOf(ctx context.Context, name string, s Spec) (Schema, error) {
	f, err := Lookup(name)
	if err != nil {
		return Schema{}, err
	}
	if f.Schema == nil {
		return Schema{}, fmt.Errorf("format '%s': %w", name, ErrNoSchema)
	}
	return f.Schema(ctx, s)
}

// KeySchemaOf is SchemaOf for the keys.
func KeySchemaOf(ctx context.Context, name string, s Spec) (Schema, error) {
	f, err := Lookup(name)
	if err != nil {
		return Schema{}, err
	}
	if f.KeySchema == nil {
		return Schema{}, fmt.Errorf("key format '%s': %w", name, ErrNoSchema)
	}
	return f.KeySchema(ctx, s)
}
