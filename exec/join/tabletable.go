package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Alone says when a row of a side is in the result by itself.
type Alone uint8

// The cases.
const (
	Never       Alone = iota // only in pairs
	WithoutPair              // as in an outer join, and in an anti join
	WithPair                 // as in a semi join
)

// TableSide is one of two changing inputs.
type TableSide struct {
	Columns []types.Type
	Keys    []expr.Expr // over Columns, of the types of the other side's
	Alone   Alone
	State   op.Sorted
}

// TableTableConfig configures TableTable.
type TableTableConfig struct {
	Env         op.Env
	Left, Right TableSide
	// LeftOnly: the result is rows of the left side alone, without pairs and without the right columns.
	LeftOnly bool
	NullSafe []bool    // per key: <=> instead of =; nil: none
	Residual expr.Expr // over the left columns, then the right ones; nil: none
	Next     op.Next
}

// TableTable keeps the join of two changing inputs, whose rows are additions or removals (vector.Batch.Deleted) of whole
// rows, and sends what changes in it in the same form. A pair has the later event time of its rows. A row that is in the
// result alone leaves it when its first pair comes, or comes into it, and back.
type TableTable struct {
	c     TableTableConfig
	sides [2]*tableRows
	out   *deltas
	pairs *candidates // nil: every pair of a key is a match

	// the row at hand
	side  int
	batch *vector.Batch
	row   int
	sign  int64
	edge  bool // it is the first of its key to stand, or was the last
	met   bool
	found func(r *tableRow) (stop bool, err error)
}

// NewTableTable makes a TableTable.
func NewTableTable(c TableTableConfig) *TableTable {
	j := &TableTable{c: c, out: newDeltas(&c)}
	for i, s := range [2]TableSide{c.Left, c.Right} {
		j.sides[i] = &tableRows{state: s.State, alone: s.Alone, keys: newMatchKeys(c.Env, s.Keys, c.NullSafe), counts: c.Residual != nil && s.Alone != Never}
	}
	j.found = j.pair
	if c.Residual != nil {
		j.pairs, j.found = newCandidates(&c), j.candidate
	}
	return j
}

// Process takes changes of a side.
func (j *TableTable) Process(side int, b *vector.Batch) error {
	j.side, j.batch = side, b
	own := j.sides[side]
	if err := own.keys.eval(b); err != nil {
		return err
	}
	for i := range b.N {
		if own.keys.failed(i) {
			continue
		}
		j.row, j.sign = i, 1
		if b.Deleted != nil && b.Deleted[i] {
			j.sign = -1
		}
		if err := j.change(); err != nil {
			return err
		}
	}
	if j.pairs != nil {
		if err := j.settle(); err != nil {
			return err
		}
	}
	return j.out.push()
}

// change takes the row at hand.
func (j *TableTable) change() error {
	own := j.sides[j.side]
	if own.keys.null(j.row) { // nothing will ever match
		return j.finish(j.row, j.sign, false)
	}
	own.group = own.keys.append(own.group[:0], j.row)
	moved, err := own.apply(j.batch, j.row, j.sign)
	if err != nil || !moved {
		return err
	}
	if j.pairs != nil {
		return j.collect()
	}
	return j.match()
}

// match finds the pairs of the row at hand when every row of its key is one.
func (j *TableTable) match() (err error) {
	own, other := j.sides[j.side], j.sides[1-j.side]
	j.edge = false
	if other.alone != Never {
		if j.edge, err = own.edge(j.sign); err != nil {
			return err
		}
	}
	j.met = false
	if !j.c.LeftOnly || j.edge || own.alone != Never {
		if err := other.standing(own.group, j.found); err != nil {
			return err
		}
	}
	return j.finish(j.row, j.sign, j.met)
}

// pair sends what the row at hand and a standing row of the other side change.
func (j *TableTable) pair(r *tableRow) (stop bool, err error) {
	other := j.sides[1-j.side]
	j.met = true
	if j.edge {
		for range r.times {
			if err := j.out.alone(1-j.side, r, j.sign*other.alone.sign()); err != nil {
				return false, err
			}
		}
	}
	if j.c.LeftOnly {
		return !j.edge, nil
	}
	for range r.times {
		if err := j.out.pair(j.side, j.batch, j.row, r, j.sign); err != nil {
			return false, err
		}
	}
	return false, nil
}

// finish sends a row of the side at hand if it is in the result alone, depending on whether it met another.
func (j *TableTable) finish(row int, sign int64, met bool) error {
	if !j.sides[j.side].alone.holds(met) {
		return nil
	}
	return j.out.own(j.side, j.batch, row, sign)
}

func (a Alone) holds(met bool) bool { return a == WithPair && met || a == WithoutPair && !met }

// sign is how a row's first pair changes its being in the result alone.
func (a Alone) sign() int64 {
	if a == WithoutPair {
		return -1
	}
	return 1
}

// Advance hands on m: changes are not held back.
func (j *TableTable) Advance(m op.Marks) error { return j.c.Next.Advance(m) }
