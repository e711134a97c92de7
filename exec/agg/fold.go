// Package agg holds the aggregating operators: in windows of every kind, and without a window.
package agg

import (
	"encoding/binary"
	"slices"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// Spec is what is computed. Group may be empty: one group of all rows.
type Spec struct {
	Group  []expr.Expr
	Aggs   []*expr.Aggregate
	Having expr.Expr // over the output's columns; nil: none
	// Partial: the last column of the input holds the states of rows that a Partial folded, or NULL.
	Partial bool
	// Input says whether rows may be removals of earlier ones (vector.Batch.Deleted, all columns set): then a group without
	// rows is no group.
	Input expr.Input
}

// Keeps says whether an aggregate keeps more of its rows than a state: then the operator needs an op.Sorted.
func (s Spec) Keeps() bool {
	return slices.ContainsFunc(s.Aggs, func(a *expr.Aggregate) bool { return a.Keeps(s.Input) })
}

// columns are the types of the output's first columns: the group, then the aggregates.
func (s Spec) columns() []types.Type {
	var t []types.Type
	for _, x := range s.Group {
		t = append(t, x.Type())
	}
	for _, a := range s.Aggs {
		t = append(t, a.Type())
	}
	return t
}

// store is where groups are kept: op.Windows, or a map that has no windows.
type store interface {
	Get(start int64, key []byte) (value []byte, ok bool, err error)
	Modify(start int64, key []byte) (value []byte, ok bool, err error)
	Put(start int64, key, value []byte) error
	// Forget removes a group that has no rows any more, or leaves it for its window to go.
	Forget(start int64, key []byte) error
}

// A group's value: whether its row stands in the output | the largest ts folded in, 8 bytes | length of the group's row,
// 4 bytes | the row (vector.AppendRow) | expr.States; over Deltas the last of them counts the group's rows. Numbers are
// big-endian.
const (
	emittedAt = 0
	tsAt      = 1
	lengthAt  = 9
	rowAt     = 13
)

// folder folds batches into groups.
type folder struct {
	spec   Spec
	state  store
	eval   *op.Evaluator
	in     expr.AggregateInputs
	aggs   []*expr.Aggregate // those of spec; over Deltas COUNT(*) behind them
	states expr.States
	kept   *kept // nil: a state is all there is of a group
	// fixed: no state changes its length, so groups are updated where they lie.
	fixed bool
	cols  []*vector.Vector // the group columns of the batch at hand
	done  *vector.Vector   // states folded before, of the batch at hand; nil: none
	live  *vector.Vector   // takes the count of rows where results are read
	outs  []*vector.Vector
	found *groups
	key   []byte
	value []byte
}

func newFolder(env op.Env, spec Spec, state store, sorted op.Sorted) *folder {
	f := &folder{
		spec: spec, state: state, eval: env.NewEvaluator(spec.Group...), in: expr.AggregateInputs{Over: spec.Input}, aggs: spec.Aggs,
		found: newGroups(),
	}
	if spec.Input == expr.Deltas {
		f.aggs = append(slices.Clone(spec.Aggs), expr.CountRows())
		f.live = vector.New(types.TBigInt, 1)
	}
	f.states = expr.StatesOf(f.aggs, spec.Input)
	f.fixed = f.states.Fixed()
	if spec.Keeps() {
		f.kept = newKept(sorted, f.states)
	}
	return f
}

// begin evaluates group columns and arguments over b and forgets the groups found before.
func (f *folder) begin(b *vector.Batch) (bad map[int]error, err error) {
	f.cols = f.eval.Eval(b)
	f.in.Eval(f.eval.Ctx, f.aggs, b)
	if f.spec.Partial {
		f.done = b.Cols[len(b.Cols)-1]
	}
	f.found.reset(b.N)
	return f.eval.Failed(b, nil)
}

// add puts row i into its group.
func (f *folder) add(i int, start int64) {
	f.key = keys.AppendRow(f.key[:0], f.cols, i)
	f.found.add(int32(i), start, f.key)
}

// fold folds the rows of a found group into its value, which is valid until the next use of the state. A new group is
// stored as emitted or not, as told.
func (f *folder) fold(b *vector.Batch, g *group, emitted byte) (value []byte, isNew bool, err error) {
	key := f.found.key(g)
	if f.fixed {
		value, ok, err := f.state.Modify(g.start, key)
		if err != nil {
			return nil, false, err
		}
		if ok {
			value, err = f.rows(value, b, g)
			return value, false, err
		}
	} else {
		value, ok, err := f.state.Get(g.start, key)
		if err != nil {
			return nil, false, err
		}
		if ok {
			if f.value, err = f.rows(append(f.value[:0], value...), b, g); err != nil {
				return nil, false, err
			}
			return f.value, false, f.state.Put(g.start, key, f.value)
		}
	}
	if f.value, err = f.fresh(f.value[:0], b, g); err != nil {
		return nil, false, err
	}
	f.value[emittedAt] = emitted
	return f.value, true, f.state.Put(g.start, key, f.value)
}

// fresh makes the value of the rows of g alone, not emitted, in the place of dst.
func (f *folder) fresh(dst []byte, b *vector.Batch, g *group) ([]byte, error) {
	return f.rows(f.none(dst, g), b, g)
}

// none makes the value of the group of g without its rows.
func (f *folder) none(dst []byte, g *group) []byte {
	dst = append(dst[:0], make([]byte, rowAt)...)
	putTS(dst, types.Never)
	dst = vector.AppendRow(dst, f.cols, int(g.first))
	binary.BigEndian.PutUint32(dst[lengthAt:], uint32(len(dst)-rowAt))
	return f.states.Init(dst)
}

// rows folds the rows of g into a value: in place when fixed.
func (f *folder) rows(value []byte, b *vector.Batch, g *group) ([]byte, error) {
	ts := valueTS(value)
	at := statesAt(value)
	states := value[at:]
	if f.kept != nil || f.done != nil || f.spec.Input == expr.Deltas {
		var err error
		if f.done != nil {
			states, err = f.partials(states, g)
		} else {
			states, err = f.changes(states, b, g)
		}
		if err != nil {
			return nil, err
		}
		for row := g.first; row >= 0; row = f.found.next[row] {
			ts = max(ts, b.Time[row])
		}
	} else {
		for row := g.first; row >= 0; row = f.found.next[row] {
			ts = max(ts, b.Time[row])
			states = f.states.Update(states, &f.in, int(row))
		}
	}
	putTS(value, ts)
	return f.whole(value, at, states), nil
}

// whole is a value whose states, which begin at an offset, were changed.
func (f *folder) whole(value []byte, at int, states []byte) []byte {
	// What grew may lie elsewhere by now.
	if !f.fixed && &states[0] != &value[at] {
		return append(value[:at], states...)
	}
	return value[:at+len(states)]
}

// merge folds the value of other rows of the same group into value: in place when fixed. There are accumulators only.
func (f *folder) merge(value, other []byte) []byte {
	putTS(value, max(valueTS(value), valueTS(other)))
	at := statesAt(value)
	return f.whole(value, at, f.states.Merge(value[at:], other[statesAt(other):]))
}

// mergeKept is merge where aggregates keep entries, too: sets are those of value, from those of other.
func (f *folder) mergeKept(value []byte, sets []expr.Set, other []byte, from []expr.Set) ([]byte, error) {
	putTS(value, max(valueTS(value), valueTS(other)))
	at := statesAt(value)
	states, err := f.states.MergeKept(value[at:], sets, other[statesAt(other):], from)
	if err != nil {
		return value, err
	}
	return f.whole(value, at, states), nil
}

// mergeInto folds a value into that of a key in the state, or stores it there. It must not be lent by the state.
func (f *folder) mergeInto(start int64, key, other []byte) error {
	if f.fixed {
		value, ok, err := f.state.Modify(start, key)
		if err != nil {
			return err
		}
		if ok {
			f.merge(value, other)
			return nil
		}
	} else {
		value, ok, err := f.state.Get(start, key)
		if err != nil {
			return err
		}
		if ok {
			f.value = f.merge(append(f.value[:0], value...), other)
			return f.state.Put(start, key, f.value)
		}
	}
	return f.state.Put(start, key, other)
}

func statesAt(value []byte) int { return rowAt + int(binary.BigEndian.Uint32(value[lengthAt:])) }

// changes folds rows and removals of g into its states and what is kept beside them.
func (f *folder) changes(states []byte, b *vector.Batch, g *group) ([]byte, error) {
	sets := f.sets(g.start, f.found.key(g))
	var err error
	for row := g.first; row >= 0 && err == nil; row = f.found.next[row] {
		if b.Deleted != nil && b.Deleted[row] {
			states, err = f.states.Remove(states, sets, &f.in, int(row))
		} else {
			states, err = f.states.Add(states, sets, &f.in, int(row))
		}
	}
	return states, err
}

// partials folds rows of g, and rows folded before, into its states.
func (f *folder) partials(states []byte, g *group) ([]byte, error) {
	for row := g.first; row >= 0; row = f.found.next[row] {
		if f.done.IsNull(int(row)) {
			states = f.states.Update(states, &f.in, int(row))
			continue
		}
		_, folded, err := readPartial(f.done.Bytes.At(int(row)))
		if err == nil && !f.states.Valid(folded) {
			err = op.ErrRow
		}
		if err != nil {
			return nil, err
		}
		states = f.states.Merge(states, folded)
	}
	return states, nil
}

// count is how many rows row i stands for.
func (f *folder) count(i int) int64 {
	if f.done == nil || f.done.IsNull(i) {
		return 1
	}
	n, _, err := readPartial(f.done.Bytes.At(i))
	if err != nil {
		return 1
	}
	return n
}

// sets are what is kept of a group beside its value.
func (f *folder) sets(start int64, key []byte) []expr.Set {
	if f.kept == nil {
		return nil
	}
	return f.kept.of(start, key)
}

// alive says whether a group has rows.
func (f *folder) alive(value []byte) bool {
	return f.spec.Input == expr.Appends || binary.LittleEndian.Uint64(value[len(value)-8:]) > 0
}

func valueTS(value []byte) int64 { return int64(binary.BigEndian.Uint64(value[tsAt:])) }

func putTS(value []byte, ts int64) { binary.BigEndian.PutUint64(value[tsAt:], uint64(ts)) }

// read appends the group's columns and its aggregates to cols. On a result that does not fit, NULL was appended.
func (f *folder) read(start int64, key, value []byte, cols []*vector.Vector) (result, err error) {
	if len(value) < rowAt {
		return nil, op.ErrRow
	}
	n := len(f.spec.Group)
	end := statesAt(value)
	if end > len(value) {
		return nil, op.ErrRow
	}
	if _, err := vector.DecodeRow(value[rowAt:end], cols[:n]); err != nil {
		return nil, err
	}
	f.outs = append(f.outs[:0], cols[n:n+len(f.spec.Aggs)]...)
	if f.live != nil {
		f.live.Reset()
		f.outs = append(f.outs, f.live)
	}
	return f.states.Results(value[end:], f.sets(start, key), f.outs)
}
