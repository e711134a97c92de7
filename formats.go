package streamsql

import (
	"errors"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// checkFormats finds out at CREATE whether the formats of a relation hold its columns and take its options.
func checkFormats(st *ast.Create, rel *catalog.Relation) error {
	use := format.Use{Name: rel.Name, Format: rel.Format, KeyFormat: rel.KeyFormat, Value: formatSpec(rel), Written: st.As != nil}
	for _, k := range rel.Key {
		use.Key = append(use.Key, formatColumns(rel)[k])
	}
	err := use.Check()
	var m *format.Misuse
	if errors.As(err, &m) {
		mistake := ast.Errorf(optionPlace(st, m.Option), "%v", m.Err)
		if m.Hint != "" {
			return mistake.WithHint("%s", m.Hint)
		}
		return mistake
	}
	return err
}

// formatSpec is what the format of a relation's values is told.
func formatSpec(rel *catalog.Relation) format.Spec {
	var inValue []format.Column
	for i, c := range formatColumns(rel) {
		if _, header := rel.Header(i); !header {
			inValue = append(inValue, c)
		}
	}
	return format.Spec{Columns: inValue, Record: rel.ValueNames(), Key: rel.KeyNames(), Topic: rel.Topic, Options: rel.FormatOptions}
}

// formatColumns are a relation's columns as its formats read and write them.
func formatColumns(rel *catalog.Relation) []format.Column {
	cols := make([]format.Column, len(rel.Columns))
	for i, c := range rel.Columns {
		cols[i] = format.Column{Name: c.Name, Type: c.Type, TimestampFormat: rel.TimestampFormat}
	}
	return cols
}

// optionPlace is where the value of an option stands, or the relation's name.
func optionPlace(st *ast.Create, name string) ast.Span {
	for _, o := range st.Options {
		if given := strings.ToLower(o.Name); given == name || name == "format" && given == "value_format" {
			return o.ValueSpan
		}
	}
	return st.Name.Pos()
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
