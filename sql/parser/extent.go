package parser

import (
	"sort"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// extent is the tokens [from, to) of one expression.
type extent struct{ from, to int }

// clauseStarts are words that end an expression outside brackets: all are reserved.
var clauseStarts = words(`FROM WHERE GROUP HAVING ORDER LIMIT WINDOW UNION INTERSECT EXCEPT ON USING JOIN INNER CROSS NATURAL
	STRAIGHT_JOIN PARTITION WITH INTO FOR FETCH LOCK AS ASC DESC SELECT ROWS RANGE GROUPS`)

// endsExpr tells whether the expression that began at token from ends before token i.
func (p *parser) endsExpr(from, i int) bool {
	t, after := p.at(i), p.at(i+1)
	switch {
	case t.kind == tokEOF, t.punct(","), t.punct(")"), t.punct("]"):
		return true
	case t.kind != tokWord || p.afterDot(i):
		return false
	case clauseStarts.has(t.text):
		return true
	case t.in("LEFT", "RIGHT"):
		return !after.punct("(")
	case i == from || !p.toks[i-1].endsOperand() && !p.afterDot(i-1):
		return false // where an operand must stand, these are names
	case t.in("FULL", "ASOF", "SEMI", "ANTI"):
		return after.in("JOIN", "OUTER")
	case t.is("EMIT"):
		return after.in("CHANGES", "FINAL")
	case t.is("SEPARATOR"):
		return after.kind == tokString
	case t.is("NULLS"):
		return after.in("FIRST", "LAST")
	}
	return t.in("QUALIFY", "WITHIN", "GRACE", "CORRECT", "BROADCAST")
}

// afterDot tells whether token i is the name after a dot: right behind it no word is a keyword.
func (p *parser) afterDot(i int) bool { return i > 1 && p.toks[i-2].name() && p.pathGoesOn(i-2) }

// pathGoesOn tells whether the name at i is followed by a dot and another name.
func (p *parser) pathGoesOn(i int) bool {
	dot, t := p.at(i+1), p.at(i+2)
	return dot.punct(".") && t.name() && (t.start == dot.end || t.kind == tokQuoted || !reserved().has(t.text))
}

// extent finds the end of the expression at the cursor and moves there.
func (p *parser) extent() extent {
	e := extent{from: p.pos, to: p.pos}
	for !p.endsExpr(e.from, e.to) {
		if p.at(e.to).opens() {
			e.to = p.closer[e.to]
		}
		e.to++
	}
	if p.err == nil && e.to == e.from {
		p.unexpected("an expression")
	}
	p.pos = e.to
	return e
}

// extents finds a, b, ….
func (p *parser) extents() []extent {
	var list []extent
	for {
		list = append(list, p.extent())
		if !p.accept(",") {
			return list
		}
	}
}

// expr reads one expression.
func (p *parser) expr() ast.Expr {
	list := p.read([]extent{p.extent()})
	if p.err != nil {
		return nil
	}
	return list[0]
}

// exprs reads a, b, ….
func (p *parser) exprs() []ast.Expr { return p.read(p.extents()) }

// orders reads a [ASC|DESC], b, ….
func (p *parser) orders() []ast.Order {
	var list []ast.Order
	var all []extent
	for {
		all = append(all, p.extent())
		desc := p.accept("DESC")
		if !desc {
			p.accept("ASC")
		}
		if t := p.peek(); t.is("NULLS") {
			p.unsupported(t.span(), "NULLS FIRST and NULLS LAST", "NULL sorts before every value; ORDER BY x IS NULL, x puts it last")
		}
		list = append(list, ast.Order{Desc: desc})
		if !p.accept(",") {
			break
		}
	}
	for i, e := range p.read(all) {
		list[i].Expr = e
	}
	return list
}

// queryStarts tells whether a query begins at token i, in brackets or not.
func (p *parser) queryStarts(i int) bool {
	for p.at(i).punct("(") {
		i++
	}
	return p.at(i).in("SELECT", "WITH")
}

// queryInside tells whether what the bracket at token i holds is a query, not an expression or a relation that begins with one.
func (p *parser) queryInside(i int) bool {
	t := p.at(i + 1)
	if !t.punct("(") {
		return t.in("SELECT", "WITH")
	}
	if !p.queryInside(i + 1) {
		return false
	}
	after := p.at(p.closer[i+1] + 1)
	return after.punct(")") || after.in("UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "EMIT")
}

// index is the first token at or after a place in the text.
func (p *parser) index(at int) int {
	return sort.Search(len(p.toks)-1, func(i int) bool { return p.toks[i].start >= at })
}
