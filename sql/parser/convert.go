package parser

import (
	"encoding/hex"
	"strings"

	tidb "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// converter copies TiDB's expressions into ours. TiDB keeps where an expression begins; where it ends comes from the tokens.
type converter struct {
	p     *parser
	shift int // from offsets of the masked text to those of the original
	depth int
}

// maxExprDepth bounds the recursion over an expression: a chain of so many operators.
const maxExprDepth = 20000

func (c *converter) start(n tidb.Node) int { return n.OriginTextPosition() + c.shift }

// tok is the token at a place.
func (c *converter) tok(at int) token { return c.p.at(c.p.index(at)) }

// closed is the end of the bracket whose ( is token i.
func (c *converter) closed(i int) int {
	if !c.p.at(i).punct("(") {
		return c.p.at(i).end
	}
	return c.p.toks[c.p.closer[i]].end
}

// expr copies n; end is where it ends with the brackets around it.
func (c *converter) expr(n tidb.ExprNode) (e ast.Expr, end int) {
	if c.depth++; c.depth > maxExprDepth {
		c.p.fail(c.p.toks[0].span(), "an expression of more than %d operators", maxExprDepth)
	}
	defer func() { c.depth-- }()
	if c.p.err != nil {
		return &ast.Literal{}, 0
	}
	e, end = c.operand(n, c.start(n))
	return c.subscripted(e, end)
}

// operand copies n without the subscripts behind it.
func (c *converter) operand(n tidb.ExprNode, start int) (e ast.Expr, end int) {
	switch n := n.(type) {
	case *tidb.ParenthesesExpr:
		e, _ = c.expr(n.Expr)
		return e, c.closed(c.p.index(start))
	case *tidb.ColumnNameExpr:
		return c.name(start)
	case tidb.ParamMarkerExpr:
		return c.refuse(start, "the parameter ?", "write the value")
	case tidb.ValueExpr:
		return c.literal(start)
	case *tidb.UnaryOperationExpr:
		x, end := c.expr(n.V)
		return &ast.Unary{Span: ast.Span{Start: start, End: end}, Op: unaryOps[n.Op], X: x}, end
	case *tidb.BinaryOperationExpr:
		x, _ := c.expr(n.L)
		y, end := c.expr(n.R)
		return &ast.Binary{Span: ast.Span{Start: start, End: end}, Op: binaryOps[n.Op], X: x, Y: y}, end
	case *tidb.SubqueryExpr:
		q, end := c.query(start)
		return &ast.ScalarSubquery{Span: ast.Span{Start: start, End: end}, Query: q}, end
	case *tidb.FuncCallExpr:
		return c.function(n, start)
	case *tidb.CaseExpr:
		return c.caseExpr(n, start)
	}
	return c.predicate(n, start)
}

var unaryOps = map[opcode.Op]string{opcode.Minus: "-", opcode.Plus: "+", opcode.Not: "NOT", opcode.Not2: "NOT", opcode.BitNeg: "~"}

var binaryOps = map[opcode.Op]string{
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.IntDiv: "DIV", opcode.Mod: "%",
	opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.LE: "<=", opcode.GT: ">", opcode.GE: ">=", opcode.NullEQ: "<=>",
	opcode.LogicAnd: "AND", opcode.LogicOr: "OR", opcode.LogicXor: "XOR",
	opcode.And: "&", opcode.Or: "|", opcode.Xor: "^", opcode.LeftShift: "<<", opcode.RightShift: ">>",
}

// refuse reports what TiDB's grammar has and this dialect has not.
func (c *converter) refuse(start int, feature, hint string) (ast.Expr, int) {
	c.p.unsupported(c.tok(start).span(), feature, hint)
	return &ast.Literal{}, start
}

// name reads a.b.c from the tokens; the masked text has its first part only.
func (c *converter) name(start int) (ast.Expr, int) {
	i := c.p.index(start)
	n := &ast.Name{}
	for {
		t := c.p.at(i)
		n.Parts = append(n.Parts, ast.Ident{Span: t.span(), Name: t.text})
		n.Span = ast.Span{Start: start, End: t.end}
		if !c.p.pathGoesOn(i) {
			return n, t.end
		}
		i += 2
	}
}

// query is the sub-query that stood in the bracket at start.
func (c *converter) query(start int) (ast.Query, int) {
	q, ok := c.p.subs[start].(ast.Query)
	if !ok {
		c.refuse(start, "this sub-query", "")
	}
	return q, c.closed(c.p.index(start))
}

// literal reads a constant from its tokens: TiDB's value has lost its digits.
func (c *converter) literal(start int) (ast.Expr, int) {
	if l, ok := c.p.subs[start].(*ast.Lambda); ok {
		return l, l.End
	}
	i := c.p.index(start)
	t := c.p.at(i)
	lit := &ast.Literal{Text: t.text}
	switch {
	case t.kind == tokString:
		lit.Kind = ast.StringLiteral
		lit.Text, t.end = c.adjacent(i)
	case t.kind == tokInt:
		lit.Kind = ast.IntLiteral
	case t.kind == tokDecimal:
		lit.Kind = ast.DecimalLiteral
	case t.kind == tokFloat:
		lit.Kind = ast.FloatLiteral
	case t.kind == tokHex:
		lit.Kind = ast.HexLiteral
		b, _ := hex.DecodeString(t.text)
		lit.Text = string(b)
	case t.kind == tokBit:
		lit.Kind = ast.HexLiteral
		lit.Text = bitBytes(t.text)
	case t.in("TRUE", "FALSE"):
		lit.Kind, lit.Text = ast.BoolLiteral, strings.ToUpper(t.text)
	case t.is("NULL"):
		lit.Kind, lit.Text = ast.NullLiteral, "NULL"
	case t.in("_utf8", "_utf8mb4", "N") && c.p.at(i+1).kind == tokString:
		lit.Kind = ast.StringLiteral
		lit.Text, t.end = c.adjacent(i + 1)
	case t.is("_binary") && c.p.at(i+1).kind == tokString:
		lit.Kind = ast.HexLiteral
		lit.Text, t.end = c.adjacent(i + 1)
	default:
		return c.refuse(start, "the character set "+t.text, "strings are UTF-8")
	}
	lit.Span = ast.Span{Start: start, End: t.end}
	return lit, t.end
}

// adjacent joins 'a' 'b', which is one string in MySQL.
func (c *converter) adjacent(i int) (string, int) {
	text, end := c.p.at(i).text, c.p.at(i).end
	for i++; c.p.at(i).kind == tokString; i++ {
		text, end = text+c.p.at(i).text, c.p.at(i).end
	}
	return text, end
}

// bitBytes packs binary digits into bytes, the last bit lowest.
func bitBytes(digits string) string {
	digits = strings.Repeat("0", (8-len(digits)%8)%8) + digits
	b := make([]byte, len(digits)/8)
	for i, d := range digits {
		b[i/8] = b[i/8]<<1 | byte(d-'0')
	}
	return string(b)
}

func (c *converter) caseExpr(n *tidb.CaseExpr, start int) (ast.Expr, int) {
	e := &ast.Case{}
	var end int
	if n.Value != nil {
		e.Operand, _ = c.expr(n.Value)
	}
	for _, w := range n.WhenClauses {
		var when ast.When
		when.Cond, _ = c.expr(w.Expr)
		when.Then, end = c.expr(w.Result)
		e.Whens = append(e.Whens, when)
	}
	if n.ElseClause != nil {
		e.Else, end = c.expr(n.ElseClause)
	}
	end = c.tok(end).end // END
	e.Span = ast.Span{Start: start, End: end}
	return e, end
}

func (c *converter) list(nodes []tidb.ExprNode) []ast.Expr {
	if len(nodes) == 0 {
		return nil
	}
	out := make([]ast.Expr, len(nodes))
	for i, n := range nodes {
		out[i], _ = c.expr(n)
	}
	return out
}
