package bind

import (
	"time"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// maxWindow keeps window arithmetic far away from the ends of int64: 10,000 years.
const maxWindow = 10000 * 366 * types.MicrosPerDay

// maxOverlap is the most windows that a row may lie in: a row a year by 6 minutes.
const maxOverlap = 100_000

// timeWindow binds a WINDOW clause.
func timeWindow(w *ast.Window) (plan.Window, error) {
	for _, d := range []*ast.Duration{&w.Size, w.Advance, w.Grace, w.Offset} {
		if err := checkLength(d); err != nil {
			return plan.Window{}, err
		}
	}
	out := plan.Window{Kind: w.Kind, Window: types.Window{Size: w.Size.Micros + w.Size.Months}}
	if w.Grace != nil {
		out.Grace = w.Grace.Micros
	}
	if w.Advance != nil {
		out.Advance = w.Advance.Micros + w.Advance.Months
	}
	if w.Kind == ast.Cumulate {
		out.Advance, out.Step = 0, out.Advance
	}
	if w.Offset != nil { // OFFSET 25h of days is OFFSET 1h
		hop, offset := out.Hop(), w.Offset.Micros+w.Offset.Months
		out.Offset = offset - types.FloorDiv(offset, hop)*hop
	}
	if err := calendar(w, &out); err != nil {
		return plan.Window{}, err
	}
	if aligned := w.Kind != ast.Session && w.Kind != ast.Sliding; aligned && out.Most() > maxOverlap {
		return plan.Window{}, ast.Errorf(w.Advance.Span, "a row would lie in %d windows: at most %d", out.Most(), maxOverlap).
			WithHint("a longer second duration makes fewer windows")
	}
	return out, nil
}

// checkLength checks what the parser, which knows no limits, lets through.
func checkLength(d *ast.Duration) error {
	switch {
	case d == nil:
		return nil
	case d.Micros > maxWindow || d.Micros < -maxWindow:
		return ast.Errorf(d.Span, "%s is too long: at most %s", types.FormatDuration(d.Micros), types.FormatDuration(maxWindow))
	case d.Micros%types.MicrosPerMilli != 0:
		return ast.Errorf(d.Span, "a WINDOW is measured in whole milliseconds, not in %s", types.FormatDuration(d.Micros))
	}
	return nil
}

// calendar says what out is measured in: with a TIME ZONE the clock there, months by the calendar of it (UTC without one).
func calendar(w *ast.Window, out *plan.Window) error {
	if w.TimeZone != nil {
		zone, err := types.ZoneOf(w.TimeZone.Name)
		if err != nil {
			return ast.Errorf(w.TimeZone.Span, "%s", err).WithHint("%s", zoneHint(w.TimeZone.Name))
		}
		out.Measure, out.Zone = types.Clock, zone
	}
	if w.Size.Months > 0 {
		out.Measure = types.Months
		if out.Zone == nil {
			out.Zone = time.UTC
		}
	}
	if hop := out.Hop(); out.Measure == types.Clock && hop%types.MicrosPerDay != 0 && types.MicrosPerDay%hop != 0 {
		what := "size"
		if out.Advance > 0 {
			what = "advance"
		}
		return ast.Errorf(w.TimeZone.Span, "WINDOW %s with a TIME ZONE must be whole days or divide a day, it is %s", what, types.FormatDuration(hop)).
			WithHint("windows begin anew at midnight there; leave TIME ZONE out for windows that go on through the days")
	}
	return nil
}

func zoneHint(name string) string {
	if near := spell.Closest(name, types.ZoneNames()); near != "" {
		return "did you mean " + near + "?"
	}
	return "a name of the IANA time zone database such as 'Europe/Berlin', or a distance from UTC such as '+01:00'"
}

func (b *binder) windowBound(name string) expr.Expr {
	return &plan.WindowBound{Window: *b.window, End: name == "window_end"}
}

// requireTime refuses an operator of event time over the result of a query that does not tell how far time has come in it: a table, or
// what is no topic (semantics S7).
func requireTime(s *source, what string) error {
	if s.node == nil {
		return nil // elements of a row of another source
	}
	var written *catalog.Relation
	plan.Walk(s.node, func(n plan.Node) {
		if x, ok := n.(*plan.Scan); ok && x.Relation.Query != "" && !x.Relation.TimeTold() && x.Relation.Timestamp < 0 && x.Relation.Disorder == 0 {
			written = x.Relation
		}
	})
	if written == nil {
		return nil
	}
	return ast.Errorf(s.span, "%s over %s: query %s writes it, and nothing tells how far event time has come in it", what, written.Name, written.Query).
		WithHint("do it in one query, or read a stream on Kafka between the two")
}
