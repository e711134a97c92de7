package distribute

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
)

// part gives its readers a copy each of a shared part in which they call different rows late: lateness is judged at the source, for
// all that is downstream of it.
func part(root *plan.Sink) *plan.Sink {
	for {
		judged, differ := map[*plan.Shared]string{}, map[*plan.Shared]bool{}
		k := newChecker()
		k.met = func(n *plan.Shared, horizons []plan.Horizon) {
			text := judgements(newChecker().below(n.Input, horizons))
			if before, ok := judged[n]; ok && before != text {
				differ[n] = true
			}
			judged[n] = text
		}
		k.below(root, nil)
		if len(differ) == 0 {
			return root
		}
		root = plan.Remake(root, func(n plan.Node, in []plan.Node) plan.Node {
			if s, ok := n.(*plan.Shared); ok && differ[s] {
				return in[0]
			}
			return plan.Rebuild(n, in...)
		}).(*plan.Sink)
	}
}

// judgements are the late checks of a plan in words.
func judgements(n plan.Node) string {
	var out []string
	plan.Walk(n, func(n plan.Node) {
		if c, ok := n.(*plan.LateCheck); ok {
			out = append(out, plan.Horizons(c.Horizons))
		}
	})
	return strings.Join(out, "\n")
}

// moveOnce makes one shuffle of those that move the same rows to the same places, and moves the rows of a shared part once to
// fragments that read it beside others. It returns root itself when there is nothing to do.
func moveOnce(root plan.Node) plan.Node {
	root = sameShuffles(root)
	for n := apart(root); n != nil; n = apart(root) {
		root = landed(root, n)
	}
	return root
}

// sameShuffles makes one shuffle of equal ones.
func sameShuffles(root plan.Node) plan.Node {
	classes, twice := plan.Classify(root), false
	for n, class := range classes.Of {
		_, shuffle := n.(*plan.Shuffle)
		twice = twice || shuffle && n != class
	}
	if !twice {
		return root
	}
	made := map[plan.Node]plan.Node{}
	return plan.Remake(root, func(n plan.Node, in []plan.Node) plan.Node {
		class := classes.Of[n]
		if made[class] != nil {
			return made[class]
		}
		out := over(n, in)
		if _, shuffle := n.(*plan.Shuffle); shuffle {
			made[class] = out
		}
		return out
	})
}

// landed puts a shuffle over a shared part, in all places where it is read: its rows stay in the partitions where they are.
func landed(root plan.Node, part *plan.Shared) plan.Node {
	return plan.Remake(root, func(n plan.Node, in []plan.Node) plan.Node {
		out := over(n, in)
		if n != plan.Node(part) {
			return out
		}
		key := part.P.Partitioning
		if key.Hash == plan.NoHash {
			key = plan.Partitioning{Hash: plan.Canonical, Count: key.Count}
		}
		return shuffle(out, key, "shared", fmt.Sprintf("shared %d is read beside other inputs: its rows, in their partitions, go to the fragments that do so", part.Number))
	})
}

// over is keep for nodes that may have no inputs.
func over(n plan.Node, in []plan.Node) plan.Node {
	if len(in) == 0 {
		return n
	}
	return keep(n, in...)
}

// apart finds a shared part that is read in several fragments one of which has other inputs too, of which time and end are not those of
// the part; nil: there is none.
func apart(root plan.Node) *plan.Shared {
	ends := roots(root)
	var found []*plan.Shared
	plan.Walk(root, func(n plan.Node) {
		s, ok := n.(*plan.Shared)
		if !ok {
			return
		}
		own, reads, other := leavesOf(s), 0, false
		for _, e := range ends {
			if e.holds[s] {
				reads++
				other = other || !maps.Equal(e.leaves, own.leaves)
			}
		}
		if reads > 1 && other {
			found = append(found, s)
		}
	})
	for _, s := range found { // the outermost: what lies inside may be in order then
		if !slices.ContainsFunc(found, func(o *plan.Shared) bool { return o != s && leavesOf(o).holds[s] }) {
			return s
		}
	}
	return nil
}

// reach is what lies below a node, up to where its rows come from: a source or a shuffle.
type reach struct {
	leaves map[plan.Node]bool
	holds  map[plan.Node]bool
}

func leavesOf(n plan.Node) reach {
	r := reach{map[plan.Node]bool{}, map[plan.Node]bool{}}
	r.visit(n)
	return r
}

func (r reach) visit(n plan.Node) {
	if r.holds[n] {
		return
	}
	r.holds[n] = true
	switch n.(type) {
	case *plan.Scan, *plan.Shuffle, *plan.Receive:
		r.leaves[n] = true
		return
	}
	for _, in := range n.Inputs() {
		r.visit(in)
	}
}

// roots are what lies below each place where a fragment ends: a shuffle or the sink, of a union each part.
func roots(root plan.Node) []reach {
	var out []reach
	plan.Walk(root, func(n plan.Node) {
		switch n.(type) {
		case *plan.Sink, *plan.Shuffle:
		default:
			return
		}
		below := n.Inputs()
		if u, ok := below[0].(*plan.Union); ok {
			below = u.Parts
		}
		for _, x := range below {
			out = append(out, leavesOf(x))
		}
	})
	return out
}
