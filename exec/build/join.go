package build

import (
	"github.com/streamsql-go/streamsql/exec/join"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// tableJoin builds the join and both its sides.
func (c *Chain) tableJoin(n *plan.TableJoin, env Env, next op.Next) error {
	j, err := join.NewStreamTable(join.StreamTableConfig{
		Env: env.Op, Left: n.Left, StreamKeys: n.StreamKeys, TableKeys: n.TableKeys, NullSafe: n.NullSafe, Residual: n.Residual,
		AsOf: n.AsOf, Latest: n.Latest, Within: n.Within, History: n.History, Disorder: n.TableDisorder,
		Stream: columnTypes(n.Stream), Table: columnTypes(n.Table),
		Versions: env.States.Versions(plan.TableState(n.Name)), Queue: env.States.Queue(plan.WaitingState(n.Name)), Releases: env.Releases(n), LateVersion: env.LateVersion, Next: next,
	})
	if err != nil {
		return err
	}
	c.Holders = append(c.Holders, j)
	c.Releasers = append(c.Releasers, j)
	c.Joins = append(c.Joins, n)
	if err := c.node(n.Stream, env, c.link(j, 0)); err != nil {
		return err
	}
	table := c.link(j, 1)
	table.releases = true
	return c.node(n.Table, env, table)
}

// streamJoin builds the join and both its sides, whose times meet.
func (c *Chain) streamJoin(n *plan.StreamJoin, env Env, next op.Next) error {
	j, err := join.NewStreamStream(join.StreamStreamConfig{
		Env: env.Op, NullSafe: n.NullSafe, Residual: n.Residual, Grace: n.Grace, Next: next,
		Left: join.Side{
			Columns: columnTypes(n.Left), Keys: n.LeftKeys, Outer: n.Kind == plan.LeftOuter || n.Kind == plan.FullOuter,
			Reach: n.After, State: env.States.Windows(plan.LeftState(n.Name)),
		},
		Right: join.Side{
			Columns: columnTypes(n.Right), Keys: n.RightKeys, Outer: n.Kind == plan.RightOuter || n.Kind == plan.FullOuter,
			Reach: n.Before, State: env.States.Windows(plan.RightState(n.Name)),
		},
	})
	if err != nil {
		return err
	}
	c.Holders = append(c.Holders, j)
	both := meet(j)
	if err := c.node(n.Left, env, c.link(both.entry(join.Left), 0)); err != nil {
		return err
	}
	return c.node(n.Right, env, c.link(both.entry(join.Right), 0))
}
