package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// dependent reads a column that is not grouped but has one value in each group, because the group fixes the row of a table
// that it belongs to (MySQL manual, "Detection of Functional Dependence"). A stream–table join may meet several versions of
// that row: then it is the one of the last row by event time. ok is false when nothing fixes it.
func (g *groups) dependent(n *ast.Name) (x expr.Expr, ok bool, err error) {
	for _, s := range g.b.sources {
		if p, err := s.find(n); err != nil || p.at < 0 || !g.fixes(s) {
			continue
		}
		column, err := g.b.expr(n, g.input)
		if err != nil {
			return nil, false, err
		}
		return g.anyOf(n, column)
	}
	return nil, false, nil
}

// scalar reads a sub-query used as a value: a group has one when the columns that choose its rows are grouped.
func (g *groups) scalar(q *ast.ScalarSubquery) (x expr.Expr, ok bool, err error) {
	v, ok := g.b.values[q]
	if !ok {
		return nil, false, nil // refused where values are read
	}
	for _, k := range v.of {
		if !g.groups(k) {
			return nil, false, ast.Errorf(q.Span, "the sub-query depends on %s, which is not in GROUP BY", k).
				WithHint("a group has many values of it: add it to GROUP BY, or group in a query inside")
		}
	}
	return g.anyOf(q, v.column)
}

// anyOf is what all rows of a group have in common.
func (g *groups) anyOf(at ast.Node, column expr.Expr) (x expr.Expr, ok bool, err error) {
	agg, err := expr.NewAggregate(expr.Aggregate{Func: "ANY_VALUE", Arg: []expr.Expr{column}})
	if err != nil {
		return nil, false, placed(at, err)
	}
	return g.add(agg), true, nil
}

// fixes says whether the group columns fix one row of s: all columns of its primary key are grouped, or what a join made
// equal to them.
func (g *groups) fixes(s *source) bool {
	key := s.node.Props().Schema.Key
	for _, k := range key {
		if !g.groups(&expr.Column{Index: s.base + k, Typ: s.columnOf(k).Type}) && !g.groupsPartner(s, k) {
			return false
		}
	}
	return len(key) > 0 && s.kind() == ast.Table
}

// groups says whether an expression is one of GROUP BY.
func (g *groups) groups(x expr.Expr) bool {
	for _, have := range g.group {
		if plan.SameExpr(have.Expr, x) {
			return true
		}
	}
	return false
}

// groupsPartner says whether the stream's side of an equality with key column k of table s is grouped. The columns of a
// stream keep their ordinals in the joins above it.
func (g *groups) groupsPartner(s *source, k int) bool {
	found := false
	plan.Walk(g.node, func(n plan.Node) {
		j, ok := n.(*plan.TableJoin)
		if !ok || len(j.Stream.Props().Schema.Columns) != s.base {
			return
		}
		for i, t := range j.TableKeys {
			if c, ok := expr.Uncast(t).(*expr.Column); ok && c.Index == k && g.groups(expr.Uncast(j.StreamKeys[i])) {
				found = true
			}
		}
	})
	return found
}
