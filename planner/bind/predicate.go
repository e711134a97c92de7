package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// predicate is IN (SELECT …), EXISTS (SELECT …) or one of them negated, as a part of WHERE: rows of the query around it with a
// match among the rows of the one inside, or without one.
type predicate struct {
	at    ast.Node
	query ast.Query
	value ast.Expr // of IN; nil: EXISTS
	not   bool
}

// asPredicate reads a part of WHERE; ok false: it has no query inside.
func asPredicate(e ast.Expr) (p predicate, ok bool) {
	switch e := e.(type) {
	case *ast.In:
		return predicate{e, e.Query, e.X, e.Not}, e.Query != nil
	case *ast.Exists:
		return predicate{e, e.Query, nil, e.Not}, true
	case *ast.Unary:
		if e.Op == "NOT" {
			if p, ok = asPredicate(e.X); ok {
				p.not = !p.not
			}
			return p, ok
		}
	}
	return predicate{}, false
}

// filtered applies WHERE: its conditions, and the queries in it as joins.
func (b *binder) filtered(node plan.Node, e ast.Expr) (plan.Node, error) {
	var plain ast.Expr
	var inside []predicate
	for _, part := range conjuncts(e) {
		if p, ok := asPredicate(part); ok {
			inside = append(inside, p)
			continue
		}
		if plain == nil {
			plain = part
		} else {
			plain = &ast.Binary{Span: ast.Span{Start: plain.Pos().Start, End: part.Pos().End}, Op: "AND", X: plain, Y: part}
		}
	}
	if plain != nil {
		cond, err := b.condition(plain, env{sources: b.sources, clause: "WHERE"})
		if err != nil {
			return nil, err
		}
		node = where(node, cond)
	}
	for _, p := range inside {
		var err error
		if node, err = b.matching(node, p); err != nil {
			return nil, err
		}
	}
	return node, nil
}

// matching keeps the rows of node for which a predicate holds.
func (b *binder) matching(node plan.Node, p predicate) (plan.Node, error) {
	in, err := b.openInside(node, p.query)
	if err != nil {
		return nil, err
	}
	if p.value != nil {
		if err := in.member(p); err != nil {
			return nil, err
		}
		if p.not {
			// NULL is neither in a list nor not in it (MySQL manual, "Subqueries with ANY, IN, or SOME").
			known, err := expr.NewIsNull(in.keys[len(in.keys)-1].left)
			if err == nil {
				known, err = expr.NewUnary("NOT", known)
			}
			if err != nil {
				return nil, placed(p.at, err)
			}
			in.left = where(in.left, known)
		}
	}
	kind := plan.Semi
	if p.not {
		kind = plan.Anti
	}
	return in.match(p.at, kind)
}

// inside is a query inside an expression, being joined to the rows around it. Its conditions may name columns of the query
// around it (correlation).
type inside struct {
	joining
	out *output // of a query that has more than FROM and WHERE; nil: the rows of FROM are joined
	sel *ast.Select
	in  *binder
}

// openInside binds the query: FROM and WHERE so that correlated conditions become those of the join; one that groups, or
// is a set operation, by itself.
func (b *binder) openInside(node plan.Node, q ast.Query) (*inside, error) {
	x := &inside{joining: joining{b: b, left: node, lefts: b.sources}, in: b.inner()}
	width := len(node.Props().Schema.Columns)
	s, ok := q.(*ast.Select)
	if !ok || b.grouped(s) || s.Distinct != nil || s.Limit != nil || len(s.With) > 0 || s.From == nil {
		out, err := x.in.query(q)
		if err != nil {
			return nil, err
		}
		x.out = out
		x.right = &source{alias: "the sub-query", span: q.Pos(), node: out.node, columns: out.node.Props().Schema.Columns, visible: out.columns, base: width}
		x.j = &ast.Join{Span: q.Pos(), Right: &ast.Subquery{Span: q.Pos()}}
		return x, nil
	}
	if err := x.in.refuse(s); err != nil {
		return nil, err
	}
	x.sel = s
	x.in.collect(s)
	rows, err := x.in.from(s.From)
	if err != nil {
		return nil, err
	}
	x.right = &source{alias: x.in.sources[0].alias, span: x.in.sources[0].span, node: rows, columns: rows.Props().Schema.Columns, base: width}
	x.j = &ast.Join{Span: q.Pos(), Right: s.From}
	return x, x.where(s.Where)
}

