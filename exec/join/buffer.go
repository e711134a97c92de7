package join

import (
	"encoding/binary"
	"slices"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// buffer is the rows of one side of a StreamStream, as long as a partner may come, or the released rows of a StreamTable
// that corrects, as long as a version may come that changes them. They lie in buckets of event time, so
// that they go by the bucket: a short-lived one leaves no trace but one entry in the changelog. In a bucket, the rows of a
// key are in chunks; a row is appended in place, so that a key of many rows is not written anew for each.
//
//	key of an entry:   the row's key | number of the chunk: 0, or in 4 bytes and a 4
//	chunk:             bytes in use (4) | in the first: number of the last chunk (4) | rows | room
//	row:               fate | length | ts | origin | vector.AppendRow; of a StreamTable the as-of instant stands for ts, and
//	                   how much later the row's own ts is comes before the columns
//	the empty key:     how many rows of the bucket are unmatched (8), through (8); of an outer side only
type buffer struct {
	state op.Windows
	outer bool
	cols  []types.Type
	reach int64 // partners have a ts of at most a row's own + reach
	size  int64 // of a bucket, microseconds; what is stored depends on it
	// unmatched are the rows without a match yet by bucket, of an outer side; those with a ts up to through have left.
	unmatched map[int64]int64
	through   int64
	changed   []int64 // buckets whose count is to be stored
	passing   passing

	buckets []int64
	key     []byte
	value   []byte
	record  []byte
	seen    []byte // the chunk that is being visited
	found   stored // its row
}

// fate is what became of a row of an outer side.
type fate = byte

const (
	waits   fate = iota // for its first match
	matched             // or the side is not outer
	lapsed              // it went out without a match: a bounded run has ended
)

const (
	chunkHeader = 8
	chunkMax    = 4 << 10 // bytes, unless a row is longer
	// A bucket is a part of the time in which a row looks for partners, and of that for which it is kept, but not less than
	// 10 ms: few buckets to look into, and to keep open.
	bucketsPerLook = 4
	bucketsKept    = 32
	leastBucket    = 10 * types.MicrosPerMilli
)

func newBuffer(s Side, look, kept int64) (*buffer, error) {
	b := &buffer{
		state: s.State, outer: s.Outer, cols: s.Columns, reach: s.Reach, unmatched: map[int64]int64{}, through: types.Never,
		size: max(look/bucketsPerLook, kept/bucketsKept, leastBucket),
	}
	if !s.Outer {
		return b, nil
	}
	b.buckets = append(b.buckets, s.State.Starts()...)
	for _, n := range b.buckets {
		count, ok, err := s.State.Get(n, nil)
		if err != nil {
			return nil, err
		}
		if !ok || len(count) != 16 {
			return nil, op.ErrRow
		}
		if waiting := int64(binary.LittleEndian.Uint64(count)); waiting > 0 {
			b.unmatched[n] = waiting
		}
		b.through = max(b.through, int64(binary.LittleEndian.Uint64(count[8:])))
	}
	return b, nil
}

// at is where a row lies: the chunk of a key in a bucket, and the place in it.
type at struct {
	bucket int64
	chunk  uint32
	offset uint32
}

func (b *buffer) entry(key []byte, chunk uint32) []byte {
	b.key = append(b.key[:0], key...)
	if chunk == 0 {
		b.key = append(b.key, 0)
	} else {
		b.key = append(binary.BigEndian.AppendUint32(b.key, chunk), 4)
	}
	return b.key
}

// splitEntry cuts the number of the chunk off the key of an entry.
func splitEntry(entry []byte) (key []byte, chunk uint32, ok bool) {
	end := len(entry) - 1
	switch {
	case entry[end] == 0:
		return entry[:end], 0, true
	case entry[end] == 4 && end >= 4:
		return entry[:end-4], binary.BigEndian.Uint32(entry[end-4:]), true
	}
	return nil, 0, false
}

// blank is n zeros to make a chunk of.
func (b *buffer) blank(n int) []byte {
	b.value = slices.Grow(b.value[:0], n)[:n]
	clear(b.value)
	return b.value
}

// add keeps row i of a batch, whose key is given.
func (b *buffer) add(rows *vector.Batch, i int, key []byte) (at, error) {
	b.record = vector.AppendRow(stamp(b.record[:0], rows.Time[i], originOf(rows, i)), rows.Cols, i)
	p, err := b.place(types.FloorDiv(rows.Time[i], b.size), key)
	if err == nil && b.outer {
		b.count(p.bucket, 1)
		b.passing.join(rows.Time[i], key, p)
	}
	return p, err
}

// place puts the record into the last chunk of its key in a bucket, or makes one.
func (b *buffer) place(bucket int64, key []byte) (at, error) {
	p := at{bucket: bucket}
	need := 1 + uvarintLen(len(b.record)) + len(b.record)
	head, ok, err := b.state.Modify(p.bucket, b.entry(key, 0))
	if err != nil {
		return p, err
	}
	if !ok {
		return p, b.put(&p, b.blank(chunkHeader+need))
	}
	p.chunk = last(head)
	chunk := head
	if p.chunk > 0 {
		if chunk, ok, err = b.state.Modify(p.bucket, b.entry(key, p.chunk)); err != nil || !ok {
			return p, missing(err)
		}
	}
	used := int(used(chunk))
	switch {
	case used+need <= len(chunk):
		p.offset = uint32(used)
		b.write(chunk, used)
		return p, nil
	case used+need <= chunkMax:
		larger := b.blank(min(max(2*len(chunk), used+need), chunkMax)) // room for rows to come
		copy(larger, chunk)
		return p, b.put(&p, larger)
	}
	p.chunk++
	if head, ok, err = b.state.Modify(p.bucket, b.entry(key, 0)); err != nil || !ok {
		return p, missing(err)
	}
	binary.LittleEndian.PutUint32(head[4:], p.chunk)
	b.entry(key, p.chunk)
	return p, b.put(&p, b.blank(max(chunkHeader+need, chunkMax/4)))
}

func missing(err error) error {
	if err == nil {
		err = op.ErrRow
	}
	return err
}

func used(chunk []byte) uint32 { return binary.LittleEndian.Uint32(chunk) }
func last(chunk []byte) uint32 { return binary.LittleEndian.Uint32(chunk[4:]) }

func uvarintLen(n int) int {
	l := 1
	for ; n >= 0x80; n >>= 7 {
		l++
	}
	return l
}

// write appends the record to a chunk that has room for it.
func (b *buffer) write(chunk []byte, at int) {
	chunk[at] = waits
	if !b.outer {
		chunk[at] = matched
	}
	n := at + 1 + binary.PutUvarint(chunk[at+1:], uint64(len(b.record)))
	n += copy(chunk[n:], b.record)
	binary.LittleEndian.PutUint32(chunk, uint32(n))
}

// put appends the record to a chunk that is new or larger than before, and stores it under b.key.
func (b *buffer) put(p *at, chunk []byte) error {
	used := max(int(used(chunk)), chunkHeader)
	p.offset = uint32(used)
	b.write(chunk, used)
	return b.state.Put(p.bucket, b.key, chunk)
}

// stamp begins a record.
func stamp(dst []byte, ts int64, o types.Origin) []byte {
	return vector.AppendOrigin(binary.AppendVarint(dst, ts), o)
}

// stored is a row of the buffer, valid during a visit.
type stored struct {
	at
	fate   fate
	ts     int64
	origin types.Origin
	row    vector.Reader // at its columns
	next   uint32        // where the row behind it is
}

// near visits the rows of a key with from <= ts <= to.
func (b *buffer) near(key []byte, from, to int64, visit func(*stored) error) error {
	first, end := types.FloorDiv(from, b.size), types.FloorDiv(to, b.size)
	open := b.state.Starts()
	i, _ := slices.BinarySearch(open, first)
	b.buckets = b.buckets[:0]
	for ; i < len(open) && open[i] <= end; i++ {
		b.buckets = append(b.buckets, open[i])
	}
	for _, n := range b.buckets {
		r := &b.found
		*r = stored{at: at{bucket: n}}
		for more := uint32(0); r.chunk <= more; r.chunk++ {
			chunk, ok, err := b.state.Get(n, b.entry(key, r.chunk))
			if err != nil {
				return err
			}
			if !ok && r.chunk == 0 {
				break
			}
			if !ok || len(chunk) < chunkHeader {
				return op.ErrRow
			}
			if r.chunk == 0 {
				more = last(chunk)
			}
			b.seen = append(b.seen[:0], chunk...) // a visit may change the state
			if err := r.each(b.seen, from, to, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// each visits the rows of a chunk that are there and in the range.
func (r *stored) each(chunk []byte, from, to int64, visit func(*stored) error) error {
	r.offset = chunkHeader
	for r.offset < used(chunk) {
		if err := r.read(chunk); err != nil {
			return err
		}
		next := r.next
		if r.ts >= from && r.ts <= to && r.fate != lapsed {
			if err := visit(r); err != nil {
				return err
			}
		}
		r.offset = next
	}
	return nil
}

// read reads the row at r.offset of a chunk.
func (r *stored) read(chunk []byte) error {
	n := used(chunk)
	if n > uint32(len(chunk)) {
		return op.ErrRow
	}
	in := vector.Reader{Rest: chunk[r.offset:n]}
	r.fate = in.Byte()
	r.row = vector.Reader{Rest: in.Bytes()}
	r.next = n - uint32(len(in.Rest))
	r.ts, r.origin = r.row.Varint(), r.row.Origin()
	if in.Err() != nil || r.row.Err() != nil {
		return op.ErrRow
	}
	return nil
}

// match notes that a row of an outer side has found a match.
func (b *buffer) match(key []byte, p at) error {
	waiting, err := b.decide(key, p, matched)
	if waiting {
		b.count(p.bucket, -1)
	}
	return err
}

// lapse notes that a row, which counts as unmatched no longer, has left although partners may come.
func (b *buffer) lapse(key []byte, p at) error {
	_, err := b.decide(key, p, lapsed)
	return err
}

// decide gives a row its fate if it waits for one.
func (b *buffer) decide(key []byte, p at, f fate) (waiting bool, err error) {
	chunk, ok, err := b.state.Modify(p.bucket, b.entry(key, p.chunk))
	if err != nil || !ok || int(p.offset) >= len(chunk) {
		return false, missing(err)
	}
	if waiting = chunk[p.offset] == waits; waiting {
		chunk[p.offset] = f
	}
	return waiting, nil
}

// drop removes a bucket of which no row waits.
func (b *buffer) drop(n int64) error {
	b.changed = slices.DeleteFunc(b.changed, func(x int64) bool { return x == n })
	b.passing.on = b.passing.on && b.passing.bucket != n
	return b.state.Drop(n)
}

// reaches says whether a row at or after an instant may be there.
func (b *buffer) reaches(from int64) bool {
	open := b.state.Starts()
	return len(open) > 0 && (open[len(open)-1]+1)*b.size > from
}

// forget drops the buckets whose rows all have ts <= limit.
func (b *buffer) forget(limit int64) error {
	for {
		open := b.state.Starts()
		if len(open) == 0 || (open[0]+1)*b.size-1 > limit {
			return nil
		}
		if err := b.drop(open[0]); err != nil {
			return err
		}
	}
}

func (b *buffer) count(bucket, by int64) {
	if !slices.Contains(b.changed, bucket) {
		b.changed = append(b.changed, bucket)
	}
	if b.unmatched[bucket] += by; b.unmatched[bucket] == 0 {
		delete(b.unmatched, bucket)
	}
}

// store writes the counts that have changed.
func (b *buffer) store() error {
	for _, n := range b.changed {
		var count [16]byte
		binary.LittleEndian.PutUint64(count[:], uint64(b.unmatched[n]))
		binary.LittleEndian.PutUint64(count[8:], uint64(b.through))
		if err := b.state.Put(n, nil, count[:]); err != nil {
			return err
		}
	}
	b.changed = b.changed[:0]
	return nil
}
