package join

import (
	"bytes"
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// corrector keeps the stream rows that a StreamTable has released, and when a version comes that changes what they were
// joined with, takes the old row back and sends the new one (semantics S5).
//
// A row of as-of instant a is kept until the table has passed a + Correct by strict watermarks: a version read after that has a
// mark R >= a + Correct of its own partition, and is hidden from a by R - Correct >= a. So nothing depends on when a row goes.
type corrector struct {
	c     *StreamTableConfig
	probe *prober
	kept  *buffer

	// the version at hand
	key     []byte
	version op.Version
	found   func(*stored) error

	rows *vector.Batch // stream rows on their way out, taken back or added; their versions are with the prober
}

func newCorrector(c *StreamTableConfig, p *prober) (*corrector, error) {
	kept, err := newBuffer(Side{Columns: c.Stream, State: c.Released}, 0, c.Correct)
	if err != nil {
		return nil, err
	}
	x := &corrector{c: c, probe: p, kept: kept, rows: vector.NewBatch(c.Stream, 0)}
	x.rows.Deleted, x.rows.Origin = []bool{}, []types.Origin{}
	x.found = x.change
	return x, nil
}

// passed is the last instant of which no row can be corrected any more.
func (x *corrector) passed() int64 {
	if p := x.c.Releases.Passed(); p > types.Never {
		return p - x.c.Correct
	}
	return types.Never
}

// keep keeps the given rows of b, the batch whose keys the prober has computed, which were joined at the given instants.
func (x *corrector) keep(b *vector.Batch, rows []int32, asOf []int64) error {
	passed := x.passed()
	for k, i := range rows {
		if asOf[k] <= passed || x.probe.keys.failed(int(i)) { // types.Never: no version matches, ever
			continue
		}
		x.key = x.probe.keys.append(x.key[:0], int(i))
		r := stamp(x.kept.record[:0], asOf[k], originOf(b, int(i)))
		x.kept.record = vector.AppendRow(binary.AppendVarint(r, b.Time[i]-asOf[k]), b.Cols, int(i))
		if _, err := x.kept.place(types.FloorDiv(asOf[k], x.kept.size), x.key); err != nil {
			return err
		}
	}
	return nil
}

// meet changes the kept rows that see v, a version of key that is about to be put, from the one they saw before.
func (x *corrector) meet(key []byte, v op.Version) error {
	from := max(v.TS, v.Visible+1)
	if !x.kept.reaches(from) {
		return nil
	}
	until, err := x.c.Versions.Until(key, v)
	if err != nil || until <= from {
		return err
	}
	x.key, x.version = append(x.key[:0], key...), v
	return x.kept.near(x.key, from, until-1, x.found)
}

// change takes back the join of a kept row and sends the one with the version at hand.
func (x *corrector) change(r *stored) error {
	old, found, err := x.c.Versions.AsOf(x.key, r.ts)
	if err != nil {
		return err
	}
	v := &x.version
	if found == !v.Deleted && (!found || bytes.Equal(old, v.Row)) {
		return nil
	}
	if err := x.add(r, old, found, true); err != nil {
		return err
	}
	if err := x.add(r, v.Row, !v.Deleted, false); err != nil {
		return err
	}
	if x.rows.N < op.ChunkRows {
		return nil
	}
	return x.flush()
}

// add puts a kept row with a version of the table's, if it is in the result with it, on its way out.
func (x *corrector) add(r *stored, version []byte, found, removed bool) error {
	goes, err := x.probe.take(version, found)
	if err != nil || !goes {
		return err
	}
	in := r.row
	later := in.Varint()
	in.Row(x.rows.Cols)
	if in.Err() != nil || len(in.Rest) > 0 {
		return op.ErrRow
	}
	x.rows.Time, x.rows.Origin = append(x.rows.Time, r.ts+later), append(x.rows.Origin, r.origin)
	x.rows.Deleted = append(x.rows.Deleted, removed)
	x.rows.N++
	return nil
}

func (x *corrector) flush() error {
	if x.rows.N == 0 {
		return nil
	}
	defer x.rows.Reset()
	return x.probe.send(x.rows)
}

// forget drops the rows that no version can change any more.
func (x *corrector) forget() error { return x.kept.forget(x.passed()) }

// earliest is an instant before which no row is kept; types.Forever when none is.
func (x *corrector) earliest() int64 {
	if open := x.kept.state.Starts(); len(open) > 0 {
		return open[0] * x.kept.size
	}
	return types.Forever
}
