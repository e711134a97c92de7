package rules

import (
	"maps"
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// Prune drops the columns that nothing reads, down into the scans: a decoder fills only what is left there.
//
// Of a shared part, what any of its readers needs stays: it is found by pruning until nothing is added to it.
func Prune(n plan.Node) plan.Node {
	p := &pruner{wanted: map[*plan.Shared]set{}}
	for {
		p.grew, p.pruned = false, map[*plan.Shared]narrowed{}
		if out := p.sink(n.(*plan.Sink)); !p.grew {
			return out
		}
	}
}

// pruner prunes a plan.
type pruner struct {
	wanted map[*plan.Shared]set // what the readers of each shared part need, as far as it is known
	grew   bool                 // something was added to that
	pruned map[*plan.Shared]narrowed
}

// narrowed is a node with the columns that are left, and where they are.
type narrowed struct {
	node plan.Node
	at   moved
}

func (p *pruner) sink(s *plan.Sink) plan.Node {
	c := *s
	if s.Forward {
		c.Columns = nil // the value is the record's own bytes
	}
	need := set{}
	need.add(c.Columns...)
	need.add(c.Key...)
	for _, a := range s.Around {
		need.add(a.Column)
	}
	in, at := p.prune(s.Input, need)
	c.Input, c.Columns, c.Key = in, at.all(c.Columns), at.all(c.Key)
	c.Around = slices.Clone(s.Around)
	for i := range c.Around {
		c.Around[i].Column = at[c.Around[i].Column]
	}
	return plan.Derive(&c)
}

type set map[int]bool

func (s set) add(is ...int) {
	for _, i := range is {
		s[i] = true
	}
}

func (s set) read(es ...expr.Expr) {
	for _, e := range es {
		if e != nil {
			s.add(expr.Columns(e)...)
		}
	}
}

func (s set) copy() set {
	c := set{}
	for i := range s {
		c[i] = true
	}
	return c
}

// moved says where the columns of a node went.
type moved map[int]int

func (m moved) all(is []int) []int {
	if is == nil {
		return nil
	}
	out := make([]int, len(is))
	for k, i := range is {
		out[k] = m[i]
	}
	return out
}

func (m moved) expr(e expr.Expr) expr.Expr {
	return expr.MapColumns(e, func(i int) int { return m[i] })
}

func (m moved) exprs(es []expr.Expr) []expr.Expr {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		out[i] = m.expr(e)
	}
	return out
}

// prune keeps the columns of n in need (more, where it must) and says where they are now.
func (p *pruner) prune(n plan.Node, need set) (plan.Node, moved) {
	switch n := n.(type) {
	case *plan.Scan:
		return pruneScan(n, need)
	case *plan.Filter:
		all := need.copy()
		all.read(n.Cond)
		in, at := p.prune(n.Input, all)
		return plan.Derive(&plan.Filter{Input: in, Cond: at.expr(n.Cond)}), at
	case *plan.Project:
		return p.pruneProject(n, need)
	case *plan.Distinct:
		all := need.copy()
		width := len(n.Input.Props().Schema.Columns)
		delete(all, width) // where windows are shown
		delete(all, width+1)
		all.read(n.On...)
		in, at := p.narrow(n.Input, all)
		c := *n
		c.Input, c.On = in, at.exprs(n.On)
		if n.ShowsWindow() {
			now := len(in.Props().Schema.Columns)
			at[width], at[width+1] = now, now+1
		}
		return plan.Derive(&c), at
	case *plan.Aggregate:
		return p.pruneAggregate(n, need)
	case *plan.TableJoin:
		return p.pruneJoin(n, need)
	case *plan.StreamJoin:
		return p.pruneStreamJoin(n, need)
	case *plan.TableTableJoin:
		return p.pruneTableTable(n, need)
	case *plan.Union:
		return p.pruneUnion(n, need)
	case *plan.Materialize:
		all := need.copy()
		all.add(n.P.Schema.Key...)
		in, at := p.narrow(n.Input, all)
		c := *n
		c.Input = in
		return plan.Derive(&c), at
	case *plan.Shared:
		return p.shared(n, need)
	case *plan.Unnest:
		return p.pruneUnnest(n, need)
	case *plan.TopN:
		return p.pruneTopN(n, need)
	case *plan.Over:
		return p.pruneOver(n, need)
	case *plan.Fold:
		all := need.copy()
		all.add(n.Key...)
		in, at := p.narrow(n.Input, all)
		c := *n
		c.Input, c.Key = in, at.all(n.Key)
		return plan.Derive(&c), at
	}
	return n, identity(n)
}

// shared prunes a shared part once, to what all its readers need. Where nothing is left that is worth it, it is shared no more.
func (p *pruner) shared(n *plan.Shared, need set) (plan.Node, moved) {
	all := p.wanted[n].copy()
	for i := range need {
		p.grew = p.grew || !all[i]
		all[i] = true
	}
	p.wanted[n] = all
	out, done := p.pruned[n]
	if !done {
		out.node, out.at = p.prune(n.Input, all)
		if len(plan.States(out.node)) > 0 {
			out.node = plan.Rebuild(n, out.node)
		}
		p.pruned[n] = out
	}
	return out.node, maps.Clone(out.at)
}

