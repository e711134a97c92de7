package expr

import (
	"encoding/binary"
	"errors"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// States is the row state of several aggregates: their states one after the other, each of varying length behind its
// length in 4 bytes (little endian).
type States []Accumulator

// StatesOf are the accumulators of aggregates.
func StatesOf(aggs []*Aggregate) States {
	s := make(States, len(aggs))
	for i, a := range aggs {
		s[i] = a.acc
	}
	return s
}

// AggregateInputs are the arguments and filters of several aggregates, evaluated for one batch.
type AggregateInputs struct {
	args [][]*vector.Vector
	pass []*vector.Vector // nil: no filter
}

// Eval evaluates the arguments and filters of aggs for a batch. Memory is used again by the next call.
func (in *AggregateInputs) Eval(ctx *Ctx, aggs []*Aggregate, b *vector.Batch) {
	if len(in.args) != len(aggs) {
		in.args = make([][]*vector.Vector, len(aggs))
		in.pass = make([]*vector.Vector, len(aggs))
	}
	for k, a := range aggs {
		if a.Filter != nil {
			in.pass[k] = a.Filter.Eval(ctx, b)
		}
		in.args[k] = in.args[k][:0]
		for _, x := range a.Arg {
			if a.Filter == nil {
				in.args[k] = append(in.args[k], x.Eval(ctx, b))
				continue
			}
			v, failed := ctx.evalApart(x, b)
			for i, err := range failed {
				if in.passes(k, i) {
					ctx.Fail(i, err)
				}
			}
			in.args[k] = append(in.args[k], v)
		}
	}
}

func (in *AggregateInputs) passes(k, row int) bool {
	p := in.pass[k]
	return p == nil || p.Ints[row] != 0 && !p.IsNull(row)
}

// Init appends the state of no rows.
func (s States) Init(dst []byte) []byte {
	for _, a := range s {
		if a.Size() > 0 {
			dst = a.Init(dst)
			continue
		}
		at := len(dst)
		dst = a.Init(append(dst, 0, 0, 0, 0))
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst
}

// Update folds one row into a state, in place when its length allows; else the grown (or shrunk) state is returned.
func (s States) Update(state []byte, in *AggregateInputs, row int) []byte {
	at := 0
	for k, a := range s {
		from, to := partAt(a, state, at)
		at = to
		if !in.passes(k, row) {
			continue
		}
		if a.Size() > 0 {
			a.Update(state[from:to:to], in.args[k], row)
			continue
		}
		state, at = replacePart(state, from, to, a.Update(state[from:to:to], in.args[k], row))
	}
	return state
}

// Merge folds the row state b into a.
func (s States) Merge(a, b []byte) []byte {
	at, bt := 0, 0
	for _, acc := range s {
		from, to := partAt(acc, a, at)
		bf, bto := partAt(acc, b, bt)
		at, bt = to, bto
		if acc.Size() > 0 {
			acc.Merge(a[from:to:to], b[bf:bto])
			continue
		}
		a, at = replacePart(a, from, to, acc.Merge(a[from:to:to], b[bf:bto]))
	}
	return a
}

// partAt is where the state of a lies in the row state, at or just after offset at.
func partAt(a Accumulator, state []byte, at int) (from, to int) {
	if n := a.Size(); n > 0 {
		return at, at + n
	}
	n := int(binary.LittleEndian.Uint32(state[at:]))
	return at + 4, at + 4 + n
}

// replacePart puts a part of varying length in the place of state[from:to] and returns where it ends now.
func replacePart(state []byte, from, to int, part []byte) ([]byte, int) {
	if len(part) == to-from {
		if len(part) > 0 && &part[0] != &state[from] {
			copy(state[from:to], part)
		}
		return state, to
	}
	end := from + len(part)
	old := len(state)
	for len(state) < old+len(part)-(to-from) {
		state = append(state, 0)
	}
	// A part that shrank lies inside state already, at from; one that grew is memory of its own.
	if len(part) < to-from {
		copy(state[from:], part)
		copy(state[end:], state[to:old])
	} else {
		copy(state[end:], state[to:old])
		copy(state[from:], part)
	}
	state = state[:old+len(part)-(to-from)]
	binary.LittleEndian.PutUint32(state[from-4:], uint32(len(part)))
	return state, end
}

// Results appends the value of each aggregate to its vector in outs. The errors of sums that do not fit are joined; NULL
// was appended for them.
func (s States) Results(state []byte, outs []*vector.Vector) error {
	at := 0
	var err error
	for k, a := range s {
		from, to := partAt(a, state, at)
		at = to
		if e := a.Result(state[from:to], outs[k]); e != nil {
			err = errors.Join(err, e)
		}
	}
	return err
}

// countAccumulator is COUNT: 8 bytes.
type countAccumulator struct{}

func (countAccumulator) Size() int { return 8 }

func (countAccumulator) Init(dst []byte) []byte { return append(dst, make([]byte, 8)...) }

func (countAccumulator) Update(state []byte, args []*vector.Vector, row int) []byte {
	if len(args) == 0 || !args[0].IsNull(row) {
		addCount(state, 1)
	}
	return state
}

func (countAccumulator) Result(state []byte, out *vector.Vector) error {
	out.AppendInt(int64(binary.LittleEndian.Uint64(state)))
	return nil
}

func (countAccumulator) Merge(a, b []byte) []byte {
	addCount(a, binary.LittleEndian.Uint64(b))
	return a
}

func addCount(state []byte, n uint64) {
	binary.LittleEndian.PutUint64(state, binary.LittleEndian.Uint64(state)+n)
}

// extreme is MIN (want -1) and MAX (want 1). The state is a byte, 0 for no value yet, and the value: 8 bytes, 16 for a
// DECIMAL, any number for text.
type extreme struct {
	typ  types.Type
	want int
}

func (e *extreme) Size() int {
	switch e.typ.Physical() {
	case types.PhysBytes:
		return 0
	case types.PhysDec:
		return 17
	}
	return 9
}

func (e *extreme) Init(dst []byte) []byte { return append(dst, make([]byte, max(e.Size(), 1))...) }

func (e *extreme) Update(state []byte, args []*vector.Vector, row int) []byte {
	v := args[0]
	if v.IsNull(row) {
		return state
	}
	switch e.typ.Physical() {
	case types.PhysFloat:
		return e.keepFloat(state, v.Floats[row])
	case types.PhysDec:
		return e.keepDec(state, v.Decs[row])
	case types.PhysBytes:
		return e.keepBytes(state, v.Bytes.At(row))
	}
	return e.keepInt(state, v.Ints[row])
}

func (e *extreme) Merge(a, b []byte) []byte {
	if b[0] == 0 {
		return a
	}
	switch e.typ.Physical() {
	case types.PhysFloat:
		return e.keepFloat(a, floatAt(b[1:]))
	case types.PhysDec:
		return e.keepDec(a, decAt(b[1:]))
	case types.PhysBytes:
		return e.keepBytes(a, b[1:])
	}
	return e.keepInt(a, int64(binary.LittleEndian.Uint64(b[1:])))
}

func (e *extreme) Result(state []byte, out *vector.Vector) error {
	if state[0] == 0 {
		out.AppendNull()
		return nil
	}
	switch e.typ.Physical() {
	case types.PhysFloat:
		out.AppendFloat(floatAt(state[1:]))
	case types.PhysDec:
		out.AppendDec(decAt(state[1:]))
	case types.PhysBytes:
		out.AppendBytes(state[1:])
	default:
		out.AppendInt(int64(binary.LittleEndian.Uint64(state[1:])))
	}
	return nil
}
