package plan

import "github.com/streamsql-go/streamsql/sql/expr"

// Over says whether the rows that an Aggregate folds stay, or may be removed again.
func (n *Aggregate) Over() expr.Input {
	if n.Input.Props().Changes == Deltas {
		return expr.Deltas
	}
	return expr.Appends
}

// Keeps says whether an aggregate keeps more of its rows than a state of a few bytes.
func (n *Aggregate) Keeps() bool { return len(n.keeping()) > 0 }

// keeping are the aggregates that do.
func (n *Aggregate) keeping() []string {
	var out []string
	for i := range n.Aggs {
		if a := &n.Aggs[i].Agg; a.Keeps(n.Over()) {
			out = append(out, a.String())
		}
	}
	return out
}
