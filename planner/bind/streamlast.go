package bind

import (
	"cmp"
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// streamFirst writes a FROM in which a stream stands after several tables from the stream: t JOIN u ON t.x = u.id JOIN s ON s.k = t.id
// is s JOIN t ON s.k = t.id JOIN u ON t.x = u.id, whatever the order of the tables, for each row meets the versions of its own event
// time. A table is joined once all that its primary key is compared with stands before it. ok is false where that is not so for one of
// them, or where the joins are no plain ones: r stays as it is, and what is wrong is said there.
func (b *binder) streamFirst(r ast.Relation) (ast.Relation, bool) {
	l, after := b.lastStream(r)
	if l == nil || !l.order() {
		return r, false
	}
	out := l.write()
	for _, j := range after {
		c := *j
		c.Left, out = out, &c
	}
	return out, true
}

// streamLast is a chain of joins of tables with a stream at its end.
type streamLast struct {
	tables []*operand
	stream *operand
	within *ast.Duration
	parts  []ast.Expr // of all conditions
	places []*operand // the tables in the order in which they are joined
}

// operand is a relation in FROM, opened to see what names mean in it.
type operand struct {
	rel    ast.Relation
	source *source
}

// lastStream is the chain that r begins with, and the joins after it; nil when it is none.
func (b *binder) lastStream(r ast.Relation) (*streamLast, []*ast.Join) {
	var chain []*ast.Join
	for j, ok := r.(*ast.Join); ok; j, ok = r.(*ast.Join) {
		chain, r = append(chain, j), j.Left
	}
	slices.Reverse(chain)
	probe := b.inner()
	probe.wanted = b.wanted
	l := &streamLast{}
	for i, next := 0, r; ; i++ {
		o := probe.operand(next)
		if o == nil {
			return nil, nil
		}
		if i > 0 && !l.plain(chain[i-1]) {
			return nil, nil
		}
		if o.source.kind() == ast.Stream {
			l.stream = o
			if i < 2 {
				return nil, nil // joins know how to go on from a stream, and to turn one table
			}
			return l, chain[i:]
		}
		l.tables = append(l.tables, o)
		if i == len(chain) || l.within != nil { // WITHIN belongs to the join with a stream
			return nil, nil
		}
		next = chain[i].Right
	}
}

func (b *binder) operand(r ast.Relation) *operand {
	if q, ok := r.(*ast.Subquery); ok && q.Lateral {
		return nil
	}
	s, err := b.enterRelation(r)
	if err != nil {
		return nil
	}
	return &operand{r, s}
}

// plain notes the condition of an inner join; false for other joins.
func (l *streamLast) plain(j *ast.Join) bool {
	l.parts, l.within = append(l.parts, conjuncts(j.On)...), j.Within
	return j.Kind == ast.InnerJoin && j.Using == nil && j.WithinAfter == nil && j.Grace == nil && j.Correct == nil && !j.Broadcast
}

// order finds the order in which the tables can be joined; false: there is none.
func (l *streamLast) order() bool {
	before := []*operand{l.stream}
	for len(l.places) < len(l.tables) {
		i := slices.IndexFunc(l.tables, func(t *operand) bool { return !slices.Contains(before, t) && l.fixed(t, before) })
		if i < 0 {
			return false
		}
		before = append(before, l.tables[i])
		l.places = before[1:]
	}
	return true
}

// fixed says whether each column of a table's primary key is compared with what stands before it, or with a constant.
func (l *streamLast) fixed(t *operand, before []*operand) bool {
	key := t.source.node.Props().Schema.Key
	for _, k := range key {
		if !slices.ContainsFunc(l.parts, func(e ast.Expr) bool {
			eq, ok := e.(*ast.Binary)
			return ok && (eq.Op == "=" || eq.Op == "<=>") && (t.means(eq.X, k) && l.only(eq.Y, before) || t.means(eq.Y, k) && l.only(eq.X, before))
		}) {
			return false
		}
	}
	return len(key) > 0 && t.source.node.Props().Changes == plan.Upserts
}

// means says whether an expression is a column of the operand.
func (o *operand) means(e ast.Expr, column int) bool {
	n, ok := e.(*ast.Name)
	if !ok {
		return false
	}
	p, err := o.source.find(n)
	return err == nil && p.at == column && len(p.path) == 0
}

// only says whether an expression reads nothing but some of the operands.
func (l *streamLast) only(e ast.Expr, of []*operand) bool {
	return !slices.ContainsFunc(l.reads(e), func(o *operand) bool { return !slices.Contains(of, o) })
}

// reads are the operands that an expression reads.
func (l *streamLast) reads(e ast.Expr) []*operand {
	all := append([]*operand{l.stream}, l.tables...)
	var out []*operand
	walk(e, func(x ast.Expr) {
		n, ok := x.(*ast.Name)
		if !ok {
			return
		}
		for _, o := range all {
			if named(n, []*source{o.source}) != nil {
				out = append(out, o)
				return
			}
		}
		for _, o := range all {
			if p, err := o.source.find(n); err == nil && p.at >= 0 {
				out = append(out, o)
			}
		}
	})
	return out
}

// write joins the tables in their order, each under the parts of the conditions that read nothing behind it.
func (l *streamLast) write() ast.Relation {
	out := l.stream.rel
	before, parts := []*operand{l.stream}, l.parts
	for _, t := range l.places {
		before = append(before, t)
		j := &ast.Join{Span: t.rel.Pos(), Kind: ast.InnerJoin, Left: out, Right: t.rel, Within: l.within}
		var later []ast.Expr
		for _, e := range parts {
			switch {
			case !l.only(e, before):
				later = append(later, e)
			case j.On == nil:
				j.On = e
			default:
				j.On = &ast.Binary{Span: e.Pos(), Op: "AND", X: j.On, Y: e}
			}
		}
		out, parts = j, later
	}
	return out
}

// asWritten puts sources in the order of the text, which is that of *.
func asWritten(sources []*source) {
	slices.SortStableFunc(sources, func(a, b *source) int { return cmp.Compare(a.span.Start, b.span.Start) })
}
