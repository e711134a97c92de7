package oracle

import (
	"fmt"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// sides are the rows of a join of two equal inputs.
type sides struct {
	left, right         []Row
	leftKeys, rightKeys []expr.Expr
	cols                [2][]types.Column
	nullSafe            []bool
	residual            expr.Expr
	near                func(l, r Row) bool // nil: always
}

func (e *evaluation) rows(n plan.Node) ([]Row, error) {
	items, err := e.eval(n)
	var out []Row
	for _, it := range items {
		if len(it.Any) > 1 {
			return nil, fmt.Errorf("the oracle does not know which row of %T goes into a join", n)
		}
		out = append(out, it.Any[0])
	}
	return out, err
}

// pairs are all pairs that match, and for each row whether it is in one. A row whose key cannot be computed is in none and
// counts as met: it does not go out alone either.
func (e *evaluation) pairs(s *sides) (out []Row, metLeft, metRight []bool) {
	metLeft, metRight = make([]bool, len(s.left)), make([]bool, len(s.right))
	rightKeys := make([][]types.Value, len(s.right))
	for i, r := range s.right {
		var ok bool
		rightKeys[i], ok = e.values(s.rightKeys, s.cols[1], r)
		metRight[i] = !ok
	}
	for i, l := range s.left {
		key, ok := e.values(s.leftKeys, s.cols[0], l)
		if metLeft[i] = !ok; !ok {
			continue
		}
		for j, r := range s.right {
			if rightKeys[j] == nil || !s.equal(key, rightKeys[j]) || s.near != nil && !s.near(l, r) {
				continue
			}
			pair := Row{Values: append(append([]types.Value{}, l.Values...), r.Values...), TS: max(l.TS, r.TS)}
			if s.residual != nil {
				v, ok := e.value(s.residual, append(append([]types.Column{}, s.cols[0]...), s.cols[1]...), pair)
				if !ok || !v.Bool() {
					continue
				}
			}
			metLeft[i], metRight[j] = true, true
			out = append(out, pair)
		}
	}
	return out, metLeft, metRight
}

func (s *sides) equal(a, b []types.Value) bool {
	for i := range a {
		if (a[i].IsNull() || b[i].IsNull()) && !s.nullSafe[i] {
			return false
		}
	}
	return identity(a) == identity(b)
}

// alone is a row with NULLs for the other side.
func (s *sides) alone(side int, r Row) Row {
	nulls := make([]types.Value, len(s.cols[1-side]))
	if side == 0 {
		r.Values = append(append([]types.Value{}, r.Values...), nulls...)
	} else {
		r.Values = append(nulls, r.Values...)
	}
	return r
}

func (e *evaluation) streamJoin(n *plan.StreamJoin) ([]Item, error) {
	s := sides{leftKeys: n.LeftKeys, rightKeys: n.RightKeys, nullSafe: n.NullSafe, residual: n.Residual}
	s.cols = [2][]types.Column{n.Left.Props().Schema.Columns, n.Right.Props().Schema.Columns}
	s.near = func(l, r Row) bool { return r.TS-l.TS >= -n.Before && r.TS-l.TS <= n.After }
	var err error
	if s.left, err = e.rows(n.Left); err != nil {
		return nil, err
	}
	if s.right, err = e.rows(n.Right); err != nil {
		return nil, err
	}
	e.w[n] = marks{all: max(e.w[n.Left].merged(), e.w[n.Right].merged()) - n.Grace}
	pairs, metLeft, metRight := e.pairs(&s)
	out := items(pairs)
	if n.Kind == plan.LeftOuter || n.Kind == plan.FullOuter {
		out = append(out, e.unmatched(&s, 0, s.left, metLeft, n.Left, n.Right, n.After+n.Grace)...)
	}
	if n.Kind == plan.RightOuter || n.Kind == plan.FullOuter {
		out = append(out, e.unmatched(&s, 1, s.right, metRight, n.Right, n.Left, n.Before+n.Grace)...)
	}
	return out, nil
}

// unmatched are the rows without a match that have left: no partner can come any more, or none ever could.
func (e *evaluation) unmatched(s *sides, side int, rows []Row, met []bool, own, other plan.Node, after int64) []Item {
	keys := s.leftKeys
	if side == 1 {
		keys = s.rightKeys
	}
	var out []Item
	for i, r := range rows {
		if met[i] {
			continue
		}
		w := max(e.w[own].of(r), e.w[other].of(r))
		key, _ := e.values(keys, s.cols[side], r)
		if e.in.Ended || !s.equal(key, key) || w != types.Never && w >= r.TS+after {
			out = append(out, Item{Any: []Row{s.alone(side, r)}})
		}
	}
	return out
}

func (e *evaluation) tableTable(n *plan.TableTableJoin) ([]Item, error) {
	s := sides{leftKeys: n.LeftKeys, rightKeys: n.RightKeys, nullSafe: n.NullSafe, residual: n.Residual}
	s.cols = [2][]types.Column{n.Left.Props().Schema.Columns, n.Right.Props().Schema.Columns}
	var err error
	if s.left, err = e.rows(n.Left); err != nil {
		return nil, err
	}
	if s.right, err = e.rows(n.Right); err != nil {
		return nil, err
	}
	pairs, metLeft, metRight := e.pairs(&s)
	if n.Kind == plan.Semi || n.Kind == plan.Anti {
		var kept []Row
		for i, r := range s.left {
			if metLeft[i] == (n.Kind == plan.Semi) {
				kept = append(kept, r)
			}
		}
		return items(kept), nil
	}
	out := items(pairs)
	for i, r := range s.left {
		if !metLeft[i] && (n.Kind == plan.LeftOuter || n.Kind == plan.FullOuter) {
			out = append(out, Item{Any: []Row{s.alone(0, r)}})
		}
	}
	for i, r := range s.right {
		if !metRight[i] && (n.Kind == plan.RightOuter || n.Kind == plan.FullOuter) {
			out = append(out, Item{Any: []Row{s.alone(1, r)}})
		}
	}
	return out, nil
}

func items(rows []Row) []Item {
	var out []Item
	for _, r := range rows {
		out = append(out, Item{Any: []Row{r}})
	}
	return out
}

// materialize is the newest row of each key that is not a deletion. What a query computes has one row per key already.
func (e *evaluation) materialize(n *plan.Materialize) ([]Item, error) {
	rows, err := e.rows(n.Input)
	if err != nil {
		return nil, err
	}
	e.w[n] = e.w[n.Input]
	newest := map[string]Row{}
	var keys []string
	for _, r := range rows {
		key := identity(pick(r.Values, n.P.Schema.Key))
		old, ok := newest[key]
		switch {
		case !ok:
			keys = append(keys, key)
		case !n.Versioned:
			return nil, fmt.Errorf("the oracle does not know which row of a key comes last out of %T", n.Input)
		case !before(old, r):
			continue
		}
		newest[key] = r
	}
	var out []Row
	for _, k := range keys {
		if r := newest[k]; !r.deleted {
			out = append(out, r)
		}
	}
	return items(out), nil
}

// folded is one of the rows that stand for a key.
func (e *evaluation) folded(n *plan.Fold) ([]Item, error) {
	rows, err := e.rows(n.Input)
	if err != nil {
		return nil, err
	}
	e.w[n] = e.w[n.Input]
	at := map[string]int{}
	var out []Item
	for _, r := range rows {
		key := identity(pick(r.Values, n.Key))
		if i, ok := at[key]; ok {
			out[i].Any = append(out[i].Any, r)
			continue
		}
		at[key] = len(out)
		out = append(out, Item{Any: []Row{r}})
	}
	return out, nil
}
