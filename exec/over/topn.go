// Package over holds the operators of analytic functions: the first rows of each partition, and what is computed over the
// rows around each row.
package over

import (
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
	c     TopNConfig
	eval  *op.Evaluator
	out   *vector.Batch
	enc   encoder
	parts partitions[standings]
	group []byte
	cut   [][]byte // entries beyond the first N
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
	n := len(t.c.Partition)
	for i := range b.N {
		if bad[i] != nil {
			continue
		}
		t.group = keys.AppendRow(t.group[:0], vs[:n], i)
		p, isNew := t.parts.find(t.group)
		if isNew {
			if p.before, err = t.top(t.group, p.before[:0]); err != nil {
				return err
			}
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
			if err := t.emit([]byte(p.key), p.what.before); err != nil {
				return err
			}
		}
	}
	return t.push()
}

// behind says whether an added row comes after as many as there may be: then it is never among the first, for rows only
// join them.
func (t *TopN) behind(p *standings, entry []byte) bool {
	n := len(p.before)
	return !t.c.Removes && t.c.Ranking == RowNumber && int64(n) == t.c.N && n > 0 && string(entry) > p.before[n-1].key
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

// standings are the first rows of a partition before a batch, and whether that may have changed them.
type standings struct {
	before  []ranked
	changed bool
}

// ranked is one of the first rows of a partition: its entry, how much of that are the order's keys, and its number.
type ranked struct {
	key    string
	order  int
	number int64
}

// top appends the first rows of a partition. Entries beyond them are noted in cut when nothing can bring them back.
func (t *TopN) top(group []byte, into []ranked) ([]ranked, error) {
	t.cut = t.cut[:0]
	var rows, number, distinct int64
	var last string
	err := t.c.State.Ascend(group, nil, nil, func(key, value []byte) (bool, error) {
		n, order := standing(value)
		if n <= 0 {
			return false, nil
		}
		if same := string(key[:min(order, len(key))]); same != last || rows == 0 {
			distinct++
			number, last = rows+1, same
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
			into = append(into, ranked{string(key), order, number})
		}
		return false, nil
	})
	return into, err
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
	now, err := t.top(group, nil)
	if err != nil {
		return err
	}
	for _, key := range t.cut {
		if err := t.c.State.Delete(group, key); err != nil {
			return err
		}
	}
	gone, come := t.difference(before, now)
	for _, r := range gone {
		if err := t.send(r, true); err != nil {
			return err
		}
	}
	for _, r := range come {
		if err := t.send(r, false); err != nil {
			return err
		}
	}
	return nil
}

// difference is what stood before and does not now, and the other way round. With numbers, a row of another number is another row.
func (t *TopN) difference(before, now []ranked) (gone, come []ranked) {
	type identity struct {
		key    string
		number int64
	}
	id := func(r ranked) identity {
		if t.c.Numbered {
			return identity{r.key, r.number}
		}
		return identity{r.key, 0}
	}
	stood := make(map[identity]int, len(before))
	for _, r := range before {
		stood[id(r)]++
	}
	for _, r := range now {
		if stood[id(r)] > 0 {
			stood[id(r)]--
			continue
		}
		come = append(come, r)
	}
	for _, r := range before {
		if stood[id(r)] > 0 {
			stood[id(r)]--
			gone = append(gone, r)
		}
	}
	return gone, come
}

func (t *TopN) send(r ranked, removal bool) error {
	body := t.out
	if t.c.Numbered {
		body = &vector.Batch{N: t.out.N, Cols: t.out.Cols[:len(t.out.Cols)-1], Time: t.out.Time, Origin: t.out.Origin}
	}
	if err := readRow(body, r.key, r.order); err != nil {
		return err
	}
	if t.c.Numbered {
		t.out.Cols[len(t.out.Cols)-1].AppendInt(r.number)
	}
	t.out.Time, t.out.Origin, t.out.N = body.Time, body.Origin, body.N
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
