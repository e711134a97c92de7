package plan

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// PartialAggregate folds the rows of one batch that belong to one group and window into one row, before they travel to the
// Aggregate that merges them. Its schema: the group columns, what the aggregates read, and the states of rows that were
// folded. A row has either what the aggregates read, as it came, or the states and NULLs.
type PartialAggregate struct {
	Input  Node
	Group  []Named
	Aggs   []NamedAggregate // over Input's schema
	Window Window
	P      Props
}

// Partially splits an aggregate in two: the first part over its input, and what n becomes over rows of the first part, its
// Input apart. ok is false when there is nothing to gain or it cannot be done: rows that may be removed, values that must be
// kept one by one, states that are large beside a row, windows that share rows, groups that go with time.
func (n *Aggregate) Partially(input Node) (first *PartialAggregate, second *Aggregate, ok bool) {
	if _, union := input.(*Union); union || n.Partial || n.Results == Versions || n.TTL > 0 || n.Over() != expr.Appends || !n.Window.tumbles() {
		return nil, nil, false // each part of a union has a fragment of its own
	}
	for i := range n.Aggs {
		if !n.Aggs[i].Agg.Compact() {
			return nil, nil, false
		}
	}
	first = &PartialAggregate{Input: input, Group: n.Group, Aggs: n.Aggs, Window: n.Window}
	Derive(first)
	c := *n
	c.Partial = true
	c.Group, c.Aggs = nil, nil
	for i, g := range n.Group {
		c.Group = append(c.Group, Named{Name: g.Name, Expr: first.column(i, g.Expr)})
	}
	_, at := first.reads()
	for k := range n.Aggs {
		agg := &n.Aggs[k].Agg
		var in []expr.Expr
		for i, x := range agg.Inputs() {
			in = append(in, first.column(at[k][i], x))
		}
		c.Aggs = append(c.Aggs, NamedAggregate{Name: n.Aggs[k].Name, Agg: *agg.WithInputs(in)})
	}
	return first, &c, true
}

// tumbles says whether a row is in one window: windows follow one another, or there is none.
func (w Window) tumbles() bool { return w.Size == 0 || w.Kind == ast.Tumbling }

func (n *PartialAggregate) column(at int, x expr.Expr) expr.Expr {
	if at < 0 {
		return x
	}
	return &expr.Column{Index: at, Name: x.String(), Typ: x.Type()}
}

// reads are the columns that the aggregates read, a column of the input once, and where input i of aggregate k is in the
// schema (-1: it is a constant).
func (n *PartialAggregate) reads() (columns []types.Column, at [][]int) {
	have := map[string]int{}
	for k := range n.Aggs {
		var ats []int
		for _, x := range n.Aggs[k].Agg.Inputs() {
			i := len(n.Group) + len(columns)
			switch x.(type) {
			case *expr.Const:
				ats = append(ats, -1)
				continue
			case *expr.Column: // others may fail, which counts only where the aggregate's filter is true
				if old, again := have[expr.Ordinals(x)]; again {
					ats = append(ats, old)
					continue
				}
				have[expr.Ordinals(x)] = i
			}
			ats = append(ats, i)
			columns = append(columns, types.Column{Name: x.String(), Type: x.Type()})
		}
		at = append(at, ats)
	}
	return columns, at
}

// Reads says for each input of each aggregate which column of the schema it is; -1: none, a constant.
func (n *PartialAggregate) Reads() [][]int {
	_, at := n.reads()
	return at
}

func (n *PartialAggregate) derive() {
	for _, g := range n.Group {
		n.P.Schema.Columns = append(n.P.Schema.Columns, types.Column{Name: g.Expr.String(), Type: g.Expr.Type()})
		n.P.unlessDeterministic(g.Expr)
	}
	n.P.unlessDeterministic(aggregated(n.Aggs)...)
	reads, _ := n.reads()
	n.P.Schema.Columns = append(n.P.Schema.Columns, reads...)
	n.P.Schema.Columns = append(n.P.Schema.Columns, types.Column{Name: "states", Type: types.TVarbinary})
}

// Props of the node.
func (n *PartialAggregate) Props() *Props { return &n.P }

// Inputs of the node.
func (n *PartialAggregate) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *PartialAggregate) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}

func (*PartialAggregate) node() {}

// Describe is what is folded.
func (n *PartialAggregate) Describe() string {
	s := "Partial aggregate " + aggregateList(n.Aggs, n.Group)
	if n.Window.Size > 0 {
		s += " in " + n.Window.String()
	}
	return s + ": rows of one group that come together travel as one"
}

// aggregateList is aggregates and groups as EXPLAIN shows them.
func aggregateList(aggs []NamedAggregate, group []Named) string {
	var parts, by []string
	for _, a := range aggs {
		parts = append(parts, a.Agg.String())
	}
	for _, g := range group {
		by = append(by, g.Expr.String())
	}
	s := strings.Join(parts, ", ")
	if len(by) > 0 {
		s += " by " + strings.Join(by, ", ")
	}
	return s
}
