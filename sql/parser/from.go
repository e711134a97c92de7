package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// relations reads a, b, … of FROM: a comma is a join without a condition, which may broadcast.
func (p *parser) relations() ast.Relation {
	start := p.start()
	left := p.joined()
	for p.accept(",") {
		j := &ast.Join{Kind: ast.CrossJoin, Left: left, Right: p.joined()}
		p.joinModifiers(j)
		j.Span = p.since(start)
		left = j
	}
	return left
}

// joined reads a {JOIN b …}.
func (p *parser) joined() ast.Relation {
	start := p.start()
	left := p.relation()
	for p.err == nil {
		kind, ok := p.joinKind()
		if !ok {
			break
		}
		j := &ast.Join{Kind: kind, Left: left, Right: p.relation()}
		p.joinModifiers(j)
		p.joinCondition(j)
		j.Span = p.since(start)
		left = j
	}
	return left
}

// joinKind reads the words of a join; false when no join follows.
func (p *parser) joinKind() (ast.JoinKind, bool) {
	t := p.peek()
	switch {
	case p.accept("JOIN"), p.accept("INNER", "JOIN"):
		return ast.InnerJoin, true
	case p.accept("CROSS", "JOIN"):
		return ast.CrossJoin, true
	case p.accept("LEFT", "JOIN"), p.accept("LEFT", "OUTER", "JOIN"):
		return ast.LeftJoin, true
	case p.accept("RIGHT", "JOIN"), p.accept("RIGHT", "OUTER", "JOIN"):
		return ast.RightJoin, true
	case p.accept("FULL", "JOIN"), p.accept("FULL", "OUTER", "JOIN"):
		return ast.FullJoin, true
	case t.in("NATURAL", "STRAIGHT_JOIN"):
		p.unsupported(t.span(), strings.TrimSuffix(strings.ToUpper(t.text), "_JOIN")+" JOIN", "write JOIN … ON …")
	case t.in("ASOF") && p.at(p.pos+1).in("JOIN", "LEFT"):
		p.unsupported(t.span(), "ASOF JOIN", "a stream–table JOIN takes the row valid at the event time; JOIN t AS OF TIMESTAMP x takes another instant")
	case t.in("SEMI", "ANTI", "LEFT", "RIGHT") && (p.at(p.pos+1).is("JOIN") || p.at(p.pos+1).in("SEMI", "ANTI")):
		p.unsupported(t.span(), "a SEMI or ANTI JOIN", "use EXISTS (…), NOT EXISTS (…) or IN (…) in WHERE")
	case t.in("LEFT", "RIGHT", "INNER", "CROSS", "FULL"):
		p.pos++
		p.unexpected("JOIN")
	}
	return ast.InnerJoin, false
}

// joinModifiers reads WITHIN, GRACE, CORRECT and BROADCAST between the right side and ON.
func (p *parser) joinModifiers(j *ast.Join) {
	for p.err == nil {
		t := p.peek()
		twice := false
		switch {
		case p.accept("WITHIN"):
			twice = j.Within != nil
			p.joinWithin(j)
		case t.is("GRACE"):
			twice = j.Grace != nil
			j.Grace = p.grace()
		case p.accept("CORRECT"):
			twice = j.Correct != nil
			d := p.positive(p.duration("CORRECT"), "CORRECT")
			j.Correct = &d
		case p.accept("BROADCAST"):
			twice = j.Broadcast
			j.Broadcast = true
		default:
			return
		}
		if twice {
			p.fail(t.span(), "%s is given twice", strings.ToUpper(t.text))
		}
	}
}

// joinWithin reads d, (d) and (before, after).
func (p *parser) joinWithin(j *ast.Join) {
	if !p.accept("(") {
		j.Within = p.notNegative("WITHIN")
		return
	}
	j.Within = p.notNegative("WITHIN")
	if p.accept(",") {
		j.WithinAfter = p.notNegative("WITHIN")
	}
	p.expect(")")
}

// joinCondition reads ON or USING. A join without one is a cross join; an outer one needs it, unless it broadcasts.
func (p *parser) joinCondition(j *ast.Join) {
	switch {
	case p.accept("ON"):
		j.On = p.expr()
	case p.accept("USING"):
		j.Using = p.idents("a column name")
	case j.Kind == ast.InnerJoin:
		j.Kind = ast.CrossJoin
	case j.Kind != ast.CrossJoin && !j.Broadcast:
		p.unexpected("ON and a condition")
	}
	if j.Kind == ast.CrossJoin && (j.On != nil || j.Using != nil) {
		j.Kind = ast.InnerJoin // MySQL reads CROSS JOIN … ON as INNER
	}
}

