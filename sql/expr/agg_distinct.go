package expr

import (
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// wrapDistinct makes a count each value of its arguments once.
func (a *Aggregate) wrapDistinct() error {
	for _, x := range a.Arg {
		if err := scalar(x); err != nil {
			return fmt.Errorf("%s(DISTINCT …): %w", a.Func, err)
		}
	}
	acc, ok := a.over[Appends].acc.(Retractor)
	if !ok {
		return fmt.Errorf("%s(DISTINCT …) has no meaning; leave DISTINCT out", a.Func)
	}
	f := firsts{Retractor: acc}
	for _, x := range a.Arg {
		f.values = append(f.values, x.Type())
	}
	a.over[Appends] = form{keep: f}
	a.over[Deltas] = form{keep: distinct{acc}}
	return nil
}

// firsts folds the first of equal values into an accumulator. The set holds the values; rows with a NULL do not count.
type firsts struct {
	Retractor
	values []types.Type // of the arguments
}

// Add implements Keeper.
func (f firsts) Add(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	if in.anyNull(row) {
		return state, nil
	}
	in.scratch = keys.AppendRow(in.scratch[:0], in.Vals, row)
	if _, ok, err := set.Get(in.scratch); ok || err != nil {
		return state, err
	}
	if err := set.Put(in.scratch, nil); err != nil {
		return state, err
	}
	return f.Update(state, in, row), nil
}

// Merge implements Merger.
func (f firsts) Merge(state []byte, set Set, _ []byte, from Set) ([]byte, error) {
	in := Arguments{Time: []int64{0}}
	for _, t := range f.values {
		in.Vals = append(in.Vals, vector.New(t, 1))
	}
	err := from.Ascend(nil, func(key, _ []byte) (bool, error) {
		if _, ok, err := set.Get(key); ok || err != nil {
			return err != nil, err
		}
		if err := set.Put(key, nil); err != nil {
			return true, err
		}
		for _, v := range in.Vals {
			v.Reset()
		}
		if _, err := keys.Decode(key, in.Vals); err != nil {
			return true, err
		}
		state = f.Update(state, &in, 0)
		return false, nil
	})
	return state, err
}

// Result implements Keeper.
func (f firsts) Result(state []byte, _ Set, out *vector.Vector) (bad, err error) {
	return f.Retractor.Result(state, out), nil
}

// distinct is firsts where rows are removed: the set is a multiset, and what leaves it is taken back.
type distinct struct{ Retractor }

// Add implements Keeper.
func (d distinct) Add(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	if in.anyNull(row) {
		return state, nil
	}
	in.scratch = keys.AppendRow(in.scratch[:0], in.Vals, row)
	isNew, err := increment(set, in.scratch)
	if err != nil || !isNew {
		return state, err
	}
	return d.Update(state, in, row), nil
}

// Remove implements Remover.
func (d distinct) Remove(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	if in.anyNull(row) {
		return state, nil
	}
	in.scratch = keys.AppendRow(in.scratch[:0], in.Vals, row)
	gone, err := decrement(set, in.scratch)
	if err != nil || !gone {
		return state, err
	}
	return d.Retract(state, in, row), nil
}

// Result implements Keeper.
func (d distinct) Result(state []byte, _ Set, out *vector.Vector) (bad, err error) {
	return d.Retractor.Result(state, out), nil
}
