package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// call is what was lifted out of a function call before TiDB's parser saw it.
type call struct {
	name     string // upper-case
	end      int    // of the call with its FILTER and OVER
	star     bool
	distinct bool
	orderBy  []ast.Order
	sep      *string
	filter   ast.Expr
	over     *ast.OverSpec
	cast     *ast.TypeName
	fields   []ast.Expr // STRUCT(x AS name): the names as strings, one per argument
}

// nativeCalls have words between their arguments, which TiDB's grammar reads: TRIM(LEADING 'x' FROM y).
var nativeCalls = words(`TRIM SUBSTRING SUBSTR MID EXTRACT POSITION TIMESTAMPADD TIMESTAMPDIFF DATE_ADD DATE_SUB ADDDATE SUBDATE GET_FORMAT
	CHAR WEIGHT_STRING MATCH DEFAULT`)

// maskCall copies the call at token i. Its name becomes a dummy, so that TiDB takes any arguments: its grammar knows some
// functions by name, refuses others (FIRST, LAST), and wants OVER right after ROW_NUMBER().
func (p *parser) maskCall(m *mask, i int) int {
	t, end := p.toks[i], p.closer[i+1]
	name := strings.ToUpper(t.text)
	m.put(p.toks[i+1].start, "(")
	m.put(p.toks[end].start, ")")
	if nativeCalls.has(name) || name == "CONVERT" && p.find(i+2, end, "USING") > 0 {
		m.put(t.start, t.text)
		p.mask(m, i+2, end)
		return end + 1
	}
	c := &call{name: name}
	p.calls[t.start] = c
	m.put(t.start, dummy(t.text))
	from, to := i+2, end
	if name == "CAST" || name == "CONVERT" {
		to = p.castType(c, from, end)
	} else {
		from, to = p.liftArguments(c, from, end)
	}
	p.mask(m, from, to)
	if name == "STRUCT" {
		p.liftFields(m, c, from, to)
	}
	after := p.liftSuffix(c, end+1)
	if p.err == nil {
		c.end = p.toks[after-1].end
	}
	return after
}

// find is the last token [from, to) outside inner brackets that is the word or operator what, or 0.
func (p *parser) find(from, to int, what string) int {
	at := 0
	for i := from; i < to; i++ {
		if t := p.toks[i]; (t.is(what) || t.punct(what)) && !p.afterDot(i) {
			at = i
		} else if t.opens() {
			i = p.closer[i]
		}
	}
	return at
}

// castType reads the type of CAST(x AS type) and CONVERT(x, type); it returns where x ends.
func (p *parser) castType(c *call, from, end int) int {
	sep := "AS"
	if c.name == "CONVERT" {
		sep = ","
	}
	at := p.find(from, end, sep)
	if at == 0 {
		p.unexpectedAt(end, `"`+sep+`" and a type`)
		return from
	}
	p.nested(at+1, end, func() {
		typ := p.typeName()
		c.cast = &typ
	})
	if at == from {
		p.unexpectedAt(at, "an expression")
	}
	return at
}

// liftArguments lifts DISTINCT, *, ORDER BY and SEPARATOR out of the arguments [from, to); it returns what is left.
func (p *parser) liftArguments(c *call, from, to int) (int, int) {
	switch first := p.toks[from]; {
	case first.punct("*") && from+1 == to:
		c.star = true
		return from + 1, to
	case first.in("DISTINCT", "DISTINCTROW"):
		c.distinct = true
		from++
	case first.is("ALL") && from+1 < to:
		from++
	}
	end := to
	if at := p.find(from, to, "SEPARATOR"); at > 0 {
		p.nested(at+1, to, func() {
			sep := p.str("a string")
			c.sep = &sep
		})
		end = at
	}
	if at := p.find(from, end, "ORDER"); at > 0 {
		p.nested(at, end, func() {
			p.expect("ORDER", "BY")
			c.orderBy = p.orders()
		})
		end = at
	}
	if c.distinct && from == end {
		p.unexpectedAt(end, "an expression")
	}
	return from, end
}

