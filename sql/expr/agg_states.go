package expr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// States is the row state of several aggregates: their states one after the other, each of varying length behind its
// length in 4 bytes (little endian).
type States []computed

// computed is one aggregate of a row state.
type computed struct {
	form
	size int // of its state in bytes; 0: it varies
	set  int // the aggregate whose Set it uses: itself, or one before it
}

// StatesOf computes aggregates over an input.
func StatesOf(aggs []*Aggregate, in Input) States {
	s := make(States, len(aggs))
	first := map[string]int{}
	for i, a := range aggs {
		s[i] = computed{form: a.over[in], set: i}
		if in == Deltas {
			s[i].share(a, i, first)
		}
		if s[i].acc != nil {
			s[i].size = s[i].acc.Size()
		} else {
			s[i].size = s[i].keep.Size()
		}
	}
	return s
}

// Fixed says whether no state changes its length.
func (s States) Fixed() bool {
	return !slices.ContainsFunc(s, func(p computed) bool { return p.size == 0 })
}

// Keeps says whether the aggregate k needs a Set.
func (s States) Keeps(k int) bool { return s[k].keep != nil }

// Set is the number of the aggregate whose Set aggregate k is given: k, or one before it that keeps the same.
func (s States) Set(k int) int { return s[k].set }

func (p *computed) init(dst []byte) []byte {
	if p.acc != nil {
		return p.acc.Init(dst)
	}
	return p.keep.Init(dst)
}

// AggregateInputs are the arguments and filters of several aggregates, evaluated for one batch.
type AggregateInputs struct {
	// Over is what the rows are. Deltas are ordered by event time and value alone: a removal tells no origin.
	Over Input
	args []Arguments
	pass []*vector.Vector // nil: no filter
}

// Eval evaluates the arguments and filters of aggs for a batch. Memory is used again by the next call.
func (in *AggregateInputs) Eval(ctx *Ctx, aggs []*Aggregate, b *vector.Batch) {
	if len(in.args) != len(aggs) {
		in.args = make([]Arguments, len(aggs))
		in.pass = make([]*vector.Vector, len(aggs))
	}
	for k, a := range aggs {
		if a.Filter != nil {
			in.pass[k] = a.Filter.Eval(ctx, b)
		}
		args := &in.args[k]
		args.Time, args.Origin, args.Vals = b.Time, b.Origin, args.Vals[:0]
		if in.Over == Deltas {
			args.Origin = nil
		}
		for _, x := range a.Arg {
			in.eval(ctx, k, x, b)
		}
		for _, o := range a.OrderBy {
			in.eval(ctx, k, o.Expr, b)
		}
	}
}

// eval evaluates one argument of aggregate k; what fails where the filter is not TRUE does not count.
func (in *AggregateInputs) eval(ctx *Ctx, k int, x Expr, b *vector.Batch) {
	args := &in.args[k]
	if in.pass[k] == nil {
		args.Vals = append(args.Vals, x.Eval(ctx, b))
		return
	}
	v, failed := ctx.evalApart(x, b)
	for i, err := range failed {
		if in.passes(k, i) {
			ctx.Fail(i, err)
		}
	}
	args.Vals = append(args.Vals, v)
}

// Input is input i (see Aggregate.Inputs) of aggregate k, as evaluated last.
func (in *AggregateInputs) Input(k, i int) *vector.Vector {
	if vals := in.args[k].Vals; i < len(vals) {
		return vals[i]
	}
	return in.pass[k]
}

func (in *AggregateInputs) passes(k, row int) bool {
	p := in.pass[k]
	return p == nil || p.Ints[row] != 0 && !p.IsNull(row)
}

