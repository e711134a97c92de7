package over

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// ChangingConfig configures Changing.
type ChangingConfig struct {
	Env       op.Env
	Columns   []types.Type // of the input; the output has the calls' behind them
	Partition []expr.Expr
	Order     []Key
	Calls     []Call
	State     op.Sorted
	Next      op.Next
}

// Changing computes calls over the rows of each partition in an order, anew as rows come and go. It sends the removal of every row
// whose values are others now, and the row with the new ones. Only the rows near a change are looked at when all calls
// read a bounded number of rows, else those of the whole partition.
type Changing struct {
	c     ChangingConfig
	keys  *op.Evaluator // the partition's expressions, then the order's
	order *op.Evaluator // the order's, over rows of a segment
	seg   segment
	enc   encoder
	out   *vector.Batch
	parts partitions[[]change]
	group []byte
	// before and after are how many rows around a row its calls read, -1: any number.
	before, after int64
	peers         []int
}

// NewChanging makes a Changing.
func NewChanging(c ChangingConfig) *Changing {
	cols := append([]types.Type(nil), c.Columns...)
	for _, x := range c.Calls {
		cols = append(cols, x.Type)
	}
	o := &Changing{
		c: c, out: vector.NewBatch(cols, 0), enc: encoder{order: c.Order}, seg: segment{p: newPrograms(c.Env, c.Calls)},
		keys: c.Env.NewEvaluator(append(append([]expr.Expr(nil), c.Partition...), exprs(c.Order)...)...), order: c.Env.NewEvaluator(exprs(c.Order)...),
	}
	o.out.Deleted, o.out.Origin = []bool{}, []types.Origin{}
	for i := range c.Calls {
		b, a := c.Calls[i].reach()
		o.before, o.after = farther(o.before, b), farther(o.after, a)
	}
	return o
}

func farther(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}

// Process applies the rows of b.
func (o *Changing) Process(_ int, b *vector.Batch) error {
	vs := o.keys.Eval(b)
	bad, err := o.keys.Failed(b, nil)
	if err != nil {
		return err
	}
	o.parts.reset()
	n := len(o.c.Partition)
	for i := range b.N {
		if bad[i] != nil {
			continue
		}
		o.group = keys.AppendRow(o.group[:0], vs[:n], i)
		entry := o.enc.entry(b, i, vs[n:])
		changes, _ := o.parts.find(o.group)
		*changes = append(*changes, change{key: string(entry), order: o.enc.from, removal: b.Deleted != nil && b.Deleted[i]})
	}
	for i := range o.parts.list {
		if err := o.partition([]byte(o.parts.list[i].key), o.parts.list[i].what); err != nil {
			return err
		}
	}
	if o.out.N == 0 {
		return nil
	}
	err = o.c.Next.Push(o.out)
	o.out.Reset()
	return err
}

// partition applies the changes of a partition and sends what they change.
func (o *Changing) partition(group []byte, changes []change) error {
	from, to := span(changes)
	old, err := o.load(group, from, to)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := o.apply(group, c); err != nil {
			return err
		}
	}
	now, err := o.load(group, from, to)
	if err != nil {
		return err
	}
	return o.difference(old, now)
}

func (o *Changing) apply(group []byte, c change) error {
	value, _, err := o.c.State.Get(group, []byte(c.key))
	if err != nil {
		return err
	}
	n, _ := standing(value)
	n++
	if c.removal {
		n -= 2
	}
	if n == 0 {
		return o.c.State.Delete(group, []byte(c.key))
	}
	o.enc.from = c.order
	return o.c.State.Put(group, []byte(c.key), o.enc.value(n))
}

// stretch is rows of a partition in order with what the calls say of those in [from, to).
type stretch struct {
	entries  []change // as entries: key and length of the order's keys
	from, to int
	values   []*vector.Vector // of the calls, for [from, to)
}

