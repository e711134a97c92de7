package op

import (
	"maps"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// ChunkRows is the most rows an operator puts into one batch of its own making: what a closed window or a queue lets go.
const ChunkRows = 4096

// Env is what the operators of a task share.
type Env struct {
	Now      func() time.Time // the clock of NOW()
	Fail     Fail             // nil: failed rows are only counted
	Counters *Counters        // required
}

// Evaluator computes a fixed list of expressions over batches.
type Evaluator struct {
	env   Env
	exprs []expr.Expr
	// Ctx is for evaluations that Eval does not do: Failed reports their failures too.
	Ctx *expr.Ctx
	out []*vector.Vector
}

// NewEvaluator evaluates exprs.
func (e Env) NewEvaluator(exprs ...expr.Expr) *Evaluator {
	return &Evaluator{env: e, exprs: exprs, Ctx: &expr.Ctx{Now: e.Now}, out: make([]*vector.Vector, len(exprs))}
}

// Eval computes all expressions over b. The vectors are valid until the next call.
func (v *Evaluator) Eval(b *vector.Batch) []*vector.Vector {
	for i, x := range v.exprs {
		v.out[i] = x.Eval(v.Ctx, b)
	}
	return v.out
}

// Failed counts and reports the rows of b that could not be computed since the last call, and returns them; nil when there
// are none, which is the rule. Rows for which ignore (nil: none) is true are left out: the operator does not need their
// values.
func (v *Evaluator) Failed(b *vector.Batch, ignore []bool) (map[int]error, error) {
	bad := v.Ctx.TakeFailed()
	if bad == nil {
		return nil, nil
	}
	for _, row := range slices.Sorted(maps.Keys(bad)) {
		if ignore != nil && ignore[row] {
			delete(bad, row)
			continue
		}
		v.env.Counters.BadExpr++
		if v.env.Fail == nil {
			continue
		}
		if err := v.env.Fail(b, row, bad[row]); err != nil {
			return bad, err
		}
	}
	return bad, nil
}

// Gather is an output batch that is used again and again: the chosen rows of an input batch.
type Gather struct {
	out *vector.Batch
	// Rows are the chosen rows, ascending, each once.
	Rows []int32
}

// Push hands the chosen rows of b to next, if there are any, and forgets them.
func (g *Gather) Push(b *vector.Batch, next Next) error {
	if len(g.Rows) == 0 {
		return nil
	}
	err := next.Push(g.Take(b))
	g.Done()
	return err
}

// Take is the chosen rows of b, which it forgets: b itself when they are all of them. It is valid until Done.
func (g *Gather) Take(b *vector.Batch) *vector.Batch {
	rows := g.Rows
	g.Rows = g.Rows[:0]
	if len(rows) == b.N {
		return b
	}
	if g.out == nil {
		g.out = like(b)
	}
	g.out.AppendSelect(b, rows)
	return g.out
}

// Done empties the batch of Take.
func (g *Gather) Done() {
	if g.out != nil {
		g.out.Reset()
	}
}

func like(b *vector.Batch) *vector.Batch {
	out := &vector.Batch{Cols: make([]*vector.Vector, len(b.Cols))}
	for i, c := range b.Cols {
		out.Cols[i] = vector.New(c.Type, 0)
	}
	return out
}
