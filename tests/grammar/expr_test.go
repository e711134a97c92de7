package grammar

import (
	"fmt"
	"math/rand"
	"strings"
)

// random draws what is tried.
type random struct{ *rand.Rand }

func (r random) chance(percent int) bool { return r.Intn(100) < percent }

func (r random) pick(xs ...int) int { return xs[r.Intn(len(xs))] }

func oneOf[T any](r random, xs ...T) T { return xs[r.Intn(len(xs))] }

// both is a piece of SQL in the two dialects.
type both struct{ ours, theirs string }

// same is a piece that both read alike.
func same(format string, args ...any) both {
	s := fmt.Sprintf(format, args...)
	return both{s, s}
}

// build puts parts into the %s of a format for each dialect.
func build(ours, theirs string, parts ...both) both {
	a, b := make([]any, len(parts)), make([]any, len(parts))
	for i, p := range parts {
		a[i], b[i] = p.ours, p.theirs
	}
	return both{fmt.Sprintf(ours, a...), fmt.Sprintf(theirs, b...)}
}

// list separates parts by commas.
func list(parts []both) both {
	var ours, theirs []string
	for _, p := range parts {
		ours, theirs = append(ours, p.ours), append(theirs, p.theirs)
	}
	return both{strings.Join(ours, ", "), strings.Join(theirs, ", ")}
}

// scope is the columns that an expression may use, by type.
type scope struct{ ints, texts []both }

// number is an integer expression. Values stay far below 64 bits.
func (r random) number(s scope, depth int) both {
	if depth == 0 || r.chance(25) {
		if r.chance(25) {
			return same("%d", r.Intn(40))
		}
		return oneOf(r, s.ints...)
	}
	n := func() both { return r.number(s, depth-1) }
	t := func() both { return r.text(s, depth-1) }
	switch r.Intn(15) {
	case 0:
		return build("(%s + %s)", "(%s + %s)", n(), n())
	case 1:
		return build("(%s - %s)", "(%s - %s)", n(), n())
	case 2:
		return build("(%s * %s)", "(%s * %s)", n(), same("%d", r.Intn(5)))
	case 3:
		return build("(%s DIV %s)", "(%s / %s)", n(), n())
	case 4:
		return build("(%s %% %s)", "(%s %% %s)", n(), n())
	case 5:
		return build("ABS(%s)", "abs(%s)", n())
	case 6:
		return build("(- %s)", "(- %s)", n())
	case 7:
		return build("CHAR_LENGTH(%s)", "length(%s)", t())
	case 8:
		return build("COALESCE(%s, %s)", "coalesce(%s, %s)", n(), n())
	case 9:
		return build("NULLIF(%s, %s)", "nullif(%s, %s)", n(), n())
	case 10:
		return build("CASE WHEN %s THEN %s ELSE %s END", "CASE WHEN %s THEN %s ELSE %s END", r.condition(s, depth-1), n(), n())
	case 11:
		return build("IF(%s, %s, NULL)", "CASE WHEN %s THEN %s END", r.condition(s, depth-1), n())
	case 12:
		return build("GREATEST(%s, %s)", "max(%s, %s)", n(), n())
	case 13:
		return build("LEAST(%s, %s)", "min(%s, %s)", n(), n())
	default:
		return build("INSTR(%s, %s)", "instr(%s, %s)", t(), oneOf(r, same("'1'"), same("'g'"), same("'zz'")))
	}
}

// text is a string expression.
func (r random) text(s scope, depth int) both {
	if depth == 0 || r.chance(30) {
		if r.chance(20) {
			return same("'%s'", oneOf(r, "", "k1", "g2", "it''s", "A"))
		}
		return oneOf(r, s.texts...)
	}
	t := func() both { return r.text(s, depth-1) }
	switch r.Intn(10) {
	case 0:
		return build("CONCAT(%s, %s)", "(%s || %s)", t(), t())
	case 1:
		return build("(%s || %s)", "(%s || %s)", t(), t())
	case 2:
		return build("UPPER(%s)", "upper(%s)", t())
	case 3:
		return build("LOWER(%s)", "lower(%s)", t())
	case 4:
		return build("SUBSTRING(%s, %s, %s)", "substr(%s, %s, %s)", t(), same("%d", 1+r.Intn(3)), same("%d", r.Intn(4)))
	case 5:
		return build("REPLACE(%s, 'k', %s)", "replace(%s, 'k', %s)", t(), same("'%s'", oneOf(r, "", "xy", "g")))
	case 6:
		return build("COALESCE(%s, %s)", "coalesce(%s, %s)", t(), t())
	case 7:
		return build("LEFT(%s, %s)", "substr(%s, 1, %s)", t(), same("%d", r.Intn(3)))
	case 8:
		return build("NULLIF(%s, %s)", "nullif(%s, %s)", t(), t())
	default:
		return build("CASE WHEN %s THEN %s ELSE %s END", "CASE WHEN %s THEN %s ELSE %s END", r.condition(s, depth-1), t(), t())
	}
}

