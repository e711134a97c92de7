package join

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// twoTables is a TableTable with naive state.
type twoTables struct {
	t    *testing.T
	c    TableTableConfig
	make func(TableTableConfig) *TableTable
	j    *TableTable
	sink *optest.Sink
	n    *op.Counters
}

func newTwoTables(t *testing.T, build func(TableTableConfig) *TableTable, left, right Alone, change func(*TableTableConfig)) *twoTables {
	x := &twoTables{t: t, make: build, sink: optest.NewSink(), n: &op.Counters{}}
	side := func(a Alone) TableSide {
		return TableSide{Columns: pairCols, Keys: []expr.Expr{optest.Col(0, types.TVarchar)}, Alone: a, State: &optest.Sorted{}}
	}
	x.c = TableTableConfig{Env: op.Env{Counters: x.n}, Left: side(left), Right: side(right), Next: x.sink}
	if change != nil {
		change(&x.c)
	}
	x.j = build(x.c)
	return x
}

func (x *twoTables) put(side int, rows ...optest.Row) {
	x.t.Helper()
	if err := x.j.Process(side, optest.Batch(pairCols, rows...)); err != nil {
		x.t.Fatal(err)
	}
}

// expect compares the changes since the last call, in order.
func (x *twoTables) expect(want ...string) {
	x.t.Helper()
	if got := x.sink.Take(); !slices.Equal(got, want) {
		x.t.Fatalf("got  %q\nwant %q", got, want)
	}
	if x.sink.Broken != "" {
		x.t.Fatal(x.sink.Broken)
	}
}

func plus(ts int64, key any, id int) optest.Row {
	return optest.Row{Time: ts, Vals: []any{key, id}}
}

func minus(ts int64, key any, id int) optest.Row {
	r := plus(ts, key, id)
	r.Deleted = true
	return r
}

func TestAPairComesAndGoes(t *testing.T) {
	x := newTwoTables(t, NewTableTable, Never, Never, nil)
	x.put(Left, plus(10, "a", 1))
	x.expect()
	x.put(Right, plus(20, "a", 2), plus(5, "a", 3), plus(5, "b", 4), plus(5, nil, 5))
	x.expect("20: a,1,a,2", "10: a,1,a,3")
	x.put(Left, plus(30, "a", 6), minus(10, "a", 1), plus(1, nil, 7))
	x.expect("30: a,6,a,3", "30: a,6,a,2", "10: -a,1,a,3", "20: -a,1,a,2")
	x.put(Right, minus(20, "a", 2))
	x.expect("30: -a,6,a,2")
}

// The row with NULLs goes when the first match comes, and comes back when the last one goes.
func TestOuterRowsAreTakenBack(t *testing.T) {
	x := newTwoTables(t, NewTableTable, WithoutPair, WithoutPair, nil)
	x.put(Left, plus(10, "a", 1), plus(11, nil, 2))
	x.expect("10: a,1,NULL,NULL", "11: NULL,2,NULL,NULL")
	x.put(Right, plus(20, "a", 3), plus(21, "a", 4))
	x.expect("10: -a,1,NULL,NULL", "20: a,1,a,3", "21: a,1,a,4")
	x.put(Right, minus(20, "a", 3))
	x.expect("20: -a,1,a,3")
	x.put(Right, minus(21, "a", 4))
	x.expect("10: a,1,NULL,NULL", "21: -a,1,a,4")
	x.put(Left, minus(10, "a", 1), minus(11, nil, 2))
	x.expect("10: -a,1,NULL,NULL", "11: -NULL,2,NULL,NULL")
	x.put(Right, plus(30, "a", 5))
	x.expect("30: NULL,NULL,a,5")
}

