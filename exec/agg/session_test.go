package agg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/exec/window"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

func newSessions(t testing.TB, sink op.Next, r window.Rule, emit Emit, s Spec, state op.Sorted) *InSessions {
	t.Helper()
	return NewInSessions(SessionConfig{Env: op.Env{Counters: &op.Counters{}}, Spec: s, Rule: r, Emit: emit, State: state, Next: sink})
}

func counted(t testing.TB) Spec {
	return Spec{Group: onKey, Aggs: []*expr.Aggregate{aggregate(t, "COUNT", -1), aggregate(t, "SUM", 1)}}
}

// Rows exactly the gap apart share a session; a session goes when the watermark has passed its last row by the gap, not before.
func TestSessionEnds(t *testing.T) {
	sink := optest.NewSink()
	o := newSessions(t, sink, window.Rule{Gap: 10 * ms}, Final, counted(t), &optest.Sorted{})
	process(t, o, row(0, "a", 1), row(10*ms, "a", 2), row(20*ms+1, "a", 4), row(3*ms, "b", 8))
	advance(t, o, 13*ms-1)
	expect(t, sink)
	advance(t, o, 13*ms)
	expect(t, sink, "12000: b,1,8,3000,13000")
	advance(t, o, 20*ms)
	expect(t, sink, "19000: a,2,3,0,20000")
	if !o.Holds() {
		t.Fatal("a session is open")
	}
	advance(t, o, types.Forever)
	expect(t, sink, "29001: a,1,4,20001,30001")
	if o.Holds() {
		t.Fatal("no session is open")
	}
}

// W_out <= W_in - grace - 1 ms: a session that is open, or may begin, ends after W_in - grace.
func TestSessionMarks(t *testing.T) {
	sink := optest.NewSink()
	o := newSessions(t, sink, window.Rule{Gap: 10 * ms, Grace: 5 * ms}, Final, counted(t), &optest.Sorted{})
	for _, c := range []struct{ in, out int64 }{{types.Never, types.Never}, {20 * ms, 14 * ms}, {21 * ms, 15 * ms}, {types.Forever, types.Forever}} {
		advance(t, o, c.in)
		if sink.Marks.W != c.out {
			t.Fatalf("W_in %d: W_out %d, want %d", c.in, sink.Marks.W, c.out)
		}
	}
}

// A row between two sessions makes them one: the old rows go, the merged one comes; one before a session moves its start.
func TestSessionsMerge(t *testing.T) {
	sink := optest.NewSink()
	o := newSessions(t, sink, window.Rule{Gap: 10 * ms, Grace: 100 * ms}, Changes, counted(t), &optest.Sorted{})
	process(t, o, row(100*ms, "a", 1), row(118*ms, "a", 2))
	expect(t, sink, "109000: a,1,1,100000,110000", "127000: a,1,2,118000,128000")
	process(t, o, row(109*ms, "a", 4))
	expect(t, sink, "127000: -a,1,2,118000,128000", "127000: a,3,7,100000,128000")
	process(t, o, row(95*ms, "a", 8))
	expect(t, sink, "127000: -a,3,7,100000,128000", "127000: a,4,15,95000,128000")
	process(t, o, row(120*ms, "a", 16), row(85*ms, "a", 32), row(200*ms, "a", 64))
	expect(t, sink, "127000: -a,4,15,95000,128000", "129000: a,6,63,85000,130000", "209000: a,1,64,200000,210000")
	advance(t, o, types.Forever)
	expect(t, sink)
}

// A session that its own partition had closed is not joined, however open it is here; what is before it is not reached either.
func TestSessionClosedForTheRow(t *testing.T) {
	late := row(7*ms, "a", 4)
	late.Seen = 15*ms - 1 // closes sessions that end before 5
	for _, order := range [][]optest.Row{{row(0, "a", 1), row(15*ms, "a", 2), late}, {late, row(15*ms, "a", 2), row(0, "a", 1)}} {
		sink := optest.NewSink()
		o := newSessions(t, sink, window.Rule{Gap: 10 * ms}, Final, counted(t), &optest.Sorted{})
		for _, r := range order {
			process(t, o, r)
		}
		advance(t, o, types.Forever)
		expect(t, sink, "9000: a,1,1,0,10000", "24000: a,2,6,7000,25000")
	}
}

// HAVING takes rows of sessions out and lets them come back; a session that never stood goes without a tombstone.
func TestSessionHaving(t *testing.T) {
	sink := optest.NewSink()
	s := counted(t)
	s.Having = above(2, 10)
	o := newSessions(t, sink, window.Rule{Gap: 10 * ms, Grace: 100 * ms}, Changes, s, &optest.Sorted{})
	process(t, o, row(100*ms, "a", 11), row(115*ms, "a", 5))
	expect(t, sink, "109000: a,1,11,100000,110000")
	process(t, o, row(107*ms, "a", -10))
	expect(t, sink, "124000: -a,3,6,100000,125000")
	process(t, o, row(116*ms, "a", 7))
	expect(t, sink, "125000: a,4,13,100000,126000")
}

