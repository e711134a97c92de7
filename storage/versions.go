package storage

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

var errRowTooLong = errors.New("a table row is longer than 128 MB")

// Versions is a table with history; op.Versions says what its methods do. On disk all versions of a key are one value.
//
// A lone deletion is kept: without it a row that comes late, older than the deletion, would appear again.
type Versions struct {
	part
	changes bool
	fresh   []link   // versions put in this epoch
	gone    []link   // versions the changelog may have, removed in this epoch
	due     []expiry // a heap: what may expire when
	order   []ordered
}

// link names a version: the key's entry and the node.
type link struct{ n, ref uint32 }

// expiry says that a version of entry n is superseded for all instants >= at.
type expiry struct {
	at int64
	n  uint32
}

const expirePerCall = 1000

func newVersions(s *shared, id []byte) *Versions {
	v := &Versions{part: newPart(s, slices.Clone(id))}
	v.complete = true
	return v
}

// lookup finds key's entry or makes one.
func (t *Versions) lookup(key []byte) (uint32, *entry, error) {
	h := hash32(key)
	n, ok := t.t.find(key, h)
	if !ok {
		var chain []byte
		if !t.complete {
			var err error
			if chain, ok, err = t.s.disk.get(t.diskKey(key)); err != nil {
				return 0, nil, err
			}
		}
		if !ok {
			var err error
			if n, err = t.t.insert(key, h, 0); err != nil {
				return 0, nil, err
			}
			return n, t.t.entry(n), nil
		}
		var err error
		if n, err = t.loadChain(key, h, chain); err != nil {
			return 0, nil, err
		}
	}
	return n, t.t.entry(n), nil
}

// loadChain inserts what the disk has.
func (t *Versions) loadChain(key []byte, h uint32, chain []byte) (uint32, error) {
	n, err := t.t.insert(key, h, onDisk|wasLive)
	if err != nil {
		return 0, err
	}
	e := t.t.entry(n)
	r := vector.Reader{Rest: chain}
	var last node
	for len(r.Rest) > 0 {
		v := types.Version{TS: r.Varint(), Origin: r.Origin()}
		if err := readVersion(r.Bytes(), &v); err != nil || r.Err() != nil {
			return 0, &CorruptError{t.s.disk.dir, errRecord}
		}
		ref, node := t.t.newNode(v, nodeLogged)
		if last == nil {
			e.val = ref + 1
		} else {
			last.setNext(ref + 1)
			t.supersede(n, last)
		}
		last = node
		e.vlen++
	}
	if e.vlen > 0 {
		e.meta |= live
		t.t.dead--
	}
	return n, nil
}

// Put adds a version and says whether one with a larger (ts, origin) of that key was there already.
func (t *Versions) Put(key []byte, v types.Version) (older bool, err error) {
	if len(v.Row) > maxRow {
		return false, errRowTooLong
	}
	if t.t.arena.full() {
		return false, errTableFull
	}
	n, e, err := t.lookup(key)
	if err != nil {
		return false, err
	}
	t.changes = true
	ref, older := t.insert(n, e, v, 0)
	t.fresh = append(t.fresh, link{n, ref})
	t.t.soil(e)
	t.t.dirtied += int64(len(v.Row)) + placeSize
	e.meta |= hot
	return older, nil
}

// insert puts a version into its place of the chain, instead of one of the same (ts, origin).
func (t *Versions) insert(n uint32, e *entry, v types.Version, flags uint32) (ref uint32, older bool) {
	var before, at node
	next := uint32(0)
	if e.vlen > 0 {
		next = e.val
	}
	for next != 0 {
		at = t.t.node(next)
		if at.ts() < v.TS {
			break
		}
		if at.ts() == v.TS {
			if c := at.version().Origin.Compare(v.Origin); c < 0 {
				break
			} else if c == 0 { // the same version again
				flags |= at.meta() & nodeLogged
				at.mark(nodeGone)
				t.t.garbage += at.size()
				next = at.next()
				e.vlen--
				break
			}
		}
		before, next, older = at, at.next(), true
	}
	ref, x := t.t.newNode(v, flags)
	x.setNext(next)
	if before == nil {
		e.val = ref + 1
	} else {
		before.setNext(ref + 1)
		t.supersede(n, before)
	}
	if next != 0 {
		t.supersede(n, x)
	}
	if e.vlen++; e.meta&live == 0 {
		e.meta |= live
		t.t.dead--
	}
	return ref, older
}

