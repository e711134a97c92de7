package join

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// schedule is one random run: what is to be read from either side, and how far.
type schedule struct {
	*rig
	r             *rand.Rand
	stream, table []optest.Row
	s, t          int     // how far each was read
	safe          []int64 // before stream row i, the largest watermark that no row to come is late for
}

const names = 4

func newSchedule(t *testing.T, seed uint64) *schedule {
	r := rand.New(rand.NewPCG(seed, 4))
	x := &schedule{r: r}
	withExpr := r.IntN(3) == 0
	x.rig = newRig(t, func(c *StreamTableConfig) {
		c.Left = r.IntN(2) == 0
		c.Within, c.Disorder, c.History = r.Int64N(8), r.Int64N(8), r.Int64N(20)
		if r.IntN(2) == 0 {
			c.Correct, c.Released = 1+r.Int64N(25), &optest.Windows{}
		}
		if withExpr {
			c.AsOf = optest.Col(2, types.TTimestamp)
		}
		if r.IntN(3) == 0 {
			c.Residual = &optest.Func{T: types.TBoolean, F: func(v []any) (any, error) {
				return int(v[1].(int64) % 3 % 2), nil
			}}
		}
	})
	x.makeTable()
	x.makeStream(withExpr)
	return x
}

// makeTable makes rows of one source partition, out of order by more than its disorder.
func (x *schedule) makeTable() {
	at, maxTS := int64(1000), types.Never
	for i := range 40 {
		at += x.r.Int64N(4)
		ts := at - x.r.Int64N(x.c.Disorder+6)
		row := user(ts, fmt.Sprint("u", x.r.IntN(names)), fmt.Sprint("name", i))
		row.Origin.Offset = int64(i)
		row.Deleted = x.r.IntN(6) == 0
		row.Seen = types.Never
		if maxTS > types.Never {
			row.Seen = maxTS - x.c.Disorder - 1
		}
		maxTS = max(maxTS, ts)
		x.table = append(x.table, row)
	}
}

func (x *schedule) makeStream(withExpr bool) {
	at := int64(1000)
	for i := range 40 {
		at += x.r.Int64N(4)
		var uid any = fmt.Sprint("u", x.r.IntN(names+1))
		if x.r.IntN(10) == 0 {
			uid = nil
		}
		row := click(at-x.r.Int64N(10), uid, i)
		if withExpr && x.r.IntN(8) > 0 {
			row.Vals[2] = row.Time + x.r.Int64N(20) - 10
		}
		row.Raw = vector.Raw{Value: []byte(fmt.Sprint("record ", i))}
		x.stream = append(x.stream, row)
	}
	x.safe = make([]int64, len(x.stream)+1)
	x.safe[len(x.stream)] = x.stream[len(x.stream)-1].Time
	for i := len(x.stream) - 1; i >= 0; i-- {
		row := x.stream[i]
		x.safe[i] = min(x.safe[i+1], row.Time-1)
		if asOf, ok := x.instant(row); ok {
			x.safe[i] = min(x.safe[i], asOf+x.c.History-1)
		}
	}
}

func (x *schedule) instant(row optest.Row) (int64, bool) {
	if x.c.AsOf == nil {
		return row.Time, true
	}
	at, ok := row.Vals[2].(int64)
	return at, ok
}

// step does one random thing.
func (x *schedule) step() {
	x.rel.Clock++
	switch x.r.IntN(6) {
	case 0, 1:
		n := min(1+x.r.IntN(8), len(x.stream)-x.s)
		x.rig.stream(x.stream[x.s : x.s+n]...)
		x.s += n
	case 2, 3:
		n := min(1+x.r.IntN(8), len(x.table)-x.t)
		x.rig.table(x.table[x.t : x.t+n]...)
		x.t += n
		if maxTS := types.Never; x.t > 0 {
			for _, row := range x.table[:x.t] {
				maxTS = max(maxTS, row.Time)
			}
			x.rel.Upto = maxTS - max(x.c.Disorder, x.c.Within) - 1
		}
		if x.t == len(x.table) { // nothing is left to read of it
			x.rel.Proven = x.rel.Clock - x.r.Int64N(3)
		}
	case 4:
		x.ok(x.j.Release())
	case 5:
		x.advance(x.safe[x.s] - x.r.Int64N(10))
		if x.r.IntN(4) == 0 {
			x.restart()
		}
	}
	if ts, ok := x.j.wait.earliest(); ok && x.sink.Marks.W >= ts {
		x.rig.t.Fatalf("a row waits at %d under marks %+v", ts, x.sink.Marks)
	}
}

// answer is the join by its definition, over all rows at once.
func (x *schedule) answer() []string {
	var out []string
	slack := max(x.c.Disorder, x.c.Within) - x.c.Disorder
	for _, s := range x.stream {
		var best *optest.Row
		asOf, ok := x.instant(s)
		for i := range x.table {
			v := &x.table[i]
			visible := v.Seen == types.Never || v.Time > v.Seen-slack || asOf > v.Seen-slack-x.c.Correct
			if !ok || s.Vals[0] == nil || v.Vals[0] != s.Vals[0] || v.Time > asOf || !visible {
				continue
			}
			if best == nil || cmp.Or(cmp.Compare(v.Time, best.Time), v.Origin.Compare(best.Origin)) > 0 {
				best = v
			}
		}
		if best != nil && (best.Deleted || x.c.Residual != nil && s.Vals[1].(int)%3%2 == 0) {
			best = nil
		}
		joined := []any{nil, nil}
		if best != nil {
			joined = best.Vals
		} else if !x.c.Left {
			continue
		}
		s.Vals = append(slices.Clone(s.Vals), joined...)
		out = append(out, x.line(s))
	}
	slices.Sort(out)
	return out
}

