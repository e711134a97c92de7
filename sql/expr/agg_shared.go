package expr

import (
	"bytes"

	"github.com/streamsql-go/streamsql/storage/keys"
)

// Where rows are removed, MIN(x), MAX(x) and what is DISTINCT over x keep the same: how often each value of x is there. So only the
// first of them does, and the others look at what has become of the row's value in its set.

// sharing is a Remover whose set is the multiset of the values of one expression.
type sharing interface {
	Remover
	// beside is what computes the same when another aggregate keeps the set, and has put the row in or taken it out before.
	beside() Remover
}

// share gives aggregate i the set of the first one that keeps the same.
func (p *computed) share(a *Aggregate, i int, first map[string]int) {
	keep, ok := p.keep.(sharing)
	if !ok || len(a.Arg) != 1 {
		return
	}
	of := a.Arg[0].Type().String() + " " + Ordinals(a.Arg[0])
	if a.Filter != nil {
		of += " FILTER " + Ordinals(a.Filter)
	}
	k, known := first[of]
	if !known {
		first[of] = i
		return
	}
	p.keep, p.set = keep.beside(), k
}

// extremes is MIN and MAX where rows are removed.
type extremes struct{ edges }

func (e extremes) beside() Remover { return extremesBeside(e) }

type extremesBeside struct{ edges }

// Add implements Keeper.
func (e extremesBeside) Add(state []byte, _ Set, in *Arguments, row int) ([]byte, error) {
	if key, ok := e.key(in, row); ok && e.better(key, state) {
		state = append(state[:0], key...)
	}
	return state, nil
}

// Remove implements Remover.
func (e extremesBeside) Remove(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	key, ok := e.key(in, row)
	if !ok || !bytes.Equal(key, state) {
		return state, nil
	}
	if _, held, err := set.Get(key); held || err != nil {
		return state, err
	}
	return e.successor(state, set, key)
}

func (d distinct) beside() Remover { return distinctBeside{d} }

type distinctBeside struct{ distinct }

// Add implements Keeper.
func (d distinctBeside) Add(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	n, ok, err := d.held(set, in, row)
	if !ok || err != nil || n > 1 {
		return state, err
	}
	return d.Update(state, in, row), nil
}

// Remove implements Remover.
func (d distinctBeside) Remove(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	n, ok, err := d.held(set, in, row)
	if !ok || err != nil || n > 0 {
		return state, err
	}
	return d.Retract(state, in, row), nil
}

// held is how often the set has the row's value; ok false: it is NULL.
func (d distinctBeside) held(set Set, in *Arguments, row int) (n uint64, ok bool, err error) {
	if in.anyNull(row) {
		return 0, false, nil
	}
	in.scratch = keys.AppendRow(in.scratch[:0], in.Vals, row)
	value, there, err := set.Get(in.scratch)
	if there {
		n = occurrences(value)
	}
	return n, true, err
}
