// Package distribute brings rows to where they are needed: it compares the partitioning every operator requires with the
// one its input provides, puts shuffles where they differ, and cuts the plan into fragments.
package distribute

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// Count is the number of partitions of a source; 0: not known.
type Count func(*catalog.Relation) int

// Distribute inserts shuffles, late checks and what has to travel with the rows. It is idempotent. The warnings are for
// the user; the error is an *ast.Error without a place.
func Distribute(root *plan.Sink, count Count) (*plan.Sink, []string, error) {
	d := &distributor{count: count, names: map[string]int{}}
	n := d.visit(root)
	n, err := inOrder(n.(*plan.Sink))
	if err != nil {
		return nil, nil, err
	}
	n = carry(n.(*plan.Sink))
	n = checkLate(n, nil)
	n = number(n)
	return n.(*plan.Sink), d.warnings, nil
}

type distributor struct {
	count    Count
	names    map[string]int
	warnings []string
}

// unique is a role that no other operator of the query has: distinct, distinct-2, …
func (d *distributor) unique(role string) string {
	d.names[role]++
	if n := d.names[role]; n > 1 {
		return fmt.Sprintf("%s-%d", role, n)
	}
	return role
}

func role(name string) string {
	base, _, _ := strings.Cut(name, "-")
	return base
}

// visit computes the partitioning of n's output, with shuffles below where n needs them.
func (d *distributor) visit(n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Scan:
		c := *n
		c.KeyCheck = false
		c.P.Partitioning = d.provided(&c)
		return &c
	case *plan.Project:
		out := plan.Rebuild(n, d.visit(n.Input)).(*plan.Project)
		return with(out, through(out.Input.Props().Partitioning, out))
	case *plan.Shuffle:
		out := plan.Rebuild(n, d.visit(n.Input))
		return with(out, n.Key)
	case *plan.Distinct:
		in := d.require(d.visit(n.Input), n.On, n.Name, "DISTINCT")
		c := *n
		c.Input, c.Name = in, d.unique(role(n.Name))
		return with(plan.Derive(&c), in.Props().Partitioning)
	case *plan.Aggregate:
		return d.aggregate(n)
	case *plan.TableJoin:
		return d.join(n)
	}
	in := d.visit(n.Inputs()[0])
	return with(plan.Rebuild(n, in), in.Props().Partitioning)
}

// with is n with a partitioning; n was just made or is copied.
func with(n plan.Node, p plan.Partitioning) plan.Node {
	c := n.WithInputs(n.Inputs())
	c.Props().Partitioning = p
	return c
}

// provided is the partitioning of a source: by its Kafka key where that is declared, else by nothing.
func (d *distributor) provided(n *plan.Scan) plan.Partitioning {
	r := n.Relation
	p := plan.Partitioning{Count: d.count(r)}
	if len(r.Key) == 0 || r.Partitioner == catalog.UnknownPartitioner {
		return p
	}
	for _, k := range r.Key {
		at := n.Declared(k)
		if at < 0 {
			return plan.Partitioning{Count: p.Count}
		}
		p.Exprs = append(p.Exprs, &expr.Column{Index: at, Name: n.Columns[at].Name, Typ: n.Columns[at].Type})
		p.Types = append(p.Types, n.Columns[at].Type)
	}
	p.Hash, p.KeyFormat = plan.Murmur2, r.KeyFormat
	if r.Partitioner == catalog.CRC32 {
		p.Hash = plan.CRC32
	}
	return p
}

// through is a partitioning seen over a projection; lost when one of its expressions is not a column there.
func through(p plan.Partitioning, n *plan.Project) plan.Partitioning {
	out := p
	out.Exprs = nil
	for _, e := range p.Exprs {
		found := false
		for i, x := range n.Exprs {
			if plan.SameExpr(x.Expr, e) {
				out.Exprs = append(out.Exprs, &expr.Column{Index: i, Name: x.Name, Typ: x.Expr.Type()})
				found = true
				break
			}
		}
		if !found {
			return plan.Partitioning{Count: p.Count}
		}
	}
	return out
}

