package oracle

import (
	"fmt"
	"math/big"

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
	e.w[n] = e.w[n.Input]
	groups, order := e.group(n, items)
	final := n.Emit == ast.EmitFinal
	switch n.Window.Kind {
	case ast.Session:
		groups, order = sessions(n.Window, groups, order)
	case ast.Sliding:
		groups, order = slidings(n.Window, groups, order)
		final = true // it waits in any case
	}
	var out []Item
	for _, id := range order {
		g := groups[id]
		if final && n.Window.Size > 0 && !e.closed(n, n.Window, g.span, g.rows[0]) {
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

// fold computes one aggregate over all rows of a group, by its definition in the MySQL manual.
func (e *evaluation) fold(a *expr.Aggregate, cols []types.Column, rows []Row) (types.Value, error) {
	var vs []types.Value
	for _, r := range rows {
		if a.Filter != nil {
			if v, ok := e.value(a.Filter, cols, r); !ok || !v.Bool() {
				continue
			}
		}
		v := types.NewInt(1)
		if len(a.Arg) > 0 {
			v, _ = e.value(a.Arg[0], cols, r)
		}
		if !v.IsNull() {
			vs = append(vs, v)
		}
	}
	if a.Func == "COUNT" {
		return types.NewInt(int64(len(vs))), nil
	}
	if len(vs) == 0 {
		return types.Value{}, nil
	}
	switch a.Func {
	case "MIN", "MAX":
		best := vs[0]
		for _, v := range vs {
			if c := types.Compare(v, best); a.Func == "MIN" && c < 0 || a.Func == "MAX" && c > 0 {
				best = v
			}
		}
		return best, nil
	case "SUM", "AVG":
		return total(a, vs)
	}
	return types.Value{}, fmt.Errorf("the oracle does not know %s", a.Func)
}

// total adds exactly, as rationals, and rounds once.
func total(a *expr.Aggregate, vs []types.Value) (types.Value, error) {
	sum := new(big.Rat)
	for _, v := range vs {
		x := new(big.Rat)
		if v.Kind == types.Double {
			if x.SetFloat64(v.F) == nil {
				return types.Value{}, fmt.Errorf("the oracle does not add %v", v.F)
			}
		} else if _, ok := x.SetString(v.Text()); !ok {
			return types.Value{}, fmt.Errorf("the oracle cannot read %s", v.Text())
		}
		sum.Add(sum, x)
	}
	double := a.Type().Kind == types.Double
	if a.Func == "AVG" && double {
		// The sum is rounded to a double, then the quotient.
		f, _ := sum.Float64()
		return types.NewDouble(f / float64(len(vs))), nil
	}
	if a.Func == "AVG" {
		sum.Quo(sum, big.NewRat(int64(len(vs)), 1))
	}
	if double {
		f, _ := sum.Float64()
		return types.NewDouble(f), nil
	}
	d, err := types.ParseDecimal(sum.FloatString(int(a.Type().Scale)), a.Type().Precision, a.Type().Scale)
	return types.NewDecimal(d, a.Type().Scale), err
}