// liftFields lifts the names out of STRUCT(x AS name, …); STRUCT('name', x, …) has none.
func (p *parser) liftFields(m *mask, c *call, from, to int) {
	for i := from; p.err == nil && i < to; {
		end := i
		for end < to && !p.toks[end].punct(",") {
			if p.toks[end].opens() {
				end = p.closer[end]
			}
			end++
		}
		if as := p.find(i, end, "AS"); as > i {
			if as != end-2 || !p.toks[end-1].name() {
				p.unexpectedAt(as+1, "the name of a field")
				return
			}
			name := p.toks[end-1]
			c.fields = append(c.fields, &ast.Literal{Span: name.span(), Kind: ast.StringLiteral, Text: name.text})
			m.clear(p.toks[as].start, name.end)
		} else if len(c.fields) > 0 {
			p.unexpectedAt(end, `"AS" and the name of a field`)
		}
		i = end + 1
	}
}

// liftSuffix lifts FILTER (WHERE …), OVER and RESPECT NULLS after the call; it returns the token after them.
func (p *parser) liftSuffix(c *call, i int) int {
	back := p.pos
	p.pos = i
	if t := p.peek(); t.is("WITHIN") && p.at(i+1).is("GROUP") {
		p.unsupported(t.span(), "WITHIN GROUP", "use ORDER BY inside the brackets of the call")
	}
	if p.accept("FILTER", "(", "WHERE") {
		c.filter = p.expr()
		p.expect(")")
	}
	if t := p.peek(); t.is("IGNORE") && p.at(p.pos+1).is("NULLS") {
		p.unsupported(t.span(), "IGNORE NULLS", "FILTER (WHERE x IS NOT NULL) leaves NULLs out")
	}
	p.accept("RESPECT", "NULLS")
	if p.accept("OVER") {
		c.over = p.over()
	}
	i, p.pos = p.pos, back
	return i
}

// over reads what follows OVER: a name or a specification.
func (p *parser) over() *ast.OverSpec {
	if p.sees("(") {
		return p.overSpec()
	}
	name := p.ident("a window name or (…)")
	return &ast.OverSpec{Span: name.Span, Name: name.Name}
}

// overSpec reads ([name] [PARTITION BY …] [ORDER BY …] [frame]).
func (p *parser) overSpec() *ast.OverSpec {
	s := &ast.OverSpec{}
	start := p.start()
	p.expect("(")
	if t := p.peek(); t.name() && !(t.kind == tokWord && reserved().has(t.text)) {
		s.Name = p.ident("a window name").Name
	}
	if p.accept("PARTITION", "BY") {
		s.PartitionBy = p.exprs()
	}
	if p.accept("ORDER", "BY") {
		s.OrderBy = p.orders()
	}
	if p.peek().in("ROWS", "RANGE", "GROUPS") {
		s.Frame = p.frame()
	}
	p.expect(")")
	s.Span = p.since(start)
	return s
}

// frame reads ROWS|RANGE|GROUPS bound, or BETWEEN bound AND bound.
func (p *parser) frame() *ast.Frame {
	start := p.start()
	f := &ast.Frame{Unit: strings.ToUpper(p.peek().text)}
	p.pos++
	between := p.accept("BETWEEN")
	f.From = p.frameBound()
	if between {
		p.expect("AND")
		f.To = p.frameBound()
	}
	f.Span = p.since(start)
	return f
}

func (p *parser) frameBound() ast.FrameBound {
	var b ast.FrameBound
	start := p.start()
	switch {
	case p.accept("CURRENT", "ROW"):
		b.Span = p.since(start)
		return b
	case p.accept("UNBOUNDED"):
		b.Unbounded = true
	case p.peek().kind == tokInt && (p.at(p.pos+1).kind != tokWord || p.at(p.pos+1).in("PRECEDING", "FOLLOWING", "AND")):
		b.Rows = p.count("a number of rows")
	case p.startsDuration():
		b.Duration = p.notNegative("the frame")
	default:
		p.unexpected("a frame bound")
	}
	switch {
	case p.accept("PRECEDING"):
	case p.accept("FOLLOWING"):
		b.Following = true
	default:
		p.unexpected("PRECEDING or FOLLOWING")
	}
	b.Span = p.since(start)
	return b
}
