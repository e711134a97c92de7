package join

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

var (
	streamCols = []types.Type{types.TVarchar, types.TBigInt, types.TTimestamp} // uid, id, as-of
	tableCols  = []types.Type{types.TVarchar, types.TVarchar}                  // uid, name
	errBad     = errors.New("out of range")
)

// rig is a join with naive state.
type rig struct {
	t        *testing.T
	c        StreamTableConfig
	j        *StreamTable
	sink     *optest.Sink
	n        *op.Counters
	versions *optest.Versions
	queue    *optest.Queue
	rel      *optest.Releases
}

func newRig(t *testing.T, change func(*StreamTableConfig)) *rig {
	r := &rig{
		t: t, sink: optest.NewSink(), n: &op.Counters{}, versions: &optest.Versions{}, queue: &optest.Queue{},
		rel: optest.NewReleases(),
	}
	r.c = StreamTableConfig{
		Env: op.Env{Counters: r.n}, Left: true, Stream: streamCols, Table: tableCols,
		StreamKeys: []expr.Expr{optest.Col(0, types.TVarchar)}, TableKeys: []expr.Expr{optest.Col(0, types.TVarchar)},
		Within: 1000, History: 600_000, Versions: r.versions, Queue: r.queue, Releases: r.rel, Next: r.sink,
	}
	if change != nil {
		change(&r.c)
	}
	r.restart()
	return r
}

// restart makes the operator anew over the same state, as after a crash.
func (r *rig) restart() {
	r.t.Helper()
	marks := op.NoMarks
	if r.j != nil {
		marks = r.j.marks
	}
	r.queue.Restore(r.rel.Clock)
	var err error
	if r.j, err = NewStreamTable(r.c); err != nil {
		r.t.Fatal(err)
	}
	r.ok(r.j.Advance(marks))
}

func (r *rig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) table(rows ...optest.Row) {
	r.t.Helper()
	r.ok(r.j.Process(TableInput, optest.Batch(tableCols, rows...)))
}

func (r *rig) stream(rows ...optest.Row) {
	r.t.Helper()
	r.ok(r.j.Process(StreamInput, optest.Batch(streamCols, rows...)))
}

func (r *rig) release(upto, proven int64) {
	r.t.Helper()
	r.rel.Upto, r.rel.Proven = upto, proven
	r.ok(r.j.Release())
}

func (r *rig) advance(w int64) {
	r.t.Helper()
	r.ok(r.j.Advance(op.Marks{W: w, Strict: w}))
}

// expect compares the rows since the last call as "id name", in any order.
func (r *rig) expect(want ...string) {
	r.t.Helper()
	var got []string
	for _, x := range r.sink.Got {
		name := "NULL"
		if x.Vals[4] != nil {
			name = x.Vals[4].(string)
		}
		if x.Vals[3] != nil && x.Vals[4] == nil {
			r.t.Fatalf("a part of the table's row: %v", x)
		}
		got = append(got, fmt.Sprint(x.Vals[1], " ", name))
	}
	r.sink.Got = nil
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		r.t.Fatalf("got  %q\nwant %q", got, want)
	}
	if r.sink.Broken != "" || r.sink.Early > 0 {
		r.t.Fatalf("broken: %q, %d rows below the marks", r.sink.Broken, r.sink.Early)
	}
}

func user(ts int64, uid, name any) optest.Row {
	return optest.Row{Time: ts, Origin: types.Origin{Source: 1, Offset: ts}, Vals: []any{uid, name}}
}

func gone(ts int64, uid string) optest.Row {
	return optest.Row{Time: ts, Deleted: true, Origin: types.Origin{Source: 1, Offset: ts}, Vals: []any{uid, nil}}
}

func click(ts int64, uid any, id int) optest.Row {
	return optest.Row{Time: ts, Origin: types.Origin{Offset: int64(id)}, Vals: []any{uid, id, nil}}
}

// C08: the version valid at the row's time, whatever is in the table by then; an update triggers nothing.
func TestVersionAtEventTime(t *testing.T) {
	r := newRig(t, nil)
	r.table(user(1000, "u1", "Ann"), user(3000, "u1", "Anna"))
	r.stream(click(500, "u1", 0), click(2000, "u1", 1), click(4000, "u1", 2), click(1000, "u1", 3))
	r.expect()
	r.release(4000, types.Never)
	r.expect("0 NULL", "1 Ann", "2 Anna", "3 Ann") // the same instant is included
	r.table(user(5000, "u1", "Later"))
	r.advance(9000)
	r.expect()
}

