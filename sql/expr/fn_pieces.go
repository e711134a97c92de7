package expr

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/sql/types"
)

// pieceFunctions put texts together from pieces, choose among texts, and cut them.
func pieceFunctions() []Function {
	return family("string", []Function{
		{Name: "INSERT", Min: 4, Max: 4, Signature: "INSERT(text, from, length, new) -> VARCHAR", Doc: "With the characters from a position replaced by new; unchanged when the position is outside.",
			Example: "INSERT('Quadratic', 3, 4, 'What')", Result: "QuWhattic", bind: simple(types.TVarchar, insertKernel, asText, asInt, asInt, asText)},
		{Name: "ELT", Min: 2, Max: -1, Signature: "ELT(n, a, b, …) -> VARCHAR", Doc: "The n-th text; NULL when there is none.",
			Example: "ELT(2, 'a', 'b')", Result: "b", bind: seesNull(types.TVarchar, eltKernel, asInt, asText)},
		{Name: "FIND_IN_SET", Min: 2, Max: 2, Signature: "FIND_IN_SET(text, list) -> BIGINT", Doc: "Position of text in a list separated by commas, from 1; 0 when it is not there.",
			Example: "FIND_IN_SET('b', 'a,b,c')", Result: "2", bind: simple(types.TBigInt, findInSetKernel, asText)},
		{Name: "STRCMP", Min: 2, Max: 2, Signature: "STRCMP(x, y) -> BIGINT", Doc: "-1 when x sorts before y, 0 when they are equal, else 1.",
			Example: "STRCMP('a', 'b')", Result: "-1", bind: simple(types.TBigInt, func(r *row) error { return r.retInt(int64(bytes.Compare(r.text(0), r.text(1)))) }, asText)},
		{Name: "QUOTE", Min: 1, Max: 1, Signature: "QUOTE(text) -> VARCHAR", Doc: "As a string literal of SQL; the word NULL for NULL.",
			Example: "QUOTE('it''s')", Result: `'it\'s'`, bind: seesNull(types.TVarchar, quoteKernel, asText)},
		{Name: "SOUNDEX", Min: 1, Max: 1, Signature: "SOUNDEX(text) -> VARCHAR", Doc: "How an English word sounds: a letter and three digits or more.",
			Example: "SOUNDEX('Quadratically')", Result: "Q36324", bind: simple(types.TVarchar, soundexKernel, asText)},
		{Name: "INITCAP", Min: 1, Max: 1, Signature: "INITCAP(text) -> VARCHAR", Doc: "The first letter of each word in upper case, the others in lower case.",
			Example: "INITCAP('the o''NEIL way')", Result: "The O'Neil Way", bind: simple(types.TVarchar, initcapKernel, asText)},
		{Name: "TRANSLATE", Min: 3, Max: 3, Signature: "TRANSLATE(text, from, to) -> VARCHAR", Doc: "Each character of from replaced by the one at its place in to, or removed when there is none.",
			Example: "TRANSLATE('2-3_4', '-_', ' ')", Result: "2 34", bind: simple(types.TVarchar, translateKernel, asText)},
		{Name: "SPLIT", Min: 2, Max: 2, Signature: "SPLIT(text, separator) -> ARRAY<VARCHAR>", Doc: "The pieces between the separators; with an empty separator the characters.",
			Example: "SPLIT('a,b,,c', ',')", Result: `["a","b","","c"]`, bind: simple(arrayOf(types.TVarchar), splitKernel, asText)},
		{Name: "SPLIT_PART", Min: 3, Max: 3, Signature: "SPLIT_PART(text, separator, n) -> VARCHAR", Doc: "The n-th piece between the separators, from 1 or from the end when negative; NULL when there is none.",
			Example: "SPLIT_PART('a,b,c', ',', -1)", Result: "c", bind: simple(types.TVarchar, splitPartKernel, asText, asText, asInt)},
		{Name: "MAKE_SET", Min: 2, Max: -1, Signature: "MAKE_SET(bits, a, b, …) -> VARCHAR", Doc: "The texts whose bits are set, separated by commas; NULLs are left out.",
			Example: "MAKE_SET(1 | 4, 'a', 'b', 'c')", Result: "a,c", bind: seesNull(types.TVarchar, makeSetKernel, asBits, asText)},
		{Name: "FORMAT", Min: 2, Max: 3, Signature: "FORMAT(number, digits [, 'en_US']) -> VARCHAR", Doc: "Rounded to digits after the point, with commas between thousands.",
			Example: "FORMAT(12332.1, 4)", Result: "12,332.1000", bind: bindFormat},
	})
}

