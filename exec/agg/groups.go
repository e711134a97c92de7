package agg

import (
	"bytes"
	"hash/maphash"
)

// groups finds the rows of a batch that belong together, so that the state is asked once per group. All memory is used
// again for the next batch.
type groups struct {
	seed  maphash.Seed
	slots []int32 // open addressing: group + 1, 0: free
	list  []group
	data  []byte  // the keys
	next  []int32 // per row, the next one of its group, -1: none
}

// group is the rows of one (window, key).
type group struct {
	hash        uint64
	start       int64 // of the window
	from, to    int   // key in data
	first, last int32
	rows        int
	slot        uint32
}

func newGroups() *groups { return &groups{seed: maphash.MakeSeed(), slots: make([]int32, 64)} }

// reset forgets all groups, for a batch of n rows.
func (g *groups) reset(n int) {
	if len(g.list) < len(g.slots)/8 {
		for i := range g.list {
			g.slots[g.list[i].slot] = 0
		}
	} else {
		clear(g.slots)
	}
	g.list, g.data = g.list[:0], g.data[:0]
	if cap(g.next) < n {
		g.next = make([]int32, n)
	}
	g.next = g.next[:n]
}

// add puts a row into the group of its window and key.
func (g *groups) add(row int32, start int64, key []byte) {
	const mix = 0x9E3779B97F4A7C15
	hash := maphash.Bytes(g.seed, key) ^ uint64(start)*mix
	g.next[row] = -1
	mask := uint64(len(g.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := g.slots[at]
		if s == 0 {
			g.slots[at] = int32(len(g.list)) + 1
			from := len(g.data)
			g.data = append(g.data, key...)
			g.list = append(g.list, group{hash: hash, start: start, from: from, to: len(g.data), first: row, last: row, rows: 1, slot: uint32(at)})
			break
		}
		x := &g.list[s-1]
		if x.hash == hash && x.start == start && bytes.Equal(g.data[x.from:x.to], key) {
			g.next[x.last] = row
			x.last = row
			x.rows++
			return
		}
	}
	if len(g.list)*2 > len(g.slots) {
		g.grow()
	}
}

func (g *groups) grow() {
	g.slots = make([]int32, 2*len(g.slots))
	mask := uint64(len(g.slots) - 1)
	for i := range g.list {
		at := g.list[i].hash & mask
		for g.slots[at] != 0 {
			at = (at + 1) & mask
		}
		g.slots[at] = int32(i) + 1
		g.list[i].slot = uint32(at)
	}
}

// key is the key of a group.
func (g *groups) key(x *group) []byte { return g.data[x.from:x.to:x.to] }
