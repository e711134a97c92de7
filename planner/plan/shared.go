package plan

import "fmt"

// Shared is a sub-plan that is computed once and read several times: the one node to which several lead. It makes a plan a
// graph without cycles; what rebuilds a plan visits it once (Rewrite), so that it stays one.
type Shared struct {
	// Number tells it from the query's others, from 1.
	Number int
	// Reads is how many nodes read it.
	Reads int
	Input Node
	P     Props
}

// Props of the node.
func (n *Shared) Props() *Props { return &n.P }

// Inputs of the node.
func (n *Shared) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Shared) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}

func (*Shared) node() {}

// Describe says how often it is read.
func (n *Shared) Describe() string {
	times := fmt.Sprintf("%d times", n.Reads)
	if n.Reads == 2 {
		times = "twice"
	}
	return fmt.Sprintf("Shared %d: computed once, read %s", n.Number, times)
}

// Walk visits n and what is below it, parents first, each node once. It does not look behind a Receive.
func Walk(n Node, visit func(Node)) { walk(n, visit, map[Node]bool{}) }

func walk(n Node, visit func(Node), seen map[Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	visit(n)
	for _, in := range n.Inputs() {
		walk(in, visit, seen)
	}
}

// Rewrite rebuilds a plan from the leaves up, replacing each node by f(node).
func Rewrite(n Node, f func(Node) Node) Node {
	return Remake(n, func(n Node, in []Node) Node { return f(Rebuild(n, in...)) })
}

// Remake makes a plan anew from the leaves up: f makes a node over its new inputs. A node to which several lead is made once.
func Remake(n Node, f func(n Node, in []Node) Node) Node {
	made := map[Node]Node{}
	var remake func(Node) Node
	remake = func(n Node) Node {
		if out, ok := made[n]; ok {
			return out
		}
		old := n.Inputs()
		in := make([]Node, len(old))
		for i, x := range old {
			in[i] = remake(x)
		}
		out := f(n, in)
		made[n] = out
		return out
	}
	return remake(n)
}
