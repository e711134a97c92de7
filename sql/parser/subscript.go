package parser

import "github.com/streamsql-go/streamsql/sql/ast"

// subscript is what stands behind an operand and TiDB's grammar does not know: [key], or .field after a subscript.
type subscript struct {
	key  ast.Expr
	end  int
	read bool // its operand was found
}

// maskSubscript lifts the [key] at token i, and the .field after it; the mask keeps blanks there.
func (p *parser) maskSubscript(i int) int {
	if before := p.toks[max(i-1, 0)]; i == 0 || !before.endsOperand() || before.kind == tokString || before.number() {
		p.unexpectedAt(i, "an expression")
		return i
	}
	end := p.closer[i]
	s := &subscript{end: p.toks[end].end}
	p.subscripts[p.toks[i].start] = s
	p.nested(i+1, end, func() { s.key = p.expr() })
	for end++; p.at(end).punct(".") && p.at(end+1).name(); end += 2 {
		field := p.toks[end+1]
		p.subscripts[p.toks[end].start] = &subscript{
			key: &ast.Literal{Span: field.span(), Kind: ast.StringLiteral, Text: field.text},
			end: field.end,
		}
	}
	return end
}

// subscripted copies the subscripts behind an operand that ends at end: ELEMENT_AT(operand, key).
func (c *converter) subscripted(e ast.Expr, end int) (ast.Expr, int) {
	for c.p.err == nil {
		s := c.p.subscripts[c.tok(end).start]
		if s == nil {
			break
		}
		e = &ast.Call{Span: ast.Span{Start: e.Pos().Start, End: s.end}, Name: "ELEMENT_AT", Args: []ast.Expr{e, s.key}}
		end, s.read = s.end, true
	}
	return e, end
}

// strayBracket fails at the first subscript in [from, to) of the text that stands behind no operand, such as an alias.
func (p *parser) strayBracket(from, to int) {
	first := to
	for at, s := range p.subscripts {
		if !s.read && at >= from && at < first {
			first = at
		}
	}
	if first < to {
		p.unexpectedAt(p.index(first), "")
	}
}
