// Package over holds the operators of analytic functions: the first rows of each partition, and what is computed over the
// rows around each row.
package over

import (
	"bytes"
	"cmp"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// Ranking is how rows in order are numbered: as ROW_NUMBER, RANK and DENSE_RANK do.
type Ranking uint8

// The rankings.
const (
	RowNumber Ranking = iota
	Rank
	DenseRank
)

// TopNConfig configures TopN.
type TopNConfig struct {
	Env       op.Env
	Columns   []types.Type
	Partition []expr.Expr
	Order     []Key
	Ranking   Ranking
	N         int64
	// Numbered: the number of a row is a column behind the others, and a row that gets another one is sent anew.
	Numbered bool
	// Removes: the input removes rows, so all of them are kept: one that goes makes room for the next.
	Removes bool
	State   op.Sorted
	Next    op.Next
}

// TopN keeps the first rows of each partition and sends those that come among them and those that no longer are.
type TopN struct {
	c      TopNConfig
	eval   *op.Evaluator
	out    *vector.Batch
	enc    encoder
	parts  partitions[standings]
	before ranks // of all partitions of the batch
	now    ranks // of the one at hand
	group  []byte
	cut    [][]byte // entries beyond the first N
}

// NewTopN makes a TopN.
func NewTopN(c TopNConfig) *TopN {
	cols := c.Columns
	if c.Numbered {
		cols = append(append([]types.Type(nil), cols...), types.TBigInt)
	}
	t := &TopN{c: c, eval: c.Env.NewEvaluator(append(append([]expr.Expr(nil), c.Partition...), exprs(c.Order)...)...), out: vector.NewBatch(cols, 0)}
	t.out.Deleted, t.out.Origin = []bool{}, []types.Origin{}
	t.enc.order = c.Order
	return t
}

// Process applies the rows of b.
func (t *TopN) Process(_ int, b *vector.Batch) error {
	vs := t.eval.Eval(b)
	bad, err := t.eval.Failed(b, nil)
	if err != nil {
		return err
	}
	t.parts.reset()
	t.before.reset()
	n := len(t.c.Partition)
	for i := range b.N {
		if bad[i] != nil {
			continue
		}
		t.group = keys.AppendRow(t.group[:0], vs[:n], i)
		p, isNew := t.parts.find(t.group)
		if isNew {
			p.from = len(t.before.list)
			if err = t.top(t.group, &t.before); err != nil {
				return err
			}
			p.to = len(t.before.list)
		}
		entry := t.enc.entry(b, i, vs[n:])
		if t.behind(p, entry) {
			continue
		}
		p.changed = true
		if err := t.apply(entry, b.Deleted != nil && b.Deleted[i]); err != nil {
			return err
		}
	}
	for i := range t.parts.list {
		if p := &t.parts.list[i]; p.what.changed {
			if err := t.emit(append(t.group[:0], p.key...), t.before.list[p.what.from:p.what.to]); err != nil {
				return err
			}
		}
	}
	return t.push()
}

// behind says whether an added row comes after as many as there may be: then it is never among the first, for rows only
// join them.
func (t *TopN) behind(p *standings, entry []byte) bool {
	if t.c.Removes || t.c.Ranking != RowNumber || int64(p.to-p.from) != t.c.N || t.c.N == 0 {
		return false
	}
	return bytes.Compare(entry, t.before.key(t.before.list[p.to-1])) > 0
}

// apply adds a row to the partition at hand, or takes it out.
func (t *TopN) apply(entry []byte, removal bool) error {
	old, _, err := t.c.State.Get(t.group, entry)
	if err != nil {
		return err
	}
	n, _ := standing(old)
	n++
	if removal {
		n -= 2
	}
	if n == 0 {
		return t.c.State.Delete(t.group, entry)
	}
	return t.c.State.Put(t.group, entry, t.enc.value(n))
}

// standings are where TopN.before has the first rows of a partition before a batch, and whether that may have changed them.
type standings struct {
	from, to int
	changed  bool
}

// ranks are first rows of partitions, in their order.
type ranks struct {
	list []ranked
	keys []byte
}

// ranked is one of the first rows of a partition: where its entry is in the keys, how much of that are the order's keys, and
// its number.
type ranked struct {
	from, to int
	order    int
	number   int64
}

func (r *ranks) reset() { r.list, r.keys = r.list[:0], r.keys[:0] }

func (r *ranks) key(x ranked) []byte { return r.keys[x.from:x.to] }

func (r *ranks) add(key []byte, order int, number int64) {
	from := len(r.keys)
	r.keys = append(r.keys, key...)
	r.list = append(r.list, ranked{from, len(r.keys), order, number})
}

// top appends the first rows of a partition. Entries beyond them are noted in cut when nothing can bring them back.
func (t *TopN) top(group []byte, into *ranks) error {
	t.cut = t.cut[:0]
	var rows, number, distinct int64
	lead := len(into.keys) // the row before, of which the order's keys count
	led := 0
	return t.c.State.Ascend(group, nil, nil, func(key, value []byte) (bool, error) {
		n, order := standing(value)
		if n <= 0 {
			return false, nil
		}
		order = min(order, len(key))
		if rows == 0 || !bytes.Equal(key[:order], into.keys[lead:lead+led]) {
			distinct++
			number = rows + 1
			if t.c.Ranking == DenseRank {
				number = distinct
			}
		}
		for range n {
			rows++
			if t.c.Ranking == RowNumber {
				number = rows
			}
			if number > t.c.N {
				return t.beyond(key), nil
			}
			lead, led = len(into.keys), order
			into.add(key, order, number)
		}
		return false, nil
	})
}

// beyond notes an entry that is not among the first; it says whether the rest is of no interest.
func (t *TopN) beyond(key []byte) (stop bool) {
	if t.c.Removes {
		return true
	}
	t.cut = append(t.cut, append([]byte(nil), key...))
	return false
}

// emit sends what has changed in a partition.
func (t *TopN) emit(group []byte, before []ranked) error {
	t.now.reset()
	if err := t.top(group, &t.now); err != nil {
		return err
	}
	for _, key := range t.cut {
		if err := t.c.State.Delete(group, key); err != nil {
			return err
		}
	}
	if err := t.difference(&t.before, before, &t.now, t.now.list, true); err != nil {
		return err
	}
	return t.difference(&t.now, t.now.list, &t.before, before, false)
}

// difference sends those of rows, which are in order, that are not among others. With numbers, a row of another number is
// another row.
func (t *TopN) difference(of *ranks, rows []ranked, in *ranks, others []ranked, removal bool) error {
	for _, r := range rows {
		order := 1
		for len(others) > 0 {
			if order = t.compare(in.key(others[0]), others[0].number, of.key(r), r.number); order >= 0 {
				break
			}
			others = others[1:]
		}
		if len(others) > 0 && order == 0 {
			others = others[1:]
			continue
		}
		if err := t.send(of.key(r), r, removal); err != nil {
			return err
		}
	}
	return nil
}

func (t *TopN) compare(a []byte, numberA int64, b []byte, numberB int64) int {
	if c := bytes.Compare(a, b); c != 0 || !t.c.Numbered {
		return c
	}
	return cmp.Compare(numberA, numberB)
}

func (t *TopN) send(key []byte, r ranked, removal bool) error {
	if err := readRow(t.out, len(t.c.Columns), key, r.order); err != nil {
		return err
	}
	if t.c.Numbered {
		t.out.Cols[len(t.c.Columns)].AppendInt(r.number)
	}
	t.out.Deleted = append(t.out.Deleted, removal)
	return nil
}

func (t *TopN) push() error {
	if t.out.N == 0 {
		return nil
	}
	err := t.c.Next.Push(t.out)
	t.out.Reset()
	return err
}

// Advance hands on m: nothing is held back.
func (t *TopN) Advance(m op.Marks) error { return t.c.Next.Advance(m) }
