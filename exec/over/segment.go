package over

import (
	"github.com/streamsql-go/streamsql/sql/vector"
)

// segment is neighbouring rows of a partition in order, over which calls are computed.
type segment struct {
	p     *programs
	rows  *vector.Batch
	vals  []*vector.Vector // of the calls' expressions
	peers []int            // row -> the first row with equal keys
	key   *vector.Vector   // the order's first key, for frames in time; nil: there is none
	desc  bool
	state []byte
}

// open evaluates the calls over rows; peers tells rows with equal keys. What cannot be computed is NULL; close reports it.
func (s *segment) open(rows *vector.Batch, peers []int) {
	s.rows, s.peers = rows, peers
	s.vals = s.p.eval.Eval(rows)
	for i := range s.p.calls {
		if len(s.p.aggs[i]) > 0 {
			s.p.in[i].Eval(s.p.eval.Ctx, s.p.aggs[i], rows)
		}
	}
}

// close reports what could not be computed.
func (s *segment) close() error {
	_, err := s.p.eval.Failed(s.rows, nil)
	return err
}

// frame is the rows [lo, hi) that call c reads for row i.
func (s *segment) frame(c *Call, i int) (lo, hi int) {
	if !c.Frame.Range {
		lo, hi = 0, s.rows.N
		if !c.Frame.From.Unbounded {
			lo = max(i+int(c.Frame.From.Distance), 0)
		}
		if !c.Frame.To.Unbounded {
			hi = min(i+int(c.Frame.To.Distance)+1, s.rows.N)
		}
		return lo, max(lo, hi)
	}
	lo, hi = s.first(c.Frame.From, i), s.last(c.Frame.To, i)
	return lo, max(lo, hi)
}

// first is the first row of a range that begins at b around row i.
func (s *segment) first(b Bound, i int) int {
	switch {
	case b.Unbounded:
		return 0
	case b.Distance == 0 || s.key.IsNull(i):
		return s.peers[i]
	}
	at := i
	for at > 0 && !s.before(at-1, i, b.Distance) {
		at--
	}
	for at < s.rows.N && s.before(at, i, b.Distance) {
		at++
	}
	return at
}

// last is the row after the last one of a range that ends at b around row i.
func (s *segment) last(b Bound, i int) int {
	at := i
	switch {
	case b.Unbounded:
		return s.rows.N
	case b.Distance == 0 || s.key.IsNull(i):
		for at < s.rows.N && s.peers[at] == s.peers[i] {
			at++
		}
		return at
	}
	for at < s.rows.N && !s.after(at, i, b.Distance) {
		at++
	}
	for at > 0 && s.after(at-1, i, b.Distance) {
		at--
	}
	return at
}

// before says whether row j lies before the instant that is distance after row i, in the order's direction.
func (s *segment) before(j, i int, distance int64) bool {
	if s.key.IsNull(j) {
		return !s.desc // NULL comes first, with DESC last
	}
	if s.desc {
		return s.key.Ints[j] > s.key.Ints[i]-distance
	}
	return s.key.Ints[j] < s.key.Ints[i]+distance
}

func (s *segment) after(j, i int, distance int64) bool {
	if s.key.IsNull(j) {
		return s.desc
	}
	if s.desc {
		return s.key.Ints[j] < s.key.Ints[i]-distance
	}
	return s.key.Ints[j] > s.key.Ints[i]+distance
}

// compute appends the value of call k for the rows [from, to) to out.
func (s *segment) compute(k, from, to int, out *vector.Vector) error {
	c := &s.p.calls[k]
	switch c.Func {
	case Number:
		s.numbers(c.Ranking, from, to, out)
	case Lag:
		s.shifted(k, -int(c.Offset), from, to, out)
	case Lead:
		s.shifted(k, int(c.Offset), from, to, out)
	case Tile, PercentRank, CumeDist:
		s.shares(c, from, to, out)
	case FirstValue, LastValue, NthValue:
		for i := from; i < to; i++ {
			lo, hi := s.frame(c, i)
			at := lo
			switch c.Func {
			case LastValue:
				at = hi - 1
			case NthValue:
				at = lo + int(c.Offset) - 1
			}
			if at < lo || at >= hi {
				out.AppendNull()
				continue
			}
			out.AppendFrom(s.vals[s.p.arg[k]], at)
		}
	case Aggregate:
		return s.aggregate(k, from, to, out)
	}
	return nil
}

func (s *segment) shifted(k, by, from, to int, out *vector.Vector) {
	for i := from; i < to; i++ {
		switch at := i + by; {
		case at >= 0 && at < s.rows.N:
			out.AppendFrom(s.vals[s.p.arg[k]], at)
		case s.p.def[k] >= 0:
			out.AppendFrom(s.vals[s.p.def[k]], i)
		default:
			out.AppendNull()
		}
	}
}

// numbers counts from the first row of the segment, which is the first of its partition.
func (s *segment) numbers(r Ranking, from, to int, out *vector.Vector) {
	distinct := int64(0)
	for i := range to {
		if s.peers[i] == i {
			distinct++
		}
		if i < from {
			continue
		}
		switch r {
		case RowNumber:
			out.AppendInt(int64(i) + 1)
		case Rank:
			out.AppendInt(int64(s.peers[i]) + 1)
		case DenseRank:
			out.AppendInt(distinct)
		}
	}
}

// shares are what depends on how many rows there are in the partition, which the segment is. Tiles differ by one row at most, the
// larger ones come first (MySQL manual, "Window Function Descriptions").
func (s *segment) shares(c *Call, from, to int, out *vector.Vector) {
	n := s.rows.N
	tiles := int(min(c.Offset, int64(n)))
	for i := from; i < to; i++ {
		switch c.Func {
		case Tile:
			size, larger := n/tiles, n%tiles
			if at := larger * (size + 1); i < at {
				out.AppendInt(int64(i/(size+1)) + 1)
			} else {
				out.AppendInt(int64(larger+(i-at)/size) + 1)
			}
		case PercentRank:
			out.AppendFloat(float64(s.peers[i]) / float64(max(n-1, 1)))
		case CumeDist:
			out.AppendFloat(float64(s.last(Bound{}, i)) / float64(n))
		}
	}
}

// aggregate folds each row's frame; while frames only grow at their end, the state is carried on.
func (s *segment) aggregate(k, from, to int, out *vector.Vector) error {
	c, states := &s.p.calls[k], s.p.state[k]
	begun, done := -1, 0
	outs := []*vector.Vector{out}
	for i := from; i < to; i++ {
		lo, hi := s.frame(c, i)
		if lo != begun || hi < done {
			s.state = states.Init(s.state[:0])
			begun, done = lo, lo
		}
		for ; done < hi; done++ {
			s.state = states.Update(s.state, &s.p.in[k], done)
		}
		bad, err := states.Results(s.state, nil, outs)
		if err != nil {
			return err
		}
		if bad != nil {
			s.p.eval.Ctx.Fail(i, bad)
		}
	}
	return nil
}

// peersOf finds, for each row, the first one with an equal key.
func peersOf(into []int, n int, equal func(i, j int) bool) []int {
	into = into[:0]
	for i := range n {
		first := i
		if i > 0 && equal(i-1, i) {
			first = into[i-1]
		}
		into = append(into, first)
	}
	return into
}
