package exec

import (
	"context"
	"errors"
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// assign makes the tasks fit an assignment. One that stays and stands where the group says goes on as it is; the others
// are closed, and new ones restored.
func (j *Job) assign(ctx context.Context, p connectors.Poll) error {
	committed := map[connectors.Partition]connectors.Offset{}
	for _, a := range p.Assignment {
		committed[a.Partition] = a.Committed
	}
	j.gen = p.Generation
	// A member that began the next run did so because this one is over. Its rows are not for tasks that have finished: who is behind ends here,
	// before the generation of that member reads anything.
	if err := j.lookDone(ctx); err != nil {
		return err
	}
	if j.done {
		j.drop()
		return nil
	}
	j.unpause()
	j.shuffles.reset()
	j.watermarks.reset()
	kept := map[wire.TaskID]*task.Task{}
	for _, t := range j.tasks {
		if j.owns(t.ID, committed) && !t.Dirty() && standsAt(t, committed) {
			t.SetGeneration(p.Generation)
			kept[t.ID] = t
			continue
		}
		if t.Dirty() {
			t.Discard()
		} else if err := t.Close(); err != nil {
			return err
		}
	}
	j.tasks = nil
	for _, f := range j.query.Fragments {
		for part := range f.Partitions {
			id := wire.TaskID{Fragment: f.ID, Partition: part}
			if !j.owns(id, committed) {
				continue
			}
			t := kept[id]
			if t == nil {
				var err error
				if t, err = j.restore(ctx, id, committed); err != nil {
					j.closeAll(kept)
					return j.movedOn(err)
				}
			}
			delete(kept, id)
			j.tasks = append(j.tasks, t)
		}
	}
	j.route()
	return nil
}

// closeAll drops tasks that are in nobody's list yet.
func (j *Job) closeAll(tasks map[wire.TaskID]*task.Task) {
	for _, t := range tasks {
		t.Discard()
	}
}

// errMoved: while tasks were restored, another member committed for them. This assignment is over.
var errMoved = errors.New("the group moved on")

// movedOn gives up an assignment that is over; the next poll brings the news.
func (j *Job) movedOn(err error) error {
	if !errors.Is(err, errMoved) {
		return err
	}
	j.cfg.Logger.Info("the group moved on while tasks were restored", "query", j.query.Name)
	j.drop()
	return nil
}

// route notes which tasks read which partition.
func (j *Job) route() {
	j.parts = map[connectors.Partition][]*task.Task{}
	for _, t := range j.tasks {
		for _, p := range t.Inputs() {
			j.parts[p] = append(j.parts[p], t)
		}
		t.Touch() // the first epoch of an assignment commits all positions, those of empty partitions too
	}
}

// restoreAll makes every task anew from the committed state: after an abort. What was committed before the abort stays said
// (semantics S4).
func (j *Job) restoreAll(ctx context.Context) error {
	ids := make([]wire.TaskID, len(j.tasks))
	for i, t := range j.tasks {
		ids[i] = t.ID
	}
	asked, sent, told, ends := j.asked, j.shuffles.said.sent, j.watermarks.said.sent, j.watermarks.ends
	j.drop()
	j.asked, j.shuffles.said.sent, j.watermarks.said.sent, j.watermarks.ends = asked, sent, told, ends
	offsets, err := j.cfg.Cluster.Committed(ctx, plan.Group(j.cfg.App, j.query.Name))
	if err != nil {
		return j.explain(err)
	}
	for _, id := range ids {
		t, err := j.restore(ctx, id, offsets)
		if err != nil {
			return j.movedOn(err)
		}
		j.tasks = append(j.tasks, t)
	}
	j.route()
	return nil
}

// owns says whether all inputs of a task were assigned; local tasks without topics belong to whoever has the rest.
func (j *Job) owns(id wire.TaskID, assigned map[connectors.Partition]connectors.Offset) bool {
	for _, in := range j.query.Fragment(id.Fragment).Inputs {
		topic, n := j.topicOf(in)
		if topic == "" || id.Partition >= n {
			continue
		}
		if _, ok := assigned[connectors.Partition{Topic: topic, Partition: int32(id.Partition)}]; !ok {
			return false
		}
	}
	return len(assigned) > 0
}

func standsAt(t *task.Task, committed map[connectors.Partition]connectors.Offset) bool {
	for _, p := range t.Inputs() {
		at, _ := t.Position(p)
		if c, ok := committed[p]; ok && c.At != at {
			return false
		}
	}
	return true
}

func (j *Job) deadLetters(source int) (string, int32) {
	topic := plan.DeadLetterTopic(j.cfg.App, j.query.Name, j.query.Source(source))
	return topic, j.run.counts[topic]
}

func (j *Job) lateTopic(source int) (string, int32) {
	topic := j.query.Source(source).LateTopic
	return topic, j.run.counts[topic]
}

func sortedTopics(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for t := range m {
		out = append(out, t)
	}
	slices.Sort(out)
	return out
}
