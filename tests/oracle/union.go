package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// union is the rows of all parts.
func (e *evaluation) union(n *plan.Union) ([]Item, error) {
	var out []Item
	w := marks{all: types.Never}
	for _, p := range n.Parts {
		items, err := e.eval(p)
		if err != nil {
			return nil, err
		}
		out = append(out, items...)
		w.all = max(w.all, e.w[p].merged())
	}
	e.w[n] = w
	return out, nil
}

// unnest is each row once per element, read from the JSON text that a nested value is.
func (e *evaluation) unnest(n *plan.Unnest) ([]Item, error) {
	rows, err := e.rows(n.Input)
	if err != nil {
		return nil, err
	}
	e.w[n] = e.w[n.Input]
	var out []Row
	for _, r := range rows {
		v, ok := e.value(n.Expr, n.Input.Props().Schema.Columns, r)
		if !ok {
			continue
		}
		elements, err := texts(v)
		if err != nil {
			return nil, err
		}
		if len(elements) == 0 && n.Keep {
			elements = append(elements, types.Value{})
		}
		for _, x := range elements {
			row := r
			row.Values = append(slices.Clone(r.Values), x)
			out = append(out, row)
		}
	}
	return items(out), nil
}

// texts are the elements of an array of texts.
func texts(v types.Value) ([]types.Value, error) {
	if v.IsNull() {
		return nil, nil
	}
	var list []*string
	if err := json.NewDecoder(bytes.NewBufferString(v.S)).Decode(&list); err != nil {
		return nil, fmt.Errorf("the oracle unnests arrays of texts: %w", err)
	}
	out := make([]types.Value, len(list))
	for i, s := range list {
		if s != nil {
			out[i] = types.NewString(*s)
		}
	}
	return out, nil
}
