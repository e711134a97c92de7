package json

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Eight bytes at a time: a word's bytes are tested together, and the lowest high bit of the result marks the first hit
// (borrows make false hits above it only).
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks bytes of w that are a quote, a backslash or a control character.
func special(w uint64) uint64 {
	q := w ^ ones*'"'
	b := w ^ ones*'\\'
	return ((q-ones)&^q | (b-ones)&^b | (w-ones*0x20)&^w) & highs
}

// stringEnd returns the index of the closing quote of the string whose text starts at i, and whether there are escapes;
// -1 and the place when the string is not valid JSON. Bytes that are not UTF-8 are accepted here.
func stringEnd(s []byte, i int) (end int, escaped bool, at int) {
	for {
		for i+8 <= len(s) {
			m := special(binary.LittleEndian.Uint64(s[i:]))
			if m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		for i < len(s) && s[i] != '"' && s[i] != '\\' && s[i] >= 0x20 {
			i++
		}
		if i >= len(s) || s[i] < 0x20 {
			return -1, false, i
		}
		if s[i] == '"' {
			return i, escaped, i
		}
		escaped = true
		n := escapeLength(s[i:])
		if n == 0 {
			return -1, false, i
		}
		i += n
	}
}

// escapeLength is the length of the escape at the start of s, 0 when it is none.
func escapeLength(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(s[2:]); ok {
			return 6
		}
	}
	return 0
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape appends the text of a string (without its quotes) that stringEnd accepted. Half a surrogate pair becomes U+FFFD.
func unescape(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			dst = append(dst, s[i])
			i++
			continue
		}
		c := s[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := hex4(s[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if i+2 <= len(s) && s[i] == '\\' && s[i+1] == 'u' {
					low, _ = hex4(s[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for {
		n := plainLength(s)
		dst = append(dst, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			return append(dst, '"')
		}
		n = 1
		switch c := s[0]; {
		case c >= utf8.RuneSelf:
			var r rune
			r, n = utf8.DecodeRune(s)
			dst = utf8.AppendRune(dst, r)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		s = s[n:]
	}
}

// plainLength is the number of leading ASCII bytes of s that need no escape.
func plainLength(s []byte) int {
	i := 0
	for i+8 <= len(s) {
		w := binary.LittleEndian.Uint64(s[i:])
		if m := special(w) | w&highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(s) && s[i] != '"' && s[i] != '\\' && s[i] >= 0x20 && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}
