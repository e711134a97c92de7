package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// maxWindow keeps window arithmetic far away from the ends of int64: 10,000 years.
const maxWindow = 10000 * 366 * types.MicrosPerDay

// tumbling checks a WINDOW clause; what is for messages: "GROUP BY", "DISTINCT".
func tumbling(w *ast.Window, what string) (plan.Window, error) {
	size := func(d *ast.Duration, name string, least int64) error {
		switch {
		case d == nil:
			return nil
		case d.Micros < least && least > 0:
			return ast.Errorf(d.Span, "%s must be positive, it is %s", name, types.FormatDuration(d.Micros))
		case d.Micros < least:
			return ast.Errorf(d.Span, "%s must not be negative, it is %s", name, types.FormatDuration(d.Micros))
		case d.Micros > maxWindow:
			return ast.Errorf(d.Span, "%s is too large: at most %s", name, types.FormatDuration(maxWindow))
		case d.Micros%types.MicrosPerMilli != 0:
			return ast.Errorf(d.Span, "%s must be whole milliseconds, it is %s", name, types.FormatDuration(d.Micros))
		}
		return nil
	}
	named := map[ast.WindowKind]string{ast.Session: "session gap", ast.Sliding: "sliding reach"}[w.Kind]
	if named == "" {
		named = "WINDOW size"
	}
	for _, err := range []error{size(&w.Size, named, 1), size(w.Advance, "advance", 1), size(w.Grace, "GRACE", 0)} {
		if err != nil {
			return plan.Window{}, err
		}
	}
	if w.Advance != nil && w.Advance.Micros > w.Size.Micros {
		return plan.Window{}, ast.Errorf(w.Advance.Span, "advance %s is larger than size %s: rows between the windows would be lost",
			types.FormatDuration(w.Advance.Micros), types.FormatDuration(w.Size.Micros)).WithHint("the advance is at most the size")
	}
	if w.Kind != ast.Tumbling {
		return plan.Window{}, ast.Unsupported(w.Span, w.Kind.String()+" windows with "+what, refusedWindow(w.Kind, what))
	}
	if w.TimeZone != "" && w.TimeZone != "UTC" && w.TimeZone != "+00:00" {
		return plan.Window{}, ast.Unsupported(w.Span, "TIME ZONE '"+w.TimeZone+"'", "windows are aligned to UTC; OFFSET moves them")
	}
	out := plan.Window{Kind: w.Kind, Window: types.Window{Size: w.Size.Micros}}
	if w.Grace != nil {
		out.Grace = w.Grace.Micros
	}
	if w.Offset != nil {
		out.Offset = w.Offset.Micros % w.Size.Micros
		if out.Offset < 0 {
			out.Offset += w.Size.Micros
		}
	}
	return out, nil
}

func (b *binder) windowBound(name string) expr.Expr {
	return &plan.WindowBound{Window: *b.window, End: name == "window_end"}
}

// requireTime refuses an operator of event time over a stream that a query writes: several tasks write it, so it has no
// watermark of its own (semantics S7).
func requireTime(s *source, what string) error {
	if s.rel.Query == "" || s.rel.Timestamp >= 0 || s.rel.Disorder > 0 {
		return nil
	}
	return ast.Errorf(s.span, "%s over %s: it is written by query %s and has no watermark of its own", what, s.rel.Name, s.rel.Query).
		WithHint("declare how late its rows may be: WITH (disorder = '10s') or a timestamp column on %s, or do it in one query", s.rel.Name)
}

// refusedWindow is why a window is refused, and what to write instead.
func refusedWindow(k ast.WindowKind, what string) string {
	if what == "DISTINCT" && k != ast.Session {
		return "a row lies in several such windows and would pass once for each; TUMBLING(size) lets it pass once, DISTINCT … WITHIN d lets nothing repeat within d"
	}
	return "TUMBLING is there"
}
