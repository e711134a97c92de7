package join

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

var pairCols = []types.Type{types.TVarchar, types.TBigInt} // key, id

// twoStreams is a StreamStream with naive state.
type twoStreams struct {
	t      *testing.T
	c      StreamStreamConfig
	j      *StreamStream
	sink   *optest.Sink
	n      *op.Counters
	states [2]*optest.Windows
}

func newTwoStreams(t *testing.T, before, after int64, change func(*StreamStreamConfig)) *twoStreams {
	x := &twoStreams{t: t, sink: optest.NewSink(), n: &op.Counters{}, states: [2]*optest.Windows{{}, {}}}
	side := func(i int, reach int64) Side {
		return Side{Columns: pairCols, Keys: []expr.Expr{optest.Col(0, types.TVarchar)}, Reach: reach, State: x.states[i]}
	}
	x.c = StreamStreamConfig{Env: op.Env{Counters: x.n}, Left: side(Left, after), Right: side(Right, before), Next: x.sink}
	if change != nil {
		change(&x.c)
	}
	x.restart()
	return x
}

func (x *twoStreams) ok(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// restart makes the operator anew over the same state, as after a crash.
func (x *twoStreams) restart() {
	x.t.Helper()
	marks := op.NoMarks
	if x.j != nil {
		marks = x.j.marks
	}
	var err error
	x.j, err = NewStreamStream(x.c)
	x.ok(err)
	if marks.W >= types.Forever {
		return // the task stores a finite time
	}
	x.ok(x.j.Advance(marks))
}

func (x *twoStreams) put(side int, rows ...optest.Row) {
	x.t.Helper()
	x.ok(x.j.Process(side, optest.Batch(pairCols, rows...)))
}

func (x *twoStreams) advance(w int64) {
	x.t.Helper()
	x.ok(x.j.Advance(op.Marks{W: w, Strict: w}))
}

// expect compares the rows since the last call, in any order.
func (x *twoStreams) expect(want ...string) {
	x.t.Helper()
	got := x.sink.Take()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		x.t.Fatalf("got  %q\nwant %q", got, want)
	}
	if x.sink.Broken != "" || x.sink.Early > 0 {
		x.t.Fatalf("broken: %q, %d rows below the marks", x.sink.Broken, x.sink.Early)
	}
}

func event(ts int64, key any, id int) optest.Row {
	return optest.Row{Time: ts, Origin: types.Origin{Offset: int64(id)}, Vals: []any{key, id}}
}

func outer(sides ...int) func(*StreamStreamConfig) {
	return func(c *StreamStreamConfig) {
		c.Left.Outer, c.Right.Outer = slices.Contains(sides, Left), slices.Contains(sides, Right)
	}
}

const second = types.MicrosPerSecond

// -2 s <= right.ts - left.ts <= 5 s, both bounds included; the pair has the later instant.
func TestPairsWithinReach(t *testing.T) {
	x := newTwoStreams(t, 2*second, 5*second, nil)
	x.put(Left, event(10*second, "a", 1))
	x.put(Right, event(8*second, "a", 2), event(8*second-1, "a", 3), event(15*second, "a", 4), event(15*second+1, "a", 5), event(10*second, "b", 6))
	x.expect("10000000: a,1,a,2", "15000000: a,1,a,4")
	x.put(Left, event(16*second, "b", 7), event(12*second, "b", 8))
	x.expect("12000000: b,8,b,6")
}

func TestInnerRowsAreForgotten(t *testing.T) {
	x := newTwoStreams(t, 2*second, 5*second, func(c *StreamStreamConfig) { c.Grace = second })
	x.put(Left, event(10*second, "a", 1))
	x.put(Right, event(10*second, "b", 2))
	x.advance(13 * second) // a left row of 12 s may still come, and would match
	x.put(Left, event(12*second+1, "b", 3))
	x.advance(30 * second)
	for side, s := range x.states {
		if open := s.Starts(); len(open) > 0 {
			t.Errorf("side %d keeps buckets %v", side, open)
		}
	}
	if x.sink.Marks.W != 29*second {
		t.Errorf("W_out is %d, want W less the grace", x.sink.Marks.W)
	}
	if x.j.Holds() {
		t.Error("an inner join withholds nothing")
	}
}

