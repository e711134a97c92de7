package distribute

import (
	"fmt"
	"maps"
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// Cut cuts a distributed plan at its shuffles, upstream fragments first. The shuffles it returns are the roots of their
// fragments, and what the Receives downstream stand for. Ends that have all their inputs in common are one fragment.
func Cut(root *plan.Sink, count Count) ([]*plan.Fragment, []*plan.Shuffle) {
	c := &cutter{count: count, made: map[plan.Node]plan.Node{}, roots: map[int][]*plan.Scan{}}
	c.end(c.cut(root), "result")
	for _, e := range c.joined() {
		c.fragment(e)
	}
	units(c.fragments)
	return c.fragments, c.shuffles
}

type cutter struct {
	count     Count
	made      map[plan.Node]plan.Node // what was cut already: several may lead to a node
	ends      []end
	fragments []*plan.Fragment
	counted   int // fragments that have a counted id
	shuffles  []*plan.Shuffle
	roots     map[int][]*plan.Scan // by shuffle
}

// end is where a fragment ends: in a shuffle or the sink.
type end struct {
	roots []plan.Node
	name  string
	topic string // of one topic of a relation with several; "" for others
}

// cut replaces the shuffles below n by Receives, and notes where fragments end.
func (c *cutter) cut(n plan.Node) plan.Node {
	old := n.Inputs()
	if len(old) == 0 {
		return n
	}
	if out, ok := c.made[n]; ok {
		return out
	}
	in := make([]plan.Node, len(old))
	for i, x := range old {
		in[i] = c.cut(x)
	}
	out := keep(n, in...)
	if s, ok := out.(*plan.Shuffle); ok {
		c.end(s, s.Name)
		c.shuffles = append(c.shuffles, s)
		out = plan.Derive(&plan.Receive{Shuffle: s})
	}
	c.made[n] = out
	return out
}

// end notes the end of a fragment, or of one per part of the union below it.
func (c *cutter) end(root plan.Node, name string) {
	u, ok := root.Inputs()[0].(*plan.Union)
	if !ok {
		c.ends = append(c.ends, end{[]plan.Node{root}, name, ""})
		return
	}
	n := 0
	for _, p := range u.Parts {
		e := end{[]plan.Node{keep(root, p)}, name, oneOfSeveral(p)}
		if e.topic == "" {
			n++
			e.name = fmt.Sprintf("%s-part%d", name, n)
		} else {
			e.name = name + "-" + e.topic
		}
		c.ends = append(c.ends, e)
	}
}

// joined makes one end of those that have the same inputs, in the place of the first.
func (c *cutter) joined() []end {
	var out []end
	var reaches []reach
	for _, e := range c.ends {
		r := leavesOf(e.roots[0].Inputs()[0])
		if i := slices.IndexFunc(reaches, func(o reach) bool { return maps.Equal(o.leaves, r.leaves) }); i >= 0 {
			out[i].roots = append(out[i].roots, e.roots...)
			continue
		}
		out, reaches = append(out, e), append(reaches, r)
	}
	return out
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

// fragment makes the fragment of an end. Several may read a shuffle: each has a Receive of its own.
func (c *cutter) fragment(e end) {
	e.roots = plan.Remake(&plan.Union{Parts: e.roots}, func(n plan.Node, in []plan.Node) plan.Node {
		if r, ok := n.(*plan.Receive); ok {
			own := *r
			return &own
		}
		return over(n, in)
	}).Inputs()
	f := &plan.Fragment{ID: c.counted, Name: e.name, Roots: e.roots}
	if e.topic != "" {
		f.ID = catalog.PartNumber(f.Name)
	} else {
		c.counted++
	}
	seen := map[plan.Node]bool{}
	for _, root := range f.Roots {
		c.leaves(root, false, f, seen)
	}
	known := true
	for _, in := range f.Inputs {
		n := c.partitions(in.Node)
		f.Partitions = max(f.Partitions, n)
		known = known && n > 0
	}
	if !known {
		f.Partitions = 0
	}
	for _, root := range f.Roots {
		s, ok := root.(*plan.Shuffle)
		for _, in := range f.Inputs {
			if ok && !in.Table {
				c.roots[s.ID] = append(c.roots[s.ID], in.Roots...)
			}
		}
	}
	c.fragments = append(c.fragments, f)
}

// leaves lists the inputs of a fragment, the stream's side of a join before the table's, and its states, parents first.
func (c *cutter) leaves(n plan.Node, table bool, f *plan.Fragment, seen map[plan.Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	f.States = append(f.States, plan.States(n)...)
	switch n := n.(type) {
	case *plan.Scan:
		f.Inputs = append(f.Inputs, plan.Input{Node: n, Table: table, Roots: []*plan.Scan{n}})
	case *plan.Receive:
		f.Inputs = append(f.Inputs, plan.Input{Node: n, Table: table, Roots: c.roots[n.Shuffle.ID]})
	case *plan.TableJoin:
		c.leaves(n.Stream, table, f, seen)
		c.leaves(n.Table, true, f, seen)
	default:
		for _, in := range n.Inputs() {
			c.leaves(in, table, f, seen)
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

// units numbers the fragments so that those which read a topic together have one number.
func units(fs []*plan.Fragment) {
	topics := func(f *plan.Fragment) []string {
		var out []string
		for _, in := range f.Inputs {
			switch n := in.Node.(type) {
			case *plan.Scan:
				out = append(out, "topic "+n.Relation.Topic)
			case *plan.Receive:
				out = append(out, "shuffle "+n.Shuffle.Name)
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
