package over

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// InOrderConfig configures InOrder.
type InOrderConfig struct {
	Env       op.Env
	Columns   []types.Type // of the input; the output has the calls' behind them
	Partition []expr.Expr
	Order     Key    // the event time, ascending
	Calls     []Call // none looks ahead
	Queue     op.Queue
	// Past holds, per partition, the rows that frames still reach back to; Running what is carried on from row to row.
	Past    op.Sorted
	Running op.Map
	Next    op.Next
}

// InOrder computes calls over the rows of each partition in (event time, origin) order. A row waits until the watermark reaches
// it, and leaves once, with its final values; W_out stays below the earliest one waiting.
type InOrder struct {
	c       InOrderConfig
	keys    *op.Evaluator // the partition's expressions, then the order's
	seg     segment
	enc     encoder
	marks   op.Marks
	waiting *op.Withheld
	rows    *vector.Batch       // released together
	parts   partitions[[]int32] // their rows in rows
	group   []byte
	run     runner
	// back is how many rows, and span how much time, the frames reach back.
	back int64
	span int64
}

// NewInOrder makes an InOrder.
func NewInOrder(c InOrderConfig) *InOrder {
	o := &InOrder{
		c: c, marks: op.NoMarks, waiting: op.NewWithheld(c.Queue, c.Env.Counters), rows: vector.NewBatch(c.Columns, 0),
		keys: c.Env.NewEvaluator(append(append([]expr.Expr(nil), c.Partition...), c.Order.Expr)...),
		enc:  encoder{order: []Key{c.Order}},
	}
	p := newPrograms(c.Env, c.Calls)
	o.seg, o.run = segment{p: p}, runner{p: p}
	for i := range c.Calls {
		x := &c.Calls[i]
		switch {
		case x.running():
		case x.Func == Lag:
			o.back = max(o.back, x.Offset)
		case x.Frame.Range:
			o.span = max(o.span, -x.Frame.From.Distance)
		default:
			o.back = max(o.back, -x.Frame.From.Distance)
		}
	}
	return o
}

// Process puts the rows of b in the queue.
func (o *InOrder) Process(_ int, b *vector.Batch) error { return o.waiting.Keep(b, o.marks.W) }

// Advance sends the rows that m has reached.
func (o *InOrder) Advance(m op.Marks) error {
	o.marks = o.marks.Raise(m)
	for more := true; more; {
		var err error
		if more, err = o.waiting.Take(o.rows, o.marks.W); err != nil {
			return err
		}
		if o.rows.N > 0 {
			if err := o.decide(); err != nil {
				return err
			}
		}
	}
	return o.c.Next.Advance(o.waiting.Below(o.marks))
}

// Holds says whether a row waits.
func (o *InOrder) Holds() bool { return o.waiting.Holds() }

// Due is the event time of the earliest row that waits.
func (o *InOrder) Due() (int64, bool) { return o.waiting.Due() }

// decide computes the calls for the released rows and hands them on, in their order.
func (o *InOrder) decide() error {
	defer o.rows.Reset()
	vs := o.keys.Eval(o.rows)
	bad, err := o.keys.Failed(o.rows, nil)
	if err != nil {
		return err
	}
	o.parts.reset()
	n := len(o.c.Partition)
	for i := range o.rows.N {
		if bad[i] != nil {
			continue
		}
		o.group = keys.AppendRow(o.group[:0], vs[:n], i)
		rows, _ := o.parts.find(o.group)
		*rows = append(*rows, int32(i))
	}
	return o.emit(vs[n])
}

