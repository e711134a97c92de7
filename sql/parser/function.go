package parser

import (
	"strings"

	tidb "github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// function copies a call, and the operators that TiDB turns into calls: x || y, j -> '$.a', ts - INTERVAL 5 SECOND.
func (c *converter) function(n *tidb.FuncCallExpr, start int) (ast.Expr, int) {
	if len(n.Args) > 0 && n.Args[0].OriginTextPosition() == n.OriginTextPosition() || n.FnName.L == tidb.JSONUnquote && c.unpositioned(n) {
		return c.operator(n, start)
	}
	i := c.p.index(start)
	t := c.p.at(i)
	switch n.FnName.L {
	case tidb.DateLiteral:
		return c.typedLiteral(ast.DateLiteral, i)
	case tidb.TimeLiteral:
		return c.typedLiteral(ast.TimeLiteral, i)
	case tidb.TimestampLiteral:
		return c.typedLiteral(ast.TimestampLiteral, i)
	}
	if lifted := c.p.calls[start]; lifted != nil {
		return c.lifted(n, lifted, start)
	}
	if t.is("INTERVAL") && n.FnName.L == "date_add" { // INTERVAL 5 SECOND + x
		x, end := c.expr(n.Args[0])
		return c.dateArithmetic(n, "+", x, ast.Span{Start: start, End: end})
	}
	call := &ast.Call{Name: strings.ToUpper(t.text)}
	end := t.end
	if c.p.at(i + 1).punct("(") {
		end = c.closed(i + 1)
	}
	for k, arg := range n.Args {
		if _, ok := arg.(*tidb.TimeUnitExpr); ok && k == 2 { // DATE_ADD(x, INTERVAL e unit)
			if c.hasInterval(n.Args[1]) {
				call.Args = append(call.Args[:1], c.interval(n.Args[1], arg)...)
			}
			continue
		}
		call.Args = append(call.Args, c.argument(arg, i))
	}
	call.Span = ast.Span{Start: start, End: end}
	return call, end
}

// unpositioned tells x ->> '$.a' from JSON_UNQUOTE(…): the call inside has no place of its own.
func (c *converter) unpositioned(n *tidb.FuncCallExpr) bool {
	return len(n.Args) == 1 && n.Args[0].OriginTextPosition() == 0
}

// argument copies an argument; words like SECOND or LEADING become strings.
func (c *converter) argument(arg tidb.ExprNode, i int) ast.Expr {
	word := ""
	switch arg := arg.(type) {
	case *tidb.TimeUnitExpr:
		word = arg.Unit.String()
	case *tidb.TrimDirectionExpr:
		word = arg.Direction.String()
	case *tidb.GetFormatSelectorExpr:
		word = arg.Selector.String()
	case tidb.ValueExpr:
		if arg.OriginTextPosition() == 0 { // made up by the grammar: the blank of TRIM(LEADING FROM x), the charset of CONVERT
			if using := c.p.find(i+2, c.p.closer[i+1], "USING"); using > 0 {
				i = using + 1
			}
			return &ast.Literal{Span: c.p.at(i).span(), Kind: ast.StringLiteral, Text: arg.GetString()}
		}
	}
	if word != "" {
		return &ast.Literal{Span: c.p.at(i + 2).span(), Kind: ast.StringLiteral, Text: strings.ToUpper(word)}
	}
	e, _ := c.expr(arg)
	return e
}

// typedLiteral reads DATE 'x', TIME 'x', TIMESTAMP 'x'.
func (c *converter) typedLiteral(kind ast.LiteralKind, i int) (ast.Expr, int) {
	value := c.p.at(i + 1)
	at := ast.Span{Start: c.p.at(i).start, End: value.end}
	return &ast.Literal{Span: at, Kind: kind, Text: value.text}, at.End
}

// lifted puts a call together again with what mask.go took out of it.
func (c *converter) lifted(n *tidb.FuncCallExpr, l *call, start int) (ast.Expr, int) {
	at := ast.Span{Start: start, End: l.end}
	args := c.list(n.Args)
	if l.cast != nil {
		if len(args) != 1 {
			c.p.fail(at, "%s takes one value", l.name)
			return &ast.Literal{}, l.end
		}
		return &ast.Cast{Span: at, X: args[0], Type: *l.cast}, l.end
	}
	if l.fields != nil {
		if len(l.fields) != len(args) {
			c.p.fail(at, "every field of a STRUCT needs a name").WithHint("STRUCT(x AS a, y AS b), or STRUCT('a', x, 'b', y)")
			return &ast.Literal{}, l.end
		}
		named := make([]ast.Expr, 0, 2*len(args))
		for i, x := range args {
			named = append(named, l.fields[i], x)
		}
		args = named
	}
	return &ast.Call{Span: at, Name: l.name, Args: args, Star: l.star, Distinct: l.distinct, Filter: l.filter,
		OrderBy: l.orderBy, Separator: l.sep, Over: l.over}, l.end
}

// operator copies a call that was written as an operator.
func (c *converter) operator(n *tidb.FuncCallExpr, start int) (ast.Expr, int) {
	inner, op := n, ""
	switch n.FnName.L {
	case tidb.Concat:
		op = "||"
	case tidb.JSONExtract:
		op = "->"
	case tidb.JSONUnquote:
		op = "->>"
		inner, _ = n.Args[0].(*tidb.FuncCallExpr)
	}
	if inner == nil || len(inner.Args) < 2 {
		return c.refuse(start, "this expression", "")
	}
	x, end := c.expr(inner.Args[0])
	switch {
	case op == "||":
		y, end := c.expr(n.Args[1])
		return &ast.Binary{Span: ast.Span{Start: start, End: end}, Op: op, X: x, Y: y}, end
	case op != "":
		path := c.tok(c.tok(end).end)
		y := &ast.Literal{Span: path.span(), Kind: ast.StringLiteral, Text: path.text}
		return &ast.Binary{Span: ast.Span{Start: start, End: path.end}, Op: op, X: x, Y: y}, path.end
	case n.FnName.L == "date_add":
		return c.dateArithmetic(n, "+", x, ast.Span{Start: start})
	case n.FnName.L == "date_sub":
		return c.dateArithmetic(n, "-", x, ast.Span{Start: start})
	case n.FnName.L == tidb.JSONMemberOf:
		y, _ := c.expr(n.Args[1])
		open := c.p.index(c.skip(end, "MEMBER", "OF").start)
		end = c.closed(open)
		return &ast.Call{Span: ast.Span{Start: start, End: end}, Name: "JSON_MEMBEROF", Args: []ast.Expr{x, y}}, end
	}
	return c.refuse(start, "this expression", "")
}

// dateArithmetic copies x + INTERVAL e unit: a Binary whose Y is an IntervalLiteral when e is a constant, else
// DATE_ADD(x, e, 'UNIT') or DATE_SUB. at.End is set when x stands behind the interval.
func (c *converter) dateArithmetic(n *tidb.FuncCallExpr, op string, x ast.Expr, at ast.Span) (ast.Expr, int) {
	args := c.interval(n.Args[1], n.Args[2])
	if at.End == 0 {
		_, end := c.expr(n.Args[1])
		at.End = c.tok(end).end
	}
	if len(args) == 1 {
		return &ast.Binary{Span: at, Op: op, X: x, Y: args[0]}, at.End
	}
	return &ast.Call{Span: at, Name: strings.ToUpper(n.FnName.L), Args: append([]ast.Expr{x}, args...)}, at.End
}

// hasInterval tells DATE_ADD(x, INTERVAL e unit) and ADDDATE(x, INTERVAL e unit) from ADDDATE(x, days).
func (c *converter) hasInterval(e tidb.ExprNode) bool {
	i := c.p.index(c.start(e))
	return i > 0 && c.p.at(i-1).is("INTERVAL")
}

// interval is one IntervalLiteral for a constant e, else e and the unit as a string.
func (c *converter) interval(e, unit tidb.ExprNode) []ast.Expr {
	x, end := c.expr(e)
	u, ok := unit.(*tidb.TimeUnitExpr)
	if !ok {
		c.refuse(c.start(e), "this interval", "")
		return []ast.Expr{x}
	}
	word := c.tok(end)
	name := u.Unit.String()
	sign, value := "", x
	if neg, ok := x.(*ast.Unary); ok && neg.Op == "-" {
		sign, value = "-", neg.X
	}
	if l, ok := value.(*ast.Literal); ok && (l.Kind == ast.IntLiteral || l.Kind == ast.DecimalLiteral || l.Kind == ast.StringLiteral && sign == "") {
		keyword := c.p.at(c.p.index(c.start(e)) - 1)
		at := ast.Span{Start: keyword.start, End: word.end}
		return []ast.Expr{&ast.Literal{Span: at, Kind: ast.IntervalLiteral, Text: sign + l.Text, Unit: name}}
	}
	return []ast.Expr{x, &ast.Literal{Span: word.span(), Kind: ast.StringLiteral, Text: name}}
}
