package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// ordered is a row with the keys of its order.
type ordered struct {
	row  Row
	keys []types.Value
}

// partitions are the rows of n's input by partition, each in order: by the keys, then by event time and origin.
func (e *evaluation) partitions(input plan.Node, by []expr.Expr, order []plan.SortKey) ([][]ordered, error) {
	rows, err := e.rows(input)
	if err != nil {
		return nil, err
	}
	cols := input.Props().Schema.Columns
	var sorted []expr.Expr
	for _, k := range order {
		sorted = append(sorted, k.Expr)
	}
	at := map[string]int{}
	var out [][]ordered
	for _, r := range rows {
		part, ok := e.values(by, cols, r)
		keys, ok2 := e.values(sorted, cols, r)
		if !ok || !ok2 || r.deleted {
			continue
		}
		id := identity(part)
		if _, have := at[id]; !have {
			at[id] = len(out)
			out = append(out, nil)
		}
		out[at[id]] = append(out[at[id]], ordered{r, keys})
	}
	for _, p := range out {
		slices.SortStableFunc(p, func(a, b ordered) int {
			for i, k := range order {
				if c := nullsFirst(a.keys[i], b.keys[i]); c != 0 && k.Desc {
					return -c
				} else if c != 0 {
					return c
				}
			}
			return cmp.Or(compare(a.row.TS, b.row.TS), a.row.origin.Compare(b.row.origin))
		})
	}
	return out, nil
}

func nullsFirst(a, b types.Value) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return -1
	case b.IsNull():
		return 1
	}
	return types.Compare(a, b)
}

// ranks are the three numbers of row i, from 1: its place, how many rows are before its peers, how many different keys.
func ranks(p []ordered, i int) (place, rank, dense int64) {
	place, rank, dense = int64(i)+1, 1, 1
	for k := 1; k <= i; k++ {
		if identity(p[k].keys) != identity(p[k-1].keys) {
			rank, dense = int64(k)+1, dense+1
		}
	}
	return place, rank, dense
}

func (e *evaluation) topN(n *plan.TopN) ([]Item, error) {
	parts, err := e.partitions(n.Input, n.Partition, n.Order)
	if err != nil {
		return nil, err
	}
	e.w[n] = e.w[n.Input]
	var out []Row
	for _, p := range parts {
		for i, o := range p {
			place, rank, dense := ranks(p, i)
			nr := map[plan.Ranking]int64{plan.RowNumber: place, plan.Rank: rank, plan.DenseRank: dense}[n.Ranking]
			if nr > n.N {
				continue
			}
			r := o.row
			if n.Column != "" {
				r.Values = append(slices.Clone(r.Values), types.NewInt(nr))
			}
			out = append(out, r)
		}
	}
	return items(out), nil
}

// over computes each call for each row from all rows of its partition. In order, a row has left once time has reached it.
func (e *evaluation) over(n *plan.Over) ([]Item, error) {
	parts, err := e.partitions(n.Input, n.Partition, n.Order)
	if err != nil {
		return nil, err
	}
	e.w[n] = e.w[n.Input]
	cols := n.Input.Props().Schema.Columns
	var out []Row
	for _, p := range parts {
		for i, o := range p {
			if n.InOrder && !e.in.Ended && o.row.TS > e.w[n].of(o.row) {
				continue
			}
			r := o.row
			r.Values = slices.Clone(r.Values)
			for _, c := range n.Calls {
				v, err := e.call(c, cols, p, i)
				if err != nil {
					return nil, err
				}
				r.Values = append(r.Values, v)
			}
			out = append(out, r)
		}
	}
	return items(out), nil
}

func (e *evaluation) call(c plan.OverCall, cols []types.Column, p []ordered, i int) (types.Value, error) {
	at := func(x expr.Expr, k int) types.Value {
		v, _ := e.value(x, cols, p[k].row)
		return v
	}
	place, rank, dense := ranks(p, i)
	switch {
	case c.Agg != nil:
		return e.fold(c.Agg, cols, framed(c.Frame, p, i))
	case c.Func == "ROW_NUMBER":
		return types.NewInt(place), nil
	case c.Func == "RANK":
		return types.NewInt(rank), nil
	case c.Func == "DENSE_RANK":
		return types.NewInt(dense), nil
	case c.Func == "NTILE":
		return types.NewInt(tile(len(p), int(c.Offset), i)), nil
	case c.Func == "PERCENT_RANK":
		if len(p) == 1 {
			return types.NewDouble(0), nil
		}
		return types.NewDouble(float64(rank-1) / float64(len(p)-1)), nil
	case c.Func == "CUME_DIST":
		upTo := 0
		for k := range p {
			if k <= i || identity(p[k].keys) == identity(p[i].keys) {
				upTo++
			}
		}
		return types.NewDouble(float64(upTo) / float64(len(p))), nil
	case c.Func == "NTH_VALUE":
		rows := framed(c.Frame, p, i)
		if int(c.Offset) > len(rows) {
			return types.Value{}, nil
		}
		v, _ := e.value(c.Arg, cols, rows[c.Offset-1])
		return v, nil
	case c.Func == "LAG" || c.Func == "LEAD":
		k := i + int(c.Offset)
		if c.Func == "LAG" {
			k = i - int(c.Offset)
		}
		switch {
		case k >= 0 && k < len(p):
			return at(c.Arg, k), nil
		case c.Default == nil:
			return types.Value{}, nil
		}
		return at(c.Default, i), nil
	case c.Func == "FIRST_VALUE" || c.Func == "LAST_VALUE":
		rows := framed(c.Frame, p, i)
		if len(rows) == 0 {
			return types.Value{}, nil
		}
		r := rows[0]
		if c.Func == "LAST_VALUE" {
			r = rows[len(rows)-1]
		}
		v, _ := e.value(c.Arg, cols, r)
		return v, nil
	}
	return types.Value{}, fmt.Errorf("the oracle does not know %s OVER", c.Func)
}

// tile deals rows out to n tiles, one after the other, and lays them down in order: where row i lies.
func tile(rows, n, i int) int64 {
	sizes := make([]int, n)
	for k := range rows {
		sizes[k%n]++
	}
	t := 0
	for ; i >= sizes[t]; t++ {
		i -= sizes[t]
	}
	return int64(t) + 1
}

// framed are the rows of the frame of row i. RANGE with a distance is by the first key, which is not NULL, ascending.
func framed(f plan.Frame, p []ordered, i int) []Row {
	var out []Row
	for k := range p {
		from, to := k-i, k-i
		if f.Range {
			from, to = ranged(p, i, k, f.From), ranged(p, i, k, f.To)
		}
		if (f.From.Unbounded || int64(from) >= f.From.Distance) && (f.To.Unbounded || int64(to) <= f.To.Distance) {
			out = append(out, p[k].row)
		}
	}
	return out
}

// ranged is how far row k is from row i: 0 for peers; else in the unit of the key, or by place where the bound has no distance.
func ranged(p []ordered, i, k int, b plan.Bound) int {
	switch {
	case identity(p[k].keys) == identity(p[i].keys):
		return 0
	case b.Distance == 0:
		return k - i
	}
	return int(p[k].keys[0].I - p[i].keys[0].I)
}
