package bind

import (
	"slices"
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
		b.window = &w
	}
	return nil
}

// distinctBounds looks at how the list reads the bounds of a window that a row does not determine by its event time alone: only
// there rows that pass for several windows can be told apart.
func (b *binder) distinctBounds(s *ast.Select, items []plan.Named) error {
	kind := b.window.Kind
	if s.Window == nil || kind == ast.Tumbling {
		return nil
	}
	start, end, inner := false, false, false
	for _, it := range items {
		if w, ok := it.Expr.(*plan.WindowBound); ok {
			start, end = start || !w.End, end || w.End
			continue
		}
		expr.Walk(it.Expr, func(x expr.Expr) {
			_, bound := x.(*plan.WindowBound)
			inner = inner || bound
		})
	}
	switch {
	case inner:
		return ast.Unsupported(s.Distinct.Span, "DISTINCT over an expression of window_start in "+kind.String()+" windows", "select window_start itself, and compute with it in a query that reads the result")
	case !start && !end && kind == ast.Session:
		return ast.Unsupported(s.Window.Span, "SESSION windows with DISTINCT without window_start", "select window_start to get one row per key and session; DISTINCT … WITHIN d lets nothing repeat within d")
	case !start && !end:
		return ast.Unsupported(s.Window.Span, kind.String()+" windows with DISTINCT without window_start", "a row lies in several such windows and would pass once for each: select window_start to get one row per key and window; TUMBLING(size) lets it pass once, DISTINCT … WITHIN d lets nothing repeat within d")
	case kind == ast.Session && s.Emit == ast.EmitChanges:
		return ast.Unsupported(s.EmitSpan, "EMIT CHANGES with DISTINCT in SESSION windows", "a session is known when it closes: leave it out")
	case kind == ast.Cumulate && !end:
		// The steps of a window look alike: one row for all of them.
		b.window.Kind, b.window.Step = ast.Tumbling, 0
	}
	return nil
}

// showWindows makes the list read the bounds that a DISTINCT gives its rows.
func showWindows(n *plan.Distinct, items []plan.Named) {
	width := len(n.Input.Props().Schema.Columns)
	for i := range items {
		items[i].Expr = expr.Rewrite(items[i].Expr, func(x expr.Expr) expr.Expr {
			w, ok := x.(*plan.WindowBound)
			switch {
			case !ok:
				return x
			case !n.ShowsWindow():
				return &plan.WindowBound{Window: n.Window, End: w.End}
			case w.End:
				return column(n, width+1, "")
			}
			return column(n, width, "")
		})
	}
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
		return b.ofWindows(on)
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
	return b.ofWindows(on)
}

// ofWindows are the keys beside the window, which is part of every one where a row lies in several. Where a row's window ends with
// it, that is the window's key.
func (b *binder) ofWindows(on []expr.Expr) ([]expr.Expr, error) {
	if b.window.Size == 0 || b.window.Kind == ast.Tumbling {
		return on, nil
	}
	on = slices.DeleteFunc(on, func(x expr.Expr) bool {
		_, bound := x.(*plan.WindowBound)
		return bound
	})
	switch {
	case b.window.Kind == ast.Sliding:
		return append(on, &plan.WindowBound{Window: *b.window, End: true}), nil
	case len(on) == 0: // one row per window
		one, err := expr.NewConst(types.NewInt(1), types.TBigInt)
		return []expr.Expr{one}, err
	}
	return on, nil
}

func nestedKey(at ast.Span, what string, e expr.Expr) error {
	err := ast.Errorf(at, "%s over %s of type %s: its equality is not defined", what, e, e.Type())
	if e.Type().Kind == types.Array {
		return err.WithHint("take a scalar out of it, as in %s[1], or a row per element: CROSS JOIN UNNEST(%s)", e, e)
	}
	return err.WithHint("take a scalar out of it, as in %s->>'$.id'", e)
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

func (b *binder) distinct(s *ast.Select, node plan.Node, on []expr.Expr, items []plan.Named) (plan.Node, error) {
	n := &plan.Distinct{Name: "distinct", Input: node, On: on, Window: *b.window, Final: b.emit == ast.EmitFinal && s.Window != nil || b.window.Kind == ast.Session}
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
	plan.Derive(n)
	showWindows(n, items)
	return n, nil
}

// distinctChanges is DISTINCT over rows that change: each row of the list stands while one of those that give it does, and is
// its own key.
func (b *binder) distinctChanges(s *ast.Select, node plan.Node, items []plan.Named, spans []ast.Span, keys map[ast.Expr]int) (*output, error) {
	d := s.Distinct
	switch {
	case len(d.On) > 0:
		return nil, ast.Unsupported(d.Span, "DISTINCT ON over rows that change", "which row of a key comes first changes, too: QUALIFY ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) = 1 says which")
	case s.Window != nil || d.Within != nil:
		return nil, ast.Unsupported(d.Span, "DISTINCT in time over rows that change", "a row that was forgotten could not be taken back: leave the window out")
	}
	out := &output{spans: spans, keys: keys, aggregated: true}
	rows := plan.Derive(&plan.Project{Input: deltas(node), Exprs: items})
	out.node = distinctRows(rows)
	for i := range items {
		out.columns = append(out.columns, i)
	}
	out.key = out.node.Props().Schema.Key
	return out, nil
}