// relation reads one table, sub-query, UNNEST, table function, or joins in brackets.
func (p *parser) relation() ast.Relation {
	t := p.peek()
	switch {
	case p.sees("LATERAL", "("), t.punct("(") && p.queryInside(p.pos):
		return p.subquery(t.start)
	case p.accept("("):
		r := p.relations()
		p.expect(")")
		return r
	case p.sees("UNNEST", "("), p.sees("LATERAL", "UNNEST"):
		p.accept("LATERAL")
		return p.unnest(t.start)
	case p.callFollows(p.pos), t.is("LATERAL") && p.callFollows(p.pos+1):
		p.accept("LATERAL")
		return p.tableFunction(t.start)
	}
	r := &ast.TableRef{Name: p.ident("the name of a stream, table or view")}
	if after := p.peek(); after.punct(".") {
		p.fail(after.span(), "%s has no schema: write its name alone", r.Name.Name).WithHint("a name with a dot in it is quoted: `a.b`")
	}
	r.Alias = p.alias()
	p.asOf(r)
	r.Span = p.since(t.start)
	return r
}

// alias reads [AS] name. Without AS a word of the dialect is not an alias.
func (p *parser) alias() ast.Ident {
	t := p.peek()
	switch {
	case t.is("AS") && p.at(p.pos+1).is("OF"):
	case p.accept("AS"):
		return p.ident("an alias")
	case t.kind == tokQuoted, t.kind == tokWord && !reserved().has(t.text) && !streamingWords.has(t.text):
		return p.ident("an alias")
	}
	return ast.Ident{}
}

// subquery reads [LATERAL] (query) alias.
func (p *parser) subquery(start int) ast.Relation {
	s := &ast.Subquery{Lateral: p.accept("LATERAL")}
	p.expect("(")
	s.Query = p.query()
	p.expect(")")
	s.Alias = p.alias()
	s.Span = p.since(start)
	if p.err == nil && s.Alias.Name == "" {
		p.unexpected("an alias for the sub-query")
	}
	if t := p.peek(); t.punct("(") {
		p.unsupported(t.span(), "a list of columns after an alias", "name the columns in the sub-query with AS")
	}
	return s
}

// unnest reads UNNEST(expr) [alias [(columns)]].
func (p *parser) unnest(start int) ast.Relation {
	u := &ast.Unnest{}
	p.expect("UNNEST", "(")
	u.Expr = p.expr()
	p.expect(")")
	p.opened(u, start)
	return u
}

// callFollows tells whether name( is at token i, and the name is none that SQL keeps for itself.
func (p *parser) callFollows(i int) bool {
	t := p.at(i)
	return t.name() && !(t.kind == tokWord && reserved().has(t.text)) && p.at(i+1).punct("(")
}

// tableFunction reads name(args) [alias [(columns)]].
func (p *parser) tableFunction(start int) ast.Relation {
	e := extent{from: p.pos, to: p.closer[p.pos+1] + 1}
	p.pos = e.to
	u := &ast.Unnest{Table: true}
	if list := p.read([]extent{e}); p.err == nil {
		u.Expr = list[0]
	}
	p.opened(u, start)
	return u
}

// opened reads what follows the brackets of UNNEST and of a table function.
func (p *parser) opened(u *ast.Unnest, start int) {
	if t := p.peek(); t.is("WITH") && p.at(p.pos+1).is("ORDINALITY") {
		p.unsupported(t.span(), "WITH ORDINALITY", "")
	}
	u.Alias = p.alias()
	if u.Alias.Name != "" && p.sees("(") {
		u.Columns = p.idents("a column name")
	}
	u.Span = p.since(start)
}

// asOf reads AS OF LATEST, AS OF TIMESTAMP expr or FOR SYSTEM_TIME AS OF expr, and an alias after it.
func (p *parser) asOf(r *ast.TableRef) {
	start := p.start()
	system := p.accept("FOR", "SYSTEM_TIME")
	if !system && !p.sees("AS", "OF") {
		return
	}
	p.expect("AS", "OF")
	a := &ast.AsOf{}
	var alias ast.Ident
	switch {
	case p.accept("LATEST"):
		a.Latest = true
	case system || p.accept("TIMESTAMP"):
		if exprs, aliases := p.readItems([]extent{p.extent()}); p.err == nil {
			a.Expr, alias = exprs[0], aliases[0]
		}
	default:
		p.unexpected("LATEST or TIMESTAMP")
	}
	a.Span = p.since(start)
	if alias.Name != "" {
		a.Span.End = a.Expr.Pos().End
	} else {
		alias = p.alias()
	}
	if alias.Name != "" && r.Alias.Name != "" {
		p.fail(alias.Span, "%s has two aliases", r.Name.Name)
	} else if alias.Name != "" {
		r.Alias = alias
	}
	r.AsOf = a
}
