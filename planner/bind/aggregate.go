package bind

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// groups binds a query with GROUP BY or aggregates. Expressions over its result are read by first: group expressions and
// aggregates become columns of the aggregate's schema.
type groups struct {
	b      *binder
	s      *ast.Select
	input  env
	node   plan.Node // the rows that are grouped
	group  []plan.Named
	aggs   []plan.NamedAggregate
	window plan.Window
	// inherited: the window is that of the rows, and one of the group columns says which.
	inherited bool
	over      groupOvers
}

func (b *binder) aggregate(s *ast.Select, node plan.Node) (*output, error) {
	g := &groups{b: b, s: s, node: node, input: env{sources: b.sources, clause: "an aggregate"}}
	if err := g.check(node); err != nil {
		return nil, err
	}
	for _, e := range s.GroupBy {
		if err := g.key(e); err != nil {
			return nil, err
		}
	}
	g.inherit(node)
	if s.Emit == ast.EmitFinal && g.window.Size == 0 {
		return nil, ast.Errorf(s.EmitSpan, "EMIT FINAL without a window: a group of an endless stream is never final").WithHint("add WINDOW TUMBLING(…), or leave EMIT FINAL out")
	}
	if err := g.bindOvers(); err != nil {
		return nil, err
	}
	over := env{sources: b.sources, clause: "SELECT", first: g.first}
	items, spans, err := g.items(over)
	if err != nil {
		return nil, err
	}
	keys := b.sortKeys(s.OrderBy, over)
	var having expr.Expr
	if s.Having != nil {
		over.clause = "HAVING"
		over.first = g.having
		if having, err = b.condition(s.Having, over); err != nil {
			return nil, err
		}
	}
	qualify, err := g.over.of.qualified(items, g.first)
	if err != nil {
		return nil, err
	}
	if err := g.refuseVolatile(); err != nil {
		return nil, err
	}
	a := &plan.Aggregate{Name: "aggregate", Input: deltas(node), Group: g.group, Aggs: g.aggs, Window: g.window, Emit: g.emit()}
	a.Having = g.settle(having)
	plan.Derive(a)
	rows, err := g.placeOvers(a, qualify)
	if err != nil {
		return nil, err
	}
	for i := range items {
		items[i].Expr = g.settle(items[i].Expr)
	}
	for k, x := range keys {
		keys[k] = g.settle(x)
	}
	out := g.output(a, rows, items, spans)
	out.keys = listed(keys, items)
	if s.Distinct != nil {
		return out, g.distinct(out)
	}
	return out, nil
}

// refuseVolatile refuses what could not be taken back as it was: in SLIDING windows rows leave again, and where aggregates keep them
// their arguments are computed a second time.
func (g *groups) refuseVolatile() error {
	keeps := slices.ContainsFunc(g.aggs, func(a plan.NamedAggregate) bool { return a.Agg.Keeps(expr.Appends) })
	if g.window.Kind != ast.Sliding || !keeps {
		return nil
	}
	for _, a := range g.aggs {
		if slices.ContainsFunc(a.Agg.Inputs(), func(x expr.Expr) bool { return !expr.Deterministic(x) }) {
			return ast.Unsupported(g.s.Window.Span, a.Agg.String()+" beside aggregates that keep their rows in SLIDING windows", "compute its argument in a query inside")
		}
	}
	return nil
}

// emit is when results go out: without a window a group is never final.
func (g *groups) emit() ast.Emit {
	if g.window.Size == 0 {
		return ast.EmitChanges
	}
	return g.b.emit
}

func (g *groups) check(node plan.Node) error {
	s := g.s
	changes := node.Props().Changes != plan.AppendOnly
	switch {
	case s.Distinct != nil && len(s.Distinct.On) > 0:
		return ast.Unsupported(s.Distinct.Span, "DISTINCT ON together with GROUP BY", "GROUP BY the columns of ON; FIRST(x) is that of the first row")
	case s.Distinct != nil && s.Distinct.Within != nil:
		return ast.Unsupported(s.Distinct.Within.Span, "DISTINCT WITHIN together with GROUP BY", "group in a sub-query: SELECT DISTINCT … FROM (SELECT … GROUP BY …) AS q")
	case s.Window != nil && changes:
		return ast.Unsupported(s.Window.Span, "a window over "+g.b.sources[0].alias+", whose rows change", "a closed window could not take a change back: GROUP BY a column, or window the stream that the rows come from; EMIT FINAL in the query inside makes its rows final")
	case s.Window != nil:
		var err error
		if g.window, err = timeWindow(s.Window); err != nil {
			return err
		}
		for _, source := range g.b.sources {
			if err := requireTime(source, "a window"); err != nil {
				return err
			}
		}
	}
	return nil
}

