package oracle

import (
	"fmt"
	"sort"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

// identity is a text that is equal for values that are equal in SQL, NULLs included.
func identity(vs []types.Value) string {
	var b strings.Builder
	for _, v := range vs {
		switch {
		case v.IsNull():
			b.WriteString("N;")
		case v.Kind == types.Double:
			f := v.F
			if f == 0 {
				f = 0
			}
			fmt.Fprintf(&b, "f%v;", f)
		case v.Kind == types.Boolean || v.Kind == types.Int || v.Kind == types.Uint || v.Kind == types.Decimal:
			d, scale, _ := v.Exact()
			d, scale = types.NormalDecimal(d, scale)
			fmt.Fprintf(&b, "n%s;", types.FormatDecimal(d, scale))
		case v.Kind == types.Date || v.Kind == types.Time || v.Kind == types.Timestamp:
			fmt.Fprintf(&b, "t%d;", v.I)
		default:
			fmt.Fprintf(&b, "s%q;", v.S)
		}
	}
	return b.String()
}

func before(a, b Row) bool {
	if a.TS != b.TS {
		return a.TS < b.TS
	}
	return a.origin.Compare(b.origin) < 0
}

// distinct: in each window one row per key, any or the earliest; or in event-time order what is not within d of the last
// one that passed.
func (e *evaluation) distinct(n *plan.Distinct) ([]Item, error) {
	items, err := e.eval(n.Input)
	if err != nil {
		return nil, err
	}
	e.w[n] = e.w[n.Input]
	cols := n.Input.Props().Schema.Columns
	groups := map[string]*groupRows{}
	var order []string
	for _, it := range items {
		for _, r := range it.Any {
			key, ok := e.values(n.On, cols, r)
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
	}
	if n.Window.Kind == ast.Session {
		groups, order = sessions(n.Window, groups, order)
	}
	var out []Item
	for _, id := range order {
		g := groups[id]
		if n.Window.Kind == ast.Sliding { // the instant is part of the key
			g.start, g.end = g.rows[0].TS-n.Window.Size, g.rows[0].TS
		}
		switch {
		case n.Within > 0:
			out = append(out, e.within(n, g.rows)...)
		case !n.Final:
			out = append(out, Item{Any: shown(n, g, g.rows)})
		case e.closed(n, n.Window, g.span, g.rows[0]):
			first := g.rows[0]
			for _, r := range g.rows {
				if before(r, first) {
					first = r
				}
			}
			out = append(out, Item{Any: shown(n, g, []Row{first})})
		}
	}
	return out, nil
}

// shown are rows with the window behind them, where it is shown.
func shown(n *plan.Distinct, g *groupRows, rows []Row) []Row {
	if !n.ShowsWindow() {
		return rows
	}
	var out []Row
	for _, r := range rows {
		r.Values = append(append([]types.Value{}, r.Values...), types.NewTimestamp(g.start), types.NewTimestamp(g.end))
		out = append(out, r)
	}
	return out
}

func (e *evaluation) within(n *plan.Distinct, rows []Row) []Item {
	sort.SliceStable(rows, func(i, j int) bool { return before(rows[i], rows[j]) })
	var out []Item
	last := types.Never
	for _, r := range rows {
		if !e.in.Ended && r.TS > e.w[n].of(r) {
			continue // still waiting for the watermark
		}
		apart := last == types.Never || r.TS-last >= n.Within
		if n.Touches {
			apart = last == types.Never || r.TS-last > n.Within
		}
		if apart {
			out = append(out, Item{Any: []Row{r}})
		}
		if apart || n.Touches {
			last = r.TS
		}
	}
	return out
}
