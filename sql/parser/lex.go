package parser

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer cuts a text into tokens by the rules of TiDB's scanner (pkg/parser/lexer.go), which are MySQL's: '…' and "…" are
// strings with \ escapes and doubled quotes, `…` is a name, "-- ", # and /* */ are comments, a name may begin with a digit.
type lexer struct {
	text string
	pos  int
	toks []token
}

// lex returns the tokens of text, without comments, ending in a tokEOF. Lexical errors are tokens of kind tokBad.
func lex(text string) []token {
	l := &lexer{text: text, toks: make([]token, 0, len(text)/4+2)}
	if strings.HasPrefix(text, "\ufeff") {
		l.pos = len("\ufeff")
	}
	for l.space() {
		l.token()
	}
	l.toks = append(l.toks, token{kind: tokEOF, start: len(text), end: len(text)})
	return l.toks
}

func (l *lexer) emit(kind tokenKind, start int, text string) {
	l.toks = append(l.toks, token{kind: kind, start: start, end: l.pos, text: text})
}

// bad emits a lexical error over [start, end).
func (l *lexer) bad(start, end int, msg, hint string) {
	l.toks = append(l.toks, token{kind: tokBad, start: start, end: end, text: msg + "\n" + hint})
}

// space skips blanks and comments; false at the end of the text.
func (l *lexer) space() bool {
	for l.pos < len(l.text) {
		if isSpace(l.text[l.pos]) {
			l.pos++
			continue
		}
		n, closed := comment(l.text, l.pos)
		if n == 0 {
			return true
		}
		if !closed {
			l.bad(l.pos, l.pos+2, "this comment is not closed", "end it with */")
		} else if body := l.text[l.pos:]; strings.HasPrefix(body, "/*+") {
			l.bad(l.pos, l.pos+n, "optimizer hints are not supported", "remove it")
		} else if strings.HasPrefix(body, "/*!") || strings.HasPrefix(body, "/*T!") {
			l.bad(l.pos, l.pos+n, "comments with code in them are not supported", "write the code itself, or a plain /* comment */")
		}
		l.pos += n
	}
	return false
}

// comment measures the comment that begins at text[i:]: n is 0 when there is none; closed is false for a /* without */.
// A line of a test file that begins with --@ is a directive and skipped too.
func comment(text string, i int) (n int, closed bool) {
	rest := text[i:]
	switch {
	case strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest[2:], "*/"); end >= 0 {
			return end + 4, true
		}
		return len(rest), false
	case strings.HasPrefix(rest, "#"), lineComment(rest), strings.HasPrefix(rest, "--@") && firstOnLine(text, i):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return end + 1, true
		}
		return len(rest), true
	}
	return 0, true
}

func lineComment(s string) bool {
	return strings.HasPrefix(s, "--") && (len(s) == 2 || isSpace(s[2]))
}

func firstOnLine(text string, i int) bool {
	line := strings.TrimPrefix(text[strings.LastIndexByte(text[:i], '\n')+1:i], "\ufeff")
	return strings.Trim(line, " \t\r") == ""
}

func (l *lexer) token() {
	start, c := l.pos, l.text[l.pos]
	switch {
	case c == '\'' || c == '"':
		l.stringToken(start)
	case c == '`':
		l.quotedName(start)
	case isDigit(c):
		l.number(start)
	case c == '.' && l.startsFraction():
		l.number(start)
	case (c == 'x' || c == 'X' || c == 'b' || c == 'B') && l.peek(1) == '\'':
		l.digitString(start)
	case isIdent(c) && !(c == '$' && l.peek(1) == '{'):
		l.word(start)
	case c == '@':
		l.variable(start)
	default:
		l.punct(start)
	}
}

func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.text) {
		return l.text[l.pos+n]
	}
	return 0
}

// afterDot tells whether the next token is the part of a name after its dot: there a digit may begin a name.
func (l *lexer) afterDot() bool {
	n := len(l.toks)
	return n >= 2 && l.toks[n-1].punct(".") && l.toks[n-2].name() && l.toks[n-2].end == l.toks[n-1].start && l.toks[n-1].end == l.pos
}

// startsFraction tells .5 from the dot of a.b.
func (l *lexer) startsFraction() bool {
	n := len(l.toks)
	return isDigit(l.peek(1)) && (n == 0 || !l.toks[n-1].name() || l.toks[n-1].end != l.pos)
}

func (l *lexer) word(start int) {
	for l.pos < len(l.text) && isIdent(l.text[l.pos]) && !(l.text[l.pos] == '$' && l.peek(1) == '{') {
		r, n := utf8.DecodeRuneInString(l.text[l.pos:])
		if r == utf8.RuneError && n <= 1 {
			l.pos++
			l.bad(l.pos-1, l.pos, "this byte is not UTF-8", "save the file as UTF-8")
			return
		}
		if r > unicode.MaxASCII && (unicode.IsSpace(r) || !unicode.IsPrint(r)) {
			l.pos += n
			l.bad(l.pos-n, l.pos, "invisible character "+fmt.Sprintf("U+%04X", r), "replace it by a plain blank, or quote the name with `…`")
			return
		}
		l.pos += n
	}
	l.emit(tokWord, start, l.text[start:l.pos])
}

func (l *lexer) variable(start int) {
	l.pos++
	for l.pos < len(l.text) && (isIdent(l.text[l.pos]) || l.text[l.pos] == '@' || l.text[l.pos] == '.') {
		l.pos++
	}
	l.emit(tokVar, start, l.text[start:l.pos])
}

// operators are those of more than one character, longest first. >> is two tokens: it also closes ARRAY<ARRAY<INT>>.
var operators = []string{"->>", "<=>", "->", "<=", ">=", "<>", "!=", "<<", "||", "&&", ":="}

func (l *lexer) punct(start int) {
	rest := l.text[start:]
	if strings.HasPrefix(rest, "${") {
		end := len(rest)
		if i := strings.IndexByte(rest, '}'); i >= 0 {
			end = i + 1
		}
		l.pos += end
		l.bad(start, l.pos, "variable "+rest[:end]+" is not defined here", "DEFINE it in an earlier statement")
		return
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.pos += len(op)
			l.emit(tokPunct, start, op)
			return
		}
	}
	l.pos++
	if !strings.ContainsRune("()[].,;=<>+-*/%&|^~!?:", rune(rest[0])) {
		l.bad(start, l.pos, "unexpected character "+strconv.QuoteRune(rune(rest[0])), "")
		return
	}
	l.emit(tokPunct, start, rest[:1])
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isIdent(c byte) bool {
	return c == '_' || c == '$' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}
