package oracle

import (
	"fmt"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

type groupRows struct {
	span
	key  []types.Value
	rows []Row
}

// aggregate groups all rows and computes each group at once. EMIT FINAL leaves out the groups of windows that are still
// open; EMIT CHANGES is what its changes fold to.
func (e *evaluation) aggregate(n *plan.Aggregate) ([]Item, error) {
	items, err := e.eval(n.Input)
	if err != nil {
		return nil, err
	}
	w := e.w[n.Input].each(func(w int64) int64 { return leaving(n.Window, w) })
	if w.own != nil && n.Window.Size > 0 {
		w.open = map[int32]bool{}
	}
	e.w[n] = w
	groups, order := e.group(n, items)
	if n.Results == plan.Versions {
		return e.versions(n, groups, order)
	}
	final := n.Emit == ast.EmitFinal
	switch n.Window.Kind {
	case ast.Session:
		groups, order = sessions(n.Window, groups, order)
	case ast.Sliding:
		groups, order = slidings(n.Window, groups, order)
		final = true // it waits in any case
	}
	if n.TTL > 0 {
		groups, order = e.lasting(n, items, groups, order)
	}
	var out []Item
	for _, id := range order {
		g := groups[id]
		open := n.Window.Size > 0 && !e.closed(n.Input, n.Window, g.span, g.rows[0])
		if open && w.own != nil {
			w.open[g.rows[0].origin.Partition] = true
		}
		if final && open {
			continue
		}
		r := Row{Values: append([]types.Value{}, g.key...), visible: types.Never, seen: types.Never}
		for _, a := range n.Aggs {
			v, err := e.fold(&a.Agg, n.Input.Props().Schema.Columns, g.rows)
			if err != nil {
				return nil, err
			}
			r.Values = append(r.Values, v)
		}
		if n.Window.Size > 0 {
			r.Values = append(r.Values, types.NewTimestamp(g.start), types.NewTimestamp(g.end))
			r.TS = g.end - 1000
			if n.Window.Kind == ast.Sliding {
				r.TS = g.end
			}
		} else {
			r.TS = types.Never
			for _, x := range g.rows {
				r.TS = max(r.TS, x.TS)
			}
		}
		if n.Having != nil {
			if v, ok := e.value(n.Having, n.Props().Schema.Columns, r); !ok || !v.Bool() {
				continue
			}
		}
		out = append(out, Item{Any: []Row{r}})
	}
	return out, nil
}

// versions are the result of each group at each instant from which on one of its rows counts: the rows up to there, folded at once.
func (e *evaluation) versions(n *plan.Aggregate, groups map[string]*groupRows, order []string) ([]Item, error) {
	counts := func(r Row) int64 { // from when on
		if r.seen != types.Never && r.TS <= r.seen-e.slack {
			return r.seen - e.slack + 1
		}
		return r.TS
	}
	var out []Item
	for _, id := range order {
		g := groups[id]
		for _, at := range g.rows {
			v := Row{Values: append([]types.Value{}, g.key...), TS: counts(at), visible: types.Never, seen: types.Never}
			var rows []Row
			for _, r := range g.rows {
				if counts(r) <= v.TS {
					rows = append(rows, r)
				}
			}
			for _, a := range n.Aggs {
				x, err := e.fold(&a.Agg, n.Input.Props().Schema.Columns, rows)
				if err != nil {
					return nil, err
				}
				v.Values = append(v.Values, x)
			}
			if n.Having != nil {
				x, ok := e.value(n.Having, n.Props().Schema.Columns, v)
				v.deleted = !ok || !x.Bool()
			}
			out = append(out, Item{Any: []Row{v}})
		}
	}
	return out, nil
}

func (e *evaluation) group(n *plan.Aggregate, items []Item) (map[string]*groupRows, []string) {
	cols := n.Input.Props().Schema.Columns
	groups := map[string]*groupRows{}
	var order []string
	var by []expr.Expr
	for _, g := range n.Group {
		by = append(by, g.Expr)
	}
	for _, it := range items {
		r := it.Any[0] // where rows are alternatives, only what they agree on may be aggregated
		if r.deleted {
			continue
		}
		key, ok := e.values(by, cols, r)
		if !ok {
			continue
		}
		for _, s := range spans(n.Window, r) {
			id := fmt.Sprint(s, identity(key))
			if groups[id] == nil {
				groups[id] = &groupRows{span: s, key: key}
				order = append(order, id)
			}
			groups[id].rows = append(groups[id].rows, r)
		}
	}
	return groups, order
}

// lasting is, of each group, the last of its sessions of gap TTL, unless time has passed that one too: at the end of the input it is the latest event time there is.
func (e *evaluation) lasting(n *plan.Aggregate, items []Item, groups map[string]*groupRows, order []string) (map[string]*groupRows, []string) {
	out := map[string]*groupRows{}
	var left []string
	for _, id := range order {
		parts, _ := sessions(plan.Window{Kind: ast.Session, Window: types.Window{Size: n.TTL}}, map[string]*groupRows{id: groups[id]}, []string{id})
		var last *groupRows
		for _, p := range parts {
			if last == nil || p.start > last.start {
				last = p
			}
		}
		now := e.w[n.Input].of(last.rows[0])
		if e.in.Ended {
			now = types.Never
			for _, it := range items {
				if r := it.Any[0]; e.w[n.Input].own == nil || r.origin.Partition == last.rows[0].origin.Partition {
					now = max(now, r.TS)
				}
			}
		}
		if now == types.Never || now < last.end {
			out[id], left = last, append(left, id)
		}
	}
	return out, left
}

// partial is the rows as they are: whether some are folded on their way makes no difference to the answer.
func (e *evaluation) partial(n *plan.PartialAggregate) ([]Item, error) {
	cols := n.Input.Props().Schema.Columns
	return e.each(n, n.Input, func(r Row) (Row, bool, error) {
		out := make([]types.Value, len(n.P.Schema.Columns))
		for i, g := range n.Group {
			v, ok := e.value(g.Expr, cols, r)
			if !ok {
				return r, false, nil
			}
			out[i] = v
		}
		for k, reads := range n.Reads() {
			for i, x := range n.Aggs[k].Agg.Inputs() {
				if reads[i] >= 0 {
					out[reads[i]], _ = e.value(x, cols, r)
				}
			}
		}
		r.Values = out
		return r, true, nil
	})
}
