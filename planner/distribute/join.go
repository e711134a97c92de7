package distribute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// join brings the sides of a stream–table join together.
func (d *distributor) join(n *plan.TableJoin) plan.Node {
	j := &sides{d: d, role: role(n.Name), a: d.side(n.Stream, n.StreamKeys, "stream")}
	above := func(rows plan.Node) plan.Node { return rows }
	if plan.Versioned(n.Table) == nil {
		j.b = d.side(n.Table, n.TableKeys, "table")
	} else {
		j.b, above = d.versioned(n.Table, n.TableKeys)
	}
	c := *n
	c.Name = d.unique(j.role)
	j.place(plan.States(&c))
	c.Stream, c.Table = j.a.node, above(j.b.node)
	return with(plan.Derive(&c), c.Stream.Props().Partitioning)
}

func (d *distributor) streamJoin(n *plan.StreamJoin) plan.Node {
	j := &sides{d: d, role: role(n.Name), a: d.side(n.Left, n.LeftKeys, "left"), b: d.side(n.Right, n.RightKeys, "right")}
	c := *n
	c.Name = d.unique(j.role)
	j.place(plan.States(&c))
	c.Left, c.Right = j.a.node, j.b.node
	return with(plan.Derive(&c), j.joined(n.Kind))
}

func (d *distributor) tableTable(n *plan.TableTableJoin) plan.Node {
	j := &sides{d: d, role: role(n.Name), a: d.side(n.Left, n.LeftKeys, "left"), b: d.side(n.Right, n.RightKeys, "right")}
	c := *n
	c.Name = d.unique(j.role)
	j.place(plan.States(&c))
	c.Left, c.Right = j.a.node, j.b.node
	return with(plan.Derive(&c), j.joined(n.Kind))
}

// joined is the partitioning of a join's result. Rows that are there without a partner have no key on the other side.
func (j *sides) joined(kind plan.JoinKind) plan.Partitioning {
	switch left := j.a.node.Props(); kind {
	case plan.FullOuter:
		return plan.Partitioning{Count: left.Partitioning.Count}
	case plan.RightOuter:
		p := j.b.node.Props().Partitioning
		p.Exprs = expr.ShiftAll(p.Exprs, len(left.Schema.Columns))
		return p
	default:
		return left.Partitioning
	}
}

// union has the rows of its parts wherever they are.
func (d *distributor) union(n *plan.Union) plan.Node {
	parts := make([]plan.Node, len(n.Parts))
	var p plan.Partitioning
	for i, x := range n.Parts {
		parts[i] = d.visit(x)
		p.Count += parts[i].Props().Partitioning.Count
		if oneOfSeveral(x) != "" && p.Count == 1 {
			p.Count = 2 // there may be more topics the next time: what must be together is moved
		}
	}
	return with(plan.Derive(&plan.Union{Parts: parts}), p)
}

// widest is how many partitions the rows of n are worth: those of the largest part of a union.
func widest(n plan.Node) int {
	u, ok := n.(*plan.Union)
	if !ok {
		return n.Props().Partitioning.Count
	}
	most := 0
	for _, p := range u.Parts {
		most = max(most, widest(p))
	}
	return most
}

// joinSide is one side of a join: its rows, the keys they are joined by, and its name in the shuffle's role.
type joinSide struct {
	node plan.Node
	keys []expr.Expr
	name string
}

func (d *distributor) side(n plan.Node, keys []expr.Expr, name string) joinSide {
	return joinSide{d.visit(n), keys, name}
}

// sides brings both sides of a join together: equal keys in equal partitions of equal counts. A side that stays in place
// imposes its hash, serialisation and count on the other's shuffle; if none can, both move.
type sides struct {
	d    *distributor
	role string
	a, b joinSide
}

// place brings the sides together; states are those that the join keeps.
func (j *sides) place(states []plan.State) {
	a, b := j.a.node.Props().Partitioning, j.b.node.Props().Partitioning
	if a.Count == 1 && b.Count == 1 {
		return
	}
	aIn, bIn := inPlace(a, j.a.keys), inPlace(b, j.b.keys)
	switch {
	case aIn && bIn && meet(a, b):
		if a.Count == 0 && a.Hash != plan.Canonical {
			j.d.warn("partition counts are not known here: " + j.topics() + " are taken to have as many partitions as each other")
		}
		j.a.node, j.b.node = rely(j.a.node), rely(j.b.node)
	case aIn && imposable(a, j.b.keys):
		j.a.node = rely(j.a.node)
		j.impose(&j.b, a, bIn)
	case bIn && imposable(b, j.a.keys):
		j.b.node = rely(j.b.node)
		j.impose(&j.a, b, aIn)
	default:
		count := j.d.before(j.role+"-"+j.a.name, max(widest(j.a.node), widest(j.b.node)), states...)
		j.d.shuffles[j.role+"-"+j.b.name]++
		j.move(&j.a, count)
		j.move(&j.b, count)
	}
}

