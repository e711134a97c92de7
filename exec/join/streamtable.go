// Package join holds the join operators.
package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Inputs of Process.
const (
	StreamInput = 0
	TableInput  = 1
)

// StreamTableConfig configures StreamTable. Durations are microseconds.
type StreamTableConfig struct {
	Env         op.Env
	TableEnv    op.Env       // what is counted and reported of the table's rows; no Counters: Env
	Left        bool         // LEFT JOIN: unmatched rows with NULLs
	Stream      []types.Type // columns of the stream
	Table       []types.Type // columns of the table
	StreamKeys  []expr.Expr  // over the stream, of the types of TableKeys
	TableKeys   []expr.Expr  // over the table: its primary key, unless Index is there
	Primary     []expr.Expr  // with Index: the primary key
	NullSafe    []bool       // per key: <=> instead of =; nil: none
	Residual    expr.Expr    // over the stream's columns, then the table's; nil: none
	AsOf        expr.Expr    // over the stream; nil: the row's ts
	Latest      bool         // AS OF LATEST
	Within      int64
	Correct     int64 // how far behind the table's release watermark rows are corrected, which makes the output changes; 0: never
	History     int64
	Disorder    int64       // of the table's source
	Versions    op.Versions // rows are vector.AppendRow of Table, of a broadcast table with what index puts before them
	Once        bool        // with Index: the first match of a row is enough
	Index       op.Sorted   // of a broadcast table, which is joined by any columns or none, so that many rows match; else nil
	Queue       op.Queue    // rows are op.AppendRow of Stream, TS is the as-of instant
	Released    op.Windows  // with Correct: the rows that may be corrected
	Releases    op.Releases
	LateVersion op.LateVersion // nil: late table rows are only counted
	Next        op.Next
}

// Slack is how far the release watermark of a source partition of the table stands below its W.
func (c *StreamTableConfig) Slack() int64 { return max(c.Disorder, c.Within) - c.Disorder }

// StreamTable joins each stream row with the table row valid at its as-of instant (semantics S5); of a broadcast table, with
// all rows valid then for which the condition holds. A row waits in the queue until the table's inputs have released it. The
// marks are those of the stream: W_out stays below the rows that wait. With Correct, a row that has gone out is taken back
// (vector.Batch.Deleted) when a version comes that changes it.
type StreamTable struct {
	c       StreamTableConfig
	instant *op.Evaluator // AsOf
	keys    matchKeys     // of the stream's batch at hand
	probe   matcher
	tab     *tableSide
	correct *corrector // nil: what was joined stays
	marks   op.Marks
	wait    waiting
	// loaded: a Latest join waits for the table once.
	loaded bool
	// expired is the horizon of the last Expire.
	expired int64

	row  []byte
	asOf []int64
	rows []int32
	held *vector.Batch // rows on their way out of the queue
	read op.RowReader
}

// matcher hands on the given rows of b, whose keys were computed, joined at the given instants; types.Never matches nothing.
type matcher interface {
	join(b *vector.Batch, rows []int32, asOf []int64) error
}

// NewStreamTable makes a StreamTable; the queue may hold rows from before a restart.
func NewStreamTable(c StreamTableConfig) (*StreamTable, error) {
	j := &StreamTable{
		c: c, keys: newMatchKeys(c.Env, c.StreamKeys, c.NullSafe), marks: op.NoMarks, expired: types.Never,
		held: vector.NewBatch(c.Stream, 0),
	}
	if err := j.sides(); err != nil {
		return nil, err
	}
	if c.AsOf != nil {
		j.instant = c.Env.NewEvaluator(c.AsOf)
	}
	if c.Queue.Len() == 0 {
		return j, nil
	}
	err := c.Queue.Ascend(func(it op.Item) (remove, stop bool, err error) {
		ts, _, err := op.RowOrder(it.Row)
		j.wait.add(ts, it.Arrival)
		return false, err != nil, err
	})
	return j, err
}

// sides makes what writes the table's rows and what finds them.
func (j *StreamTable) sides() (err error) {
	if j.c.Index != nil {
		if j.tab, err = newTableSide(&j.c, nil); err != nil {
			return err
		}
		j.probe = newManyProber(&j.c, &j.keys, j.tab.index)
		return nil
	}
	p := newProber(&j.c, &j.keys)
	j.probe = p
	if j.c.Correct > 0 {
		if j.correct, err = newCorrector(&j.c, p); err != nil {
			return err
		}
	}
	j.tab, err = newTableSide(&j.c, j.correct)
	return err
}

// Process takes rows of the stream (StreamInput) or of the table (TableInput).
func (j *StreamTable) Process(in int, b *vector.Batch) error {
	if in == TableInput {
		return j.tab.put(b)
	}
	return j.stream(b)
}