// inherit closes groups that hold the window of final rows: their rows leave at window_end - 1 ms, and when time is past that no
// more of them can come.
func (g *groups) inherit(node plan.Node) {
	if g.window.Size > 0 {
		return
	}
	for _, k := range g.group {
		c, ok := k.Expr.(*expr.Column)
		if !ok {
			continue
		}
		if _, of := eventTime(node, c.Index); of == nil {
			continue
		} else if _, windowed := of.(*plan.Aggregate); windowed {
			g.window = plan.Window{Window: types.Window{Size: types.MicrosPerMilli}}
			g.inherited = true
		}
	}
}

// key binds one expression of GROUP BY: a column, a position in the list, an alias, or any expression. Names mean columns
// before aliases (MySQL manual, "SELECT Statement").
func (g *groups) key(e ast.Expr) error {
	if n, ok := e.(*ast.Name); ok && windowName(n) != "" && g.s.Window != nil && !g.isColumn(n) {
		return nil // the window is part of every group
	}
	item := e
	if l, ok := e.(*ast.Literal); ok && l.Kind == ast.IntLiteral {
		at, err := strconv.Atoi(l.Text)
		if err != nil || at < 1 || at > len(g.s.Items) || g.s.Items[at-1].Star {
			return ast.Errorf(l.Span, "GROUP BY %s: there is no such column in the list", l.Text).WithHint("positions are 1 to %d", len(g.s.Items))
		}
		item = g.s.Items[at-1].Expr
	} else if n, ok := e.(*ast.Name); ok && len(n.Parts) == 1 && !g.isColumn(n) {
		for _, it := range g.s.Items {
			if strings.EqualFold(it.Alias.Name, n.Parts[0].Name) && it.Expr != nil {
				item = it.Expr
			}
		}
	}
	if n, ok := item.(*ast.Name); ok && windowName(n) != "" && g.s.Window != nil && !g.isColumn(n) {
		return nil
	}
	v := g.input
	v.clause = "GROUP BY"
	x, err := g.b.expr(item, v)
	if err != nil {
		return err
	}
	if x.Type().Nested() {
		return nestedKey(e.Pos(), "GROUP BY", x)
	}
	if g.groups(x) {
		return nil
	}
	g.group = append(g.group, plan.Named{Name: g.b.itemName(ast.Item{Expr: item}, x), Expr: x})
	return nil
}

func (g *groups) isColumn(n *ast.Name) bool {
	for _, s := range g.b.sources {
		if p, err := s.find(n); err == nil && p.at >= 0 {
			return true
		}
	}
	return false
}

// result stands for a column of the aggregate while the number of aggregates is not known yet.
type result struct {
	expr.Column
	agg   bool
	bound int       // 1 window_start, 2 window_end
	over  *ast.Call // a call with OVER over the groups
}

// Inputs is empty.
func (r *result) Inputs() []expr.Expr { return nil }

// WithInputs returns r.
func (r *result) WithInputs([]expr.Expr) expr.Expr { return r }

// settle replaces results by columns of the aggregate's schema: groups, aggregates, window_start, window_end.
func (g *groups) settle(e expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		r, ok := x.(*result)
		if !ok {
			return x
		}
		c := r.Column
		switch {
		case r.over != nil:
			c.Index = g.over.of.at[r.over]
		case r.agg:
			c.Index += len(g.group)
		case r.bound > 0:
			c.Index = len(g.group) + len(g.aggs) + r.bound - 1
		}
		return &c
	})
}

// first reads a node of an expression over groups.
func (g *groups) first(e ast.Expr) (expr.Expr, bool, error) {
	if c, ok := e.(*ast.Call); ok && c.Over != nil {
		return g.over.first(c)
	}
	if c, ok := e.(*ast.Call); ok && g.b.isAggregate(c) {
		x, err := g.aggregateCall(c)
		return x, true, err
	}
	if _, constant := e.(*ast.Literal); constant {
		return nil, false, nil
	}
	if x, err := g.b.expr(e, g.input); err == nil {
		for i, k := range g.group {
			if plan.SameExpr(k.Expr, x) {
				return &result{Column: expr.Column{Index: i, Name: k.Expr.String(), Typ: x.Type()}}, true, nil
			}
		}
	}
	if q, ok := e.(*ast.ScalarSubquery); ok {
		return g.scalar(q)
	}
	n, ok := e.(*ast.Name)
	if !ok {
		return nil, false, nil
	}
	if w := windowName(n); w != "" && g.s.Window != nil && !g.isColumn(n) {
		r := &result{Column: expr.Column{Name: w, Typ: types.TTimestamp}, bound: 1}
		if w == "window_end" {
			r.bound = 2
		}
		return r, true, nil
	}
	if !g.isColumn(n) {
		return nil, false, nil // the usual message
	}
	if x, ok, err := g.dependent(n); ok || err != nil {
		return x, ok, err
	}
	return nil, false, g.notGrouped(n)
}

