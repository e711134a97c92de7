package expr

import "github.com/streamsql-go/streamsql/sql/types"

// Conjuncts are the parts of a condition that must all be true: the operands of its ANDs.
func Conjuncts(e Expr) []Expr {
	l, ok := e.(*logic)
	if !ok || l.op != "AND" {
		return []Expr{e}
	}
	var out []Expr
	for _, x := range l.Inputs() {
		out = append(out, Conjuncts(x)...)
	}
	return out
}

// Equated is the column that a condition compares with constants, as it is: column = c, or column IN (c, …). The condition is true only of rows whose
// column equals one of them; they are as written, of whatever type. False: it is of another form.
func Equated(cond Expr) (column int, values []types.Value, ok bool) {
	switch c := cond.(type) {
	case *compare:
		x, y := c.x, c.y
		if _, turned := y.(*Column); turned {
			x, y = y, x
		}
		col, plain := x.(*Column)
		v, constant := constant(y)
		if !plain || !constant || c.op != "=" && c.op != "<=>" || v.IsNull() {
			return 0, nil, false
		}
		return col.Index, []types.Value{v}, true
	case *in:
		col, plain := c.x.(*Column)
		if !plain {
			return 0, nil, false
		}
		for _, item := range c.list {
			v, isConst := constant(item)
			if !isConst {
				return 0, nil, false
			}
			if !v.IsNull() {
				values = append(values, v)
			}
		}
		return col.Index, values, true
	}
	return 0, nil, false
}

// MayFail says whether computing e can fail for a row. Comparisons and logic over columns cannot; all else is held to.
func MayFail(e Expr) bool {
	switch e.(type) {
	case *Column, *Const, *compare, *logic, *truthTest, *in:
	default:
		return true
	}
	for _, x := range e.Inputs() {
		if MayFail(x) {
			return true
		}
	}
	return false
}

// RejectsNull says whether a condition is never true where a column is NULL: a comparison with it, or IS NOT NULL.
func RejectsNull(cond Expr, column int) bool {
	if c, ok := cond.(*compare); ok {
		return c.op != "<=>" && (isColumnAt(c.x, column) || isColumnAt(c.y, column))
	}
	v, ok := onNull(cond, column)
	return ok && v <= 0
}

func isColumnAt(e Expr, column int) bool {
	c, ok := Uncast(e).(*Column)
	return ok && c.Index == column
}

// onNull is what tests of truth say where a column is NULL: 1, 0, or -1 for NULL; ok false when they read something else.
func onNull(e Expr, column int) (v int64, ok bool) {
	if isColumnAt(e, column) {
		return -1, true
	}
	t, ok := e.(*truthTest)
	if !ok {
		return 0, false
	}
	switch v, ok = onNull(t.x, column); {
	case !ok:
		return 0, false
	case v < 0:
		return t.null, true
	case v == 0:
		return t.zero, true
	}
	return t.nonZero, true
}
