package expr

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/sql/types"
)

// maxText is the longest text a function builds: 16 MiB.
const maxText = 16 << 20

var errTooLong = errors.New("the result is longer than 16 MiB")

func textFunctions() []Function {
	locate := Function{Name: "LOCATE", Min: 2, Max: 3, Signature: "LOCATE(what, text [, from]) -> BIGINT", Doc: "Position of the first occurrence, counted from 1; 0 when there is none.",
		Example: "LOCATE('a', 'banana', 3)", Result: "4", bind: simple(types.TBigInt, func(r *row) error { return locateKernel(r, r.text(0), r.text(1)) }, asText, asText, asInt)}
	position := Function{Name: "POSITION", Min: 2, Max: 2, Signature: "POSITION(what IN text) -> BIGINT", Doc: "As LOCATE.",
		Example: "POSITION('a' IN 'banana')", Result: "2", bind: locate.bind}
	return family("string", []Function{
		locate, position,
		{Name: "INSTR", Min: 2, Max: 2, Signature: "INSTR(text, what) -> BIGINT", Doc: "LOCATE with its arguments the other way round.",
			Example: "INSTR('banana', 'n')", Result: "3", bind: simple(types.TBigInt, func(r *row) error { return locateKernel(r, r.text(1), r.text(0)) }, asText)},
		{Name: "STARTS_WITH", Min: 2, Max: 2, Signature: "STARTS_WITH(text, prefix) -> BOOLEAN", Doc: "Whether text begins with prefix.",
			Example: "STARTS_WITH('stream', 'str')", Result: "1", bind: simple(types.TBoolean, func(r *row) error { return r.retBool(bytes.HasPrefix(r.text(0), r.text(1))) }, asText)},
		{Name: "ENDS_WITH", Min: 2, Max: 2, Signature: "ENDS_WITH(text, suffix) -> BOOLEAN", Doc: "Whether text ends with suffix.",
			Example: "ENDS_WITH('stream', 'am')", Result: "1", bind: simple(types.TBoolean, func(r *row) error { return r.retBool(bytes.HasSuffix(r.text(0), r.text(1))) }, asText)},
		{Name: "LPAD", Min: 3, Max: 3, Signature: "LPAD(text, n, pad) -> VARCHAR", Doc: "Filled on the left, or cut, to n characters.",
			Example: "LPAD('7', 3, '0')", Result: "007", bind: simple(types.TVarchar, func(r *row) error { return padKernel(r, 0) }, asText, asInt, asText)},
		{Name: "RPAD", Min: 3, Max: 3, Signature: "RPAD(text, n, pad) -> VARCHAR", Doc: "Filled on the right, or cut, to n characters.",
			Example: "RPAD('ab', 5, 'xy')", Result: "abxyx", bind: simple(types.TVarchar, func(r *row) error { return padKernel(r, 1) }, asText, asInt, asText)},
		{Name: "REPLACE", Min: 3, Max: 3, Signature: "REPLACE(text, from, to) -> VARCHAR", Doc: "With every from replaced by to.",
			Example: "REPLACE('banana', 'an', 'o')", Result: "booa", bind: simple(types.TVarchar, replaceKernel, asText)},
		{Name: "REVERSE", Min: 1, Max: 1, Signature: "REVERSE(text) -> VARCHAR", Doc: "Characters in reverse order.",
			Example: "REVERSE('abc')", Result: "cba", bind: simple(types.TVarchar, reverseKernel, asText)},
		{Name: "REPEAT", Min: 2, Max: 2, Signature: "REPEAT(text, n) -> VARCHAR", Doc: "The text n times.",
			Example: "REPEAT('ab', 3)", Result: "ababab", bind: simple(types.TVarchar, repeatKernel, asText, asInt)},
		{Name: "SPACE", Min: 1, Max: 1, Signature: "SPACE(n) -> VARCHAR", Doc: "n blanks.",
			Example: "CONCAT('a', SPACE(2), 'b')", Result: "a  b", bind: simple(types.TVarchar, func(r *row) error {
				if r.int(0) > maxText {
					return errTooLong
				}
				dst := r.build()
				for range max(r.int(0), 0) {
					*dst = append(*dst, ' ')
				}
				return r.done()
			}, asInt)},
		{Name: "ASCII", Min: 1, Max: 1, Signature: "ASCII(text) -> BIGINT", Doc: "Value of the first byte; 0 for the empty text.",
			Example: "ASCII('A')", Result: "65", bind: simple(types.TBigInt, func(r *row) error {
				if s := r.text(0); len(s) > 0 {
					return r.retInt(int64(s[0]))
				}
				return r.retInt(0)
			}, asText)},
		{Name: "SUBSTRING_INDEX", Min: 3, Max: 3, Signature: "SUBSTRING_INDEX(text, delimiter, n) -> VARCHAR", Doc: "What stands before the n-th delimiter; from the end when n is negative.",
			Example: "SUBSTRING_INDEX('www.example.org', '.', -2)", Result: "example.org", bind: simple(types.TVarchar, substringIndexKernel, asText, asText, asInt)},
		{Name: "FIELD", Min: 2, Max: -1, Signature: "FIELD(text, a, b, …) -> BIGINT", Doc: "Which of a, b, … equals text, counted from 1; 0 when none does.",
			Example: "FIELD('b', 'a', 'b')", Result: "2", bind: seesNull(types.TBigInt, func(r *row) error {
				for k := 1; k < len(r.args) && !r.null(0); k++ {
					if !r.null(k) && bytes.Equal(r.text(0), r.text(k)) {
						return r.retInt(int64(k))
					}
				}
				return r.retInt(0)
			}, asText)},
	})
}