func TestSemiAndAnti(t *testing.T) {
	x := newTwoTables(t, NewSemi, Never, Never, nil)
	y := newTwoTables(t, NewAnti, Never, Never, nil)
	step := func(side int, semi, anti []string, rows ...optest.Row) {
		t.Helper()
		x.put(side, rows...)
		x.expect(semi...)
		y.put(side, rows...)
		y.expect(anti...)
	}
	step(Left, nil, []string{"10: a,1", "12: NULL,2"}, plus(10, "a", 1), plus(12, nil, 2))
	step(Right, []string{"10: a,1"}, []string{"10: -a,1"}, plus(20, "a", 3), plus(21, "a", 4))
	step(Left, []string{"11: a,5"}, nil, plus(11, "a", 5))
	step(Right, nil, nil, minus(20, "a", 3))
	step(Right, []string{"10: -a,1", "11: -a,5"}, []string{"10: a,1", "11: a,5"}, minus(21, "a", 4))
}

// A removal that comes before its addition: neither is ever seen.
func TestARemovalComesFirst(t *testing.T) {
	x := newTwoTables(t, NewTableTable, WithoutPair, Never, nil)
	x.put(Left, minus(10, "a", 1))
	x.put(Right, plus(20, "a", 2))
	x.put(Left, plus(10, "a", 1))
	x.expect()
	x.put(Left, plus(10, "a", 1), plus(10, "a", 1))
	x.expect("20: a,1,a,2", "20: a,1,a,2")
}

// history is one random run of a TableTable.
type history struct {
	*twoTables
	r     *rand.Rand
	kind  int
	stand [2][]optest.Row
}

const (
	semiKind = 4
	antiKind = 5
)

func newHistory(t *testing.T, seed uint64) *history {
	r := rand.New(rand.NewPCG(seed, 9))
	h := &history{r: r, kind: r.IntN(6)}
	build, left, right := NewTableTable, Never, Never
	switch h.kind {
	case 1:
		left = WithoutPair
	case 2:
		right = WithoutPair
	case 3:
		left, right = WithoutPair, WithoutPair
	case semiKind:
		build = NewSemi
	case antiKind:
		build = NewAnti
	}
	h.twoTables = newTwoTables(t, build, left, right, func(c *TableTableConfig) {
		if r.IntN(2) == 0 {
			c.NullSafe = []bool{true}
		}
		if r.IntN(2) == 0 {
			c.Residual = &optest.Func{T: types.TBoolean, F: func(v []any) (any, error) { return residual(v), nil }}
		}
	})
	return h
}

// step adds and removes some rows of a side; a few rows are equal.
func (h *history) step() {
	side := h.r.IntN(2)
	var batch []optest.Row
	for range 1 + h.r.IntN(8) {
		stand := h.stand[side]
		if len(stand) > 0 && h.r.IntN(5) < 2 {
			i := h.r.IntN(len(stand))
			gone := stand[i]
			h.stand[side] = slices.Delete(slices.Clone(stand), i, i+1)
			gone.Deleted = true
			batch = append(batch, gone)
			continue
		}
		var key any = fmt.Sprint("k", h.r.IntN(3))
		if h.r.IntN(6) == 0 {
			key = nil
		}
		row := plus(h.r.Int64N(3), key, h.r.IntN(4))
		h.stand[side] = append(h.stand[side], row)
		batch = append(batch, row)
	}
	h.put(side, batch...)
	if h.r.IntN(4) == 0 {
		h.j = h.make(h.c) // as after a crash
	}
}

