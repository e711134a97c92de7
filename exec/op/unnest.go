package op

import (
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// UnnestConfig configures Unnest.
type UnnestConfig struct {
	Env  Env
	Expr expr.Expr // an ARRAY, a MAP, or the call of a table function
	// Keep: a row without elements goes on with NULLs in their place, as in a LEFT JOIN.
	Keep bool
	Next Next
}

// Unnest sends a row for each element of an array or a map, or each row of a table function: the input's columns, then those of the element.
// Time, origin, source record and removals stay with the rows.
type Unnest struct {
	c    UnnestConfig
	take expr.Opener
	eval *Evaluator
	cols []types.Field
	rows []int32
}

// NewUnnest makes an Unnest. Errors: the expression has no rows.
func NewUnnest(c UnnestConfig) (*Unnest, error) {
	take, err := expr.NewOpener(c.Expr)
	if err != nil {
		return nil, err
	}
	cols, err := expr.UnnestColumns(c.Expr)
	return &Unnest{c: c, take: take, eval: c.Env.NewEvaluator(), cols: cols}, err
}

// Process opens the rows of b.
func (u *Unnest) Process(_ int, b *vector.Batch) error {
	rows, cols := u.take.Eval(u.eval.Ctx, b)
	bad, err := u.eval.Failed(b, nil)
	if err != nil {
		return err
	}
	if u.c.Keep || bad != nil {
		rows, cols = u.pick(b.N, rows, cols, bad)
	}
	if len(rows) == 0 {
		return nil
	}
	out := b.Select(rows)
	out.Cols = append(out.Cols, cols...)
	return u.c.Next.Push(out)
}

// pick leaves out failed rows, and puts in those without elements where they are kept.
func (u *Unnest) pick(n int, rows []int32, cols []*vector.Vector, bad map[int]error) ([]int32, []*vector.Vector) {
	out := make([]*vector.Vector, len(cols))
	for c, f := range u.cols {
		out[c] = vector.New(f.Type, len(rows))
	}
	u.rows = u.rows[:0]
	at := 0
	for i := range n {
		from := at
		for at < len(rows) && int(rows[at]) == i {
			at++
		}
		if bad[i] != nil {
			continue
		}
		for k := from; k < at; k++ {
			u.rows = append(u.rows, int32(i))
			for c := range out {
				out[c].AppendFrom(cols[c], k)
			}
		}
		if from == at && u.c.Keep {
			u.rows = append(u.rows, int32(i))
			for c := range out {
				out[c].AppendNull()
			}
		}
	}
	return u.rows, out
}

// Advance hands on m: nothing is held back.
func (u *Unnest) Advance(m Marks) error { return u.c.Next.Advance(m) }