func insertKernel(r *row) error {
	s, from, length := r.text(0), r.int(1), r.int(2)
	n := int64(utf8.RuneCount(s))
	if from < 1 || from > n {
		return r.retText(s)
	}
	if length < 0 || length > n-from+1 {
		length = n - from + 1
	}
	start := charOffset(s, from-1)
	dst := r.build()
	*dst = append(append(*dst, s[:start]...), r.text(3)...)
	*dst = append(*dst, s[start+charOffset(s[start:], length):]...)
	return r.done()
}

func eltKernel(r *row) error {
	if r.null(0) {
		return r.retNull()
	}
	n := r.int(0)
	if n < 1 || n >= int64(len(r.args)) || r.null(int(n)) {
		return r.retNull()
	}
	return r.retText(r.text(int(n)))
}

func findInSetKernel(r *row) error {
	what, list := r.text(0), r.text(1)
	if bytes.IndexByte(what, ',') >= 0 || len(list) == 0 {
		return r.retInt(0)
	}
	for n := int64(1); ; n++ {
		item, rest, more := bytes.Cut(list, []byte(","))
		if bytes.Equal(item, what) {
			return r.retInt(n)
		}
		if !more {
			return r.retInt(0)
		}
		list = rest
	}
}

func quoteKernel(r *row) error {
	if r.null(0) {
		return r.retText([]byte("NULL"))
	}
	dst := r.build()
	*dst = append(*dst, '\'')
	for _, c := range r.text(0) {
		switch c {
		case '\'', '\\':
			*dst = append(*dst, '\\', c)
		case 0:
			*dst = append(*dst, '\\', '0')
		case 26:
			*dst = append(*dst, '\\', 'Z')
		default:
			*dst = append(*dst, c)
		}
	}
	*dst = append(*dst, '\'')
	return r.done()
}

// soundexCodes are the digits of A to Z; 0 is not coded.
const soundexCodes = "01230120022455012623010202"

// soundexKernel is MySQL's: equal codes next to each other are dropped before vowels, and the result is not cut to four.
func soundexKernel(r *row) error {
	dst, at := r.build(), len(r.out.Bytes.Data)
	last := byte('0')
	for s := r.text(0); len(s) > 0; {
		c, size := utf8.DecodeRune(s)
		s = s[size:]
		if !unicode.IsLetter(c) {
			continue
		}
		c, code := unicode.ToUpper(c), byte('0')
		if c >= 'A' && c <= 'Z' {
			code = soundexCodes[c-'A']
		}
		switch {
		case len(*dst) == at:
			*dst, last = utf8.AppendRune(*dst, c), code
		case code != '0' && code != last:
			*dst, last = append(*dst, code), code
		}
	}
	for len(*dst) > at && len(*dst)-at < 4 {
		*dst = append(*dst, '0')
	}
	return r.done()
}

func initcapKernel(r *row) error {
	dst, inside := r.build(), false
	for s := r.text(0); len(s) > 0; {
		c, size := utf8.DecodeRune(s)
		letter := unicode.IsLetter(c) || unicode.IsDigit(c)
		switch {
		case letter && inside:
			*dst = utf8.AppendRune(*dst, unicode.ToLower(c))
		case letter:
			*dst = utf8.AppendRune(*dst, unicode.ToUpper(c))
		default:
			*dst = append(*dst, s[:size]...)
		}
		inside, s = letter, s[size:]
	}
	return r.done()
}

func translateKernel(r *row) error {
	from, to := r.text(1), r.text(2)
	dst := r.build()
	for s := r.text(0); len(s) > 0; {
		_, size := utf8.DecodeRune(s)
		at := bytes.Index(from, s[:size])
		if at < 0 {
			*dst = append(*dst, s[:size]...)
		} else if rest := to[charOffset(to, int64(utf8.RuneCount(from[:at]))):]; len(rest) > 0 {
			*dst = append(*dst, rest[:charOffset(rest, 1)]...)
		}
		s = s[size:]
	}
	return r.done()
}

