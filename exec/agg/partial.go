package agg

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// PartialConfig configures Partial.
type PartialConfig struct {
	Env   op.Env
	Group []expr.Expr
	Aggs  []*expr.Aggregate
	// Reads says for each input of each aggregate (expr.Aggregate.Inputs) which output column it goes out in; -1: none.
	Reads [][]int
	// Columns are the types of the output: the group, what the aggregates read, the states.
	Columns []types.Type
	Window  op.Window // Size 0: none
	Next    op.Next
}

// Partial folds the rows of a batch that belong to one group and window into one row that holds their number and states, for
// an aggregate downstream to merge (Spec.Partial). It keeps nothing from batch to batch. What comes in small groups goes on as
// it is: with its group columns and what the aggregates read, and NULL for the states. The ts of folded rows is the largest
// among them, which lies in their window.
type Partial struct {
	c      PartialConfig
	eval   *op.Evaluator
	in     expr.AggregateInputs
	states expr.States
	span   *types.Span
	found  *groups
	cols   []*vector.Vector // the batch at hand as it goes on unfolded
	rest   int              // batches that go on without a look at their groups
	out    *vector.Batch
	nulls  *vector.Vector
	g      op.Gather
	key    []byte
	state  []byte
}

const (
	// worthFolding is the least rows of a group that are folded: states may be larger than a row or two.
	worthFolding = 3
	// Where folding leaves more than three rows of four, the next batches are not tried.
	triedAgain = 16
)

// NewPartial makes a Partial.
func NewPartial(c PartialConfig) *Partial {
	p := &Partial{
		c: c, eval: c.Env.NewEvaluator(c.Group...), states: expr.StatesOf(c.Aggs, expr.Appends), found: newGroups(),
		cols: make([]*vector.Vector, len(c.Columns)), out: vector.NewBatch(c.Columns, 0), nulls: vector.New(types.TVarbinary, 0),
	}
	if c.Window.Size > 0 {
		p.span = types.NewSpan(c.Window)
	}
	return p
}

// Process folds b, or hands it on.
func (p *Partial) Process(_ int, b *vector.Batch) error {
	if b.N == 0 {
		return nil
	}
	groups := p.eval.Eval(b)
	p.in.Eval(p.eval.Ctx, p.c.Aggs, b)
	bad, err := p.eval.Failed(b, nil)
	if err != nil {
		return err
	}
	p.lay(b, groups)
	if p.rest > 0 {
		p.rest--
		return p.pass(b, bad)
	}
	p.found.reset(b.N)
	for i := range b.N {
		if bad == nil || bad[i] == nil {
			p.add(i, b.Time[i])
		}
	}
	if 4*p.folded() > 3*b.N {
		p.rest = triedAgain
		return p.pass(b, bad)
	}
	return p.fold(b)
}

// lay puts the columns of b in the places they go out in.
func (p *Partial) lay(b *vector.Batch, groups []*vector.Vector) {
	copy(p.cols, groups)
	for k, reads := range p.c.Reads {
		for i, at := range reads {
			if at >= 0 {
				p.cols[at] = p.in.Input(k, i)
			}
		}
	}
	for p.nulls.Len() < b.N {
		p.nulls.AppendNull()
	}
	p.cols[len(p.cols)-1] = p.nulls.Slice(0, b.N)
}

func (p *Partial) add(i int, ts int64) {
	window := int64(0)
	if p.span != nil {
		window, _ = p.span.Of(ts)
	}
	p.key = keys.AppendRow(p.key[:0], p.cols[:len(p.c.Group)], i)
	p.found.add(int32(i), window, p.key)
}

// folded is how many rows go on.
func (p *Partial) folded() int {
	n := 0
	for i := range p.found.list {
		n += min(p.found.list[i].rows, worthFolding-1)
	}
	return n
}

// pass hands on the rows of b that could be computed, unfolded.
func (p *Partial) pass(b *vector.Batch, bad map[int]error) error {
	out := vector.Batch{N: b.N, Cols: p.cols, Time: b.Time, Origin: b.Origin}
	if bad == nil {
		return p.c.Next.Push(&out)
	}
	for i := range b.N {
		if bad[i] == nil {
			p.g.Rows = append(p.g.Rows, int32(i))
		}
	}
	return p.g.Push(&out, p.c.Next)
}

// fold hands on one row per group of some size, and the rows of the others.
func (p *Partial) fold(b *vector.Batch) error {
	defer p.out.Reset()
	if b.Origin != nil && p.out.Origin == nil {
		p.out.Origin = []types.Origin{}
	}
	for i := range p.found.list {
		g := &p.found.list[i]
		if g.rows < worthFolding {
			for row := g.first; row >= 0; row = p.found.next[row] {
				p.row(b, int(row))
			}
			continue
		}
		p.group(b, g)
	}
	if p.out.N == 0 {
		return nil
	}
	return p.c.Next.Push(p.out)
}

// row adds a row as it came.
func (p *Partial) row(b *vector.Batch, i int) {
	for c, v := range p.cols {
		p.out.Cols[c].AppendFrom(v, i)
	}
	p.out.Time = append(p.out.Time, b.Time[i])
	if b.Origin != nil {
		p.out.Origin = append(p.out.Origin, b.Origin[i])
	}
	p.out.N++
}

// group adds the row of a folded group.
func (p *Partial) group(b *vector.Batch, g *group) {
	p.state = p.states.Init(p.state[:0])
	ts := types.Never
	for row := g.first; row >= 0; row = p.found.next[row] {
		ts = max(ts, b.Time[row])
		p.state = p.states.Update(p.state, &p.in, int(row))
	}
	last := len(p.cols) - 1
	for c, v := range p.out.Cols[:last] {
		if c < len(p.c.Group) {
			v.AppendFrom(p.cols[c], int(g.first))
		} else {
			v.AppendNull()
		}
	}
	v := p.out.Cols[last]
	v.Bytes.Data = append(binary.AppendUvarint(v.Bytes.Data, uint64(g.rows)), p.state...)
	v.CloseBytes()
	p.out.Time = append(p.out.Time, ts)
	if b.Origin != nil {
		p.out.Origin = append(p.out.Origin, types.Origin{})
	}
	p.out.N++
}

// readPartial reads the number of rows and the states of a folded group.
func readPartial(data []byte) (rows int64, states []byte, err error) {
	n, size := binary.Uvarint(data)
	if size <= 0 {
		return 0, nil, op.ErrRow
	}
	return int64(n), data[size:], nil
}

// Advance hands on m: nothing is held back.
func (p *Partial) Advance(m op.Marks) error { return p.c.Next.Advance(m) }
