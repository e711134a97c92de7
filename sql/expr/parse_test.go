package expr

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// reader is a small expression parser for the tests of this package: enough for examples and tables, no more. The real one
// is in sql/parser.
type reader struct {
	tokens []string
	cols   map[string]*Column
}

func lex(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		c := s[i]
		j := i + 1
		switch {
		case c == ' ':
			i++
			continue
		case c == '\'':
			for j < len(s) && (s[j] != '\'' || j+1 < len(s) && s[j+1] == '\'') {
				if s[j] == '\\' || s[j] == '\'' {
					j++
				}
				j++
			}
			j++
		case c >= '0' && c <= '9' || c == '.':
			for j < len(s) && (s[j] >= '0' && s[j] <= '9' || s[j] == '.' || s[j] == 'e' || (s[j] == '-' || s[j] == '+') && s[j-1] == 'e') {
				j++
			}
		case isWord(c):
			for j < len(s) && (isWord(s[j]) || s[j] >= '0' && s[j] <= '9') {
				j++
			}
		default:
			for _, op := range []string{"<=>", "->>", "->", "<=", ">=", "<>", "||", "<<", ">>"} {
				if strings.HasPrefix(s[i:], op) {
					j = i + len(op)
					break
				}
			}
		}
		out = append(out, s[i:j])
		i = j
	}
	return append(out, "")
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func (r *reader) peek() string { return strings.ToUpper(r.tokens[0]) }

func (r *reader) next() string {
	t := r.tokens[0]
	r.tokens = r.tokens[1:]
	return t
}

func (r *reader) accept(t string) bool {
	if r.peek() == t {
		r.next()
		return true
	}
	return false
}

