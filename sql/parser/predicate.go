package parser

import (
	tidb "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// predicate copies the tests and the rarer expressions.
func (c *converter) predicate(n tidb.ExprNode, start int) (ast.Expr, int) {
	switch n := n.(type) {
	case *tidb.IsNullExpr:
		return c.isNull(n, start)
	case *tidb.IsTruthExpr:
		x, end := c.expr(n.Expr)
		end = c.skip(end, "IS", "NOT").end
		truth := "FALSE"
		if n.True == 1 {
			truth = "TRUE"
		}
		return &ast.IsTruth{Span: ast.Span{Start: start, End: end}, X: x, Truth: truth, Not: n.Not}, end
	case *tidb.BetweenExpr:
		x, _ := c.expr(n.Expr)
		lo, _ := c.expr(n.Left)
		hi, end := c.expr(n.Right)
		return &ast.Between{Span: ast.Span{Start: start, End: end}, X: x, Lo: lo, Hi: hi, Not: n.Not}, end
	case *tidb.PatternInExpr:
		return c.in(n, start)
	case *tidb.PatternLikeOrIlikeExpr:
		return c.like(n, start)
	case *tidb.PatternRegexpExpr:
		x, _ := c.expr(n.Expr)
		pattern, end := c.expr(n.Pattern)
		return &ast.Like{Span: ast.Span{Start: start, End: end}, X: x, Pattern: pattern, Not: n.Not, Regexp: true}, end
	case *tidb.RowExpr:
		i := c.p.index(start)
		if c.p.at(i).is("ROW") {
			i++
		}
		end := c.closed(i)
		return &ast.Row{Span: ast.Span{Start: start, End: end}, Items: c.list(n.Values)}, end
	case *tidb.ExistsSubqueryExpr:
		q, end := c.query(c.start(n.Sel))
		return &ast.Exists{Span: ast.Span{Start: start, End: end}, Query: q, Not: n.Not}, end
	case *tidb.CompareSubqueryExpr:
		return c.compareSubquery(n, start)
	case *tidb.FuncCastExpr: // BINARY x: CAST and CONVERT are read as calls
		x, end := c.expr(n.Expr)
		t := c.tok(start)
		return &ast.Cast{Span: ast.Span{Start: start, End: end}, X: x, Type: ast.TypeName{Span: t.span(), Name: "VARBINARY"}}, end
	case *tidb.VariableExpr:
		return c.refuse(start, "a user or system variable", "${name} with DEFINE stands for a text")
	case *tidb.SetCollationExpr:
		return c.refuse(start, "COLLATE", "strings compare by their bytes; LOWER(x) compares without case")
	case *tidb.MatchAgainst:
		return c.refuse(start, "MATCH … AGAINST", "use LIKE or REGEXP")
	case *tidb.DefaultExpr:
		return c.refuse(start, "DEFAULT", "write the value or NULL")
	}
	return c.refuse(start, "this expression", "")
}

// skip is the first token from a place on that is none of the words.
func (c *converter) skip(at int, words ...string) token {
	i := c.p.index(at)
	for c.p.at(i).in(words...) {
		i++
	}
	return c.p.at(i)
}

func (c *converter) isNull(n *tidb.IsNullExpr, start int) (ast.Expr, int) {
	x, end := c.expr(n.Expr)
	t := c.skip(end, "IS", "NOT")
	at := ast.Span{Start: start, End: t.end}
	if t.is("UNKNOWN") {
		return &ast.IsTruth{Span: at, X: x, Truth: "UNKNOWN", Not: n.Not}, t.end
	}
	return &ast.IsNull{Span: at, X: x, Not: n.Not}, t.end
}

func (c *converter) in(n *tidb.PatternInExpr, start int) (ast.Expr, int) {
	x, end := c.expr(n.Expr)
	open := c.p.index(c.skip(end, "NOT", "IN").start)
	e := &ast.In{X: x, Not: n.Not}
	if n.Sel != nil {
		e.Query, _ = c.query(c.start(n.Sel))
	} else {
		e.List = c.list(n.List)
	}
	end = c.closed(open)
	e.Span = ast.Span{Start: start, End: end}
	return e, end
}

// compareSubquery reads = ANY as IN and <> ALL as NOT IN; the other comparisons are refused.
func (c *converter) compareSubquery(n *tidb.CompareSubqueryExpr, start int) (ast.Expr, int) {
	x, _ := c.expr(n.L)
	q, end := c.query(c.start(n.R))
	if !(n.Op == opcode.EQ && !n.All || n.Op == opcode.NE && n.All) {
		return c.refuse(start, "a comparison with ANY or ALL", "compare with the MIN or MAX of the sub-query")
	}
	return &ast.In{Span: ast.Span{Start: start, End: end}, X: x, Query: q, Not: n.All}, end
}

func (c *converter) like(n *tidb.PatternLikeOrIlikeExpr, start int) (ast.Expr, int) {
	x, _ := c.expr(n.Expr)
	pattern, end := c.expr(n.Pattern)
	if !n.IsLike {
		return c.refuse(start, "ILIKE", "LOWER(x) LIKE pattern")
	}
	escape := `\`
	if t := c.tok(end); t.is("ESCAPE") && n.EscapeExplicit {
		value := c.tok(t.end)
		escape, end = value.text, value.end
	}
	return &ast.Like{Span: ast.Span{Start: start, End: end}, X: x, Pattern: pattern, Escape: escape, Not: n.Not}, end
}
