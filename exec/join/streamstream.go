package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// The sides of a join of two equal inputs, which are also the inputs of Process.
const (
	Left  = 0
	Right = 1
)

// Side is one of the two streams.
type Side struct {
	Columns []types.Type
	Keys    []expr.Expr // over Columns, of the types of the other side's
	Outer   bool        // a row without a match goes out with NULLs
	// Reach is how much later than a row of this side its partner may be, microseconds.
	Reach int64
	State op.Windows
}

// StreamStreamConfig configures StreamStream.
type StreamStreamConfig struct {
	Env         op.Env
	Left, Right Side
	NullSafe    []bool    // per key: <=> instead of =; nil: none
	Residual    expr.Expr // over the left columns, then the right ones; nil: none
	Grace       int64     // how late a row may be, microseconds
	Next        op.Next
}

// StreamStream pairs the rows of two streams that are near each other in time: those with -right.Reach <= right.ts - left.ts
// <= left.Reach. A pair goes out when the later of its rows has been read, with the larger ts. A row of an outer side
// that finds no match goes out once, when no partner can come any more (semantics S3).
//
// One mark is the time of both sides, the earlier of theirs, as everywhere. The other side's alone would let an unmatched row
// go sooner when its own side is the one that is behind; the answer is the same.
type StreamStream struct {
	c       StreamStreamConfig
	keys    [2]matchKeys
	buffers [2]*buffer
	pairs   *pairs
	marks   op.Marks

	// the row at hand
	side  int
	batch *vector.Batch
	row   int
	own   at
	key   []byte
	found func(*stored) error
}

// NewStreamStream makes a StreamStream; the states may hold rows from before a restart.
func NewStreamStream(c StreamStreamConfig) (*StreamStream, error) {
	j := &StreamStream{c: c, pairs: newPairs(&c), marks: op.NoMarks}
	for i, s := range [2]Side{c.Left, c.Right} {
		b, err := newBuffer(s, c.Left.Reach+c.Right.Reach, s.Reach+c.Grace)
		if err != nil {
			return nil, err
		}
		j.keys[i], j.buffers[i] = newMatchKeys(c.Env, s.Keys, c.NullSafe), b
	}
	j.found = j.pair
	return j, nil
}

// Process takes rows of a side.
func (j *StreamStream) Process(side int, b *vector.Batch) error {
	j.side, j.batch = side, b
	if err := j.keys[side].eval(b); err != nil {
		return err
	}
	for i := range b.N {
		if j.keys[side].failed(i) {
			continue
		}
		if j.marks.W > types.Never && j.marks.W >= b.Time[i]+j.c.Grace {
			j.c.Env.Counters.LateAfterIdle++
			continue
		}
		j.row = i
		if err := j.take(); err != nil {
			return err
		}
	}
	return j.flush()
}

// take looks for the partners of the row at hand and keeps it for those to come.
func (j *StreamStream) take() (err error) {
	ts, own, other := j.batch.Time[j.row], j.buffers[j.side], j.buffers[1-j.side]
	if j.keys[j.side].null(j.row) { // nothing will ever match
		if own.outer {
			j.pairs.unpaired(j.side, j.batch, j.row)
		}
		return j.spill()
	}
	j.key = j.keys[j.side].append(j.key[:0], j.row)
	if j.own, err = own.add(j.batch, j.row, j.key); err != nil {
		return err
	}
	j.pairs.begin(j.key)
	return other.near(j.key, ts-other.reach, ts+own.reach, j.found)
}

// pair pairs the row at hand with one of the other side.
func (j *StreamStream) pair(r *stored) error {
	if err := j.pairs.add(j.side, j.batch, j.row, r); err != nil {
		return err
	}
	if j.buffers[j.side].outer {
		j.pairs.claim(j.side, j.own)
	}
	if r.fate == waits {
		j.pairs.claim(1-j.side, r.at)
	}
	return j.spill()
}

func (j *StreamStream) spill() error {
	if !j.pairs.full() {
		return nil
	}
	return j.pairs.flush(&j.buffers)
}

func (j *StreamStream) flush() error {
	if err := j.pairs.flush(&j.buffers); err != nil {
		return err
	}
	for _, b := range j.buffers {
		if err := b.store(); err != nil {
			return err
		}
	}
	return nil
}

// Advance takes the earlier mark of the two sides: it forgets the rows for which no partner can come any more, and emits
// those of an outer side that found none.
func (j *StreamStream) Advance(m op.Marks) error {
	j.marks = j.marks.Raise(m)
	for side := range j.buffers {
		var err error
		if j.marks.W >= types.Forever {
			err = j.end(side)
		} else {
			err = j.expire(side)
		}
		if err != nil {
			return err
		}
	}
	if err := j.flush(); err != nil {
		return err
	}
	return j.c.Next.Advance(j.out())
}

// expire sends the unmatched rows that no accepted row can reach any more, for it would be later than W - grace, and drops
// the buckets that hold no others.
func (j *StreamStream) expire(side int) error {
	b := j.buffers[side]
	if j.marks.W <= types.Never {
		return nil
	}
	limit := j.marks.W - b.reach - j.c.Grace
	if b.outer {
		if err := b.pass(limit, func(_ []byte, r *stored) error { return j.alone(side, r) }); err != nil {
			return err
		}
	}
	return b.forget(limit)
}

func (j *StreamStream) alone(side int, r *stored) error {
	if err := j.pairs.alone(side, r); err != nil {
		return err
	}
	return j.spill()
}

// end sends all unmatched rows: a bounded run has ended. The others stay for the rows of the next run (semantics S8).
func (j *StreamStream) end(side int) error {
	b := j.buffers[side]
	through := b.through
	err := b.pass(types.Forever, func(key []byte, r *stored) error {
		if err := j.alone(side, r); err != nil {
			return err
		}
		return b.lapse(key, r.at)
	})
	b.through = through // time has not come that far
	return err
}

// out is W_out: below what may still be accepted, and below the rows that wait for their first match (semantics S2).
func (j *StreamStream) out() op.Marks {
	m := j.marks
	for _, w := range []*int64{&m.W, &m.Strict} {
		if *w > types.Never && *w < types.Forever {
			*w -= j.c.Grace
		}
	}
	for _, b := range j.buffers {
		if ts, ok := b.earliest(); ok {
			m = m.Below(ts)
		}
	}
	return m
}

// Holds says whether a row waits for its first match.
func (j *StreamStream) Holds() bool {
	return len(j.buffers[Left].unmatched) > 0 || len(j.buffers[Right].unmatched) > 0
}

// Due is when the earliest row without a match may leave.
func (j *StreamStream) Due() (watermark int64, ok bool) {
	watermark = types.Forever
	for _, b := range j.buffers {
		if ts, some := b.earliest(); some {
			watermark, ok = min(watermark, ts+b.reach+j.c.Grace), true
		}
	}
	return watermark, ok
}
