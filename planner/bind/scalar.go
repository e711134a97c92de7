package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// scalar is a sub-query used as a value.
type scalar struct {
	column expr.Expr
	of     []expr.Expr // of the row around it, by which its rows are chosen; none: all rows have the same value
}

// scalars joins the sub-queries that a SELECT uses as values, and notes the column that each becomes. One is an aggregate
// without GROUP BY, so it has one value for each row around it: over all its rows, or over those that equalities with the
// row around it choose.
func (b *binder) scalars(s *ast.Select, node plan.Node) (plan.Node, error) {
	var list []*ast.ScalarSubquery
	see := func(e ast.Expr) {
		if q, ok := e.(*ast.ScalarSubquery); ok {
			list = append(list, q)
		}
	}
	for _, it := range s.Items {
		walk(it.Expr, see)
	}
	walk(s.Where, see)
	walk(s.Having, see)
	for _, q := range list {
		var err error
		if node, err = b.scalar(node, q); err != nil {
			return nil, err
		}
	}
	return node, nil
}

// scalar joins one of them to the rows of node, as their last column.
func (b *binder) scalar(node plan.Node, q *ast.ScalarSubquery) (plan.Node, error) {
	s, ok := q.Query.(*ast.Select)
	if !ok || len(s.Items) != 1 || s.Items[0].Star || len(s.GroupBy) > 0 || s.Having != nil || s.Window != nil || s.Distinct != nil || s.Limit != nil || !b.grouped(s) {
		return nil, ast.Unsupported(q.Span, "a sub-query as a value that is no aggregate of one column", "(SELECT MAX(x) FROM …) has one value; join in FROM to get others")
	}
	rows := *s
	rows.Items = nil // what is aggregated is bound below, over the rows of FROM and WHERE
	x, err := b.openInside(node, &rows)
	if err != nil {
		return nil, err
	}
	if len(x.rest) > 0 {
		return nil, ast.Unsupported(x.rest[0].at.Pos(), "a sub-query as a value whose condition compares the two queries other than by =", "join in FROM and group")
	}
	group := &groups{b: x.in, s: s, node: x.right.node, input: env{sources: x.in.sources, clause: "an aggregate"}}
	var keys []joinKey
	for i, k := range x.keys {
		group.group = append(group.group, plan.Named{Name: k.right.String(), Expr: k.right})
		keys = append(keys, joinKey{k.at, k.left, &expr.Column{Index: i, Name: k.right.String(), Typ: k.right.Type()}, k.nullSafe, i})
	}
	item, err := x.in.expr(s.Items[0].Expr, env{sources: x.in.sources, clause: "SELECT", first: group.first})
	if err != nil {
		return nil, err
	}
	a := &plan.Aggregate{Name: "aggregate", Input: deltas(x.right.node), Group: group.group, Aggs: group.aggs, Emit: ast.EmitChanges}
	item = group.settle(item)
	plan.Derive(a)
	empty, err := ofNothing(q, item, a)
	if err != nil {
		return nil, err
	}
	x.right.node = deltas(plan.Derive(a))
	if len(keys) == 0 { // one group: every row is its partner
		one := expr.Literal(types.NewInt(1))
		keys = []joinKey{{q, one, one, false, -1}}
	}
	n := &plan.TableTableJoin{Name: "value", Left: deltas(x.left), Right: x.right.node, Kind: plan.LeftOuter}
	n.LeftKeys, n.RightKeys, n.NullSafe = split(keys)
	plan.Derive(n)
	return b.withValue(n, q, item, empty, x.keys)
}

// ofNothing is the value of the sub-query when it has no rows: 0 for a COUNT, NULL for others.
func ofNothing(q *ast.ScalarSubquery, item expr.Expr, a *plan.Aggregate) (expr.Expr, error) {
	counts := false
	for _, x := range a.Aggs {
		counts = counts || x.Agg.Func == "COUNT"
	}
	c, alone := item.(*expr.Column)
	switch {
	case !counts:
		return nil, nil
	case alone && a.Aggs[c.Index-len(a.Group)].Agg.Func == "COUNT":
		return expr.Literal(types.NewInt(0)), nil
	}
	return nil, ast.Unsupported(q.Span, "an expression over COUNT in a sub-query as a value", "compute it around the sub-query: (SELECT COUNT(*) FROM …) + 1")
}

// withValue is the join's left columns and the value, which the sub-query stands for from now on.
func (b *binder) withValue(n *plan.TableTableJoin, q *ast.ScalarSubquery, item, empty expr.Expr, of []joinKey) (plan.Node, error) {
	width := len(n.Left.Props().Schema.Columns)
	value := expr.Shift(item, width)
	if empty != nil {
		both, err := expr.NewCall("COALESCE", []expr.Expr{value, empty})
		if err != nil {
			return nil, placed(q, err)
		}
		value = both
	}
	p := plan.Derive(&plan.Project{Input: n, Exprs: append(all(n)[:width:width], plan.Named{Name: "value", Expr: value})})
	if b.values == nil {
		b.values = map[*ast.ScalarSubquery]scalar{}
	}
	v := scalar{column: column(p, width, b.text(q, value))}
	for _, k := range of {
		v.of = append(v.of, k.left)
	}
	b.values[q] = v
	return p, nil
}
