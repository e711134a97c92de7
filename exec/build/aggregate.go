package build

import (
	"github.com/streamsql-go/streamsql/exec/agg"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

func aggregate(n *plan.Aggregate, env Env, next op.Next) op.Operator {
	s := agg.Spec{Having: n.Having, Input: n.Over(), Partial: n.Partial}
	for _, g := range n.Group {
		s.Group = append(s.Group, g.Expr)
	}
	for i := range n.Aggs {
		s.Aggs = append(s.Aggs, &n.Aggs[i].Agg)
	}
	var kept op.Sorted
	if n.Keeps() {
		kept = env.States.Sorted(plan.KeptState(n.Name))
	}
	emit := agg.Changes
	if n.Emit == ast.EmitFinal {
		emit = agg.Final
	}
	switch {
	case n.Results == plan.Versions:
		return agg.NewVersioned(agg.VersionedConfig{
			Env: env.Op, Spec: s, Origin: n.Origin, Slack: env.table.slack, Correct: env.table.correct, Late: env.LateVersion, Horizon: env.table.horizon,
			State: env.States.Sorted(plan.StateName(n.Name)), Next: next,
		})
	case n.TTL > 0:
		return agg.NewExpiring(agg.ExpiringConfig{
			Env: env.Op, Spec: s, TTL: n.TTL, Origin: n.Origin, State: env.States.Sorted(plan.StateName(n.Name)), Next: next,
		})
	case n.Window.Size == 0:
		return agg.NewRunning(agg.RunningConfig{
			Env: env.Op, Spec: s, Origin: n.Origin, State: env.States.Map(plan.StateName(n.Name)), Sorted: kept, Next: next,
		})
	case n.Window.Kind == ast.Session:
		return agg.NewInSessions(agg.SessionConfig{
			Env: env.Op, Spec: s, Rule: sessions(n.Window), Emit: emit, Origin: n.Origin, State: env.States.Sorted(plan.StateName(n.Name)), Sorted: kept, Next: next,
		})
	case n.Window.Kind == ast.Sliding:
		return agg.NewSliding(agg.SlidingConfig{
			Env: env.Op, Spec: s, Columns: columnTypes(n.Input), Reach: n.Window.Size, Grace: n.Window.Grace, Origin: n.Origin,
			State: env.States.Sorted(plan.StateName(n.Name)), Sorted: kept, Next: next,
		})
	}
	return agg.NewWindowed(agg.WindowedConfig{
		Env: env.Op, Spec: s, Window: aligned(n.Window), Emit: emit, Origin: n.Origin, State: env.States.Windows(plan.StateName(n.Name)), Sorted: kept, Next: next,
	})
}

func partialAggregate(n *plan.PartialAggregate, env Env, next op.Next) op.Operator {
	c := agg.PartialConfig{Env: env.Op, Reads: n.Reads(), Columns: columnTypes(n), Window: n.Window.Window, Next: next}
	for _, g := range n.Group {
		c.Group = append(c.Group, g.Expr)
	}
	for i := range n.Aggs {
		c.Aggs = append(c.Aggs, &n.Aggs[i].Agg)
	}
	return agg.NewPartial(c)
}
