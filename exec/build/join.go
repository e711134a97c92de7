package build

import (
	"github.com/streamsql-go/streamsql/exec/join"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// tableJoin builds the join and both its sides.
func (c *Chain) tableJoin(n *plan.TableJoin, env Env, next op.Next) error {
	side := env.ofTable(n)
	cfg := join.StreamTableConfig{
		Env: env.Op, TableEnv: side.Op, Left: n.Left, StreamKeys: n.StreamKeys, TableKeys: n.TableKeys, NullSafe: n.NullSafe, Residual: n.Residual,
		AsOf: n.AsOf, Latest: n.Latest, Within: n.Within, Correct: n.Correct, History: n.History, Disorder: n.TableDisorder,
		Stream: columnTypes(n.Stream), Table: columnTypes(n.Table),
		Versions: env.States.Versions(plan.TableState(n.Name)), Queue: env.States.Queue(plan.WaitingState(n.Name)), Releases: env.Releases(n), LateVersion: side.LateVersion, Next: next,
	}
	if n.Broadcast {
		cfg.Once = n.Once
		cfg.Index = env.States.Sorted(plan.IndexState(n.Name))
		t := n.Table.Props().Schema
		for _, k := range t.Key {
			cfg.Primary = append(cfg.Primary, &expr.Column{Index: k, Name: t.Columns[k].Name, Typ: t.Columns[k].Type})
		}
	}
	if n.Correct > 0 {
		cfg.Released = env.States.Windows(plan.ReleasedState(n.Name))
	}
	j, err := join.NewStreamTable(cfg)
	if err != nil {
		return err
	}
	c.hold(n, j)
	c.Releasers = append(c.Releasers, j)
	c.Joins = append(c.Joins, n)
	if err := c.node(n.Stream, env, c.link(j, 0, n.Stream)); err != nil {
		return err
	}
	in := c.link(j, 1, n.Table)
	in.releases = true
	side.table = table{slack: cfg.Slack(), correct: cfg.Correct, horizon: j.Horizon}
	return c.node(n.Table, side, in)
}

// ofTable is what the table side of a join gets: that of a broadcast table is quiet in all tasks but one.
func (e Env) ofTable(n *plan.TableJoin) Env {
	if n.Broadcast && e.Partition > 0 {
		e.Op.Counters, e.Op.Fail, e.LateVersion = &op.Counters{}, nil, nil
	}
	return e
}

// streamJoin builds the join and both its sides.
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
	c.hold(n, j)
	return c.bothSides(n.Left, n.Right, env, j)
}

// tableTableJoin builds the join and both its sides.
func (c *Chain) tableTableJoin(n *plan.TableTableJoin, env Env, next op.Next) error {
	side := func(in plan.Node, keys []expr.Expr, state string) join.TableSide {
		return join.TableSide{Columns: columnTypes(in), Keys: keys, State: env.States.Sorted(state)}
	}
	cfg := join.TableTableConfig{
		Env: env.Op, NullSafe: n.NullSafe, Residual: n.Residual, Next: next,
		Left: side(n.Left, n.LeftKeys, plan.LeftState(n.Name)), Right: side(n.Right, n.RightKeys, plan.RightState(n.Name)),
	}
	switch n.Kind {
	case plan.Semi:
		return c.bothSides(n.Left, n.Right, env, join.NewSemi(cfg))
	case plan.Anti:
		return c.bothSides(n.Left, n.Right, env, join.NewAnti(cfg))
	}
	if n.Kind == plan.LeftOuter || n.Kind == plan.FullOuter {
		cfg.Left.Alone = join.WithoutPair
	}
	if n.Kind == plan.RightOuter || n.Kind == plan.FullOuter {
		cfg.Right.Alone = join.WithoutPair
	}
	return c.bothSides(n.Left, n.Right, env, join.NewTableTable(cfg))
}

// bothSides builds the inputs of a join of two equal sides, whose times meet.
func (c *Chain) bothSides(left, right plan.Node, env Env, o op.Operator) error {
	both := meet(o)
	if err := c.node(left, env, c.link(both.entry(join.Left), 0, left)); err != nil {
		return err
	}
	return c.node(right, env, c.link(both.entry(join.Right), 0, right))
}
