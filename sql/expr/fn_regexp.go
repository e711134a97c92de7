package expr

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/sql/types"
)

func regexpFunctions() []Function {
	return family("regexp", []Function{
		{Name: "REGEXP_LIKE", Min: 2, Max: 3, Signature: "REGEXP_LIKE(text, pattern [, flags]) -> BOOLEAN", Doc: "Whether the pattern matches anywhere; also text REGEXP pattern. Flags: c (default) and i for case, m for lines, n for . to match line ends.",
			Example: "REGEXP_LIKE('Stream', '^s', 'i')", Result: "1", bind: bindRegexp(types.TBoolean, 2, func(r *row, re *pattern) error { return r.retBool(re.Match(r.text(0))) })},
		{Name: "REGEXP_INSTR", Min: 2, Max: 6, Signature: "REGEXP_INSTR(text, pattern [, from [, occurrence [, end [, flags]]]]) -> BIGINT", Doc: "Position of a match, from 1, or with end 1 the one behind it; 0 when there is none.",
			Example: "REGEXP_INSTR('dog cat dog', 'dog', 2)", Result: "9", bind: bindRegexp(types.TBigInt, 5, regexpInstr)},
		{Name: "REGEXP_SUBSTR", Min: 2, Max: 5, Signature: "REGEXP_SUBSTR(text, pattern [, from [, occurrence [, flags]]]) -> VARCHAR", Doc: "The text of a match; NULL when there is none.",
			Example: "REGEXP_SUBSTR('abc def ghi', '[a-z]+', 1, 3)", Result: "ghi", bind: bindRegexp(types.TVarchar, 4, regexpSubstr)},
		{Name: "REGEXP_REPLACE", Min: 3, Max: 6, Signature: "REGEXP_REPLACE(text, pattern, new [, from [, occurrence [, flags]]]) -> VARCHAR", Doc: "With every match (or one) replaced; $1 in new is the first group, \\\\$ a dollar.",
			Example: "REGEXP_REPLACE('a1b22', '([0-9]+)', '<$1>')", Result: "a<1>b<22>", bind: bindRegexp(types.TVarchar, 5, regexpReplace)},
		{Name: "REGEXP_COUNT", Min: 2, Max: 3, Signature: "REGEXP_COUNT(text, pattern [, flags]) -> BIGINT", Doc: "Number of matches, none inside another.",
			Example: "REGEXP_COUNT('banana', 'an')", Result: "2", bind: bindRegexp(types.TBigInt, 2, regexpCount)},
		{Name: "REGEXP_EXTRACT", Min: 2, Max: 3, Signature: "REGEXP_EXTRACT(text, pattern [, group]) -> VARCHAR", Doc: "A group of the first match (0, the default: all of it); NULL when there is none.",
			Example: "REGEXP_EXTRACT('id=42;', 'id=([0-9]+)', 1)", Result: "42", bind: bindRegexp(types.TVarchar, 3, regexpExtract)},
		{Name: "REGEXP_EXTRACT_ALL", Min: 2, Max: 3, Signature: "REGEXP_EXTRACT_ALL(text, pattern [, group]) -> ARRAY<VARCHAR>", Doc: "All matches, or a group of each.",
			Example: "REGEXP_EXTRACT_ALL('a1b22', '[0-9]+')", Result: `["1","22"]`, bind: bindRegexp(arrayOf(types.TVarchar), 3, regexpExtractAll)},
	})
}

// compileRegexp reads a pattern in Go's syntax (RE2) with MySQL's flags. Of contradicting flags the last one counts.
func compileRegexp(text, flags []byte) (*pattern, error) {
	on := map[byte]bool{}
	for _, f := range flags {
		switch f {
		case 'c':
			on['i'] = false
		case 'i':
			on['i'] = true
		case 'm':
			on['m'] = true
		case 'n':
			on['s'] = true
		case 'u': // only \n ends a line: RE2 does not know other ends
		default:
			return nil, fmt.Errorf("flags %q: %q is none; use c, i, m or n", flags, f)
		}
	}
	head := ""
	for _, f := range "ims" {
		if on[byte(f)] {
			head += string(f)
		}
	}
	if head != "" {
		head = "(?" + head + ")"
	}
	re, err := newPattern(head + string(text))
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w; the syntax is RE2's, without back-references and look-around", text, err)
	}
	return re, nil
}

