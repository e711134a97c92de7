package agg

import (
	"slices"
	"sort"

	"github.com/streamsql-go/streamsql/exec/op"
)

// forest holds values in places, which are numbers that go from below, and gives for each key the merge of all places. The
// places are the leaves of trees in which a node is the merge of its 4 children, so that a window that 43,200 others overlap is
// the merge of about 14 nodes. Nodes are windows of a state, in the order of their last leaf.
type forest struct {
	state  op.Windows
	f      *folder
	height int64 // levels above the leaves
	cover  []int64
	value  []byte
}

// perNode is how many children a node has. With fewer a value is stored more often, with more it takes more of them for a
// window.
const perNode = 4

// maxHeight is below the factor by which node numbers are spread.
const maxHeight = 15

func newForest(state op.Windows, f *folder) forest { return forest{state: state, f: f} }

// grow gives the trees the height for n places.
func (t *forest) grow(n int64) {
	for size := int64(perNode); size <= n && t.height < maxHeight; size *= perNode {
		t.height++
	}
}

// number is the window of a node, by the number of its last leaf.
func number(last, level int64) int64 { return firstNode + last*(maxHeight+1) + level }

// lastLeaf is what number was made of.
func lastLeaf(number int64) int64 { return (number - firstNode) >> 4 }

// nodes are the windows of the state that are nodes, in order.
func (t *forest) nodes() []int64 {
	all := t.state.Starts()
	from := sort.Search(len(all), func(i int) bool { return all[i] >= firstNode/2 })
	to := sort.Search(len(all), func(i int) bool { return all[i] >= nextWindow })
	return all[from:to]
}

func (t *forest) empty() bool { return len(t.nodes()) == 0 }

// enter merges a value into that of a key in a place.
func (t *forest) enter(place int64, key, value []byte) error {
	size := int64(1)
	for level := range t.height + 1 {
		if err := t.f.mergeInto(number(upTo(place, size), level), key, value); err != nil {
			return err
		}
		size *= perNode
	}
	return nil
}

// upTo is the last leaf of the node of size leaves that a leaf is in.
func upTo(leaf, size int64) int64 { return leaf | (size - 1) }

// each visits the keys with the merge of their values in places from up. The value is valid until the visit returns.
func (t *forest) each(from int64, visit func(key, value []byte) error) error {
	t.find(from)
	for i, node := range t.cover {
		err := t.state.Scan(node, func(key, value []byte) error {
			t.value = append(t.value[:0], value...)
			for _, before := range t.cover[:i] {
				if _, seen, err := t.state.Get(before, key); seen || err != nil {
					return err
				}
			}
			for _, after := range t.cover[i+1:] {
				more, ok, err := t.state.Get(after, key)
				if err != nil {
					return err
				}
				if ok {
					t.value = t.f.merge(t.value, more)
				}
			}
			return visit(key, t.value)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// find sets cover to the fewest nodes that hold the places from up, each of them once.
func (t *forest) find(from int64) {
	nodes := t.nodes()
	t.cover = t.cover[:0]
	if t.height == 0 {
		first := sort.Search(len(nodes), func(i int) bool { return lastLeaf(nodes[i]) >= from })
		t.cover = append(t.cover, nodes[first:]...)
		return
	}
	for leaf := from; len(nodes) > 0 && leaf <= lastLeaf(nodes[len(nodes)-1]); {
		level, size := int64(0), int64(1)
		for level < t.height && upTo(leaf, size*perNode) == leaf+size*perNode-1 {
			level++
			size *= perNode
		}
		node := number(leaf+size-1, level)
		if i, ok := slices.BinarySearch(nodes, node); ok {
			t.cover = append(t.cover, nodes[i])
		}
		leaf += size
	}
}

// leave lets the places up to one go.
func (t *forest) leave(upTo int64) error {
	for {
		nodes := t.nodes()
		if len(nodes) == 0 || lastLeaf(nodes[0]) > upTo {
			return nil
		}
		if err := t.state.Drop(nodes[0]); err != nil {
			return err
		}
	}
}