// stream joins the released rows of b and puts the others in the queue.
func (j *StreamTable) stream(b *vector.Batch) error {
	if err := j.keys.eval(b); err != nil {
		return err
	}
	instants, err := j.instants(b)
	if err != nil {
		return err
	}
	now := j.c.Releases.Arrival()
	released := j.judge(now)
	j.rows, j.asOf = j.rows[:0], j.asOf[:0]
	for i := range b.N {
		at, ok := instants.at(i)
		switch {
		case j.keys.failed(i) || instants.bad != nil && instants.bad[i] != nil:
		case ok && !j.c.Latest && j.marks.W >= at+j.c.History:
			j.c.Env.Counters.LateAfterIdle++
		case !ok || j.keys.null(i):
			// No version can match, whatever the table will hold.
			if j.c.Left {
				j.rows, j.asOf = append(j.rows, int32(i)), append(j.asOf, types.Never)
			}
		case released(at):
			j.rows, j.asOf = append(j.rows, int32(i)), append(j.asOf, at)
		default:
			if err := j.hold(b, i, at, now); err != nil {
				return err
			}
		}
	}
	return j.join(b)
}

func (j *StreamTable) hold(b *vector.Batch, i int, asOf, now int64) error {
	it := op.Item{TS: asOf, Arrival: now}
	if b.Origin != nil {
		it.Origin = b.Origin[i]
	}
	j.row = op.AppendRow(j.row[:0], b, i)
	it.Row = j.row
	j.wait.add(b.Time[i], now)
	return j.c.Queue.Push(it)
}

// join probes the rows of b chosen in j.rows, at j.asOf.
func (j *StreamTable) join(b *vector.Batch) error {
	if len(j.rows) == 0 {
		return nil
	}
	for _, at := range j.asOf {
		if !j.c.Latest {
			j.tab.released = max(j.tab.released, at)
		}
	}
	if err := j.probe.join(b, j.rows, j.asOf); err != nil || j.correct == nil {
		return err
	}
	return j.correct.keep(b, j.rows, j.asOf)
}

// Advance takes the marks of the stream, emits what is released and forgets versions that no row can see any more.
func (j *StreamTable) Advance(m op.Marks) error {
	j.marks = j.marks.Raise(m)
	if err := j.Release(); err != nil {
		return err
	}
	return j.expire()
}

func (j *StreamTable) expire() error {
	horizon := j.marks.W
	if first, ok := j.c.Queue.First(); ok {
		horizon = min(horizon, first)
	}
	if j.c.Latest {
		horizon = types.Forever
	} else {
		if horizon <= types.Never || horizon >= types.Forever {
			return nil
		}
		// Rows still to come have as-of instants above W - history, the waiting ones from the first one's. A version is
		// visible to instants above Visible only, hence 1 µs less.
		horizon -= j.c.History + 1
	}
	if j.correct != nil {
		horizon = min(horizon, j.correct.earliest()-1) // what a row was joined with is looked up again
	}
	if horizon <= j.expired && !j.c.Latest {
		return nil
	}
	j.expired = horizon
	return j.tab.expire(horizon)
}

// Horizon is an instant before which the table is not looked at any more, types.Never: none is known.
func (j *StreamTable) Horizon() int64 { return j.expired }

// Release emits the waiting rows that are released by now, and hands on W_out.
func (j *StreamTable) Release() error {
	for more := j.c.Queue.Len() > 0; more; {
		var err error
		if more, err = j.take(); err != nil {
			return err
		}
		if err := j.emitHeld(); err != nil {
			return err
		}
	}
	if j.correct != nil {
		if err := j.correct.forget(); err != nil {
			return err
		}
	}
	out := j.marks
	if ts, ok := j.wait.earliest(); ok {
		out = out.Below(ts)
	}
	return j.c.Next.Advance(out)
}

// take moves up to a chunk of released rows from the queue into j.held; more says that it stopped at a full chunk.
func (j *StreamTable) take() (more bool, err error) {
	j.rows, j.asOf = j.rows[:0], j.asOf[:0]
	err = j.c.Queue.Ascend(func(it op.Item) (remove, stop bool, err error) {
		if !j.free(it.TS, it.Arrival) {
			// Nothing after it is released if it were not even for the longest waiting row.
			oldest := j.wait.oldest()
			return false, it.Arrival <= oldest || !j.free(it.TS, oldest), nil
		}
		if err := j.read.Append(j.held, it.Row); err != nil {
			return false, true, err
		}
		j.rows, j.asOf = append(j.rows, int32(len(j.rows))), append(j.asOf, it.TS)
		j.wait.remove(j.held.Time[j.held.N-1], it.Arrival)
		more = j.held.N >= op.ChunkRows
		return true, more, nil
	})
	return more, err
}

func (j *StreamTable) emitHeld() error {
	if j.held.N == 0 {
		return nil
	}
	defer j.held.Reset()
	if err := j.keys.eval(j.held); err != nil {
		return err
	}
	return j.join(j.held)
}

// Holds says whether a row waits.
func (j *StreamTable) Holds() bool { return j.c.Queue.Len() > 0 }

// Waiting implements op.Releaser.
func (j *StreamTable) Waiting() op.Backlog {
	return op.Backlog{Rows: j.c.Queue.Len(), Bytes: j.c.Queue.Bytes(), Oldest: j.wait.oldest(), Latest: j.wait.latest()}
}
