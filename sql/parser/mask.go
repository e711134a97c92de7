package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// mask is the copy of a stretch of the text that TiDB's parser reads: blanks, and the tokens of expressions at their
// places. What is replaced keeps its length:
//
//	a sub-query     (SELECT         1)   its ast.Query is in parser.subs, by the place of the bracket
//	a lambda        1                    its *ast.Lambda is in parser.subs
//	a number        1                    the literal is read from the token: no range, no rounding
//	a.b.c.d         a                    the path is read from the tokens
//	a[i].b          a                    the *subscript is in parser.subscripts, by the place of the [
//	ARRAY[a, b]     f(a, b)
//	f(DISTINCT x) FILTER (…) OVER (…)    f(x); the rest is in parser.calls, by the place of the name (call.go)
type mask struct {
	base int
	buf  []byte
}

// put writes s at a place of the text.
func (m *mask) put(at int, s string) { copy(m.buf[at-m.base:], s) }

// clear blanks [from, to).
func (m *mask) clear(from, to int) {
	for i := from; i < to; i++ {
		m.buf[i-m.base] = ' '
	}
}

// mask copies the tokens [i, end) into m.
func (p *parser) mask(m *mask, i, end int) {
	for p.err == nil && i < end {
		t := p.toks[i]
		switch {
		case p.lambdaStarts(i):
			i = p.maskLambda(m, i)
		case t.punct("(") && p.queryInside(i):
			i = p.maskQuery(m, i)
		case p.callStarts(i):
			i = p.maskCall(m, i)
		case t.punct("["):
			i = p.maskSubscript(i)
		case t.name() && p.pathGoesOn(i):
			i = p.maskPath(m, i)
		case t.number():
			m.put(t.start, "1")
			i++
		default:
			m.put(t.start, p.text[t.start:t.end])
			if t.kind == tokWord && p.pluralUnit(i) {
				m.clear(t.end-1, t.end)
			}
			i++
		}
	}
}

// callStarts tells whether a call begins at token i: f(…) or ARRAY[…]. FILTER (WHERE …) behind an aggregate is none.
func (p *parser) callStarts(i int) bool {
	t, after := p.toks[i], p.at(i+1)
	switch {
	case t.kind != tokWord:
		return false
	case after.punct("["):
		return t.is("ARRAY")
	case !after.punct("("):
		return false
	case t.is("FILTER"):
		return i == 0 || !p.toks[i-1].endsOperand()
	}
	return !operatorWords.has(t.text) && !p.isModOperator(i)
}

// isModOperator tells a MOD (b) from MOD(a, b).
func (p *parser) isModOperator(i int) bool {
	return p.toks[i].is("MOD") && i > 0 && p.toks[i-1].endsOperand()
}

// pluralUnit tells whether the word at i is the SECONDS of INTERVAL 10 SECONDS.
func (p *parser) pluralUnit(i int) bool {
	if !p.toks[i].in("SECONDS", "MINUTES", "HOURS", "DAYS", "WEEKS", "MONTHS", "YEARS", "MICROSECONDS") || i < 2 {
		return false
	}
	sign := p.toks[i-2].punct("-") || p.toks[i-2].punct("+")
	return p.toks[i-2].is("INTERVAL") || sign && i > 2 && p.toks[i-3].is("INTERVAL")
}

func (p *parser) maskPath(m *mask, i int) int {
	first := p.toks[i]
	for p.pathGoesOn(i) {
		i += 2
	}
	if p.at(i + 1).punct("(") {
		p.fail(ast.Span{Start: first.start, End: p.toks[i].end}, "functions have no schema: %s", p.text[first.start:p.toks[i].end])
	}
	m.put(first.start, p.text[first.start:first.end])
	return i + 1
}

// maskQuery reads the sub-query in the bracket at i.
func (p *parser) maskQuery(m *mask, i int) int {
	end := p.closer[i]
	var q ast.Query
	p.nested(i+1, end, func() { q = p.query() })
	from, to := p.toks[i].start, p.toks[end].end
	if p.err == nil && to-from < len("(SELECT 1)") {
		p.unexpectedAt(end, "FROM")
	}
	if p.err != nil {
		return end + 1
	}
	p.subs[from] = q
	m.put(from, "(SELECT")
	m.put(to-2, "1)")
	return end + 1
}

// lambdaStarts tells x -> … and (x, y) -> … from a JSON path, which is a string that begins with $.
func (p *parser) lambdaStarts(i int) bool {
	t := p.toks[i]
	arrow := i + 1
	if t.punct("(") {
		arrow = p.closer[i] + 1
	} else if !t.name() {
		return false
	}
	body := p.at(arrow + 1)
	path := body.kind == tokString && strings.HasPrefix(strings.TrimSpace(body.text), "$")
	return p.at(arrow).punct("->") && !path && (i == 0 || p.toks[i-1].punct("(") || p.toks[i-1].punct(","))
}

func (p *parser) maskLambda(m *mask, i int) int {
	start := p.toks[i].start
	l := &ast.Lambda{}
	back := p.pos
	p.pos = i
	if p.sees("(") {
		l.Params = p.idents("a parameter")
	} else {
		l.Params = []ast.Ident{p.ident("a parameter")}
	}
	p.expect("->")
	l.Body = p.expr()
	if p.err == nil {
		l.Span = p.since(start)
		i = p.pos
	}
	p.pos = back
	p.subs[start] = l
	m.put(start, "1")
	return i
}

// dummy is a function name of the length of name that TiDB takes for nothing else.
func dummy(name string) string { return "f" + strings.Repeat("_", len(name)-1) }