// The same rows when all is released already: nothing goes through the queue.
func TestReleasedRowsJoinAtOnce(t *testing.T) {
	r := newRig(t, func(c *StreamTableConfig) { c.Left = false })
	r.table(user(1000, "u1", "Ann"), user(3000, "u1", "Anna"))
	r.release(4000, types.Never)
	r.stream(click(500, "u1", 0), click(2000, "u1", 1), click(4000, "u1", 2), click(4001, "u1", 3))
	r.expect("1 Ann", "2 Anna")
	if r.j.Waiting().Rows != 1 || !r.j.Holds() {
		t.Fatal("only the row at 4001 waits")
	}
	r.release(4001, types.Never)
	r.expect("3 Anna")
}

// C15: LEFT keeps rows whose key is NULL, at once, for nothing can match them; INNER drops them.
func TestNullKeys(t *testing.T) {
	for _, left := range []bool{true, false} {
		r := newRig(t, func(c *StreamTableConfig) { c.Left = left })
		r.table(user(100, "u1", "Ann"), user(200, nil, "ghost"))
		r.stream(click(1000, nil, 2), click(1001, nil, 3))
		if left {
			r.expect("2 NULL", "3 NULL")
		} else {
			r.expect()
		}
		r.stream(click(1000, "u1", 1), click(1001, "nope", 4))
		r.release(2000, types.Never)
		if left {
			r.expect("1 Ann", "4 NULL")
		} else {
			r.expect("1 Ann")
		}
	}
	r := newRig(t, func(c *StreamTableConfig) { c.NullSafe = []bool{true} })
	r.table(user(200, nil, "ghost"))
	r.stream(click(1000, nil, 2))
	r.expect()
	r.release(2000, types.Never)
	r.expect("2 ghost")
}

// C19: a deletion ends the row, one of an unknown row does nothing, and the row may come again.
func TestTombstones(t *testing.T) {
	for _, left := range []bool{true, false} {
		r := newRig(t, func(c *StreamTableConfig) { c.Left = left })
		r.table(gone(900, "u9"), user(1000, "u1", "Ann"), gone(2000, "u1"), user(3000, "u1", "Ana"))
		r.stream(click(1500, "u1", 1), click(2500, "u1", 2), click(3500, "u1", 3))
		r.release(4000, types.Never)
		if left {
			r.expect("1 Ann", "2 NULL", "3 Ana")
		} else {
			r.expect("1 Ann", "3 Ana")
		}
	}
}

// C20 for a join: what waits is state, and proofs are taken anew.
func TestRestartKeepsWaitingRows(t *testing.T) {
	r := newRig(t, nil)
	r.rel.Clock = 10
	r.table(user(1000, "u1", "Ann"))
	r.stream(click(2000, "u1", 1))
	r.advance(5000)
	if r.sink.Marks.W != 1999 {
		t.Fatal(r.sink.Marks)
	}
	r.rel.Clock = 70
	r.restart()
	if b := r.j.Waiting(); b.Rows != 1 || b.Bytes == 0 || b.Oldest != 70 || b.Latest != 70 || !r.j.Holds() {
		t.Fatal(b)
	}
	r.release(types.Never, 69) // a proof from before the restart
	r.expect()
	r.release(types.Never, 70)
	r.expect("1 Ann")
	if r.sink.Marks.W != 5000 || r.j.Holds() {
		t.Fatal("nothing waits any more", r.sink.Marks)
	}
}

// Rows leave in the order in which they are free, not that of their instants: a proof is about arrivals.
func TestProofReleasesByArrival(t *testing.T) {
	r := newRig(t, nil)
	r.table(user(1000, "u1", "Ann"))
	r.rel.Clock = 1
	r.stream(click(5000, "u1", 1))
	r.rel.Clock = 2
	r.stream(click(3000, "u1", 2))
	r.rel.Clock = 3
	r.stream(click(4000, "u1", 3), click(6000, "u1", 4))
	check := func(rows int, oldest, latest, w int64) {
		t.Helper()
		r.advance(4999)
		if b := r.j.Waiting(); b.Rows != rows || b.Oldest != oldest || b.Latest != latest || r.sink.Marks.W != w {
			t.Fatal(b, r.sink.Marks)
		}
	}
	check(4, 1, 3, 2999)
	r.release(types.Never, 1)
	r.expect("1 Ann")
	check(3, 2, 3, 2999)
	r.release(3500, 1)
	r.expect("2 Ann")
	check(2, 3, 3, 3999)
	r.release(3500, 3)
	r.expect("3 Ann", "4 Ann")
	check(0, 0, 0, 4999)
}