func (g *groups) notGrouped(n *ast.Name) error {
	err := ast.Errorf(n.Span, "column %s is not in GROUP BY", dotted(n.Parts))
	if len(g.s.GroupBy) == 0 {
		err = ast.Errorf(n.Span, "column %s stands beside an aggregate without GROUP BY", dotted(n.Parts))
	}
	return err.WithHint("a group has many values of it: add it to GROUP BY, or take ANY_VALUE(%s), MIN(%s), LAST(%s)", dotted(n.Parts), dotted(n.Parts), dotted(n.Parts))
}

// having also knows the aliases of the list (MySQL).
func (g *groups) having(e ast.Expr) (expr.Expr, bool, error) {
	if c, ok := e.(*ast.Call); ok && c.Over != nil {
		return nil, false, nil // the usual message: windows are computed after HAVING
	}
	if n, ok := e.(*ast.Name); ok && len(n.Parts) == 1 {
		for _, it := range g.s.Items {
			if it.Alias.Name != "" && strings.EqualFold(it.Alias.Name, n.Parts[0].Name) && it.Expr != e {
				x, err := g.b.expr(it.Expr, env{sources: g.b.sources, clause: "HAVING", first: g.first})
				return x, true, err
			}
		}
	}
	return g.first(e)
}

func (g *groups) aggregateCall(c *ast.Call) (expr.Expr, error) {
	agg, err := g.b.newAggregate(c, g.input)
	if err != nil {
		return nil, err
	}
	return g.add(agg), nil
}

// add is the column of an aggregate, which is computed once however often it is written.
func (g *groups) add(agg *expr.Aggregate) expr.Expr {
	for i, have := range g.aggs {
		if sameAggregate(&have.Agg, agg) {
			return g.column(i)
		}
	}
	g.aggs = append(g.aggs, plan.NamedAggregate{Name: agg.String(), Agg: *agg})
	return g.column(len(g.aggs) - 1)
}

func (g *groups) column(i int) expr.Expr {
	a := g.aggs[i]
	return &result{Column: expr.Column{Index: i, Name: a.Name, Typ: a.Agg.Type()}, agg: true}
}

func (g *groups) items(v env) ([]plan.Named, []ast.Span, error) {
	for _, it := range g.s.Items {
		if it.Star {
			return nil, nil, ast.Errorf(it.Span, "* is not possible beside GROUP BY: a group has many rows").WithHint("name the group columns and aggregates")
		}
	}
	return g.b.items(g.s.Items, v)
}

// output puts the projection over the aggregate. The record's key is the group with window_start (semantics S7), selected
// or not.
func (g *groups) output(a *plan.Aggregate, rows plan.Node, items []plan.Named, spans []ast.Span) *output {
	out := &output{spans: spans, aggregated: true}
	for i := range items {
		out.columns = append(out.columns, i)
	}
	var keys []int
	for i := range g.group {
		keys = append(keys, i)
	}
	if !g.inherited {
		keys = append(keys, a.WindowKey()...)
	}
	if own := rows.Props().Schema.Key; own != nil && rows != plan.Node(a) { // the first rows of each partition are named by it
		keys = own
	}
	items, out.key = withKey(rows, items, keys)
	out.node = plan.Derive(&plan.Project{Input: rows, Exprs: items})
	return out
}

// withKey adds to the list the key columns of n that are not selected, and says where the key is.
func withKey(n plan.Node, items []plan.Named, keys []int) ([]plan.Named, []int) {
	var key []int
	for _, k := range keys {
		at := -1
		for i, it := range items {
			if c, ok := it.Expr.(*expr.Column); ok && c.Index == k && at < 0 {
				at = i
			}
		}
		if at < 0 {
			at = len(items)
			c := column(n, k, "")
			items = append(items, plan.Named{Name: unused(c.Name, items), Expr: c})
		}
		key = append(key, at)
	}
	return items, key
}

func unused(name string, items []plan.Named) string {
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s_%d", name, n)
		}
		taken := false
		for _, it := range items {
			taken = taken || strings.EqualFold(it.Name, try)
		}
		if !taken {
			return try
		}
	}
}
