package expr

import (
	"bytes"
	"errors"
	"unicode"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/sql/types"
)

func family(name string, list []Function) []Function {
	for i := range list {
		list[i].Family, list[i].Deterministic = name, true
	}
	return list
}

func stringFunctions() []Function {
	length := Function{Name: "LENGTH", Min: 1, Max: 1, Signature: "LENGTH(text) -> BIGINT", Doc: "Length in bytes.",
		Example: "LENGTH('é')", Result: "2", bind: simple(types.TBigInt, func(r *row) error { return r.retInt(int64(len(r.text(0)))) }, asText)}
	charLength := Function{Name: "CHAR_LENGTH", Min: 1, Max: 1, Signature: "CHAR_LENGTH(text) -> BIGINT", Doc: "Length in characters.",
		Example: "CHAR_LENGTH('é')", Result: "1", bind: simple(types.TBigInt, func(r *row) error { return r.retInt(int64(utf8.RuneCount(r.text(0)))) }, asText)}
	upper := Function{Name: "UPPER", Min: 1, Max: 1, Signature: "UPPER(text) -> VARCHAR", Doc: "In upper case.",
		Example: "UPPER('aé')", Result: "AÉ", bind: simple(types.TVarchar, mapped(unicode.ToUpper), asText)}
	lower := Function{Name: "LOWER", Min: 1, Max: 1, Signature: "LOWER(text) -> VARCHAR", Doc: "In lower case.",
		Example: "LOWER('AÉ')", Result: "aé", bind: simple(types.TVarchar, mapped(unicode.ToLower), asText)}
	substring := Function{Name: "SUBSTRING", Min: 2, Max: 3, Signature: "SUBSTRING(text, from [, length]) -> VARCHAR",
		Doc:     "Characters from a position, counted from 1, or from the end when negative.",
		Example: "SUBSTRING('streaming', 2, 4)", Result: "trea", bind: simple(types.TVarchar, substringKernel, asText, asInt)}
	return family("string", []Function{
		length, synonym(length, "OCTET_LENGTH"), charLength, synonym(charLength, "CHARACTER_LENGTH"),
		upper, synonym(upper, "UCASE"), lower, synonym(lower, "LCASE"),
		substring, synonym(substring, "SUBSTR"), synonym(substring, "MID"),
		{Name: "CONCAT", Min: 1, Max: -1, Signature: "CONCAT(x, …) -> VARCHAR", Doc: "All arguments as one text; NULL when one is NULL. Also x || y.",
			Example: "CONCAT('a', 1, 'b')", Result: "a1b", bind: simple(types.TVarchar, concatKernel, asText)},
		{Name: "CONCAT_WS", Min: 2, Max: -1, Signature: "CONCAT_WS(separator, x, …) -> VARCHAR", Doc: "The arguments that are not NULL, with the separator between them.",
			Example: "CONCAT_WS('-', 'a', NULL, 'b')", Result: "a-b", bind: seesNull(types.TVarchar, concatWSKernel, asText)},
		{Name: "TRIM", Min: 1, Max: 3, Signature: "TRIM([BOTH | LEADING | TRAILING] [what FROM] text) -> VARCHAR", Doc: "Without the blanks (or what) at its ends. As a call: TRIM(text, what, 'BOTH').",
			Example: "TRIM('  a ')", Result: "a", bind: bindTrim},
		{Name: "LTRIM", Min: 1, Max: 1, Signature: "LTRIM(text) -> VARCHAR", Doc: "Without blanks at the start.",
			Example: "LTRIM('  a')", Result: "a", bind: simple(types.TVarchar, func(r *row) error { return r.retText(bytes.TrimLeft(r.text(0), " ")) }, asText)},
		{Name: "RTRIM", Min: 1, Max: 1, Signature: "RTRIM(text) -> VARCHAR", Doc: "Without blanks at the end.",
			Example: "RTRIM('a  ')", Result: "a", bind: simple(types.TVarchar, func(r *row) error { return r.retText(bytes.TrimRight(r.text(0), " ")) }, asText)},
		{Name: "LEFT", Min: 2, Max: 2, Signature: "LEFT(text, n) -> VARCHAR", Doc: "The first n characters.",
			Example: "LEFT('stream', 3)", Result: "str", bind: simple(types.TVarchar, func(r *row) error {
				s := r.text(0)
				return r.retText(s[:charOffset(s, r.int(1))])
			}, asText, asInt)},
		{Name: "RIGHT", Min: 2, Max: 2, Signature: "RIGHT(text, n) -> VARCHAR", Doc: "The last n characters.",
			Example: "RIGHT('stream', 3)", Result: "eam", bind: simple(types.TVarchar, func(r *row) error {
				s := r.text(0)
				return r.retText(s[charOffset(s, int64(utf8.RuneCount(s))-max(r.int(1), 0)):])
			}, asText, asInt)},
	})
}