func splitKernel(r *row) error {
	s, separator := r.text(0), r.text(1)
	dst := r.build()
	*dst = append(*dst, '[')
	for first := true; ; first = false {
		end, next := charOffset(s, 1), charOffset(s, 1)
		if len(separator) > 0 {
			if end = bytes.Index(s, separator); end < 0 {
				end, next = len(s), len(s)+1
			} else {
				next = end + len(separator)
			}
		} else if len(s) == 0 {
			break
		}
		if !first {
			*dst = append(*dst, ',')
		}
		*dst = appendJSONString(*dst, s[:end])
		if next > len(s) {
			break
		}
		s = s[next:]
	}
	*dst = append(*dst, ']')
	return r.done()
}

func splitPartKernel(r *row) error {
	s, separator, n := r.text(0), r.text(1), r.int(2)
	if n == 0 {
		return errors.New("SPLIT_PART: pieces count from 1, or from the end with -1")
	}
	if len(separator) == 0 {
		if n == 1 || n == -1 {
			return r.retText(s)
		}
		return r.retNull()
	}
	if n < 0 {
		if n += int64(bytes.Count(s, separator)) + 2; n < 1 {
			return r.retNull()
		}
	}
	for ; n > 1; n-- {
		i := bytes.Index(s, separator)
		if i < 0 {
			return r.retNull()
		}
		s = s[i+len(separator):]
	}
	s, _, _ = bytes.Cut(s, separator)
	return r.retText(s)
}

func makeSetKernel(r *row) error {
	if r.null(0) {
		return r.retNull()
	}
	dst, first := r.build(), true
	for bits, k := uint64(r.int(0)), 1; k < len(r.args); bits, k = bits>>1, k+1 {
		if bits&1 == 0 || r.null(k) {
			continue
		}
		if !first {
			*dst = append(*dst, ',')
		}
		*dst, first = append(*dst, r.text(k)...), false
	}
	return r.done()
}

// bindFormat rounds with ROUND, then groups.
func bindFormat(f *Function, args []Expr) (Expr, error) {
	if len(args) == 3 {
		if v, ok := constant(args[2]); !ok || v.S != "en_US" {
			return nil, &UnsupportedError{fmt.Sprintf("FORMAT in the locale %s", args[2]), "leave it out: en_US writes 1,234.50; REPLACE and TRANSLATE change the signs"}
		}
	}
	args, err := convert(args[:2], []param{asNumber, asInt})
	if err != nil {
		return nil, err
	}
	digits := func(r *row) int { return int(min(max(r.int(1), 0), 30)) }
	if args[0].Type().Kind == types.Double {
		return simple(types.TVarchar, func(r *row) error {
			dst, at := r.build(), len(r.out.Bytes.Data)
			n := digits(r)
			x := roundFloat(r.float(0), int64(n), math.RoundToEven)
			*dst = groupThousands(fmt.Appendf(*dst, "%.*f", n, x), at)
			return r.done()
		})(f, args)
	}
	return simple(types.TVarchar, func(r *row) error {
		n := digits(r)
		d, scale := decimalAt(r.args[0].v, r.at(0))
		d, ok := roundDec(d, scale, int64(n), scale, types.Rescale)
		if !ok {
			return errors.New("DECIMAL value is out of range in FORMAT")
		}
		dst, at := r.build(), len(r.out.Bytes.Data)
		*dst = types.AppendDecimal(*dst, d, scale)
		switch {
		case n < int(scale) && n > 0:
			*dst = (*dst)[:len(*dst)-int(scale)+n]
		case n == 0 && scale > 0:
			*dst = (*dst)[:len(*dst)-int(scale)-1]
		case n > int(scale):
			if scale == 0 {
				*dst = append(*dst, '.')
			}
			for range n - int(scale) {
				*dst = append(*dst, '0')
			}
		}
		*dst = groupThousands(*dst, at)
		return r.done()
	})(f, args)
}

// groupThousands puts commas into the number that begins at dst[at].
func groupThousands(dst []byte, at int) []byte {
	if at < len(dst) && dst[at] == '-' {
		at++
	}
	point := bytes.IndexByte(dst[at:], '.')
	if point < 0 {
		point = len(dst) - at
	}
	for i := at + point - 3; i > at; i -= 3 {
		dst = append(dst, 0)
		copy(dst[i+1:], dst[i:])
		dst[i] = ','
	}
	return dst
}
