package build

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/over"
	"github.com/streamsql-go/streamsql/planner/plan"
)

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

func analytic(n *plan.Over, env Env, next op.Next) op.Operator {
	if n.InOrder {
		return over.NewInOrder(over.InOrderConfig{
			Env: env.Op, Columns: columnTypes(n.Input), Partition: n.Partition, Order: order(n.Order)[0], Calls: calls(n.Calls),
			Queue: env.States.Queue(plan.WaitingState(n.Name)), Past: env.States.Sorted(plan.StateName(n.Name)),
			Running: env.States.Map(plan.RunningState(n.Name)), Next: next,
		})
	}
	return over.NewChanging(over.ChangingConfig{
		Env: env.Op, Columns: columnTypes(n.Input), Partition: n.Partition, Order: order(n.Order), Calls: calls(n.Calls),
		State: env.States.Sorted(plan.StateName(n.Name)), Next: next,
	})
}

var functions = map[string]over.Func{"LAG": over.Lag, "LEAD": over.Lead, "FIRST_VALUE": over.FirstValue, "LAST_VALUE": over.LastValue,
	"NTH_VALUE": over.NthValue, "NTILE": over.Tile, "PERCENT_RANK": over.PercentRank, "CUME_DIST": over.CumeDist}

func calls(list []plan.OverCall) []over.Call {
	var out []over.Call
	for _, c := range list {
		x := over.Call{Arg: c.Arg, Offset: c.Offset, Default: c.Default, Agg: c.Agg, Frame: frame(c.Frame), Type: c.Type}
		switch f, ok := functions[c.Func]; {
		case c.Agg != nil:
			x.Func = over.Aggregate
		case ok:
			x.Func = f
		default:
			x.Func, x.Ranking = over.Number, rankings[c.Func]
		}
		out = append(out, x)
	}
	return out
}

var rankings = map[string]over.Ranking{"ROW_NUMBER": over.RowNumber, "RANK": over.Rank, "DENSE_RANK": over.DenseRank}

func frame(f plan.Frame) over.Frame {
	bound := func(b plan.Bound) over.Bound { return over.Bound{Unbounded: b.Unbounded, Distance: b.Distance} }
	return over.Frame{Range: f.Range, From: bound(f.From), To: bound(f.To)}
}