// S5: a late table row (below the release watermark of its own partition) is kept, but only rows above that watermark see
// it; so it is no matter whether it was read before or after they were released, and it never hides a newer version.
func TestLateTableRows(t *testing.T) {
	late := func() optest.Row {
		x := user(1500, "u1", "Late")
		x.Seen = 4999 // the partition's W: maxTs 5000, disorder 0. R = 4999 - 1000
		return x
	}
	for _, before := range []bool{true, false} {
		var lateness int64
		r := newRig(t, func(c *StreamTableConfig) {
			c.LateVersion = func(_ *vector.Batch, _ int, l int64) { lateness = l }
		})
		r.table(user(1000, "u1", "Ann"), user(4500, "u1", "New"), user(5000, "u2", "Bob"))
		if before {
			r.table(late())
		}
		r.stream(click(2000, "u1", 1), click(3999, "u1", 2), click(4000, "u1", 3), click(4600, "u1", 4))
		r.release(3999, types.Never)
		r.expect("1 Ann", "2 Ann")
		if !before {
			r.table(late())
		}
		r.release(types.Never, r.rel.Clock)
		r.expect("3 Late", "4 New")
		// A disorder of 3500 gives W = 1499 before it: in time. That is 3500 more than 0.
		if r.n.LateTable != 1 || lateness != 3500 || r.n.OldUpdates != 1 || r.n.LateReleased != map[bool]int64{true: 0, false: 1}[before] {
			t.Fatalf("%+v %d", *r.n, lateness)
		}
	}
}

// The slack is max(disorder, WITHIN) - disorder: a disorder above WITHIN leaves none.
func TestLateTableSlack(t *testing.T) {
	for _, c := range []struct{ disorder, seen, late int64 }{
		{0, 2499, 0}, {0, 2500, 1}, {400, 2099, 0}, {400, 2100, 1}, {3000, 1499, 0}, {3000, 1500, 1},
	} {
		r := newRig(t, func(x *StreamTableConfig) { x.Disorder = c.disorder })
		x := user(1500, "u1", "Ann")
		x.Seen = c.seen
		r.table(x)
		if r.n.LateTable != c.late {
			t.Errorf("disorder %d, W %d: %d late", c.disorder, c.seen, r.n.LateTable)
		}
	}
}

func TestResidual(t *testing.T) {
	// id > 1, and name must not be "bad", which cannot be computed.
	cond := &optest.Func{T: types.TBoolean, F: func(vals []any) (any, error) {
		if vals[4] == nil || vals[4] == "bad" {
			return nil, errBad
		}
		if vals[1].(int64) > 1 {
			return 1, nil
		}
		return 0, nil
	}}
	for _, left := range []bool{true, false} {
		r := newRig(t, func(c *StreamTableConfig) { c.Left, c.Residual = left, cond })
		r.table(user(1000, "u1", "Ann"), user(1000, "u2", "bad"))
		r.release(9000, types.Never)
		for range 2 {
			r.n.BadExpr = 0
			r.stream(click(2000, "u1", 1), click(2000, "u1", 2), click(2000, "none", 3), click(2000, "u2", 4))
			if left {
				r.expect("1 NULL", "2 Ann", "3 NULL")
			} else {
				r.expect("2 Ann")
			}
			if r.n.BadExpr != 1 {
				t.Fatal("a row without a match has nothing to compute", r.n.BadExpr)
			}
		}
	}
}

