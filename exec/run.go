package exec

import (
	"context"
	"maps"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// run is what an application's meta topic says about a query: where its sources were begun, and the bounded run under way.
type run struct {
	number         int // 0: endless
	starts         map[connectors.Partition]int64
	ends           map[connectors.Partition]int64 // nil: endless
	limits         map[connectors.Partition]int64 // where sources end for good, because they declare an end
	counts         map[string]int32
	ids            map[string]string
	sinkPartitions int32
	finished       map[string]bool // tasks whose end was written down
	checked        int64
}

// openRun reads or writes where the query starts and, for a bounded one, where its run ends (semantics S8).
func openRun(ctx context.Context, c Config, q *plan.Query, counts map[string]int32, ids map[string]string) (*run, error) {
	jn, err := readJournal(ctx, c.ledger, q.Name)
	if err != nil {
		return nil, err
	}
	if jn.start != nil {
		if err := samePlan(jn.start, q, counts); err != nil {
			return nil, err
		}
	}
	if jn.start == nil || grown(jn.start, q, counts) || recreated(jn.start, q, counts, ids) {
		if err := writeStart(ctx, c, q, jn.start, counts, ids); err != nil {
			return nil, err
		}
		if jn, err = readJournal(ctx, c.ledger, q.Name); err != nil {
			return nil, err
		}
	}
	if err := fits(jn.start, c, q, counts, ids); err != nil {
		return nil, err
	}
	r := &run{starts: partitions(jn.start.Positions), limits: partitions(jn.start.Ends), counts: counts, ids: ids, finished: map[string]bool{}}
	if err := r.beside(ctx, c, q); err != nil {
		return nil, err
	}
	if t := q.Sink.Topic(); t != "" {
		r.sinkPartitions = counts[t]
	}
	if c.Until == Endless && !q.Ends() {
		return r, nil
	}
	if r.wantsRun(c, q, jn) {
		if err := writeRun(ctx, c, q, jn.last+1, r.limits, counts); err != nil {
			return nil, err
		}
		if jn, err = readJournal(ctx, c.ledger, q.Name); err != nil {
			return nil, err
		}
	}
	r.number, r.ends = jn.last, partitions(jn.runs[jn.last].Positions)
	return r, nil
}

// beside are the beginnings of the topics that tell how time has come in sources: all that they hold is heard.
func (r *run) beside(ctx context.Context, c Config, q *plan.Query) error {
	var ps []connectors.Partition
	for _, s := range q.Sources {
		if s.TimeTold() {
			t := plan.WatermarkTopic(s.Topic)
			ps = append(ps, connectors.PartitionsOf(t, r.counts[t])...)
		}
	}
	if len(ps) == 0 {
		return nil
	}
	starts, err := c.Cluster.Starts(ctx, ps...)
	maps.Copy(r.starts, starts)
	return err
}

// wantsRun says whether a bounded run begins. Without a bound of its own the query runs to the ends that its sources declare,
// and there is nothing more once it has been there; with one, the run before is gone on with until it is complete.
func (r *run) wantsRun(c Config, q *plan.Query, jn *journal) bool {
	if jn.last == 0 {
		return true
	}
	last := partitions(jn.runs[jn.last].Positions)
	if c.Until == Endless {
		return !maps.Equal(last, r.limits)
	}
	return complete(jn.done[jn.last], q, last)
}

// complete says whether every task of a run with these ends has finished. A task of a partition that a source has grown
// since has no part in it.
func complete(done map[string]bool, q *plan.Query, ends map[connectors.Partition]int64) bool {
	for _, f := range q.Fragments {
		for p := range f.Partitions {
			if !done[(wire.TaskID{Fragment: f.ID, Partition: p}).String()] && !came(f, p, ends) {
				return false
			}
		}
	}
	return true
}

// came says whether all that a task reads are source partitions that came after the run began.
func came(f *plan.Fragment, p int, ends map[connectors.Partition]int64) bool {
	for _, in := range f.Inputs {
		s, source := in.Node.(*plan.Scan)
		if !source {
			return false
		}
		if _, there := ends[connectors.Partition{Topic: s.Relation.Topic, Partition: int32(p)}]; there {
			return false
		}
	}
	return true
}

func partitions(m map[string][]int64) map[connectors.Partition]int64 {
	out := map[connectors.Partition]int64{}
	for t, at := range m {
		for p, o := range at {
			out[connectors.Partition{Topic: t, Partition: int32(p)}] = o
		}
	}
	return out
}

// writeRun stores where a bounded run ends: at the ends of now, or where a source ends for good.
func writeRun(ctx context.Context, c Config, q *plan.Query, number int, limits map[connectors.Partition]int64, counts map[string]int32) error {
	r := entry{Kind: "run", Query: q.Name, Run: number, Positions: map[string][]int64{}}
	for _, s := range q.Sources {
		if r.Positions[s.Topic] != nil {
			continue // two relations over one topic
		}
		ps := connectors.PartitionsOf(s.Topic, counts[s.Topic])
		ends, err := c.Cluster.Ends(ctx, ps...)
		if err != nil {
			return err
		}
		for _, p := range ps {
			end := ends[p]
			if limit, ok := limits[p]; ok && (c.Until == Endless || limit < end) {
				end = limit
			}
			r.Positions[s.Topic] = append(r.Positions[s.Topic], end)
		}
	}
	return c.write(ctx, r)
}

// checkEvery is how often an instance looks whether the others have finished a bounded run.
const checkEvery = 100 * time.Millisecond

// checkDone writes down which tasks have finished, and finds out whether all tasks of the query have.
func (j *Job) checkDone(ctx context.Context, due bool) error {
	if j.run.number == 0 || !due { // an instance without a task waits for the others
		return nil
	}
	for _, t := range j.tasks {
		if !t.Finished() || t.Dirty() {
			continue
		}
		if id := t.ID.String(); !j.run.finished[id] {
			if err := j.cfg.write(ctx, entry{Kind: "finished", Query: j.query.Name, Run: j.run.number, Task: id}); err != nil {
				return err
			}
			j.run.finished[id] = true
		}
	}
	if j.cfg.now()-j.run.checked < checkEvery.Microseconds() {
		return nil
	}
	j.run.checked = j.cfg.now()
	if complete(j.run.finished, j.query, j.run.ends) {
		j.done = true
		return nil
	}
	return j.lookDone(ctx)
}

// lookDone finds out from the journal whether a bounded run is over.
func (j *Job) lookDone(ctx context.Context) error {
	if j.run.number == 0 {
		return nil
	}
	jn, err := readJournal(ctx, j.cfg.ledger, j.query.Name)
	if err != nil {
		return err
	}
	j.done = complete(jn.done[j.run.number], j.query, j.run.ends)
	return nil
}