// Init appends the state of no rows.
func (s States) Init(dst []byte) []byte {
	for k := range s {
		p := &s[k]
		if p.size > 0 {
			dst = p.init(dst)
			continue
		}
		at := len(dst)
		dst = p.init(append(dst, 0, 0, 0, 0))
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst
}

// Update folds one row into a state of accumulators only, in place when its length allows; else the grown (or shrunk)
// state is returned.
func (s States) Update(state []byte, in *AggregateInputs, row int) []byte {
	at := 0
	for k := range s {
		p := &s[k]
		from, to := p.at(state, at)
		at = to
		if !in.passes(k, row) {
			continue
		}
		if p.size > 0 {
			p.acc.Update(state[from:to:to], &in.args[k], row)
			continue
		}
		state, at = replacePart(state, from, to, p.acc.Update(state[from:to:to], &in.args[k], row))
	}
	return state
}

// Add folds one row into a state as Update does; sets[k] is what aggregate k, or Set(k), keeps of the row's group.
func (s States) Add(state []byte, sets []Set, in *AggregateInputs, row int) ([]byte, error) {
	return s.change(state, in, row, func(k int, state []byte, args *Arguments) ([]byte, error) {
		if acc := s[k].acc; acc != nil {
			return acc.Update(state, args, row), nil
		}
		return s[k].keep.Add(state, sets[k], args, row)
	})
}

// Remove takes back a row that Add folded in, with the same values. The states are those over Deltas.
func (s States) Remove(state []byte, sets []Set, in *AggregateInputs, row int) ([]byte, error) {
	return s.change(state, in, row, func(k int, state []byte, args *Arguments) ([]byte, error) {
		if acc, ok := s[k].acc.(Retractor); ok {
			return acc.Retract(state, args, row), nil
		}
		keep, ok := s[k].keep.(Remover)
		if !ok {
			return nil, fmt.Errorf("%T cannot take a row back", s[k].form) // a form over Appends: a mistake of the plan
		}
		return keep.Remove(state, sets[k], args, row)
	})
}

func (s States) change(state []byte, in *AggregateInputs, row int, apply func(k int, state []byte, args *Arguments) ([]byte, error)) ([]byte, error) {
	at := 0
	for k := range s {
		from, to := s[k].at(state, at)
		at = to
		if !in.passes(k, row) {
			continue
		}
		changed, err := apply(k, state[from:to:to], &in.args[k])
		if err != nil {
			return state, err
		}
		state, at = replacePart(state, from, to, changed)
	}
	return state, nil
}

// Merge folds the row state b into a; both are of accumulators only.
func (s States) Merge(a, b []byte) []byte {
	at, bt := 0, 0
	for k := range s {
		p := &s[k]
		from, to := p.at(a, at)
		bf, bto := p.at(b, bt)
		at, bt = to, bto
		if p.size > 0 {
			p.acc.Merge(a[from:to:to], b[bf:bto])
			continue
		}
		a, at = replacePart(a, from, to, p.acc.Merge(a[from:to:to], b[bf:bto]))
	}
	return a
}

// MergeKept folds the row state b into a as Merge does; sets[k] is what aggregate k keeps of the rows of a, and from[k] of those of b. The states
// are those over Appends.
func (s States) MergeKept(a []byte, sets []Set, b []byte, from []Set) ([]byte, error) {
	at, bt := 0, 0
	for k := range s {
		p := &s[k]
		lo, hi := p.at(a, at)
		blo, bhi := p.at(b, bt)
		at, bt = hi, bhi
		var merged []byte
		if p.acc != nil {
			merged = p.acc.Merge(a[lo:hi:hi], b[blo:bhi])
		} else {
			keep, ok := p.keep.(Merger)
			if !ok {
				return a, fmt.Errorf("%T cannot be merged", p.keep) // a form over Deltas: a mistake of the plan
			}
			var err error
			if merged, err = keep.Merge(a[lo:hi:hi], sets[k], b[blo:bhi], from[k]); err != nil {
				return a, err
			}
		}
		a, at = replacePart(a, lo, hi, merged)
	}
	return a, nil
}

// Valid says whether b is as long as a row state says it is.
func (s States) Valid(b []byte) bool {
	at := 0
	for k := range s {
		if s[k].size == 0 && at+4 > len(b) {
			return false
		}
		if _, at = s[k].at(b, at); at > len(b) {
			return false
		}
	}
	return at == len(b)
}

// at is where the state of p lies in the row state, at or just after offset at.
func (p *computed) at(state []byte, at int) (from, to int) {
	if p.size > 0 {
		return at, at + p.size
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
	// A part that shrank may lie inside state already, at from; one that grew is memory of its own.
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

// Results appends the value of each aggregate to its vector in outs. bad joins the errors of values that cannot be given
// (a sum that does not fit); NULL was appended for them. err is that of a set.
func (s States) Results(state []byte, sets []Set, outs []*vector.Vector) (bad, err error) {
	at := 0
	for k := range s {
		p := &s[k]
		from, to := p.at(state, at)
		at = to
		var wrong error
		if p.acc != nil {
			wrong = p.acc.Result(state[from:to], outs[k])
		} else if wrong, err = p.keep.Result(state[from:to], sets[k], outs[k]); err != nil {
			return nil, err
		}
		if wrong != nil {
			bad = errors.Join(bad, wrong)
		}
	}
	return bad, nil
}
