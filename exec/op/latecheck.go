package op

import (
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// HorizonKind says how an operator downstream judges lateness (semantics S3).
type HorizonKind uint8

// The horizons.
const (
	WindowHorizon HorizonKind = iota // late iff Seen >= end of the last window that holds the row + grace - 1
	AsOfHorizon                      // late iff Seen >= as-of instant + history
	SelfHorizon                      // late iff Seen >= ts
	GraceHorizon                     // late iff Seen >= ts + grace
	TouchHorizon                     // the same, of state that is kept for as long after a row
)

// Horizon is one of them.
type Horizon struct {
	Kind    HorizonKind
	Window  Window
	AsOf    expr.Expr // nil: the row's ts; NULL: never late
	History int64
	Grace   int64
}

// Late is how a late row is reported. Lateness is how much larger (µs) the source's disorder would have to be to keep it.
// A non-nil error stops the query.
type Late func(b *vector.Batch, row, horizon int, lateness int64) error

// LateCheckConfig configures LateCheck.
type LateCheckConfig struct {
	Env      Env
	Horizons []Horizon
	Late     Late // nil: late rows are dropped in silence
	Next     Next
}

// LateCheck drops rows that are late for an operator downstream. It judges by the watermark of the row's own source
// partition just before the row (Batch.Seen), so that the verdict is the same however batches are cut.
type LateCheck struct {
	c    LateCheckConfig
	eval *Evaluator
	asOf []int // horizon -> index of its as-of expression; -1: none
	g    Gather

	reached int64
}

// Reached is the largest closing instant (end + grace − 1 µs) of the windows that accepted rows lie in, and the largest event time of those that touch a state
// for a time, types.Never before the first: where time may stop when the input ends (semantics S8).
func (l *LateCheck) Reached() int64 { return l.reached }

// reach notes an accepted row.
func (l *LateCheck) reach(ts int64) {
	for h := range l.c.Horizons {
		switch x := &l.c.Horizons[h]; x.Kind {
		case WindowHorizon:
			l.reached = max(l.reached, x.Window.Limit(x.Window.Last(ts)))
		case TouchHorizon:
			l.reached = max(l.reached, ts)
		}
	}
}

// NewLateCheck makes a LateCheck.
func NewLateCheck(c LateCheckConfig) *LateCheck {
	l := &LateCheck{c: c, reached: types.Never}
	var exprs []expr.Expr
	for _, h := range c.Horizons {
		at := -1
		if h.Kind == AsOfHorizon && h.AsOf != nil {
			at = len(exprs)
			exprs = append(exprs, h.AsOf)
		}
		l.asOf = append(l.asOf, at)
	}
	l.eval = c.Env.NewEvaluator(exprs...)
	return l
}

// Process drops the late rows of b. A row that is late for any of the horizons contributes nothing to the result: they
// stand in a chain.
func (l *LateCheck) Process(_ int, b *vector.Batch) error {
	switch {
	case b.N == 0:
		return nil
	case b.Seen == nil:
		return l.c.Next.Push(b)
	}
	asOf := l.eval.Eval(b)
	bad, err := l.eval.Failed(b, nil)
	if err != nil {
		return err
	}
	for i := range b.N {
		if _, failed := bad[i]; failed {
			continue
		}
		horizon, lateness := l.judge(b, i, asOf)
		if horizon < 0 {
			l.g.Rows = append(l.g.Rows, int32(i))
			l.reach(b.Time[i])
			continue
		}
		if l.c.Late == nil {
			continue
		}
		if err := l.c.Late(b, i, horizon, lateness); err != nil {
			return err
		}
	}
	return l.g.Push(b, l.c.Next)
}

// judge returns the first horizon for which row i is late, -1: none.
func (l *LateCheck) judge(b *vector.Batch, i int, asOf []*vector.Vector) (horizon int, lateness int64) {
	seen, ts := b.Seen[i], b.Time[i]
	if seen <= types.Never {
		return -1, 0
	}
	for h := range l.c.Horizons {
		x := &l.c.Horizons[h]
		limit := ts
		switch x.Kind {
		case WindowHorizon:
			limit = x.Window.Limit(x.Window.Last(ts))
		case AsOfHorizon:
			if at := l.asOf[h]; at >= 0 {
				if asOf[at].IsNull(i) {
					continue
				}
				limit = asOf[at].Ints[i]
			}
			limit += x.History
		case GraceHorizon, TouchHorizon:
			limit += x.Grace
		}
		if seen >= limit {
			return h, seen - limit + 1
		}
	}
	return -1, 0
}

// Advance hands on m: the check holds nothing back.
func (l *LateCheck) Advance(m Marks) error { return l.c.Next.Advance(m) }