// chains are the sessions of rows by definition: the classes of rows that chains of rows link.
func chains(rule window.Rule, rows []optest.Row) [][]optest.Row {
	linked := func(a, b optest.Row) bool {
		return a.Vals[0] == b.Vals[0] && a.Time <= b.Time && b.Time-a.Time <= rule.Gap && b.Seen < a.Time+rule.Gap+rule.Grace
	}
	class := make([]int, len(rows))
	for i := range rows {
		class[i] = i
	}
	for changed := true; changed; {
		changed = false
		for i, a := range rows {
			for j, b := range rows {
				if linked(a, b) && class[i] != class[j] {
					class[i], class[j], changed = min(class[i], class[j]), min(class[i], class[j]), true
				}
			}
		}
	}
	by := map[int][]optest.Row{}
	for i, c := range class {
		by[c] = append(by[c], rows[i])
	}
	var out [][]optest.Row
	for _, g := range by {
		out = append(out, g)
	}
	return out
}

// sessionRows are the rows of the result over input rows.
func sessionRows(rule window.Rule, rows []optest.Row, text, having bool) []string {
	var want []string
	for _, g := range chains(rule, rows) {
		vals, sum := expected(g, text)
		if having && (vals[3] == nil || sum <= 5) {
			continue
		}
		start, end := g[0].Time, g[0].Time
		for _, x := range g {
			start, end = min(start, x.Time), max(end, x.Time)
		}
		end += rule.Gap
		want = append(want, optest.Row{Time: end - ms, Vals: append(vals, start, end)}.String())
	}
	return want
}

func TestSessionsAgainstOracle(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		text, having, emit := r.IntN(2) == 0, r.IntN(2) == 0, Emit(r.IntN(2))
		rule := window.Rule{Gap: (1 + r.Int64N(20)) * ms, Grace: r.Int64N(2) * r.Int64N(15*ms)}
		// late are those that even a session of their own would be closed for
		rows, marks := delivered(r, op.Window{Size: 1, Grace: rule.Gap + rule.Grace}, 60)
		sink, state := optest.NewSink(), &optest.Sorted{}
		build := func() *InSessions { return newSessions(t, sink, rule, emit, spec(t, text, having), state) }
		o, mark := build(), types.Never
		for i := 0; i < len(rows); {
			to := min(len(rows), i+1+r.IntN(8))
			process(t, o, rows[i:to]...)
			if emit == Changes {
				folded := fold(t, sink.Got, func(x optest.Row) string { return fmt.Sprint(x.Vals[0], x.Vals[len(x.Vals)-2]) })
				compare(t, seed, folded, sessionRows(rule, rows[:to], text, having))
			}
			if i = to; r.IntN(2) == 0 {
				mark = marks[i-1]
				advance(t, o, mark)
			}
			if r.IntN(8) == 0 { // a restart
				o = build()
				advance(t, o, mark)
			}
		}
		advance(t, o, types.Forever)
		if emit == Final {
			compare(t, seed, sink.Got, sessionRows(rule, rows, text, having))
		}
		if sink.Broken != "" || sink.Early > 0 || o.c.Env.Counters.LateAfterIdle > 0 || o.Holds() {
			t.Fatalf("seed %d: %q, %d rows below the marks, %+v, open %v", seed, sink.Broken, sink.Early, *o.c.Env.Counters, o.Holds())
		}
		if err := state.Scan(func(group, key, _ []byte) error { return fmt.Errorf("left in state: %q %q", group, key) }); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// What is kept of sessions that become one is kept of that: values counted once, members of the later row; and nothing when it is closed.
func TestSessionsMergeWhatIsKept(t *testing.T) {
	var aggs []*expr.Aggregate
	for _, a := range []expr.Aggregate{
		{Func: "COUNT", Distinct: true, Arg: []expr.Expr{optest.Col(1, columns[1])}},
		{Func: "SUM", Distinct: true, Arg: []expr.Expr{optest.Col(1, columns[1])}},
		{Func: "GROUP_CONCAT", Arg: []expr.Expr{optest.Col(3, columns[3])}},
		{Func: "COUNT"},
	} {
		bound, err := expr.NewAggregate(a)
		if err != nil {
			t.Fatal(err)
		}
		aggs = append(aggs, bound)
	}
	sink, kept, state := optest.NewSink(), &optest.Sorted{}, &optest.Sorted{}
	o := NewInSessions(SessionConfig{
		Env: op.Env{Counters: &op.Counters{}}, Spec: Spec{Group: onKey, Aggs: aggs}, Rule: window.Rule{Gap: 10 * ms, Grace: 100 * ms}, Emit: Changes,
		State: state, Sorted: kept, Next: sink,
	})
	process(t, o, row(100*ms, "a", 1), row(118*ms, "a", 1), row(120*ms, "a", 2), row(100*ms, "b", 1))
	expect(t, sink, "109000: a,1,1,1,1,100000,110000", "129000: a,2,3,1,2,2,118000,130000", "109000: b,1,1,1,1,100000,110000")
	process(t, o, row(109*ms, "a", 4))
	expect(t, sink, "129000: -a,2,3,1,2,2,118000,130000", "129000: a,3,7,1,4,1,2,4,100000,130000")
	process(t, o, row(95*ms, "a", 2), row(96*ms, "a", 2))
	expect(t, sink, "129000: -a,3,7,1,4,1,2,4,100000,130000", "129000: a,3,7,2,2,1,4,1,2,6,95000,130000")
	advance(t, o, types.Forever)
	for _, s := range []*optest.Sorted{kept, state} {
		if err := s.Scan(func(group, key, _ []byte) error { return fmt.Errorf("left: %q %q", group, key) }); err != nil {
			t.Fatal(err)
		}
	}
}
