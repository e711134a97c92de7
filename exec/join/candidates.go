package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// candidates are pairs of a TableTable that a residual condition has yet to admit, in the order in which the rows came.
type candidates struct {
	batch    *vector.Batch
	sides    [2][]*vector.Vector
	residual *op.Evaluator
	steps    []step
	bytes    []byte // groups and entries of steps
	group    span
	met      int64 // rows that the row at hand is paired with so far
}

// step is a pair, or the end of the pairs of one row.
type step struct {
	pair  int32 // in batch; -1: the end
	row   int32 // of the input, where it ends
	sign  int64
	times int64 // how often the other row stands
	group span
	entry span // of the other row, or at the end of the row itself
}

type span struct{ from, to int }

func newCandidates(c *TableTableConfig) *candidates {
	cols := append(append([]types.Type(nil), c.Left.Columns...), c.Right.Columns...)
	x := &candidates{batch: vector.NewBatch(cols, 0), residual: c.Env.NewEvaluator(c.Residual)}
	x.sides[Left], x.sides[Right] = x.batch.Cols[:len(c.Left.Columns)], x.batch.Cols[len(c.Left.Columns):]
	return x
}

func (x *candidates) keep(b []byte) span {
	from := len(x.bytes)
	x.bytes = append(x.bytes, b...)
	return span{from, len(x.bytes)}
}

func (x *candidates) at(s span) []byte { return x.bytes[s.from:s.to] }

// collect notes the pairs of the row at hand.
func (j *TableTable) collect() error {
	own, x := j.sides[j.side], j.pairs
	x.group = x.keep(own.group)
	if err := j.sides[1-j.side].standing(own.group, j.found); err != nil {
		return err
	}
	x.steps = append(x.steps, step{pair: -1, row: int32(j.row), sign: j.sign, group: x.group, entry: x.keep(own.entry)})
	return nil
}

// candidate notes a pair. The pairs of a row may be settled in parts.
func (j *TableTable) candidate(r *tableRow) (stop bool, err error) {
	x := j.pairs
	if x.batch.N >= op.ChunkRows {
		if err := j.settle(); err != nil {
			return false, err
		}
		x.group = x.keep(j.sides[j.side].group)
	}
	for c, v := range x.sides[j.side] {
		v.AppendFrom(j.batch.Cols[c], j.row)
	}
	x.steps = append(x.steps, step{pair: int32(x.batch.N), sign: j.sign, times: r.times, group: x.group, entry: x.keep(r.entry)})
	x.batch.Time = append(x.batch.Time, max(j.batch.Time[j.row], r.ts))
	x.batch.N++
	return false, readColumns(r, x.sides[1-j.side])
}

// settle computes the condition for the pairs noted and sends what they change.
func (j *TableTable) settle() error {
	x := j.pairs
	if len(x.steps) == 0 {
		return nil
	}
	var cond *vector.Vector
	var bad map[int]error
	if x.batch.N > 0 {
		cond = x.residual.Eval(x.batch)[0]
		var err error
		if bad, err = x.residual.Failed(x.batch, nil); err != nil {
			return err
		}
	}
	for i := range x.steps {
		s := &x.steps[i]
		var err error
		switch {
		case s.pair < 0:
			err = j.ended(s)
		case bad[int(s.pair)] == nil && op.True(cond, int(s.pair)):
			err = j.admit(s)
		}
		if err != nil {
			return err
		}
	}
	x.batch.Reset()
	x.steps, x.bytes = x.steps[:0], x.bytes[:0]
	return nil
}

// admit sends what a match changes.
func (j *TableTable) admit(s *step) error {
	x, other := j.pairs, j.sides[1-j.side]
	x.met += s.times
	if other.counts {
		before, ok, err := other.bump(x.at(s.group), x.at(s.entry), s.sign)
		if err != nil {
			return err
		}
		if ok && min(before, before+s.sign) == 0 { // its first match, or its last
			r := newTableRow(x.at(s.entry))
			for range s.times {
				if err := j.out.alone(1-j.side, &r, s.sign*other.alone.sign()); err != nil {
					return err
				}
			}
		}
	}
	if j.c.LeftOnly {
		return nil
	}
	for range s.times {
		if err := j.out.copied(x.batch, int(s.pair), s.sign); err != nil {
			return err
		}
	}
	return nil
}

// ended sends a row if it is in the result alone, and stores how many it is paired with.
func (j *TableTable) ended(s *step) error {
	x, own := j.pairs, j.sides[j.side]
	if own.counts {
		if err := own.pair(x.at(s.group), x.at(s.entry), x.met); err != nil {
			return err
		}
	}
	met := x.met > 0
	x.met = 0
	return j.finish(int(s.row), s.sign, met)
}
