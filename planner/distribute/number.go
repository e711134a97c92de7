package distribute

import (
	"cmp"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// Sources are the relations that a plan reads, by topic, each once; the topics of relations with several last, so that the others keep their places
// when one is added.
func Sources(root plan.Node) []*catalog.Relation {
	var out []*catalog.Relation
	plan.Walk(root, func(n plan.Node) {
		if s, ok := n.(*plan.Scan); ok && !slices.Contains(out, s.Relation) {
			out = append(out, s.Relation)
		}
	})
	slices.SortFunc(out, func(a, b *catalog.Relation) int {
		if (a.Part == 0) != (b.Part == 0) {
			return cmp.Compare(a.Part, b.Part)
		}
		return strings.Compare(a.Topic+"\x00"+strings.ToLower(a.Name), b.Topic+"\x00"+strings.ToLower(b.Name))
	})
	return out
}

// number gives scans the index of their source, shuffles their ids and unique names: upstream before downstream, the
// stream's side of a join first.
func number(root plan.Node) plan.Node {
	sources := Sources(root)
	id, names := 0, map[string]int{}
	return rewriteKeep(root, func(n plan.Node) plan.Node {
		switch n := n.(type) {
		case *plan.Scan:
			c := *n
			if c.Source = n.Relation.Part; c.Source == 0 {
				c.Source = slices.Index(sources, n.Relation)
			}
			return &c
		case *plan.Shuffle:
			c := *n
			c.ID = id
			id++
			role := base(n.Name)
			names[role]++
			c.Name = numbered(role, names[role])
			return &c
		}
		return n
	})
}

// base is a shuffle's name without its number.
func base(name string) string { return strings.TrimRight(strings.TrimRight(name, "0123456789"), "-") }

// rewriteKeep is plan.Rewrite that keeps properties.
func rewriteKeep(n plan.Node, f func(plan.Node) plan.Node) plan.Node {
	return plan.Remake(n, func(n plan.Node, in []plan.Node) plan.Node {
		if len(in) > 0 {
			n = keep(n, in...)
		}
		return f(n)
	})
}