// where sorts the conditions of the query inside: those on its own rows filter them, the others are the join's.
func (x *inside) where(e ast.Expr) error {
	for _, part := range conjuncts(e) {
		if _, ok := asPredicate(part); ok {
			return ast.Unsupported(part.Pos(), "a sub-query inside a sub-query's WHERE", "join in FROM instead")
		}
		if eq, ok := part.(*ast.Binary); ok && (eq.Op == "=" || eq.Op == "<=>") {
			taken, err := x.correlated(eq)
			if err != nil {
				return err
			}
			if taken {
				continue
			}
		}
		cond, err := x.b.condition(part, x.scope())
		if err != nil {
			return err
		}
		if x.side(cond) == rightSide {
			x.right.node = where(x.right.node, expr.Shift(cond, -x.right.base))
			continue
		}
		x.rest = append(x.rest, rest{part, cond})
	}
	return nil
}

// correlated takes an equality of a column inside with one around as a key of the join.
func (x *inside) correlated(eq *ast.Binary) (taken bool, err error) {
	l, err := x.b.expr(eq.X, x.scope())
	if err != nil {
		return false, err
	}
	r, err := x.b.expr(eq.Y, x.scope())
	if err != nil {
		return false, err
	}
	if x.side(l) == rightSide {
		l, r = r, l
	}
	if x.side(l) != leftSide || x.side(r) != rightSide {
		return false, nil
	}
	return true, x.equality(eq, l, r, eq.Op == "<=>")
}

// scope reads names of the query inside before those around it.
func (x *inside) scope() env {
	own := make([]*source, len(x.in.sources))
	for i, s := range x.in.sources {
		c := *s
		c.base += x.right.base
		own[i] = &c
	}
	v := env{sources: x.lefts, clause: "WHERE"}
	v.first = func(e ast.Expr) (expr.Expr, bool, error) {
		n, ok := e.(*ast.Name)
		if !ok {
			return nil, false, nil
		}
		here, err := x.b.column(n, own)
		if err == nil {
			return here, true, nil
		}
		around, outer := x.b.column(n, x.lefts)
		for _, s := range x.lefts {
			if outer != nil && len(n.Parts) > 1 && strings.EqualFold(s.alias, n.Parts[0].Name) {
				return nil, true, outer
			}
		}
		if outer == nil {
			return around, true, nil
		}
		return nil, true, err
	}
	return v
}

// member adds value = item of IN (SELECT item …) to the keys.
func (x *inside) member(p predicate) error {
	value, err := x.b.expr(p.value, env{sources: x.b.sources, clause: "IN"})
	if err != nil {
		return err
	}
	item, nullable, err := x.item(p)
	if err != nil {
		return err
	}
	if p.not && nullable {
		return ast.Unsupported(p.at.Pos(), "NOT IN over "+item.String()+", which may be NULL", "one NULL in it and no row passes: add WHERE "+item.String()+" IS NOT NULL to the sub-query, or say NOT EXISTS")
	}
	return x.equality(p.at, value, expr.Shift(item, x.right.base), false)
}

