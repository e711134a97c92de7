package build

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// fork hands the rows and the time of one operator to several, one after the other.
type fork struct{ nexts []op.Next }

// Push implements op.Next.
func (f *fork) Push(b *vector.Batch) error {
	for _, n := range f.nexts {
		if err := n.Push(b); err != nil {
			return err
		}
	}
	return nil
}

// Advance implements op.Next.
func (f *fork) Advance(m op.Marks) error {
	for _, n := range f.nexts {
		if err := n.Advance(m); err != nil {
			return err
		}
	}
	return nil
}

// sharing builds what is shared in front of its first reader, and adds the others to it.
func (c *Chain) sharing(n *plan.Shared, env Env, next op.Next) error {
	if f := c.shared[n]; f != nil {
		f.nexts = append(f.nexts, next)
		return nil
	}
	f := &fork{[]op.Next{next}}
	c.shared[n] = f
	return c.node(n.Input, env, c.link(terminal{f}, 0, n.Input))
}

// leaf notes where the rows of an input go; several may read them.
func (c *Chain) leaf(n plan.Node, next op.Next) {
	switch old := c.Leaves[n].(type) {
	case nil:
		c.Leaves[n] = next
	case *fork:
		old.nexts = append(old.nexts, next)
	default:
		c.Leaves[n] = &fork{[]op.Next{old, next}}
	}
}
