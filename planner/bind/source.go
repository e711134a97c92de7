package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// source is one relation in FROM: a stream or table of the catalog, or a query inside the query. Its rows are those of node,
// whose columns begin at ordinal base of the schema that the query's expressions are over.
type source struct {
	alias string
	span  ast.Span
	node  plan.Node
	// columns are those of node's schema; of UNNEST, which has no rows of its own, those of the element.
	columns []types.Column
	// visible are the ordinals in node's schema of the columns that * means, in order; others are hidden.
	visible []int
	// rel and scan are nil for a query inside the query.
	rel  *catalog.Relation
	scan *plan.Scan
	base int
	// right: joined to what stands before it, so that a column of USING is shown there.
	right bool
	// silent: headers are never read from it.
	silent bool
}

// kind says whether the rows are facts or a state of affairs.
func (s *source) kind() ast.Kind {
	if s.node.Props().Changes == plan.AppendOnly {
		return ast.Stream
	}
	return ast.Table
}

// columnOf is a column of the source's schema.
func (s *source) columnOf(at int) types.Column { return s.columns[at] }

// names are those of the visible columns.
func (s *source) names() []string {
	var out []string
	for _, i := range s.visible {
		out = append(out, s.columnOf(i).Name)
	}
	return out
}

// named is the ordinal of a visible column: its exact spelling first, then a single one in another case; -1:
// there is none.
func (s *source) named(name string) int {
	found, n := -1, 0
	for _, i := range s.visible {
		switch c := s.columnOf(i).Name; {
		case c == name:
			return i
		case strings.EqualFold(c, name):
			found, n = i, n+1
		}
	}
	if n > 1 {
		return -1
	}
	return found
}

// wanted is what a query reads of records besides declared columns: fields of STRUCTs and headers.
type wanted struct {
	names   []*ast.Name
	headers []string
}

func (b *binder) collect(s *ast.Select) {
	expressions(s, func(e ast.Expr) {
		if q, ok := queryOf(e).(*ast.Select); ok { // it may name what is read here
			b.collect(q)
		}
		switch e := e.(type) {
		case *ast.Name:
			if len(e.Parts) > 1 {
				b.wanted.names = append(b.wanted.names, e)
			}
		case *ast.Call:
			if e.Name == "HEADER" && len(e.Args) == 1 {
				if l, ok := e.Args[0].(*ast.Literal); ok {
					b.wanted.headers = append(b.wanted.headers, l.Text)
				}
			}
		}
	})
}

// queryOf is the query inside an expression, nil: there is none.
func queryOf(e ast.Expr) ast.Query {
	switch e := e.(type) {
	case *ast.In:
		return e.Query
	case *ast.Exists:
		return e.Query
	case *ast.ScalarSubquery:
		return e.Query
	}
	return nil
}

var hidden = []plan.ScanColumn{
	{Name: "_key", Type: types.TVarchar, Hidden: plan.HiddenKey},
	{Name: "_value", Type: types.TVarchar, Hidden: plan.HiddenValue},
	{Name: "_topic", Type: types.TVarchar, Hidden: plan.HiddenTopic},
	{Name: "_partition", Type: types.TInt, Hidden: plan.HiddenPartition},
	{Name: "_offset", Type: types.TBigInt, Hidden: plan.HiddenOffset},
	{Name: "_timestamp", Type: types.TTimestamp, Hidden: plan.HiddenTimestamp},
	{Name: "_headers", Type: types.Type{Kind: types.Map, Elem: &types.TVarchar}, Hidden: plan.HiddenHeaders},
}

// open adds what a name in FROM means to the scope: a common table expression, a view, or a stream or table, in this order.
func (b *binder) open(ref *ast.TableRef) (*source, error) {
	alias := ref.Alias
	if alias.Name == "" {
		alias = ast.Ident{Span: ref.Name.Span, Name: ref.Name.Name}
	}
	if w := b.ctes.find(ref.Name.Name); w != nil {
		return b.common(w, ref, alias)
	}
	rel, ok := b.cat.Get(ref.Name.Name)
	if !ok {
		return nil, ast.Unknown(ref.Name.Span, ref.Name.Name).
			WithHint("%s", spell.Hint(ref.Name.Name, "streams and tables", append(b.ctes.names(), b.cat.Names()...)))
	}
	if ref.Alias.Name == "" {
		alias.Name = rel.Name
	}
	if rel.Kind == ast.View {
		return b.view(rel, ref, alias)
	}
	return b.relation(rel, ref, alias)
}