// standing are the rows that came out and were not taken back.
func (x *schedule) standing() []string {
	var out []string
	for _, r := range x.sink.Got {
		removed := r.Deleted
		r.Deleted = false
		text := x.line(r)
		if !removed {
			out = append(out, text)
			continue
		}
		at := slices.Index(out, text)
		if at < 0 {
			x.rig.t.Fatalf("%s is taken back and is not there", text)
		}
		out = slices.Delete(out, at, at+1)
	}
	slices.Sort(out)
	return out
}

// line shows a row; one that may be taken back carries no record.
func (x *schedule) line(r optest.Row) string {
	if x.c.Correct > 0 {
		r.Raw = vector.Raw{}
	}
	return fmt.Sprintf("%v %v %s", r, r.Origin, r.Raw.Value)
}

func TestStreamTableAgainstOracle(t *testing.T) {
	for seed := range uint64(900) {
		x := newSchedule(t, seed)
		for x.s < len(x.stream) || x.t < len(x.table) {
			x.step()
		}
		x.rel.Proven = x.rel.Clock
		x.advance(types.Forever)
		got := x.standing()
		if want := x.answer(); !slices.Equal(got, want) {
			t.Fatalf("seed %d: only got %q\nonly wanted %q", seed, without(got, want), without(want, got))
		}
		if x.sink.Broken != "" || x.sink.Early > 0 && x.c.Correct == 0 || x.n.LateAfterIdle > 0 || x.j.Holds() || x.sink.Marks.W != types.Forever {
			t.Fatalf("seed %d: %q, %d rows below the marks, %+v", seed, x.sink.Broken, x.sink.Early, *x.n)
		}
		if b := x.j.Waiting(); b.Rows != 0 || b.Oldest != 0 || b.Latest != 0 {
			t.Fatal(b)
		}
	}
}

func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

func TestMinHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for range 50 {
		var h minHeap[struct{}]
		var want []int64
		for range r.IntN(60) {
			x := r.Int64N(30)
			h.push(x, struct{}{})
			want = append(want, x)
		}
		slices.Sort(want)
		for _, x := range want {
			if h[0].key != x {
				t.Fatal(h, want)
			}
			h.pop()
		}
	}
}

func benchJoin(b *testing.B, held bool) {
	const size, users = 1024, 10_000
	versions, rel := &optest.Versions{}, optest.NewReleases()
	j, err := NewStreamTable(StreamTableConfig{
		Env: op.Env{Counters: &op.Counters{}}, Stream: streamCols, Table: tableCols,
		StreamKeys: []expr.Expr{optest.Col(0, types.TVarchar)}, TableKeys: []expr.Expr{optest.Col(0, types.TVarchar)},
		History: 600_000_000, Versions: versions, Queue: &fifo{}, Releases: rel, Next: optest.Discard{},
	})
	if err != nil {
		b.Fatal(err)
	}
	var table, stream []optest.Row
	for i := range users {
		table = append(table, user(int64(i), fmt.Sprint("user-", i), "a name"))
	}
	for i := range size {
		stream = append(stream, click(0, fmt.Sprint("user-", i*7%users), i))
	}
	if err := j.Process(TableInput, optest.Batch(tableCols, table...)); err != nil {
		b.Fatal(err)
	}
	batch := optest.Batch(streamCols, stream...)
	b.ReportAllocs()
	rows := int64(0)
	for b.Loop() {
		for i := range batch.Time {
			batch.Time[i] = users + rows + int64(i)
		}
		rows += size
		if !held {
			rel.Upto = users + rows
		}
		if err := j.Process(StreamInput, batch); err != nil {
			b.Fatal(err)
		}
		rel.Upto = users + rows
		if err := j.Release(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
}

func BenchmarkStreamTableJoin(b *testing.B) {
	b.Run("released", func(b *testing.B) { benchJoin(b, false) })
	b.Run("held", func(b *testing.B) { benchJoin(b, true) })
}

// fifo is a queue for rows that come in order.
type fifo struct {
	items []op.Item
	data  []byte
}

func (q *fifo) Push(it op.Item) error {
	from := len(q.data)
	q.data = append(q.data, it.Row...)
	it.Row = q.data[from:]
	q.items = append(q.items, it)
	return nil
}

func (q *fifo) Ascend(visit func(it op.Item) (remove, stop bool, err error)) error {
	for i, it := range q.items {
		if remove, stop, err := visit(it); stop || !remove || err != nil {
			q.items = q.items[i:]
			return err
		}
	}
	q.items, q.data = q.items[:0], q.data[:0]
	return nil
}

func (q *fifo) Len() int     { return len(q.items) }
func (q *fifo) Bytes() int64 { return int64(len(q.data)) }

func (q *fifo) First() (int64, bool) {
	if len(q.items) == 0 {
		return 0, false
	}
	return q.items[0].TS, true
}
