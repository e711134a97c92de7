package expr

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// match is x LIKE pattern and x REGEXP pattern. Matching is case-sensitive, byte for byte (collation utf8mb4_bin).
type match struct {
	op      string // LIKE, REGEXP
	escape  rune   // LIKE; 0 none
	x, y    Expr
	matcher matcher // of a constant pattern
}

type matcher interface{ match(s []byte) bool }

// NewLike is x LIKE pattern ESCAPE escape. The escape is one character; the caller gives `\` where none was written. With
// an empty one no character escapes.
func NewLike(x, pattern Expr, escape string) (Expr, error) {
	r, size := utf8.DecodeRuneInString(escape)
	if size != len(escape) {
		return nil, fmt.Errorf("ESCAPE %q must be one character", escape)
	}
	if size == 0 {
		r = 0
	}
	return newMatch(&match{op: "LIKE", escape: r, x: x, y: pattern})
}

// NewRegexp is x REGEXP pattern: true when the pattern matches anywhere in x. The syntax is Go's (RE2): no back-references
// and no look-around, in exchange for linear time; differs from MySQL's ICU there.
func NewRegexp(x, pattern Expr) (Expr, error) {
	return newMatch(&match{op: "REGEXP", x: x, y: pattern})
}

func newMatch(m *match) (Expr, error) {
	var err error
	if m.x, err = asText(m.x); err != nil {
		return nil, fmt.Errorf("%s: %w", m.op, err)
	}
	if m.y, err = asText(m.y); err != nil {
		return nil, fmt.Errorf("%s: %w", m.op, err)
	}
	if isNull(m.x) || isNull(m.y) {
		return NullOf(types.TBoolean), nil
	}
	if v, ok := constant(m.y); ok {
		if m.matcher, err = m.compile([]byte(v.S)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *match) compile(pattern []byte) (matcher, error) {
	if m.op == "LIKE" {
		return compileLike(pattern, m.escape), nil
	}
	re, err := newPattern(string(pattern))
	if err != nil {
		return nil, fmt.Errorf("REGEXP %q: %w", pattern, err)
	}
	return regexpMatcher{re}, nil
}

type regexpMatcher struct{ re *pattern }

func (r regexpMatcher) match(s []byte) bool { return r.re.Match(s) }

func (m *match) Type() types.Type { return types.TBoolean }
func (m *match) Inputs() []Expr   { return []Expr{m.x, m.y} }
func (m *match) WithInputs(in []Expr) Expr {
	c := *m
	c.x, c.y = in[0], in[1]
	if _, ok := constant(c.y); !ok {
		c.matcher = nil
	}
	return &c
}

func (m *match) String() string {
	s := "(" + m.x.String() + " " + m.op + " " + m.y.String()
	if m.op == "LIKE" && m.escape != '\\' {
		e := ""
		if m.escape != 0 {
			e = string(m.escape)
		}
		s += " ESCAPE " + types.NewString(e).Literal()
	}
	return s + ")"
}

// lastPattern is the pattern of the previous row, compiled.
type lastPattern struct {
	text []byte
	m    matcher
	err  error
}

func (m *match) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(m)
	x := m.x.Eval(ctx, b)
	out := s.fixed(types.TBoolean, b.N)
	if m.matcher != nil {
		for i := range out.Ints {
			out.Ints[i] = bit(m.matcher.match(x.Bytes.At(i)))
		}
		s.mergeNulls(b.N, operand{x, -1}, operand{})
		return out
	}
	y := ctx.operand(m.y, b)
	last, _ := s.aux.(*lastPattern)
	if last == nil {
		last = &lastPattern{}
		s.aux = last
	}
	for i := range out.Ints {
		out.Ints[i] = 0
		if x.IsNull(i) || y.null(i) {
			continue
		}
		p := y.v.Bytes.At(i & y.mask)
		if last.m == nil && last.err == nil || !bytes.Equal(p, last.text) {
			last.text = append(last.text[:0], p...)
			last.m, last.err = m.compile(p)
		}
		if last.err != nil {
			s.setNull(i)
			ctx.Fail(i, last.err)
			continue
		}
		out.Ints[i] = bit(last.m.match(x.Bytes.At(i)))
	}
	s.mergeNulls(b.N, operand{x, -1}, y)
	return out
}

// likeMatcher is a LIKE pattern as pieces between the %; each piece is matched as early as it can be, which is enough.
type likeMatcher struct {
	pieces [][]likeChar
	open   [2]bool // the pattern begins, ends with %
}

// likeChar is one character of a pattern: _ (any) or its bytes.
type likeChar struct {
	any  bool
	text []byte
}

// Like is a constant pattern of LIKE with MySQL's escape `\`, as a test of texts.
func Like(pattern string) func(text string) bool {
	m := compileLike([]byte(pattern), '\\')
	return func(text string) bool { return m.match([]byte(text)) }
}

// compileLike makes the quickest matcher for a pattern: without _ these are plain comparisons.
func compileLike(pattern []byte, escape rune) matcher {
	l := &likeMatcher{}
	var piece []likeChar
	plain, percents := true, 0
	for len(pattern) > 0 {
		r, size := utf8.DecodeRune(pattern)
		c := pattern[:size]
		pattern = pattern[size:]
		switch {
		case escape != 0 && r == escape && len(pattern) > 0:
			_, size = utf8.DecodeRune(pattern)
			piece = append(piece, likeChar{text: pattern[:size]})
			pattern = pattern[size:]
		case r == '%':
			l.open[0] = l.open[0] || percents == 0 && len(piece) == 0
			l.open[1] = len(pattern) == 0
			percents++
			l.pieces = append(l.pieces, piece)
			piece = nil
		case r == '_':
			plain = false
			piece = append(piece, likeChar{any: true})
		default:
			piece = append(piece, likeChar{text: c})
		}
	}
	l.pieces = append(l.pieces, piece)
	if plain && percents <= 2 {
		if m := plainMatcher(l, percents); m != nil {
			return m
		}
	}
	return l
}

type plainLike struct {
	text []byte
	test func(s, text []byte) bool
}

func (p plainLike) match(s []byte) bool { return p.test(s, p.text) }

func plainMatcher(l *likeMatcher, percents int) matcher {
	var text []byte
	filled := 0
	for _, piece := range l.pieces {
		if len(piece) > 0 {
			filled++
		}
		for _, c := range piece {
			text = append(text, c.text...)
		}
	}
	switch {
	case percents == 0:
		return plainLike{text, bytes.Equal}
	case filled > 1:
		return nil
	case percents == 1 && l.open[1]:
		return plainLike{text, bytes.HasPrefix}
	case percents == 1 && l.open[0]:
		return plainLike{text, bytes.HasSuffix}
	case percents == 2 && l.open[0] && l.open[1]:
		return plainLike{text, bytes.Contains}
	}
	return nil
}

func (l *likeMatcher) match(s []byte) bool {
	first, rest := l.pieces[0], l.pieces[1:]
	n, ok := matchPiece(first, s)
	if !ok {
		return false
	}
	s = s[n:]
	if len(rest) == 0 {
		return len(s) == 0
	}
	for _, piece := range rest[:len(rest)-1] {
		for {
			if n, ok = matchPiece(piece, s); ok {
				s = s[n:]
				break
			}
			if len(s) == 0 {
				return false
			}
			_, size := utf8.DecodeRune(s)
			s = s[size:]
		}
	}
	last := rest[len(rest)-1]
	for {
		if n, ok = matchPiece(last, s); ok && n == len(s) || len(last) == 0 {
			return true
		}
		if len(s) == 0 {
			return false
		}
		_, size := utf8.DecodeRune(s)
		s = s[size:]
	}
}

// matchPiece matches a piece at the start of s and returns its length there.
func matchPiece(piece []likeChar, s []byte) (int, bool) {
	n := 0
	for _, c := range piece {
		if c.any {
			if n == len(s) {
				return 0, false
			}
			_, size := utf8.DecodeRune(s[n:])
			n += size
			continue
		}
		if !bytes.HasPrefix(s[n:], c.text) {
			return 0, false
		}
		n += len(c.text)
	}
	return n, true
}
