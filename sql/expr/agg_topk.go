package expr

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// MaxTop is the largest k of TOPK.
const MaxTop = 1000

func bindTop(a *Aggregate) error {
	x := a.Arg[0]
	if err := scalar(x); err != nil {
		return err
	}
	v, ok := constant(a.Arg[1])
	if !ok || v.Kind != types.Int || v.I < 1 || v.I > MaxTop {
		return fmt.Errorf("how many values to keep must be a number from 1 to %d, not %s", MaxTop, a.Arg[1])
	}
	elem := x.Type()
	t := top{k: int(v.I), elem: elem, distinct: a.Distinct}
	a.folds(types.Type{Kind: types.Array, Elem: &elem}, t, tops{t})
	return nil
}

// top is TOPK: the k greatest values, greatest first; equal ones as often as they come, or once. The state is their keys
// in that order, each behind its length in 4 bytes.
type top struct {
	k        int
	elem     types.Type
	distinct bool
}

func (top) Size() int { return 0 }

func (top) Init(dst []byte) []byte { return dst }

func (t top) Update(state []byte, in *Arguments, row int) []byte {
	if in.Vals[0].IsNull(row) {
		return state
	}
	in.scratch = keys.Append(in.scratch[:0], in.Vals[0], row)
	return t.insert(state, in.scratch)
}

// insert puts a key in its place, and drops the last of more than k.
func (t top) insert(state, key []byte) []byte {
	at, n := 0, 0
	for ; at < len(state); n++ {
		have, next := topAt(state, at)
		order := bytes.Compare(key, have)
		if order == 0 && t.distinct {
			return state
		}
		if order > 0 {
			break
		}
		at = next
	}
	if n == t.k {
		return state
	}
	out := append(make([]byte, 0, len(state)+4+len(key)), state[:at]...)
	out = append(binary.BigEndian.AppendUint32(out, uint32(len(key))), key...)
	for ; at < len(state) && n < t.k-1; n++ {
		_, next := topAt(state, at)
		out = append(out, state[at:next]...)
		at = next
	}
	return out
}

// topAt is the key at an offset, and the offset of the next one.
func topAt(state []byte, at int) (key []byte, next int) {
	next = at + 4 + int(binary.BigEndian.Uint32(state[at:]))
	return state[at+4 : next], next
}

func (t top) Merge(a, b []byte) []byte {
	for at := 0; at < len(b); {
		var key []byte
		key, at = topAt(b, at)
		a = t.insert(a, key)
	}
	return a
}

func (t top) Result(state []byte, out *vector.Vector) error {
	w := newArrayWriter(t.elem, out)
	for at := 0; at < len(state); {
		var key []byte
		key, at = topAt(state, at)
		if err := w.add(key); err != nil {
			return w.fail(err)
		}
	}
	return w.close()
}

// tops is top where rows are removed: all values are a multiset, read from its end.
type tops struct{ top }

// Add implements Keeper.
func (t tops) Add(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	if in.Vals[0].IsNull(row) {
		return state, nil
	}
	in.scratch = keys.Append(in.scratch[:0], in.Vals[0], row)
	_, err := increment(set, in.scratch)
	return state, err
}

// Remove implements Remover.
func (t tops) Remove(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	if in.Vals[0].IsNull(row) {
		return state, nil
	}
	in.scratch = keys.Append(in.scratch[:0], in.Vals[0], row)
	_, err := decrement(set, in.scratch)
	return state, err
}

// Result implements Keeper.
func (t tops) Result(_ []byte, set Set, out *vector.Vector) (bad, err error) {
	w := newArrayWriter(t.elem, out)
	left := t.k
	err = set.Descend(nil, func(key, value []byte) (bool, error) {
		times := 1
		if !t.distinct {
			times = int(min(occurrences(value), uint64(left)))
		}
		left -= times
		for range times {
			if err := w.add(key); err != nil {
				return true, err
			}
		}
		return left == 0, nil
	})
	if err != nil {
		w.fail(nil)
		return nil, err
	}
	return w.close(), nil
}
