package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// selectQuery binds a SELECT up to its columns.
func (b *binder) selectQuery(s *ast.Select) (*output, error) {
	if err := b.refuse(s); err != nil {
		return nil, err
	}
	var err error
	if b.ctes, err = b.ctes.declare(s.With); err != nil {
		return nil, err
	}
	if s.Emit != ast.EmitDefault {
		b.emit = s.Emit
	}
	b.collect(s)
	node, err := b.from(s.From)
	if err != nil {
		return nil, err
	}
	if node, err = b.scalars(s, node); err != nil {
		return nil, err
	}
	if s.Where != nil {
		if node, err = b.filtered(node, s.Where); err != nil {
			return nil, err
		}
	}
	var out *output
	if b.grouped(s) {
		out, err = b.aggregate(s, node)
	} else {
		out, err = b.plain(s, node)
	}
	if err != nil {
		return nil, err
	}
	out.at = s.Span
	return out, b.checkChanges(s, out)
}

// grouped says whether the query aggregates.
func (b *binder) grouped(s *ast.Select) bool {
	if len(s.GroupBy) > 0 {
		return true
	}
	found := false
	see := func(e ast.Expr) {
		if c, ok := e.(*ast.Call); ok && c.Over == nil && b.isAggregate(c) {
			found = true
		}
	}
	for _, it := range s.Items {
		walk(it.Expr, see)
	}
	walk(s.Having, see)
	return found
}

// plain binds a SELECT without groups, DISTINCT or not.
func (b *binder) plain(s *ast.Select, node plan.Node) (*output, error) {
	if s.Having != nil {
		return nil, ast.Errorf(s.Having.Pos(), "HAVING without GROUP BY or an aggregate").WithHint("use WHERE")
	}
	if s.Distinct == nil {
		switch {
		case s.Window != nil:
			return nil, ast.Errorf(s.Window.Span, "WINDOW without GROUP BY, an aggregate or DISTINCT has nothing to do").WithHint("leave it out, or group")
		case s.Emit == ast.EmitFinal && !final(node):
			return nil, ast.Errorf(s.EmitSpan, "EMIT FINAL without a window: a row is final as it comes").WithHint("leave it out")
		}
	}
	var on []expr.Expr
	d := s.Distinct
	if d != nil {
		if err := b.distinctWindow(s); err != nil {
			return nil, err
		}
	}
	o, err := b.overs(s, node)
	if err != nil {
		return nil, err
	}
	items, spans, err := b.items(s.Items, env{sources: b.sources, clause: "SELECT", first: o.first})
	if err != nil {
		return nil, err
	}
	keys := listed(b.sortKeys(s.OrderBy, env{sources: b.sources, clause: "ORDER BY", first: o.first}), items)
	if err := o.qualify(items); err != nil {
		return nil, err
	}
	node = o.node
	if d != nil {
		if err = b.distinctBounds(s, items); err != nil {
			return nil, err
		}
		if on, err = b.distinctKeys(s, items); err != nil {
			return nil, err
		}
		if node.Props().Changes != plan.AppendOnly {
			return b.distinctChanges(s, node, items, spans, keys)
		}
		if node, err = b.distinct(s, node, on, items); err != nil {
			return nil, err
		}
	}
	out := &output{spans: spans, keys: keys}
	if len(s.Items) == 1 && s.Items[0].Star && len(b.sources) == 1 {
		out.star = b.sources[0].rel // nil for a query: its rows are made here
	}
	for i := range items {
		out.columns = append(out.columns, i)
	}
	if node.Props().Changes != plan.AppendOnly {
		if err := b.keySelected(s, node, items); err != nil {
			return nil, err
		}
		items, out.key = withKey(node, items, node.Props().Schema.Key)
	}
	out.node = plan.Derive(&plan.Project{Input: node, Exprs: items})
	return out, nil
}

