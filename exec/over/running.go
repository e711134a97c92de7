package over

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// runner carries calls whose frame begins with the first row of the partition from row to row: what a partition's rows so
// far come to is one value of a map.
//
//	per call, behind its length: the count of rows, the rank, the dense rank, the last event time (Number) |
//	1 and the value of the first row (FirstValue) | nothing (LastValue) | the count of rows and, once there are as many, the value of the
//	row that is taken (NthValue) | the state (Aggregate)
type runner struct {
	p     *programs
	parts [][]byte // by call
	value []byte
}

// begin reads what a partition has come to.
func (r *runner) begin(state op.Map, group []byte) error {
	r.parts = append(r.parts[:0], make([][]byte, len(r.p.calls))...)
	value, ok, err := state.Get(group)
	if err != nil || !ok {
		return err
	}
	rest := vector.Reader{Rest: append([]byte(nil), value...)}
	for k := range r.p.calls {
		if r.p.calls[k].running() {
			r.parts[k] = rest.Bytes()
		}
	}
	return rest.Err()
}

// end stores it.
func (r *runner) end(state op.Map, group []byte) error {
	r.value = r.value[:0]
	any := false
	for k := range r.p.calls {
		if r.p.calls[k].running() {
			r.value, any = vector.AppendBytes(r.value, r.parts[k]), true
		}
	}
	if !any {
		return nil
	}
	return state.Put(group, r.value)
}

// compute appends the values of call k for the rows [from, to) of s, and carries it on.
func (r *runner) compute(s *segment, k, from, to int, out *vector.Vector) error {
	switch r.p.calls[k].Func {
	case Number:
		r.numbers(s, k, from, to, out)
	case FirstValue:
		r.first(s, k, from, to, out)
	case NthValue:
		r.nth(s, k, from, to, out)
	case LastValue:
		for i := from; i < to; i++ {
			_, hi := s.upTo(&r.p.calls[k], i)
			out.AppendFrom(s.vals[r.p.arg[k]], hi-1)
		}
	case Aggregate:
		return r.aggregate(s, k, from, to, out)
	}
	return nil
}

// upTo is the end of a frame that ends with row i, or with its peers.
func (s *segment) upTo(c *Call, i int) (from, hi int) {
	if !c.Frame.Range {
		return i, i + 1
	}
	return i, s.last(Bound{}, i)
}

func (r *runner) numbers(s *segment, k, from, to int, out *vector.Vector) {
	var rows, rank, dense int64
	last := types.Never
	if p := r.parts[k]; len(p) > 0 {
		x := vector.Reader{Rest: p}
		rows, rank, dense, last = x.Varint(), x.Varint(), x.Varint(), x.Varint()
	}
	for i := from; i < to; i++ {
		rows++
		if s.rows.Time[i] != last {
			rank, dense, last = rows, dense+1, s.rows.Time[i]
		}
		switch r.p.calls[k].Ranking {
		case RowNumber:
			out.AppendInt(rows)
		case Rank:
			out.AppendInt(rank)
		case DenseRank:
			out.AppendInt(dense)
		}
	}
	var p []byte
	for _, n := range []int64{rows, rank, dense, last} {
		p = binary.AppendVarint(p, n)
	}
	r.parts[k] = p
}

func (r *runner) first(s *segment, k, from, to int, out *vector.Vector) {
	arg := s.vals[r.p.arg[k]]
	if len(r.parts[k]) == 0 {
		r.parts[k] = vector.AppendRow([]byte{1}, []*vector.Vector{arg}, from)
	}
	first := []*vector.Vector{vector.New(arg.Type, 1)}
	x := vector.Reader{Rest: r.parts[k][1:]}
	x.Row(first)
	for i := from; i < to; i++ {
		out.AppendFrom(first[0], 0)
	}
}

func (r *runner) nth(s *segment, k, from, to int, out *vector.Vector) {
	c, arg := &r.p.calls[k], s.vals[r.p.arg[k]]
	x := vector.Reader{Rest: r.parts[k]}
	seen := int64(0)
	if len(x.Rest) > 0 {
		seen = x.Varint()
	}
	value, at := arg, from+int(c.Offset-seen)-1
	known := seen >= c.Offset
	if known {
		value, at = vector.New(arg.Type, 1), 0
		x.Row([]*vector.Vector{value})
	}
	for i := from; i < to; i++ {
		if _, hi := s.upTo(c, i); known || at < hi {
			out.AppendFrom(value, at)
		} else {
			out.AppendNull()
		}
	}
	if known {
		return
	}
	r.parts[k] = binary.AppendVarint(nil, seen+int64(to-from))
	if at < to {
		r.parts[k] = vector.AppendRow(r.parts[k], []*vector.Vector{value}, at)
	}
}

func (r *runner) aggregate(s *segment, k, from, to int, out *vector.Vector) error {
	states := r.p.state[k]
	if len(r.parts[k]) == 0 {
		r.parts[k] = states.Init(nil)
	}
	outs := []*vector.Vector{out}
	done := from
	for i := from; i < to; i++ {
		for _, hi := s.upTo(&r.p.calls[k], i); done < hi; done++ {
			r.parts[k] = states.Update(r.parts[k], &r.p.in[k], done)
		}
		bad, err := states.Results(r.parts[k], nil, outs)
		if err != nil {
			return err
		}
		if bad != nil {
			r.p.eval.Ctx.Fail(i, bad)
		}
	}
	return nil
}