// An unmatched row leaves once W >= its ts + reach + grace, and holds W_out below its ts until then.
func TestUnmatchedRowsLeaveOnce(t *testing.T) {
	x := newTwoStreams(t, 2*second, 5*second, outer(Left, Right))
	x.put(Left, event(10*second, "a", 1), event(10*second, "m", 2))
	x.put(Right, event(11*second, "m", 3), event(11*second, "z", 4))
	x.expect("11000000: m,2,m,3")
	x.advance(12 * second)
	if !x.j.Holds() || x.sink.Marks.W >= 10*second {
		t.Errorf("holds %v, W_out %d", x.j.Holds(), x.sink.Marks.W)
	}
	x.restart()
	x.advance(13*second - 1)
	x.expect()
	x.advance(13 * second)
	x.expect("11000000: NULL,NULL,z,4")
	x.restart()
	x.advance(15*second - 1)
	x.expect()
	x.put(Right, event(15*second-1, "a", 5)) // behind an idle time, for it is late
	x.expect()
	x.advance(15 * second)
	x.expect("10000000: a,1,NULL,NULL")
	x.restart()
	if x.n.LateAfterIdle != 1 {
		t.Errorf("%d late after idle", x.n.LateAfterIdle)
	}
	x.advance(30 * second)
	x.expect()
	if x.j.Holds() || x.sink.Marks.W != 30*second {
		t.Errorf("holds %v, W_out %d", x.j.Holds(), x.sink.Marks.W)
	}
}

func TestNullKeysMatchNothing(t *testing.T) {
	x := newTwoStreams(t, second, second, outer(Left))
	x.put(Left, event(10*second, nil, 1))
	x.put(Right, event(10*second, nil, 2))
	x.expect("10000000: NULL,1,NULL,NULL")
	x = newTwoStreams(t, second, second, func(c *StreamStreamConfig) { c.NullSafe = []bool{true} })
	x.put(Left, event(10*second, nil, 1))
	x.put(Right, event(10*second, nil, 2))
	x.expect("10000000: NULL,1,NULL,2")
}

// A pair that the residual condition does not admit is no match.
func TestResidualDecidesWhatMatches(t *testing.T) {
	x := newTwoStreams(t, second, second, func(c *StreamStreamConfig) {
		outer(Left, Right)(c)
		c.Residual = &optest.Func{T: types.TBoolean, F: func(v []any) (any, error) {
			if v[1] == nil || v[3] == nil { // asked of rows without a match too, and ignored
				return nil, errBad
			}
			switch v[3].(int64) - v[1].(int64) {
			case 1:
				return 1, nil
			case 2:
				return nil, nil
			case 3:
				return nil, errBad
			}
			return 0, nil
		}}
	})
	x.put(Left, event(10*second, "a", 1), event(10*second, "a", 2))
	x.put(Right, event(10*second, "a", 4))
	x.put(Right, event(10*second, "a", 3))
	x.expect("10000000: a,2,a,3")
	if x.n.BadExpr != 1 {
		t.Errorf("%d pairs could not be computed", x.n.BadExpr)
	}
	x.advance(20 * second)
	x.expect("10000000: a,1,NULL,NULL", "10000000: NULL,NULL,a,4")
}

// At the end of a bounded run all unmatched rows go. The next run joins with what is left of the others.
func TestTheEndOfARun(t *testing.T) {
	x := newTwoStreams(t, 5*second, 5*second, outer(Left))
	x.put(Left, event(10*second, "a", 1), event(10*second, "b", 2))
	x.put(Right, event(10*second, "b", 3))
	x.expect("10000000: b,2,b,3")
	x.advance(types.Forever)
	x.expect("10000000: a,1,NULL,NULL")
	if x.j.Holds() || x.sink.Marks.W != types.Forever {
		t.Error("it holds something", x.sink.Marks)
	}
	x.j, x.sink.Marks = nil, op.NoMarks
	x.restart()
	x.advance(9 * second)
	x.put(Right, event(11*second, "b", 4), event(11*second, "a", 5))
	x.expect("11000000: b,2,b,4")
	x.advance(100 * second)
	x.expect()
}