// emit computes one partition after the other and puts the rows back into their order.
func (o *InOrder) emit(order *vector.Vector) error {
	outs := make([]*vector.Vector, len(o.c.Calls))
	for k, c := range o.c.Calls {
		outs[k] = vector.New(c.Type, o.rows.N)
	}
	place := make([]int32, o.rows.N) // row -> its place in outs
	for i := range place {
		place[i] = -1
	}
	done := int32(0)
	for i := range o.parts.list {
		rows := o.parts.list[i].what
		if err := o.partition([]byte(o.parts.list[i].key), rows, order, outs); err != nil {
			return err
		}
		for _, i := range rows {
			place[i], done = done, done+1
		}
	}
	var kept, from []int32
	for i, at := range place {
		if at >= 0 {
			kept, from = append(kept, int32(i)), append(from, at)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	out := o.rows.Select(kept)
	for _, v := range outs {
		out.Cols = append(out.Cols, v.Select(from))
	}
	return o.c.Next.Push(out)
}

// partition appends the values of the calls for rows of a partition, and keeps what later rows read of them.
func (o *InOrder) partition(group []byte, rows []int32, order *vector.Vector, outs []*vector.Vector) error {
	seg, past, err := o.segment(group, rows)
	if err != nil {
		return err
	}
	o.seg.peers = peersOf(o.seg.peers, seg.N, func(i, j int) bool { return seg.Time[i] == seg.Time[j] })
	o.seg.key = &vector.Vector{Type: types.TTimestamp, Ints: seg.Time}
	o.seg.open(seg, o.seg.peers)
	if err := o.run.begin(o.c.Running, group); err != nil {
		return err
	}
	for k := range o.c.Calls {
		if o.c.Calls[k].running() {
			err = o.run.compute(&o.seg, k, past, seg.N, outs[k])
		} else {
			err = o.seg.compute(k, past, seg.N, outs[k])
		}
		if err != nil {
			return err
		}
	}
	if err := o.seg.close(); err != nil {
		return err
	}
	if err := o.run.end(o.c.Running, group); err != nil {
		return err
	}
	return o.remember(group, rows, order)
}

// segment is the rows that frames reach back to, past of them, then the new ones.
func (o *InOrder) segment(group []byte, rows []int32) (seg *vector.Batch, past int, err error) {
	seg = vector.NewBatch(o.c.Columns, len(rows))
	seg.Origin = []types.Origin{}
	if o.back > 0 || o.span > 0 {
		err = o.c.Past.Ascend(group, nil, nil, func(key, value []byte) (bool, error) {
			_, order := standing(value)
			return false, readRow(seg, len(seg.Cols), key, order)
		})
	}
	past = seg.N
	seg.Seen, seg.Raw = nil, nil
	for c, v := range seg.Cols {
		v.AppendSelect(o.rows.Cols[c], rows)
	}
	for _, i := range rows {
		var origin types.Origin
		if o.rows.Origin != nil {
			origin = o.rows.Origin[i]
		}
		seg.Time, seg.Origin = append(seg.Time, o.rows.Time[i]), append(seg.Origin, origin)
	}
	seg.N += len(rows)
	return seg, past, err
}

// remember keeps the rows that frames of later rows may reach, and forgets the others.
func (o *InOrder) remember(group []byte, rows []int32, order *vector.Vector) error {
	if o.back == 0 && o.span == 0 {
		return nil
	}
	for _, i := range rows {
		entry := o.enc.entry(o.rows, int(i), []*vector.Vector{order})
		value, _, err := o.c.Past.Get(group, entry)
		if err != nil {
			return err
		}
		n, _ := standing(value)
		if err := o.c.Past.Put(group, entry, o.enc.value(n+1)); err != nil {
			return err
		}
	}
	newest := o.rows.Time[rows[len(rows)-1]]
	var seen int64
	var gone [][]byte
	err := o.c.Past.Descend(group, nil, nil, func(key, value []byte) (bool, error) {
		n, at := standing(value)
		if seen >= o.back && keys.Time(key[at:]) < newest-o.span {
			gone = append(gone, append([]byte(nil), key...))
		}
		seen += n
		return false, nil
	})
	if err != nil {
		return err
	}
	for _, key := range gone {
		if err := o.c.Past.Delete(group, key); err != nil {
			return err
		}
	}
	return nil
}
