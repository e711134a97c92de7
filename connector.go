package streamsql

import (
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/file"
	"github.com/streamsql-go/streamsql/connectors/generate"
	"github.com/streamsql-go/streamsql/connectors/nexmark"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// checkConnector checks what a CREATE says about its connector and format, without touching either. Everything that takes a
// CREATE goes through it: Exec, Load, Run, Start and Check.
func checkConnector(st *ast.Create, rel *catalog.Relation) error {
	if rel == nil || rel.Kind == ast.View {
		return nil
	}
	for _, o := range st.Options {
		if err := checkOption(o, rel); err != nil {
			return err
		}
	}
	if err := checkFormats(st, rel); err != nil {
		return err
	}
	var err error
	switch rel.Connector {
	case "file":
		_, err = file.Check(rel.ConnectorOptions)
	case "generate":
		_, err = generate.New(rel.Columns, rel.ConnectorOptions, time.UnixMilli(0))
	case "nexmark":
		_, err = nexmark.New(rel.Columns, rel.Format, rel.ConnectorOptions, time.UnixMilli(0))
	case "kafka", "go":
	default:
		return ast.Errorf(st.Name.Pos(), "unknown connector '%s'", rel.Connector).WithHint("kafka, file, generate, nexmark or go")
	}
	if err != nil {
		return asMistake(err, st.Name.Pos())
	}
	if st.As != nil {
		return writable(st.Name.Pos(), rel)
	}
	return nil
}

// checkOption checks one option that belongs to a connector; others are the catalog's and the formats'.
func checkOption(o ast.Option, rel *catalog.Relation) error {
	name := strings.ToLower(o.Name)
	if _, ok := rel.ConnectorOptions[name]; !ok {
		return nil
	}
	owner, _, _ := strings.Cut(name, ".")
	if owner == "kafka" {
		return ast.Errorf(o.Span, "option %s is not of a relation: the whole process reads one cluster", name).
			WithHint("set it for the process: -X %s=… on the command line, Options.Kafka in Go", name)
	}
	if owner != rel.Connector {
		return ast.Errorf(o.Span, "option %s belongs to connector = '%s', %s has '%s'", name, owner, rel.Name, rel.Connector).
			WithHint("add connector = '%s', or leave the option out", owner)
	}
	var table []connectors.Option
	switch owner {
	case "file":
		table = file.Table
	case "generate":
		table = generate.Table
	case "nexmark":
		table = nexmark.Table
	}
	if _, err := connectors.CheckOptions(table, rel.ColumnNames(), map[string]string{name: o.Value}); err != nil {
		return ast.Errorf(o.Span, "%v", err)
	}
	return nil
}

// writable says whether queries can write to a relation.
func writable(at ast.Span, rel *catalog.Relation) error {
	switch rel.Connector {
	case "kafka", "file", "go":
		return nil
	}
	return ast.Errorf(at, "connector '%s' cannot be written to", rel.Connector).WithHint("use kafka, file or go for a target")
}
