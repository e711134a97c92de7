package op_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

var errBad = errors.New("out of range")

var keyed = []types.Type{types.TVarchar, types.TBigInt}

// atLeast is true for v >= n, NULL for NULL, and cannot be computed for negative v.
func atLeast(n int64) expr.Expr {
	return &optest.Func{T: types.TBoolean, F: func(vals []any) (any, error) {
		v, ok := vals[1].(int64)
		switch {
		case !ok:
			return nil, nil
		case v < 0:
			return nil, errBad
		case v >= n:
			return 1, nil
		}
		return 0, nil
	}}
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}

type failures struct{ rows []int }

func (f *failures) fail(_ *vector.Batch, row int, err error) error {
	if !errors.Is(err, errBad) {
		return err
	}
	f.rows = append(f.rows, row)
	return nil
}

func TestFilter(t *testing.T) {
	sink, n, f := optest.NewSink(), &op.Counters{}, &failures{}
	o := op.NewFilter(op.FilterConfig{Env: op.Env{Counters: n, Fail: f.fail}, Cond: atLeast(5), Next: sink})
	b := optest.Batch(keyed,
		optest.Row{Time: 1, Vals: []any{"a", 7}}, optest.Row{Time: 2, Vals: []any{"b", 4}}, optest.Row{Time: 3, Vals: []any{"c", nil}},
		optest.Row{Time: 4, Vals: []any{"d", -1}}, optest.Row{Time: 5, Vals: []any{"e", 5}})
	for range 2 { // the output batch is used again
		if err := o.Process(0, b); err != nil {
			t.Fatal(err)
		}
		same(t, sink.Take(), []string{"1: a,7", "5: e,5"})
	}
	if n.Filtered != 4 || n.BadExpr != 2 || !slices.Equal(f.rows, []int{3, 3}) {
		t.Fatalf("%+v, failed rows %v", *n, f.rows)
	}
	if err := o.Process(0, optest.Batch(keyed, optest.Row{Time: 1, Vals: []any{"a", 1}})); err != nil || len(sink.Got) > 0 {
		t.Fatal("a filter that drops all rows pushes nothing", err)
	}
	if err := o.Advance(op.Marks{W: 9, Strict: 8}); err != nil || sink.Marks != (op.Marks{W: 9, Strict: 8}) || sink.Broken != "" {
		t.Fatal(err, sink.Marks, sink.Broken)
	}
}

// [eu@1, us@2, WHERE region='eu', row @3: no match]: the row that fails must remove the one before it (semantics S6).
func TestFilterOverUpsertsMakesTombstones(t *testing.T) {
	sink, n, f := optest.NewSink(), &op.Counters{}, &failures{}
	o := op.NewFilter(op.FilterConfig{Env: op.Env{Counters: n, Fail: f.fail}, Cond: atLeast(5), Upserts: true, Next: sink})
	b := optest.Batch(keyed,
		optest.Row{Time: 1, Vals: []any{"k", 7}}, optest.Row{Time: 2, Vals: []any{"k", 1}}, optest.Row{Time: 3, Vals: []any{"x", nil}},
		optest.Row{Time: 4, Vals: []any{"k", -1}}, optest.Row{Time: 5, Deleted: true, Vals: []any{"k", -1}}, optest.Row{Time: 6, Vals: []any{"k", 9}})
	if err := o.Process(0, b); err != nil {
		t.Fatal(err)
	}
	same(t, sink.Take(), []string{"1: k,7", "2: -k,1", "3: -x,NULL", "5: -k,-1", "6: k,9"})
	if n.BadExpr != 1 || b.Deleted[1] {
		t.Fatalf("%+v: only the row that lives and cannot be computed fails; the input stays as it was", *n)
	}
}

func TestProject(t *testing.T) {
	sink, n, f := optest.NewSink(), &op.Counters{}, &failures{}
	double := &optest.Func{T: types.TBigInt, F: func(vals []any) (any, error) {
		if vals[1] == nil {
			return nil, errBad
		}
		return vals[1].(int64) * 2, nil
	}}
	o := op.NewProject(op.ProjectConfig{
		Env: op.Env{Counters: n, Fail: f.fail}, Exprs: []expr.Expr{double, optest.Col(0, types.TVarchar)}, Next: sink,
	})
	origin := types.Origin{Source: 1, Partition: 2, Offset: 3}
	b := optest.Batch(keyed,
		optest.Row{Time: 1, Seen: -7, Origin: origin, Raw: vector.Raw{Value: []byte("v")}, Vals: []any{"a", 7}},
		optest.Row{Time: 2, Vals: []any{"b", nil}}, optest.Row{Time: 3, Deleted: true, Vals: []any{"c", nil}})
	if err := o.Process(0, b); err != nil {
		t.Fatal(err)
	}
	got := sink.Got
	same(t, sink.Take(), []string{"1: 14,a", "3: -NULL,c"})
	if got[0].Origin != origin || got[0].Seen != -7 || string(got[0].Raw.Value) != "v" {
		t.Fatalf("%+v: what travels with a row stays", got[0])
	}
	if n.BadExpr != 1 || !slices.Equal(f.rows, []int{1}) {
		t.Fatalf("%+v %v", *n, f.rows)
	}
	stop := errors.New("stop")
	o = op.NewProject(op.ProjectConfig{
		Env:   op.Env{Counters: n, Fail: func(*vector.Batch, int, error) error { return stop }},
		Exprs: []expr.Expr{double}, Next: sink,
	})
	if err := o.Process(0, b); !errors.Is(err, stop) {
		t.Fatal("on_error = 'fail' ends the query", err)
	}
}

type lateRow struct {
	row, horizon int
	lateness     int64
}

