package agg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func input(r *rand.Rand, n int) []optest.Row {
	rows := make([]optest.Row, n)
	at := int64(-50)
	for i := range rows {
		at += r.Int64N(4)
		var key, v any = string(rune('a' + r.IntN(4))), r.IntN(20) - 8
		if r.IntN(8) == 0 {
			key = nil
		}
		text := any(strings.Repeat("-", r.IntN(4)) + fmt.Sprint(v))
		if r.IntN(8) == 0 {
			v, text = nil, nil
		}
		rows[i] = optest.Row{Time: (at - r.Int64N(12)) * ms, Vals: []any{key, v, 0.5, text}}
	}
	return rows
}

// expected is COUNT(*), COUNT(v), SUM(v) and, with text, MAX(s) of a group.
func expected(rows []optest.Row, text bool) (vals []any, sum int) {
	n, summed := 0, any(nil)
	var most any
	for _, r := range rows {
		v, ok := r.Vals[1].(int)
		if !ok {
			continue
		}
		n++
		sum += v
		summed = sum
		if s := r.Vals[3].(string); most == nil || s > most.(string) {
			most = s
		}
	}
	vals = []any{rows[0].Vals[0], len(rows), n, summed}
	if text {
		vals = append(vals, most)
	}
	return vals, sum
}

func spec(t *testing.T, text, having bool) Spec {
	s := Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1), aggregate(t, "COUNT", 1), aggregate(t, "SUM", 1)}}
	if text {
		s.Aggs = append(s.Aggs, aggregate(t, "MAX", 3))
	}
	if having {
		s.Having = above(3, 5)
	}
	return s
}

// drive feeds rows in random batches and raises the watermark in between, never above what the rows to come allow.
func drive(t *testing.T, r *rand.Rand, o op.Operator, rows []optest.Row, check func(n int)) {
	t.Helper()
	safe := make([]int64, len(rows)+1)
	safe[len(rows)] = slices.MaxFunc(rows, func(a, b optest.Row) int { return int(a.Time - b.Time) }).Time
	for i := len(rows) - 1; i >= 0; i-- {
		safe[i] = min(safe[i+1], rows[i].Time-1)
	}
	for i := 0; i < len(rows); {
		n := min(1+r.IntN([]int{1, 7, len(rows)}[r.IntN(3)]), len(rows)-i)
		process(t, o, rows[i:i+n]...)
		i += n
		check(i)
		for range r.IntN(3) {
			advance(t, o, safe[i]-r.Int64N(20*ms))
		}
	}
	advance(t, o, types.Forever)
}

func TestWindowedAgainstOracle(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		text, having, emit := r.IntN(2) == 0, r.IntN(2) == 0, Emit(r.IntN(2))
		w := op.Window{Size: 10 * ms, Offset: r.Int64N(10 * ms), Grace: r.Int64N(15 * ms)}
		rows := input(r, 60)
		sink, n, state := optest.NewSink(), &op.Counters{}, &optest.Windows{}
		o := NewWindowed(WindowedConfig{Env: op.Env{Counters: n}, Spec: spec(t, text, having), Window: w, Emit: emit, State: state, Next: sink})
		drive(t, r, o, rows, func(int) {})

		groups := map[string][]optest.Row{}
		for _, x := range rows {
			k := fmt.Sprint(w.First(x.Time), x.Vals[0])
			groups[k] = append(groups[k], x)
		}
		var want []string
		for _, g := range groups {
			vals, sum := expected(g, text)
			if having && (vals[3] == nil || sum <= 5) {
				continue
			}
			start := w.Start(w.First(g[0].Time))
			want = append(want, optest.Row{Time: start + 9*ms, Vals: append(vals, start, start+10*ms)}.String())
		}
		got := sink.Got
		if emit == Final {
			for i, x := range got[1:] {
				if x.Time < got[i].Time || x.Time == got[i].Time && optest.Text(x.Vals[:1]) < optest.Text(got[i].Vals[:1]) && x.Vals[0] != nil {
					t.Fatalf("seed %d: out of order by window, then key: %v before %v", seed, got[i], x)
				}
			}
		} else {
			got = fold(t, got, func(x optest.Row) string { return fmt.Sprint(x.Time, x.Vals[0]) })
		}
		compare(t, seed, got, want)
		if sink.Broken != "" || sink.Early > 0 || n.LateAfterIdle > 0 || len(state.Starts()) > 0 {
			t.Fatalf("seed %d: %q, %d rows below the marks, %+v, open %v", seed, sink.Broken, sink.Early, *n, state.Starts())
		}
	}
}

