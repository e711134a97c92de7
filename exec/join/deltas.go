package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// deltas are changes of a result on their way out.
type deltas struct {
	out   *vector.Batch
	sides [2][]*vector.Vector // the columns of out; none on the right when the result has the left ones only
	next  op.Next
}

func newDeltas(c *TableTableConfig) *deltas {
	cols := append([]types.Type(nil), c.Left.Columns...)
	if !c.LeftOnly {
		cols = append(cols, c.Right.Columns...)
	}
	d := &deltas{out: vector.NewBatch(cols, 0), next: c.Next}
	d.out.Deleted = []bool{}
	d.sides[Left], d.sides[Right] = d.out.Cols[:len(c.Left.Columns)], d.out.Cols[len(c.Left.Columns):]
	return d
}

// pair adds or removes (sign) the pair of row i of b, on side s, and a row of the other side.
func (d *deltas) pair(s int, b *vector.Batch, i int, r *tableRow, sign int64) error {
	d.take(s, b, i)
	if err := d.read(1-s, r); err != nil {
		return err
	}
	return d.stamp(max(b.Time[i], r.ts), sign)
}

// copied adds or removes row i of pairs, whose columns are those of out.
func (d *deltas) copied(pairs *vector.Batch, i int, sign int64) error {
	for c, v := range d.out.Cols {
		v.AppendFrom(pairs.Cols[c], i)
	}
	return d.stamp(pairs.Time[i], sign)
}

// own adds or removes row i of b, on side s, alone.
func (d *deltas) own(s int, b *vector.Batch, i int, sign int64) error {
	d.take(s, b, i)
	d.lack(1 - s)
	return d.stamp(b.Time[i], sign)
}

// alone adds or removes a row of side s alone.
func (d *deltas) alone(s int, r *tableRow, sign int64) error {
	if err := d.read(s, r); err != nil {
		return err
	}
	d.lack(1 - s)
	return d.stamp(r.ts, sign)
}

func (d *deltas) take(s int, b *vector.Batch, i int) {
	for c, v := range d.sides[s] {
		v.AppendFrom(b.Cols[c], i)
	}
}

func (d *deltas) read(s int, r *tableRow) error { return readColumns(r, d.sides[s]) }

func readColumns(r *tableRow, into []*vector.Vector) error {
	in := r.columns()
	in.Row(into)
	if in.Err() != nil || len(in.Rest) > 0 {
		return op.ErrRow
	}
	return nil
}

func (d *deltas) lack(s int) {
	for _, v := range d.sides[s] {
		v.AppendNull()
	}
}

func (d *deltas) stamp(ts, sign int64) error {
	d.out.Time = append(d.out.Time, ts)
	d.out.Deleted = append(d.out.Deleted, sign < 0)
	if d.out.N++; d.out.N < op.ChunkRows {
		return nil
	}
	return d.push()
}

func (d *deltas) push() error {
	if d.out.N == 0 {
		return nil
	}
	err := d.next.Push(d.out)
	d.out.Reset()
	return err
}
