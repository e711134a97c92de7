package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// insert reads what follows INSERT: INTO target [(columns)] query, or VALUES, or RAW (columns) VALUES.
func (p *parser) insert(start int) ast.Statement {
	p.expect("INTO")
	ins := &ast.Insert{Target: p.ident("the name of a stream or table")}
	ins.Raw = p.accept("RAW")
	if ins.Raw || p.sees("(") && !p.queryStarts(p.pos) {
		ins.Columns = p.idents("a column name")
	}
	switch {
	case p.accept("VALUES"):
		ins.Rows = p.rows(len(ins.Columns))
	case ins.Raw:
		p.unexpected("VALUES")
	case p.queryStarts(p.pos):
		ins.Query = p.query()
	default:
		p.unexpected("VALUES or a query")
	}
	ins.Span = p.since(start)
	return ins
}

// rows reads (a, b), (c, d), …; each must have want values unless want is 0.
func (p *parser) rows(want int) [][]ast.Expr {
	var all []extent
	var ends []int
	for {
		open := p.peek()
		p.expect("(")
		row := p.extents()
		p.expect(")")
		if p.err == nil && want > 0 && len(row) != want {
			p.fail(p.since(open.start), "%d values for %d columns", len(row), want)
		}
		all = append(all, row...)
		ends = append(ends, len(all))
		if !p.accept(",") {
			break
		}
	}
	exprs := p.read(all)
	if p.err != nil {
		return nil
	}
	rows := make([][]ast.Expr, len(ends))
	from := 0
	for i, end := range ends {
		rows[i] = exprs[from:end:end]
		from = end
	}
	return rows
}

// assert reads what follows ASSERT: one of the five forms of docs/sql.md, Test files.
func (p *parser) assert(start int) ast.Statement {
	a := &ast.Assert{}
	switch {
	case p.accept("VALUES"):
		a.Form = "VALUES"
		p.assertRows(a)
	case p.accept("NO", "MORE", "VALUES"):
		a.Form = "NO MORE VALUES"
		a.Target = p.ident("the name of a stream or table")
	case p.accept("TABLE"):
		a.Form = "TABLE"
		p.assertRows(a)
	case p.sees("LATE"), p.sees("ERRORS"):
		a.Form = strings.ToUpper(p.next().text)
		a.Target = p.ident("the name of a stream or table")
		a.Count = p.count("the number of records")
	default:
		p.unexpected("VALUES, NO MORE VALUES, TABLE, LATE or ERRORS")
	}
	a.Span = p.since(start)
	return a
}

func (p *parser) assertRows(a *ast.Assert) {
	a.Target = p.ident("the name of a stream or table")
	if p.sees("(") {
		a.Columns = p.idents("a column name")
	}
	p.expect("VALUES")
	if a.Form == "TABLE" && p.peek().kind == tokEOF {
		return // an empty table
	}
	a.Rows = p.rows(len(a.Columns))
	if a.Form == "VALUES" {
		a.InOrder = p.accept("IN", "ORDER")
	}
}

// harness reads RESTART, CRASH, and ADVANCE TIME TO instant.
func (p *parser) harness(start int, verb token) ast.Statement {
	h := &ast.Harness{Verb: strings.ToUpper(verb.text)}
	if h.Verb == "ADVANCE" {
		p.expect("TIME", "TO")
		h.To = p.expr()
	}
	h.Span = p.since(start)
	return h
}