func TestBadKeysAreReported(t *testing.T) {
	bad := errors.New("no key")
	x := newTwoStreams(t, second, second, func(c *StreamStreamConfig) {
		c.Left.Outer = true
		c.Left.Keys = []expr.Expr{&optest.Func{T: types.TVarchar, F: func(v []any) (any, error) {
			if v[0] == "bad" {
				return nil, bad
			}
			return v[0], nil
		}}}
	})
	x.put(Left, event(10*second, "bad", 1), event(10*second, "a", 2))
	x.put(Right, event(10*second, "a", 3))
	x.expect("10000000: a,2,a,3")
	if x.n.BadExpr != 1 {
		t.Errorf("%d rows could not be computed", x.n.BadExpr)
	}
}

// Rows of a key fill more than a chunk, and pairs more than a batch.
func TestAKeyOfManyRows(t *testing.T) {
	x := newTwoStreams(t, second, second, outer(Left, Right))
	long := strings.Repeat("k", 100)
	var left, right []optest.Row
	for i := range 300 {
		left = append(left, event(10*second+int64(i), long, i))
		right = append(right, event(10*second+int64(i), long, 1000+i))
	}
	big := event(10*second, strings.Repeat("big", 3000), 7)
	x.put(Left, append(left, big)...)
	x.put(Right, right[:200]...)
	x.put(Right, append(right[200:], big)...)
	seen := map[string]int{}
	for _, line := range x.sink.Take() {
		seen[line]++
	}
	if len(seen) != 300*300+1 {
		t.Fatalf("%d pairs, want 90,001", len(seen))
	}
	x.advance(types.Forever)
	x.expect()
	entries := 0
	for _, n := range x.states[Left].Starts() {
		x.ok(x.states[Left].Scan(n, func(_, value []byte) error {
			if entries++; len(value) > chunkMax && len(value) < 9000 {
				t.Errorf("a chunk of %d bytes", len(value))
			}
			return nil
		}))
	}
	if entries < 10 || entries > 40 {
		t.Errorf("%d chunks for 300 rows of more than 100 bytes", entries)
	}
}

// meeting is one random run of a StreamStream.
type meeting struct {
	*twoStreams
	r    *rand.Rand
	rows [2][]optest.Row
	read [2]int
}

func newMeeting(t *testing.T, seed uint64) *meeting {
	r := rand.New(rand.NewPCG(seed, 7))
	m := &meeting{r: r}
	m.twoStreams = newTwoStreams(t, r.Int64N(40)*types.MicrosPerMilli, r.Int64N(40)*types.MicrosPerMilli, func(c *StreamStreamConfig) {
		c.Left.Outer, c.Right.Outer = r.IntN(2) == 0, r.IntN(2) == 0
		c.Grace = r.Int64N(3) * r.Int64N(30) * types.MicrosPerMilli
		if r.IntN(2) == 0 {
			c.NullSafe = []bool{true}
		}
		if r.IntN(3) == 0 {
			c.Residual = &optest.Func{T: types.TBoolean, F: func(v []any) (any, error) { return residual(v), nil }}
		}
	})
	for side := range m.rows {
		at := int64(0)
		for i := range 60 {
			at += r.Int64N(8) * types.MicrosPerMilli
			var key any = fmt.Sprint("k", r.IntN(3))
			if r.IntN(8) == 0 {
				key = nil
			}
			m.rows[side] = append(m.rows[side], event(at-r.Int64N(30)*types.MicrosPerMilli, key, side*1000+i))
		}
	}
	return m
}

func residual(v []any) any {
	if v[1] == nil || v[3] == nil {
		return 1
	}
	switch (v[1].(int64) + v[3].(int64)) % 5 {
	case 0, 1, 2:
		return 1
	case 3:
		return nil
	}
	return 0
}

