package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// pairs are rows on their way out of a StreamStream: pairs that the residual condition has yet to admit, and rows without
// a match.
type pairs struct {
	out      *vector.Batch
	sides    [2][]*vector.Vector // the columns of out
	residual *op.Evaluator       // nil: none
	next     op.Next
	pass     op.Gather

	lone   []bool // per row of out: it has no match
	kept   []bool
	claims []claim
	key    []byte // of the row at hand
	keys   []byte
	from   int // where the key of the row at hand begins in keys; -1: it is not there yet
}

// claim is a row of an outer side whose fate is decided if row pair of out is a match.
type claim struct {
	pair     int
	side     int
	at       at
	from, to int // its key in keys
}

func newPairs(c *StreamStreamConfig) *pairs {
	cols := append(append([]types.Type(nil), c.Left.Columns...), c.Right.Columns...)
	p := &pairs{out: vector.NewBatch(cols, 0), next: c.Next}
	p.out.Origin = []types.Origin{}
	p.sides[Left], p.sides[Right] = p.out.Cols[:len(c.Left.Columns)], p.out.Cols[len(c.Left.Columns):]
	if c.Residual != nil {
		p.residual = c.Env.NewEvaluator(c.Residual)
	}
	return p
}

// begin says of which key the following pairs are; it is valid until the next begin.
func (p *pairs) begin(key []byte) { p.key, p.from = key, -1 }

// claim notes that the last pair decides the fate of a row of an outer side.
func (p *pairs) claim(side int, row at) {
	if p.from < 0 {
		p.from = len(p.keys)
		p.keys = append(p.keys, p.key...)
	}
	p.claims = append(p.claims, claim{p.out.N - 1, side, row, p.from, p.from + len(p.key)})
}

// add pairs row i of b, on side s, with a stored row of the other side.
func (p *pairs) add(s int, b *vector.Batch, i int, r *stored) error {
	p.take(s, b, i)
	if err := p.read(1-s, r); err != nil {
		return err
	}
	ts, origin := b.Time[i], originOf(b, i)
	if r.ts > ts || r.ts == ts && r.origin.Compare(origin) > 0 {
		ts, origin = r.ts, r.origin
	}
	p.stamp(ts, origin, false)
	return nil
}

// unpaired adds row i of b, on side s, without a match.
func (p *pairs) unpaired(s int, b *vector.Batch, i int) {
	p.take(s, b, i)
	p.lack(1 - s)
	p.stamp(b.Time[i], originOf(b, i), true)
}

// alone adds a stored row of side s without a match.
func (p *pairs) alone(s int, r *stored) error {
	if err := p.read(s, r); err != nil {
		return err
	}
	p.lack(1 - s)
	p.stamp(r.ts, r.origin, true)
	return nil
}

func originOf(b *vector.Batch, i int) types.Origin {
	if b.Origin == nil {
		return types.Origin{}
	}
	return b.Origin[i]
}

func (p *pairs) take(s int, b *vector.Batch, i int) {
	for c, v := range p.sides[s] {
		v.AppendFrom(b.Cols[c], i)
	}
}

func (p *pairs) read(s int, r *stored) error {
	r.row.Row(p.sides[s])
	if r.row.Err() != nil || len(r.row.Rest) > 0 {
		return op.ErrRow
	}
	return nil
}

func (p *pairs) lack(s int) {
	for _, v := range p.sides[s] {
		v.AppendNull()
	}
}

func (p *pairs) stamp(ts int64, o types.Origin, lone bool) {
	p.out.Time = append(p.out.Time, ts)
	p.out.Origin = append(p.out.Origin, o)
	p.out.N++
	p.lone = append(p.lone, lone)
}

func (p *pairs) full() bool { return p.out.N >= op.ChunkRows }

// flush hands on the pairs that are matches and the rows without one, and decides the fates of the rows in the pairs.
func (p *pairs) flush(sides *[2]*buffer) error {
	if p.out.N == 0 {
		return nil
	}
	defer p.reset()
	if err := p.judge(); err != nil {
		return err
	}
	var done [2]claim
	for n, c := range p.claims {
		if last := &done[c.side]; !p.kept[c.pair] || n > 0 && last.at == c.at && last.from == c.from && last.to == c.to {
			continue // the row at hand has many pairs
		}
		done[c.side] = c
		if err := sides[c.side].match(p.keys[c.from:c.to], c.at); err != nil {
			return err
		}
	}
	return p.pass.Push(p.out, p.next)
}

// judge says which rows of out are kept: those for which the residual condition holds, and those without a match.
func (p *pairs) judge() error {
	var cond *vector.Vector
	var bad map[int]error
	if p.residual != nil {
		cond = p.residual.Eval(p.out)[0]
		var err error
		if bad, err = p.residual.Failed(p.out, p.lone); err != nil {
			return err
		}
	}
	p.kept = p.kept[:0]
	for i := range p.out.N {
		keep := p.lone[i] || cond == nil || bad[i] == nil && op.True(cond, i)
		p.kept = append(p.kept, keep)
		if keep {
			p.pass.Rows = append(p.pass.Rows, int32(i))
		}
	}
	return nil
}

func (p *pairs) reset() {
	p.out.Reset()
	p.lone, p.claims, p.keys, p.from = p.lone[:0], p.claims[:0], p.keys[:0], -1
}
