package changes

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// FoldConfig configures Fold.
type FoldConfig struct {
	Columns []types.Type
	Key     []int // ordinals of the columns that name a row of the result
	State   op.Sorted
	Next    op.Next
}

// Fold turns additions and removals into rows that replace each other by key. A key's row is the newest of those that stand
// for it; while a row moves between tasks, the new one may come before the old one has gone. Each batch sends a key once.
type Fold struct {
	c       FoldConfig
	out     *vector.Batch
	names   []*vector.Vector
	touched map[string]int // key -> its place in list
	list    []touchedKey
	group   []byte
	entry   []byte
	value   []byte
}

// touchedKey is a key that a batch changes: a row that has it, and what stood for it before.
type touchedKey struct {
	key    string
	row    int32
	before string // the entry, "" for none
}

// NewFold makes a Fold.
func NewFold(c FoldConfig) *Fold {
	f := &Fold{c: c, out: vector.NewBatch(c.Columns, 0), names: make([]*vector.Vector, len(c.Key)), touched: map[string]int{}}
	f.out.Deleted = []bool{}
	return f
}

// Process applies the changes of b.
func (f *Fold) Process(_ int, b *vector.Batch) error {
	for i, k := range f.c.Key {
		f.names[i] = b.Cols[k]
	}
	clear(f.touched)
	f.list = f.list[:0]
	for i := range b.N {
		f.group = keys.AppendRow(f.group[:0], f.names, i)
		if err := f.touch(int32(i)); err != nil {
			return err
		}
		if err := f.count(b, i); err != nil {
			return err
		}
	}
	for i := range f.list {
		if err := f.emit(b, &f.list[i]); err != nil {
			return err
		}
	}
	if f.out.N == 0 {
		return nil
	}
	err := f.c.Next.Push(f.out)
	f.out.Reset()
	return err
}

// touch notes the key at hand, and what stands for it, before its first change.
func (f *Fold) touch(row int32) error {
	if _, ok := f.touched[string(f.group)]; ok {
		return nil
	}
	before, err := f.standing(f.group)
	if err != nil {
		return err
	}
	f.touched[string(f.group)] = len(f.list)
	f.list = append(f.list, touchedKey{key: string(f.group), row: row, before: before})
	return nil
}

// standing is the newest entry of a key that stands.
func (f *Fold) standing(group []byte) (entry string, err error) {
	err = f.c.State.Descend(group, nil, nil, func(key, value []byte) (bool, error) {
		if count(value) <= 0 {
			return false, nil
		}
		entry = string(key)
		return true, nil
	})
	return entry, err
}

// count adds the row, or takes it away. An entry is the ts in order of time, then the row; its value how often it stands:
// below zero when the removal came first.
func (f *Fold) count(b *vector.Batch, i int) error {
	f.entry = vector.AppendRow(keys.AppendTime(f.entry[:0], b.Time[i]), b.Cols, i)
	old, _, err := f.c.State.Get(f.group, f.entry)
	if err != nil {
		return err
	}
	n := count(old) + 1
	if b.Deleted != nil && b.Deleted[i] {
		n -= 2
	}
	if n == 0 {
		return f.c.State.Delete(f.group, f.entry)
	}
	f.value = binary.AppendVarint(f.value[:0], n)
	return f.c.State.Put(f.group, f.entry, f.value)
}

func count(value []byte) int64 {
	n, _ := binary.Varint(value)
	return n
}

// emit sends what stands for a key now, if that has changed.
func (f *Fold) emit(b *vector.Batch, t *touchedKey) error {
	now, err := f.standing([]byte(t.key))
	if err != nil || now == t.before {
		return err
	}
	if now == "" {
		f.tombstone(b, t.row)
		return nil
	}
	r := vector.Reader{Rest: []byte(now)[8:]}
	if r.Row(f.out.Cols); r.Err() != nil {
		return op.ErrRow
	}
	f.sent(keys.Time([]byte(now)), false)
	return nil
}

// tombstone removes a key; a row that has it tells its columns.
func (f *Fold) tombstone(b *vector.Batch, row int32) {
	for c, v := range f.out.Cols {
		if f.named(c) {
			v.AppendFrom(b.Cols[c], int(row))
		} else {
			v.AppendNull()
		}
	}
	f.sent(b.Time[row], true)
}

func (f *Fold) named(column int) bool {
	for _, k := range f.c.Key {
		if k == column {
			return true
		}
	}
	return false
}

func (f *Fold) sent(ts int64, deleted bool) {
	f.out.Time = append(f.out.Time, ts)
	f.out.Deleted = append(f.out.Deleted, deleted)
	f.out.N++
}

// Advance hands on m: nothing is held back.
func (f *Fold) Advance(m op.Marks) error { return f.c.Next.Advance(m) }