// lastRegexp is the pattern of the previous row, compiled.
type lastRegexp struct {
	pattern, flags []byte
	re             *pattern
	err            error
}

// bindRegexp binds a function of text and pattern whose flags, if it has them, are the argument at flagsAt. Of the other
// arguments the third one of REGEXP_REPLACE is text, the rest are numbers. A constant pattern is compiled here.
func bindRegexp(t types.Type, flagsAt int, kernel func(*row, *pattern) error) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		params := []param{asText, asText, asInt, asInt, asInt, asInt}
		if f.Name == "REGEXP_REPLACE" {
			params[2] = asText
		}
		if flagsAt < len(params) {
			params[flagsAt] = asText
		}
		hasFlags := len(args) > flagsAt
		var fixed *pattern
		pattern, ok := constant(args[1])
		flags, flagsOK := types.Value{}, true
		if hasFlags {
			flags, flagsOK = constant(args[flagsAt])
		}
		if ok && flagsOK && pattern.Kind == types.Varchar {
			var err error
			if fixed, err = compileRegexp([]byte(pattern.S), []byte(flags.S)); err != nil {
				return nil, err
			}
		}
		return simple(t, func(r *row) error {
			if fixed != nil {
				return kernel(r, fixed)
			}
			var flags []byte
			if hasFlags {
				flags = r.text(flagsAt)
			}
			re, err := r.regexp(r.text(1), flags)
			if err != nil {
				return fmt.Errorf("%s: %w", r.fn.Name, err)
			}
			return kernel(r, re)
		}, params...)(f, args)
	}
}

func (r *row) regexp(pattern, flags []byte) (*pattern, error) {
	last, _ := r.s.aux.(*lastRegexp)
	if last == nil {
		last = &lastRegexp{}
		r.s.aux = last
	}
	if last.re == nil && last.err == nil || !bytes.Equal(last.pattern, pattern) || !bytes.Equal(last.flags, flags) {
		last.pattern, last.flags = append(last.pattern[:0], pattern...), append(last.flags[:0], flags...)
		last.re, last.err = compileRegexp(pattern, flags)
	}
	return last.re, last.err
}

// number is an optional argument.
func (r *row) number(arg int, otherwise int64) int64 {
	if arg < len(r.args) {
		return r.int(arg)
	}
	return otherwise
}

// from is the text behind an optional position, argument arg, and where that begins.
func (r *row) from(arg int) (rest []byte, at int, err error) {
	s := r.text(0)
	from := r.number(arg, 1)
	if from < 1 || from > int64(utf8.RuneCount(s))+1 {
		return nil, 0, fmt.Errorf("%s: position %d is outside the text", r.fn.Name, from)
	}
	at = charOffset(s, from-1)
	return s[at:], at, nil
}

// occurrence is the n-th match in s.
func occurrence(re *pattern, s []byte, n int64) []int {
	if n <= 1 {
		return re.FindIndex(s)
	}
	all := re.FindAllIndex(s, int(min(n, 1<<20)))
	if int64(len(all)) < n {
		return nil
	}
	return all[n-1]
}

func regexpInstr(r *row, re *pattern) error {
	rest, at, err := r.from(2)
	if err != nil {
		return err
	}
	end := r.number(4, 0)
	if end != 0 && end != 1 {
		return errors.New("REGEXP_INSTR: the fifth argument is 0 for the start of the match or 1 for its end")
	}
	m := occurrence(re, rest, r.number(3, 1))
	if m == nil {
		return r.retInt(0)
	}
	return r.retInt(int64(utf8.RuneCount(r.text(0)[:at+m[end]])) + 1)
}

