package expr

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
