package distribute

import (
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// Cut cuts a distributed plan at its shuffles, upstream fragments first. The shuffles it returns are the roots of their
// fragments, and what the Receives downstream stand for.
func Cut(root *plan.Sink, count Count) ([]*plan.Fragment, []*plan.Shuffle) {
	c := &cutter{count: count, roots: map[int][]*plan.Scan{}}
	c.root(c.cut(root), "result")
	units(c.fragments)
	return c.fragments, c.shuffles
}

type cutter struct {
	count     Count
	fragments []*plan.Fragment
	counted   int // fragments that have a counted id
	shuffles  []*plan.Shuffle
	roots     map[int][]*plan.Scan // by shuffle
}

// cut replaces the shuffles below n by Receives; each becomes a fragment.
func (c *cutter) cut(n plan.Node) plan.Node {
	old := n.Inputs()
	if len(old) == 0 {
		return n
	}
	in := make([]plan.Node, len(old))
	for i, x := range old {
		in[i] = c.cut(x)
		if s, ok := in[i].(*plan.Shuffle); ok {
			c.root(s, s.Name)
			c.shuffles = append(c.shuffles, s)
			in[i] = plan.Derive(&plan.Receive{Shuffle: s})
		}
	}
	return keep(n, in...)
}

// root makes the fragments that end in a shuffle or the sink: one, or one per part of the union below it.
func (c *cutter) root(root plan.Node, name string) {
	u, ok := root.Inputs()[0].(*plan.Union)
	if !ok {
		c.fragment(root, name)
		return
	}
	n := 0
	for _, p := range u.Parts {
		if topic := oneOfSeveral(p); topic != "" {
			c.part(keep(root, p), name, topic)
			continue
		}
		n++
		c.fragment(keep(root, p), fmt.Sprintf("%s-part%d", name, n))
	}
}

// oneOfSeveral is the topic that a part of a union reads, when it is one of those of a relation; "" for other parts.
func oneOfSeveral(n plan.Node) string {
	topic := ""
	plan.Walk(n, func(n plan.Node) {
		if s, ok := n.(*plan.Scan); ok && s.Relation.Part != 0 {
			topic = s.Relation.Topic
		}
	})
	return topic
}

// part makes the fragment of one topic of a relation with several.
func (c *cutter) part(root plan.Node, name, topic string) {
	c.fragment(root, name+"-"+topic)
	f := c.fragments[len(c.fragments)-1]
	f.ID = catalog.PartNumber(f.Name)
	c.counted--
}

func (c *cutter) fragment(root plan.Node, name string) {
	f := &plan.Fragment{ID: c.counted, Name: name, Root: root}
	c.counted++
	c.leaves(root, false, f)
	plan.Walk(root, func(n plan.Node) { f.States = append(f.States, plan.States(n)...) })
	known := true
	for _, in := range f.Inputs {
		n := c.partitions(in.Node)
		f.Partitions = max(f.Partitions, n)
		known = known && n > 0
	}
	if !known {
		f.Partitions = 0
	}
	if s, ok := root.(*plan.Shuffle); ok {
		for _, in := range f.Inputs {
			if !in.Table {
				c.roots[s.ID] = append(c.roots[s.ID], in.Roots...)
			}
		}
	}
	c.fragments = append(c.fragments, f)
}

// leaves lists the inputs of a fragment: the stream's side of a join before the table's.
func (c *cutter) leaves(n plan.Node, table bool, f *plan.Fragment) {
	switch n := n.(type) {
	case *plan.Scan:
		f.Inputs = append(f.Inputs, plan.Input{Node: n, Table: table, Roots: []*plan.Scan{n}})
	case *plan.Receive:
		f.Inputs = append(f.Inputs, plan.Input{Node: n, Table: table, Roots: c.roots[n.Shuffle.ID]})
	case *plan.TableJoin:
		c.leaves(n.Stream, table, f)
		c.leaves(n.Table, true, f)
	default:
		for _, in := range n.Inputs() {
			c.leaves(in, table, f)
		}
	}
}

func (c *cutter) partitions(leaf plan.Node) int {
	switch n := leaf.(type) {
	case *plan.Scan:
		return c.count(n.Relation)
	case *plan.Receive:
		return n.Shuffle.Key.Count
	}
	return 0
}

// units numbers the fragments so that those which share a source topic have one number.
func units(fs []*plan.Fragment) {
	topics := func(f *plan.Fragment) []string {
		var out []string
		for _, in := range f.Inputs {
			if s, ok := in.Node.(*plan.Scan); ok {
				out = append(out, s.Relation.Topic)
			}
		}
		return out
	}
	for i, f := range fs {
		f.Unit = i
	}
	for changed := true; changed; {
		changed = false
		for _, f := range fs {
			for _, g := range fs {
				if g.Unit > f.Unit && slices.ContainsFunc(topics(g), func(t string) bool { return slices.Contains(topics(f), t) }) {
					g.Unit, changed = f.Unit, true
				}
			}
		}
	}
}
