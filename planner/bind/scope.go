package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// place is what a name means in a source: a column, and the way from there into its value.
type place struct {
	at   int // ordinal in the source's schema, -1: the name means nothing there
	path []ast.Ident
}

var nowhere = place{at: -1}

// readings are the ways in which a dotted name may mean a column of s: after its alias, or as it stands.
func (s *source) readings(n *ast.Name) [][]ast.Ident {
	var out [][]ast.Ident
	if len(n.Parts) > 1 && strings.EqualFold(n.Parts[0].Name, s.alias) {
		out = append(out, n.Parts[1:])
	}
	return append(out, n.Parts)
}

// column resolves a name among sources: an alias before a dot counts before a column of that name.
func (b *binder) column(n *ast.Name, among []*source) (expr.Expr, error) {
	var hit *source
	if s := named(n, among); s != nil {
		p, err := s.lookup(n.Parts[1:])
		switch {
		case err != nil:
			return nil, err
		case p.at >= 0:
			return b.member(b.reference(s, p.at), p.path)
		}
	}
	var at place
	for _, s := range among {
		p, err := s.find(n)
		if err != nil {
			return nil, err
		}
		if p.at < 0 {
			continue
		}
		if e, ok := b.using[strings.ToLower(n.Parts[0].Name)]; ok && hit != nil && len(n.Parts) == 1 {
			return e, nil
		}
		if hit != nil {
			return nil, ast.Errorf(n.Span, "column %s is ambiguous: it is in %s and in %s", dotted(n.Parts), hit.alias, s.alias).
				WithHint("write %s.%s or %s.%s", hit.alias, last(n), s.alias, last(n))
		}
		hit, at = s, p
	}
	if hit == nil {
		return b.noColumn(n, among)
	}
	return b.member(b.reference(hit, at.at), at.path)
}

// named is the source whose alias n begins with; nil: there is none.
func named(n *ast.Name, among []*source) *source {
	for _, s := range among {
		if len(n.Parts) > 1 && strings.EqualFold(s.alias, n.Parts[0].Name) {
			return s
		}
	}
	return nil
}

// member follows a path into the value of a column: it is taken out of each row.
func (b *binder) member(e expr.Expr, path []ast.Ident) (expr.Expr, error) {
	for _, p := range path {
		x, err := expr.NewField(e, p.Name)
		if err != nil {
			return nil, placed(p, err)
		}
		e = x
	}
	return e, nil
}

func (b *binder) reference(s *source, at int) *expr.Column {
	c := s.columnOf(at)
	name := c.Name
	if len(b.sources) > 1 {
		name = s.alias + "." + name
	}
	return &expr.Column{Index: s.base + at, Name: name, Typ: c.Type}
}

// find is what a name means in the source.
func (s *source) find(n *ast.Name) (place, error) {
	readings := s.readings(n)
	for i, parts := range readings {
		p, err := s.lookup(parts)
		if err != nil && (i < len(readings)-1 || len(readings) == 1) {
			return nowhere, err
		}
		if p.at >= 0 {
			return p, nil
		}
	}
	return nowhere, nil
}

func (s *source) lookup(parts []ast.Ident) (place, error) {
	at := s.named(parts[0].Name)
	switch {
	case at >= 0 && len(parts) == 1:
		return place{at: at}, nil
	case at >= 0:
		return s.field(at, parts)
	case len(parts) > 1 || s.scan == nil:
		return nowhere, nil
	}
	for i, c := range s.scan.Columns {
		if c.Hidden != plan.NotHidden && c.Hidden != plan.HiddenHeader && strings.EqualFold(c.Name, parts[0].Name) {
			return place{at: i}, nil
		}
	}
	return nowhere, nil
}

// field finds what a path into a column means. The decoder fills fields of STRUCTs like columns; what lies in a JSON or MAP
// column, or in a column of a query, is taken out of each row.
func (s *source) field(at int, parts []ast.Ident) (place, error) {
	switch t := s.columnOf(at).Type; {
	case t.Kind == types.JSON || t.Kind == types.Map:
		return place{at, parts[1:]}, nil
	case s.scan == nil && noField(t, s.columnOf(at).Name, parts) == nil:
		return place{at, parts[1:]}, nil
	case s.scan == nil:
		return nowhere, noField(t, s.columnOf(at).Name, parts)
	}
	c, ok := fieldColumn(s.rel, parts)
	if !ok {
		return nowhere, noField(s.columnOf(at).Type, s.columnOf(at).Name, parts)
	}
	for i, have := range s.scan.Columns {
		if have.Hidden == plan.NotHidden && len(have.Path) == len(c.Path) && have.Name == c.Name && len(have.Path) > 1 {
			return place{at: i}, nil
		}
	}
	return nowhere, nil
}

// noField explains why a path into a column leads nowhere; nil when it does not.
func noField(t types.Type, where string, parts []ast.Ident) error {
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
		names = append(names, s.names()...)
		if len(n.Parts) > 1 && strings.EqualFold(s.alias, at.Name) {
			at = n.Parts[1]
			names, aliases = s.names(), []string{s.alias}
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

func dotted(parts []ast.Ident) string {
	var s []string
	for _, p := range parts {
		s = append(s, p.Name)
	}
	return strings.Join(s, ".")
}

func last(n *ast.Name) string { return n.Parts[len(n.Parts)-1].Name }