// condition is a condition of three values. Strings compare as their bytes in both dialects.
func (r random) condition(s scope, depth int) both {
	n := func() both { return r.number(s, max(0, depth-1)) }
	t := func() both { return r.text(s, max(0, depth-1)) }
	forms := 9
	if depth > 0 {
		forms = 12
	}
	c := func() both { return r.condition(s, depth-1) }
	switch r.Intn(forms) {
	case 0, 1:
		op := oneOf(r, "=", "<>", "<", "<=", ">", ">=")
		return build("(%s "+op+" %s)", "(%s "+op+" %s)", n(), n())
	case 2:
		op := oneOf(r, "=", "<>", "<", ">=")
		return build("(%s "+op+" %s)", "(%s "+op+" %s)", t(), t())
	case 3:
		return build("(%s IS NULL)", "(%s IS NULL)", n())
	case 4:
		return build("(%s IS NOT NULL)", "(%s IS NOT NULL)", t())
	case 5:
		return build("(%s BETWEEN %s AND %s)", "(%s BETWEEN %s AND %s)", n(), n(), n())
	case 6:
		null := oneOf(r, "", ", NULL")
		not := oneOf(r, "", "NOT ")
		return build("(%s "+not+"IN (%s, %s"+null+"))", "(%s "+not+"IN (%s, %s"+null+"))", n(), n(), n())
	case 7:
		return build("(%s <=> %s)", "(%s IS %s)", t(), t())
	case 8:
		like, glob := oneOf(r, "k%", "%1", "_2", "%"), ""
		glob = strings.NewReplacer("%", "*", "_", "?").Replace(like)
		return build("(%s LIKE '"+strings.ReplaceAll(like, "%", "%%")+"')", "(%s GLOB '"+glob+"')", t())
	case 9:
		return build("(%s AND %s)", "(%s AND %s)", c(), c())
	case 10:
		return build("(%s OR %s)", "(%s OR %s)", c(), c())
	default:
		return build("(NOT %s)", "(NOT %s)", c())
	}
}

// aggregate is an aggregate over what s has, with the type of its result.
func (r random) aggregate(s scope) (x both, text bool) {
	n, t := r.number(s, 1), r.text(s, 1)
	switch r.Intn(10) {
	case 0:
		x = same("COUNT(*)")
	case 1:
		x = build("COUNT(%s)", "COUNT(%s)", n)
	case 2:
		x = build("COUNT(DISTINCT %s)", "COUNT(DISTINCT %s)", oneOf(r, n, t))
	case 3, 4:
		x = build("SUM(%s)", "SUM(%s)", n)
	case 5:
		x = build("MIN(%s)", "MIN(%s)", n)
	case 6:
		x = build("MAX(%s)", "MAX(%s)", n)
	case 7:
		return build("MIN(%s)", "MIN(%s)", t), true
	case 8:
		return build("MAX(%s)", "MAX(%s)", t), true
	default:
		return r.average(s, n), false
	}
	if r.chance(25) {
		x = build("%s FILTER (WHERE %s)", "%s FILTER (WHERE %s)", x, r.condition(s, 1))
	}
	return x, false
}

// average is AVG of integers: a decimal with four digits after the point, rounded half away from zero. SQLite would answer in floating point,
// so it is computed from integers there.
func (r random) average(s scope, n both) both {
	filter := both{}
	if r.chance(25) {
		filter = build(" FILTER (WHERE %s)", " FILTER (WHERE %s)", r.condition(s, 1))
	}
	sum, count := "SUM("+n.theirs+")"+filter.theirs, "COUNT("+n.theirs+")"+filter.theirs
	digits := fmt.Sprintf("(20000 * abs(%s) + %s) / (2 * %s)", sum, count, count)
	theirs := fmt.Sprintf("CASE WHEN %s > 0 THEN CASE WHEN %s < 0 AND %s > 0 THEN '-' ELSE '' END || printf('%%d.%%04d', %s / 10000, %s %% 10000) END",
		count, sum, digits, digits, digits)
	return both{"AVG(" + n.ours + ")" + filter.ours, theirs}
}