// require puts a shuffle over in unless rows with equal values of need are together already.
func (d *distributor) require(in plan.Node, need []expr.Expr, name, what string) plan.Node {
	p := in.Props().Partitioning
	if p.Satisfies(need) {
		return rely(in)
	}
	return shuffle(in, plan.Partitioning{Exprs: need, Hash: plan.Canonical, Count: p.Count, Types: typesOf(need)}, role(name), why(in, need, what))
}

func (d *distributor) aggregate(n *plan.Aggregate) plan.Node {
	var need []expr.Expr
	for _, g := range n.Group {
		need = append(need, g.Expr)
	}
	in := d.visit(n.Input)
	if len(need) == 0 {
		if in.Props().Partitioning.Count != 1 {
			in = shuffle(in, plan.Partitioning{Hash: plan.Canonical, Count: 1}, role(n.Name),
				"an aggregate without GROUP BY is one group: all rows come together in one partition")
		}
	} else {
		in = d.require(in, need, n.Name, "GROUP BY")
	}
	c := *n
	c.Input, c.Name = in, d.unique(role(n.Name))
	return with(plan.Derive(&c), groupPartitioning(in.Props().Partitioning, n.Group))
}

// groupPartitioning is the input's partitioning over the aggregate's schema, whose first columns are the groups.
func groupPartitioning(p plan.Partitioning, group []plan.Named) plan.Partitioning {
	out := p
	out.Exprs = nil
	for _, e := range p.Exprs {
		for i, g := range group {
			if plan.SameExpr(e, g.Expr) {
				out.Exprs = append(out.Exprs, &expr.Column{Index: i, Name: g.Name, Typ: g.Expr.Type()})
				break
			}
		}
	}
	if len(out.Exprs) != len(p.Exprs) {
		return plan.Partitioning{Count: p.Count}
	}
	return out
}

func shuffle(in plan.Node, key plan.Partitioning, name, reason string) plan.Node {
	n := plan.Derive(&plan.Shuffle{Name: name, Input: in, Key: key, Reason: reason})
	return with(n, key)
}

// rely notes that the plan depends on where a topic's own producers put records: each one is checked (semantics S6). With
// a single partition there is nothing to check.
func rely(n plan.Node) plan.Node {
	if n.Props().Partitioning.Count == 1 {
		return n
	}
	switch n := n.(type) {
	case *plan.Scan:
		c := *n
		c.KeyCheck = true
		return &c
	case *plan.Shuffle:
		return n
	}
	in := n.Inputs()
	if len(in) == 0 {
		return n
	}
	in = append([]plan.Node{rely(in[0])}, in[1:]...)
	return with(plan.Rebuild(n, in...), n.Props().Partitioning)
}

// why says in words what a shuffle is for.
func why(in plan.Node, need []expr.Expr, what string) string {
	return placeOf(in) + "; " + what + " needs equal " + names(need) + " together"
}

// placeOf says where the rows of n are, and why nothing more is known.
func placeOf(n plan.Node) string {
	for {
		switch x := n.(type) {
		case *plan.Scan:
			return scanPlace(x)
		case *plan.Shuffle:
			return "the rows are partitioned by " + names(x.Key.Exprs)
		}
		n = n.Inputs()[0]
	}
}

func scanPlace(n *plan.Scan) string {
	r := n.Relation
	switch {
	case len(r.Key) == 0:
		return "topic " + r.Topic + " is partitioned by its Kafka key, which is not declared"
	case r.Partitioner == catalog.UnknownPartitioner:
		return "topic " + r.Topic + " has key " + keyNames(r) + ", but its partitioner is not known"
	}
	return "topic " + r.Topic + " is partitioned by " + keyNames(r)
}

func keyNames(r *catalog.Relation) string {
	var s []string
	for _, k := range r.Key {
		s = append(s, r.Columns[k].Name)
	}
	return strings.Join(s, ", ")
}

func names(es []expr.Expr) string {
	var s []string
	for _, e := range es {
		s = append(s, expr.Uncast(e).String())
	}
	return strings.Join(s, ", ")
}
