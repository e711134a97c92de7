package streamsql

import (
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	_ "github.com/streamsql-go/streamsql/connectors/file"     // these are light, and in every program
	_ "github.com/streamsql-go/streamsql/connectors/generate" // the same
	_ "github.com/streamsql-go/streamsql/connectors/nexmark"  // the same
	"github.com/streamsql-go/streamsql/planner/plan"
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
	if !own(rel) {
		k, err := endpoint.Lookup(rel.Connector)
		if err != nil {
			return asMistake(err, optionPlace(st, "connector"))
		}
		if err := k.Check(endpointOf(rel)); err != nil {
			return asMistake(err, st.Name.Pos())
		}
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
	k, err := endpoint.Lookup(owner)
	if err == nil {
		_, err = connectors.CheckOptions(k.Options, rel.ColumnNames(), map[string]string{name: o.Value})
	}
	if err != nil {
		return ast.Errorf(o.Span, "%v", err)
	}
	return nil
}

// own says whether the engine itself knows the connector: a topic, or functions of the program.
func own(rel *catalog.Relation) bool { return rel.Connector == "kafka" || rel.Connector == "go" }

// endpointOf is what a connector is told of a relation.
func endpointOf(rel *catalog.Relation) endpoint.Relation {
	return endpoint.Relation{Name: rel.Name, Connector: rel.Connector, Columns: rel.Columns, Format: rel.Format, Spec: formatSpec(rel), Options: rel.ConnectorOptions}
}

// readable refuses a query that reads what can only be written.
func readable(q *plan.Query, at ast.Span) error {
	if q == nil {
		return nil
	}
	for _, rel := range q.Sources {
		if own(rel) {
			continue
		}
		if k, err := endpoint.Lookup(rel.Connector); err == nil && k.NewSource == nil {
			return ast.Errorf(at, "%s cannot be read: connector '%s' is a target", rel.Name, rel.Connector).WithHint("read what is written into it")
		}
	}
	return nil
}

// usable refuses a query of which a source cannot be read or the target not written as it would be.
func usable(q *plan.Query, st ast.Statement) error {
	if q == nil {
		return nil
	}
	at := targetPlace(st)
	if err := readable(q, at); err != nil {
		return err
	}
	if t := q.Sink.Target; t != nil {
		if err := writable(at, t); err != nil {
			return err
		}
	}
	return deliverable(q, at)
}

// targetPlace is where a statement names what it writes to.
func targetPlace(st ast.Statement) ast.Span {
	switch st := st.(type) {
	case *ast.Create:
		return st.Name.Pos()
	case *ast.Insert:
		return st.Target.Pos()
	}
	return st.Pos()
}

// writable says whether queries can write to a relation.
func writable(at ast.Span, rel *catalog.Relation) error {
	if own(rel) {
		return nil
	}
	k, err := endpoint.Lookup(rel.Connector)
	if err != nil {
		return nil //nolint:nilerr // checkConnector says so, at the option
	}
	if k.NewSink == nil && k.Direct == nil {
		return ast.Errorf(at, "connector '%s' cannot be written to", rel.Connector).WithHint("use kafka, file, stdout or go for a target")
	}
	return nil
}
