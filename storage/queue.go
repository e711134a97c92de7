package storage

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Queue is withheld rows in (TS, Origin) order, equal ones in the order of Push; op.Queue says what its methods do. It is
// always in memory as a whole: the operator bounds it.
type Queue struct {
	s       *shared
	id      []byte
	now     func() int64 // arrival of restored items, microseconds
	chunks  [][]item     // none is empty
	n       int
	bytes   int64
	pending int64 // of them, those Pebble does not have
	seq     uint64
	block   []byte // where rows are copied to; freed when none of its rows waits any more
	next    int64  // changelog offset below which nothing of the open epoch is
	changes bool
	fresh   []spot // pushed in this epoch
	popped  []spot // removed in this epoch, of those the changelog has
	removed []spot // removed since the last flush, of those Pebble has
}

// spot is an item's place; seq tells items of one row apart.
type spot struct {
	ts     int64
	origin types.Origin
	seq    uint64
}

type item struct {
	spot
	arrival int64
	offset  int64 // it does not lie below this changelog offset
	row     []byte
	logged  bool
	stored  bool
}

const (
	queueChunk = 256 // items
	queueBlock = 64 << 10
	itemSize   = 104
)

func (a spot) compare(b spot) int {
	if a.ts != b.ts {
		return cmp.Compare(a.ts, b.ts)
	}
	if c := a.origin.Compare(b.origin); c != 0 {
		return c
	}
	return cmp.Compare(a.seq, b.seq)
}

func newQueue(s *shared, id []byte, now func() int64) *Queue {
	return &Queue{s: s, id: id, now: now}
}

// Push adds an item. Its row is copied.
func (q *Queue) Push(it types.Item) error {
	q.seq++
	q.changes = true
	at := spot{it.TS, it.Origin, q.seq}
	q.insert(item{spot: at, arrival: it.Arrival, offset: q.next, row: it.Row})
	q.fresh = append(q.fresh, at)
	return nil
}

func (q *Queue) insert(it item) {
	it.row = q.keep(it.row)
	q.account(1, &it)
	c := len(q.chunks) - 1 // mostly it is the last
	if c >= 0 && it.compare(q.chunks[c][0].spot) < 0 {
		c = max(0, sort.Search(len(q.chunks), func(i int) bool { return it.compare(q.chunks[i][0].spot) < 0 })-1)
	}
	if c < 0 {
		q.chunks = append(q.chunks, append(make([]item, 0, queueChunk), it))
		return
	}
	chunk := q.chunks[c]
	if len(chunk) == queueChunk {
		if c == len(q.chunks)-1 && it.compare(chunk[queueChunk-1].spot) > 0 {
			q.chunks = append(q.chunks, append(make([]item, 0, queueChunk), it))
			return
		}
		half := append(make([]item, 0, queueChunk), chunk[queueChunk/2:]...)
		clear(chunk[queueChunk/2:])
		q.chunks[c] = chunk[:queueChunk/2]
		q.chunks = slices.Insert(q.chunks, c+1, half)
		if it.compare(half[0].spot) > 0 {
			c++
		}
		chunk = q.chunks[c]
	}
	i := q.search(chunk, it.spot)
	q.chunks[c] = slices.Insert(chunk, i, it)
}

func (q *Queue) search(chunk []item, at spot) int {
	return sort.Search(len(chunk), func(i int) bool { return chunk[i].compare(at) >= 0 })
}

// find returns the item at a place.
func (q *Queue) find(at spot) *item {
	c := sort.Search(len(q.chunks), func(i int) bool { return at.compare(q.chunks[i][0].spot) < 0 }) - 1
	if c < 0 {
		return nil
	}
	chunk := q.chunks[c]
	if i := q.search(chunk, at); i < len(chunk) && chunk[i].spot == at {
		return &chunk[i]
	}
	return nil
}

// keep copies a row into a block.
func (q *Queue) keep(row []byte) []byte {
	if len(row) > queueBlock/4 {
		return slices.Clone(row)
	}
	if len(q.block)+len(row) > cap(q.block) {
		q.block = make([]byte, 0, queueBlock)
	}
	at := len(q.block)
	q.block = append(q.block, row...)
	return q.block[at:len(q.block):len(q.block)]
}

func (q *Queue) account(n int, it *item) {
	size := int64(n) * int64(itemSize+len(it.row))
	q.n += n
	q.bytes += size
	q.s.mem += size
	if !it.stored {
		q.pending += size
	}
}

