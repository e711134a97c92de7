package over

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Func is what a call computes.
type Func uint8

// The functions. Aggregate is that of Call.Agg over the frame.
const (
	Number Func = iota // ROW_NUMBER, RANK or DENSE_RANK
	Lag
	Lead
	Tile        // NTILE
	PercentRank // PERCENT_RANK: (rank - 1) / (rows - 1), 0 of one row
	CumeDist    // CUME_DIST: rows up to the last peer / rows
	FirstValue
	LastValue
	NthValue
	Aggregate
)

// Call is one call.
type Call struct {
	Func    Func
	Ranking Ranking         // of Number
	Arg     expr.Expr       // of Lag, Lead, FirstValue, LastValue and NthValue
	Offset  int64           // of Lag and Lead, in rows; which row NthValue takes, from 1; how many tiles
	Default expr.Expr       // of Lag and Lead; nil: NULL
	Agg     *expr.Aggregate // one without entries of its own
	Frame   Frame           // of FirstValue, LastValue, NthValue and Aggregate
	Type    types.Type
}

// Frame is the rows around each row that a call reads: by their number, or (Range) by the order's key.
type Frame struct {
	Range    bool
	From, To Bound
}

// Bound is one end of a frame: rows, or microseconds of a timestamp key, after the current row (before it below 0). At 0 a
// Range holds all rows with equal keys.
type Bound struct {
	Unbounded bool
	Distance  int64
}

// running says whether the call is carried on from row to row: its frame begins with the first row of the partition.
func (c *Call) running() bool {
	return c.Func == Number || c.Frame.From.Unbounded && c.Func >= FirstValue
}

// reach is how many rows before and after a row the call reads, -1: any number.
func (c *Call) reach() (before, after int64) {
	switch c.Func {
	case Number:
		return -1, 0
	case Lag:
		return c.Offset, 0
	case Lead:
		return 0, c.Offset
	case Tile, PercentRank, CumeDist:
		return -1, -1
	}
	if c.Frame.Range {
		return -1, -1
	}
	before, after = max(-c.Frame.From.Distance, 0), max(c.Frame.To.Distance, 0)
	if c.Frame.From.Unbounded {
		before = -1
	}
	if c.Frame.To.Unbounded {
		after = -1
	}
	return before, after
}

// programs evaluates the calls' expressions and aggregates over batches.
type programs struct {
	calls []Call
	eval  *op.Evaluator // the arguments and defaults of the calls, in order
	arg   []int         // call -> index of its argument; -1
	def   []int         // call -> index of its default; -1
	state []expr.States // call -> its aggregate's
	aggs  [][]*expr.Aggregate
	in    []expr.AggregateInputs
}

func newPrograms(env op.Env, calls []Call) *programs {
	p := &programs{calls: calls}
	var exprs []expr.Expr
	index := func(e expr.Expr) int {
		if e == nil {
			return -1
		}
		exprs = append(exprs, e)
		return len(exprs) - 1
	}
	for i := range calls {
		c := &calls[i]
		p.arg, p.def = append(p.arg, index(c.Arg)), append(p.def, index(c.Default))
		var aggs []*expr.Aggregate
		if c.Agg != nil {
			aggs = []*expr.Aggregate{c.Agg}
		}
		p.aggs = append(p.aggs, aggs)
		p.state = append(p.state, expr.StatesOf(aggs, expr.Appends))
	}
	p.in = make([]expr.AggregateInputs, len(calls))
	p.eval = env.NewEvaluator(exprs...)
	return p
}
