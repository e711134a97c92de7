package streamsql

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// checkFormats makes what reads or writes the records of a relation, to find out at CREATE whether the formats hold its columns.
func checkFormats(st *ast.Create, rel *catalog.Relation) error {
	spec := formatSpec(rel)
	var err error
	if st.As != nil {
		_, err = format.NewEncoder(rel.Format, spec, nil)
	} else {
		_, err = format.NewDecoder(rel.Format, spec)
	}
	if err != nil {
		return asMistake(err, optionPlace(st, "format", "value_format"))
	}
	if len(rel.Key) == 0 {
		return nil
	}
	keys := spec
	keys.Columns = nil
	for _, k := range rel.Key {
		keys.Columns = append(keys.Columns, spec.Columns[k])
	}
	if _, err := format.NewKeyCodec(rel.KeyFormat, keys); err != nil {
		return asMistake(err, optionPlace(st, "key_format"))
	}
	return nil
}

// formatSpec is what the format of a relation's values is told.
func formatSpec(rel *catalog.Relation) format.Spec {
	return format.Spec{Columns: formatColumns(rel), Record: rel.ColumnNames(), Key: rel.KeyNames(), Topic: rel.Topic, Options: rel.FormatOptions}
}

// formatColumns are a relation's columns as its formats read and write them.
func formatColumns(rel *catalog.Relation) []format.Column {
	cols := make([]format.Column, len(rel.Columns))
	for i, c := range rel.Columns {
		cols[i] = format.Column{Name: c.Name, Type: c.Type, TimestampFormat: rel.TimestampFormat}
	}
	return cols
}

// optionPlace is where an option's value stands, or the relation's name.
func optionPlace(st *ast.Create, names ...string) ast.Span {
	for _, o := range st.Options {
		if slices.Contains(names, strings.ToLower(o.Name)) {
			return o.ValueSpan
		}
	}
	return st.Name.Pos()
}

// checkFormatOption checks one option that belongs to a format: of the value, or of the key.
func checkFormatOption(o ast.Option, rel *catalog.Relation) error {
	name := strings.ToLower(o.Name)
	has := func(f format.Format) bool {
		return slices.ContainsFunc(f.Options, func(x connectors.Option) bool { return x.Name == name })
	}
	var owners, tables []string
	for _, f := range format.All() {
		if !has(f) {
			for _, x := range f.Options {
				tables = append(tables, x.Name)
			}
			continue
		}
		owners = append(owners, f.Name)
		if f.Name == rel.Format || f.Name == rel.KeyFormat {
			if _, err := f.CheckOptions(map[string]string{name: o.Value}); err != nil {
				return ast.Errorf(o.Span, "%v", err)
			}
			return nil
		}
	}
	if len(owners) == 0 {
		return ast.Errorf(o.Span, "unknown option %s", o.Name).WithHint("%s", spell.Hint(name, "options of formats", tables))
	}
	return ast.Errorf(o.Span, "option %s belongs to format '%s', %s has '%s'", name, strings.Join(owners, "' or '"), rel.Name, rel.Format).
		WithHint("leave the option out, or add format = '%s'", owners[0])
}

// formatTables are the options of the formats in this program, each once.
func formatTables() [][]connectors.Option {
	var tables [][]connectors.Option
	seen := map[string]bool{}
	for _, f := range format.All() {
		var own []connectors.Option
		for _, o := range f.Options {
			if !seen[o.Name] {
				seen[o.Name] = true
				own = append(own, o)
			}
		}
		tables = append(tables, own)
	}
	return tables
}
