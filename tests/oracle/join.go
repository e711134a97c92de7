package oracle

import (
	"fmt"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// join: each stream row with the version of its key that is valid at its as-of instant. A late version, one at or below
// its own partition's release mark, is seen only above that mark (semantics S5), or above the one that lay Correct before it.
func (e *evaluation) join(n *plan.TableJoin) ([]Item, error) {
	tcols, scols := n.Table.Props().Schema.Columns, n.Stream.Props().Schema.Columns
	versions, err := e.tableVersions(n, tcols)
	if err != nil {
		return nil, err
	}
	stream, err := e.eval(n.Stream)
	if err != nil {
		return nil, err
	}
	e.w[n] = e.w[n.Stream]
	if n.Broadcast {
		return e.broadcast(n, scols, tcols, stream, versions)
	}
	var out []Item
	for _, it := range stream {
		var joined Item
		for _, s := range it.Any {
			if r, ok := e.joinRow(n, scols, tcols, s, versions); ok {
				joined.Any = append(joined.Any, r)
			}
		}
		if len(joined.Any) > 0 {
			out = append(out, joined)
		}
	}
	return out, nil
}

// tableVersions are those of each row of the table, by its primary key.
func (e *evaluation) tableVersions(n *plan.TableJoin, tcols []types.Column) (map[string][]Row, error) {
	e.slack = max(n.TableDisorder, n.Within) - n.TableDisorder + n.Correct
	table, err := e.eval(n.Table)
	if err != nil {
		return nil, err
	}
	versions := map[string][]Row{}
	for _, it := range table {
		r := it.Any[0]
		key, ok := pick(r.Values, n.Table.Props().Schema.Key), true
		if !n.Broadcast {
			key, ok = e.values(n.TableKeys, tcols, r)
		}
		if !ok {
			continue
		}
		r.visible = types.Never
		if r.seen != types.Never {
			if mark := r.seen - e.slack; r.TS <= mark {
				r.visible = mark
			}
		}
		versions[identity(key)] = append(versions[identity(key)], r)
	}
	return versions, nil
}

// broadcast: each stream row with every row of the table that is valid at its as-of instant and for which the condition holds.
func (e *evaluation) broadcast(n *plan.TableJoin, scols, tcols []types.Column, stream []Item, versions map[string][]Row) ([]Item, error) {
	pairs := sides{leftKeys: n.StreamKeys, rightKeys: n.TableKeys, cols: [2][]types.Column{scols, tcols}, nullSafe: n.NullSafe, residual: n.Residual}
	var out []Item
	for _, it := range stream {
		if len(it.Any) > 1 {
			return nil, fmt.Errorf("the oracle does not know which row of %T meets a broadcast table", n.Stream)
		}
		s := it.Any[0]
		at, some := s.TS, true
		if n.AsOf != nil {
			v, ok := e.value(n.AsOf, scols, s)
			if !ok {
				continue
			}
			at, some = v.I, !v.IsNull()
		}
		pairs.left, pairs.right = []Row{s}, nil
		for _, vs := range versions {
			if t, ok := asOf(vs, at, n.Latest); ok && some {
				pairs.right = append(pairs.right, t)
			}
		}
		matches, met, _ := e.pairs(&pairs)
		if n.Once && len(matches) > 1 {
			matches = matches[:1]
		}
		for _, m := range matches {
			joined := s
			joined.Values = m.Values
			out = append(out, Item{Any: []Row{joined}})
		}
		if n.Left && !met[0] {
			out = append(out, Item{Any: []Row{pairs.alone(0, s)}})
		}
	}
	return out, nil
}

func (e *evaluation) joinRow(n *plan.TableJoin, scols, tcols []types.Column, s Row, versions map[string][]Row) (Row, bool) {
	key, ok := e.values(n.StreamKeys, scols, s)
	if !ok {
		return s, false
	}
	at := s.TS
	matches := true
	if n.AsOf != nil {
		v, ok := e.value(n.AsOf, scols, s)
		if !ok {
			return s, false
		}
		at, matches = v.I, !v.IsNull()
	}
	for i, k := range key {
		if k.IsNull() && (i >= len(n.NullSafe) || !n.NullSafe[i]) {
			matches = false
		}
	}
	joined := s
	if matches {
		if t, ok := asOf(versions[identity(key)], at, n.Latest); ok {
			joined.Values = append(append([]types.Value{}, s.Values...), t.Values...)
			if n.Residual == nil {
				return joined, true
			}
			all := append(append([]types.Column{}, scols...), tcols...)
			if v, ok := e.value(n.Residual, all, joined); ok && v.Bool() {
				return joined, true
			}
		}
	}
	joined.Values = append(append([]types.Value{}, s.Values...), make([]types.Value, len(tcols))...)
	return joined, n.Left
}

func asOf(vs []Row, at int64, latest bool) (Row, bool) {
	var best Row
	found := false
	for _, v := range vs {
		if !latest && (v.TS > at || v.visible != types.Never && v.visible >= at) {
			continue
		}
		if !found || before(best, v) {
			best, found = v, true
		}
	}
	return best, found && !best.deleted
}
