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

var columns = []types.Type{types.TVarchar, types.TBigInt}

var (
	onKey   = []expr.Expr{&expr.Column{Index: 0, Name: "k", Typ: types.TVarchar}}
	byValue = &expr.Column{Index: 1, Name: "v", Typ: types.TBigInt}
)

func process(t *testing.T, o op.Operator, rows ...optest.Row) {
	t.Helper()
	if err := o.Process(0, optest.Batch(columns, rows...)); err != nil {
		t.Fatal(err)
	}
}

func row(ts, offset int64, key string, v any) optest.Row {
	return optest.Row{Time: ts, Origin: types.Origin{Source: 1, Partition: 2, Offset: offset}, Vals: []any{key, v}}
}

func removed(r optest.Row) optest.Row {
	r.Deleted = true
	return r
}

func topN(c TopNConfig, sink op.Next) *TopN {
	c.Env, c.Columns, c.Partition, c.Next = op.Env{Counters: &op.Counters{}}, columns, onKey, sink
	if c.State == nil {
		c.State = &optest.Sorted{}
	}
	return NewTopN(c)
}

func TestTopNSendsWhatComesAndGoes(t *testing.T) {
	sink := optest.NewSink()
	top := topN(TopNConfig{Order: []Key{{byValue, true}}, N: 2}, sink)
	steps := []struct {
		row  optest.Row
		want []string
	}{
		{row(1, 0, "a", 5), []string{"1: a,5"}},
		{row(2, 1, "a", 3), []string{"2: a,3"}},
		{row(3, 2, "a", 1), nil},
		{row(4, 3, "b", 1), []string{"4: b,1"}},
		{row(5, 4, "a", 9), []string{"2: -a,3", "5: a,9"}},
		{row(6, 5, "a", nil), nil}, // DESC: NULL is last
		{row(7, 6, "b", nil), []string{"7: b,NULL"}},
		{row(8, 7, "a", 5), nil}, // equal: the earlier one stays
	}
	for _, s := range steps {
		process(t, top, s.row)
		if got := sink.Take(); !slices.Equal(got, s.want) {
			t.Errorf("%s: got %q, want %q", s.row, got, s.want)
		}
	}
}

func TestTopNNumbered(t *testing.T) {
	sink := optest.NewSink()
	top := topN(TopNConfig{Order: []Key{{byValue, false}}, N: 2, Numbered: true, Removes: true}, sink)
	process(t, top, row(1, 0, "a", 5), row(2, 1, "a", 7), row(3, 2, "a", 9))
	if got, want := sink.Take(), []string{"1: a,5,1", "2: a,7,2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	process(t, top, removed(row(1, 0, "a", 5)))
	if got, want := sink.Take(), []string{"1: -a,5,1", "2: -a,7,2", "2: a,7,1", "3: a,9,2"}; !slices.Equal(got, want) {
		t.Errorf("the others move up: got %q, want %q", got, want)
	}
}

// first are the rows of a partition that TopN must show, computed from all rows that stand.
func first(rows []optest.Row, r Ranking, n int64) []string {
	value := func(x optest.Row) int { v, _ := x.Vals[1].(int); return v }
	slices.SortFunc(rows, func(a, b optest.Row) int {
		return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(a.Time, b.Time), a.Origin.Compare(b.Origin))
	})
	var out []string
	for i, x := range rows {
		less, values := 0, map[int]bool{}
		for _, y := range rows {
			if value(y) > value(x) {
				less++
				values[value(y)] = true
			}
		}
		number := int64(map[Ranking]int{RowNumber: i, Rank: less, DenseRank: len(values)}[r] + 1)
		if number <= n {
			out = append(out, fmt.Sprint(x, number))
		}
	}
	return out
}

// TestTopNAgainstOracle: whatever the batches, what was added and not removed are the first rows of all that stand.
func TestTopNAgainstOracle(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := TopNConfig{Order: []Key{{byValue, true}}, Ranking: Ranking(r.IntN(3)), N: int64(1 + r.IntN(3)), Numbered: true, Removes: r.IntN(2) == 0}
		sink := optest.NewSink()
		top := topN(c, sink)
		var stand, input []optest.Row
		times := r.Perm(60) // each row has its own, so that rows are told apart
		for i := range 60 {
			if c.Removes && len(stand) > 0 && r.IntN(3) == 0 {
				at := r.IntN(len(stand))
				input = append(input, removed(stand[at]))
				stand = slices.Delete(stand, at, at+1)
				continue
			}
			x := row(int64(times[i]), int64(i), string(rune('a'+r.IntN(2))), r.IntN(6))
			input, stand = append(input, x), append(stand, x)
		}
		for i := 0; i < len(input); {
			n := min(1+r.IntN(15), len(input)-i)
			process(t, top, input[i:i+n]...)
			i += n
		}
		shown := map[string]int{}
		for _, x := range sink.Got {
			number := x.Vals[2]
			plain := optest.Row{Time: x.Time, Vals: x.Vals[:2]}
			if x.Deleted {
				shown[fmt.Sprint(plain, number)]--
			} else {
				shown[fmt.Sprint(plain, number)]++
			}
		}
		var got, want []string
		for x, n := range shown {
			if n < 0 || n > 1 {
				t.Fatalf("seed %d: %s stands %d times", seed, x, n)
			}
			if n == 1 {
				got = append(got, x)
			}
		}
		parts := map[string][]optest.Row{}
		for _, x := range stand {
			parts[x.Vals[0].(string)] = append(parts[x.Vals[0].(string)], x)
		}
		for _, rows := range parts {
			want = append(want, first(rows, c.Ranking, c.N)...)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || sink.Broken != "" {
			t.Fatalf("seed %d, %+v: %s\ngot  %q\nwant %q", seed, c.Ranking, sink.Broken, got, want)
		}
	}
}