// item is the one column of the query inside, over its rows.
func (x *inside) item(p predicate) (e expr.Expr, nullable bool, err error) {
	if x.out != nil {
		if len(x.out.columns) != 1 {
			return nil, false, ast.Errorf(p.query.Pos(), "IN takes a query of one column, this one has %d", len(x.out.columns))
		}
		c := column(x.out.node, x.out.columns[0], "")
		return c, x.nullable(c), nil
	}
	if len(x.sel.Items) != 1 || x.sel.Items[0].Star {
		return nil, false, ast.Errorf(p.query.Pos(), "IN takes a query of one column").WithHint("… IN (SELECT id FROM …)")
	}
	e, err = x.in.expr(x.sel.Items[0].Expr, env{sources: x.in.sources, clause: "SELECT"})
	return e, err == nil && x.nullable(e), err
}

// nullable says whether a value of the rows inside may be NULL: a primary key is not, nor what a filter lets through only
// when it is not.
func (x *inside) nullable(e expr.Expr) bool {
	c, ok := e.(*expr.Column)
	if !ok {
		return true
	}
	n, at := x.right.node, c.Index
	for {
		switch y := n.(type) {
		case *plan.Scan:
			for _, k := range y.P.Schema.Key {
				if k == at {
					return false
				}
			}
			return true
		case *plan.Filter:
			for _, cond := range expr.Conjuncts(y.Cond) {
				if expr.RejectsNull(cond, at) {
					return false
				}
			}
			n = y.Input
		case *plan.Project:
			c, ok := y.Exprs[at].Expr.(*expr.Column)
			if !ok {
				return true
			}
			n, at = y.Input, c.Index
		default:
			return true
		}
	}
}

// match is the rows around with a match (Semi), or without one (Anti).
func (x *inside) match(at ast.Node, kind plan.JoinKind) (plan.Node, error) {
	if x.left.Props().Changes == plan.AppendOnly && x.right.node.Props().Changes == plan.Upserts {
		return x.matchAsOf(kind)
	}
	if x.left.Props().Changes == plan.AppendOnly && x.right.node.Props().Changes != plan.AppendOnly {
		return nil, ast.Unsupported(at.Pos(), "a stream's rows filtered by a result that changes", "filter by the primary key of a table, or read the stream as a table")
	}
	if len(x.keys) == 0 {
		return nil, ast.Unsupported(at.Pos(), "EXISTS without an equality between the two queries", "compare a column inside with one around it: WHERE inner.id = outer.id")
	}
	n := &plan.TableTableJoin{Name: "match", Left: deltas(x.left), Right: deltas(x.right.node), Kind: kind}
	n.LeftKeys, n.RightKeys, n.NullSafe = split(x.keys)
	var err error
	if n.Residual, err = x.residual(); err != nil {
		return nil, err
	}
	return plan.Derive(n), nil
}

// matchAsOf joins a stream with the table's row valid at the event time. A primary key has at most one row; by other columns
// many rows may match, of which one is enough.
func (x *inside) matchAsOf(kind plan.JoinKind) (plan.Node, error) {
	history, disorder := tableTime(x.right.node)
	n := &plan.TableJoin{
		Name: "join", Stream: x.left, Table: x.right.node, Left: kind == plan.Anti, Within: defaultWithin, History: history, TableDisorder: disorder,
	}
	if len(x.right.node.Props().Schema.Key) == 0 {
		return nil, ast.Unsupported(x.right.span, "a stream's rows filtered by rows without a primary key", "GROUP BY the columns that name a row")
	}
	if err := x.asOf(n); err != nil {
		return nil, err
	}
	join := x.onKey
	if _, _, missing := x.primary(); len(missing) > 0 {
		n.Once, join = true, x.broadcast
	}
	joined, err := join(n)
	if err != nil {
		return nil, err
	}
	width := len(x.left.Props().Schema.Columns)
	if kind == plan.Anti {
		missing, err := expr.NewIsNull(column(joined, width+x.right.node.Props().Schema.Key[0], ""))
		if err != nil {
			return nil, err
		}
		joined = plan.Derive(&plan.Filter{Input: joined, Cond: missing})
	}
	return plan.Derive(&plan.Project{Input: joined, Exprs: all(joined)[:width]}), nil
}
