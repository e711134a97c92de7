// Package parser turns text into the statements of sql/ast.
//
// The text is cut into tokens by the rules of TiDB's scanner, and at every ';' into statements. The skeleton of a
// statement (clauses, relations, windows, options: all that TiDB's grammar does not know or reads as something else) is
// read here by recursive descent. Every expression goes to TiDB's parser, on a copy of its text in which what only this
// dialect knows is replaced by blanks or a placeholder of the same length (mask.go); so places in the copy are places in
// the original text. TiDB's tree is copied at once into sql/ast (convert.go): no TiDB type leaves the package.
package parser

import (
	"github.com/streamsql-go/streamsql/sql/ast"
)

// Parse reads a whole script. name is its file name, "" for text typed in. The error is the first mistake, an
// *ast.Error with File and Text filled in; without one every statement is there.
func Parse(name, text string) (*ast.Script, error) {
	script, errs := ParseAll(name, text)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return script, nil
}

// ParseAll reads a whole script and goes on after a mistake at the next ';': it returns the statements that could be
// read and all mistakes, one per statement, in the order of the text.
func ParseAll(name, text string) (*ast.Script, []*ast.Error) {
	script := &ast.Script{Name: name, Text: text}
	var errs []*ast.Error
	toks := lex(text)
	for from, i := 0, 0; i < len(toks); i++ {
		if t := toks[i]; t.kind != tokEOF && !t.punct(";") {
			continue
		}
		if i > from {
			stmt, err := parseStatement(text, toks[from:i], toks[i].start)
			if err != nil {
				errs = append(errs, err.At(name, text))
			} else {
				script.Statements = append(script.Statements, stmt)
			}
		}
		from = i + 1
	}
	return script, errs
}

func parseStatement(text string, toks []token, end int) (ast.Statement, *ast.Error) {
	p := newParser(text, toks, end)
	stmt := p.statement()
	p.expectEnd()
	if p.err != nil {
		return nil, p.err
	}
	return stmt, nil
}