// With AS OF, the instant decides about version, release and lateness; the row keeps its own ts, also as the bound of W_out.
func TestAsOf(t *testing.T) {
	r := newRig(t, func(c *StreamTableConfig) {
		c.AsOf, c.History = optest.Col(2, types.TTimestamp), 1000
	})
	at := func(ts, asOf int64, id int) optest.Row {
		x := click(ts, "u1", id)
		if x.Vals[2] = asOf; asOf < 0 {
			x.Vals[2] = nil
		}
		return x
	}
	r.table(user(1000, "u1", "Ann"), user(3000, "u1", "Anna"))
	r.stream(at(5000, 1500, 1), at(4500, 3000, 2), at(4000, -1, 3))
	r.expect("3 NULL") // at no instant is anything valid
	r.advance(2400)
	r.release(1500, types.Never)
	r.expect("1 Ann")
	r.advance(6000)
	if r.sink.Marks.W != 4499 {
		t.Fatal(r.sink.Marks)
	}
	r.restart()
	r.advance(6000)
	if r.sink.Marks.W != 4499 || r.n.LateAfterIdle != 0 {
		t.Fatal(r.sink.Marks)
	}
	r.release(3000, types.Never)
	r.expect("2 Anna")
	r.stream(at(7000, 5001, 4), at(7000, 5000, 5))
	r.release(9000, types.Never)
	r.expect("4 Anna")
	if r.n.LateAfterIdle != 1 {
		t.Fatal("as-of 5000 + history 1000 <= W 6000 is late", *r.n)
	}
}

// AS OF LATEST waits for the load once, then takes what the table holds.
func TestLatest(t *testing.T) {
	r := newRig(t, func(c *StreamTableConfig) { c.Latest = true })
	late := user(1000, "u1", "Ann")
	late.Seen = 900_000
	r.table(late, user(9000, "u1", "Anna"))
	r.stream(click(500, "u1", 1), click(400, nil, 2))
	r.expect("2 NULL")
	r.advance(450)
	r.release(types.Never, r.rel.Clock)
	r.expect("1 Anna")
	r.rel.Clock = 50
	r.table(user(8000, "u1", "Old"), user(10000, "u1", "Newest"))
	r.advance(700_000)
	r.stream(click(600, "u1", 3))
	r.sink.Early = 0 // a row below W, here on purpose: with LATEST no row is late
	r.expect("3 Newest")
	if r.n.LateTable+r.n.LateReleased+r.n.LateAfterIdle != 0 || r.versions.Len() != 1 {
		t.Fatal(*r.n, r.versions.Len())
	}
}

// The history goes behind min(W, oldest waiting instant) - history, and only versions with a newer one there.
func TestExpire(t *testing.T) {
	r := newRig(t, func(c *StreamTableConfig) { c.History = 1000 })
	r.table(user(1000, "u1", "A"), user(2000, "u1", "B"), user(3000, "u1", "C"))
	r.stream(click(2500, "u1", 1))
	r.advance(9000)
	if r.versions.Len() != 3 {
		t.Fatal("a row waits at 2500: as-of instants down to 1500 need A")
	}
	r.release(2500, types.Never)
	r.expect("1 B")
	r.advance(3999)
	if r.versions.Len() != 1 {
		t.Fatal("W = 9000 leaves C only")
	}
	r.advance(types.Forever)
	if r.versions.Len() != 1 {
		t.Fatal("a table lasts longer than its stream")
	}
}

// A late version hides the one before it only from instants above its R: one that waits at R still needs the older.
func TestExpireSparesWhatALateVersionDoesNotHide(t *testing.T) {
	r := newRig(t, func(c *StreamTableConfig) { c.History = 0 })
	late := user(1500, "u1", "Late")
	late.Seen = 3000 // R = 2000
	r.table(user(1000, "u1", "Ann"), late)
	r.stream(click(2000, "u1", 1))
	r.advance(5000)
	r.release(2000, types.Never)
	r.expect("1 Ann")
}

func TestFailedKeyRows(t *testing.T) {
	bad := &optest.Func{T: types.TVarchar, F: func(vals []any) (any, error) {
		if vals[0] == "bad" {
			return nil, errBad
		}
		return vals[0], nil
	}}
	r := newRig(t, func(c *StreamTableConfig) { c.StreamKeys, c.TableKeys = []expr.Expr{bad}, []expr.Expr{bad} })
	r.table(user(1, "bad", "x"), user(1, "u1", "Ann"))
	r.release(100, types.Never)
	r.stream(click(5, "bad", 1), click(6, "u1", 2))
	r.expect("2 Ann")
	if r.n.BadExpr != 2 {
		t.Fatal(*r.n)
	}
}
