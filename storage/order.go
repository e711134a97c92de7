package storage

import (
	"bytes"
	"slices"
	"sort"
)

// order keeps the live entries of each group in key order: a few in a list linked by entry numbers, more in chunks. So a
// group of one entry costs four bytes, and one of a million is found its way in by two binary searches.
type order struct {
	t     *table
	next  []uint32 // by entry number: number + 1 of the entry behind it in its list; 0 ends it
	runs  []run
	idle  []uint32 // of runs, those no group uses
	spare [][]ordered
}

// run is the entries of a group in chunks, none empty.
type run []chunk

// chunk is some entries in order; first is items[0], so that a search of a run looks at one piece of memory.
type chunk struct {
	first ordered
	items []ordered
}

const (
	listMax   = 8   // entries of a list
	chunkMax  = 128 // entries of a chunk
	chunkSize = 40  // bytes of memory
	itemBytes = 16
)

// The flags of a group's entry in a table of groups. Its val is the head of its list (number + 1), or the number of its run;
// its vlen is how many entries it has in order.
const (
	whole   = changed // all entries it has are in memory
	vast    = wasLive // too many of its entries are on disk to read them all
	chunked = dirty   // it has a run
)

// seat is a place in a group's order; n is the entry's number + 1, 0 at an end.
type seat struct {
	n    uint32
	c, i int // in a run
}

// name is a key within a group and where it begins in the keys of the table.
type name struct {
	key    []byte
	at     int
	prefix uint64
}

func newName(key []byte, at int) name { return name{key, at, prefix(key)} }

func (o *order) key(n uint32, at int) []byte { return o.t.key(o.t.entry(n))[at:] }

// compare compares an item with a key.
func (o *order) compare(it *ordered, k *name) int {
	switch {
	case it.prefix < k.prefix:
		return -1
	case it.prefix > k.prefix:
		return 1
	}
	return bytes.Compare(o.key(it.n, k.at), k.key)
}

// grow makes room for the entry that has just been inserted.
func (o *order) grow() {
	before := cap(o.next)
	o.next = append(o.next, 0)
	*o.t.arena.mem += int64(cap(o.next)-before) * 4
}

// link puts entry n, whose key is k, into its group.
func (o *order) link(g *entry, n uint32, k name) {
	if g.meta&chunked == 0 && g.vlen == listMax {
		o.cut(g, k.at)
	}
	if g.meta&chunked != 0 {
		o.insert(&o.runs[g.val], ordered{k.prefix, n}, &k)
	} else {
		o.linkList(g, n, &k)
	}
	g.vlen++
}

func (o *order) linkList(g *entry, n uint32, k *name) {
	before, at := uint32(0), g.val
	for at != 0 && bytes.Compare(o.key(at-1, k.at), k.key) < 0 {
		before, at = at, o.next[at-1]
	}
	o.next[n] = at
	if before == 0 {
		g.val = n + 1
	} else {
		o.next[before-1] = n + 1
	}
}

// cut turns a list into a run.
func (o *order) cut(g *entry, at int) {
	if len(o.idle) == 0 {
		o.runs = append(o.runs, nil)
		o.idle = append(o.idle, uint32(len(o.runs)-1))
	}
	i := o.idle[len(o.idle)-1]
	o.idle = o.idle[:len(o.idle)-1]
	items := make([]ordered, 0, 2*listMax)
	*o.t.arena.mem += int64(cap(items)) * itemBytes
	for n := g.val; n != 0; n = o.next[n-1] {
		items = append(items, ordered{prefix(o.key(n-1, at)), n - 1})
	}
	o.put(&o.runs[i], 0, items)
	g.val = i
	g.meta |= chunked
}

// put inserts a chunk.
func (o *order) put(r *run, c int, items []ordered) {
	before := cap(*r)
	*r = slices.Insert(*r, c, chunk{items[0], items})
	*o.t.arena.mem += int64(cap(*r)-before) * chunkSize
}

// buffer is an empty chunk's memory.
func (o *order) buffer() []ordered {
	if n := len(o.spare); n > 0 {
		b := o.spare[n-1]
		o.spare = o.spare[:n-1]
		return b
	}
	*o.t.arena.mem += chunkMax * itemBytes
	return make([]ordered, 0, chunkMax)
}

// release takes back a chunk's memory.
func (o *order) release(items []ordered) {
	if cap(items) == chunkMax && len(o.spare) < 1024 {
		o.spare = append(o.spare, items[:0])
		return
	}
	*o.t.arena.mem -= int64(cap(items)) * itemBytes
}

func (o *order) insert(r *run, it ordered, k *name) {
	c := o.chunkOf(*r, k)
	if len((*r)[c].items) == chunkMax {
		items := (*r)[c].items
		if c == len(*r)-1 && o.compare(&items[chunkMax-1], k) < 0 { // in order of keys: chunks stay full
			o.put(r, c+1, append(o.buffer(), it))
			return
		}
		o.put(r, c+1, append(o.buffer(), items[chunkMax/2:]...))
		(*r)[c].items = items[:chunkMax/2]
		if o.compare(&(*r)[c+1].first, k) < 0 {
			c++
		}
	}
	x := &(*r)[c]
	i := o.search(x.items, k)
	before := cap(x.items)
	if len(x.items) == before { // the first chunk of a run grows
		x.items = slices.Grow(x.items, before)[: len(x.items) : 2*before]
		*o.t.arena.mem += int64(before) * itemBytes
	}
	x.items = slices.Insert(x.items, i, it)
	x.first = x.items[0]
}

