// Package bind turns statements into plans: names, types, windows. Every mistake of a user that has a place in the text
// is found here, and shown with that place.
package bind

import (
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Bound is a query with its names resolved: the plan before any rewrite.
type Bound struct {
	Sink *plan.Sink
	// Target is the relation that the query writes; nil for a SELECT typed by itself. New says that it is not in the
	// catalog yet.
	Target *catalog.Relation
	New    bool
	// Limit of an ad-hoc query; -1: none. The others are those of plan.Query.
	Limit  int64
	Shown  int
	Key    []int
	Order  []plan.RowOrder
	Offset int64
	Emit   ast.Emit
}

// Source is the text that a statement was parsed from: a column without an alias is named by its words.
type Source struct {
	Text string
	// Functions are those of the program; nil: there are none.
	Functions *expr.Library
	// Using is what a SELECT without FROM reads; "": nothing.
	Using string
}

// Create binds CREATE … AS.
func Create(cat *catalog.Snapshot, c *ast.Create, src Source) (*Bound, error) {
	b := newBinder(cat, src)
	b.into, b.persistent, b.name = c.Kind, true, c.Name.Name
	out, err := b.whole(c.As)
	if err != nil {
		return nil, err
	}
	return b.create(c, out)
}

// View checks the query of CREATE VIEW and tells its columns and what it reads. A view is planned where it is used.
func View(cat *catalog.Snapshot, c *ast.Create, src Source) ([]types.Column, []*catalog.Relation, error) {
	b := newBinder(cat, src)
	b.nested = true // what a sub-query may not say, a view may not
	out, err := b.whole(c.As)
	if err != nil {
		return nil, nil, err
	}
	columns := out.visible()
	if len(c.Columns) > 0 && len(c.Columns) != len(columns) {
		return nil, nil, ast.Errorf(c.Columns[0].Span, "%d columns are named, the query has %d", len(c.Columns), len(columns))
	}
	for i, d := range c.Columns {
		if at := indexOf(columns[:i], d.Name.Name); at >= 0 {
			return nil, nil, ast.Errorf(d.Name.Span, "column %s is named twice", d.Name.Name).WithHint("names compare without regard to case")
		}
		columns[i].Name = d.Name.Name
	}
	return columns, *b.read, nil
}

// Insert binds INSERT INTO … SELECT.
func Insert(cat *catalog.Snapshot, ins *ast.Insert, src Source) (*Bound, error) {
	target, ok := cat.Get(ins.Target.Name)
	if !ok {
		return nil, ast.Unknown(ins.Target.Span, ins.Target.Name).
			WithHint("%s", spell.Hint(ins.Target.Name, "streams and tables", cat.Names()))
	}
	if target.Kind == ast.View {
		return nil, ast.Errorf(ins.Target.Span, "%s is a view: it has no rows of its own", target.Name).WithHint("insert into the stream or table behind it")
	}
	if target.Many() {
		return nil, ast.Errorf(ins.Target.Span, "%s reads several topics: which one is meant is not known", target.Name).WithHint("declare a stream of one of them: CREATE STREAM … WITH (topic = '…')")
	}
	b := newBinder(cat, src)
	b.into, b.persistent, b.byPosition, b.name = target.Kind, true, true, target.Name
	out, err := b.whole(ins.Query)
	if err != nil {
		return nil, err
	}
	return b.insert(ins, target, out)
}

// Select binds a query typed by itself, whose rows are shown.
func Select(cat *catalog.Snapshot, q ast.Query, src Source) (*Bound, error) {
	out, err := newBinder(cat, src).whole(q)
	if err != nil {
		return nil, err
	}
	order, err := out.order(orderOf(q))
	if err != nil {
		return nil, err
	}
	sink := out.sink()
	sink.KeyMode = plan.KeyNone
	bound := &Bound{Shown: len(sink.Columns), Order: order, Limit: -1}
	if out.key != nil {
		bound.Key = []int{}
	}
	for _, k := range out.key {
		at := slices.Index(sink.Columns, k)
		if at < 0 {
			at = len(sink.Columns)
			sink.Columns = append(slices.Clone(sink.Columns), k)
		}
		bound.Key = append(bound.Key, at)
	}
	bound.Sink = plan.Derive(sink).(*plan.Sink)
	if n := rowLimit(q); n != nil {
		bound.Limit = *n
	}
	if s, ok := q.(*ast.Select); ok {
		bound.Emit = s.Emit
		if s.Offset != nil {
			bound.Offset = *s.Offset
		}
	}
	return bound, nil
}

func rowLimit(q ast.Query) *int64 {
	switch q := q.(type) {
	case *ast.Select:
		return q.Limit
	case *ast.SetOp:
		return q.Limit
	}
	return nil
}

// binder binds one SELECT. A query inside it has a binder of its own (inner).
type binder struct {
	cat      *catalog.Snapshot
	src      Source
	read     *[]*catalog.Relation // what of the catalog is read, in queries inside and views too
	views    []*catalog.Relation  // those that are being opened
	volatile *volatile
	ctes     *commons
	emit     ast.Emit // as said here, or by the query around
	// nested: the query stands inside another one.
	nested bool

	into       ast.Kind
	persistent bool
	name       string // of the target
	byPosition bool   // INSERT: names of columns do not matter

	sources []*source
	values  map[*ast.ScalarSubquery]scalar // what sub-queries used as values have become
	using   map[string]expr.Expr           // columns of USING, lower-case: one column in *
	wanted  wanted
	// window of a DISTINCT: window_start and window_end are computed from the row's event time.
	window *plan.Window
}

func newBinder(cat *catalog.Snapshot, src Source) *binder {
	return &binder{cat: cat, src: src, read: new([]*catalog.Relation), volatile: &volatile{}, using: map[string]expr.Expr{}}
}

// whole binds the query of a statement.
func (b *binder) whole(q ast.Query) (*output, error) {
	if s, ok := q.(*ast.Select); ok && s.From == nil && b.src.Using != "" {
		c := *s
		c.From = &ast.TableRef{Span: s.Span, Name: ast.Ident{Span: s.Span, Name: b.src.Using}}
		q = &c
	}
	out, err := b.query(q)
	if err != nil {
		return nil, err
	}
	return out, b.refuseVolatile(out)
}

// query binds a SELECT or a set operation.
func (b *binder) query(q ast.Query) (*output, error) {
	switch q := q.(type) {
	case *ast.Select:
		return b.selectQuery(q)
	case *ast.SetOp:
		return b.setOperation(q)
	}
	return nil, ast.Errorf(ast.Span{}, "a SELECT is missing")
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
	// keys are the expressions of ORDER BY that are columns of the list, by their ordinals there.
	keys map[ast.Expr]int
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