// supersede notes that versions older than x's may go once the horizon has passed x.
func (t *Versions) supersede(n uint32, x node) {
	t.due = append(t.due, expiry{seenFrom(x), n})
	for i := len(t.due) - 1; i > 0; {
		up := (i - 1) / 2
		if t.due[up].at <= t.due[i].at {
			break
		}
		t.due[up], t.due[i] = t.due[i], t.due[up]
		i = up
	}
}

func (t *Versions) popDue() expiry {
	top, last := t.due[0], len(t.due)-1
	t.due[0] = t.due[last]
	t.due = t.due[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return top
		}
		if down+1 < last && t.due[down+1].at < t.due[down].at {
			down++
		}
		if t.due[i].at <= t.due[down].at {
			return top
		}
		t.due[i], t.due[down] = t.due[down], t.due[i]
		i = down
	}
}

// Expire drops versions that no as-of instant >= horizon can see, at most a thousand keys' at a call.
func (t *Versions) Expire(horizon int64) error {
	for range expirePerCall {
		if len(t.due) == 0 || t.due[0].at > horizon {
			return nil
		}
		t.purge(t.popDue().n, horizon)
	}
	return nil
}

// purge removes the versions behind the first that every instant >= horizon sees.
func (t *Versions) purge(n uint32, horizon int64) {
	e := t.t.entry(n)
	if e.vlen < 2 {
		return
	}
	for next := e.val; next != 0; {
		x := t.t.node(next)
		next = x.next()
		if seenFrom(x) > horizon || next == 0 {
			continue
		}
		x.setNext(0)
		for next != 0 {
			old := t.t.node(next)
			t.drop(n, e, next-1, old)
			next = old.next()
		}
		t.changes = true
		t.t.soil(e)
	}
}

// drop forgets a node that has been taken out of the chain.
func (t *Versions) drop(n uint32, e *entry, ref uint32, x node) {
	x.mark(nodeGone)
	t.t.garbage += x.size()
	e.vlen--
	if x.is(nodeLogged) {
		t.gone = append(t.gone, link{n, ref})
	}
}

func (t *Versions) dirty() bool { return t.changes }

func (t *Versions) unflushed() int64 { return t.t.dirtied }

// log emits removals first: a version may have been put again.
func (t *Versions) log(r *emitter) error {
	var place, value []byte
	for _, l := range t.gone {
		v := t.t.node(l.ref + 1).version()
		place = appendPlace(place[:0], v.TS, v.Origin)
		if err := r.row(nil, true, t.t.key(t.t.entry(l.n)), place); err != nil {
			return err
		}
	}
	for _, l := range t.fresh {
		x := t.t.node(l.ref + 1)
		if x.is(nodeGone) {
			continue
		}
		v := x.version()
		place = appendPlace(place[:0], v.TS, v.Origin)
		value = appendVersion(value[:0], v)
		if err := r.row(value, false, t.t.key(t.t.entry(l.n)), place); err != nil {
			return err
		}
	}
	return nil
}

func (t *Versions) commit(int64) {
	for _, l := range t.fresh {
		t.t.node(l.ref + 1).mark(nodeLogged)
	}
	t.changes, t.fresh, t.gone = false, reuse(t.fresh), reuse(t.gone)
	if t.t.wasteful() {
		t.rebuild(current)
	}
}

