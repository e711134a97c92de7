package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// tokenKind is the class of a token.
type tokenKind uint8

const (
	tokEOF     tokenKind = iota
	tokWord              // an unquoted name or keyword; 10s and 1m30s too
	tokQuoted            // `name`; text without the back-quotes
	tokString            // 'x' or "x"; text decoded
	tokInt               // 12
	tokDecimal           // 1.2 and .5
	tokFloat             // 1e3
	tokHex               // 0x41 and x'41'; text is the hexadecimal digits
	tokBit               // 0b01 and b'01'; text is the binary digits
	tokVar               // @x and @@x
	tokPunct             // an operator or a bracket
	tokBad               // a lexical error; text is the message, hint follows a newline
)

// token is one lexical element with its place in the text.
type token struct {
	kind       tokenKind
	start, end int
	text       string
}

func (t token) span() ast.Span { return ast.Span{Start: t.start, End: t.end} }

// is tells whether t is the unquoted word w (upper-case), in any case.
func (t token) is(w string) bool { return t.kind == tokWord && strings.EqualFold(t.text, w) }

// in tells whether t is one of the unquoted words.
func (t token) in(words ...string) bool {
	for _, w := range words {
		if t.is(w) {
			return true
		}
	}
	return false
}

// punct tells whether t is the operator or bracket s.
func (t token) punct(s string) bool { return t.kind == tokPunct && t.text == s }

// opens tells whether t is a bracket that must be closed.
func (t token) opens() bool { return t.punct("(") || t.punct("[") }

// name tells whether t is a name, quoted or not.
func (t token) name() bool { return t.kind == tokWord || t.kind == tokQuoted }

// number tells whether t is a numeric literal in decimal notation.
func (t token) number() bool {
	return t.kind == tokInt || t.kind == tokDecimal || t.kind == tokFloat
}

// endsOperand tells whether an operand may end with t, so that a clause word may follow.
func (t token) endsOperand() bool {
	switch t.kind {
	case tokWord:
		return !operatorWords.has(t.text)
	case tokPunct:
		return t.text == ")" || t.text == "]"
	case tokEOF, tokBad:
		return false
	}
	return true
}

// wordSet is a set of upper-case words.
type wordSet map[string]struct{}

func words(list string) wordSet {
	s := wordSet{}
	for w := range strings.FieldsSeq(list) {
		s[w] = struct{}{}
	}
	return s
}

func (s wordSet) has(word string) bool {
	_, ok := s[strings.ToUpper(word)]
	return ok
}

// operatorWords are words that want an operand after them: none of them is a function name or a name that ends an operand.
var operatorWords = words(`AND OR XOR NOT IN LIKE ILIKE REGEXP RLIKE BETWEEN IS DIV CASE WHEN THEN ELSE EXISTS ANY SOME ALL
	BINARY INTERVAL ESCAPE USING FROM FOR AS SEPARATOR DISTINCT COLLATE AGAINST OF ROW SELECT WHERE ON BY HAVING OVER
	FILTER LIMIT VALUES`)
