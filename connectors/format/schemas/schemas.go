// Package schemas joins what a CREATE declares with what the schema of its format says: columns come from the schema where none are
// declared, and those that are declared must be in it.
package schemas

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Columns gives the planner the columns of a relation that declares none, from the schema of its values. defaults are options that it has besides its own.
func Columns(ctx context.Context, defaults map[string]string) catalog.Schema {
	return func(rel *catalog.Relation, key []string) ([]types.Column, error) {
		options := maps.Clone(defaults)
		if options == nil {
			options = map[string]string{}
		}
		maps.Copy(options, rel.FormatOptions)
		spec := format.Spec{Topic: rel.Topic, Options: options}
		s, err := format.SchemaOf(ctx, rel.Format, spec)
		switch {
		case errors.Is(err, format.ErrNoSchema):
			return nil, nil
		case errors.Is(err, format.ErrAbsent):
			return nil, fmt.Errorf("%s declares no columns, and there is no schema to take them from: %w", rel.Name, err)
		case err != nil:
			return nil, err
		}
		columns := s.Columns
		if len(columns) == 1 && columns[0].Name == "" {
			columns = []types.Column{{Name: "value", Type: columns[0].Type}}
		}
		return withKey(ctx, rel, key, spec, columns)
	}
}

// ErrOffline is the error of columns that only a schema registry knows, for who may not ask it.
var ErrOffline = errors.New("the columns are in a schema registry")

// Offline is Columns without a network.
func Offline(rel *catalog.Relation, key []string) ([]types.Column, error) {
	f, err := format.Lookup(rel.Format)
	if err == nil && f.Schema != nil && rel.FormatOptions["schema.file"] == "" {
		return nil, ErrOffline
	}
	return Columns(context.Background(), nil)(rel, key)
}

// withKey adds the columns of the key that are not in the value.
func withKey(ctx context.Context, rel *catalog.Relation, key []string, spec format.Spec, columns []types.Column) ([]types.Column, error) {
	has := func(columns []types.Column, name string) int {
		return slices.IndexFunc(columns, func(c types.Column) bool { return strings.EqualFold(c.Name, name) })
	}
	var missing []string
	for _, k := range key {
		if has(columns, k) < 0 {
			missing = append(missing, k)
		}
	}
	if len(missing) == 0 || rel.KeyFormat == "" {
		return columns, nil
	}
	s, err := format.KeySchemaOf(ctx, rel.KeyFormat, spec)
	if errors.Is(err, format.ErrNoSchema) {
		return columns, nil // finish names the column that is not there
	}
	if err != nil {
		return nil, fmt.Errorf("the key's column %s is not in the value: %w", missing[0], err)
	}
	var out []types.Column
	for _, k := range missing {
		at := has(s.Columns, k)
		if at < 0 && len(s.Columns) == 1 && s.Columns[0].Name == "" && len(key) == 1 {
			at = 0
		}
		if at < 0 {
			return nil, fmt.Errorf("column %s is neither in the value's schema nor in the key's, %s", k, s.Origin)
		}
		out = append(out, types.Column{Name: k, Type: s.Columns[at].Type})
	}
	return append(out, columns...), nil
}

// Check holds the columns that a CREATE declares against the schema of the values, if there is one.
func Check(ctx context.Context, st *ast.Create, rel *catalog.Relation) error {
	if st.As != nil || rel.Kind == ast.View || rel.Connector != "kafka" {
		return nil
	}
	s, err := format.SchemaOf(ctx, rel.Format, format.Spec{Topic: rel.Topic, Options: rel.FormatOptions})
	switch {
	case errors.Is(err, format.ErrNoSchema):
		return nil
	case errors.Is(err, format.ErrAbsent) && rel.FormatOptions["schema.version"] == "":
		return nil // nobody has written yet: records say what they are
	case err != nil:
		return ast.Errorf(place(st), "%v", err)
	}
	for i, c := range st.Columns {
		if _, header := rel.Header(i); header {
			continue
		}
		if slices.Contains(rel.Key, i) && !slices.ContainsFunc(s.Columns, func(x types.Column) bool { return strings.EqualFold(x.Name, c.Name.Name) }) {
			continue // it comes from the key
		}
		from, ok := field(s.Columns, c.Name.Name)
		if !ok {
			return ast.Errorf(c.Name.Span, "%s has no field %s", s.Origin, c.Name.Name).WithHint("%s", spell.Hint(c.Name.Name, "fields", fieldNames(s.Columns)))
		}
		if !format.Reads(from, rel.Columns[i].Type) {
			return ast.Errorf(c.Type.Span, "column %s is declared as %s, but %s has %s there", c.Name.Name, rel.Columns[i].Type, s.Origin, from).
				WithHint("declare it as %s, or leave the columns out to take those of the schema", from)
		}
	}
	return nil
}

// field is the type of a column of a schema, found as decoders find it; the only one of a schema without names.
func field(columns []types.Column, name string) (types.Type, bool) {
	if len(columns) == 1 && columns[0].Name == "" {
		return columns[0].Type, true
	}
	at := format.Find(name, len(columns), func(i int) string { return columns[i].Name })
	if at < 0 {
		return types.Type{}, false
	}
	return columns[at].Type, true
}

func fieldNames(columns []types.Column) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// place is where the format is declared, or the relation's name.
func place(st *ast.Create) ast.Span {
	for _, o := range st.Options {
		if o.Name == "format" || o.Name == "value_format" {
			return o.ValueSpan
		}
	}
	return st.Name.Span
}
