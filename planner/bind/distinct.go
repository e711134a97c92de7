package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// distinctWindow checks the clauses around DISTINCT and sets b.window.
func (b *binder) distinctWindow(s *ast.Select) error {
	d := s.Distinct
	switch {
	case d.Within != nil && s.Window != nil:
		return ast.Errorf(d.Within.Span, "DISTINCT has WITHIN and a WINDOW").WithHint("WINDOW starts anew at every window, WITHIN counts from the row that passed: keep one")
	case d.Within != nil && d.Within.Micros <= 0:
		return ast.Errorf(d.Within.Span, "WITHIN must be positive, it is %s", types.FormatDuration(d.Within.Micros))
	case d.Within != nil && d.Within.Micros > maxWindow:
		return ast.Errorf(d.Within.Span, "WITHIN is too large: at most %s", types.FormatDuration(maxWindow))
	case s.Emit == ast.EmitFinal && s.Window == nil:
		return ast.Errorf(s.EmitSpan, "EMIT FINAL without a window: there is no moment at which the first row is known for good").WithHint("add WINDOW TUMBLING(…), or leave EMIT FINAL out")
	}
	b.window = &plan.Window{}
	if s.Window != nil {
		w, err := timeWindow(s.Window)
		if err != nil {
			return err
		}
		if w.Kind != ast.Tumbling {
			return ast.Unsupported(s.Window.Span, w.Kind.String()+" windows with DISTINCT", "TUMBLING is there")
		}
		b.window = &w
	}
	return nil
}

// distinctKeys are the expressions that make rows equal: those of ON, or all of the list.
func (b *binder) distinctKeys(s *ast.Select, items []plan.Named) ([]expr.Expr, error) {
	var on []expr.Expr
	for _, e := range s.Distinct.On {
		x, err := b.expr(e, env{sources: b.sources, clause: "DISTINCT ON", first: func(n ast.Expr) (expr.Expr, bool, error) {
			return b.alias(n, s.Items, items)
		}})
		if err != nil {
			return nil, err
		}
		if x.Type().Nested() {
			return nil, nestedKey(e.Pos(), "DISTINCT", x)
		}
		on = append(on, x)
	}
	if len(on) > 0 {
		return on, nil
	}
	for i, it := range items {
		if _, bound := it.Expr.(*plan.WindowBound); bound && len(items) > 1 {
			continue // one value per window, and each window has its own keys
		}
		if it.Expr.Type().Nested() {
			at := s.Distinct.Span
			if len(s.Items) == len(items) {
				at = s.Items[i].Span
			}
			return nil, nestedKey(at, "DISTINCT", it.Expr)
		}
		on = append(on, it.Expr)
	}
	return on, nil
}

func nestedKey(at ast.Span, what string, e expr.Expr) error {
	return ast.Errorf(at, "%s over %s of type %s: its equality is not defined", what, e, e.Type()).
		WithHint("take a scalar out of it, as in %s->>'$.id'", e)
}

// alias resolves a name as an alias of the select list when no column has it.
func (b *binder) alias(n ast.Expr, list []ast.Item, items []plan.Named) (expr.Expr, bool, error) {
	name, ok := n.(*ast.Name)
	if !ok || len(name.Parts) != 1 || len(list) != len(items) {
		return nil, false, nil
	}
	for _, s := range b.sources {
		if p, err := s.find(name); err == nil && p.at >= 0 {
			return nil, false, nil
		}
	}
	for i, it := range list {
		if strings.EqualFold(it.Alias.Name, name.Parts[0].Name) {
			return items[i].Expr, true, nil
		}
	}
	return nil, false, nil
}

func (b *binder) distinct(s *ast.Select, node plan.Node, on []expr.Expr) (plan.Node, error) {
	if node.Props().Changes != plan.AppendOnly {
		return nil, ast.Unsupported(s.Distinct.Span, "DISTINCT over a table", "the rows of a table are distinct by its primary key")
	}
	n := &plan.Distinct{Name: "distinct", Input: node, On: on, Window: *b.window, Final: b.emit == ast.EmitFinal && s.Window != nil}
	if s.Distinct.Within != nil {
		n.Within = s.Distinct.Within.Micros
	}
	if n.Within > 0 || n.Window.Size > 0 {
		for _, source := range b.sources {
			if err := requireTime(source, "DISTINCT in time"); err != nil {
				return nil, err
			}
		}
	}
	return plan.Derive(n), nil
}
