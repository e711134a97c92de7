package parser

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

const durationForms = "write it like 500ms, 10s, 1m30s, 2h, 1d, 10 SECONDS or INTERVAL 10 SECOND"

// startsDuration tells whether the next tokens can only be a duration.
func (p *parser) startsDuration() bool {
	i := p.pos
	if p.at(i).punct("-") || p.at(i).punct("+") {
		i++
	}
	t := p.at(i)
	return t.number() || t.is("INTERVAL") || t.kind == tokWord && isDigit(t.text[0])
}

// duration reads 10s, 1m30s, 10 SECONDS, INTERVAL '10' SECOND, each with a sign before the number. what names the
// parameter in errors. The value may be zero or negative: the caller knows the rule.
func (p *parser) duration(what string) ast.Duration {
	start := p.start()
	sign := p.sign()
	var micros int64
	var ok bool
	switch t := p.peek(); {
	case p.accept("INTERVAL"):
		micros, ok = p.interval(what, start)
	case t.kind == tokWord && isDigit(t.text[0]):
		p.pos++
		micros, ok = p.compact(t, what)
	case t.number():
		p.pos++
		micros, ok = p.amount(t.text, t.span(), what, start)
	case t.kind == tokString:
		p.fail(t.span(), "%s is a duration, not a string", what).WithHint(durationForms)
	default:
		if p.err == nil {
			p.unexpected("a duration for " + what)
			p.err.Hint = durationForms
		}
	}
	if !ok {
		return ast.Duration{}
	}
	return ast.Duration{Span: p.since(start), Micros: sign * micros}
}

// calendarUnits are the months of the units that have no fixed length.
var calendarUnits = map[string]int64{"MONTH": 1, "MONTHS": 1, "QUARTER": 3, "QUARTERS": 3, "YEAR": 12, "YEARS": 12}

// maxMonths keeps calendar windows within 10,000 years.
const maxMonths = 120_000

// length reads a duration, or a number of months, quarters or years: 1 MONTH, INTERVAL 2 QUARTER.
func (p *parser) length(what string) ast.Duration {
	at := p.pos
	if p.at(at).is("INTERVAL") {
		at++
	}
	negative := p.at(at).punct("-")
	if negative || p.at(at).punct("+") {
		at++
	}
	t := p.at(at)
	unit, calendar := calendarUnits[strings.ToUpper(p.at(at+1).text)]
	if !calendar || p.at(at+1).kind != tokWord || !t.number() && t.kind != tokString {
		return p.duration(what)
	}
	start := p.start()
	p.pos = at + 2
	n, err := strconv.ParseInt(strings.TrimSpace(t.text), 10, 64)
	switch {
	case err != nil:
		p.fail(t.span(), "%s must be whole numbers of a unit, not %s", what, t.text)
		return ast.Duration{}
	case n > maxMonths/unit || n < -maxMonths/unit:
		p.fail(p.since(start), "%s is too large", what).WithHint("at most %d months", maxMonths)
		return ast.Duration{}
	case negative:
		n = -n
	}
	return ast.Duration{Span: p.since(start), Months: n * unit}
}

func (p *parser) sign() int64 {
	if p.accept("-") {
		return -1
	}
	p.accept("+")
	return 1
}

// interval reads what follows INTERVAL: 5 SECOND, -5 SECOND, '5' SECOND.
func (p *parser) interval(what string, start int) (int64, bool) {
	sign := p.sign()
	t := p.peek()
	if t.kind != tokString && !t.number() {
		p.unexpected("a number after INTERVAL")
		return 0, false
	}
	p.pos++
	number := strings.TrimSpace(t.text)
	if rest, neg := strings.CutPrefix(number, "-"); neg {
		sign, number = -sign, rest
	}
	micros, ok := p.amount(number, t.span(), what, start)
	return sign * micros, ok
}

// amount reads the unit after a number.
func (p *parser) amount(number string, at ast.Span, what string, start int) (int64, bool) {
	t := p.peek()
	word := strings.ToUpper(t.text)
	unit := types.DurationUnit(word)
	switch {
	case t.kind != tokWord:
		p.fail(at, "%s has no unit", what).WithHint(durationForms)
		return 0, false
	case calendarUnits[word] > 0:
		p.fail(t.span(), "a %s has no fixed length", strings.TrimSuffix(strings.ToLower(word), "s")).WithHint("use days or weeks")
		return 0, false
	case unit == 0:
		p.fail(t.span(), "unknown unit %q", t.text).WithHint(durationForms)
		return 0, false
	}
	p.pos++
	if strings.Trim(number, "0123456789") != "" || number == "" {
		p.fail(p.since(at.Start), "%s must be whole numbers of a unit, not %s", what, p.text[at.Start:at.End]).
			WithHint("use a smaller unit: 1500ms or 1s500ms instead of 1.5s")
		return 0, false
	}
	n, err := strconv.ParseUint(number, 10, 64)
	micros, over := times(n, unit)
	if err != nil || over {
		p.tooLong(p.since(start), what)
		return 0, false
	}
	return micros, true
}

// compact reads 10s and 1m30s, which are one token.
func (p *parser) compact(t token, what string) (int64, bool) {
	var total int64
	last := int64(math.MaxInt64)
	for rest := t.text; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		after := rest[digits:]
		letters := strings.IndexAny(after+"0", "0123456789")
		unit := types.DurationUnit(after[:letters])
		if digits == 0 || unit == 0 || unit >= last {
			p.fail(t.span(), "%q is not a duration", t.text).WithHint(durationForms)
			return 0, false
		}
		n, err := strconv.ParseUint(rest[:digits], 10, 64)
		part, over := times(n, unit)
		if err != nil || over || total > math.MaxInt64-part {
			p.tooLong(t.span(), what)
			return 0, false
		}
		total, last, rest = total+part, unit, after[letters:]
	}
	return total, true
}

func (p *parser) tooLong(at ast.Span, what string) {
	p.fail(at, "%s is too large", what).WithHint("%s", fmt.Sprintf("at most %d days", int64(math.MaxInt64)/types.MicrosPerDay))
}

// times multiplies and reports an overflow of int64.
func times(n uint64, unit int64) (int64, bool) {
	hi, lo := bits.Mul64(n, uint64(unit))
	return int64(lo), hi != 0 || lo > math.MaxInt64
}

// positive is a duration that was read and must be more than zero.
func (p *parser) positive(d ast.Duration, what string) ast.Duration {
	if p.err == nil && d.Micros+d.Months <= 0 {
		p.fail(d.Span, "%s must be positive, not %s", what, p.text[d.Start:d.End])
	}
	return d
}

// notNegative reads a duration that may be zero.
func (p *parser) notNegative(what string) *ast.Duration {
	d := p.duration(what)
	if p.err == nil && d.Micros < 0 {
		p.fail(d.Span, "%s must not be negative, not %s", what, p.text[d.Start:d.End])
	}
	return &d
}
