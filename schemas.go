package streamsql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// checkDefaults says what is wrong with Options.Formats.
func checkDefaults(given map[string]string) error {
	table := slices.Concat(formatTables()...)
	for name := range given {
		if !slices.ContainsFunc(table, func(o connectors.Option) bool { return o.Name == name }) {
			var names []string
			for _, o := range table {
				names = append(names, o.Name)
			}
			return fmt.Errorf("unknown option %q; %s", name, spell.Hint(name, "options of formats", names))
		}
	}
	_, err := connectors.CheckOptions(table, nil, given)
	return err
}

// withDefaults is a CREATE with the options that Options.Formats gives its formats where it says nothing itself.
func (e *Engine) withDefaults(st *ast.Create) *ast.Create {
	given := map[string]bool{}
	names := map[string]bool{"json": true}
	for _, o := range st.Options {
		name := strings.ToLower(o.Name)
		given[name] = true
		if name == "format" || name == "value_format" || name == "key_format" {
			names[strings.ToLower(o.Value)] = true
		}
	}
	out := *st
	out.Options = slices.Clone(st.Options)
	for _, f := range format.All() {
		for _, o := range f.Options {
			value, ok := e.opts.Formats[o.Name]
			if ok && names[f.Name] && !given[o.Name] {
				given[o.Name] = true
				out.Options = append(out.Options, ast.Option{Span: st.Name.Span, Name: o.Name, Value: value, ValueSpan: st.Name.Span})
			}
		}
	}
	return &out
}