// keySelected makes sure that the rows of a table that is written can be named.
func (b *binder) keySelected(s *ast.Select, node plan.Node, items []plan.Named) error {
	if !b.persistent || b.into != ast.Table {
		return nil
	}
	in := node.Props().Schema
	if in.Key == nil && node.Props().Changes == plan.Deltas {
		return nil // the target names them
	}
	if in.Key == nil {
		return ast.Unsupported(s.Items[0].Span, "a table of rows without a primary key", "GROUP BY the columns that name a row")
	}
	var missing []string
	for _, k := range in.Key {
		found := false
		for _, it := range items {
			c, ok := it.Expr.(*expr.Column)
			found = found || ok && c.Index == k
		}
		if !found {
			missing = append(missing, in.Columns[k].Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return ast.Errorf(s.Items[0].Span, "the primary key of %s is not selected: %s is missing", b.sources[0].alias, strings.Join(missing, ", ")).
		WithHint("a table's rows are named by their key: add %s to the list", strings.Join(missing, ", "))
}

// final says whether what n gives is final as it comes because windows close below it.
func final(n plan.Node) bool {
	found := false
	plan.Walk(n, func(n plan.Node) {
		switch n := n.(type) {
		case *plan.Aggregate:
			found = found || n.Emit == ast.EmitFinal
		case *plan.Distinct:
			found = found || n.Final
		}
	})
	return found
}

// items binds the select list; stars are expanded.
func (b *binder) items(list []ast.Item, v env) ([]plan.Named, []ast.Span, error) {
	var out []plan.Named
	var spans []ast.Span
	from := map[string]string{}
	add := func(name, origin string, e expr.Expr, at ast.Span) error {
		key := strings.ToLower(name)
		if old, twice := from[key]; twice && !b.byPosition {
			return ast.Errorf(at, "two columns are named %s: %s and %s", name, old, origin).
				WithHint("give one another name: %s AS other_name", origin)
		}
		from[key] = origin
		out = append(out, plan.Named{Name: name, Expr: e})
		spans = append(spans, at)
		return nil
	}
	for _, it := range list {
		if it.Star {
			if err := b.star(it, v, add); err != nil {
				return nil, nil, err
			}
			continue
		}
		e, err := b.expr(it.Expr, v)
		if err != nil {
			return nil, nil, err
		}
		if err := add(b.itemName(it, e), b.text(it.Expr, e), e, it.Span); err != nil {
			return nil, nil, err
		}
	}
	return out, spans, nil
}

func (b *binder) star(it ast.Item, v env, add func(string, string, expr.Expr, ast.Span) error) error {
	found := false
	for _, s := range v.sources {
		if it.Table != "" && !strings.EqualFold(it.Table, s.alias) {
			continue
		}
		found = true
		for _, i := range s.visible {
			c := s.columnOf(i)
			e, common := expr.Expr(b.reference(s, i)), expr.Expr(nil)
			if it.Table == "" {
				common = b.using[strings.ToLower(c.Name)]
			}
			switch {
			case common != nil && s.right:
				continue
			case common != nil:
				e = common
			}
			if err := add(c.Name, s.alias+"."+c.Name, e, it.Span); err != nil {
				return err
			}
		}
	}
	if !found {
		return ast.Errorf(it.Span, "unknown stream or table %s in %s.*", it.Table, it.Table)
	}
	return nil
}

// itemName is the name of an output column: its alias, the column as the query spells it, or the text of the expression.
func (b *binder) itemName(it ast.Item, e expr.Expr) string {
	if it.Alias.Name != "" {
		return it.Alias.Name
	}
	if n, ok := it.Expr.(*ast.Name); ok {
		return last(n)
	}
	return b.text(it.Expr, e)
}

// text is the source text of an expression, or its canonical form when the text is not at hand.
func (b *binder) text(n ast.Expr, e expr.Expr) string {
	at := n.Pos()
	if at.End <= at.Start || at.End > len(b.src.Text) {
		return e.String()
	}
	return strings.Join(strings.Fields(b.src.Text[at.Start:at.End]), " ")
}

// checkChanges holds semantics S7: what changes goes into a table.
func (b *binder) checkChanges(s *ast.Select, out *output) error {
	changes := out.node.Props().Changes
	at := s.Span
	if s.Emit == ast.EmitChanges {
		at = s.EmitSpan
	} else if len(s.Items) > 0 {
		at = s.Items[0].Span
	}
	if !b.persistent {
		return nil
	}
	switch {
	case b.into == ast.Stream && changes == plan.Upserts && out.aggregated:
		hint := "CREATE TABLE " + b.name + " AS … keeps the newest row per group"
		if s.Window != nil {
			hint += "; EMIT FINAL sends one row per group when its window closes"
		}
		return ast.Errorf(at, "the query sends changes of its groups, but %s is a stream", b.name).WithHint("%s", hint)
	case b.into == ast.Stream && changes == plan.Deltas:
		return ast.Errorf(at, "the rows of the result come and go, but %s is a stream", b.name).WithHint("CREATE TABLE %s AS …", b.name)
	case b.into == ast.Stream && changes == plan.Upserts:
		return ast.Errorf(at, "the rows of a table replace each other, but %s is a stream", b.name).WithHint("CREATE TABLE %s AS …", b.name)
	case b.into == ast.Table && changes == plan.AppendOnly && !out.aggregated:
		return ast.Unsupported(at, "a table from a stream without GROUP BY", "CREATE STREAM "+b.name+" AS …; or GROUP BY the key with LAST(…), or declare the topic as a table: CREATE TABLE … WITH (topic = '…')")
	}
	return nil
}
