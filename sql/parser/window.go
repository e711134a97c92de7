package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/spell"
)

var windowKinds = map[string]ast.WindowKind{
	"TUMBLING": ast.Tumbling, "HOPPING": ast.Hopping, "SLIDING": ast.Sliding, "SESSION": ast.Session, "CUMULATE": ast.Cumulate,
	"CUMULATING": ast.Cumulate,
}

// window reads the time window after WINDOW: KIND(…) [GRACE d]. Every parameter is checked here, at its place.
func (p *parser) window(start int) *ast.Window {
	t := p.peek()
	kind, ok := windowKinds[strings.ToUpper(t.text)]
	if t.kind != tokWord || !ok {
		p.unknownWindow(t)
		return nil
	}
	p.pos++
	w := &ast.Window{Kind: kind}
	p.expect("(")
	for n := 0; ; n++ {
		p.windowArgument(w, n)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	if p.sees("GRACE") {
		p.windowGrace(w)
	}
	w.Span = p.since(start)
	p.checkWindow(w)
	return w
}

func (p *parser) unknownWindow(t token) {
	if t.kind != tokWord {
		p.unexpected("a window: TUMBLING, HOPPING, SLIDING, SESSION or CUMULATE")
		return
	}
	hint := "there are TUMBLING, HOPPING, SLIDING, SESSION and CUMULATE"
	if near := spell.Closest(t.text, []string{"TUMBLING", "HOPPING", "SLIDING", "SESSION", "CUMULATE"}); near != "" {
		hint = "did you mean " + near + "?"
	}
	p.fail(t.span(), "unknown window %q", t.text).Hint = hint
}

// windowArgument reads the n-th argument: by position the size and the advance, or any by its name.
func (p *parser) windowArgument(w *ast.Window, n int) {
	t := p.peek()
	switch {
	case t.is("GRACE"):
		p.windowGrace(w)
	case p.accept("SIZE"), w.Kind == ast.Session && (p.accept("GAP") || p.accept("INACTIVITY")):
		p.windowSize(w, t)
	case p.accept("ADVANCE"), w.Kind == ast.Cumulate && p.accept("STEP"):
		p.accept("BY")
		p.windowAdvance(w, t)
	case p.accept("OFFSET"):
		if w.Offset != nil {
			p.fail(t.span(), "WINDOW offset is given twice")
		}
		d := p.length("WINDOW offset")
		w.Offset = &d
	case p.accept("TIME", "ZONE"):
		p.windowZone(w, t)
	case t.is("RETENTION"):
		p.unsupported(t.span(), "RETENTION in a window", "leave it out: state goes when the window closes; GRACE keeps it open longer")
	case p.startsDuration() && n == 0:
		p.windowSize(w, t)
	case p.startsDuration() && n == 1:
		p.windowAdvance(w, t)
	default:
		p.unexpected("a window parameter")
	}
}

// sizeName is what the size of a window is called.
func sizeName(k ast.WindowKind) string {
	if k == ast.Session {
		return "WINDOW gap"
	}
	return "WINDOW size"
}

func (p *parser) windowSize(w *ast.Window, t token) {
	if w.Size.End > 0 {
		p.fail(t.span(), "%s is given twice", sizeName(w.Kind))
	}
	name := sizeName(w.Kind)
	if w.Kind == ast.Session || w.Kind == ast.Sliding {
		w.Size = p.positive(p.duration(name), name)
		return
	}
	w.Size = p.positive(p.length(name), name)
}

func (p *parser) windowZone(w *ast.Window, t token) {
	if w.TimeZone != nil {
		p.fail(t.span(), "TIME ZONE is given twice")
	}
	at := p.peek().span()
	w.TimeZone = &ast.Zone{Span: at, Name: p.str("a time zone like 'Europe/Berlin'")}
}

func advanceName(k ast.WindowKind) string {
	if k == ast.Cumulate {
		return "WINDOW step"
	}
	return "WINDOW advance"
}

func (p *parser) windowAdvance(w *ast.Window, t token) {
	if w.Kind != ast.Hopping && w.Kind != ast.Cumulate {
		p.fail(t.span(), "a %s window has one duration only", w.Kind).WithHint("HOPPING(size, advance) has two; GRACE and OFFSET are named")
		return
	}
	if w.Advance != nil {
		p.fail(t.span(), "%s is given twice", advanceName(w.Kind))
	}
	d := p.positive(p.length(advanceName(w.Kind)), advanceName(w.Kind))
	w.Advance = &d
}

// windowGrace reads GRACE d, GRACE(d) and GRACE PERIOD d.
func (p *parser) windowGrace(w *ast.Window) {
	if w.Grace != nil {
		p.fail(p.peek().span(), "GRACE is given twice")
	}
	w.Grace = p.grace()
}

// grace reads GRACE d, GRACE(d), GRACE PERIOD d.
func (p *parser) grace() *ast.Duration {
	p.expect("GRACE")
	p.accept("PERIOD")
	if !p.accept("(") {
		return p.notNegative("GRACE")
	}
	d := p.notNegative("GRACE")
	p.expect(")")
	return d
}

// checkWindow checks what concerns more than one parameter.
func (p *parser) checkWindow(w *ast.Window) {
	switch {
	case p.err != nil:
	case w.Size.End == 0:
		p.fail(w.Span, "%s is missing", sizeName(w.Kind)).WithHint("like %s(10s)", w.Kind)
	case (w.Kind == ast.Hopping || w.Kind == ast.Cumulate) && w.Advance == nil:
		p.fail(w.Span, "%s is missing", advanceName(w.Kind)).WithHint("like %s(10s, 5s)", w.Kind)
	case (w.Kind == ast.Session || w.Kind == ast.Sliding) && (w.Offset != nil || w.TimeZone != nil):
		p.fail(w.Span, "a %s window is not aligned: it takes no OFFSET and no TIME ZONE", w.Kind)
	case !sameMeasure(w.Size, w.Advance):
		p.fail(w.Advance.Span, "%s and size must both be in months, quarters or years, or neither", advanceName(w.Kind)).
			WithHint("a month has no fixed number of days")
	case !sameMeasure(w.Size, w.Offset):
		p.fail(w.Offset.Span, "WINDOW offset and size must both be in months, quarters or years, or neither").
			WithHint("a month has no fixed number of days")
	case w.Advance != nil && length(*w.Advance) > length(w.Size):
		p.fail(w.Advance.Span, "%s must not be larger than the size: rows between two windows would be lost", advanceName(w.Kind))
	case w.Kind == ast.Cumulate && length(w.Size)%length(*w.Advance) != 0:
		p.fail(w.Advance.Span, "WINDOW step must divide the size")
	}
}

// sameMeasure says whether d, if it is there and not 0, is in months exactly when size is.
func sameMeasure(size ast.Duration, d *ast.Duration) bool {
	return d == nil || length(*d) == 0 || (d.Months != 0) == (size.Months != 0)
}

// length is a number to compare durations of one measure by.
func length(d ast.Duration) int64 { return d.Micros + d.Months }
