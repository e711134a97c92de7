package distribute

import (
	"fmt"

	"github.com/streamsql-go/streamsql/planner/plan"
)

// broadcast brings all rows of the table to every task of the stream, whose rows stay where they are.
func (d *distributor) broadcast(n *plan.TableJoin) plan.Node {
	c := *n
	c.Stream = d.visit(n.Stream)
	rows, above := joinSide{}, func(rows plan.Node) plan.Node { return rows }
	if plan.Versioned(n.Table) == nil {
		rows = d.side(n.Table, nil, "table")
	} else {
		rows, above = d.versioned(n.Table, nil)
	}
	name := role(n.Name)
	c.Name = d.unique(name)
	if _, ok := c.Stream.(*plan.Union); ok {
		key := plan.Partitioning{Hash: plan.Unmoved, Count: d.before(name+"-stream", widest(c.Stream), plan.States(&c)...)}
		c.Stream = shuffle(c.Stream, key, name+"-stream", "the rows come from several topics or queries; JOIN needs them in one")
	}
	count := c.Stream.Props().Partitioning.Count
	if !everywhere(rows.node.Props().Partitioning, count) {
		d.shuffles[name+"-table"]++
		key := plan.Partitioning{Hash: plan.Everywhere, Count: count}
		rows.node = shuffle(rows.node, key, name+"-table", fmt.Sprintf("BROADCAST: each of %s of the stream needs all rows of the table", tasks(count)))
	}
	c.Table = above(rows.node)
	return with(plan.Derive(&c), c.Stream.Props().Partitioning)
}

// everywhere says whether all of count tasks have all rows already.
func everywhere(p plan.Partitioning, count int) bool {
	return p.Count == count && (count == 1 || p.Hash == plan.Everywhere)
}

func tasks(n int) string {
	switch n {
	case 0:
		return "the tasks"
	case 1:
		return "1 task"
	}
	return fmt.Sprintf("%d tasks", n)
}
