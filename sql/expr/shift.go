package expr

import "fmt"

// MapColumns is e with every column at the ordinal that to gives for its own; nil for nil.
func MapColumns(e Expr, to func(int) int) Expr {
	if e == nil {
		return nil
	}
	return Rewrite(e, func(x Expr) Expr {
		if c, ok := x.(*Column); ok {
			return &Column{Index: to(c.Index), Name: c.Name, Typ: c.Typ}
		}
		return x
	})
}

// Shift is e with its columns moved by a number of ordinals: into the schema of a join, or out of it.
func Shift(e Expr, by int) Expr { return MapColumns(e, func(i int) int { return i + by }) }

// ShiftAll shifts each of a list.
func ShiftAll(es []Expr, by int) []Expr {
	out := make([]Expr, len(es))
	for i, e := range es {
		out[i] = Shift(e, by)
	}
	return out
}

// Ordinals is e's text with columns written as #ordinal.
func Ordinals(e Expr) string {
	return Rewrite(e, func(x Expr) Expr {
		if c, ok := x.(*Column); ok {
			return &Column{Index: c.Index, Name: fmt.Sprintf("#%d", c.Index), Typ: c.Typ}
		}
		return x
	}).String()
}
