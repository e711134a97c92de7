package plan

import (
	"slices"

	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// mostKeys is how many keys a query is said to ask for at most.
const mostKeys = 1000

// Keys are the Kafka keys of its only source that the rows of a query can have, each in the order of Relation.Key; false: its conditions
// do not say, or the source's keys may lie anywhere.
func (q *Query) Keys() ([][]types.Value, bool) {
	if len(q.Fragments) != 1 || len(q.Fragments[0].Roots) != 1 {
		return nil, false
	}
	var conds []expr.Expr
	n := q.Fragments[0].Roots[0]
	for {
		switch x := n.(type) {
		case *Sink:
			n = x.Input
		case *Project:
			if conds != nil { // they are over its columns
				return nil, false
			}
			n = x.Input
		case *Filter:
			conds = append(conds, expr.Conjuncts(x.Cond)...)
			n = x.Input
		case *Scan:
			return x.keys(conds)
		default:
			return nil, false
		}
	}
}

// keys are the combinations of what conditions over a scan leave to the columns of the Kafka key.
func (n *Scan) keys(conds []expr.Expr) ([][]types.Value, bool) {
	rel := n.Relation
	if len(rel.Key) == 0 || !rel.KeyPlaces() {
		return nil, false
	}
	out := [][]types.Value{nil}
	for _, k := range rel.Key {
		c := rel.Columns[k]
		at := slices.IndexFunc(n.Columns, func(s ScanColumn) bool { return s.Hidden == NotHidden && len(s.Path) == 1 && s.Path[0] == c.Name })
		values, ok := n.equated(at, conds)
		if !ok || len(values)*len(out) > mostKeys {
			return nil, false
		}
		var longer [][]types.Value
		for _, o := range out {
			for _, v := range values {
				longer = append(longer, append(slices.Clone(o), v))
			}
		}
		out = longer
	}
	return out, true
}

// equated are the values that a condition leaves to a column: those of the shortest list.
func (n *Scan) equated(column int, conds []expr.Expr) (values []types.Value, ok bool) {
	for _, cond := range conds {
		at, list, is := expr.Equated(cond)
		if !is || at != column || len(list) > mostKeys {
			continue
		}
		var held []types.Value
		for _, v := range list {
			if v, has := n.holds(cond, column, v); has && !slices.ContainsFunc(held, func(o types.Value) bool { return types.Equal(o, v) }) {
				held = append(held, v)
			}
		}
		if !ok || len(held) < len(values) {
			values, ok = held, true
		}
	}
	return values, ok
}

// holds says whether a constant, as a value of the column's type, fulfils the condition that names it: no value of the column does otherwise.
func (n *Scan) holds(cond expr.Expr, column int, v types.Value) (types.Value, bool) {
	t := n.Columns[column].Type
	v, err := types.Cast(v, t)
	if err != nil || v.IsNull() {
		return v, false
	}
	b := &vector.Batch{N: 1}
	for i, c := range n.Columns {
		col := vector.New(c.Type, 1)
		if i == column {
			col.Append(v)
		} else {
			col.AppendNull()
		}
		b.Cols = append(b.Cols, col)
	}
	out := cond.Eval(&expr.Ctx{}, b)
	return v, !out.IsNull(0) && out.Ints[0] != 0
}
