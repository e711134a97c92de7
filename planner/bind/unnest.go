package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// unnest binds left JOIN UNNEST(array) [AS t (column)]: a row for each element, or for each row of a table function. A comma and CROSS JOIN are
// inner joins, LEFT JOIN … ON TRUE keeps rows without elements.
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
		if u.Table {
			return nil, ast.Unsupported(j.On.Pos(), "LEFT JOIN of a table function with a condition", "ON TRUE, and give the function what the condition needs to know")
		}
		return nil, ast.Unsupported(j.On.Pos(), "LEFT JOIN UNNEST with a condition", "ON TRUE, and FILTER(array, x -> condition) inside UNNEST")
	}
	return where(n, cond), nil
}

// opened binds what is taken apart, and says which columns its rows have.
func (b *binder) opened(u *ast.Unnest) (expr.Expr, []types.Field, error) {
	if !u.Table {
		e, err := b.expr(u.Expr, env{sources: b.sources, clause: "UNNEST"})
		if err != nil {
			return nil, nil, err
		}
		columns, err := expr.UnnestColumns(e)
		return e, columns, placed(u.Expr, err)
	}
	c, err := b.tableCall(u)
	if err != nil {
		return nil, nil, err
	}
	args, err := b.arguments(c, env{sources: b.sources, clause: "the arguments of " + c.Name})
	if err != nil {
		return nil, nil, err
	}
	e, err := b.src.Functions.NewTableCall(c.Name, args)
	if err != nil {
		return nil, nil, unsupported(c, err)
	}
	columns, err := expr.UnnestColumns(e)
	return e, columns, placed(c, err)
}

// tableCall is the call of a table function that there is.
func (b *binder) tableCall(u *ast.Unnest) (*ast.Call, error) {
	c, ok := u.Expr.(*ast.Call)
	switch {
	case !ok:
		return nil, ast.Errorf(u.Expr.Pos(), "this is no table function").WithHint("UNNEST(…) makes rows of an ARRAY or a MAP")
	case !b.src.Functions.IsTable(c.Name):
		return nil, b.noTable(c)
	case c.Star || c.Distinct || c.Filter != nil || c.Over != nil || len(c.OrderBy) > 0:
		return nil, ast.Errorf(c.Span, "table function %s takes arguments only", c.Name)
	}
	return c, nil
}

// noTable says what stands in FROM in place of a table function.
func (b *binder) noTable(c *ast.Call) error {
	if b.src.Functions.IsScalar(c.Name) {
		return ast.Errorf(c.Span, "%s has a value, not rows", c.Name).WithHint("UNNEST(%s(…)) makes rows of a value that is an ARRAY or a MAP", c.Name)
	}
	err := ast.Errorf(c.Span, "there is no table function %s", c.Name)
	if near := spell.Closest(c.Name, b.src.Functions.Tables()); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("WINDOW TUMBLING(…) after FROM makes windows, UNNEST(…) makes rows of an ARRAY or a MAP, Engine.RegisterTableFunction adds a function of the program")
}

// elements puts the elements of UNNEST behind the columns of left, and into the scope.
func (b *binder) elements(j *ast.Join, u *ast.Unnest, left plan.Node) (plan.Node, error) {
	switch {
	case j.Kind == ast.RightJoin || j.Kind == ast.FullJoin:
		return nil, ast.Unsupported(u.Span, j.Kind.String()+" JOIN with "+strings.ToUpper(opener(u)), "its rows belong to the row on the left: LEFT JOIN … ON TRUE keeps rows without any")
	case len(j.Using) > 0:
		return nil, ast.Errorf(j.Using[0].Span, "USING with %s", strings.ToUpper(opener(u))).WithHint("write CROSS JOIN, or ON TRUE")
	}
	e, fields, err := b.opened(u)
	if err != nil {
		return nil, err
	}
	columns, err := elementColumns(u, fields)
	if err != nil {
		return nil, err
	}
	s := &source{alias: u.Alias.Name, span: u.Alias.Span, columns: columns, right: true}
	if s.alias == "" {
		s.alias, s.span = opener(u), u.Span
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

// opener is the name of what makes rows, where no alias gives them one.
func opener(u *ast.Unnest) string {
	if c, ok := u.Expr.(*ast.Call); ok && u.Table {
		return strings.ToLower(c.Name)
	}
	return "unnest"
}

// elementColumns names the columns of an element: as … AS t (names) says; else by their own names, a single one without by the alias.
func elementColumns(u *ast.Unnest, fields []types.Field) ([]types.Column, error) {
	if len(u.Columns) > 0 && len(u.Columns) != len(fields) {
		return nil, ast.Errorf(u.Columns[0].Span, "%s gives %d columns, %d are named", strings.ToUpper(opener(u)), len(fields), len(u.Columns))
	}
	out := make([]types.Column, len(fields))
	for i, f := range fields {
		out[i] = types.Column(f)
		switch {
		case len(u.Columns) > 0:
			out[i].Name = u.Columns[i].Name
		case f.Name == "" && u.Alias.Name != "":
			out[i].Name = u.Alias.Name
		case f.Name == "":
			out[i].Name = opener(u)
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
		return nil, ast.Unsupported(r.Span, "LATERAL over anything but SELECT … FROM UNNEST(…) WHERE …, or a table function in place of UNNEST", "join a table, or aggregate around it")
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
