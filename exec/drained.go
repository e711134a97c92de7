package exec

import (
	"context"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// drained refuses local shuffles while rows are under way in repartition topics of an earlier start: nobody would read them
// (semantics S8).
func (j *Job) drained(ctx context.Context) error {
	if j.cfg.Shuffle != ShuffleLocal {
		return nil
	}
	names := map[string]bool{}
	for _, s := range j.query.Shuffles {
		names[s.Topic(j.cfg.App, j.query.Name)] = true
	}
	if len(names) == 0 {
		return nil
	}
	infos, err := j.cfg.Cluster.Topics(ctx, sortedTopics(names)...)
	if err != nil || len(infos) == 0 {
		return err
	}
	committed, err := j.cfg.Cluster.Committed(ctx, plan.Group(j.cfg.App, j.query.Name))
	if err != nil {
		return err
	}
	var ps []connectors.Partition
	for topic, info := range infos {
		ps = append(ps, connectors.PartitionsOf(topic, info.Partitions)...)
	}
	starts, err := j.cfg.Cluster.Starts(ctx, ps...)
	if err != nil {
		return err
	}
	ends, err := j.cfg.Cluster.Ends(ctx, ps...)
	if err != nil {
		return err
	}
	for _, p := range ps {
		from := starts[p]
		if c, ok := committed[p]; ok {
			from = max(from, c.At)
		}
		if err := j.empty(ctx, p, from, ends[p]); err != nil {
			return err
		}
	}
	return nil
}

// empty looks for rows in a partition, in the offsets [from, to).
func (j *Job) empty(ctx context.Context, p connectors.Partition, from, to int64) error {
	if from >= to {
		return nil
	}
	return j.cfg.Cluster.Read(ctx, p, from, to, func(rs []connectors.Record) error {
		for i := range rs {
			if !wire.IsControl(rs[i].Value) {
				return fmt.Errorf("query %s ran with topic shuffles before, and rows are still under way in %s/%d: run it once with --shuffle topic --until caught-up, then with local ones", j.query.Name, p.Topic, p.Partition)
			}
		}
		return nil
	})
}
