package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// distinct makes each row of the list one, however many groups give it: DISTINCT is computed after GROUP BY. Over groups that change a row
// stands while one of those that give it does; of final ones those of a window end at one instant, so a list that shows the window is
// kept no longer.
func (g *groups) distinct(out *output) error {
	var items []plan.Named
	for _, i := range out.columns {
		c := column(out.node, i, "")
		if c.Typ.Nested() {
			return nestedKey(g.s.Distinct.Span, "DISTINCT", c)
		}
		items = append(items, plan.Named{Name: c.Name, Expr: c})
	}
	shown := g.showsWindow(out.node.(*plan.Project))
	rows := distinctRows(plan.Derive(&plan.Project{Input: deltas(out.node), Exprs: items}))
	if d, ok := rows.(*plan.Distinct); ok && shown {
		d.Window = plan.Window{Window: types.Window{Size: types.MicrosPerMilli}}
		plan.Derive(d)
	}
	out.node, out.key = rows, nil
	out.columns = nil
	for i := range items {
		out.columns, out.key = append(out.columns, i), append(out.key, i)
	}
	return nil
}

// showsWindow says whether rows of the list that are equal come of windows that end together.
func (g *groups) showsWindow(list *plan.Project) bool {
	a, ok := list.Input.(*plan.Aggregate)
	if !ok {
		return false
	}
	start, end := a.WindowColumns()
	for _, e := range list.Exprs {
		c, ok := e.Expr.(*expr.Column)
		if ok && end >= 0 && (c.Index == end || c.Index == start && (a.Window.Kind == ast.Tumbling || a.Window.Kind == ast.Hopping)) {
			return true
		}
	}
	return false
}
