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

// source is one relation in FROM. Its columns are those of the scan, from ordinal base of the schema they are seen in.
type source struct {
	alias string
	span  ast.Span
	rel   *catalog.Relation
	scan  *plan.Scan
	base  int
	table bool // the table side of a join
}

// wanted is what a query reads of records besides declared columns: fields of STRUCTs and headers.
type wanted struct {
	names   []*ast.Name
	headers []string
}

func (b *binder) collect(s *ast.Select) {
	expressions(s, func(e ast.Expr) {
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

var hidden = []plan.ScanColumn{
	{Name: "_key", Type: types.TVarchar, Hidden: plan.HiddenKey},
	{Name: "_value", Type: types.TVarchar, Hidden: plan.HiddenValue},
	{Name: "_topic", Type: types.TVarchar, Hidden: plan.HiddenTopic},
	{Name: "_partition", Type: types.TInt, Hidden: plan.HiddenPartition},
	{Name: "_offset", Type: types.TBigInt, Hidden: plan.HiddenOffset},
	{Name: "_timestamp", Type: types.TTimestamp, Hidden: plan.HiddenTimestamp},
	{Name: "_headers", Type: types.Type{Kind: types.Map, Elem: &types.TVarchar}, Hidden: plan.HiddenHeaders},
}

// source opens a relation of FROM: its scan reads all that the query may ask for; what it does not need is pruned later.
func (b *binder) source(ref *ast.TableRef) (*source, error) {
	rel, ok := b.cat.Get(ref.Name.Name)
	if !ok {
		return nil, ast.Unknown(ref.Name.Span, ref.Name.Name).
			WithHint("%s", spell.Hint(ref.Name.Name, "streams and tables", b.cat.Names()))
	}
	if rel.Kind == ast.View {
		return nil, ast.Unsupported(ref.Name.Span, "SELECT from a view", "")
	}
	if rel.Kind == ast.Table && len(rel.PrimaryKey) == 0 {
		return nil, ast.Errorf(ref.Name.Span, "table %s cannot be read: the columns of its key are not in its rows", rel.Name).
			WithHint("select the group columns, and window_start, in the query that writes it")
	}
	s := &source{alias: rel.Name, span: ref.Name.Span, rel: rel}
	if ref.Alias.Name != "" {
		s.alias, s.span = ref.Alias.Name, ref.Alias.Span
	}
	for _, o := range b.sources {
		if strings.EqualFold(o.alias, s.alias) {
			return nil, ast.Errorf(s.span, "%s stands twice in FROM", s.alias).WithHint("give one of them another name: %s AS other", rel.Name)
		}
	}
	s.scan = b.scan(s)
	b.sources = append(b.sources, s)
	return s, nil
}

func (b *binder) scan(s *source) *plan.Scan {
	n := &plan.Scan{Relation: s.rel, Alias: s.alias, TimeColumn: s.rel.Timestamp}
	for _, c := range s.rel.Columns {
		n.Columns = append(n.Columns, plan.ScanColumn{Name: c.Name, Type: c.Type, Path: []string{c.Name}})
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

// readings are the ways in which a dotted name may mean a column of s: after its alias, or as it stands.
func (s *source) readings(n *ast.Name) [][]ast.Ident {
	var out [][]ast.Ident
	if strings.EqualFold(n.Parts[0].Name, s.alias) {
		out = append(out, n.Parts[1:])
	}
	return append(out, n.Parts)
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

// column resolves a name among sources.
func (b *binder) column(n *ast.Name, among []*source) (expr.Expr, error) {
	var hit *source
	var at int
	for _, s := range among {
		i, err := s.find(n)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			continue
		}
		if hit != nil && len(n.Parts) == 1 && b.using[strings.ToLower(n.Parts[0].Name)] {
			continue
		}
		if hit != nil {
			return nil, ast.Errorf(n.Span, "column %s is ambiguous: it is in %s and in %s", dotted(n.Parts), hit.alias, s.alias).
				WithHint("write %s.%s or %s.%s", hit.alias, last(n), s.alias, last(n))
		}
		hit, at = s, i
	}
	if hit == nil {
		return b.noColumn(n, among)
	}
	if at >= len(hit.scan.Columns) {
		return b.member(n, hit, at-len(hit.scan.Columns))
	}
	return b.reference(hit, at), nil
}

// member is a path into a JSON or MAP column: it is taken out of the text of each row.
func (b *binder) member(n *ast.Name, s *source, declared int) (expr.Expr, error) {
	var e expr.Expr = b.reference(s, declared)
	parts := n.Parts[1:]
	if s.rel.Column(n.Parts[0].Name) != declared {
		parts = n.Parts[2:]
	}
	for _, p := range parts {
		x, err := expr.NewField(e, p.Name)
		if err != nil {
			return nil, placed(p, err)
		}
		e = x
	}
	return e, nil
}

func (b *binder) reference(s *source, at int) *expr.Column {
	c := s.scan.Columns[at]
	name := c.Name
	if len(b.sources) > 1 {
		name = s.alias + "." + name
	}
	return &expr.Column{Index: s.base + at, Name: name, Typ: c.Type}
}

// find is the ordinal of a name in the source's scan; -1 when it is not there.
func (s *source) find(n *ast.Name) (int, error) {
	for i, parts := range s.readings(n) {
		qualified := i == 0 && strings.EqualFold(n.Parts[0].Name, s.alias) && len(n.Parts) > 1
		at, err := s.lookup(parts)
		if err != nil && (qualified || len(s.readings(n)) == 1) {
			return -1, err
		}
		if at >= 0 {
			return at, nil
		}
	}
	return -1, nil
}

func (s *source) lookup(parts []ast.Ident) (int, error) {
	declared := s.rel.Column(parts[0].Name)
	if declared >= 0 && len(parts) > 1 && (s.rel.Columns[declared].Type.Kind == types.JSON || s.rel.Columns[declared].Type.Kind == types.Map) {
		return len(s.scan.Columns) + declared, nil // a member, see member
	}
	if len(parts) == 1 {
		if declared >= 0 {
			return declared, nil
		}
		for i, c := range s.scan.Columns {
			if c.Hidden != plan.NotHidden && c.Hidden != plan.HiddenHeader && strings.EqualFold(c.Name, parts[0].Name) {
				return i, nil
			}
		}
		return -1, nil
	}
	c, ok := fieldColumn(s.rel, parts)
	if !ok {
		return -1, s.noField(parts)
	}
	for i, have := range s.scan.Columns {
		if have.Hidden == plan.NotHidden && len(have.Path) == len(c.Path) && have.Name == c.Name && len(have.Path) > 1 {
			return i, nil
		}
	}
	return -1, nil
}

// noField explains why a path into an existing column leads nowhere; nil when the column itself does not exist.
func (s *source) noField(parts []ast.Ident) error {
	at := s.rel.Column(parts[0].Name)
	if at < 0 {
		return nil
	}
	t := s.rel.Columns[at].Type
	where := s.rel.Columns[at].Name
	for _, p := range parts[1:] {
		f, ok := field(t, p.Name)
		if !ok {
			err := ast.Errorf(p.Span, "unknown field %s in %s, which is %s", p.Name, where, t)
			if t.Kind != types.Struct {
				return err.WithHint("declare %s as STRUCT<…>, or extract with %s->>'$.%s'", where, where, p.Name)
			}
			var names []string
			for _, f := range t.Fields {
				names = append(names, f.Name)
			}
			return err.WithHint("%s", spell.Hint(p.Name, "fields", names))
		}
		where, t = where+"."+f.Name, f.Type
	}
	return nil
}

func (b *binder) noColumn(n *ast.Name, among []*source) (expr.Expr, error) {
	at := n.Parts[0]
	where, names := "FROM", []string(nil)
	var aliases []string
	for _, s := range among {
		aliases = append(aliases, s.alias)
		names = append(names, s.rel.ColumnNames()...)
		if len(n.Parts) > 1 && strings.EqualFold(s.alias, at.Name) {
			at = n.Parts[1]
			names, aliases = s.rel.ColumnNames(), []string{s.alias}
			break
		}
	}
	if len(aliases) > 0 {
		where = strings.Join(aliases, " and ")
	}
	if len(n.Parts) > 1 && at.Span == n.Parts[0].Span {
		return nil, ast.Errorf(at.Span, "unknown stream, table or column %s in %s", at.Name, dotted(n.Parts)).
			WithHint("%s", spell.Hint(at.Name, "names in FROM", aliases))
	}
	return nil, ast.Errorf(at.Span, "unknown column %s in %s", at.Name, where).
		WithHint("%s", spell.Hint(at.Name, "columns of "+where, names))
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
		for i, sc := range s.scan.Columns {
			if sc.Hidden == plan.HiddenHeader && sc.Path[0] == l.Text && !s.table {
				return b.reference(s, i), nil
			}
		}
	}
	return nil, ast.Errorf(c.Span, "HEADER is not possible here")
}

func dotted(parts []ast.Ident) string {
	var s []string
	for _, p := range parts {
		s = append(s, p.Name)
	}
	return strings.Join(s, ".")
}

func last(n *ast.Name) string { return n.Parts[len(n.Parts)-1].Name }
