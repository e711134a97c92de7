package op

import (
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// ProjectConfig configures Project.
type ProjectConfig struct {
	Env   Env
	Exprs []expr.Expr
	Next  Next
}

// Project computes columns. Time, origin, source record and tombstones stay with the row.
type Project struct {
	c    ProjectConfig
	eval *Evaluator
	g    Gather
}

// NewProject makes a Project.
func NewProject(c ProjectConfig) *Project {
	return &Project{c: c, eval: c.Env.NewEvaluator(c.Exprs...)}
}

// Process computes the columns of b. A row with a column that cannot be computed is reported and dropped.
func (p *Project) Process(_ int, b *vector.Batch) error {
	out := *b
	out.Cols = p.eval.Eval(b)
	// Of a tombstone only the key is there to compute.
	bad, err := p.eval.Failed(b, b.Deleted)
	if err != nil {
		return err
	}
	if bad == nil {
		if b.N == 0 {
			return nil
		}
		return p.c.Next.Push(&out)
	}
	for i := range b.N {
		if _, failed := bad[i]; !failed {
			p.g.Rows = append(p.g.Rows, int32(i))
		}
	}
	return p.g.Push(&out, p.c.Next)
}

// Advance hands on m: a projection holds nothing back.
func (p *Project) Advance(m Marks) error { return p.c.Next.Advance(m) }
