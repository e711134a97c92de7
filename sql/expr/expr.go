// Package expr holds bound, typed expressions: what the binder makes of the text, what the rules rewrite and what the
// operators evaluate. A function's signature and its kernel stand in one place, one file per family.
package expr

import (
	"time"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Expr is a bound expression. It is immutable and safe for concurrent use; what an evaluation needs besides is in Ctx.
type Expr interface {
	// Type is the type of the result.
	Type() types.Type
	// Eval computes one value per row of b. The result has b.N rows, must not be changed, and is valid until the
	// next Eval of the same node with the same ctx (it may be a column of b itself). A row that cannot be computed (BIGINT out of
	// range, bad cast) is reported with ctx.Fail and NULL in the result.
	Eval(ctx *Ctx, b *vector.Batch) *vector.Vector
	// Inputs are the sub-expressions, WithInputs a copy with others of the same types.
	Inputs() []Expr
	WithInputs(in []Expr) Expr
	// String is canonical: equal strings mean equal expressions over the same input.
	String() string
}

// Ctx is what one operator's evaluations share: the clock of NOW(), and the rows that failed. Not safe for concurrent use.
type Ctx struct {
	Now    func() time.Time
	failed map[int]error
	slots  map[Expr]*slot
	params map[*Param]*vector.Vector // of the lambdas being evaluated
}

// Fail reports that a row could not be computed; the first error of a row stays.
func (c *Ctx) Fail(row int, err error) {
	if c.failed == nil {
		c.failed = map[int]error{}
	}
	if _, ok := c.failed[row]; !ok {
		c.failed[row] = err
	}
}

// TakeFailed returns the failed rows since the last call and forgets them; nil when there are none.
func (c *Ctx) TakeFailed() map[int]error {
	f := c.failed
	c.failed = nil
	return f
}

// Column is a column of the input, by ordinal.
type Column struct {
	Index int
	Name  string // as the user knows it, for messages and EXPLAIN
	Typ   types.Type
}

// Type is the column's type.
func (c *Column) Type() types.Type { return c.Typ }

// Eval returns the column itself.
func (c *Column) Eval(_ *Ctx, b *vector.Batch) *vector.Vector { return b.Cols[c.Index] }

// Inputs is empty.
func (c *Column) Inputs() []Expr { return nil }

// WithInputs returns c.
func (c *Column) WithInputs([]Expr) Expr { return c }

// String is the column's name.
func (c *Column) String() string { return c.Name }

// Walk visits e and its sub-expressions, parents first.
func Walk(e Expr, visit func(Expr)) {
	visit(e)
	for _, x := range e.Inputs() {
		Walk(x, visit)
	}
}

// Rewrite rebuilds e from the leaves up, replacing each node by f(node).
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	in := e.Inputs()
	if len(in) > 0 {
		out := make([]Expr, len(in))
		changed := false
		for i, x := range in {
			out[i] = Rewrite(x, f)
			changed = changed || out[i] != x
		}
		if changed {
			e = e.WithInputs(out)
		}
	}
	return f(e)
}

// Columns are the ordinals of the input columns e reads, in ascending order, each once.
func Columns(e Expr) []int {
	seen := map[int]bool{}
	var out []int
	Walk(e, func(x Expr) {
		if c, ok := x.(*Column); ok && !seen[c.Index] {
			seen[c.Index] = true
			out = append(out, c.Index)
		}
	})
	for i := 1; i < len(out); i++ {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}
