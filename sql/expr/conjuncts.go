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
