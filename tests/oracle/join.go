package oracle

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// join: each stream row with the version of its key that is valid at its as-of instant. A late version, one at or below
// its own partition's release mark, is seen only above that mark (semantics S5), or above the one that lay Correct before it.
func (e *evaluation) join(n *plan.TableJoin) ([]Item, error) {
	e.slack = max(n.TableDisorder, n.Within) - n.TableDisorder + n.Correct
	table, err := e.eval(n.Table)
	if err != nil {
		return nil, err
	}
	tcols, scols := n.Table.Props().Schema.Columns, n.Stream.Props().Schema.Columns
	versions := map[string][]Row{}
	for _, it := range table {
		r := it.Any[0]
		key, ok := e.values(n.TableKeys, tcols, r)
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
	stream, err := e.eval(n.Stream)
	if err != nil {
		return nil, err
	}
	e.w[n] = e.w[n.Stream]
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
