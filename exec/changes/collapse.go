package changes

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// CollapseConfig configures Collapse.
type CollapseConfig struct {
	Key  []int // ordinals of the columns that name a row of the result
	Next op.Next
}

// Collapse turns additions and removals into rows that replace each other by key, where a key has one row at most and its old
// row is removed before the new one is added. It keeps nothing: of each key, the last change of a batch goes on, a removal
// as a tombstone.
type Collapse struct {
	c     CollapseConfig
	names []*vector.Vector
	last  map[string]int32 // key -> the row that speaks for it
	key   []byte
	rows  []int32
}

// NewCollapse makes a Collapse.
func NewCollapse(c CollapseConfig) *Collapse {
	return &Collapse{c: c, names: make([]*vector.Vector, len(c.Key)), last: map[string]int32{}}
}

// Process hands on one row per key.
func (f *Collapse) Process(_ int, b *vector.Batch) error {
	if b.Deleted == nil {
		return f.c.Next.Push(b)
	}
	for i, k := range f.c.Key {
		f.names[i] = b.Cols[k]
	}
	clear(f.last)
	for i := range b.N {
		f.key = keys.AppendRow(f.key[:0], f.names, i)
		f.last[string(f.key)] = int32(i)
	}
	f.rows = f.rows[:0]
	for i := range b.N {
		f.key = keys.AppendRow(f.key[:0], f.names, i)
		if f.last[string(f.key)] == int32(i) {
			f.rows = append(f.rows, int32(i))
		}
	}
	return f.c.Next.Push(b.Select(f.rows))
}

// Advance hands on m: nothing is held back.
func (f *Collapse) Advance(m op.Marks) error { return f.c.Next.Advance(m) }
