package distribute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// join brings both sides of a join together: equal keys in equal partitions of equal counts. A side that stays in place
// imposes its hash, serialisation and count on the other's shuffle; if none can, both move.
func (d *distributor) join(n *plan.TableJoin) plan.Node {
	j := &sides{d: d, n: n, stream: d.visit(n.Stream), table: d.visit(n.Table)}
	c := *n
	c.Name = d.unique(role(n.Name))
	j.states = plan.States(&c)
	j.place()
	c.Stream, c.Table = j.stream, j.table
	return with(plan.Derive(&c), j.stream.Props().Partitioning)
}

type sides struct {
	d             *distributor
	n             *plan.TableJoin
	stream, table plan.Node
	states        []plan.State
}

func (j *sides) place() {
	s, t := j.stream.Props().Partitioning, j.table.Props().Partitioning
	if s.Count == 1 && t.Count == 1 {
		return
	}
	sIn, tIn := inPlace(s, j.n.StreamKeys), inPlace(t, j.n.TableKeys)
	switch {
	case sIn && tIn && meet(s, t):
		if s.Count == 0 && s.Hash != plan.Canonical {
			j.d.warn("partition counts are not known here: " + j.topics() + " are taken to have as many partitions as each other")
		}
		j.stream, j.table = rely(j.stream), rely(j.table)
	case sIn && imposable(s, j.n.TableKeys):
		j.stream = rely(j.stream)
		j.d.shuffles[role(j.n.Name)+"-table"]++
		j.table = shuffle(j.table, imposed(s, j.n.TableKeys), role(j.n.Name)+"-table", j.reason(t, s, tIn, j.table, j.n.TableKeys))
	case tIn && imposable(t, j.n.StreamKeys):
		j.table = rely(j.table)
		j.d.shuffles[role(j.n.Name)+"-stream"]++
		j.stream = shuffle(j.stream, imposed(t, j.n.StreamKeys), role(j.n.Name)+"-stream", j.reason(s, t, sIn, j.stream, j.n.StreamKeys))
	default:
		count := j.d.before(role(j.n.Name)+"-stream", max(s.Count, t.Count), j.states...)
		j.d.shuffles[role(j.n.Name)+"-table"]++
		j.stream = j.move(j.stream, j.n.StreamKeys, "-stream", count)
		j.table = j.move(j.table, j.n.TableKeys, "-table", count)
	}
}

func (d *distributor) warn(w string) { d.warnings = append(d.warnings, w) }

func (j *sides) topics() string {
	var t []string
	for _, side := range []plan.Node{j.stream, j.table} {
		for len(side.Inputs()) > 0 {
			side = side.Inputs()[0]
		}
		t = append(t, side.(*plan.Scan).Relation.Topic)
	}
	return strings.Join(t, " and ")
}

func (j *sides) move(in plan.Node, keys []expr.Expr, side string, count int) plan.Node {
	return shuffle(in, plan.Partitioning{Exprs: keys, Hash: plan.Canonical, Count: count, Types: typesOf(keys)}, role(j.n.Name)+side, why(in, keys, "JOIN"))
}

// reason says why one side moves although the other stays.
func (j *sides) reason(mine, other plan.Partitioning, inPlace bool, in plan.Node, keys []expr.Expr) string {
	switch {
	case !inPlace:
		return why(in, keys, "JOIN") + "; the other side is in place already"
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
		return textual || a.Kind == b.Kind && b.Bits <= a.Bits
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