var precedence = map[string]int{"OR": 1, "XOR": 2, "AND": 3, "=": 5, "<>": 5, "<": 5, "<=": 5, ">": 5, ">=": 5, "<=>": 5, "|": 6, "&": 7, "<<": 8,
	">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "DIV": 10, "%": 10, "^": 11, "||": 12, "->": 14, "->>": 14}

func must[E Expr](e E, err error) Expr {
	if err != nil {
		panic(err)
	}
	return e
}

func (r *reader) expr(min int) Expr {
	x := r.prefix()
	for {
		op := r.peek()
		switch {
		case op == "IS" && min <= 5:
			x = r.is(x)
			continue
		case (op == "NOT" || op == "IN" || op == "LIKE" || op == "REGEXP" || op == "BETWEEN") && min <= 5:
			x = r.predicate(x)
			continue
		}
		p, ok := precedence[op]
		if !ok || p < min {
			return x
		}
		r.next()
		x = must(NewBinary(op, x, r.expr(p+1)))
	}
}

func (r *reader) is(x Expr) Expr {
	r.next()
	not := r.accept("NOT")
	what := strings.ToUpper(r.next())
	if what == "NULL" {
		x = must(NewIsNull(x))
	} else {
		x = must(NewIsTruth(x, what))
	}
	if not {
		x = must(NewUnary("NOT", x))
	}
	return x
}

func (r *reader) predicate(x Expr) Expr {
	not := r.accept("NOT")
	switch strings.ToUpper(r.next()) {
	case "IN":
		r.next()
		x = must(NewIn(x, r.list()))
	case "LIKE":
		y := r.expr(6)
		escape := `\`
		if r.accept("ESCAPE") {
			escape = unquote(r.next())
		}
		x = must(NewLike(x, y, escape))
	case "REGEXP":
		x = must(NewRegexp(x, r.expr(6)))
	case "BETWEEN":
		lo := r.expr(6)
		r.next()
		x = must(NewBetween(x, lo, r.expr(6)))
	}
	if not {
		x = must(NewUnary("NOT", x))
	}
	return x
}

func (r *reader) list() []Expr {
	var out []Expr
	for !r.accept(")") {
		out = append(out, r.expr(0))
		r.accept(",")
	}
	return out
}

func unquote(s string) string {
	s = strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\%`, `\%`, `\_`, `\_`, `\n`, "\n", `\"`, `"`).Replace(s)
}

func (r *reader) prefix() Expr {
	switch t := r.peek(); {
	case t == "-" || t == "+" || t == "~":
		r.next()
		return must(NewUnary(t, r.expr(13)))
	case t == "NOT":
		r.next()
		return must(NewUnary(t, r.expr(4)))
	case t == "(":
		r.next()
		x := r.expr(0)
		r.next()
		return x
	case t[0] == '\'':
		return Literal(types.NewString(unquote(r.next())))
	case t[0] >= '0' && t[0] <= '9' || t[0] == '.':
		return must(NumberLiteral(r.next()))
	case t == "CASE":
		return r.caseExpr()
	case t == "INTERVAL":
		r.next()
		n := r.expr(0)
		return must(NewInterval(n, r.next()))
	case t == "CAST":
		r.tokens = r.tokens[2:]
		x := r.expr(0)
		r.next()
		k := typeNamed(r)
		r.next()
		return must(NewCast(x, k))
	}
	return r.word(r.next())
}

func (r *reader) caseExpr() Expr {
	r.next()
	var operand, otherwise Expr
	if r.peek() != "WHEN" {
		operand = r.expr(0)
	}
	var whens []When
	for r.accept("WHEN") {
		c := r.expr(0)
		r.next()
		whens = append(whens, When{c, r.expr(0)})
	}
	if r.accept("ELSE") {
		otherwise = r.expr(0)
	}
	r.next()
	return must(NewCase(operand, whens, otherwise))
}

func typeNamed(r *reader) types.Type {
	name := strings.ToUpper(r.next())
	var args []int
	if r.accept("(") {
		for !r.accept(")") {
			var n int
			fmt.Sscan(r.next(), &n)
			args = append(args, n)
			r.accept(",")
		}
	}
	t := map[string]types.Type{"BIGINT": types.TBigInt, "INT": types.TInt, "TINYINT": {Kind: types.Int, Bits: 8}, "DOUBLE": types.TDouble, "VARCHAR": types.TVarchar,
		"DATE": types.TDate, "TIMESTAMP": {Kind: types.Timestamp}, "TIME": {Kind: types.Time}, "JSON": types.TJSON, "BOOLEAN": types.TBoolean,
		"UBIGINT": types.TUBigInt, "DECIMAL": types.TDecimal(10, 0), "FLOAT": {Kind: types.Double, Bits: 32}}[name]
	switch {
	case name == "DECIMAL" && len(args) == 2:
		return types.TDecimal(args[0], args[1])
	case name == "VARCHAR" && len(args) == 1:
		t.Length = args[0]
	case len(args) == 1:
		t.Precision = uint8(args[0])
	}
	return t
}

func (r *reader) word(w string) Expr {
	upper := strings.ToUpper(w)
	switch {
	case upper == "NULL":
		return NullOf(types.TNull)
	case upper == "TRUE" || upper == "FALSE":
		return Literal(types.NewBool(upper == "TRUE"))
	case strings.HasPrefix(r.tokens[0], "'"):
		t := typeNamed(&reader{tokens: []string{w, ""}})
		t.Precision = 6
		k := must(NewConst(types.NewString(unquote(r.next())), t)).(*Const)
		return Literal(k.Value)
	case r.accept("("):
		return must(NewCall(upper, r.list()))
	case r.cols[w] != nil:
		return r.cols[w]
	}
	panic(fmt.Errorf("no column %s", w))
}

// parse builds an expression; what the constructors refuse is the error.
func parse(sql string, cols map[string]*Column) (e Expr, err error) {
	defer func() {
		if p := recover(); p != nil {
			var ok bool
			if err, ok = p.(error); !ok {
				panic(p)
			}
		}
	}()
	r := &reader{lex(sql), cols}
	e = r.expr(0)
	if r.tokens[0] != "" {
		err = fmt.Errorf("left over: %q in %s", r.tokens, sql)
	}
	return e, err
}

// calc evaluates an expression of constants, and gives its text or its failure.
func calc(t *testing.T, sql string) string {
	t.Helper()
	e, err := parse(sql, nil)
	if err != nil {
		return "refused: " + err.Error()
	}
	ctx := &Ctx{Now: func() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 678_901_000, time.UTC) }}
	v := e.Eval(ctx, &vector.Batch{N: 1})
	if v.Len() != 1 {
		t.Fatalf("%s: %d rows", sql, v.Len())
	}
	if f := ctx.TakeFailed(); f != nil {
		if !v.IsNull(0) {
			t.Errorf("%s: failed and has the value %s", sql, v.Value(0).Text())
		}
		return "failed: " + f[0].Error()
	}
	return v.Value(0).Text()
}