func regexpSubstr(r *row, re *pattern) error {
	rest, _, err := r.from(2)
	if err != nil {
		return err
	}
	m := occurrence(re, rest, r.number(3, 1))
	if m == nil {
		return r.retNull()
	}
	return r.retText(rest[m[0]:m[1]])
}

func regexpReplace(r *row, re *pattern) error {
	rest, at, err := r.from(3)
	if err != nil {
		return err
	}
	which := r.number(4, 0)
	dst := r.build()
	*dst = append(*dst, r.text(0)[:at]...)
	limit := -1
	if which > 0 {
		limit = int(min(which, 1<<20))
	}
	done := 0
	for i, m := range re.FindAllSubmatchIndex(rest, limit) {
		if which > 0 && int64(i)+1 != which {
			continue
		}
		*dst = append(*dst, rest[done:m[0]]...)
		if *dst, err = appendReplacement(*dst, r.text(2), rest, m); err != nil {
			return err
		}
		done = m[1]
	}
	*dst = append(*dst, rest[done:]...)
	return r.done()
}

// appendReplacement appends the replacement of a match in ICU's notation: $n is a group, with as many digits as make one; a
// backslash takes the next character as it is.
func appendReplacement(dst, to, s []byte, m []int) ([]byte, error) {
	for i := 0; i < len(to); i++ {
		switch {
		case to[i] == '\\' && i+1 < len(to):
			i++
			dst = append(dst, to[i])
		case to[i] != '$':
			dst = append(dst, to[i])
		default:
			n, digits := 0, 0
			for i+1+digits < len(to) && isDigitByte(to[i+1+digits]) {
				next := n*10 + int(to[i+1+digits]-'0')
				if digits > 0 && next >= len(m)/2 {
					break
				}
				n, digits = next, digits+1
			}
			if digits == 0 || n >= len(m)/2 {
				return dst, fmt.Errorf(`REGEXP_REPLACE: the pattern has %d groups, %q names another; write \$ for a dollar`, len(m)/2-1, to)
			}
			if m[2*n] >= 0 {
				dst = append(dst, s[m[2*n]:m[2*n+1]]...)
			}
			i += digits
		}
	}
	return dst, nil
}

func isDigitByte(c byte) bool { return c >= '0' && c <= '9' }

func regexpCount(r *row, re *pattern) error {
	return r.retInt(int64(len(re.FindAllIndex(r.text(0), -1))))
}

// group is the optional third argument.
func (r *row) group(re *pattern) (int, error) {
	n := r.number(2, 0)
	if n < 0 || n > int64(re.NumSubexp()) {
		return 0, fmt.Errorf("%s: the pattern has no group %d, only %d", r.fn.Name, n, re.NumSubexp())
	}
	return int(n), nil
}

func regexpExtract(r *row, re *pattern) error {
	n, err := r.group(re)
	if err != nil {
		return err
	}
	m := re.FindSubmatchIndex(r.text(0))
	if m == nil || m[2*n] < 0 {
		return r.retNull()
	}
	return r.retText(r.text(0)[m[2*n]:m[2*n+1]])
}

func regexpExtractAll(r *row, re *pattern) error {
	n, err := r.group(re)
	if err != nil {
		return err
	}
	s := r.text(0)
	dst := r.build()
	*dst = append(*dst, '[')
	for i, m := range re.FindAllSubmatchIndex(s, -1) {
		if i > 0 {
			*dst = append(*dst, ',')
		}
		if m[2*n] < 0 {
			*dst = append(*dst, "null"...)
			continue
		}
		*dst = appendJSONString(*dst, s[m[2*n]:m[2*n+1]])
	}
	*dst = append(*dst, ']')
	return r.done()
}
