// Package distribute brings rows to where they are needed: it compares the partitioning every operator requires with the
// one its input provides, puts shuffles where they differ, and cuts the plan into fragments.
package distribute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// Count is the number of partitions of a source; 0: not known.
type Count func(*catalog.Relation) int

// Made is the partition count of an internal topic that an earlier start of the query made; 0: there is none. Topic is
// plan.RepartitionTopic or plan.ChangelogTopic, role the name of a shuffle or state.
type Made func(topic func(app, query, role string) string, role string) int

// Distribute inserts shuffles, late checks and what has to travel with the rows. A shuffle that was made before keeps its
// partition count, whatever its source has now: state lies by it (semantics S8, a source that grows). It is idempotent. The
// warnings are for the user; the error is an *ast.Error without a place. Made nil: nothing was made before.
func Distribute(root *plan.Sink, count Count, made Made) (*plan.Sink, []string, error) {
	d := &distributor{count: count, made: made, names: map[string]int{}, shuffles: map[string]int{}, shared: map[*plan.Shared]plan.Node{}}
	n := relied(d.visit(d.inOrder(part(root))))
	n = carry(n)
	n = checkLate(n)
	if once := moveOnce(n); once != n { // what travels and is late is that of both readers, then
		n = checkLate(carry(once))
	}
	n = number(n)
	return n.(*plan.Sink), d.warnings, nil
}

type distributor struct {
	count    Count
	made     Made
	names    map[string]int // of operators, by role
	shuffles map[string]int // by role
	shared   map[*plan.Shared]plan.Node
	warnings []string
}

// before is the partition count of a shuffle that is about to be made: the one it had at an earlier start, else now. The
// states that it feeds tell where shuffles are local and have no topic.
func (d *distributor) before(role string, now int, states ...plan.State) int {
	d.shuffles[role]++
	if d.made == nil {
		return now
	}
	if n := d.made(plan.RepartitionTopic, numbered(role, d.shuffles[role])); n > 0 {
		return n
	}
	for _, s := range states {
		if n := d.made(plan.ChangelogTopic, s.Name); n > 0 {
			return n
		}
	}
	return now
}

// numbered is the n-th name of a role: distinct, distinct-2, …
func numbered(role string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s-%d", role, n)
	}
	return role
}

