package dedup

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// WithinConfig configures Within.
type WithinConfig struct {
	Env     op.Env
	On      []expr.Expr
	Columns []types.Type // of the input and the output
	Within  int64        // µs
	// Touches: a row counts from the last one of its key, not from the last that passed, and a distance of exactly Within is none.
	Touches bool
	Queue   op.Queue // rows that the watermark has not reached
	// Passed holds, in the bucket floor(ts/Within) and per key, the ts of the row that passed (8 bytes). Rows that
	// passed are at least Within apart, so a bucket has at most one. With Touches it is that of the last row.
	Passed op.Windows
	Next   op.Next
}

// Within lets a row pass unless one of its key passed less than Within before it. That is decided in (ts, origin) order
// (semantics S6), so rows wait until the watermark reaches their ts; W_out stays below the earliest one waiting.
type Within struct {
	c      WithinConfig
	on     *op.Evaluator
	rows   *op.Withheld
	bucket op.Window
	marks  op.Marks
	key    []byte
	val    [8]byte
	out    *vector.Batch
	g      op.Gather
}

// NewWithin makes a Within.
func NewWithin(c WithinConfig) *Within {
	return &Within{
		c: c, on: c.Env.NewEvaluator(c.On...), rows: op.NewWithheld(c.Queue, c.Env.Counters), marks: op.NoMarks, out: vector.NewBatch(c.Columns, 0),
		// A passed row is of interest to its own bucket and the next one: the grace.
		bucket: op.Window{Size: c.Within, Grace: c.Within},
	}
}

// Process puts the rows of b in the queue.
func (w *Within) Process(_ int, b *vector.Batch) error { return w.rows.Keep(b, w.marks.W) }

// Advance decides the rows that m has reached.
func (w *Within) Advance(m op.Marks) error {
	w.marks = w.marks.Raise(m)
	for more := true; more; {
		var err error
		if more, err = w.rows.Take(w.out, w.marks.W); err != nil {
			return err
		}
		if w.out.N > 0 {
			if err := w.decide(); err != nil {
				return err
			}
		}
	}
	if err := op.CloseWindows(w.c.Passed, w.bucket, w.marks.W, nil); err != nil {
		return err
	}
	return w.c.Next.Advance(w.rows.Below(w.marks))
}

// Holds says whether a row waits.
func (w *Within) Holds() bool { return w.rows.Holds() }

// Due is the event time of the earliest row that waits.
func (w *Within) Due() (int64, bool) { return w.rows.Due() }

func (w *Within) decide() error {
	defer w.out.Reset()
	cols := w.on.Eval(w.out)
	bad, err := w.on.Failed(w.out, nil)
	if err != nil {
		return err
	}
	for i := range w.out.N {
		if bad != nil && bad[i] != nil {
			continue
		}
		w.key = keys.AppendRow(w.key[:0], cols, i)
		ok, err := w.pass(w.out.Time[i])
		if err != nil {
			return err
		}
		if ok {
			w.g.Rows = append(w.g.Rows, int32(i))
		}
	}
	return w.g.Push(w.out, w.c.Next)
}

// pass decides one row, later than all before it.
func (w *Within) pass(ts int64) (bool, error) {
	if w.c.Touches {
		return w.touch(ts)
	}
	bucket := w.bucket.First(ts)
	if _, ok, err := w.c.Passed.Get(bucket, w.key); ok || err != nil {
		return false, err
	}
	before, ok, err := w.c.Passed.Get(bucket-1, w.key)
	if err != nil {
		return false, err
	}
	if ok {
		if len(before) != len(w.val) {
			return false, op.ErrRow
		}
		if ts-int64(binary.BigEndian.Uint64(before)) < w.c.Within {
			return false, nil
		}
	}
	binary.BigEndian.PutUint64(w.val[:], uint64(ts))
	return true, w.c.Passed.Put(bucket, w.key, w.val[:])
}

// touch decides one row by the last one of its key, and makes it that.
func (w *Within) touch(ts int64) (pass bool, err error) {
	bucket := w.bucket.First(ts)
	pass = true
	for _, b := range [2]int64{bucket, bucket - 1} {
		last, ok, err := w.c.Passed.Get(b, w.key)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if len(last) != len(w.val) {
			return false, op.ErrRow
		}
		pass = ts-int64(binary.BigEndian.Uint64(last)) > w.c.Within
		break
	}
	binary.BigEndian.PutUint64(w.val[:], uint64(ts))
	return pass, w.c.Passed.Put(bucket, w.key, w.val[:])
}
