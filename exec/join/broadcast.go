package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// manyProber joins released stream rows with all rows of a broadcast table that the condition admits: the matches of a row
// one after the other, in the order of their primary keys. Pairs are collected over many rows of the stream, and the
// condition is computed for all of them at once.
type manyProber struct {
	c        *StreamTableConfig
	keys     *matchKeys // of the batch at hand
	index    *index
	residual *op.Evaluator // nil: none
	reads    []int         // the stream's columns in it

	group []byte
	// The pairs: of the stream's columns those that the condition reads, then the table's.
	pairs *vector.Batch
	rows  []int32 // the row of the stream
	alone []bool  // NULLs in place of the table's row, for a row of the stream without a match
	// last is the row whose pairs are being judged, perhaps in parts; met: a match has been found.
	last int32
	met  bool

	pass   []int32 // the pairs that go out
	of     []int32 // their rows of the stream
	stream *vector.Batch
	table  []*vector.Vector
	out    []*vector.Vector
}

func newManyProber(c *StreamTableConfig, keys *matchKeys, index *index) *manyProber {
	p := &manyProber{
		c: c, keys: keys, index: index, stream: vector.NewBatch(c.Stream, 0),
		pairs: vector.NewBatch(append(append([]types.Type(nil), c.Stream...), c.Table...), 0),
	}
	for _, t := range c.Table {
		p.table = append(p.table, vector.New(t, 0))
	}
	if c.Residual == nil {
		return p
	}
	p.residual = c.Env.NewEvaluator(c.Residual)
	for _, i := range expr.Columns(c.Residual) {
		if i < len(c.Stream) {
			p.reads = append(p.reads, i)
		}
	}
	return p
}

// join hands on the given rows of b, whose keys were computed, joined at the given instants; types.Never matches nothing.
func (p *manyProber) join(b *vector.Batch, rows []int32, asOf []int64) error {
	p.last = -1
	for k, i := range rows {
		if p.keys.failed(int(i)) {
			continue
		}
		if err := p.row(b, i, asOf[k]); err != nil {
			return err
		}
	}
	return p.flush(b)
}

// row collects the pairs of a row.
func (p *manyProber) row(b *vector.Batch, i int32, at int64) error {
	if p.pairs.N >= op.ChunkRows {
		if err := p.flush(b); err != nil {
			return err
		}
	}
	found := 0
	if at > types.Never {
		if p.c.Latest {
			at = types.Forever
		}
		p.group = p.keys.append(p.group[:0], int(i))
		r, err := p.index.validAt(p.group, at)
		if err != nil {
			return err
		}
		for found = 0; found < r.n; {
			n := min(r.n-found, op.ChunkRows-p.pairs.N)
			p.pair(i, b, r, found, n)
			if found += n; p.pairs.N >= op.ChunkRows {
				if err := p.flush(b); err != nil {
					return err
				}
			}
		}
	}
	if p.c.Left && (found == 0 || p.residual != nil) {
		p.lone(i, b)
	}
	return nil
}

func (p *manyProber) tableColumns() []*vector.Vector { return p.pairs.Cols[len(p.c.Stream):] }

// pair pairs row i of b with n rows of the table.
func (p *manyProber) pair(i int32, b *vector.Batch, r *validRows, from, n int) {
	for c, v := range p.tableColumns() {
		if n == r.n {
			v.AppendAll(r.cols[c])
		} else {
			v.AppendAll(r.cols[c].Slice(from, from+n))
		}
	}
	p.beside(i, b, n, false)
}

// lone adds row i of b without a row of the table.
func (p *manyProber) lone(i int32, b *vector.Batch) {
	for _, v := range p.tableColumns() {
		v.AppendNull()
	}
	p.beside(i, b, 1, true)
}

// beside puts row i of b beside n rows of the table.
func (p *manyProber) beside(i int32, b *vector.Batch, n int, alone bool) {
	at := len(p.rows)
	for range n {
		p.rows, p.alone = append(p.rows, i), append(p.alone, alone)
	}
	p.pairs.N += n
	if p.residual == nil {
		return
	}
	same := p.rows[at:]
	for _, c := range p.reads {
		p.pairs.Cols[c].AppendSelect(b.Cols[c], same)
	}
	for range n {
		p.pairs.Time = append(p.pairs.Time, b.Time[i])
	}
	if b.Origin != nil { // for rows that cannot be computed
		for range n {
			p.pairs.Origin = append(p.pairs.Origin, b.Origin[i])
		}
	}
}

// flush hands on the pairs that are matches, and the rows of b without one.
func (p *manyProber) flush(b *vector.Batch) error {
	if p.pairs.N == 0 {
		return nil
	}
	defer p.reset()
	if err := p.judge(); err != nil || len(p.pass) == 0 {
		return err
	}
	for _, k := range p.pass {
		p.of = append(p.of, p.rows[k])
	}
	p.stream.AppendSelect(b, p.of)
	p.out = append(p.out[:0], p.stream.Cols...)
	for c, v := range p.tableColumns() {
		p.table[c].AppendSelect(v, p.pass)
		p.out = append(p.out, p.table[c])
	}
	out := *p.stream
	out.Cols = p.out
	return p.c.Next.Push(&out)
}

// judge chooses the pairs for which the condition holds, and the rows without such a pair. One for which it cannot be
// computed is no match.
func (p *manyProber) judge() error {
	var cond *vector.Vector
	var bad map[int]error
	if p.residual != nil {
		cond = p.residual.Eval(p.pairs)[0]
		var err error
		if bad, err = p.residual.Failed(p.pairs, p.alone); err != nil {
			return err
		}
	}
	for k, alone := range p.alone {
		if p.rows[k] != p.last {
			p.last, p.met = p.rows[k], false
		}
		pass := cond == nil || bad[k] == nil && op.True(cond, k)
		if alone || p.c.Once {
			pass = (pass || alone) && !p.met
		}
		if pass {
			p.met = true
			p.pass = append(p.pass, int32(k))
		}
	}
	return nil
}

func (p *manyProber) reset() {
	p.pairs.Reset()
	p.stream.Reset()
	for _, v := range p.table {
		v.Reset()
	}
	p.rows, p.alone, p.pass, p.of = p.rows[:0], p.alone[:0], p.pass[:0], p.of[:0]
}
