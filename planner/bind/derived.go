package bind

import (
	"errors"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// commons are the common table expressions in scope, the innermost first; nil: none.
type commons struct {
	with  ast.With
	outer *commons
}

// find is the nearest common table expression of a name, with what its own query may name; nil: there is none.
func (c *commons) find(name string) *commons {
	for ; c != nil; c = c.outer {
		if strings.EqualFold(c.with.Name.Name, name) {
			return c
		}
	}
	return nil
}

func (c *commons) names() []string {
	var out []string
	for ; c != nil; c = c.outer {
		out = append(out, c.with.Name.Name)
	}
	return out
}

// declare puts WITH before the scope.
func (c *commons) declare(list []ast.With) (*commons, error) {
	for i, w := range list {
		for _, o := range list[:i] {
			if strings.EqualFold(o.Name.Name, w.Name.Name) {
				return nil, ast.Errorf(w.Name.Span, "WITH names %s twice", w.Name.Name)
			}
		}
		c = &commons{with: w, outer: c}
	}
	return c, nil
}

// inner is the binder of a query inside the query: it has a scope of its own.
func (b *binder) inner() *binder {
	return &binder{nested: true, cat: b.cat, src: b.src, read: b.read, volatile: b.volatile, views: b.views, ctes: b.ctes, emit: b.emit, using: map[string]expr.Expr{}}
}

// subquery opens (SELECT …) AS alias.
func (b *binder) subquery(r *ast.Subquery) (*source, error) {
	out, err := b.inner().query(r.Query)
	if err != nil {
		return nil, err
	}
	return b.derived(out, r.Alias)
}

// common opens a common table expression.
func (b *binder) common(w *commons, ref *ast.TableRef, alias ast.Ident) (*source, error) {
	in := b.inner()
	in.ctes = w.outer // a name means what came before it: there is no recursion
	out, err := in.query(w.with.Query)
	if err != nil {
		return nil, err
	}
	if out, err = renamed(out, w.with); err != nil {
		return nil, err
	}
	return b.derived(out, alias)
}

// view opens a view: its query in the place of its name. What is wrong there has no place in this text.
func (b *binder) view(rel *catalog.Relation, ref *ast.TableRef, alias ast.Ident) (*source, error) {
	for _, open := range b.views {
		if open == rel {
			return nil, ast.Errorf(ref.Name.Span, "view %s reads itself", rel.Name)
		}
	}
	*b.read = append(*b.read, rel)
	in := b.inner()
	in.src, in.ctes = Source{Text: rel.ViewText}, nil
	in.views = append(append([]*catalog.Relation(nil), b.views...), rel)
	out, err := in.query(rel.View)
	var inside *ast.Error
	if errors.As(err, &inside) {
		e := ast.Errorf(ref.Name.Span, "view %s cannot be read: %s", rel.Name, inside.Msg)
		e.Hint = inside.Hint
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	w := ast.With{Name: ref.Name}
	for _, c := range rel.Columns {
		w.Columns = append(w.Columns, ast.Ident{Span: ref.Name.Span, Name: c.Name})
	}
	if out, err = renamed(out, w); err != nil {
		return nil, err
	}
	return b.derived(out, alias)
}

// renamed gives the columns of WITH name (columns) their names.
func renamed(out *output, w ast.With) (*output, error) {
	if len(w.Columns) == 0 {
		return out, nil
	}
	if len(w.Columns) != len(out.columns) {
		return nil, ast.Errorf(w.Columns[0].Span, "%s names %d columns, its query has %d", w.Name.Name, len(w.Columns), len(out.columns))
	}
	names := map[int]string{}
	for i, c := range out.columns {
		for _, o := range w.Columns[:i] {
			if strings.EqualFold(o.Name, w.Columns[i].Name) {
				return nil, ast.Errorf(w.Columns[i].Span, "column %s is named twice", o.Name).WithHint("names compare without regard to case")
			}
		}
		names[c] = w.Columns[i].Name
	}
	var items []plan.Named
	for i, c := range out.node.Props().Schema.Columns {
		name, ok := names[i]
		if !ok {
			name = c.Name
		}
		items = append(items, plan.Named{Name: name, Expr: &expr.Column{Index: i, Name: c.Name, Typ: c.Type}})
	}
	r := *out
	r.star = nil
	r.node = plan.Derive(&plan.Project{Input: out.node, Exprs: items})
	return &r, nil
}

// derived adds the result of a query to the scope.
func (b *binder) derived(out *output, alias ast.Ident) (*source, error) {
	s := &source{alias: alias.Name, span: alias.Span, node: out.node, visible: out.columns}
	return s, b.enter(s)
}
