package exec

import (
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
)

// pauses are the partitions that are not fetched for now: those that feed a join which holds back as much as it may, and
// those of which a bounded run has seen the end. The session keeps its pauses through aborts and rebalances, the tasks do
// not, so what is paused is compared with what should be.
type pauses struct {
	full map[wire.TaskID]bool
	on   map[connectors.Partition]bool
}

func newPauses() pauses {
	return pauses{map[wire.TaskID]bool{}, map[connectors.Partition]bool{}}
}

// pause brings the session's pauses to what the tasks want.
func (j *Job) pause() {
	var want []connectors.Partition
	for _, t := range j.tasks {
		if t.Full() || j.pauses.full[t.ID] && !t.Relieved() {
			j.pauses.full[t.ID] = true
			want = append(want, j.streamOf(t)...)
		} else {
			delete(j.pauses.full, t.ID)
		}
		want = append(want, t.Ended()...)
		want = append(want, t.Ahead()...)
	}
	for p := range j.pauses.on {
		if !slices.Contains(want, p) {
			delete(j.pauses.on, p)
			j.session.Resume(p)
		}
	}
	for _, p := range want {
		if !j.pauses.on[p] {
			j.pauses.on[p] = true
			j.session.Pause(p)
		}
	}
}

// unpause resumes everything.
func (j *Job) unpause() {
	clear(j.pauses.full)
	for p := range j.pauses.on {
		delete(j.pauses.on, p)
		j.session.Resume(p)
	}
}

// streamOf are the partitions through which a join's stream rows come into this instance. One that brings rows of a table
// too is not among them: pausing it would stop what the rows wait for.
func (j *Job) streamOf(t *task.Task) []connectors.Partition {
	var out []connectors.Partition
	for _, p := range t.StreamInputs() {
		if _, read := j.parts[p]; read {
			out = append(out, p)
		}
	}
	if len(out) == 0 { // behind a local shuffle
		for _, scan := range t.StreamRoots() {
			out = append(out, connectors.PartitionsOf(scan.Relation.Topic, int32(scan.P.Partitioning.Count))...)
		}
	}
	return slices.DeleteFunc(out, func(p connectors.Partition) bool { return t.TableFrom(p.Topic) })
}
