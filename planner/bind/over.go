package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// overs are the calls with OVER of a SELECT: each becomes a column of a plan.Over.
type overs struct {
	b    *binder
	s    *ast.Select
	node plan.Node
	at   map[*ast.Call]int // ordinal of the call's column in node's schema
}

// overs computes the calls with OVER over node; the node it returns has their columns behind those of the sources.
func (b *binder) overs(s *ast.Select, node plan.Node) (*overs, error) {
	o := &overs{b: b, s: s, node: node, at: map[*ast.Call]int{}}
	calls, err := o.calls()
	if err != nil || len(calls) == 0 {
		return o, err
	}
	switch {
	case s.Distinct != nil:
		return nil, ast.Unsupported(s.Distinct.Span, "DISTINCT together with OVER", "put one of them into a sub-query")
	case s.Window != nil:
		return nil, ast.Errorf(s.Window.Span, "WINDOW %s belongs to GROUP BY or DISTINCT, OVER has its own window", s.Window.Kind).WithHint("PARTITION BY and a frame such as RANGE BETWEEN 10s PRECEDING AND CURRENT ROW say which rows are read")
	}
	o.node = deltas(node)
	for _, c := range calls {
		n, call, err := o.bind(c, env{sources: b.sources, clause: "OVER"})
		if err == nil {
			err = o.place(c, n, call)
		}
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

// calls are the calls with OVER in the list and in QUALIFY.
func (o *overs) calls() ([]*ast.Call, error) {
	var calls []*ast.Call
	see := func(e ast.Expr) {
		if c, ok := e.(*ast.Call); ok && c.Over != nil {
			calls = append(calls, c)
		}
	}
	for _, it := range o.s.Items {
		walk(it.Expr, see)
	}
	walk(o.s.Qualify, see)
	if len(calls) == 0 && o.s.Qualify != nil {
		return nil, ast.Errorf(o.s.Qualify.Pos(), "QUALIFY without a call with OVER").WithHint("use WHERE")
	}
	return calls, nil
}

// first reads a call with OVER as its column.
func (o *overs) first(e ast.Expr) (expr.Expr, bool, error) {
	c, ok := e.(*ast.Call)
	if !ok || c.Over == nil {
		return nil, false, nil
	}
	at, ok := o.at[c]
	if !ok {
		return nil, false, ast.Errorf(c.Span, "a call with OVER inside another one")
	}
	return column(o.node, at, ""), true, nil
}

// qualify keeps the rows for which QUALIFY is true.
func (o *overs) qualify(items []plan.Named) error {
	cond, err := o.qualified(items, o.first)
	if err == nil && cond != nil {
		o.node = where(o.node, cond)
	}
	return err
}

// qualified is the condition of QUALIFY, which also knows the aliases of the list; nil: there is none.
func (o *overs) qualified(items []plan.Named, before func(ast.Expr) (expr.Expr, bool, error)) (expr.Expr, error) {
	if o.s.Qualify == nil {
		return nil, nil
	}
	first := func(e ast.Expr) (expr.Expr, bool, error) {
		if x, ok, err := o.b.alias(e, o.s.Items, items); ok || err != nil {
			return x, ok, err
		}
		return before(e)
	}
	return o.b.condition(o.s.Qualify, env{sources: o.b.sources, clause: "QUALIFY", first: first})
}

// bind binds a call and its window: a plan.Over that has no input yet.
func (o *overs) bind(c *ast.Call, v env) (n *plan.Over, call plan.OverCall, err error) {
	spec, err := o.spec(c.Over)
	if err != nil {
		return nil, call, err
	}
	n = &plan.Over{Name: "over"}
	if n.Partition, err = o.b.exprs(spec.PartitionBy, v); err != nil {
		return nil, call, err
	}
	for i, p := range n.Partition {
		if p.Type().Nested() {
			return nil, call, nestedKey(spec.PartitionBy[i].Pos(), "PARTITION BY", p)
		}
	}
	if n.Order, err = o.order(spec, v); err != nil {
		return nil, call, err
	}
	call, err = o.call(c, spec, n.Order, v)
	return n, call, err
}

// place computes a call over the rows so far: together with the last ones when they have its window, else in a step of its own.
func (o *overs) place(c *ast.Call, n *plan.Over, call plan.OverCall) error {
	n.Input = o.node
	n.InOrder = o.inOrder(n, call)
	if n.InOrder {
		for _, s := range o.b.sources {
			if err := requireTime(s, "OVER in the order of event time"); err != nil {
				return err
			}
		}
	}
	if last, ok := o.node.(*plan.Over); ok && sameWindow(last, n) {
		n.Input = last.Input
		n.Calls = append(append([]plan.OverCall(nil), last.Calls...), call)
	} else {
		n.Calls = []plan.OverCall{call}
	}
	o.at[c] = len(n.Input.Props().Schema.Columns) + len(n.Calls) - 1
	o.node = plan.Derive(n)
	return nil
}

func sameWindow(a, b *plan.Over) bool {
	if len(a.Partition) != len(b.Partition) || len(a.Order) != len(b.Order) || a.InOrder != b.InOrder {
		return false
	}
	for i := range a.Partition {
		if !plan.SameExpr(a.Partition[i], b.Partition[i]) {
			return false
		}
	}
	for i := range a.Order {
		if a.Order[i].Desc != b.Order[i].Desc || !plan.SameExpr(a.Order[i].Expr, b.Order[i].Expr) {
			return false
		}
	}
	return true
}

// spec is what OVER name, OVER (name …) or OVER (…) says.
func (o *overs) spec(s *ast.OverSpec) (*ast.OverSpec, error) {
	if s.Name == "" {
		return s, nil
	}
	for _, w := range o.s.Windows {
		if !strings.EqualFold(w.Name.Name, s.Name) {
			continue
		}
		base, err := o.spec(&w.Spec)
		if err != nil {
			return nil, err
		}
		out := *base
		switch {
		case len(s.PartitionBy) > 0:
			return nil, ast.Errorf(s.Span, "window %s has its own PARTITION BY", s.Name).WithHint("OVER (%s ORDER BY …) may add an order and a frame", s.Name)
		case len(s.OrderBy) > 0 && len(base.OrderBy) > 0:
			return nil, ast.Errorf(s.Span, "window %s has an order already", s.Name)
		case len(s.OrderBy) > 0:
			out.OrderBy = s.OrderBy
		}
		if s.Frame != nil {
			out.Frame = s.Frame
		}
		return &out, nil
	}
	return nil, ast.Errorf(s.Span, "unknown window %s", s.Name).WithHint("define it: WINDOW %s AS (PARTITION BY … ORDER BY …)", s.Name)
}

func (o *overs) order(spec *ast.OverSpec, v env) ([]plan.SortKey, error) {
	var out []plan.SortKey
	for _, k := range spec.OrderBy {
		x, err := o.b.expr(k.Expr, v)
		if err != nil {
			return nil, err
		}
		if x.Type().Nested() {
			return nil, nestedKey(k.Expr.Pos(), "ORDER BY", x)
		}
		if _, constant := x.(*expr.Const); !constant { // all rows are equal in it
			out = append(out, plan.SortKey{Expr: x, Desc: k.Desc})
		}
	}
	return out, nil
}

// inOrder says whether a call over facts in the order of event time can be computed as time passes: it looks back only.
func (o *overs) inOrder(n *plan.Over, c plan.OverCall) bool {
	if n.Input.Props().Changes != plan.AppendOnly || len(n.Order) != 1 || n.Order[0].Desc {
		return false
	}
	switch c.Func {
	case "LEAD", "NTILE", "PERCENT_RANK", "CUME_DIST": // they depend on rows to come
		return false
	}
	if c.Frame.To.Unbounded || c.Frame.To.Distance > 0 || c.Frame.From.Unbounded && c.Frame.To.Distance < 0 {
		return false
	}
	key, ok := n.Order[0].Expr.(*expr.Column)
	if !ok {
		return false
	}
	_, of := eventTime(n.Input, key.Index)
	return of != nil
}

// call binds the function.
func (o *overs) call(c *ast.Call, spec *ast.OverSpec, order []plan.SortKey, v env) (plan.OverCall, error) {
	out := plan.OverCall{Func: c.Name}
	var err error
	switch c.Name {
	case "ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE", "PERCENT_RANK", "CUME_DIST":
		err = o.number(&out, c, order, v)
	case "LAG", "LEAD":
		if len(order) == 0 {
			return out, ast.Errorf(c.Span, "%s needs an order", c.Name).WithHint("%s(x) OVER (PARTITION BY … ORDER BY …)", c.Name)
		}
		err = o.shift(&out, c, v)
	case "FIRST_VALUE", "LAST_VALUE":
		if len(c.Args) != 1 {
			return out, ast.Errorf(c.Span, "%s takes 1 argument, not %d", c.Name, len(c.Args))
		}
		if out.Arg, err = o.b.expr(c.Args[0], v); err == nil {
			out.Type = out.Arg.Type()
			out.Frame, err = frame(spec, order)
		}
	case "NTH_VALUE":
		err = o.nth(&out, c, spec, order, v)
	default:
		err = o.aggregate(&out, c, spec, order, v)
	}
	out.Name = c.Name
	return out, err
}

// number binds what numbers rows in an order.
func (o *overs) number(out *plan.OverCall, c *ast.Call, order []plan.SortKey, v env) (err error) {
	takes := ""
	if c.Name == "NTILE" {
		takes = "n"
	}
	out.Type = types.TBigInt
	if c.Name == "PERCENT_RANK" || c.Name == "CUME_DIST" {
		out.Type = types.TDouble
	}
	switch {
	case takes == "" && len(c.Args) > 0:
		return ast.Errorf(c.Span, "%s takes no arguments", c.Name)
	case len(order) == 0:
		return ast.Errorf(c.Span, "%s needs an order: which row is the first one?", c.Name).WithHint("%s(%s) OVER (PARTITION BY … ORDER BY …)", c.Name, takes)
	case takes != "" && len(c.Args) != 1:
		return ast.Errorf(c.Span, "NTILE takes 1 argument, not %d", len(c.Args)).WithHint("NTILE(4) makes quarters")
	case takes != "":
		out.Offset, err = o.positive(c, c.Args[0], v)
	}
	return err
}

// nth binds NTH_VALUE(x, n).
func (o *overs) nth(out *plan.OverCall, c *ast.Call, spec *ast.OverSpec, order []plan.SortKey, v env) (err error) {
	if len(c.Args) != 2 {
		return ast.Errorf(c.Span, "NTH_VALUE takes 2 arguments, not %d", len(c.Args)).WithHint("NTH_VALUE(x, 2)")
	}
	if out.Arg, err = o.b.expr(c.Args[0], v); err != nil {
		return err
	}
	out.Type = out.Arg.Type()
	if out.Offset, err = o.positive(c, c.Args[1], v); err != nil {
		return err
	}
	out.Frame, err = frame(spec, order)
	return err
}

// positive is a constant number from 1 on.
func (o *overs) positive(c *ast.Call, e ast.Expr, v env) (int64, error) {
	x, err := o.b.expr(e, v)
	if err != nil {
		return 0, err
	}
	k, ok := x.(*expr.Const)
	if !ok || k.Value.Kind != types.Int || k.Value.I < 1 || k.Value.I > maxFrameRows {
		return 0, ast.Errorf(e.Pos(), "%s takes a constant number from 1 to %d, not %s", c.Name, maxFrameRows, x)
	}
	return k.Value.I, nil
}

// shift binds LAG and LEAD(x [, n [, default]]).
func (o *overs) shift(out *plan.OverCall, c *ast.Call, v env) error {
	if len(c.Args) < 1 || len(c.Args) > 3 {
		return ast.Errorf(c.Span, "%s takes 1 to 3 arguments, not %d", c.Name, len(c.Args)).WithHint("%s(x, 1, default)", c.Name)
	}
	var err error
	if out.Arg, err = o.b.expr(c.Args[0], v); err != nil {
		return err
	}
	out.Type, out.Offset = out.Arg.Type(), 1
	if len(c.Args) > 1 {
		n, err := o.b.expr(c.Args[1], v)
		if err != nil {
			return err
		}
		k, ok := n.(*expr.Const)
		if !ok || k.Value.Kind != types.Int || k.Value.I < 0 || k.Value.I > maxFrameRows {
			return ast.Errorf(c.Args[1].Pos(), "%s looks a constant number of rows away, from 0 to %d", c.Name, maxFrameRows)
		}
		out.Offset = k.Value.I
	}
	if len(c.Args) < 3 {
		return nil
	}
	d, err := o.b.expr(c.Args[2], v)
	if err != nil {
		return err
	}
	if out.Default, err = sameType(d, out.Type); err != nil {
		return placed(c.Args[2], err)
	}
	return nil
}

// maxFrameRows keeps what is read for one row within reason.
const maxFrameRows = 100_000

func (o *overs) aggregate(out *plan.OverCall, c *ast.Call, spec *ast.OverSpec, order []plan.SortKey, v env) error {
	switch {
	case !o.b.src.Functions.IsAggregate(c.Name):
		return ast.Errorf(c.Span, "%s has no OVER: it is computed for each row by itself", c.Name).WithHint("OVER belongs to aggregates, ROW_NUMBER, RANK, DENSE_RANK, NTILE, PERCENT_RANK, CUME_DIST, LAG, LEAD, FIRST_VALUE, LAST_VALUE and NTH_VALUE")
	case c.Distinct:
		return ast.Unsupported(c.Span, c.Name+"(DISTINCT …) OVER (…)", "COUNT(DISTINCT …) belongs to GROUP BY")
	}
	plain := *c
	plain.Over = nil
	var err error
	if out.Agg, err = o.b.newAggregate(&plain, v); err != nil {
		return err
	}
	if out.Agg.Keeps(expr.Appends) {
		return ast.Unsupported(c.Span, c.Name+"(…) OVER (…)", "it keeps all its rows; group by the partition, or take MIN, MAX, COUNT, SUM or AVG")
	}
	out.Type = out.Agg.Type()
	out.Frame, err = frame(spec, order)
	return err
}

// frame is the rows that a call reads. Without a frame they are all rows up to the current one and its peers, or all of the
// partition when there is no order (MySQL manual, "Window Function Frame Specification").
func frame(spec *ast.OverSpec, order []plan.SortKey) (plan.Frame, error) {
	f := spec.Frame
	switch {
	case f == nil && len(order) == 0:
		return plan.Frame{From: plan.Bound{Unbounded: true}, To: plan.Bound{Unbounded: true}}, nil
	case f == nil:
		return plan.Frame{Range: true, From: plan.Bound{Unbounded: true}}, nil
	case f.Unit == "GROUPS":
		return plan.Frame{}, ast.Unsupported(f.Span, "GROUPS in a frame", "use ROWS or RANGE")
	}
	out := plan.Frame{Range: f.Unit == "RANGE"}
	var err error
	if out.From, err = bound(f.From, out.Range, order); err != nil {
		return out, err
	}
	if out.To, err = bound(f.To, out.Range, order); err != nil {
		return out, err
	}
	switch {
	case f.From.Unbounded && f.From.Following:
		return out, ast.Errorf(f.From.Span, "a frame cannot begin at UNBOUNDED FOLLOWING")
	case f.To.Unbounded && !f.To.Following:
		return out, ast.Errorf(f.To.Span, "a frame cannot end at UNBOUNDED PRECEDING")
	case !out.From.Unbounded && !out.To.Unbounded && out.From.Distance > out.To.Distance:
		return out, ast.Errorf(f.Span, "the frame ends before it begins").WithHint("BETWEEN the earlier bound AND the later one")
	}
	return out, nil
}

func bound(b ast.FrameBound, inTime bool, order []plan.SortKey) (plan.Bound, error) {
	n := b.Rows
	if b.Duration != nil {
		n = b.Duration.Micros
	}
	switch {
	case b.Unbounded:
		return plan.Bound{Unbounded: true}, nil
	case inTime && b.Rows > 0:
		return plan.Bound{}, ast.Unsupported(b.Span, "RANGE with a number", "use ROWS, or RANGE with a length of time: RANGE BETWEEN 10s PRECEDING AND CURRENT ROW")
	case !inTime && b.Duration != nil:
		return plan.Bound{}, ast.Errorf(b.Span, "ROWS takes a number of rows").WithHint("RANGE BETWEEN 10s PRECEDING AND CURRENT ROW is in time")
	case !inTime && n > maxFrameRows:
		return plan.Bound{}, ast.Errorf(b.Span, "a frame of at most %d rows", maxFrameRows)
	case inTime && n > 0 && (len(order) != 1 || order[0].Expr.Type().Kind != types.Timestamp):
		return plan.Bound{}, ast.Errorf(b.Span, "RANGE with a length of time needs ORDER BY one TIMESTAMP column")
	}
	if !b.Following {
		n = -n
	}
	return plan.Bound{Distance: n}, nil
}
