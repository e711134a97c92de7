// Package bind turns statements into plans: names, types, windows. Every mistake of a user that has a place in the text
// is found here, and shown with that place.
package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// Bound is a query with its names resolved: the plan before any rewrite.
type Bound struct {
	Sink *plan.Sink
	// Target is the relation that the query writes; nil for a SELECT typed by itself. New says that it is not in the
	// catalog yet.
	Target *catalog.Relation
	New    bool
	// Limit of an ad-hoc query; -1: none.
	Limit int64
}

// Source is the text that a statement was parsed from: a column without an alias is named by its words.
type Source struct{ Text string }

// Create binds CREATE … AS.
func Create(cat *catalog.Snapshot, c *ast.Create, src Source) (*Bound, error) {
	sel, err := single(c.As)
	if err != nil {
		return nil, err
	}
	if c.Kind == ast.View {
		return nil, ast.Unsupported(c.Name.Span, "CREATE VIEW", "CREATE STREAM "+c.Name.Name+" AS … writes the result to a topic")
	}
	b := &binder{cat: cat, src: src, into: c.Kind, using: map[string]bool{}, persistent: true, name: c.Name.Name}
	out, err := b.selectQuery(sel)
	if err != nil {
		return nil, err
	}
	return b.create(c, out)
}

// Insert binds INSERT INTO … SELECT.
func Insert(cat *catalog.Snapshot, ins *ast.Insert, src Source) (*Bound, error) {
	sel, err := single(ins.Query)
	if err != nil {
		return nil, err
	}
	target, ok := cat.Get(ins.Target.Name)
	if !ok {
		return nil, ast.Unknown(ins.Target.Span, ins.Target.Name).
			WithHint("%s", spell.Hint(ins.Target.Name, "streams and tables", cat.Names()))
	}
	b := &binder{cat: cat, src: src, into: target.Kind, using: map[string]bool{}, persistent: true, byPosition: true, name: target.Name}
	out, err := b.selectQuery(sel)
	if err != nil {
		return nil, err
	}
	return b.insert(ins, target, out)
}

// Select binds a query typed by itself, whose rows are shown.
func Select(cat *catalog.Snapshot, q ast.Query, src Source) (*Bound, error) {
	sel, err := single(q)
	if err != nil {
		return nil, err
	}
	b := &binder{cat: cat, src: src, using: map[string]bool{}}
	out, err := b.selectQuery(sel)
	if err != nil {
		return nil, err
	}
	sink := out.sink()
	sink.KeyMode = plan.KeyNone
	bound := &Bound{Sink: plan.Derive(sink).(*plan.Sink), Limit: -1}
	if sel.Limit != nil {
		bound.Limit = *sel.Limit
	}
	return bound, nil
}

func single(q ast.Query) (*ast.Select, error) {
	switch q := q.(type) {
	case *ast.Select:
		return q, nil
	case *ast.SetOp:
		return nil, ast.Unsupported(q.Span, q.Op, "start one INSERT INTO … SELECT per part: they may write into the same stream")
	}
	return nil, ast.Errorf(ast.Span{}, "a SELECT is missing")
}

// binder binds one SELECT.
type binder struct {
	cat        *catalog.Snapshot
	src        Source
	into       ast.Kind
	persistent bool
	name       string // of the target
	byPosition bool   // INSERT: names of columns do not matter
	sources    []*source
	using      map[string]bool // columns of USING, lower-case: one column in *
	wanted     wanted
	// window of a DISTINCT: window_start and window_end are computed from the row's event time.
	window *plan.Window
}

// output is a bound SELECT: its columns, and what follows for the record that a row becomes.
type output struct {
	node plan.Node // over which columns are
	// columns are the visible ones: ordinals of node's schema.
	columns []int
	spans   []ast.Span // of their items
	// key: the columns that make the record's key; aggregated and tables only.
	key []int
	// aggregated: the key is made of columns; else one input record passes through.
	aggregated bool
	// star: the value is that of the one source, whole.
	star *catalog.Relation
	at   ast.Span
}

func (o *output) sink() *plan.Sink {
	return &plan.Sink{Input: o.node, Columns: o.columns}
}

func column(n plan.Node, i int, name string) *expr.Column {
	c := n.Props().Schema.Columns[i]
	if name == "" {
		name = c.Name
	}
	return &expr.Column{Index: i, Name: name, Typ: c.Type}
}