// relation opens a stream or table: its scan reads all that the query may ask for; what it does not need is pruned later.
func (b *binder) relation(rel *catalog.Relation, ref *ast.TableRef, alias ast.Ident) (*source, error) {
	if rel.Kind == ast.Table && len(rel.PrimaryKey) == 0 {
		return nil, ast.Errorf(ref.Name.Span, "table %s cannot be read: the columns of its key are not in its rows", rel.Name).
			WithHint("select the group columns, and window_start, in the query that writes it")
	}
	s := &source{alias: alias.Name, span: alias.Span, rel: rel}
	for i := range rel.Columns {
		s.visible = append(s.visible, i)
	}
	s.scan = b.scan(s)
	s.node = s.scan
	*b.read = append(*b.read, rel)
	return s, b.enter(s)
}

// enter adds a source to the scope.
func (b *binder) enter(s *source) error {
	for _, o := range b.sources {
		if strings.EqualFold(o.alias, s.alias) {
			return ast.Errorf(s.span, "%s stands twice in FROM", s.alias).WithHint("give one of them another name: %s AS other", s.alias)
		}
	}
	if s.node != nil {
		s.columns = s.node.Props().Schema.Columns
	}
	s.base = b.width()
	b.sources = append(b.sources, s)
	return nil
}

// width is the number of columns of the schema that the sources so far make together.
func (b *binder) width() int {
	n := 0
	for _, s := range b.sources {
		n += len(s.columns)
	}
	return n
}

func (b *binder) scan(s *source) *plan.Scan {
	n := &plan.Scan{Relation: s.rel, Alias: s.alias, TimeColumn: s.rel.Timestamp}
	for i, c := range s.rel.Columns {
		sc := plan.ScanColumn{Name: c.Name, Type: c.Type, Path: []string{c.Name}}
		if header, ok := s.rel.Header(i); ok {
			sc.Hidden, sc.Path = plan.HeaderColumn, []string{header}
		}
		n.Columns = append(n.Columns, sc)
	}
	n.Columns = append(n.Columns, hidden...)
	for _, h := range b.wanted.headers {
		n.Columns = append(n.Columns, plan.ScanColumn{Name: "HEADER('" + h + "')", Type: types.TVarchar, Path: []string{h}, Hidden: plan.HiddenHeader})
	}
	for _, w := range b.wanted.names {
		for _, parts := range s.readings(w) {
			if c, ok := fieldColumn(s.rel, parts); ok {
				n.Columns = append(n.Columns, c)
			}
		}
	}
	return plan.Derive(n).(*plan.Scan)
}

// fieldColumn is the field of a STRUCT that a path names.
func fieldColumn(rel *catalog.Relation, parts []ast.Ident) (plan.ScanColumn, bool) {
	at := rel.Column(parts[0].Name)
	if at < 0 || len(parts) < 2 {
		return plan.ScanColumn{}, false
	}
	t := rel.Columns[at].Type
	path := []string{rel.Columns[at].Name}
	for _, p := range parts[1:] {
		f, ok := field(t, p.Name)
		if !ok {
			return plan.ScanColumn{}, false
		}
		path, t = append(path, f.Name), f.Type
	}
	return plan.ScanColumn{Name: strings.Join(path, "."), Type: t, Path: path}, true
}

func field(t types.Type, name string) (types.Field, bool) {
	var found types.Field
	ok := false
	for _, f := range t.Fields {
		if f.Name == name {
			return f, true
		}
		if strings.EqualFold(f.Name, name) && !ok {
			found, ok = f, true
		}
	}
	return found, ok && t.Kind == types.Struct
}

// header is HEADER('name'), of the one source that the query reads or the first of several.
func (b *binder) header(c *ast.Call, among []*source) (expr.Expr, error) {
	l, ok := (*ast.Literal)(nil), false
	if len(c.Args) == 1 {
		l, ok = c.Args[0].(*ast.Literal)
	}
	if !ok || l.Kind != ast.StringLiteral {
		return nil, ast.Errorf(c.Span, "HEADER takes the name of a header as a string").WithHint("HEADER('trace-id')")
	}
	for _, s := range among {
		if s.silent || s.scan == nil {
			continue
		}
		for i, sc := range s.scan.Columns {
			if sc.Hidden == plan.HiddenHeader && sc.Path[0] == l.Text {
				return b.reference(s, i), nil
			}
		}
	}
	return nil, ast.Errorf(c.Span, "HEADER is not possible here")
}
