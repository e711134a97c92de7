package parser

import "strings"

// stringEnd finds the end of the quoted text that begins at text[i]: after its closing quote, and whether there is one.
// Back-quoted names know no \ escapes.
func stringEnd(text string, i int) (end int, closed bool) {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote != '`':
			i++
		case text[i] != quote:
		case i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1, true
		}
	}
	return len(text), false
}

func (l *lexer) stringToken(start int) {
	end, closed := stringEnd(l.text, start)
	l.pos = end
	if !closed {
		l.bad(start, start+1, "this string is not closed", "end it with "+l.text[start:start+1])
		return
	}
	l.emit(tokString, start, unescape(l.text[start+1:end-1], l.text[start]))
}

// unescape decodes the inside of a string literal: https://dev.mysql.com/doc/refman/8.0/en/string-literals.html
func unescape(s string, quote byte) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, quote) < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == quote {
			i++ // the second of a doubled quote
		}
		if c != '\\' || i+1 == len(s) {
			b = append(b, c)
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case 'b':
			b = append(b, '\b')
		case '0':
			b = append(b, 0)
		case 'Z':
			b = append(b, 26)
		case '%', '_': // kept for LIKE
			b = append(b, '\\', s[i])
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

func (l *lexer) quotedName(start int) {
	end, closed := stringEnd(l.text, start)
	l.pos = end
	switch {
	case !closed:
		l.bad(start, start+1, "this quoted name is not closed", "end it with `")
	case end-start == 2:
		l.bad(start, end, "a name cannot be empty", "")
	default:
		l.emit(tokQuoted, start, strings.ReplaceAll(l.text[start+1:end-1], "``", "`"))
	}
}

// digitString reads x'41' and b'01'.
func (l *lexer) digitString(start int) {
	end, _ := stringEnd(l.text, start+1)
	digits := strings.TrimSuffix(l.text[start+2:end], "'")
	l.pos = end
	if c := l.text[start]; c == 'b' || c == 'B' {
		if strings.Trim(digits, "01") != "" {
			l.bad(start, end, "a bit literal holds only 0 and 1", "")
			return
		}
		l.emit(tokBit, start, digits)
		return
	}
	if strings.TrimLeft(digits, hexDigits) != "" || len(digits)%2 != 0 || end == start+2 {
		l.bad(start, end, "a hexadecimal literal holds an even number of hexadecimal digits", "")
		return
	}
	l.emit(tokHex, start, digits)
}

const hexDigits = "0123456789abcdefABCDEF"

// number reads 12, 1.5, .5, 1e3, 0x41, 0b01, and names that begin with a digit: 10s.
func (l *lexer) number(start int) {
	if l.afterDot() {
		l.word(start)
		return
	}
	if l.text[start] == '0' && l.prefixed(start) {
		return
	}
	kind := tokInt
	l.digits()
	if l.peek(0) == '.' {
		kind = tokDecimal
		l.pos++
		l.digits()
	}
	if c := l.peek(0); c == 'e' || c == 'E' {
		n := 1
		if s := l.peek(1); s == '+' || s == '-' {
			n = 2
		}
		if isDigit(l.peek(n)) {
			l.pos += n
			l.digits()
			l.emit(tokFloat, start, l.text[start:l.pos])
			return
		}
	}
	if kind == tokInt && l.pos < len(l.text) && isIdent(l.text[l.pos]) && l.text[l.pos] != '$' {
		l.word(start)
		return
	}
	l.emit(kind, start, l.text[start:l.pos])
}

// prefixed reads 0x… and 0b…; false when the text is something else.
func (l *lexer) prefixed(start int) bool {
	kind, alphabet := tokHex, hexDigits
	switch l.peek(1) {
	case 'x', 'X':
	case 'b':
		kind, alphabet = tokBit, "01"
	default:
		return false
	}
	end := start + 2
	for end < len(l.text) && strings.IndexByte(alphabet, l.text[end]) >= 0 {
		end++
	}
	if end == start+2 || end < len(l.text) && isIdent(l.text[end]) {
		return false
	}
	l.pos = end
	digits := l.text[start+2 : end]
	if kind == tokHex && len(digits)%2 != 0 {
		digits = "0" + digits
	}
	l.emit(kind, start, digits)
	return true
}

func (l *lexer) digits() {
	for l.pos < len(l.text) && isDigit(l.text[l.pos]) {
		l.pos++
	}
}
