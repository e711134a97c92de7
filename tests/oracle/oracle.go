// Package oracle computes what a query must answer, from all its input at once: no batches, no state, no clock, and no code
// of the operators. It reads the plan as the planner made it and evaluates expressions one row at a time.
//
// Its answer has the freedoms of semantics S1 in it: an at-once DISTINCT may forward any row of a window's key, so an item
// of the answer is a set of rows of which exactly one must come out.
package oracle

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Row is a row anywhere in the plan.
type Row struct {
	Values  []types.Value
	TS      int64 // microseconds
	origin  types.Origin
	seen    int64 // watermark of the source partition before the row
	deleted bool
	visible int64 // table rows: seen by as-of instants above it
}

// Item is one row of the answer: exactly one of Any comes out.
type Item struct {
	Any []Row
}

// Answer is what must come out.
type Answer struct {
	Items []Item
	// Columns are the names of the values.
	Columns []string
	// Late are the rows late at the source, Bad the records refused, by topic.
	Late, Bad map[string]int64
}

// Input is what a query reads: the committed records of each source topic, by partition in offset order.
type Input struct {
	Records map[string][]connectors.Record
	// Ended: the input is bounded, and all windows close. Otherwise time stands where it does once every partition has
	// gone idle.
	Ended bool
	Now   time.Time
}

type evaluation struct {
	in     Input
	answer *Answer
	ctx    *expr.Ctx
	w      map[plan.Node]marks
	slack  int64                // of the table side that is being evaluated: its release marks are that much below its watermarks
	known  map[plan.Node][]Item // what several may read, for rows late below count once
}

// Evaluate answers q.
func Evaluate(q *plan.Query, in Input) (*Answer, error) {
	e := &evaluation{
		in:     in,
		answer: &Answer{Late: map[string]int64{}, Bad: map[string]int64{}},
		ctx:    &expr.Ctx{Now: func() time.Time { return in.Now }},
		w:      map[plan.Node]marks{},
		known:  map[plan.Node][]Item{},
	}
	sink, ok := q.Root.(*plan.Sink)
	if !ok {
		return nil, fmt.Errorf("the oracle knows no plan that ends in %T", q.Root)
	}
	items, err := e.eval(sink.Input)
	if err != nil {
		return nil, err
	}
	schema := sink.Input.Props().Schema
	for _, c := range sink.Columns {
		e.answer.Columns = append(e.answer.Columns, schema.Columns[c].Name)
	}
	for _, it := range items {
		var out Item
		for _, r := range it.Any {
			if nameless(sink, r) {
				continue
			}
			r.Values = pick(r.Values, sink.Columns)
			out.Any = append(out.Any, r)
		}
		if len(out.Any) > 0 {
			e.answer.Items = append(e.answer.Items, out)
		}
	}
	return e.answer, nil
}

// nameless says whether a row has no place in a table: its only key column is NULL (semantics S6).
func nameless(s *plan.Sink, r Row) bool {
	return s.Target != nil && s.Target.Kind == ast.Table && s.KeyMode == plan.KeyFromColumn && len(s.Key) == 1 && r.Values[s.Key[0]].IsNull()
}

func pick(vs []types.Value, at []int) []types.Value {
	out := make([]types.Value, len(at))
	for i, a := range at {
		out[i] = vs[a]
	}
	return out
}

func (e *evaluation) eval(n plan.Node) ([]Item, error) {
	switch n := n.(type) {
	case *plan.Scan:
		return e.scan(n)
	case *plan.Shuffle:
		items, err := e.once(n)
		e.w[n] = marks{all: e.w[n.Input].merged()}
		return items, err
	case *plan.Shared:
		items, err := e.once(n)
		e.w[n] = e.w[n.Input]
		return items, err
	case *plan.Filter:
		return e.filter(n)
	case *plan.Project:
		return e.project(n)
	case *plan.LateCheck:
		return e.lateCheck(n)
	case *plan.Distinct:
		return e.distinct(n)
	case *plan.PartialAggregate:
		return e.partial(n)
	case *plan.Aggregate:
		return e.aggregate(n)
	case *plan.TableJoin:
		return e.join(n)
	case *plan.StreamJoin:
		return e.streamJoin(n)
	case *plan.TableTableJoin:
		return e.tableTable(n)
	case *plan.Materialize:
		return e.materialize(n)
	case *plan.Fold:
		return e.folded(n)
	case *plan.Union:
		return e.union(n)
	case *plan.Unnest:
		return e.unnest(n)
	case *plan.TopN:
		return e.topN(n)
	case *plan.Over:
		return e.over(n)
	}
	return nil, fmt.Errorf("the oracle does not know %T", n)
}

// once evaluates the input of n, to which several may lead; each has items of its own.
func (e *evaluation) once(n plan.Node) ([]Item, error) {
	items, ok := e.known[n]
	if !ok {
		var err error
		if items, err = e.eval(n.Inputs()[0]); err != nil {
			return nil, err
		}
		e.known[n] = items
	}
	out := make([]Item, len(items))
	for i, it := range items {
		out[i].Any = slices.Clone(it.Any)
	}
	return out, nil
}

// each evaluates the input of n and replaces every row by f's; an item without rows goes.
func (e *evaluation) each(n, input plan.Node, f func(r Row) (Row, bool, error)) ([]Item, error) {
	items, err := e.eval(input)
	if err != nil {
		return nil, err
	}
	e.w[n] = e.w[input]
	var out []Item
	for _, it := range items {
		var kept Item
		for _, r := range it.Any {
			x, ok, err := f(r)
			if err != nil {
				return nil, err
			}
			if ok {
				kept.Any = append(kept.Any, x)
			}
		}
		if len(kept.Any) > 0 {
			out = append(out, kept)
		}
	}
	return out, nil
}

