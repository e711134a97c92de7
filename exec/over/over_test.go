package over

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

var byTime = &expr.Column{Index: 2, Name: "ts", Typ: types.TTimestamp}

var timed = []types.Type{types.TVarchar, types.TBigInt, types.TTimestamp}

func sum(t *testing.T) *expr.Aggregate {
	t.Helper()
	a, err := expr.NewAggregate(expr.Aggregate{Func: "SUM", Arg: []expr.Expr{byValue}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// randomCall is a call that looks back only, or both ways.
func randomCall(t *testing.T, r *rand.Rand, bothWays bool) Call {
	c := Call{Func: Func(r.IntN(int(Aggregate) + 1)), Ranking: Ranking(r.IntN(3)), Arg: byValue, Offset: int64(r.IntN(3)), Type: types.TBigInt}
	if c.Func >= Lead && c.Func <= CumeDist && !bothWays {
		c.Func = Lag
	}
	switch c.Func {
	case Tile, NthValue:
		c.Offset++
	case PercentRank, CumeDist:
		c.Type = types.TDouble
	}
	if c.Func == Lag && r.IntN(2) == 0 {
		c.Default = expr.Literal(types.NewInt(-1))
	}
	if c.Func == Aggregate {
		c.Agg = sum(t)
		c.Type, c.Arg = c.Agg.Type(), nil
	}
	c.Frame.Range = r.IntN(2) == 0
	c.Frame.From = Bound{Unbounded: r.IntN(2) == 0, Distance: -r.Int64N(4)}
	if bothWays {
		c.Frame.From.Distance += r.Int64N(3)
		c.Frame.To = Bound{Unbounded: r.IntN(3) == 0, Distance: c.Frame.From.Distance + r.Int64N(4)}
	}
	return c
}

// naive is the value of a call for row i of a partition in order.
func naive(c *Call, rows []optest.Row, i int) any {
	ts := func(k int) int64 { return rows[k].Vals[2].(int64) }
	if c.Func == Number {
		less, values := 0, map[int64]bool{}
		for k := range rows {
			if ts(k) < ts(i) {
				less++
				values[ts(k)] = true
			}
		}
		return int64([]int{i, less, len(values)}[c.Ranking] + 1)
	}
	if c.Func >= Tile && c.Func <= CumeDist {
		less, upTo := 0, 0
		for k := range rows {
			if ts(k) < ts(i) {
				less++
			}
			if ts(k) <= ts(i) {
				upTo++
			}
		}
		switch {
		case c.Func == CumeDist:
			return float64(upTo) / float64(len(rows))
		case c.Func == Tile:
			return tileOf(len(rows), int(c.Offset), i)
		case len(rows) == 1:
			return 0.0
		}
		return float64(less) / float64(len(rows)-1)
	}
	if c.Func == Lag || c.Func == Lead {
		at := i - int(c.Offset)
		if c.Func == Lead {
			at = i + int(c.Offset)
		}
		if at < 0 || at >= len(rows) {
			if c.Default != nil {
				return int64(-1)
			}
			return nil
		}
		return rows[at].Vals[1]
	}
	var frame []any
	for k := range rows {
		d := int64(k - i)
		if c.Frame.Range {
			d = ts(k) - ts(i)
		}
		if (c.Frame.From.Unbounded || d >= c.Frame.From.Distance) && (c.Frame.To.Unbounded || d <= c.Frame.To.Distance) {
			frame = append(frame, rows[k].Vals[1])
		}
	}
	var total any
	for _, v := range frame {
		if v != nil {
			n, _ := total.(int64)
			total = n + v.(int64)
		}
	}
	switch {
	case c.Func == Aggregate && total == nil:
		return nil
	case c.Func == Aggregate:
		return fmt.Sprint(total)
	case c.Func == NthValue && int(c.Offset) <= len(frame):
		return frame[c.Offset-1]
	case len(frame) == 0 || c.Func == NthValue:
		return nil
	case c.Func == FirstValue:
		return frame[0]
	}
	return frame[len(frame)-1]
}

// tileOf deals n rows out to tiles, one after the other: the tile of the i-th when they are laid down in order.
func tileOf(n, tiles, i int) int64 {
	var laid []int64
	for t := range tiles {
		for k := t; k < n; k += tiles {
			laid = append(laid, int64(t)+1)
		}
	}
	return laid[i]
}

func expected(calls []Call, rows []optest.Row) []string {
	slices.SortFunc(rows, func(a, b optest.Row) int {
		return cmp.Or(cmp.Compare(a.Vals[2].(int64), b.Vals[2].(int64)), cmp.Compare(a.Time, b.Time), a.Origin.Compare(b.Origin))
	})
	var out []string
	for i, x := range rows {
		vals := slices.Clone(x.Vals)
		for k := range calls {
			vals = append(vals, naive(&calls[k], rows, i))
		}
		out = append(out, optest.Row{Time: x.Time, Vals: vals}.String())
	}
	return out
}

func calls(t *testing.T, r *rand.Rand, bothWays bool) []Call {
	var out []Call
	for range 1 + r.IntN(3) {
		out = append(out, randomCall(t, r, bothWays))
	}
	return out
}

func byPartition(rows []optest.Row) map[any][]optest.Row {
	parts := map[any][]optest.Row{}
	for _, x := range rows {
		parts[x.Vals[0]] = append(parts[x.Vals[0]], x)
	}
	return parts
}

func feed(t *testing.T, o op.Operator, rows ...optest.Row) {
	t.Helper()
	if err := o.Process(0, optest.Batch(timed, rows...)); err != nil {
		t.Fatal(err)
	}
}

func someValue(r *rand.Rand) any {
	if r.IntN(6) == 0 {
		return nil
	}
	return r.Int64N(9)
}

// TestChangingAgainstOracle: whatever the batches, what was sent and not taken back is what all rows that stand come to.
func TestChangingAgainstOracle(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 4))
		c := ChangingConfig{
			Env: op.Env{Counters: &op.Counters{}}, Columns: timed, Partition: onKey, Order: []Key{{Expr: byTime}},
			Calls: calls(t, r, true), State: &optest.Sorted{},
		}
		sink := optest.NewSink()
		c.Next = sink
		o := NewChanging(c)
		var stand, input []optest.Row
		times := r.Perm(50)
		for i := range 50 {
			if len(stand) > 0 && r.IntN(3) == 0 {
				at := r.IntN(len(stand))
				input = append(input, removed(stand[at]))
				stand = slices.Delete(stand, at, at+1)
				continue
			}
			x := row(int64(times[i]), int64(i), string(rune('a'+r.IntN(2))), someValue(r))
			x.Vals = append(x.Vals, r.Int64N(12)) // the order's key; Time tells rows apart
			input, stand = append(input, x), append(stand, x)
		}
		for i := 0; i < len(input); {
			n := min(1+r.IntN(12), len(input)-i)
			feed(t, o, input[i:i+n]...)
			i += n
		}
		shown := map[string]int{}
		for _, x := range sink.Got {
			by := 1
			if x.Deleted {
				by, x.Deleted = -1, false
			}
			if shown[x.String()] += by; shown[x.String()] < 0 {
				t.Fatalf("seed %d: %s was taken back and did not stand", seed, x)
			}
		}
		var got, want []string
		for x, n := range shown {
			for range n {
				got = append(got, x)
			}
		}
		for _, rows := range byPartition(stand) {
			want = append(want, expected(c.Calls, rows)...)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || sink.Broken != "" {
			t.Fatalf("seed %d: %+v %s\ngot  %q\nwant %q", seed, c.Calls, sink.Broken, got, want)
		}
	}
}

// TestInOrderAgainstOracle: whatever the batches and the steps of time, each row leaves once, in order, with its final values.
func TestInOrderAgainstOracle(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		cs := calls(t, r, false)
		for i := range cs {
			cs[i].Frame.To = Bound{}
		}
		c := InOrderConfig{
			Env: op.Env{Counters: &op.Counters{}}, Columns: timed, Partition: onKey, Order: Key{Expr: byTime}, Calls: cs,
			Queue: &optest.Queue{}, Past: &optest.Sorted{}, Running: &optest.Map{},
		}
		sink := optest.NewSink()
		c.Next = sink
		o := NewInOrder(c)
		var rows []optest.Row
		for i := range 60 {
			at := int64(i/4) + r.Int64N(5)
			x := row(at, int64(i), string(rune('a'+r.IntN(2))), someValue(r))
			x.Vals = append(x.Vals, at)
			rows = append(rows, x)
		}
		for i := 0; i < len(rows); {
			n := min(1+r.IntN(12), len(rows)-i)
			feed(t, o, rows[i:i+n]...)
			i += n
			if r.IntN(2) == 0 {
				w := int64(i/4) - 1
				if err := o.Advance(op.Marks{W: w, Strict: w}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := o.Advance(op.Marks{W: types.Forever, Strict: types.Forever}); err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for i, x := range sink.Got {
			if i > 0 && x.Time < sink.Got[i-1].Time {
				t.Fatalf("seed %d: out of order", seed)
			}
			got = append(got, x.String())
		}
		for _, p := range byPartition(rows) {
			want = append(want, expected(cs, p)...)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || sink.Broken != "" || sink.Early > 0 {
			t.Fatalf("seed %d: %+v %s %d early\ngot  %q\nwant %q", seed, cs, sink.Broken, sink.Early, got, want)
		}
	}
}
