// Package op holds what operators are: the contracts between them, their state as they see it, and the stateless
// operators. Operators see neither Kafka nor Pebble nor the planner; they never block and start no goroutine.
package op

import (
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Marks are the watermarks that travel with the rows, microseconds of event time.
type Marks struct {
	// W: no more rows with ts <= W are expected, idle inputs left out. types.Forever: the bounded input has ended.
	W int64
	// Strict is the same over all inputs, idle ones included: it never jumps (semantics S4, W_strict).
	Strict int64
	// End, where W is types.Forever, is how far the rows of the input reach (semantics S8): what goes with time, and not with the end, is judged by it.
	End int64
}

// Time is how far event time has come: W, or at the end of the input what its rows reach.
func (m Marks) Time() int64 {
	if m.W >= types.Forever {
		return m.End
	}
	return m.W
}

// Min combines the marks of two inputs.
func (m Marks) Min(o Marks) Marks {
	return Marks{W: min(m.W, o.W), Strict: min(m.Strict, o.Strict), End: max(m.End, o.End)}
}

// Next is what an operator hands its output to: the next operator, a shuffle, or a sink.
type Next interface {
	// Push hands on rows. The receiver reads the batch until Push returns: it must copy what it keeps, and change nothing, since
	// others may be given the same batch.
	Push(b *vector.Batch) error
	// Advance hands on W_out (semantics S2). It may be called with the same or lower marks: the link keeps the maximum.
	Advance(m Marks) error
}

// Operator is one step of a fragment. Calls are sequential. An error ends the query.
type Operator interface {
	// Process takes rows of input in (0, or 1 for the table side of a join).
	Process(in int, b *vector.Batch) error
	// Advance takes the marks of the stream inputs, which never fall: the operator emits what they close and then hands
	// its own W_out to the next. Rows of the same step come before.
	Advance(m Marks) error
}

// Holder is an operator that withholds rows or has open windows: its task stays ACTIVE meanwhile (semantics S2).
type Holder interface {
	Holds() bool
}

// Timed is a Holder that lets go of rows or windows as time passes.
type Timed interface {
	Holder
	// Due is the watermark at which the earliest of what it holds leaves; ok false when it holds nothing.
	Due() (watermark int64, ok bool)
}

// Releases tells a stream-table join how far its table is (semantics S5). The task implements it from the table inputs'
// strict watermarks and caught-up proofs.
type Releases interface {
	// Released says whether every table input partition has released a stream row of this as-of instant which arrived
	// at arrival (this instance's clock, microseconds).
	Released(asOf, arrival int64) bool
	// Arrival is the arrival time to note for rows processed now.
	Arrival() int64
	// Passed is the release mark of the table input that is furthest behind, by strict watermarks alone: each table row still to
	// come has a mark of its own partition, just before it, at or above. types.Never while an input has none.
	Passed() int64
}

// Releaser is an operator whose withheld rows depend on Releases: the task calls Release whenever those may have changed.
type Releaser interface {
	Release() error
	// Waiting is what it withholds now.
	Waiting() Backlog
}

// Backlog is what an operator withholds.
type Backlog struct {
	Rows           int
	Bytes          int64
	Oldest, Latest int64 // arrivals, microseconds of this instance's clock; 0 when there is nothing
}

// Counters are what an operator drops or meets, by reason. They are part of the task's committed meta record.
type Counters struct {
	LateAfterIdle int64 // rows of windows closed meanwhile because their partition was declared idle
	LateTable     int64 // table rows below their own partition's release watermark (kept, seen by later rows only)
	LateReleased  int64 // table rows at or below the highest stream ts released already
	OldUpdates    int64 // table rows older than the newest version of their key
	BadExpr       int64 // rows dropped because an expression could not be computed
	Filtered      int64 // rows dropped by a filter
}

// Fail is how an operator reports a row that could not be computed; the task counts, samples and applies on_error.
// A non-nil error stops the query.
type Fail func(b *vector.Batch, row int, err error) error

// LateVersion is how a late table row is reported. Lateness is how much larger (µs) the table's disorder would have to be
// for it to be in time.
type LateVersion func(b *vector.Batch, row int, lateness int64)

// ReleaseMark is how far the source partition of row i had released the rows of a stream just before it (semantics S5): its watermark
// less slack = max(disorder, WITHIN) - disorder. late says that the row is not above that: then only instants above the mark may see it.
func ReleaseMark(b *vector.Batch, i int, slack int64) (mark int64, late bool) {
	if b.Seen == nil || b.Seen[i] <= types.Never {
		return types.Never, false
	}
	mark = b.Seen[i] - slack
	return mark, b.Time[i] <= mark
}

// Version is one version of a table row.
type Version = types.Version

// Validity is what an instant sees of a table row, and when that is so.
type Validity = types.Validity

// Windows is state keyed by a window and a key (storage/keys). Time-first: a window goes as a whole. What is called start
// here is any number that orders the windows: their starts, or their numbers.
type Windows interface {
	// Add puts a key without a value if it is absent and says whether it was.
	Add(start int64, key []byte) (added bool, err error)
	// Get returns the value, valid until the next call.
	Get(start int64, key []byte) (value []byte, ok bool, err error)
	// Modify returns the value to be changed in place (not in length), and counts as a Put. Valid until the next call.
	Modify(start int64, key []byte) (value []byte, ok bool, err error)
	Put(start int64, key, value []byte) error
	// Starts are the open windows' starts, ascending. The slice must not be changed; valid until the next call.
	Starts() []int64
	// Scan visits a window's entries in key order.
	Scan(start int64, visit func(key, value []byte) error) error
	// Drop removes a window.
	Drop(start int64) error
}

// Map is state keyed by a key, without time.
type Map interface {
	Get(key []byte) (value []byte, ok bool, err error)
	Modify(key []byte) (value []byte, ok bool, err error)
	Put(key, value []byte) error
	Delete(key []byte) error
	// Scan visits all entries in key order.
	Scan(visit func(key, value []byte) error) error
}

// Sorted is state keyed by a group and, within it, by an ordered key. Both are any bytes; with those of storage/keys the
// entries of a group order as their keys' values do.
//
// A visit may read and change the state, the entry visited too: entries it adds are visited when they lie ahead. It must not
// begin another visit of the same state. The key is valid until the visit returns, the value until the next call.
type Sorted interface {
	// Get returns the value, valid until the next call.
	Get(group, key []byte) (value []byte, ok bool, err error)
	// Modify returns the value to be changed in place (not in length), and counts as a Put. Valid until the next call.
	Modify(group, key []byte) (value []byte, ok bool, err error)
	Put(group, key, value []byte) error
	Delete(group, key []byte) error
	// Ascend visits the entries of a group with from <= key < to (nil: no bound) in key order until stop.
	Ascend(group, from, to []byte, visit func(key, value []byte) (stop bool, err error)) error
	// Descend visits the same entries from the greatest key down.
	Descend(group, from, to []byte, visit func(key, value []byte) (stop bool, err error)) error
	// Scan visits all entries, groups in byte order. Nothing may be changed meanwhile.
	Scan(visit func(group, key, value []byte) error) error
}

// Versions is a table with history.
type Versions interface {
	// Put adds a version and says whether a version with a larger (ts, origin) of that key was there already.
	Put(key []byte, v Version) (older bool, err error)
	// AsOf returns the row of key valid at an instant: of the versions with TS <= at and Visible < at the last by (TS,
	// Origin); ok false when there is none or it is a deletion. Valid until the next call.
	AsOf(key []byte, at int64) (row []byte, ok bool, err error)
	// During is AsOf, with the instants at which the same holds.
	During(key []byte, at int64) (Validity, error)
	// Newest is the last version by (TS, Origin), which may be a deletion; ok false when there is none. Valid until the next
	// call.
	Newest(key []byte) (v Version, ok bool, err error)
	// Until is how long v would be valid, were it put: the first as-of instant that sees a version of key with a larger (TS,
	// Origin); types.Forever when there is none.
	Until(key []byte, v Version) (int64, error)
	// Expire drops versions that no as-of instant >= horizon can see: those with a newer version of their key whose TS
	// and Visible are <= horizon. It may do less than asked, a little at each call.
	Expire(horizon int64) error
}

// Item is a withheld row.
type Item = types.Item

// Queue is withheld rows in (TS, Origin) order.
type Queue interface {
	Push(it Item) error
	// Ascend visits items in order until stop; those for which remove is true leave the queue.
	Ascend(visit func(it Item) (remove, stop bool, err error)) error
	Len() int
	Bytes() int64
	// First is the smallest TS waiting; ok false when empty.
	First() (ts int64, ok bool)
}
