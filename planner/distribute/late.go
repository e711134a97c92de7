package distribute

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// checkLate puts the checks of semantics S3: lateness is judged once, in the fragment that reads the source, for every
// horizon downstream. Checks that are there already are made anew.
func checkLate(root plan.Node) plan.Node { return newChecker().below(root, nil) }

// checker puts the checks, once below a node to which several lead: all of them judge alike (part, moveOnce).
type checker struct {
	made map[plan.Node]plan.Node
	met  func(*plan.Shared, []plan.Horizon) // sees the horizons of each reader of a shared part; may be nil
}

func newChecker() *checker { return &checker{made: map[plan.Node]plan.Node{}} }

// once is what make makes of n.
func (k *checker) once(n plan.Node, make func() plan.Node) plan.Node {
	if k.made[n] == nil {
		k.made[n] = make()
	}
	return k.made[n]
}

// below puts the checks for horizons over n's schema, and for those of the operators from n on, below n.
func (k *checker) below(n plan.Node, horizons []plan.Horizon) plan.Node {
	switch n := n.(type) {
	case *plan.Scan:
		return n
	case *plan.LateCheck:
		return k.below(n.Input, horizons)
	case *plan.Project:
		return keep(n, k.below(n.Input, translated(n, horizons)))
	case *plan.Shuffle:
		return k.once(n, func() plan.Node { return keep(n, k.check(n.Input, horizons)) })
	case *plan.Shared:
		if k.met != nil {
			k.met(n, horizons)
		}
		return k.once(n, func() plan.Node { return keep(n, k.below(n.Input, horizons)) })
	case *plan.Distinct:
		return keep(n, k.check(n.Input, append(horizons, distinctHorizon(n)...)))
	case *plan.Aggregate:
		horizons = nil
		if n.Window.Size > 0 {
			horizons = []plan.Horizon{{Kind: plan.WindowHorizon, Window: n.Window, For: "the window of GROUP BY"}}
		}
		if n.TTL > 0 {
			horizons = []plan.Horizon{{Kind: plan.TouchHorizon, Grace: n.TTL, For: "GROUP BY"}}
		}
		return keep(n, k.check(n.Input, horizons))
	case *plan.StreamJoin:
		// What a pair's time means to operators above is in W_out: the join holds it back by its grace.
		own := []plan.Horizon{{Kind: plan.GraceHorizon, Grace: n.Grace, For: "the join of two streams"}}
		return keep(n, k.check(n.Left, own), k.check(n.Right, own))
	case *plan.TableTableJoin:
		return keep(n, k.below(n.Left, nil), k.below(n.Right, nil))
	case *plan.Over:
		if n.InOrder {
			return keep(n, k.check(n.Input, append(horizons, plan.Horizon{Kind: plan.SelfHorizon, For: "OVER in the order of event time"})))
		}
		return keep(n, k.below(n.Input, nil))
	case *plan.Materialize, *plan.Fold, *plan.TopN:
		return keep(n, k.below(n.Inputs()[0], nil))
	case *plan.Unnest:
		// A record that is late is so once, not for each of its elements.
		if readsElement(n, horizons) {
			return keep(n, k.below(n.Input, horizons))
		}
		return keep(n, k.check(n.Input, horizons))
	case *plan.Union:
		parts := make([]plan.Node, len(n.Parts))
		for i, p := range n.Parts {
			parts[i] = k.check(p, horizons)
		}
		return keep(n, parts...)
	case *plan.TableJoin:
		if !n.Latest {
			horizons = append(horizons, plan.Horizon{Kind: plan.AsOfHorizon, AsOf: n.AsOf, History: n.History, For: "the join with " + tableName(n.Table)})
		}
		return keep(n, k.check(n.Stream, horizons), k.below(n.Table, nil))
	}
	return keep(n, k.below(n.Inputs()[0], horizons))
}

func distinctHorizon(n *plan.Distinct) []plan.Horizon {
	switch {
	case n.Touches:
		return []plan.Horizon{{Kind: plan.SelfHorizon, For: "DISTINCT with ttl"}}
	case n.Within > 0:
		return []plan.Horizon{{Kind: plan.SelfHorizon, For: "DISTINCT WITHIN"}}
	case n.Window.Size > 0:
		return []plan.Horizon{{Kind: plan.WindowHorizon, Window: n.Window, For: "the window of DISTINCT"}}
	}
	return nil
}

// check puts the check over n when n is the last step before the first shuffle or time operator.
func (k *checker) check(n plan.Node, horizons []plan.Horizon) plan.Node {
	if p, ok := n.(*plan.PartialAggregate); ok { // lateness is judged row by row
		return keep(p, k.check(p.Input, horizons))
	}
	if stops(n, horizons) {
		return k.below(n, horizons)
	}
	n = strip(n)
	if len(horizons) == 0 {
		return n
	}
	n = record(n)
	out := plan.Derive(&plan.LateCheck{Input: n, Horizons: append([]plan.Horizon(nil), horizons...)})
	return with(out, n.Props().Partitioning)
}

// readsElement says whether a horizon is about an element of an unnested array.
func readsElement(n *plan.Unnest, horizons []plan.Horizon) bool {
	width := len(n.Input.Props().Schema.Columns)
	for _, h := range horizons {
		if h.AsOf == nil {
			continue
		}
		if at := expr.Columns(h.AsOf); len(at) > 0 && at[len(at)-1] >= width {
			return true
		}
	}
	return false
}

// stops says whether a shuffle or a time operator lies on the way from n to its source.
func stops(n plan.Node, horizons []plan.Horizon) bool {
	for {
		switch x := n.(type) {
		case *plan.Unnest:
			if !readsElement(x, horizons) {
				return true
			}
		case *plan.Scan:
			return false
		case *plan.Shuffle, *plan.Distinct, *plan.Aggregate, *plan.TableJoin, *plan.StreamJoin, *plan.TableTableJoin, *plan.Union, *plan.Materialize, *plan.Fold, *plan.TopN, *plan.Over:
			return true
		}
		n = n.Inputs()[0]
	}
}

// strip removes late checks between n and its source.
func strip(n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Scan:
		return n
	case *plan.LateCheck:
		return strip(n.Input)
	}
	return keep(n, strip(n.Inputs()[0]))
}

// record makes the whole record travel to the check when late ones are sent to a topic.
func record(n plan.Node) plan.Node {
	s, ok := n.(*plan.Scan)
	if !ok {
		return keep(n, record(n.Inputs()[0]))
	}
	if !keepsLate(s.Relation) {
		return s
	}
	c := *s
	c.Carry |= plan.CarryKey | plan.CarryValue | plan.CarryHeaders
	return &c
}

// translated are horizons seen below a projection.
func translated(n *plan.Project, horizons []plan.Horizon) []plan.Horizon {
	var out []plan.Horizon
	for _, h := range horizons {
		if h.AsOf != nil {
			h.AsOf = overInput([]expr.Expr{h.AsOf}, n.Exprs)[0]
		}
		out = append(out, h)
	}
	return out
}

func tableName(n plan.Node) string {
	for len(n.Inputs()) > 0 {
		n = n.Inputs()[0]
	}
	s, ok := n.(*plan.Scan)
	if !ok {
		return "a table"
	}
	if s.Alias != "" && !strings.EqualFold(s.Alias, s.Relation.Name) {
		return s.Relation.Name + " AS " + s.Alias
	}
	return s.Relation.Name
}