// safe is the largest watermark under which no row to come is late.
func (m *meeting) safe() int64 {
	w := types.Forever
	for side, rows := range m.rows {
		for _, row := range rows[m.read[side]:] {
			w = min(w, row.Time+m.c.Grace-1)
		}
	}
	return w
}

func (m *meeting) step() {
	if m.r.IntN(3) > 0 {
		side := m.r.IntN(2)
		n := min(1+m.r.IntN(12), len(m.rows[side])-m.read[side])
		if n > 0 {
			m.put(side, m.rows[side][m.read[side]:m.read[side]+n]...)
			m.read[side] += n
		}
		return
	}
	if w := m.safe(); w < types.Forever {
		m.advance(w - m.r.Int64N(20)*types.MicrosPerMilli)
	}
	if m.r.IntN(3) == 0 {
		m.restart()
	}
}

// punctual checks that those and only those unmatched rows have left of which no partner can come under the mark.
func (m *meeting) punctual(lone map[string]int64) {
	m.t.Helper()
	left := map[string]bool{}
	for _, r := range m.sink.Got {
		if text := r.String(); r.Vals[1] == nil || r.Vals[3] == nil {
			due, waits := lone[text] // others leave at once: they have no key
			if left[text] = true; waits && m.j.marks.W < due {
				m.t.Fatalf("%s has left under %d, before %d", text, m.j.marks.W, due)
			}
		}
	}
	for text, due := range lone {
		if due <= m.j.marks.W && !left[text] {
			m.t.Fatalf("%s has not left under %d, it was due at %d", text, m.j.marks.W, due)
		}
	}
}

// answer is the join by its definition, and when each row without a match that could have had one is due.
func (m *meeting) answer() (out []string, lone map[string]int64) {
	lone = map[string]int64{}
	met := map[int64]bool{}
	for _, l := range m.rows[Left] {
		for _, r := range m.rows[Right] {
			null := l.Vals[0] == nil || r.Vals[0] == nil
			d := r.Time - l.Time
			if l.Vals[0] != r.Vals[0] || null && m.c.NullSafe == nil || d < -m.c.Right.Reach || d > m.c.Left.Reach {
				continue
			}
			v := []any{l.Vals[0], int64(l.Vals[1].(int)), r.Vals[0], int64(r.Vals[1].(int))}
			if m.c.Residual != nil && residual(v) != 1 {
				continue
			}
			met[v[1].(int64)], met[v[3].(int64)] = true, true
			out = append(out, optest.Row{Time: max(l.Time, r.Time), Vals: v}.String())
		}
	}
	for side, config := range []Side{m.c.Left, m.c.Right} {
		outer := config.Outer
		for _, row := range m.rows[side] {
			if !outer || met[int64(row.Vals[1].(int))] {
				continue
			}
			v := append(slices.Clone(row.Vals), nil, nil)
			if side == Right {
				v = append([]any{nil, nil}, row.Vals...)
			}
			text := optest.Row{Time: row.Time, Vals: v}.String()
			out = append(out, text)
			if row.Vals[0] != nil || m.c.NullSafe != nil {
				lone[text] = row.Time + config.Reach + m.c.Grace
			}
		}
	}
	slices.Sort(out)
	return out, lone
}

func TestStreamStreamAgainstOracle(t *testing.T) {
	for seed := range uint64(500) {
		m := newMeeting(t, seed)
		want, lone := m.answer()
		for m.read[Left] < len(m.rows[Left]) || m.read[Right] < len(m.rows[Right]) {
			m.step()
			m.punctual(lone)
		}
		if m.r.IntN(2) == 0 {
			m.advance(10 * second)
		} else {
			m.advance(types.Forever)
		}
		got := m.sink.Take()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: only got %q\nonly wanted %q", seed, without(got, want), without(want, got))
		}
		if m.sink.Broken != "" || m.sink.Early > 0 || m.n.LateAfterIdle > 0 || m.j.Holds() {
			t.Fatalf("seed %d: %q, %d rows below the marks, %+v", seed, m.sink.Broken, m.sink.Early, *m.n)
		}
	}
}