// The folded result equals the batch one after every batch, and nothing is removed that does not stand.
func TestRunningAgainstOracle(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		text, having := r.IntN(2) == 0, r.IntN(2) == 0
		rows := input(r, 60)
		sink := optest.NewSink()
		o := newRunning(t, sink, spec(t, text, having))
		drive(t, r, o, rows, func(n int) {
			groups := map[any][]optest.Row{}
			for _, x := range rows[:n] {
				groups[x.Vals[0]] = append(groups[x.Vals[0]], x)
			}
			var want []string
			for _, g := range groups {
				vals, sum := expected(g, text)
				if having && (vals[3] == nil || sum <= 5) {
					continue
				}
				ts := slices.MaxFunc(g, func(a, b optest.Row) int { return int(a.Time - b.Time) }).Time
				want = append(want, optest.Row{Time: ts, Vals: vals}.String())
			}
			compare(t, seed, fold(t, sink.Got, func(x optest.Row) string { return fmt.Sprint(x.Vals[0]) }), want)
		})
	}
}

// fold applies changes: the last row of each key, without those that were removed.
func fold(t *testing.T, rows []optest.Row, key func(optest.Row) string) []optest.Row {
	t.Helper()
	last := map[string]optest.Row{}
	for _, r := range rows {
		k := key(r)
		if _, stands := last[k]; r.Deleted && !stands {
			t.Fatalf("a removal of what does not stand: %v", r)
		}
		if last[k] = r; r.Deleted {
			delete(last, k)
		}
	}
	var out []optest.Row
	for _, r := range last {
		out = append(out, r)
	}
	return out
}

func compare(t *testing.T, seed uint64, rows []optest.Row, want []string) {
	t.Helper()
	var got []string
	for _, r := range rows {
		got = append(got, r.String())
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("seed %d: got %q\nwant %q", seed, got, want)
	}
}

func benchWindowed(b *testing.B, keys int, emit Emit) {
	const size = 1024
	o := NewWindowed(WindowedConfig{
		Env:    op.Env{Counters: &op.Counters{}},
		Spec:   Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(b, "COUNT", -1), aggregate(b, "SUM", 1)}},
		Window: op.Window{Size: 10_000 * ms}, Emit: emit, State: &windows{m: map[string][]byte{}}, Next: optest.Discard{},
	})
	rows := make([]optest.Row, size)
	for i := range rows {
		rows[i] = row(0, fmt.Sprintf("customer-%06d", i*31%keys), i)
	}
	batch := optest.Batch(columns, rows...)
	benchBatches(b, o, batch)
}

func benchBatches(b *testing.B, o op.Operator, batch *vector.Batch) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for i := range batch.Time {
			batch.Time[i] = int64(n + i)
		}
		n += batch.N
		if err := o.Process(0, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/row")
}

func BenchmarkWindowedCountSum(b *testing.B) {
	for _, keys := range []int{16, 1024} {
		b.Run(fmt.Sprint("final/keys=", keys), func(b *testing.B) { benchWindowed(b, keys, Final) })
		b.Run(fmt.Sprint("changes/keys=", keys), func(b *testing.B) { benchWindowed(b, keys, Changes) })
	}
}

// windows is one window whose values are changed where they lie, as in the real state.
type windows struct {
	optest.Windows
	m map[string][]byte
}

func (w *windows) Modify(_ int64, key []byte) ([]byte, bool, error) {
	v, ok := w.m[string(key)]
	return v, ok, nil
}

func (w *windows) Put(_ int64, key, value []byte) error {
	w.m[string(key)] = slices.Clone(value)
	return nil
}
