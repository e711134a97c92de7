package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

// streamStream binds stream JOIN stream: pairs of rows that are near each other in time.
func (x *joining) streamStream() (plan.Node, error) {
	if err := x.refuseStreamStream(); err != nil {
		return nil, err
	}
	n := &plan.StreamJoin{Name: "join", Left: x.left, Right: x.right.node, Kind: joinKind(x.j.Kind)}
	for _, s := range x.b.sources {
		if err := requireTime(s, "a join in time"); err != nil {
			return nil, err
		}
	}
	if err := x.condition(); err != nil {
		return nil, err
	}
	if len(x.keys) == 0 {
		return nil, ast.Unsupported(x.right.span, "a stream–stream join without an equality", "compare a column of "+x.right.alias+" with one of "+x.lefts[0].alias+": ON a.id = b.id")
	}
	if err := x.reach(n); err != nil {
		return nil, err
	}
	n.LeftKeys, n.RightKeys, n.NullSafe = split(x.keys)
	var err error
	n.Residual, err = x.residual()
	return plan.Derive(n), err
}

func (x *joining) refuseStreamStream() error {
	j := x.j
	if ref, ok := j.Right.(*ast.TableRef); ok && ref.AsOf != nil {
		return ast.Unsupported(ref.AsOf.Span, "AS OF on a stream ("+x.right.alias+" has no versions)", "declare its topic as a table with a primary key: CREATE TABLE …")
	}
	switch {
	case j.Broadcast:
		return ast.Unsupported(x.right.span, "BROADCAST of a stream ("+x.right.alias+" is a stream)", "only a table can be held by every task: declare its topic as a table with a primary key, or join the streams WITHIN a time")
	case j.Correct != nil:
		return ast.Unsupported(j.Correct.Span, "CORRECT on a stream–stream join", "GRACE d keeps rows for late partners")
	}
	return nil
}

// reach is how far apart in time the rows of a pair may be: WITHIN, or bounds on the event times in the condition.
func (x *joining) reach(n *plan.StreamJoin) error {
	j := x.j
	for _, d := range []*ast.Duration{j.Within, j.WithinAfter, j.Grace} {
		if d != nil && (d.Micros < 0 || d.Micros > maxWindow) {
			return ast.Errorf(d.Span, "it must be from 0s to %s, not %s", types.FormatDuration(maxWindow), types.FormatDuration(d.Micros))
		}
	}
	if j.Grace != nil {
		n.Grace = j.Grace.Micros
	}
	switch {
	case j.WithinAfter != nil:
		n.Before, n.After = j.Within.Micros, j.WithinAfter.Micros
		return nil
	case j.Within != nil:
		n.Before, n.After = j.Within.Micros, j.Within.Micros
		return nil
	}
	b := x.timeBounds()
	if !b.lower || !b.upper {
		return ast.Unsupported(x.right.span, "a stream–stream join without a bound in time ("+x.lefts[0].alias+" and "+x.right.alias+" are both streams)",
			"write JOIN "+x.right.alias+" WITHIN 10s ON …, or bound the event times with BETWEEN; or declare "+x.right.alias+" as a table with a primary key: CREATE TABLE …")
	}
	if b.most < b.least {
		return ast.Errorf(x.j.On.Pos(), "the bounds on the event times leave nothing: right is at least %s and at most %s after left", types.FormatDuration(b.least), types.FormatDuration(b.most))
	}
	// A pair that the condition admits lies in [-Before, After]; the condition itself stays as the residual.
	n.Before, n.After = max(-b.least, 0), max(b.most, 0)
	return nil
}

func joinKind(k ast.JoinKind) plan.JoinKind {
	switch k {
	case ast.LeftJoin:
		return plan.LeftOuter
	case ast.RightJoin:
		return plan.RightOuter
	case ast.FullJoin:
		return plan.FullOuter
	}
	return plan.Inner
}