// answer is the join of what stands, by its definition.
func (h *history) answer() []string {
	var out []string
	met := [2][]bool{make([]bool, len(h.stand[Left])), make([]bool, len(h.stand[Right]))}
	for a, l := range h.stand[Left] {
		for b, r := range h.stand[Right] {
			null := l.Vals[0] == nil || r.Vals[0] == nil
			v := []any{l.Vals[0], int64(l.Vals[1].(int)), r.Vals[0], int64(r.Vals[1].(int))}
			if l.Vals[0] != r.Vals[0] || null && h.c.NullSafe == nil || h.c.Residual != nil && residual(v) != 1 {
				continue
			}
			met[Left][a], met[Right][b] = true, true
			if h.kind < semiKind {
				out = append(out, optest.Row{Time: max(l.Time, r.Time), Vals: v}.String())
			}
		}
	}
	for a, l := range h.stand[Left] {
		switch {
		case h.kind == semiKind && met[Left][a], h.kind == antiKind && !met[Left][a]:
			out = append(out, l.String())
		case (h.kind == 1 || h.kind == 3) && !met[Left][a]:
			out = append(out, optest.Row{Time: l.Time, Vals: append(slices.Clone(l.Vals), nil, nil)}.String())
		}
	}
	for b, r := range h.stand[Right] {
		if (h.kind == 2 || h.kind == 3) && !met[Right][b] {
			out = append(out, optest.Row{Time: r.Time, Vals: append([]any{nil, nil}, r.Vals...)}.String())
		}
	}
	slices.Sort(out)
	return out
}

func TestTableTableAgainstOracle(t *testing.T) {
	for seed := range uint64(600) {
		h := newHistory(t, seed)
		counts := map[string]int{}
		for range 25 {
			h.step()
			for _, r := range h.sink.Got {
				deleted := r.Deleted
				r.Deleted = false
				if !deleted {
					counts[r.String()]++
				} else {
					counts[r.String()]--
				}
			}
			h.sink.Got = nil
			var got []string
			for text, n := range counts {
				if n < 0 {
					t.Fatalf("seed %d: %s was removed more often than added", seed, text)
				}
				for range n {
					got = append(got, text)
				}
			}
			slices.Sort(got)
			if want := h.answer(); !slices.Equal(got, want) {
				t.Fatalf("seed %d, kind %d: got %q\nwant %q", seed, h.kind, got, want)
			}
		}
		if h.sink.Broken != "" {
			t.Fatalf("seed %d: %s", seed, h.sink.Broken)
		}
	}
}

// A row with more partners than a batch holds.
func TestARowWithManyPartners(t *testing.T) {
	for _, cond := range []expr.Expr{nil, &optest.Func{T: types.TBoolean, F: func(v []any) (any, error) { return int(v[3].(int64) % 2), nil }}} {
		x := newTwoTables(t, NewTableTable, WithoutPair, WithoutPair, func(c *TableTableConfig) { c.Residual = cond })
		var rows []optest.Row
		for i := range 3 * op.ChunkRows {
			rows = append(rows, plus(int64(i), "a", i))
		}
		x.j.sides[Right].state = &heap{}
		x.put(Right, rows...)
		x.sink.Got = nil
		x.put(Left, plus(1, "a", 1))
		pairs, alone := 0, 0
		for _, r := range x.sink.Got {
			switch {
			case r.Vals[0] == nil && r.Deleted:
				alone++
			case r.Vals[0] != nil && r.Vals[2] != nil && !r.Deleted:
				pairs++
			}
		}
		want := len(rows)
		if cond != nil {
			want /= 2
		}
		if pairs != want || alone != want || len(x.sink.Got) != 2*want {
			t.Errorf("%d pairs and %d rows taken back of %d changes, want %d", pairs, alone, len(x.sink.Got), want)
		}
	}
}

// heap is a Sorted of one group for keys that come in order.
type heap struct {
	op.Sorted
	keys, values [][]byte
}

func (h *heap) Modify(_, key []byte) ([]byte, bool, error) {
	i, ok := slices.BinarySearchFunc(h.keys, key, slices.Compare[[]byte])
	if !ok {
		return nil, false, nil
	}
	return h.values[i], true, nil
}

func (h *heap) Put(_, key, value []byte) error {
	h.keys, h.values = append(h.keys, slices.Clone(key)), append(h.values, slices.Clone(value))
	return nil
}

func (h *heap) Ascend(_, _, _ []byte, visit func(key, value []byte) (bool, error)) error {
	for i := range h.keys {
		if stop, err := visit(h.keys[i], h.values[i]); stop || err != nil {
			return err
		}
	}
	return nil
}
