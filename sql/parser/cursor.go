package parser

import (
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// parser reads one statement. After the first error every look at the tokens shows the end of the statement, so that
// all loops end; err keeps that first error.
type parser struct {
	text   string
	toks   []token // of this statement; the last one is tokEOF
	closer []int   // closer[i] is the index of the bracket that closes the ( or [ at i
	pos    int
	err    *ast.Error

	calls      map[int]*call      // what was lifted out of a call, by the place of its name
	subs       map[int]ast.Node   // sub-queries and lambdas, by the place of the 1 that stands for them
	subscripts map[int]*subscript // [i] and .field behind an operand, by the place of the [
}

// maxDepth bounds the nesting of brackets.
const maxDepth = 200

// newParser prepares the tokens of one statement (without ';'); end is where the statement ends.
func newParser(text string, toks []token, end int) *parser {
	p := &parser{text: text, closer: make([]int, len(toks)), calls: map[int]*call{}, subs: map[int]ast.Node{},
		subscripts: map[int]*subscript{}}
	p.toks = append(toks[:len(toks):len(toks)], token{kind: tokEOF, start: end, end: end})
	p.pairBrackets(toks)
	return p
}

// pairBrackets fills closer; it fails at a lexical error and at a bracket without its other half.
func (p *parser) pairBrackets(toks []token) {
	var open []int
	for i, t := range toks {
		switch {
		case t.kind == tokBad:
			msg, hint, _ := strings.Cut(t.text, "\n")
			p.fail(t.span(), "%s", msg).Hint = hint
			return
		case t.opens():
			open = append(open, i)
			if len(open) > maxDepth {
				p.fail(t.span(), "brackets are nested more than %d deep", maxDepth)
				return
			}
		case t.punct(")") || t.punct("]"):
			if len(open) == 0 {
				p.fail(t.span(), `"%s" closes nothing`, t.text)
				return
			}
			last := open[len(open)-1]
			if toks[last].punct("(") != t.punct(")") {
				p.fail(t.span(), `"%s" does not close "%s"`, t.text, toks[last].text)
				return
			}
			p.closer[last] = i
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		last := toks[open[len(open)-1]]
		p.fail(last.span(), `this "%s" is not closed`, last.text)
	}
}

// fail records the first error and returns it for a hint; later ones are dropped.
func (p *parser) fail(at ast.Span, format string, args ...any) *ast.Error {
	err := ast.Errorf(at, format, args...)
	if p.err == nil {
		p.err = err
	}
	return err
}

// unsupported records that a feature is read and refused.
func (p *parser) unsupported(at ast.Span, feature, hint string) {
	if p.err == nil {
		p.err = ast.Unsupported(at, feature, hint)
	}
}

// at is the i-th token; the end of the statement beyond the last one and after an error.
func (p *parser) at(i int) token {
	if p.err != nil || i >= len(p.toks) {
		return p.toks[len(p.toks)-1]
	}
	return p.toks[i]
}

func (p *parser) peek() token { return p.at(p.pos) }

func (p *parser) next() token {
	t := p.peek()
	if t.kind != tokEOF {
		p.pos++
	}
	return t
}

// start is where the next token begins.
func (p *parser) start() int { return p.peek().start }

// since is the span from start to the end of the last token read.
func (p *parser) since(start int) ast.Span {
	if p.pos == 0 {
		return ast.Span{Start: start, End: start}
	}
	return ast.Span{Start: start, End: max(start, p.toks[p.pos-1].end)}
}

// sees tells whether the next tokens are these words or operators, without reading them.
func (p *parser) sees(what ...string) bool {
	for i, w := range what {
		if t := p.at(p.pos + i); !t.is(w) && !t.punct(w) {
			return false
		}
	}
	return true
}

// accept reads these words or operators if all of them are next.
func (p *parser) accept(what ...string) bool {
	if !p.sees(what...) {
		return false
	}
	p.pos += len(what)
	return true
}

// expect reads these words or operators or fails.
func (p *parser) expect(what ...string) {
	for _, w := range what {
		if !p.accept(w) {
			p.unexpected(strconv.Quote(w))
			return
		}
	}
}

// expectEnd fails unless the statement is read to its end.
func (p *parser) expectEnd() {
	if p.peek().kind != tokEOF {
		p.unexpected("the end of the statement")
	}
}

// ident reads a name: unquoted and not reserved, or back-quoted. what names it in the error.
func (p *parser) ident(what string) ast.Ident {
	t := p.peek()
	if !t.name() || t.kind == tokWord && reserved().has(t.text) {
		p.unexpectedName(what)
		return ast.Ident{}
	}
	p.pos++
	return ast.Ident{Span: t.span(), Name: t.text}
}

// nameOrString reads a name or a string: topics and aliases may be either.
func (p *parser) nameOrString(what string) ast.Ident {
	if t := p.peek(); t.kind == tokString && t.text != "" {
		p.pos++
		return ast.Ident{Span: t.span(), Name: t.text}
	}
	return p.ident(what)
}

// str reads a string.
func (p *parser) str(what string) string {
	t := p.peek()
	if t.kind != tokString {
		p.unexpected(what)
		return ""
	}
	p.pos++
	return t.text
}

// idents reads (a, b, …).
func (p *parser) idents(what string) []ast.Ident {
	var list []ast.Ident
	p.expect("(")
	for {
		list = append(list, p.ident(what))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return list
}

// count reads a non-negative whole number.
func (p *parser) count(what string) int64 {
	t := p.peek()
	if t.kind != tokInt {
		p.unexpected(what)
		return 0
	}
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		p.fail(t.span(), "%s is too large", t.text)
		return 0
	}
	p.pos++
	return n
}

// nested runs read with the cursor at token i and puts the cursor back: for clauses inside an expression.
// It fails if read does not stop at token end.
func (p *parser) nested(i, end int, read func()) {
	if p.err != nil {
		return
	}
	back := p.pos
	p.pos = i
	read()
	if p.err == nil && p.pos != end {
		p.unexpected("the end of this clause")
	}
	p.pos = back
}
