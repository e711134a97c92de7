package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// prober joins released stream rows with the table, a batch at a time.
type prober struct {
	c        *StreamTableConfig
	keys     *op.Evaluator
	residual *op.Evaluator // nil: none

	cols []*vector.Vector // the keys of the batch at hand
	bad  map[int]error
	key  []byte

	g     op.Gather        // stream rows that go out
	match []bool           // per row of g: a version was found
	miss  []bool           // its opposite
	table []*vector.Vector // the table's columns of those rows
	null  []*vector.Vector // the same with NULLs where the residual failed
	out   []*vector.Vector
	pass  op.Gather
}

func newProber(c *StreamTableConfig) *prober {
	p := &prober{c: c, keys: c.Env.NewEvaluator(c.StreamKeys...)}
	if c.Residual != nil {
		p.residual = c.Env.NewEvaluator(c.Residual)
	}
	for _, t := range c.Table {
		p.table = append(p.table, vector.New(t, 0))
		p.null = append(p.null, vector.New(t, 0))
	}
	return p
}

// eval computes the keys of b.
func (p *prober) eval(b *vector.Batch) (err error) {
	p.cols = p.keys.Eval(b)
	p.bad, err = p.keys.Failed(b, nil)
	return err
}

func (p *prober) failed(i int) bool { return p.bad != nil && p.bad[i] != nil }

// nullKey says whether row i has a NULL in a key that = compares, which matches nothing.
func (p *prober) nullKey(i int) bool {
	for k, c := range p.cols {
		if c.IsNull(i) && (p.c.NullSafe == nil || !p.c.NullSafe[k]) {
			return true
		}
	}
	return false
}

// join hands on the given rows of b, whose keys were computed, joined at the given instants; types.Never matches nothing.
func (p *prober) join(b *vector.Batch, rows []int32, asOf []int64) error {
	for k, i := range rows {
		if p.failed(int(i)) {
			continue
		}
		if err := p.lookup(i, asOf[k]); err != nil {
			return err
		}
	}
	if len(p.g.Rows) == 0 {
		return nil
	}
	defer p.reset()
	stream := p.g.Take(b)
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
		p.key = keys.AppendRow(p.key[:0], p.cols, int(i))
		var err error
		if row, found, err = p.c.Versions.AsOf(p.key, at); err != nil {
			return err
		}
	}
	switch {
	case found:
		rest, err := vector.DecodeRow(row, p.table)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return op.ErrRow
		}
	case p.c.Left:
		for _, v := range p.table {
			v.AppendNull()
		}
	default:
		return nil
	}
	p.g.Rows = append(p.g.Rows, i)
	p.match, p.miss = append(p.match, found), append(p.miss, !found)
	return nil
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
	p.g.Done()
	p.match, p.miss = p.match[:0], p.miss[:0]
	for c := range p.table {
		p.table[c].Reset()
		p.null[c].Reset()
	}
}
