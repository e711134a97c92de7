package expr

// Uncast is e without the casts around it.
func Uncast(e Expr) Expr {
	for {
		c, ok := e.(*cast)
		if !ok {
			return e
		}
		e = c.x
	}
}
