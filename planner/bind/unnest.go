package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// unnest binds left JOIN UNNEST(array) [AS t (column)]: a row for each element. A comma and CROSS JOIN are inner joins, LEFT
// JOIN … ON TRUE keeps rows without elements.
func (b *binder) unnest(j *ast.Join, u *ast.Unnest, left plan.Node) (plan.Node, error) {
	n, err := b.elements(j, u, left)
	if err != nil || j.On == nil {
		return n, err
	}
	cond, err := b.condition(j.On, env{sources: b.sources, clause: "ON"})
	if err != nil {
		return nil, err
	}
	if k, ok := cond.(*expr.Const); ok && k.Value.Bool() {
		return n, nil
	}
	if j.Kind == ast.LeftJoin {
		return nil, ast.Unsupported(j.On.Pos(), "LEFT JOIN UNNEST with a condition", "ON TRUE, and FILTER(array, x -> condition) inside UNNEST")
	}
	return where(n, cond), nil
}

// elements puts the elements of UNNEST behind the columns of left, and into the scope.
func (b *binder) elements(j *ast.Join, u *ast.Unnest, left plan.Node) (plan.Node, error) {
	switch {
	case j.Kind == ast.RightJoin || j.Kind == ast.FullJoin:
		return nil, ast.Unsupported(u.Span, j.Kind.String()+" JOIN with UNNEST", "the elements belong to the row on the left: LEFT JOIN UNNEST(…) ON TRUE keeps rows without elements")
	case len(j.Using) > 0:
		return nil, ast.Errorf(j.Using[0].Span, "USING with UNNEST").WithHint("write CROSS JOIN UNNEST(…), or ON TRUE")
	}
	e, err := b.expr(u.Expr, env{sources: b.sources, clause: "UNNEST"})
	if err != nil {
		return nil, err
	}
	kinds, err := expr.UnnestTypes(e.Type())
	if err != nil {
		return nil, placed(u.Expr, err)
	}
	columns, err := elementColumns(u, kinds)
	if err != nil {
		return nil, err
	}
	s := &source{alias: u.Alias.Name, span: u.Alias.Span, columns: columns, right: true}
	if s.alias == "" {
		s.alias, s.span = columns[0].Name, u.Span
	}
	for i := range columns {
		s.visible = append(s.visible, i)
	}
	if err := b.enter(s); err != nil {
		return nil, err
	}
	in := deltas(left)
	return plan.Derive(&plan.Unnest{Input: in, Expr: e, Columns: columns, Keep: j.Kind == ast.LeftJoin}), nil
}

// elementColumns names the columns of an element: as UNNEST(…) AS t (names) says, by the alias, or unnest; of a map key and
// value.
func elementColumns(u *ast.Unnest, kinds []types.Type) ([]types.Column, error) {
	if len(u.Columns) > 0 && len(u.Columns) != len(kinds) {
		return nil, ast.Errorf(u.Columns[0].Span, "UNNEST gives %d columns, %d are named", len(kinds), len(u.Columns))
	}
	names := []string{"unnest"}
	if u.Alias.Name != "" {
		names = []string{u.Alias.Name}
	}
	if len(kinds) == 2 {
		names = []string{"key", "value"}
	}
	out := make([]types.Column, len(kinds))
	for i, t := range kinds {
		out[i] = types.Column{Name: names[i], Type: t}
		if len(u.Columns) > 0 {
			out[i].Name = u.Columns[i].Name
		}
	}
	return out, nil
}

// lateral binds left JOIN LATERAL (SELECT … FROM UNNEST(…) [WHERE …]) AS q: a query over the elements of each row, which may
// name the columns on the left.
func (b *binder) lateral(j *ast.Join, r *ast.Subquery, left plan.Node) (plan.Node, error) {
	s, ok := r.Query.(*ast.Select)
	var u *ast.Unnest
	if ok {
		u, ok = s.From.(*ast.Unnest)
	}
	if !ok || b.grouped(s) || s.Distinct != nil || s.Window != nil || s.Limit != nil || len(s.With) > 0 || len(s.OrderBy) > 0 {
		return nil, ast.Unsupported(r.Span, "LATERAL over anything but SELECT … FROM UNNEST(…) WHERE …", "join a table, or aggregate around it")
	}
	if k, constant := j.On.(*ast.Literal); j.On != nil && (!constant || k.Kind != ast.BoolLiteral) {
		return nil, ast.Unsupported(j.On.Pos(), "LATERAL with a condition", "write the condition into its WHERE, and ON TRUE")
	}
	if j.Kind == ast.LeftJoin && s.Where != nil {
		return nil, ast.Unsupported(s.Where.Pos(), "LEFT JOIN LATERAL with WHERE", "FILTER(array, x -> condition) inside UNNEST")
	}
	around := b.sources
	n, err := b.elements(j, u, left)
	if err != nil {
		return nil, err
	}
	v := env{sources: b.sources, clause: "LATERAL"}
	if s.Where != nil {
		cond, err := b.condition(s.Where, v)
		if err != nil {
			return nil, err
		}
		n = where(n, cond)
	}
	items, _, err := b.items(s.Items, env{sources: b.sources[len(around):], clause: "LATERAL", first: func(e ast.Expr) (expr.Expr, bool, error) {
		name, ok := e.(*ast.Name)
		if !ok {
			return nil, false, nil
		}
		x, err := b.column(name, v.sources)
		return x, true, err
	}})
	if err != nil {
		return nil, err
	}
	width := len(left.Props().Schema.Columns)
	p := plan.Derive(&plan.Project{Input: n, Exprs: append(all(n)[:width:width], items...)})
	b.sources = around
	q := &source{alias: r.Alias.Name, span: r.Alias.Span, columns: p.Props().Schema.Columns[width:], right: true}
	for i := range items {
		q.visible = append(q.visible, i)
	}
	return p, b.enter(q)
}
