package plan

import "github.com/streamsql-go/streamsql/sql/expr"

// Results says which results of a group an Aggregate without a window sends.
type Results uint8

// The results.
const (
	// Current is that of all rows that have come, each time some come.
	Current Results = iota
	// Versions are those as of each instant at which the group has a row, for a join in time: a version holds all rows up to its
	// instant, in whatever order they come. A late row counts from where late versions of a table are seen (semantics S5).
	Versions
)

// Versioned is the Aggregate of Versions whose rows n filters and projects; nil: there is none.
func Versioned(n Node) *Aggregate {
	for {
		switch x := n.(type) {
		case *Aggregate:
			if x.Results == Versions {
				return x
			}
			return nil
		case *Filter, *Project:
			n = x.Inputs()[0]
		default:
			return nil
		}
	}
}

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