// unique is a role that no other operator of the query has: distinct, distinct-2, …
func (d *distributor) unique(role string) string {
	d.names[role]++
	return numbered(role, d.names[role])
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
	case *plan.Shared:
		if d.shared[n] == nil {
			in := d.visit(n.Input)
			d.shared[n] = with(plan.Rebuild(n, in), in.Props().Partitioning)
		}
		return d.shared[n]
	case *plan.Shuffle:
		out := plan.Rebuild(n, d.visit(n.Input))
		d.shuffles[base(n.Name)]++
		return with(out, n.Key)
	case *plan.Distinct:
		c := *n
		c.Input = d.visit(n.Input)
		c.Name = d.unique(role(n.Name))
		c.Input = d.require(c.Input, n.On, &c, c.Name, "DISTINCT")
		return with(plan.Derive(&c), c.Input.Props().Partitioning)
	case *plan.Aggregate:
		return d.aggregate(n)
	case *plan.TableJoin:
		if n.Broadcast {
			return d.broadcast(n)
		}
		return d.join(n)
	case *plan.StreamJoin:
		return d.streamJoin(n)
	case *plan.TableTableJoin:
		return d.tableTable(n)
	case *plan.Union:
		return d.union(n)
	case *plan.Materialize:
		c := *n
		c.Name = d.unique(role(n.Name))
		c.Input = d.require(d.visit(n.Input), columnsOf(n, n.P.Schema.Key), &c, c.Name, "the newest row per key")
		return with(plan.Derive(&c), c.Input.Props().Partitioning)
	case *plan.TopN:
		c := *n
		c.Name = d.unique(role(n.Name))
		c.Input = d.together(d.visit(n.Input), n.Partition, &c, c.Name, "PARTITION BY")
		return with(plan.Derive(&c), c.Input.Props().Partitioning)
	case *plan.Over:
		c := *n
		c.Name = d.unique(role(n.Name))
		c.Input = d.together(d.visit(n.Input), n.Partition, &c, c.Name, "PARTITION BY")
		return with(plan.Derive(&c), c.Input.Props().Partitioning)
	case *plan.Fold:
		c := *n
		c.Name = d.unique(role(n.Name))
		c.Input = d.require(d.visit(n.Input), columnsOf(n.Input, n.Key), &c, c.Name, "the result's key")
		c.InOrder = keyedInOrder(c.Input)
		return with(plan.Derive(&c), c.Input.Props().Partitioning)
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
	if len(r.Key) == 0 || !r.KeyPlaces() {
		return p
	}
	for _, k := range r.Key {
		at := n.Declared(k)
		// A shuffle writes times in one way only: it could not meet keys in another.
		if at < 0 || r.Columns[k].Type.Temporal() && !r.PlainTimes() {
			return plan.Partitioning{Count: p.Count}
		}
		p.Exprs = append(p.Exprs, &expr.Column{Index: at, Name: n.Columns[at].Name, Typ: n.Columns[at].Type})
		p.Types = append(p.Types, n.Columns[at].Type)
		p.Names = append(p.Names, r.Columns[k].Name)
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

// require puts a shuffle over in, the input of operator n, unless rows with equal values of need are together already.
func (d *distributor) require(in plan.Node, need []expr.Expr, n plan.Node, name, what string) plan.Node {
	p := in.Props().Partitioning
	if p.Satisfies(need) {
		return rely(in)
	}
	count := d.before(role(name), widest(in), plan.States(n)...)
	return shuffle(in, plan.Partitioning{Exprs: need, Hash: plan.Canonical, Count: count, Types: typesOf(need)}, role(name), why(in, need, what))
}

func (d *distributor) aggregate(n *plan.Aggregate) plan.Node {
	var need []expr.Expr
	for _, g := range n.Group {
		need = append(need, g.Expr)
	}
	in := d.visit(n.Input)
	c := *n
	c.Name = d.unique(role(n.Name))
	if first, second, ok := n.Partially(in); ok && !in.Props().Partitioning.Satisfies(need) {
		in = with(first, plan.Partitioning{Count: in.Props().Partitioning.Count})
		second.Name = c.Name
		c, need = *second, nil
		for _, g := range c.Group {
			need = append(need, g.Expr)
		}
	}
	in = d.together(in, need, &c, c.Name, "GROUP BY")
	c.Input = in
	return with(plan.Derive(&c), groupPartitioning(in.Props().Partitioning, c.Group))
}

// together is require where no expressions mean that all rows belong together.
func (d *distributor) together(in plan.Node, need []expr.Expr, n plan.Node, name, what string) plan.Node {
	if len(need) > 0 {
		return d.require(in, need, n, name, what)
	}
	if in.Props().Partitioning.Count == 1 {
		return in
	}
	d.shuffles[role(name)]++
	return shuffle(in, plan.Partitioning{Hash: plan.Canonical, Count: 1}, role(name),
		"without "+what+" there is one group: all rows come together in one partition")
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
	case *plan.Shuffle, *plan.Shared: // what is shared has an operator that relies on it itself
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
	if !slices.ContainsFunc(need, varies) {
		return placeOf(in) + "; " + what + " needs all rows together"
	}
	return placeOf(in) + "; " + what + " needs equal " + names(need) + " together"
}

// varies says whether rows may differ in e.
func varies(e expr.Expr) bool { return !expr.IsConst(e) }

// placeOf says where the rows of n are, and why nothing more is known.
func placeOf(n plan.Node) string {
	for {
		switch x := n.(type) {
		case *plan.Scan:
			return scanPlace(x)
		case *plan.Shuffle:
			switch {
			case x.Key.Hash == plan.Unmoved:
				return "the rows are where they were read"
			case !slices.ContainsFunc(x.Key.Exprs, varies):
				return "all rows are in one partition"
			}
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
	case !r.KeyPlaces():
		return "topic " + r.Topic + " has key " + keyNames(r) + " in " + r.KeyFormat + ", whose bytes depend on the schema they were written with"
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