// narrow prunes the input of an operator that keeps or shuffles its rows: what only a filter below reads is not carried
// further.
func (p *pruner) narrow(n plan.Node, need set) (plan.Node, moved) {
	in, at := p.prune(n, need)
	columns := in.Props().Schema.Columns
	if len(columns) == len(need) || len(need) == 0 {
		return in, at
	}
	order := make([]int, 0, len(need))
	for i := range need {
		order = append(order, i)
	}
	slices.Sort(order)
	to := moved{}
	var kept []plan.Named
	for _, i := range order {
		c := columns[at[i]]
		to[i] = len(kept)
		kept = append(kept, plan.Named{Name: c.Name, Expr: &expr.Column{Index: at[i], Name: c.Name, Typ: c.Type}})
	}
	return plan.Derive(&plan.Project{Input: in, Exprs: kept}), to
}

func identity(n plan.Node) moved {
	m := moved{}
	for i := range n.Props().Schema.Columns {
		m[i] = i
	}
	return m
}

func pruneScan(n *plan.Scan, need set) (plan.Node, moved) {
	all := need.copy()
	if n.TimeColumn >= 0 {
		all.add(n.TimeColumn)
	}
	all.add(n.P.Schema.Key...)
	c, at := *n, moved{}
	c.Columns = nil
	for i, col := range n.Columns {
		if !all[i] {
			continue
		}
		at[i] = len(c.Columns)
		c.Columns = append(c.Columns, col)
	}
	if n.TimeColumn >= 0 {
		c.TimeColumn = at[n.TimeColumn]
	}
	return plan.Derive(&c), at
}

func (p *pruner) pruneProject(n *plan.Project, need set) (plan.Node, moved) {
	below, at := set{}, moved{}
	var kept []plan.Named
	keep := need.copy()
	keep.add(n.P.Schema.Key...)
	for i, e := range n.Exprs {
		if keep[i] {
			at[i] = len(kept)
			kept = append(kept, e)
			below.read(e.Expr)
		}
	}
	in, to := p.prune(n.Input, below)
	if len(kept) == 0 {
		return in, at // only the record's own bytes are wanted
	}
	for i, e := range kept {
		kept[i] = plan.Named{Name: e.Name, Expr: to.expr(e.Expr)}
	}
	return plan.Derive(&plan.Project{Input: in, Exprs: kept}), at
}

// pruneAggregate keeps all group columns (they are the key) and the window's; aggregates go.
func (p *pruner) pruneAggregate(n *plan.Aggregate, need set) (plan.Node, moved) {
	all := need.copy()
	all.read(n.Having)
	below, at := set{}, moved{}
	c := *n
	c.Group, c.Aggs = nil, nil
	for i, g := range n.Group {
		at[i] = i
		below.read(g.Expr)
	}
	for i, a := range n.Aggs {
		if all[len(n.Group)+i] {
			at[len(n.Group)+i] = len(n.Group) + len(c.Aggs)
			c.Aggs = append(c.Aggs, a)
			below.read(a.Agg.Inputs()...)
		}
	}
	if start, end := n.WindowColumns(); start >= 0 {
		at[start] = len(n.Group) + len(c.Aggs)
		at[end] = at[start] + 1
	}
	in, to := p.narrow(n.Input, below)
	c.Input = in
	for _, g := range n.Group {
		c.Group = append(c.Group, plan.Named{Name: g.Name, Expr: to.expr(g.Expr)})
	}
	for i, a := range c.Aggs {
		c.Aggs[i] = plan.NamedAggregate{Name: a.Name, Agg: *a.Agg.WithInputs(to.exprs(a.Agg.Inputs()))}
	}
	c.Having = at.expr(n.Having)
	return plan.Derive(&c), at
}

func (p *pruner) pruneJoin(n *plan.TableJoin, need set) (plan.Node, moved) {
	width := len(n.Stream.Props().Schema.Columns)
	all := need.copy()
	all.read(n.Residual)
	stream, table := set{}, set{}
	for i := range all {
		if i < width {
			stream[i] = true
		} else {
			table[i-width] = true
		}
	}
	stream.read(n.StreamKeys...)
	stream.read(n.AsOf)
	table.read(n.TableKeys...)
	table.add(n.Table.Props().Schema.Key...)
	l, lat := p.narrow(n.Stream, stream)
	r, rat := p.narrow(n.Table, table)
	at := moved{}
	for i, to := range lat {
		at[i] = to
	}
	for i, to := range rat {
		at[width+i] = len(l.Props().Schema.Columns) + to
	}
	c := *n
	c.Stream, c.Table = l, r
	c.StreamKeys, c.TableKeys = lat.exprs(n.StreamKeys), rat.exprs(n.TableKeys)
	c.Residual, c.AsOf = at.expr(n.Residual), lat.expr(n.AsOf)
	return plan.Derive(&c), at
}