// value computes an expression over one row; ok false when it cannot be computed, and the row is dropped.
func (e *evaluation) value(x expr.Expr, cols []types.Column, r Row) (v types.Value, ok bool) {
	kinds := make([]types.Type, len(cols))
	for i, c := range cols {
		kinds[i] = c.Type
	}
	b := vector.NewBatch(kinds, 1)
	for i, v := range r.Values {
		b.Cols[i].Append(v)
	}
	b.N, b.Time = 1, append(b.Time, r.TS)
	v = x.Eval(e.ctx, b).Value(0)
	return v, len(e.ctx.TakeFailed()) == 0
}

func (e *evaluation) values(xs []expr.Expr, cols []types.Column, r Row) ([]types.Value, bool) {
	out := []types.Value{}
	for _, x := range xs {
		v, ok := e.value(x, cols, r)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

func (e *evaluation) filter(n *plan.Filter) ([]Item, error) {
	cols := n.Input.Props().Schema.Columns
	upserts := n.Input.Props().Changes == plan.Upserts
	return e.each(n, n.Input, func(r Row) (Row, bool, error) {
		if r.deleted {
			return r, true, nil
		}
		v, ok := e.value(n.Cond, cols, r)
		if ok && v.Bool() {
			return r, true, nil
		}
		r.deleted = true
		return r, upserts, nil
	})
}

func (e *evaluation) project(n *plan.Project) ([]Item, error) {
	cols := n.Input.Props().Schema.Columns
	return e.each(n, n.Input, func(r Row) (Row, bool, error) {
		out := make([]types.Value, len(n.Exprs))
		for i, x := range n.Exprs {
			v, ok := e.value(x.Expr, cols, r)
			if !ok && !r.deleted {
				return r, false, nil
			}
			out[i] = v
		}
		r.Values = out
		return r, true, nil
	})
}

func (e *evaluation) lateCheck(n *plan.LateCheck) ([]Item, error) {
	cols := n.Input.Props().Schema.Columns
	topic := ""
	plan.Walk(n, func(x plan.Node) {
		if s, ok := x.(*plan.Scan); ok {
			topic = s.Relation.Topic
		}
	})
	return e.each(n, n.Input, func(r Row) (Row, bool, error) {
		for _, h := range n.Horizons {
			late, err := e.late(h, cols, r)
			if err != nil {
				return r, false, err
			}
			if late {
				e.answer.Late[topic]++
				return r, false, nil
			}
		}
		return r, true, nil
	})
}

// late is the verdict of semantics S3.
func (e *evaluation) late(h plan.Horizon, cols []types.Column, r Row) (bool, error) {
	if r.seen == types.Never {
		return false, nil
	}
	switch h.Kind {
	case plan.WindowHorizon:
		switch h.Window.Kind {
		case ast.Session:
			return r.seen >= r.TS+h.Window.Size+h.Window.Grace, nil
		case ast.Sliding:
			return r.seen >= r.TS+h.Window.Grace, nil
		}
		return r.seen >= lastWindow(h.Window, r.TS).end+h.Window.Grace-1, nil
	case plan.AsOfHorizon:
		at := r.TS
		if h.AsOf != nil {
			v, ok := e.value(h.AsOf, cols, r)
			if !ok || v.IsNull() {
				return false, nil
			}
			at = v.I
		}
		return r.seen >= at+h.History, nil
	case plan.SelfHorizon:
		return r.seen >= r.TS, nil
	case plan.GraceHorizon, plan.TouchHorizon:
		return r.seen >= r.TS+h.Grace, nil
	}
	return false, fmt.Errorf("the oracle does not know horizon %d", h.Kind)
}

// marks are the final watermarks behind a node: of each source partition as long as rows are where they were read, of all
// together behind a shuffle, where the largest counts once all partitions are idle (semantics S2).
type marks struct {
	all int64
	own map[int32]int64 // nil: behind a shuffle
	// open are the partitions whose task still holds a window: it stays ACTIVE, and time behind it waits.
	open map[int32]bool
}

// merged is the watermark of all tasks together: the earliest of those that stay ACTIVE; the latest of all when none does.
func (m marks) merged() int64 {
	if m.own == nil {
		return m.all
	}
	if len(m.open) > 0 {
		w := int64(math.MaxInt64)
		for p := range m.open {
			w = min(w, m.own[p])
		}
		return w
	}
	w := types.Never
	for _, x := range m.own {
		w = max(w, x)
	}
	return w
}

// each are the marks behind an operator that makes f of a watermark.
func (m marks) each(f func(int64) int64) marks {
	out := marks{all: f(m.all), open: m.open}
	if m.own != nil {
		out.own = map[int32]int64{}
	}
	for p, w := range m.own {
		out.own[p] = f(w)
	}
	return out
}

// of is the watermark of the task that a row is in.
func (m marks) of(r Row) int64 {
	if m.own == nil {
		return m.all
	}
	if w, ok := m.own[r.origin.Partition]; ok {
		return w
	}
	return types.Never
}

// closed says whether the final watermark behind n closes a window that holds r.
func (e *evaluation) closed(n plan.Node, w plan.Window, s span, r Row) bool {
	mark := e.w[n].of(r)
	limit := s.end + w.Grace - 1
	if w.Kind == ast.Session || w.Kind == ast.Sliding {
		limit++ // a row at the very end still belongs to it
	}
	return e.in.Ended || mark != types.Never && mark >= limit
}
