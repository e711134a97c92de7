package agg

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// kept is what the aggregates keep of a group beside its value: entries in one op.Sorted, whose group is the window's start
// and the group's key, and whose keys begin with the aggregate's number (expr.States.Set) in 2 bytes.
type kept struct {
	state op.Sorted
	sets  []expr.Set
	group []byte
	key   []byte
}

func newKept(state op.Sorted, states expr.States) *kept {
	k := &kept{state: state, sets: make([]expr.Set, len(states))}
	for i := range states {
		if states.Keeps(i) {
			set := uint16(states.Set(i))
			k.sets[i] = &entries{k, binary.BigEndian.AppendUint16(nil, set), binary.BigEndian.AppendUint16(nil, set+1)}
		}
	}
	return k
}

// of are the sets of a group; those handed out before are its from now on.
func (k *kept) of(start int64, key []byte) []expr.Set {
	k.group = append(keys.AppendTime(k.group[:0], start), key...)
	return k.sets
}

// forget removes all entries of a group.
func (k *kept) forget(start int64, key []byte) error {
	k.of(start, key)
	return k.state.Ascend(k.group, nil, nil, func(key, _ []byte) (bool, error) { return false, k.state.Delete(k.group, key) })
}

// entries is the set of one aggregate: the keys from its number up to the next.
type entries struct {
	k    *kept
	from []byte
	to   []byte
}

func (e *entries) at(key []byte) []byte {
	e.k.key = append(append(e.k.key[:0], e.from...), key...)
	return e.k.key
}

// Get implements expr.Set.
func (e *entries) Get(key []byte) ([]byte, bool, error) { return e.k.state.Get(e.k.group, e.at(key)) }

// Put implements expr.Set.
func (e *entries) Put(key, value []byte) error { return e.k.state.Put(e.k.group, e.at(key), value) }

// Delete implements expr.Set.
func (e *entries) Delete(key []byte) error { return e.k.state.Delete(e.k.group, e.at(key)) }

// Ascend implements expr.Set.
func (e *entries) Ascend(from []byte, visit func(key, value []byte) (bool, error)) error {
	return e.k.state.Ascend(e.k.group, e.at(from), e.to, e.own(visit))
}

// Descend implements expr.Set.
func (e *entries) Descend(to []byte, visit func(key, value []byte) (bool, error)) error {
	end := e.to
	if to != nil {
		end = e.at(to)
	}
	return e.k.state.Descend(e.k.group, e.from, end, e.own(visit))
}

// own takes the aggregate's number off the keys.
func (e *entries) own(visit func(key, value []byte) (bool, error)) func(key, value []byte) (bool, error) {
	return func(key, value []byte) (bool, error) { return visit(key[len(e.from):], value) }
}
