package op

import (
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// FilterConfig configures Filter.
type FilterConfig struct {
	Env  Env
	Cond expr.Expr
	// Upserts: the rows replace each other by key, so one that fails takes the place of its key as a tombstone (S6).
	Upserts bool
	Next    Next
}

// Filter keeps the rows for which a condition is true.
type Filter struct {
	c    FilterConfig
	eval *Evaluator
	g    Gather
	dels []bool
}

// NewFilter makes a Filter.
func NewFilter(c FilterConfig) *Filter { return &Filter{c: c, eval: c.Env.NewEvaluator(c.Cond)} }

// Process filters b.
func (f *Filter) Process(_ int, b *vector.Batch) error {
	cond := f.eval.Eval(b)[0]
	bad, err := f.eval.Failed(b, b.Deleted)
	if err != nil {
		return err
	}
	if f.c.Upserts {
		return f.upserts(b, cond, bad)
	}
	f.g.Rows = SelectTrue(cond, f.g.Rows)
	f.c.Env.Counters.Filtered += int64(b.N - len(f.g.Rows) - len(bad))
	return f.g.Push(b, f.c.Next)
}

func (f *Filter) upserts(b *vector.Batch, cond *vector.Vector, bad map[int]error) error {
	f.dels = f.dels[:0]
	for i := range b.N {
		if _, failed := bad[i]; !failed {
			f.g.Rows = append(f.g.Rows, int32(i))
		}
		f.dels = append(f.dels, b.Deleted != nil && b.Deleted[i] || !True(cond, i))
	}
	out := *b
	out.Deleted = f.dels
	return f.g.Push(&out, f.c.Next)
}

// Advance hands on m: a filter holds nothing back.
func (f *Filter) Advance(m Marks) error { return f.c.Next.Advance(m) }

// True says whether row i of a condition is true: not NULL and not zero, as in MySQL. Text is never true: the binder
// casts it.
func True(v *vector.Vector, i int) bool {
	if v.IsNull(i) {
		return false
	}
	switch v.Type.Physical() {
	case types.PhysInt:
		return v.Ints[i] != 0
	case types.PhysFloat:
		return v.Floats[i] != 0
	case types.PhysDec:
		return !v.Decs[i].IsZero()
	}
	return false
}

// SelectTrue appends the rows of a condition that are true.
func SelectTrue(v *vector.Vector, rows []int32) []int32 {
	if v.Type.Kind == types.Boolean {
		return expr.SelectTrue(v, rows)
	}
	for i := range v.Len() {
		if True(v, i) {
			rows = append(rows, int32(i))
		}
	}
	return rows
}