// Ascend visits items in order until stop; those for which remove is true leave the queue. The row is valid until the next
// call of Ascend. The queue must not be changed meanwhile.
func (q *Queue) Ascend(visit func(it types.Item) (remove, stop bool, err error)) error {
	for c := 0; c < len(q.chunks); c++ {
		chunk := q.chunks[c]
		kept := 0
		var stop bool
		var err error
		for i := range chunk {
			it := &chunk[i]
			remove := false
			if !stop && err == nil {
				remove, stop, err = visit(types.Item{TS: it.ts, Origin: it.origin, Arrival: it.arrival, Row: it.row})
			}
			if remove && err == nil {
				q.pop(it)
				continue
			}
			if kept != i {
				chunk[kept] = *it
			}
			kept++
		}
		clear(chunk[kept:])
		if q.chunks[c] = chunk[:kept]; kept == 0 {
			q.chunks = slices.Delete(q.chunks, c, c+1)
			c--
		}
		if stop || err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) pop(it *item) {
	q.changes = true
	q.account(-1, it)
	if it.logged {
		q.popped = append(q.popped, it.spot)
	}
	if it.stored {
		q.removed = append(q.removed, it.spot)
	}
}

// Len is the number of items.
func (q *Queue) Len() int { return q.n }

// Bytes is about the memory of the items.
func (q *Queue) Bytes() int64 { return q.bytes }

// First is the smallest TS waiting; ok false when empty.
func (q *Queue) First() (ts int64, ok bool) {
	if q.n == 0 {
		return 0, false
	}
	return q.chunks[0][0].ts, true
}

func (q *Queue) dirty() bool { return q.changes }

func (q *Queue) unflushed() int64 { return q.pending + int64(len(q.removed))*itemSize }

func (at spot) append(dst []byte) []byte {
	return binary.AppendUvarint(vector.AppendOrigin(binary.AppendVarint(dst, at.ts), at.origin), at.seq)
}

func (q *Queue) log(r *emitter) error {
	for _, at := range q.popped {
		if _, err := r.begin(64); err != nil {
			return err
		}
		r.buf = at.append(append(r.buf, entryPop))
	}
	for _, at := range q.fresh {
		it := q.find(at)
		if it == nil {
			continue // it has left again
		}
		if _, err := r.begin(64 + len(it.row)); err != nil {
			return err
		}
		r.buf = vector.AppendBytes(at.append(append(r.buf, entryPush)), it.row)
	}
	return nil
}

func (q *Queue) commit(next int64) {
	for _, at := range q.fresh {
		if it := q.find(at); it != nil {
			it.logged = true
		}
	}
	q.next, q.changes, q.fresh, q.popped = next, false, reuse(q.fresh), reuse(q.popped)
}

// key is the item's key in Pebble: id, place, seq.
func (q *Queue) key(at spot) []byte {
	return binary.BigEndian.AppendUint64(appendPlace(slices.Clip(q.id), at.ts, at.origin), at.seq)
}

func (q *Queue) flush(out writer) error {
	slices.SortFunc(q.removed, spot.compare)
	gone := q.removed
	var value []byte
	for _, chunk := range q.chunks {
		for i := range chunk {
			it := &chunk[i]
			if it.stored {
				continue
			}
			for len(gone) > 0 && gone[0].compare(it.spot) < 0 {
				if err := out.remove(q.key(gone[0])); err != nil {
					return err
				}
				gone = gone[1:]
			}
			it.stored = true
			value = append(binary.AppendVarint(value[:0], it.offset), it.row...)
			if len(gone) > 0 && gone[0] == it.spot {
				gone = gone[1:]
			}
			if err := out.set(q.key(it.spot), value); err != nil {
				return err
			}
		}
	}
	for _, at := range gone {
		if err := out.remove(q.key(at)); err != nil {
			return err
		}
	}
	q.removed, q.pending = reuse(q.removed), 0
	return nil
}

func (q *Queue) evict(int64) {}

func (q *Queue) apply(kind byte, r *vector.Reader, offset int64) error {
	at := spot{ts: r.Varint(), origin: r.Origin(), seq: r.Uvarint()}
	if r.Err() != nil {
		return errRecord
	}
	switch kind {
	case entryPush:
		row := r.Bytes()
		if r.Err() != nil {
			return errRecord
		}
		q.take(at)
		q.seq = max(q.seq, at.seq)
		q.insert(item{spot: at, arrival: q.now(), offset: offset, row: row, logged: true})
	case entryPop:
		q.take(at)
	default:
		return fmt.Errorf("%w: entry kind %d in a queue", errRecord, kind)
	}
	return nil
}

// take removes the item at a place, if there is one.
func (q *Queue) take(at spot) {
	c := sort.Search(len(q.chunks), func(i int) bool { return at.compare(q.chunks[i][0].spot) < 0 }) - 1
	if c < 0 {
		return
	}
	chunk := q.chunks[c]
	i := q.search(chunk, at)
	if i == len(chunk) || chunk[i].spot != at {
		return
	}
	if chunk[i].stored {
		q.removed = append(q.removed, at)
	}
	q.account(-1, &chunk[i])
	if q.chunks[c] = slices.Delete(chunk, i, i+1); len(q.chunks[c]) == 0 {
		q.chunks = slices.Delete(q.chunks, c, c+1)
	}
}

// oldest is the changelog offset below which no waiting item is; ok false when there is none.
func (q *Queue) oldest() (offset int64, ok bool) {
	for _, chunk := range q.chunks {
		for i := range chunk {
			if !ok || chunk[i].offset < offset {
				offset, ok = chunk[i].offset, true
			}
		}
	}
	return offset, ok
}

// load reads all items.
func (q *Queue) load(int64) error {
	c, err := q.s.disk.cursor(q.id)
	if err != nil {
		return err
	}
	defer c.close()
	now := q.now()
	for {
		k, v, ok, err := c.next()
		if err != nil || !ok {
			return err
		}
		offset, n := binary.Varint(v)
		if n <= 0 || len(k) != len(q.id)+placeSize+8 {
			return &CorruptError{q.s.disk.dir, errRecord}
		}
		at := spot{seq: binary.BigEndian.Uint64(k[len(k)-8:])}
		at.ts, at.origin = readPlace(k[len(q.id):])
		q.seq = max(q.seq, at.seq)
		q.insert(item{spot: at, arrival: now, offset: offset, row: v[n:], logged: true, stored: true})
	}
}