// impose moves a side to where the other one is.
func (j *sides) impose(s *joinSide, other plan.Partitioning, inPlace bool) {
	name := j.role + "-" + s.name
	j.d.shuffles[name]++
	s.node = shuffle(s.node, imposed(other, s.keys), name, reason(*s, other, inPlace))
}

func (j *sides) move(s *joinSide, count int) {
	key := plan.Partitioning{Exprs: s.keys, Hash: plan.Canonical, Count: count, Types: typesOf(s.keys)}
	s.node = shuffle(s.node, key, j.role+"-"+s.name, why(s.node, s.keys, "JOIN"))
}

func (d *distributor) warn(w string) { d.warnings = append(d.warnings, w) }

func (j *sides) topics() string {
	var t []string
	for _, side := range []plan.Node{j.a.node, j.b.node} {
		for len(side.Inputs()) > 0 {
			side = side.Inputs()[0]
		}
		t = append(t, side.(*plan.Scan).Relation.Topic)
	}
	return strings.Join(t, " and ")
}

// reason says why one side moves although the other stays.
func reason(s joinSide, other plan.Partitioning, inPlace bool) string {
	mine := s.node.Props().Partitioning
	switch {
	case !inPlace:
		return why(s.node, s.keys, "JOIN") + "; the other side is in place already"
	case mine.Count != other.Count:
		return fmt.Sprintf("the two sides have %s and %s; JOIN needs equal counts", partitions(mine.Count), partitions(other.Count))
	}
	return fmt.Sprintf("the two sides are partitioned in different ways (%s of %s, %s of %s)", mine.Hash, mine.KeyFormat, other.Hash, other.KeyFormat)
}

func partitions(n int) string {
	switch n {
	case 0:
		return "an unknown number of partitions"
	case 1:
		return "1 partition"
	}
	return fmt.Sprintf("%d partitions", n)
}

// inPlace says whether rows are partitioned by exactly these keys, in order. Under a topic's own hash a cast of a key
// column is the column: what is hashed is the serialised column, and the other side is made to meet it.
func inPlace(p plan.Partitioning, keys []expr.Expr) bool {
	if p.Hash == plan.NoHash || len(p.Exprs) != len(keys) {
		return false
	}
	for i, e := range p.Exprs {
		k := keys[i]
		if p.Hash != plan.Canonical {
			k = expr.Uncast(k)
		}
		if !plan.SameExpr(e, k) {
			return false
		}
	}
	return true
}

// meet says whether two sides that are in place are so in the same way.
func meet(a, b plan.Partitioning) bool {
	if a.Hash != b.Hash || a.Count != b.Count || a.KeyFormat != b.KeyFormat || a.KeyFormat == "json" && !slices.Equal(a.Names, b.Names) {
		return false
	}
	for i := range a.Types {
		if a.Hash != plan.Canonical && !sameBytes(a.Types[i], b.Types[i], a.KeyFormat) {
			return false
		}
	}
	return true
}

// imposable says whether a shuffle can put values of keys where p has the equal ones.
func imposable(p plan.Partitioning, keys []expr.Expr) bool {
	if p.Hash == plan.Canonical {
		return true // both sides were cast to one type
	}
	for i, k := range keys {
		if !sameBytes(p.Types[i], expr.Uncast(k).Type(), p.KeyFormat) {
			return false
		}
	}
	return true
}

// imposed is the key of a shuffle that meets p.
func imposed(p plan.Partitioning, keys []expr.Expr) plan.Partitioning {
	out := plan.Partitioning{Hash: p.Hash, KeyFormat: p.KeyFormat, Count: p.Count, Types: p.Types, Names: p.Names}
	for _, k := range keys {
		if p.Hash != plan.Canonical {
			k = expr.Uncast(k)
		}
		out.Exprs = append(out.Exprs, k)
	}
	return out
}

// sameBytes says whether equal values of two types have the same key bytes in a format.
func sameBytes(a, b types.Type, format string) bool {
	integer := func(t types.Type) bool { return t.Kind == types.Int || t.Kind == types.Uint }
	textual := format == "string" || format == "json"
	switch {
	case a.Text() && b.Text():
		return a.Kind == b.Kind
	case integer(a) && integer(b):
		return textual || format != "kafka" && a.Kind == b.Kind && b.Bits <= a.Bits
	}
	return a.Equal(b)
}

func typesOf(es []expr.Expr) []types.Type {
	var out []types.Type
	for _, e := range es {
		out = append(out, e.Type())
	}
	return out
}
