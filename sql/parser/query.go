package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// query reads [WITH …] SELECT … {UNION|EXCEPT|INTERSECT …} [ORDER BY …] [LIMIT …] [EMIT …].
func (p *parser) query() ast.Query {
	start := p.start()
	with := p.with()
	inner := p.start()
	q := p.union()
	bracketed := q != nil && q.Pos().Start > inner
	if bracketed && len(with) > 0 {
		p.unsupported(ast.Span{Start: start, End: inner}, "WITH before a query in brackets", "put WITH inside the brackets")
	}
	switch q := q.(type) {
	case *ast.Select:
		q.With = append(with, q.With...)
		p.selectTail(q)
	case *ast.SetOp:
		q.With = append(with, q.With...)
		p.setTail(q)
	}
	if p.err != nil {
		return nil
	}
	if !bracketed {
		switch q := q.(type) {
		case *ast.Select:
			q.Span = p.since(start)
		case *ast.SetOp:
			q.Span = p.since(start)
		}
	}
	return q
}

// with reads WITH name [(columns)] AS (query), ….
func (p *parser) with() []ast.With {
	if !p.accept("WITH") {
		return nil
	}
	if t := p.peek(); t.is("RECURSIVE") {
		p.unsupported(t.span(), "WITH RECURSIVE", "")
	}
	var list []ast.With
	for {
		start := p.start()
		w := ast.With{Name: p.ident("the name of a query")}
		if p.sees("(") {
			w.Columns = p.idents("a column name")
		}
		p.expect("AS", "(")
		w.Query = p.query()
		p.expect(")")
		w.Span = p.since(start)
		list = append(list, w)
		if !p.accept(",") {
			return list
		}
	}
}

// union reads a {UNION|EXCEPT [ALL] b}.
func (p *parser) union() ast.Query {
	start := p.start()
	left := p.intersection()
	for p.err == nil {
		op := strings.ToUpper(p.peek().text)
		if !p.accept("UNION") && !p.accept("EXCEPT") {
			break
		}
		left = p.setOp(start, op, left, p.intersection)
	}
	return left
}

// intersection reads a {INTERSECT [ALL] b}, which binds tighter than UNION.
func (p *parser) intersection() ast.Query {
	start := p.start()
	left := p.term()
	for p.accept("INTERSECT") {
		left = p.setOp(start, "INTERSECT", left, p.term)
	}
	return left
}

func (p *parser) setOp(start int, op string, left ast.Query, operand func() ast.Query) ast.Query {
	s := &ast.SetOp{Op: op, Left: left, All: p.accept("ALL")}
	if !s.All {
		p.accept("DISTINCT")
	}
	s.Right = operand()
	s.Span = p.since(start)
	return s
}

// term reads a SELECT without its tail, or a whole query in brackets.
func (p *parser) term() ast.Query {
	switch t := p.peek(); {
	case t.punct("("):
		p.pos++
		q := p.query()
		p.expect(")")
		return q
	case t.in("VALUES", "TABLE"):
		p.unsupported(t.span(), strings.ToUpper(t.text)+" as a query", "use SELECT")
	case p.accept("SELECT"):
		return p.selectCore(t.start)
	default:
		p.unexpected("SELECT")
	}
	return nil
}

// tail is what may follow the last SELECT of a query.
type tail struct {
	orderBy       []ast.Order
	limit, offset *int64
	limitSpan     ast.Span
	emit          ast.Emit
	emitSpan      ast.Span
}

// tail reads [ORDER BY …] [LIMIT …] [EMIT …]; EMIT may stand before LIMIT.
func (p *parser) tail() tail {
	var t tail
	for p.err == nil {
		at := p.peek()
		switch {
		case at.is("ORDER") && (t.orderBy != nil || t.limit != nil || t.emit != ast.EmitDefault):
			p.fail(at.span(), "ORDER BY stands once, before LIMIT and EMIT")
		case p.accept("ORDER"):
			p.expect("BY")
			t.orderBy = p.orders()
		case at.is("LIMIT") && t.limit != nil, at.is("EMIT") && t.emit != ast.EmitDefault:
			p.fail(at.span(), "%s is given twice", strings.ToUpper(at.text))
		case p.accept("LIMIT"):
			t.limit, t.offset = p.limit()
			t.limitSpan = p.since(at.start)
		case at.is("EMIT"):
			t.emit = p.emit()
			t.emitSpan = p.since(at.start)
		case at.is("FETCH"):
			p.unsupported(at.span(), "FETCH FIRST", "use LIMIT n")
		case at.in("FOR", "LOCK", "INTO"):
			p.unsupported(at.span(), strings.ToUpper(at.text)+" after a query", "leave it out; CREATE STREAM x AS SELECT and INSERT INTO x SELECT write a result")
		default:
			return t
		}
	}
	return t
}

// limit reads n, n OFFSET m and m, n.
func (p *parser) limit() (limit, offset *int64) {
	n := p.count("a number of rows")
	switch {
	case p.accept("OFFSET"):
		m := p.count("a number of rows")
		return &n, &m
	case p.accept(","):
		m := p.count("a number of rows")
		return &m, &n
	}
	return &n, nil
}

func (p *parser) emit() ast.Emit {
	p.expect("EMIT")
	switch {
	case p.accept("CHANGES"):
		return ast.EmitChanges
	case p.accept("FINAL"):
		return ast.EmitFinal
	}
	p.unexpected("CHANGES or FINAL")
	return ast.EmitDefault
}

// selectTail gives the tail to a single SELECT; one in brackets may have its own already.
func (p *parser) selectTail(q *ast.Select) {
	start := p.peek()
	t := p.tail()
	if p.pos == p.index(start.start) || p.err != nil {
		return
	}
	if q.OrderBy != nil || q.Limit != nil || q.Emit != ast.EmitDefault {
		p.unsupported(start.span(), "a second ORDER BY, LIMIT or EMIT around a query in brackets", "SELECT * FROM (…) AS q ORDER BY …")
		return
	}
	q.OrderBy, q.Limit, q.Offset, q.LimitSpan, q.Emit, q.EmitSpan = t.orderBy, t.limit, t.offset, t.limitSpan, t.emit, t.emitSpan
}

// setTail gives the tail to a UNION.
func (p *parser) setTail(q *ast.SetOp) {
	start := p.peek()
	t := p.tail()
	if p.pos == p.index(start.start) || p.err != nil {
		return
	}
	switch {
	case q.OrderBy != nil || q.Limit != nil || q.Emit != ast.EmitDefault:
		p.unsupported(start.span(), "a second ORDER BY, LIMIT or EMIT around a query in brackets", "SELECT * FROM (…) AS q ORDER BY …")
	case t.offset != nil:
		p.unsupported(t.limitSpan, "OFFSET on a "+q.Op, "SELECT * FROM (…) AS q LIMIT … OFFSET …")
	}
	q.OrderBy, q.Limit, q.Emit = t.orderBy, t.limit, t.emit
}
