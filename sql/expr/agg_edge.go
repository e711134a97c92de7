package expr

import (
	"bytes"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// bindEdge binds FIRST, LAST and ANY_VALUE of x, and x of the row with the least or greatest y: MIN_BY and MAX_BY.
func bindEdge(a *Aggregate) error {
	e := &edge{want: -1, by: -1, timed: true, value: a.Arg[0].Type()}
	switch a.Func {
	case "ANY_VALUE":
		e.nulls = true
		e.want = 1
	case "LAST":
		e.want = 1
	case "MIN_BY", "MAX_BY":
		if err := scalar(a.Arg[1]); err != nil {
			return err
		}
		e.by, e.nulls = 1, true
		if a.Func == "MAX_BY" {
			e.want = 1
		}
	}
	a.folds(e.value, e, edges{e})
	return nil
}

// edge takes the value of the row that comes first (want -1) or last (want 1) by a key: [the value of argument by] [event
// time and origin] the value of argument 0. The state is that row's key, empty for none. Where rows are removed the keys of
// all rows are a multiset, in which the next one is looked for from the place of the removed one.
type edge struct {
	want  int
	by    int  // argument, -1: none
	timed bool // event time and origin order the rows
	nulls bool // argument 0 may be NULL
	value types.Type
}

func (*edge) Size() int { return 0 }

func (*edge) Init(dst []byte) []byte { return dst }

// key is the key of a row, valid until the next call; ok false: the row does not count.
func (e *edge) key(in *Arguments, row int) (key []byte, ok bool) {
	if !e.nulls && in.Vals[0].IsNull(row) || e.by >= 0 && in.Vals[e.by].IsNull(row) {
		return nil, false
	}
	k := in.scratch[:0]
	if e.by >= 0 {
		k = keys.Append(k, in.Vals[e.by], row)
	}
	if e.timed {
		k = in.order(k, row)
	}
	in.scratch = keys.Append(k, in.Vals[0], row)
	return in.scratch, true
}

func (e *edge) better(key, state []byte) bool {
	return len(state) == 0 || bytes.Compare(key, state) == e.want
}

func (e *edge) Update(state []byte, in *Arguments, row int) []byte {
	if e.by < 0 && e.timed && len(state) > 0 { // most rows are settled by their time
		if ts := keys.Time(state); e.want < 0 && in.Time[row] > ts || e.want > 0 && in.Time[row] < ts {
			return state
		}
	}
	if key, ok := e.key(in, row); ok && e.better(key, state) {
		return append(state[:0], key...)
	}
	return state
}

func (e *edge) Merge(a, b []byte) []byte {
	if len(b) > 0 && e.better(b, a) {
		return append(a[:0], b...)
	}
	return a
}

// Result is that of an Accumulator.
func (e *edge) Result(state []byte, out *vector.Vector) error {
	if len(state) == 0 {
		out.AppendNull()
		return nil
	}
	var err error
	if e.by >= 0 {
		if state, err = keys.Skip(state); err != nil {
			return corruptState(out, err)
		}
	}
	if e.timed {
		state = state[min(orderBytes, len(state)):]
	}
	if _, err = keys.Decode(state, []*vector.Vector{out}); err != nil {
		return corruptState(out, err)
	}
	return nil
}

func corruptState(out *vector.Vector, err error) error {
	out.AppendNull()
	return err
}

// edges is edge where rows are removed.
type edges struct{ *edge }

// Add implements Keeper.
func (e edges) Add(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	key, ok := e.key(in, row)
	if !ok {
		return state, nil
	}
	if _, err := increment(set, key); err != nil {
		return state, err
	}
	if e.better(key, state) {
		state = append(state[:0], key...)
	}
	return state, nil
}

// Remove implements Remover.
func (e edges) Remove(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	key, ok := e.key(in, row)
	if !ok {
		return state, nil
	}
	gone, err := decrement(set, key)
	if err != nil || !gone || !bytes.Equal(key, state) {
		return state, err
	}
	return e.successor(state, set, key)
}

// successor puts the row that comes next behind a removed one into the state.
func (e edges) successor(state []byte, set Set, key []byte) ([]byte, error) {
	state = state[:0]
	next := func(key, _ []byte) (bool, error) {
		state = append(state[:0], key...)
		return true, nil
	}
	var err error
	if e.want < 0 {
		err = set.Ascend(key, next)
	} else {
		err = set.Descend(key, next)
	}
	return state, err
}

// Result implements Keeper.
func (e edges) Result(state []byte, _ Set, out *vector.Vector) (bad, err error) {
	return nil, e.edge.Result(state, out)
}
