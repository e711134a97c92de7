package build

import (
	"github.com/streamsql-go/streamsql/exec/changes"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/planner/plan"
)

func materialize(n *plan.Materialize, env Env, next op.Next) op.Operator {
	c := changes.MaterializeConfig{
		Env: env.Op, Columns: columnTypes(n.Input), Key: n.P.Schema.Key, History: n.History,
		State: env.States.Map(plan.StateName(n.Name)), Next: next,
	}
	if n.Versioned {
		c.Removed = env.States.Windows(plan.RemovedState(n.Name))
	}
	return changes.NewMaterialize(c)
}

func fold(n *plan.Fold, env Env, next op.Next) op.Operator {
	if n.InOrder {
		return changes.NewCollapse(changes.CollapseConfig{Key: n.Key, Next: next})
	}
	return changes.NewFold(changes.FoldConfig{
		Columns: columnTypes(n.Input), Key: n.Key, State: env.States.Sorted(plan.StateName(n.Name)), Next: next,
	})
}
