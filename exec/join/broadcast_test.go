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
)

// overBroadcast makes the rig's join one with a broadcast table: the stream's uid is compared with the table's name.
func overBroadcast(index op.Sorted, residual expr.Expr) func(c *StreamTableConfig) {
	return func(c *StreamTableConfig) {
		c.Index, c.Primary = index, c.TableKeys
		c.TableKeys = []expr.Expr{optest.Col(1, types.TVarchar)}
		c.Residual = residual
	}
}

func compare(t *testing.T, o string, a, b expr.Expr) expr.Expr {
	t.Helper()
	e, err := expr.NewBinary(o, a, b)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// expectPairs compares the rows since the last call as "id uid", in their order.
func (r *rig) expectPairs(want ...string) {
	r.t.Helper()
	var got []string
	for _, x := range r.sink.Got {
		uid := "NULL"
		if x.Vals[3] != nil {
			uid = x.Vals[3].(string)
		}
		got = append(got, fmt.Sprint(x.Vals[1], " ", uid))
	}
	r.sink.Got = nil
	if !slices.Equal(got, want) {
		r.t.Fatalf("got  %q\nwant %q", got, want)
	}
}

// A row meets all rows of its group in the order of their primary keys; one that was in the group, or will be, is not met.
func TestBroadcastGroup(t *testing.T) {
	r := newRig(t, overBroadcast(&optest.Sorted{}, nil))
	r.table(user(1000, "u3", "x"), user(1000, "u1", "x"), user(1000, "u2", "y"), user(2000, "u1", "y"), user(3000, "u2", "x"), gone(4000, "u3"))
	r.stream(click(500, "x", 0), click(1500, "x", 1), click(2500, "x", 2), click(3500, "x", 3), click(4500, "x", 4), click(4500, "y", 5), click(4500, nil, 6))
	r.expectPairs("6 NULL")
	r.release(5000, types.Never)
	r.expectPairs("0 NULL", "1 u1", "1 u3", "2 u3", "3 u2", "3 u3", "4 u2", "5 u1")
}

// More pairs than a batch holds, so that those of a row are judged in parts: each row without a match goes out once.
func TestBroadcastManyPairs(t *testing.T) {
	const rows, clicks = 300, 3 * op.ChunkRows / 300
	differ := compare(t, "<>", optest.Col(0, types.TVarchar), optest.Col(3, types.TVarchar))
	r := newRig(t, func(c *StreamTableConfig) {
		overBroadcast(&optest.Sorted{}, differ)(c)
		c.StreamKeys, c.TableKeys = nil, nil
	})
	var table, stream []optest.Row
	var want []string
	for i := range rows {
		table = append(table, user(1000, fmt.Sprintf("u%03d", i), "same"))
	}
	for k := range clicks {
		uid := fmt.Sprintf("u%03d", k)
		stream = append(stream, click(2000, uid, 2*k), click(500, uid, 2*k+1))
		for i := range rows {
			if i != k {
				want = append(want, fmt.Sprintf("%d u%03d", 2*k, i))
			}
		}
		want = append(want, fmt.Sprintf("%d NULL", 2*k+1))
	}
	r.table(table...)
	r.release(5000, types.Never)
	r.stream(stream...)
	r.expectPairs(want...)
}

// broadcastSchedule is a random run with a broadcast table.
func broadcastSchedule(t *testing.T, seed uint64) (x *schedule, index *optest.Sorted) {
	r := rand.New(rand.NewPCG(seed, 8))
	x, index = &schedule{r: r}, &optest.Sorted{}
	withExpr := r.IntN(3) == 0
	x.rig = newRig(t, func(c *StreamTableConfig) {
		var residual expr.Expr
		if r.IntN(2) == 0 {
			residual = compare(t, "<>", optest.Col(0, types.TVarchar), optest.Col(3, types.TVarchar))
		}
		overBroadcast(index, residual)(c)
		if r.IntN(4) == 0 {
			c.StreamKeys, c.TableKeys = nil, nil
		}
		c.Left = r.IntN(2) == 0
		c.Within, c.Disorder, c.History = r.Int64N(8), r.Int64N(8), r.Int64N(20)
		if withExpr {
			c.AsOf = optest.Col(2, types.TTimestamp)
		}
	})
	x.makeTable()
	for i := range x.table {
		x.table[i].Vals[1] = fmt.Sprint("u", r.IntN(names))
		if r.IntN(8) == 0 {
			x.table[i].Vals[1] = nil
		}
	}
	x.makeStream(withExpr)
	return x, index
}

// validAt are the versions that an instant sees, by primary key.
func (x *schedule) validAt(asOf int64) map[any]*optest.Row {
	slack := max(x.c.Disorder, x.c.Within) - x.c.Disorder
	best := map[any]*optest.Row{}
	for i := range x.table {
		v := &x.table[i]
		if v.Time > asOf || v.Seen != types.Never && v.Time <= v.Seen-slack && asOf <= v.Seen-slack {
			continue
		}
		b := best[v.Vals[0]]
		if b == nil || cmp.Or(cmp.Compare(v.Time, b.Time), v.Origin.Compare(b.Origin)) > 0 {
			best[v.Vals[0]] = v
		}
	}
	return best
}

// pairs is the join by its definition.
func (x *schedule) pairs() []string {
	var out []string
	for _, s := range x.stream {
		asOf, ok := x.instant(s)
		uid, vals, met := s.Vals[0], s.Vals, false
		for _, v := range x.validAt(asOf) {
			switch {
			case !ok || v.Deleted || len(x.c.StreamKeys) > 0 && (uid == nil || uid != v.Vals[1]):
			case x.c.Residual != nil && (uid == nil || uid == v.Vals[0]):
			default:
				met = true
				s.Vals = append(slices.Clone(vals), v.Vals...)
				out = append(out, x.line(s))
			}
		}
		if !met && x.c.Left {
			s.Vals = append(slices.Clone(vals), nil, nil)
			out = append(out, x.line(s))
		}
	}
	slices.Sort(out)
	return out
}

// TestBroadcastAgainstOracle: rows move from group to group, come late, are removed; whatever the order of events, each row
// of the stream meets what it should, and of the rows only the newest are found in the end.
func TestBroadcastAgainstOracle(t *testing.T) {
	for seed := range uint64(1000) {
		x, index := broadcastSchedule(t, seed)
		for x.s < len(x.stream) || x.t < len(x.table) {
			x.step()
		}
		x.rel.Proven = x.rel.Clock
		x.advance(x.stream[len(x.stream)-1].Time + 1_000_000)
		got := x.standing()
		if want := x.pairs(); !slices.Equal(got, want) {
			t.Fatalf("seed %d: only got %q\nonly wanted %q", seed, without(got, want), without(want, got))
		}
		if x.sink.Broken != "" || x.sink.Early > 0 || x.n.LateAfterIdle > 0 || x.j.Holds() {
			t.Fatalf("seed %d: %q, %d rows below the marks, %+v", seed, x.sink.Broken, x.sink.Early, *x.n)
		}
		found, standing := 0, 0
		x.ok(index.Scan(func(_, _, _ []byte) error { found++; return nil }))
		for _, v := range x.validAt(types.Forever) {
			if !v.Deleted && (len(x.c.TableKeys) == 0 || v.Vals[1] != nil) {
				standing++
			}
		}
		if found != standing {
			t.Fatalf("seed %d: %d entries for %d rows", seed, found, standing)
		}
	}
}
