package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// prober joins released stream rows with the table, a batch at a time.
type prober struct {
	c        *StreamTableConfig
	keys     *matchKeys    // of the batch at hand
	residual *op.Evaluator // nil: none

	key []byte

	g     op.Gather        // stream rows that go out
	match []bool           // per row of g: a version was found
	miss  []bool           // its opposite
	table []*vector.Vector // the table's columns of those rows
	null  []*vector.Vector // the same with NULLs where the residual failed
	out   []*vector.Vector
	pass  op.Gather
}

func newProber(c *StreamTableConfig, keys *matchKeys) *prober {
	p := &prober{c: c, keys: keys}
	if c.Residual != nil {
		p.residual = c.Env.NewEvaluator(c.Residual)
	}
	for _, t := range c.Table {
		p.table = append(p.table, vector.New(t, 0))
		p.null = append(p.null, vector.New(t, 0))
	}
	return p
}

// join hands on the given rows of b, whose keys were computed, joined at the given instants; types.Never matches nothing.
func (p *prober) join(b *vector.Batch, rows []int32, asOf []int64) error {
	for k, i := range rows {
		if p.keys.failed(int(i)) {
			continue
		}
		if err := p.lookup(i, asOf[k]); err != nil {
			return err
		}
	}
	if len(p.g.Rows) == 0 {
		return nil
	}
	defer p.g.Done()
	return p.send(p.g.Take(b))
}

// send hands on stream rows whose versions were taken, one for each in their order.
func (p *prober) send(stream *vector.Batch) error {
	defer p.reset()
	out := *stream
	p.out = append(append(p.out[:0], stream.Cols...), p.table...)
	out.Cols = p.out
	if p.residual == nil {
		return p.c.Next.Push(&out)
	}
	return p.filter(&out)
}

func (p *prober) lookup(i int32, at int64) error {
	var row []byte
	found := false
	if at > types.Never {
		if p.c.Latest {
			at = types.Forever
		}
		p.key = p.keys.append(p.key[:0], int(i))
		var err error
		if row, found, err = p.c.Versions.AsOf(p.key, at); err != nil {
			return err
		}
	}
	goes, err := p.take(row, found)
	if goes {
		p.g.Rows = append(p.g.Rows, i)
	}
	return err
}

// take takes the version that a stream row is joined with, or NULLs when none was found. goes is false for a row that does
// not go out: one without a match, of an inner join.
func (p *prober) take(version []byte, found bool) (goes bool, err error) {
	switch {
	case found:
		rest, err := vector.DecodeRow(version, p.table)
		if err != nil {
			return false, err
		}
		if len(rest) > 0 {
			return false, op.ErrRow
		}
	case p.c.Left:
		for _, v := range p.table {
			v.AppendNull()
		}
	default:
		return false, nil
	}
	p.match, p.miss = append(p.match, found), append(p.miss, !found)
	return true, nil
}

// filter applies the residual condition. A match for which it does not hold is none: an inner join drops the row, a left
// join keeps it with NULLs.
func (p *prober) filter(out *vector.Batch) error {
	cond := p.residual.Eval(out)[0]
	bad, err := p.residual.Failed(out, p.miss)
	if err != nil {
		return err
	}
	unmatched := 0
	for i := range out.N {
		if bad != nil && bad[i] != nil {
			continue
		}
		if p.match[i] && !op.True(cond, i) {
			if !p.c.Left {
				continue
			}
			p.match[i] = false
			unmatched++
		}
		p.pass.Rows = append(p.pass.Rows, int32(i))
	}
	if unmatched > 0 {
		p.blank(out)
	}
	return p.pass.Push(out, p.c.Next)
}

// blank puts NULLs into the table's columns of the rows without a match.
func (p *prober) blank(out *vector.Batch) {
	first := len(out.Cols) - len(p.table)
	for c, v := range p.table {
		n := p.null[c]
		for i := range out.N {
			if p.match[i] {
				n.AppendFrom(v, i)
			} else {
				n.AppendNull()
			}
		}
		out.Cols[first+c] = n
	}
}

func (p *prober) reset() {
	p.match, p.miss = p.match[:0], p.miss[:0]
	for c := range p.table {
		p.table[c].Reset()
		p.null[c].Reset()
	}
}
