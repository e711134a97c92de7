package bind

import (
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// setOperation binds left UNION|INTERSECT|EXCEPT right. Columns go together by position; their names are those of the left
// query (MySQL manual, "Set Operations with UNION, INTERSECT, and EXCEPT").
func (b *binder) setOperation(q *ast.SetOp) (*output, error) {
	var err error
	if b.ctes, err = b.ctes.declare(q.With); err != nil {
		return nil, err
	}
	if q.Emit != ast.EmitDefault {
		b.emit = q.Emit
	}
	if err := b.refuseSetOperation(q); err != nil {
		return nil, err
	}
	parts, err := b.parts(q)
	if err != nil {
		return nil, err
	}
	nodes, err := alike(q, parts)
	if err != nil {
		return nil, err
	}
	if q.Emit == ast.EmitFinal && !slices.ContainsFunc(nodes, final) {
		return nil, ast.Errorf(q.Span, "EMIT FINAL without a window: a row is final as it comes").WithHint("leave it out")
	}
	out := &output{at: q.Span, spans: parts[0].spans}
	for i := range nodes[0].Props().Schema.Columns {
		out.columns = append(out.columns, i)
	}
	switch {
	case q.Op == "UNION" && q.All:
		out.node = plan.Derive(&plan.Union{Parts: nodes})
	case q.Op == "UNION":
		out.node = distinctRows(plan.Derive(&plan.Union{Parts: nodes}))
	default:
		out.node = counted(q.Op, nodes)
	}
	if out.node.Props().Changes != plan.AppendOnly {
		out.key = out.node.Props().Schema.Key
	}
	return out, b.checkSetChanges(q, out)
}

func (b *binder) refuseSetOperation(q *ast.SetOp) error {
	switch {
	case len(q.OrderBy) > 0 && (b.persistent || b.nested):
		return ast.Unsupported(q.OrderBy[0].Expr.Pos(), "ORDER BY on a "+q.Op, "rows of an endless result have no last one to sort")
	case q.Op != "UNION" && q.All:
		return ast.Unsupported(q.Span, q.Op+" ALL", "leave ALL out, or count: GROUP BY the columns")
	case q.Limit != nil && b.nested:
		return ast.Unsupported(q.Span, "LIMIT in a sub-query", "which rows are the first ones is not known; ROW_NUMBER() OVER (… ORDER BY …) <= n says which")
	case q.Limit != nil && b.persistent:
		return ast.Errorf(q.Span, "LIMIT ends a query, a persistent query does not end").WithHint("leave LIMIT out, or run the SELECT by itself")
	}
	return nil
}

// parts binds the operands; a UNION ALL inside a UNION ALL is one of more parts.
func (b *binder) parts(q *ast.SetOp) ([]*output, error) {
	var out []*output
	for _, side := range []ast.Query{q.Left, q.Right} {
		if s, ok := side.(*ast.SetOp); ok && q.Op == "UNION" && s.Op == "UNION" && (s.All || !q.All) && len(s.With) == 0 && s.Limit == nil && len(s.OrderBy) == 0 {
			more, err := b.parts(s)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		o, err := b.inner().query(side)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// alike gives all parts the same columns: only the visible ones, of a common type. Where one part changes, all are deltas.
func alike(q *ast.SetOp, parts []*output) ([]plan.Node, error) {
	first := parts[0].visible()
	kinds := make([]types.Type, len(first))
	for i, c := range first {
		kinds[i] = c.Type
	}
	for _, p := range parts[1:] {
		columns := p.visible()
		if len(columns) != len(first) {
			return nil, ast.Errorf(p.at, "%s of %d and %d columns", q.Op, len(first), len(columns)).WithHint("both queries need the same number of columns")
		}
		for i, c := range columns {
			t, err := expr.CommonType(kinds[i], c.Type)
			if err != nil {
				return nil, ast.Errorf(p.spans[i], "%s: column %d is %s there and %s here", q.Op, i+1, kinds[i], c.Type).WithHint("CAST one of them")
			}
			kinds[i] = t
		}
	}
	if !q.All {
		for i, t := range kinds {
			if t.Nested() {
				return nil, nestedKey(parts[0].spans[i], q.Op, &expr.Column{Name: first[i].Name, Typ: t})
			}
		}
	}
	nodes := make([]plan.Node, len(parts))
	for i, p := range parts {
		var items []plan.Named
		in := deltas(p.node)
		for k, c := range p.columns {
			x, err := sameType(column(in, c, ""), kinds[k])
			if err != nil {
				return nil, placed(p.spans[k], err)
			}
			items = append(items, plan.Named{Name: first[k].Name, Expr: x})
		}
		nodes[i] = plan.Derive(&plan.Project{Input: in, Exprs: items})
	}
	return nodes, nil
}

func sameType(e expr.Expr, t types.Type) (expr.Expr, error) {
	if e.Type().Equal(t) {
		return e, nil
	}
	return expr.NewCast(e, t)
}

// all are the columns of n, each as it is.
func all(n plan.Node) []plan.Named {
	var out []plan.Named
	for i, c := range n.Props().Schema.Columns {
		out = append(out, plan.Named{Name: c.Name, Expr: column(n, i, "")})
	}
	return out
}

// distinctRows is n without repetitions: facts pass once; of what changes, each row stands while one of its copies does.
func distinctRows(n plan.Node) plan.Node {
	if n.Props().Changes != plan.AppendOnly {
		return plan.Derive(&plan.Aggregate{Name: "aggregate", Input: n, Group: all(n), Emit: ast.EmitChanges})
	}
	d := &plan.Distinct{Name: "distinct", Input: n}
	for _, c := range all(n) {
		d.On = append(d.On, c.Expr)
	}
	return plan.Derive(d)
}

// counted is INTERSECT and EXCEPT: rows are counted by the side they come from, and stand while the counts say so.
func counted(op string, parts []plan.Node) plan.Node {
	for i, n := range parts {
		side := plan.Named{Name: "side", Expr: expr.Literal(types.NewInt(int64(i)))}
		parts[i] = plan.Derive(&plan.Project{Input: n, Exprs: append(all(n), side)})
	}
	u := plan.Derive(&plan.Union{Parts: parts})
	width := len(u.Props().Schema.Columns) - 1
	group := all(u)[:width]
	a := &plan.Aggregate{Name: "aggregate", Input: u, Group: group, Emit: ast.EmitChanges}
	for i := range parts {
		a.Aggs = append(a.Aggs, plan.NamedAggregate{Name: "count", Agg: *must(expr.NewAggregate(expr.Aggregate{
			Func: "COUNT", Filter: must(expr.NewBinary("=", column(u, width, ""), expr.Literal(types.NewInt(int64(i))))),
		}))})
	}
	right := ">"
	if op == "EXCEPT" {
		right = "="
	}
	a.Having = must(expr.NewBinary("AND", sideCount(width, ">"), sideCount(width+1, right)))
	plan.Derive(a)
	return plan.Derive(&plan.Project{Input: a, Exprs: all(a)[:width]})
}

// sideCount compares a count column of an aggregate with 0.
func sideCount(at int, op string) expr.Expr {
	return must(expr.NewBinary(op, &expr.Column{Index: at, Name: "count", Typ: types.TBigInt}, expr.Literal(types.NewInt(0))))
}

// must is for expressions over counts, which are of the right type.
func must[T any](x T, err error) T {
	if err != nil {
		panic("bind: " + err.Error())
	}
	return x
}

// checkSetChanges holds semantics S7 for the result of a set operation.
func (b *binder) checkSetChanges(q *ast.SetOp, out *output) error {
	if !b.persistent {
		return nil
	}
	changes := out.node.Props().Changes != plan.AppendOnly
	switch {
	case changes && b.into == ast.Stream:
		return ast.Errorf(q.Span, "the rows of the %s change, but %s is a stream", q.Op, b.name).WithHint("CREATE TABLE %s AS …", b.name)
	case changes && len(out.key) == 0:
		return ast.Unsupported(q.Span, "a table of rows without a primary key", "UNION without ALL makes each row its own key; or GROUP BY the columns that name a row")
	case !changes && b.into == ast.Table:
		return ast.Unsupported(q.Span, "a table from streams without GROUP BY", "CREATE STREAM "+b.name+" AS …; or GROUP BY the key with LAST(…)")
	}
	return nil
}