func TestLateCheckWindow(t *testing.T) {
	sink := optest.NewSink()
	var late []lateRow
	const s = 1_000_000
	o := op.NewLateCheck(op.LateCheckConfig{
		Env:      op.Env{Counters: &op.Counters{}},
		Horizons: []op.Horizon{{Kind: op.WindowHorizon, Window: op.Window{Size: 10 * s, Grace: 5 * s}}},
		Late: func(_ *vector.Batch, row, horizon int, lateness int64) error {
			late = append(late, lateRow{row, horizon, lateness})
			return nil
		},
		Next: sink,
	})
	// C11: arrival order, disorder 0: Seen is the largest ts before, less 1 µs.
	ts := []int64{1000, 12000, 9000, 14999, 9500, 15000, 9900, 40000}
	var rows []optest.Row
	maxTS := types.Never
	for _, ms := range ts {
		r := optest.Row{Time: ms * 1000, Seen: maxTS - 1, Vals: []any{"a", 1}}
		if maxTS == types.Never {
			r.Seen = types.Never
		}
		rows = append(rows, r)
		maxTS = max(maxTS, r.Time)
	}
	for i := range rows { // one row per batch or all in one: the same
		if err := o.Process(0, optest.Batch(keyed, rows[i])); err != nil {
			t.Fatal(err)
		}
	}
	single := sink.Take()
	if err := o.Process(0, optest.Batch(keyed, rows...)); err != nil {
		t.Fatal(err)
	}
	same(t, sink.Take(), single)
	if len(single) != 7 || slices.Contains(single, "9900000: a,1") {
		t.Fatalf("%q: a@9900 is the late one", single)
	}
	// W was 14.999999 s, the window's limit too: 1 µs more disorder would have kept the row.
	if want := []lateRow{{0, 0, 1}, {6, 0, 1}}; !slices.Equal(late, want) {
		t.Fatalf("%v, want %v", late, want)
	}
}

func TestLateCheckHorizons(t *testing.T) {
	asOf := &optest.Func{T: types.TTimestamp, F: func(vals []any) (any, error) {
		if v, ok := vals[1].(int64); ok && v < 0 {
			return nil, errBad
		}
		return vals[1], nil
	}}
	for _, c := range []struct {
		name     string
		h        op.Horizon
		row      optest.Row
		lateness int64 // 0: not late
	}{
		{"self, W = ts", op.Horizon{Kind: op.SelfHorizon}, optest.Row{Time: 10, Seen: 10, Vals: []any{"a", 0}}, 1},
		{"self, W = ts - 1", op.Horizon{Kind: op.SelfHorizon}, optest.Row{Time: 10, Seen: 9, Vals: []any{"a", 0}}, 0},
		{"grace, W = ts + grace", op.Horizon{Kind: op.GraceHorizon, Grace: 100}, optest.Row{Time: 10, Seen: 110, Vals: []any{"a", 0}}, 1},
		{"grace, 1 µs before", op.Horizon{Kind: op.GraceHorizon, Grace: 100}, optest.Row{Time: 10, Seen: 109, Vals: []any{"a", 0}}, 0},
		{"as-of, W = ts + history", op.Horizon{Kind: op.AsOfHorizon, History: 100}, optest.Row{Time: 10, Seen: 110, Vals: []any{"a", 0}}, 1},
		{"as-of, 1 µs before", op.Horizon{Kind: op.AsOfHorizon, History: 100}, optest.Row{Time: 10, Seen: 109, Vals: []any{"a", 0}}, 0},
		{"as-of an expression", op.Horizon{Kind: op.AsOfHorizon, AsOf: asOf, History: 100}, optest.Row{Time: 10, Seen: 150, Vals: []any{"a", 40}}, 11},
		{"as-of NULL", op.Horizon{Kind: op.AsOfHorizon, AsOf: asOf, History: 100}, optest.Row{Time: 10, Seen: 150, Vals: []any{"a", nil}}, 0},
		{"nothing seen yet", op.Horizon{Kind: op.SelfHorizon}, optest.Row{Time: types.Never / 2, Vals: []any{"a", 0}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			sink, got := optest.NewSink(), int64(0)
			o := op.NewLateCheck(op.LateCheckConfig{
				Env: op.Env{Counters: &op.Counters{}}, Horizons: []op.Horizon{c.h}, Next: sink,
				Late: func(_ *vector.Batch, _, _ int, lateness int64) error { got = lateness; return nil },
			})
			if err := o.Process(0, optest.Batch(keyed, c.row)); err != nil {
				t.Fatal(err)
			}
			if got != c.lateness || len(sink.Got) == 1 != (got == 0) {
				t.Fatalf("lateness %d, %d rows kept", got, len(sink.Got))
			}
		})
	}
}

// A row that is late for one operator of a chain contributes nothing, whatever the others would say.
func TestLateCheckAnyHorizonDrops(t *testing.T) {
	sink, horizon := optest.NewSink(), -1
	o := op.NewLateCheck(op.LateCheckConfig{
		Env: op.Env{Counters: &op.Counters{}},
		Horizons: []op.Horizon{
			{Kind: op.AsOfHorizon, History: 1000},
			{Kind: op.WindowHorizon, Window: op.Window{Size: 10}},
		},
		Late: func(_ *vector.Batch, _, h int, _ int64) error { horizon = h; return nil },
		Next: sink,
	})
	if err := o.Process(0, optest.Batch(keyed, optest.Row{Time: 5, Seen: 9, Vals: []any{"a", 0}})); err != nil {
		t.Fatal(err)
	}
	if len(sink.Got) != 0 || horizon != 1 {
		t.Fatal(sink.Got, horizon)
	}
}
