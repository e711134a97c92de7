package changes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/types"
)

var columns = []types.Type{types.TVarchar, types.TBigInt}

func upsert(ts, offset int64, key string, v any) optest.Row {
	return optest.Row{Time: ts, Origin: types.Origin{Offset: offset}, Deleted: v == nil, Vals: []any{key, v}}
}

func materialize(state *optest.Map, removed op.Windows, sink op.Next, n *op.Counters) *Materialize {
	return NewMaterialize(MaterializeConfig{Env: op.Env{Counters: n}, Columns: columns, Key: []int{0}, Removed: removed, History: 10, State: state, Next: sink})
}

func process(t *testing.T, o op.Operator, rows ...optest.Row) {
	t.Helper()
	if err := o.Process(0, optest.Batch(columns, rows...)); err != nil {
		t.Fatal(err)
	}
}

func TestMaterializeNewestWins(t *testing.T) {
	sink, n := optest.NewSink(), &op.Counters{}
	m := materialize(&optest.Map{}, &optest.Windows{}, sink, n)
	process(t, m, upsert(10, 0, "a", 1), upsert(20, 1, "a", 2), upsert(15, 2, "a", 9), upsert(20, 0, "a", 9))
	want := []string{"10: a,1", "10: -a,1", "20: a,2"}
	if got := sink.Take(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n.OldUpdates != 2 {
		t.Errorf("%d older rows counted, want 2", n.OldUpdates)
	}
	process(t, m, upsert(30, 5, "a", nil), upsert(25, 4, "a", 7)) // the deletion is newer
	if got := sink.Take(); !slices.Equal(got, []string{"20: -a,2"}) {
		t.Errorf("after the deletion: %q", got)
	}
}

func TestMaterializeForgetsDeletions(t *testing.T) {
	state, sink := &optest.Map{}, optest.NewSink()
	m := materialize(state, &optest.Windows{}, sink, &op.Counters{})
	s := types.MicrosPerSecond
	process(t, m, upsert(1, 0, "a", 1), upsert(2, 1, "a", nil), upsert(3, 2, "b", nil), upsert(4*s, 3, "b", 5))
	if err := m.Advance(op.Marks{W: 2 * s, Strict: 2 * s}); err != nil {
		t.Fatal(err)
	}
	left := 0
	if err := state.Scan(func(key, _ []byte) error { left++; return nil }); err != nil {
		t.Fatal(err)
	}
	if left != 1 {
		t.Errorf("%d keys are kept, want b alone", left)
	}
	if sink.Marks.W != 2*s {
		t.Errorf("time was held back at %d", sink.Marks.W)
	}
}

// newest is the row of each key with the largest (ts, offset).
func newest(rows []optest.Row) map[string]optest.Row {
	out := map[string]optest.Row{}
	for _, r := range rows {
		k := r.Vals[0].(string)
		o, ok := out[k]
		if !ok || r.Time > o.Time || r.Time == o.Time && r.Origin.Compare(o.Origin) > 0 {
			out[k] = r
		}
	}
	return out
}

// TestMaterializeThenFold: whatever the batches and the order of rows, what comes out after both is the newest row per key, and the
// deltas between add up: no row is removed that did not stand.
func TestMaterializeThenFold(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var rows []optest.Row
		for i := range 80 {
			var v any = r.IntN(5)
			if r.IntN(5) == 0 {
				v = nil
			}
			rows = append(rows, upsert(r.Int64N(40), int64(i), string(rune('a'+r.IntN(5))), v))
		}
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		deltas, sink := optest.NewSink(), optest.NewSink()
		f := NewFold(FoldConfig{Columns: columns, Key: []int{0}, State: &optest.Sorted{}, Next: sink})
		m := materialize(&optest.Map{}, &optest.Windows{}, deltas, &op.Counters{})
		for i := 0; i < len(rows); {
			n := min(1+r.IntN(20), len(rows)-i)
			process(t, m, rows[i:i+n]...)
			i += n
		}
		stands := map[string]int{}
		for _, d := range deltas.Got {
			text := fmt.Sprint(d.Time, d.Vals)
			if d.Deleted {
				stands[text]--
			} else {
				stands[text]++
			}
			if stands[text] < 0 {
				t.Fatalf("seed %d: %s was removed before it was added", seed, text)
			}
		}
		// The fold may see an addition and its removal in any order, as when they come from two tasks.
		r.Shuffle(len(deltas.Got), func(i, j int) { deltas.Got[i], deltas.Got[j] = deltas.Got[j], deltas.Got[i] })
		for i := 0; i < len(deltas.Got); {
			n := min(1+r.IntN(20), len(deltas.Got)-i)
			process(t, f, deltas.Got[i:i+n]...)
			i += n
		}
		got := map[string]optest.Row{}
		for _, x := range sink.Got {
			got[x.Vals[0].(string)] = x
		}
		for k, want := range newest(rows) {
			x, sent := got[k]
			if want.Deleted {
				if sent && !x.Deleted {
					t.Fatalf("seed %d: %s stands as %s, want nothing", seed, k, x)
				}
				continue
			}
			if x.String() != want.String() {
				t.Fatalf("seed %d: %s is %s, want %s", seed, k, x, want)
			}
		}
		if deltas.Broken != "" || sink.Broken != "" {
			t.Fatalf("seed %d: %s %s", seed, deltas.Broken, sink.Broken)
		}
	}
}

// TestCollapse: what stands after each batch is what the deltas come to.
func TestCollapse(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		deltas, sink := optest.NewSink(), optest.NewSink()
		c := NewCollapse(CollapseConfig{Key: []int{0}, Next: sink})
		m := materialize(&optest.Map{}, nil, deltas, &op.Counters{})
		want := map[string]optest.Row{}
		for i := range 30 {
			var rows []optest.Row
			for k := range 1 + r.IntN(8) {
				var v any = r.IntN(5)
				if r.IntN(4) == 0 {
					v = nil
				}
				x := upsert(int64(i), int64(k), string(rune('a'+r.IntN(4))), v)
				rows, want[x.Vals[0].(string)] = append(rows, x), x
			}
			process(t, m, rows...)
			if len(deltas.Got) > 0 {
				process(t, c, deltas.Got...)
			}
			deltas.Got = nil
		}
		got := map[string]optest.Row{}
		for _, x := range sink.Got {
			got[x.Vals[0].(string)] = x
		}
		for k, w := range want {
			if x, ok := got[k]; ok && (x.Deleted != w.Deleted || !w.Deleted && x.String() != w.String()) || !ok && !w.Deleted {
				t.Fatalf("seed %d: %s is %s, want %s", seed, k, got[k], w)
			}
		}
	}
}
