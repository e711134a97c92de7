package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// timeBounds are what a condition says of right.ts - left.ts, in microseconds.
type timeBounds struct {
	least, most  int64
	lower, upper bool // there is such a bound
}

// timeBounds finds the comparisons of the two sides' event times in the condition.
func (x *joining) timeBounds() timeBounds {
	var b timeBounds
	for _, p := range x.rest {
		for _, c := range expr.Conjuncts(p.cond) {
			if cmp, ok := expr.AsComparison(c); ok {
				x.bound(&b, cmp)
			}
		}
	}
	for _, k := range x.keys { // equal event times
		l, okL := x.instant(k.left)
		r, okR := x.instant(expr.Shift(k.right, x.right.base))
		if okL && okR && l.side != r.side {
			d := l.offset - r.offset
			b.atLeast(d)
			b.atMost(d)
		}
	}
	return b
}

func (b *timeBounds) atLeast(d int64) {
	if !b.lower || d > b.least {
		b.lower, b.least = true, d
	}
}

func (b *timeBounds) atMost(d int64) {
	if !b.upper || d < b.most {
		b.upper, b.most = true, d
	}
}

// bound takes X <= Y (or <, =) over an event time of each side.
func (x *joining) bound(b *timeBounds, c expr.Comparison) {
	l, okL := x.instant(c.Left)
	r, okR := x.instant(c.Right)
	if !okL || !okR || l.side == r.side {
		return
	}
	// l.ts + l.offset <= r.ts + r.offset
	d := l.offset - r.offset
	if l.side == leftSide {
		b.atLeast(d)
		if c.Equal {
			b.atMost(d)
		}
		return
	}
	b.atMost(-d)
	if c.Equal {
		b.atLeast(-d)
	}
}

// instant is an event time of one side plus a constant.
type instant struct {
	side   side
	offset int64
}

// instant reads e as an event time with an interval added.
func (x *joining) instant(e expr.Expr) (instant, bool) {
	base, offset, ok := expr.AsShifted(e)
	if !ok {
		return instant{}, false
	}
	c, ok := base.(*expr.Column)
	if !ok || c.Typ.Kind != types.Timestamp {
		return instant{}, false
	}
	in, at, s := x.left, c.Index, leftSide
	if c.Index >= x.right.base {
		in, at, s = x.right.node, c.Index-x.right.base, rightSide
	}
	more, of := eventTime(in, at)
	return instant{s, offset + more}, of != nil
}

// eventTime says whether a column of n is the event time of its rows plus a constant, which, and the node whose time it is: a
// *plan.Scan, or a *plan.Aggregate whose windows are final.
func eventTime(n plan.Node, at int) (offset int64, of plan.Node) {
	switch n := n.(type) {
	case *plan.Scan:
		if at == n.TimeColumn || n.TimeColumn < 0 && n.Columns[at].Hidden == plan.HiddenTimestamp {
			return 0, n
		}
	case *plan.Filter:
		return eventTime(n.Input, at)
	case *plan.Distinct:
		if at < len(n.Input.Props().Schema.Columns) {
			return eventTime(n.Input, at)
		}
	case *plan.Project:
		base, more, ok := expr.AsShifted(n.Exprs[at].Expr)
		if c, column := base.(*expr.Column); ok && column {
			offset, of = eventTime(n.Input, c.Index)
			return offset + more, of
		}
	case *plan.Over:
		if at < len(n.Input.Props().Schema.Columns) {
			return eventTime(n.Input, at)
		}
	case *plan.TableJoin:
		if at < len(n.Stream.Props().Schema.Columns) {
			return eventTime(n.Stream, at)
		}
	case *plan.Aggregate:
		start, end := n.WindowColumns()
		switch {
		case n.Emit != ast.EmitFinal || end < 0:
		case n.Window.Kind == ast.Sliding && at == end:
			return 0, n
		case n.Window.Kind == ast.Sliding && at == start:
			return -n.Window.Size, n
		case at == end:
			return types.MicrosPerMilli, n // results leave at window_end - 1 ms
		case at == start && n.Window.Measure == types.Elapsed && (n.Window.Kind == ast.Tumbling || n.Window.Kind == ast.Hopping):
			return types.MicrosPerMilli - n.Window.Size, n
		}
	}
	return 0, nil
}
