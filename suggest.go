package streamsql

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/connectors/kafka"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/complete"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// Suggestions are what may stand at a place in a text that is being typed.
type Suggestions = complete.Result

// Suggest proposes what may stand at cursor, an offset in bytes into text: by the grammar, and by what this engine knows.
func (e *Engine) Suggest(ctx context.Context, text string, cursor int) Suggestions {
	return complete.At(text, cursor, complete.World{
		Relations: e.relationInfos(), Functions: e.functionInfos(), Options: optionInfos(), Settings: settingInfos(),
		Queries: e.queryNames(), Variables: slices.Sorted(maps.Keys(e.Variables())),
		Topics: func() []string { return e.topicNames(ctx) },
	})
}

func (e *Engine) relationInfos() []complete.RelationInfo {
	var out []complete.RelationInfo
	for _, r := range e.catalog.List() {
		i := complete.RelationInfo{Name: r.Name, Kind: r.Kind.String(), Columns: r.Columns}
		if r.Kind != ast.View {
			i.Topic = r.Topic
		}
		out = append(out, i)
	}
	return out
}

func (e *Engine) functionInfos() []complete.FunctionInfo {
	var out []complete.FunctionInfo
	for _, f := range append(expr.Functions(), e.library.Functions()...) {
		out = append(out, complete.FunctionInfo{Name: f.Name, Signature: f.Signature, Doc: f.Doc, Table: e.library.IsTable(f.Name)})
	}
	for _, f := range append(expr.AggregateFunctions(), e.library.Aggregates()...) {
		out = append(out, complete.FunctionInfo{Name: f.Name, Signature: f.Signature, Doc: f.Doc, Aggregate: true})
	}
	return out
}

// optionInfos are the options of WITH: the catalog's, the formats', the connectors'.
func optionInfos() []complete.OptionInfo {
	known := map[string][]string{"start": {"earliest", "latest"}, "timestamp_format": {"ms", "s", "us", "ns", "iso"}, "connector": {"kafka", "go"}}
	for _, k := range endpoint.All() {
		known["connector"] = append(known["connector"], k.Name)
	}
	var out []complete.OptionInfo
	for _, o := range catalog.Options() {
		values := o.Words()
		if values == nil {
			values = known[o.Name]
		}
		out = append(out, complete.OptionInfo{Name: o.Name, Type: o.Type, Default: o.Default, Doc: o.Doc, Values: values})
	}
	for _, table := range formatTables() {
		out = append(out, ownOptions("", table)...)
	}
	for _, k := range endpoint.All() {
		out = append(out, ownOptions(k.Name, k.Options)...)
	}
	return append(out, ownOptions("kafka", kafka.OptionTable())...)
}

func ownOptions(connector string, table []connectors.Option) []complete.OptionInfo {
	var out []complete.OptionInfo
	for _, o := range table {
		i := complete.OptionInfo{Name: o.Name, Type: o.Type.String(), Default: o.Default, Doc: o.Doc, Connector: connector}
		if o.Type == connectors.BoolOption {
			i.Values = []string{"true", "false"}
		}
		out = append(out, i)
	}
	return out
}

func settingInfos() []complete.OptionInfo {
	return []complete.OptionInfo{
		{Name: "start", Doc: "where a SELECT begins", Values: []string{"earliest", "latest"}},
		{Name: "commit_interval", Doc: "time between transactions"},
	}
}

func (e *Engine) queryNames() []string {
	var out []string
	for _, q := range e.Queries() {
		out = append(out, q.Name())
	}
	return out
}

// topicNames are the cluster's, those of relations alone when it does not answer within a second.
func (e *Engine) topicNames(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	names := map[string]bool{}
	for _, r := range e.catalog.List() {
		if r.Kind != ast.View {
			names[r.Topic] = true
		}
	}
	if infos, err := e.cluster.Topics(ctx); err == nil {
		for n := range infos {
			names[n] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