// chunkOf is the chunk that k is in, or would be.
func (o *order) chunkOf(r run, k *name) int {
	last := len(r) - 1
	if o.compare(&r[last].first, k) <= 0 { // mostly it is the last
		return last
	}
	return max(0, sort.Search(last, func(i int) bool { return o.compare(&r[i].first, k) > 0 })-1)
}

// search is the index of the first item >= k.
func (o *order) search(items []ordered, k *name) int {
	if last := len(items) - 1; o.compare(&items[last], k) < 0 {
		return last + 1
	}
	return sort.Search(len(items)-1, func(i int) bool { return o.compare(&items[i], k) >= 0 })
}

// unlink takes entry n, whose key is k, out of its group.
func (o *order) unlink(g *entry, n uint32, k name) {
	g.vlen--
	if g.meta&chunked != 0 {
		o.remove(g, &k)
		return
	}
	if g.val == n+1 {
		g.val = o.next[n]
		return
	}
	at := g.val - 1
	for o.next[at] != n+1 {
		at = o.next[at] - 1
	}
	o.next[at] = o.next[n]
}

func (o *order) remove(g *entry, k *name) {
	r := &o.runs[g.val]
	c := o.chunkOf(*r, k)
	x := &(*r)[c]
	i := o.search(x.items, k)
	if x.items = slices.Delete(x.items, i, i+1); len(x.items) > 0 {
		x.first = x.items[0]
		if c+1 < len(*r) && len(x.items)+len((*r)[c+1].items) <= chunkMax/2 && cap(x.items) == chunkMax {
			x.items = append(x.items, (*r)[c+1].items...)
			o.drop(r, c+1)
		}
		return
	}
	if o.drop(r, c); len(*r) == 0 {
		*o.t.arena.mem -= int64(cap(*r)) * chunkSize
		*r = nil
		o.idle = append(o.idle, g.val)
		g.meta &^= chunked
		g.val = 0
	}
}

func (o *order) drop(r *run, c int) {
	o.release((*r)[c].items)
	*r = slices.Delete(*r, c, c+1)
}

// seek is the first entry of a group whose key is >= k.
func (o *order) seek(g *entry, k name) seat {
	if g.vlen == 0 {
		return seat{}
	}
	if g.meta&chunked == 0 {
		n := g.val
		for n != 0 && bytes.Compare(o.key(n-1, k.at), k.key) < 0 {
			n = o.next[n-1]
		}
		return seat{n: n}
	}
	r := o.runs[g.val]
	c := o.chunkOf(r, &k)
	return o.sit(r, c, o.search(r[c].items, &k))
}

// sit is the seat at index i of chunk c, or where that leads to.
func (o *order) sit(r run, c, i int) seat {
	switch {
	case i < 0 && c > 0:
		c--
		i = len(r[c].items) - 1
	case i >= 0 && i >= len(r[c].items):
		c, i = c+1, 0
	}
	if i < 0 || c >= len(r) {
		return seat{}
	}
	return seat{r[c].items[i].n + 1, c, i}
}

// after is the seat behind one.
func (o *order) after(g *entry, s seat) seat {
	if g.meta&chunked == 0 {
		return seat{n: o.next[s.n-1]}
	}
	return o.sit(o.runs[g.val], s.c, s.i+1)
}

// last is the last entry of a group.
func (o *order) last(g *entry) seat {
	if g.vlen == 0 || g.meta&chunked == 0 {
		return o.listBefore(g, 0)
	}
	r := o.runs[g.val]
	return o.sit(r, len(r), -1)
}

// before is the last entry of a group whose key is < k.
func (o *order) before(g *entry, k name) seat {
	s := o.seek(g, k)
	if s.n == 0 {
		return o.last(g)
	}
	return o.prior(g, s)
}

// prior is the seat ahead of one.
func (o *order) prior(g *entry, s seat) seat {
	if g.meta&chunked == 0 {
		return o.listBefore(g, s.n)
	}
	return o.sit(o.runs[g.val], s.c, s.i-1)
}

// listBefore is the entry of a list ahead of next, which is 0 for the end.
func (o *order) listBefore(g *entry, next uint32) seat {
	if g.vlen == 0 {
		return seat{}
	}
	before := uint32(0)
	for n := g.val; n != next; n = o.next[n-1] {
		before = n
	}
	return seat{n: before}
}

// each visits a group's entries in order.
func (o *order) each(g *entry, visit func(n uint32)) {
	if g.vlen == 0 {
		return
	}
	if g.meta&chunked == 0 {
		for n := g.val; n != 0; n = o.next[n-1] {
			visit(n - 1)
		}
		return
	}
	for _, c := range o.runs[g.val] {
		for _, it := range c.items {
			visit(it.n)
		}
	}
}

// bytes is the memory of the order.
func (o *order) bytes() int64 {
	n := int64(cap(o.next))*4 + int64(len(o.spare))*chunkMax*itemBytes
	for _, r := range o.runs {
		for _, c := range r {
			n += int64(cap(c.items)) * itemBytes
		}
		n += int64(cap(r)) * chunkSize
	}
	return n
}

// free gives the memory back.
func (o *order) free() {
	*o.t.arena.mem -= o.bytes()
	*o = order{t: o.t}
}