func locateKernel(r *row, what, text []byte) error {
	skip := int64(0)
	if len(r.args) > 2 {
		skip = r.int(2) - 1
		if skip < 0 || skip > int64(utf8.RuneCount(text)) {
			return r.retInt(0)
		}
	}
	at := charOffset(text, skip)
	i := bytes.Index(text[at:], what)
	if i < 0 {
		return r.retInt(0)
	}
	return r.retInt(int64(utf8.RuneCount(text[:at+i])) + 1)
}

func padKernel(r *row, right int) error {
	s, n, pad := r.text(0), r.int(1), r.text(2)
	have := int64(utf8.RuneCount(s))
	switch {
	case n < 0:
		return r.retNull()
	case n <= have:
		return r.retText(s[:charOffset(s, n)])
	case len(pad) == 0:
		return r.retText(nil)
	case n > maxText:
		return errTooLong
	}
	dst := r.build()
	if right == 1 {
		*dst = append(*dst, s...)
	}
	size := int64(utf8.RuneCount(pad))
	for missing := n - have; missing > 0; missing -= size {
		*dst = append(*dst, pad[:charOffset(pad, missing)]...)
	}
	if right == 0 {
		*dst = append(*dst, s...)
	}
	return r.done()
}

func replaceKernel(r *row) error {
	s, from, to := r.text(0), r.text(1), r.text(2)
	if len(from) == 0 {
		return r.retText(s)
	}
	dst := r.build()
	for {
		i := bytes.Index(s, from)
		if i < 0 {
			*dst = append(*dst, s...)
			return r.done()
		}
		*dst = append(append(*dst, s[:i]...), to...)
		s = s[i+len(from):]
	}
}

func reverseKernel(r *row) error {
	dst := r.build()
	for s := r.text(0); len(s) > 0; {
		_, size := utf8.DecodeLastRune(s)
		*dst = append(*dst, s[len(s)-size:]...)
		s = s[:len(s)-size]
	}
	return r.done()
}

func repeatKernel(r *row) error {
	s, n := r.text(0), max(r.int(1), 0)
	switch {
	case len(s) == 0:
		return r.retText(nil)
	case n > int64(maxText/len(s)):
		return errTooLong
	}
	dst := r.build()
	for range n {
		*dst = append(*dst, s...)
	}
	return r.done()
}

func substringIndexKernel(r *row) error {
	s, delimiter, n := r.text(0), r.text(1), r.int(2)
	if len(delimiter) == 0 || n == 0 {
		return r.retText(nil)
	}
	if n > 0 {
		for at := 0; ; {
			i := bytes.Index(s[at:], delimiter)
			if i < 0 {
				return r.retText(s)
			}
			if n--; n == 0 {
				return r.retText(s[:at+i])
			}
			at += i + len(delimiter)
		}
	}
	for end := len(s); ; {
		i := bytes.LastIndex(s[:end], delimiter)
		if i < 0 {
			return r.retText(s)
		}
		if n++; n == 0 {
			return r.retText(s[i+len(delimiter):])
		}
		end = i
	}
}