func (t *Versions) flush(out writer) error {
	t.order = t.t.sorted(dirty, t.order)
	var chain, version []byte
	for _, o := range t.order {
		e := t.t.entry(o.n)
		e.meta &^= dirty
		if e.vlen == 0 {
			if e.meta&onDisk != 0 {
				e.meta &^= onDisk
				if err := out.remove(t.diskKey(t.t.key(e))); err != nil {
					return err
				}
			}
			continue
		}
		chain = chain[:0]
		for next := e.val; next != 0; {
			x := t.t.node(next)
			v := x.version()
			version = appendVersion(version[:0], v)
			chain = vector.AppendBytes(vector.AppendOrigin(binary.AppendVarint(chain, v.TS), v.Origin), version)
			next = x.next()
		}
		e.meta |= onDisk
		if err := out.set(t.diskKey(t.t.key(e)), chain); err != nil {
			return err
		}
	}
	t.t.dirtied, t.t.stuck, t.order = 0, 0, reuse(t.order)
	return nil
}

// evict drops clean keys with one version: first those not used since the last eviction, then as many as it takes. Keys with a
// history stay, so that it can expire.
func (t *Versions) evict(limit int64) {
	if t.s.mem <= limit || t.t.n == 0 {
		return
	}
	own := t.t.bytes()
	stay := t.t.survivors(own, own-(t.s.mem-limit))
	t.rebuild(func(n uint32, e *entry) bool { return e.vlen > 1 || stay.keep(n, e) })
	t.complete = false
	t.t.cool()
}

func (t *Versions) rebuild(keep func(n uint32, e *entry) bool) {
	old := &t.t
	t.t.rebuild(keep, func(to *table, e *entry) uint32 {
		head := uint32(0)
		var last node
		for next := e.val; next != 0; {
			x := old.node(next)
			next = x.next()
			size := x.size()
			ref, b := to.arena.alloc(size)
			copy(b, x[:size])
			if last == nil {
				head = ref + 1
			} else {
				last.setNext(ref + 1)
			}
			last = b
		}
		last.setNext(0)
		return head
	}, nil)
	t.listDue()
}

// listDue lists anew what may expire, by the table's new numbers.
func (t *Versions) listDue() {
	t.due = t.due[:0]
	for n := range uint32(t.t.n) {
		if e := t.t.entry(n); e.vlen > 1 {
			for x := t.t.node(e.val); x.next() != 0; x = t.t.node(x.next()) {
				t.due = append(t.due, expiry{seenFrom(x), n})
			}
		}
	}
	slices.SortFunc(t.due, func(a, b expiry) int { return cmp.Compare(a.at, b.at) }) // a sorted list is a heap
}

// applyRow replays a committed change; value nil removes the version.
func (t *Versions) applyRow(key, value []byte) error {
	if len(key) < placeSize {
		return errRecord
	}
	key, place := key[:len(key)-placeSize], key[len(key)-placeSize:]
	v := types.Version{}
	v.TS, v.Origin = readPlace(place)
	n, e, err := t.lookup(key)
	if err != nil {
		return err
	}
	t.t.soil(e)
	if value == nil {
		t.unlink(e, v)
		return nil
	}
	if err := readVersion(value, &v); err != nil {
		return err
	}
	t.insert(n, e, v, nodeLogged)
	t.t.dirtied += int64(len(v.Row)) + placeSize
	return nil
}

// unlink removes the version of the same (ts, origin).
func (t *Versions) unlink(e *entry, v types.Version) {
	if e.vlen == 0 {
		return
	}
	var before node
	for next := e.val; next != 0; {
		x := t.t.node(next)
		next = x.next()
		if x.ts() != v.TS || x.version().Origin != v.Origin {
			before = x
			continue
		}
		t.t.garbage += x.size()
		if e.vlen--; before != nil {
			before.setNext(next)
		} else {
			e.val = next
		}
		if e.vlen == 0 {
			t.t.unset(e)
		}
		return
	}
}

// load reads the table into memory until the store uses more than limit.
func (t *Versions) load(limit int64) error {
	c, err := t.s.disk.cursor(t.prefix)
	if err != nil {
		return err
	}
	defer c.close()
	t.complete = false
	for t.s.mem <= limit {
		k, v, ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok {
			t.complete = true
			return nil
		}
		key := k[len(t.prefix):]
		if _, err := t.loadChain(key, hash32(key), v); err != nil {
			return err
		}
	}
	return nil
}