// load reads the rows from one entry to another, and as many around them as the calls reach, and computes the calls for
// those that a change in between can reach.
func (o *Changing) load(group []byte, from, to string) (*stretch, error) {
	s := &stretch{}
	ahead, behind := farther(o.before, o.after), farther(o.before, o.after)
	if o.before >= 0 && o.after >= 0 {
		ahead, behind = o.before+o.after, o.before+o.after
	}
	lead, err := o.around(group, nil, []byte(from), ahead, o.c.State.Descend)
	if err != nil {
		return nil, err
	}
	for i := len(lead) - 1; i >= 0; i-- {
		s.entries = append(s.entries, lead[i])
	}
	s.from = len(s.entries)
	if o.after >= 0 {
		s.from = max(len(s.entries)-int(o.after), 0)
	} else {
		s.from = 0
	}
	next := append([]byte(to), 0)
	middle, err := o.around(group, []byte(from), next, -1, o.c.State.Ascend)
	if err != nil {
		return nil, err
	}
	s.entries = append(s.entries, middle...)
	s.to = len(s.entries)
	tail, err := o.around(group, next, nil, behind, o.c.State.Ascend)
	if err != nil {
		return nil, err
	}
	s.entries = append(s.entries, tail...)
	if o.before >= 0 {
		s.to = min(s.to+int(o.before), len(s.entries))
	} else {
		s.to = len(s.entries)
	}
	return s, o.values(s)
}

// around reads up to n rows (all below 0) between two keys in the direction of walk.
func (o *Changing) around(group, from, to []byte, n int64, walk func(group, from, to []byte, visit func(key, value []byte) (bool, error)) error) ([]change, error) {
	var out []change
	if n == 0 {
		return nil, nil
	}
	err := walk(group, from, to, func(key, value []byte) (bool, error) {
		times, order := standing(value)
		for range times {
			out = append(out, change{key: string(key), order: order})
		}
		return n > 0 && int64(len(out)) >= n, nil
	})
	return out, err
}

// values computes the calls of a stretch.
func (o *Changing) values(s *stretch) error {
	rows := vector.NewBatch(o.c.Columns, len(s.entries))
	rows.Origin = []types.Origin{}
	for _, e := range s.entries {
		if err := readRow(rows, len(rows.Cols), []byte(e.key), e.order); err != nil {
			return err
		}
	}
	o.peers = peersOf(o.peers, len(s.entries), func(i, j int) bool {
		a, b := s.entries[i], s.entries[j]
		return a.key[:a.order] == b.key[:b.order]
	})
	if len(o.c.Order) > 0 {
		o.seg.key, o.seg.desc = o.order.Eval(rows)[0], o.c.Order[0].Desc
	}
	o.seg.open(rows, o.peers)
	for k, c := range o.c.Calls {
		out := vector.New(c.Type, s.to-s.from)
		if err := o.seg.compute(k, s.from, s.to, out); err != nil {
			return err
		}
		s.values = append(s.values, out)
	}
	return o.seg.close()
}

// difference sends what of two stretches is in one of them only.
func (o *Changing) difference(old, now *stretch) error {
	stood := map[string]int{}
	var scratch []byte
	name := func(s *stretch, i int) string {
		scratch = append(scratch[:0], s.entries[s.from+i].key...)
		return string(vector.AppendRow(scratch, s.values, i))
	}
	for i := range old.to - old.from {
		stood[name(old, i)]++
	}
	var come []int
	for i := range now.to - now.from {
		if id := name(now, i); stood[id] > 0 {
			stood[id]--
		} else {
			come = append(come, i)
		}
	}
	for i := range old.to - old.from {
		if id := name(old, i); stood[id] > 0 {
			stood[id]--
			if err := o.send(old, i, true); err != nil {
				return err
			}
		}
	}
	for _, i := range come {
		if err := o.send(now, i, false); err != nil {
			return err
		}
	}
	return nil
}

func (o *Changing) send(s *stretch, i int, removal bool) error {
	width := len(o.c.Columns)
	e := s.entries[s.from+i]
	if err := readRow(o.out, width, []byte(e.key), e.order); err != nil {
		return err
	}
	for k, v := range s.values {
		o.out.Cols[width+k].AppendFrom(v, i)
	}
	o.out.Deleted = append(o.out.Deleted, removal)
	return nil
}

// Advance hands on m: nothing is held back.
func (o *Changing) Advance(m op.Marks) error { return o.c.Next.Advance(m) }