// mapped changes every character, ASCII quickly.
func mapped(f func(rune) rune) func(*row) error {
	return func(r *row) error {
		dst := r.build()
		for s := r.text(0); len(s) > 0; {
			c, size := utf8.DecodeRune(s)
			if c == utf8.RuneError && size == 1 { // not UTF-8: left as it is
				*dst = append(*dst, s[0])
			} else {
				*dst = utf8.AppendRune(*dst, f(c))
			}
			s = s[size:]
		}
		return r.done()
	}
}

// charOffset is where character n of s begins (0 when n <= 0, len(s) when there are fewer).
func charOffset(s []byte, n int64) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return i
}

func substringKernel(r *row) error {
	s, from := r.text(0), r.int(1)
	n := int64(utf8.RuneCount(s))
	if from < 0 {
		from += n + 1
	}
	if from <= 0 || from > n {
		return r.retText(nil)
	}
	s = s[charOffset(s, from-1):]
	if len(r.args) > 2 {
		s = s[:charOffset(s, r.int(2))]
	}
	return r.retText(s)
}

func concatKernel(r *row) error {
	dst := r.build()
	for k := range r.args {
		*dst = append(*dst, r.text(k)...)
	}
	return r.done()
}

func concatWSKernel(r *row) error {
	if r.null(0) {
		return r.retNull()
	}
	dst, first := r.build(), true
	for k := 1; k < len(r.args); k++ {
		if r.null(k) {
			continue
		}
		if !first {
			*dst = append(*dst, r.text(0)...)
		}
		*dst, first = append(*dst, r.text(k)...), false
	}
	return r.done()
}

func bindTrim(f *Function, args []Expr) (Expr, error) {
	side := "BOTH"
	if len(args) == 3 {
		v, ok := constant(args[2])
		if !ok || v.S != "BOTH" && v.S != "LEADING" && v.S != "TRAILING" {
			return nil, errors.New("the third argument must be 'BOTH', 'LEADING' or 'TRAILING'")
		}
		side = v.S
		args = args[:2]
		if isNull(args[1]) { // TRIM(LEADING FROM x)
			args = args[:1]
		}
	}
	return simple(types.TVarchar, func(r *row) error {
		s, what := r.text(0), []byte(" ")
		if len(r.args) > 1 {
			what = r.text(1)
		}
		for side != "TRAILING" && len(what) > 0 && bytes.HasPrefix(s, what) {
			s = s[len(what):]
		}
		for side != "LEADING" && len(what) > 0 && bytes.HasSuffix(s, what) {
			s = s[:len(s)-len(what)]
		}
		return r.retText(s)
	}, asText)(nameTrim(f, side), args)
}

// nameTrim keeps the side in the text of the call.
func nameTrim(f *Function, side string) *Function {
	if side == "BOTH" {
		return f
	}
	g := *f
	g.Name = "TRIM_" + side
	return &g
}
