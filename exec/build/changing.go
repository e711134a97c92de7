package build

import (
	"github.com/streamsql-go/streamsql/exec/changes"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/over"
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
	return changes.NewFold(changes.FoldConfig{
		Env: env.Op, Columns: columnTypes(n.Input), Key: n.Key, State: env.States.Sorted(plan.StateName(n.Name)), Next: next,
	})
}

func topN(n *plan.TopN, env Env, next op.Next) op.Operator {
	return over.NewTopN(over.TopNConfig{
		Env: env.Op, Columns: columnTypes(n.Input), Partition: n.Partition, Order: order(n.Order), Ranking: ranking(n.Ranking), N: n.N,
		Numbered: n.Column != "", Removes: n.Input.Props().Changes != plan.AppendOnly,
		State: env.States.Sorted(plan.StateName(n.Name)), Next: next,
	})
}

func order(keys []plan.SortKey) []over.Key {
	var out []over.Key
	for _, k := range keys {
		out = append(out, over.Key{Expr: k.Expr, Desc: k.Desc})
	}
	return out
}

func ranking(r plan.Ranking) over.Ranking {
	switch r {
	case plan.Rank:
		return over.Rank
	case plan.DenseRank:
		return over.DenseRank
	}
	return over.RowNumber
}
