package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
)

// passing is the unmatched rows of the bucket that time passes, in the order in which they leave. It holds those that were
// unmatched when time came to the bucket, and those that came since.
type passing struct {
	bucket int64
	on     bool
	rows   minHeap[leaving] // by ts
	keys   []byte
}

type leaving struct {
	at       at
	from, to int // its key in keys
}

// join takes a row that has been added to the buffer.
func (p *passing) join(ts int64, key []byte, where at) {
	if !p.on || where.bucket != p.bucket {
		return
	}
	from := len(p.keys)
	p.keys = append(p.keys, key...)
	p.rows.push(ts, leaving{where, from, len(p.keys)})
}

// enter makes bucket n the one that time passes.
func (b *buffer) enter(n int64) error {
	p := &b.passing
	if p.on && p.bucket == n {
		return nil
	}
	p.bucket, p.on, p.rows, p.keys = n, true, p.rows[:0], p.keys[:0]
	return b.state.Scan(n, func(entry, chunk []byte) error {
		if len(entry) == 0 {
			return nil
		}
		key, number, ok := splitEntry(entry)
		if len(chunk) < chunkHeader || !ok {
			return op.ErrRow
		}
		r := &b.found
		*r = stored{at: at{bucket: n, chunk: number}}
		return r.each(chunk, types.Never, types.Forever, func(r *stored) error {
			if r.fate == waits && r.ts > b.through {
				p.join(r.ts, key, r.at)
			}
			return nil
		})
	})
}

// pass shows the unmatched rows with a ts up to limit, bucket by bucket, the earliest first. They are unmatched no longer.
func (b *buffer) pass(limit int64, leave func(key []byte, r *stored) error) error {
	for {
		n, ok := b.first()
		if !ok || n*b.size > limit {
			break
		}
		if err := b.enter(n); err != nil {
			return err
		}
		p := &b.passing
		for len(p.rows) > 0 && p.rows[0].key <= limit {
			next := p.rows[0].item
			p.rows.pop()
			if err := b.leave(p.keys[next.from:next.to], next.at, leave); err != nil {
				return err
			}
		}
		if b.unmatched[n] > 0 {
			break // time has not come to its end
		}
	}
	b.through = max(b.through, limit)
	return nil
}

// leave shows a row if it has not found a match meanwhile.
func (b *buffer) leave(key []byte, where at, leave func(key []byte, r *stored) error) error {
	chunk, ok, err := b.state.Get(where.bucket, b.entry(key, where.chunk))
	if err != nil || !ok || where.offset >= used(chunk) {
		return missing(err)
	}
	b.seen = append(b.seen[:0], chunk...)
	r := &b.found
	*r = stored{at: where}
	if err := r.read(b.seen); err != nil || r.fate != waits {
		return err
	}
	b.count(where.bucket, -1)
	return leave(key, r)
}

// first is the earliest bucket with unmatched rows.
func (b *buffer) first() (bucket int64, ok bool) {
	for n := range b.unmatched {
		if !ok || n < bucket {
			bucket, ok = n, true
		}
	}
	return bucket, ok
}

// earliest is an instant before which no unmatched row is; ok false when there is none.
func (b *buffer) earliest() (ts int64, ok bool) {
	n, ok := b.first()
	if p := &b.passing; ok && p.on && p.bucket == n && len(p.rows) > 0 {
		return p.rows[0].key, true
	}
	return n * b.size, ok
}
