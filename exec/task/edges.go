package task

import (
	"slices"
	"strconv"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/storage"
)

// State is the task's store, nil when it has none.
func (t *Task) State() *storage.Store { return t.cfg.Store }

// Feeds says whether rows of the task go through a shuffle; nil: whether they are rows of the result.
func (t *Task) Feeds(s *plan.Shuffle) bool {
	if s == nil {
		return t.cfg.Fragment.Writes()
	}
	return t.cfg.Fragment.Feeds(s)
}

// Reads says whether the task reads a shuffle.
func (t *Task) Reads(s *plan.Shuffle) bool {
	for _, in := range t.ins {
		if in.recv != nil && in.recv.Shuffle.ID == s.ID {
			return true
		}
	}
	return false
}

// StreamInputs are the topic partitions of the stream inputs.
func (t *Task) StreamInputs() []connectors.Partition {
	var out []connectors.Partition
	for _, in := range t.time {
		if in.src != nil || in.recv != nil && !t.cfg.LocalInputs {
			out = append(out, connectors.Partition{Topic: in.topic, Partition: int32(t.cfg.Partition)})
		}
	}
	return out
}

// StreamRoots are the sources behind the stream inputs.
func (t *Task) StreamRoots() []*plan.Scan {
	var out []*plan.Scan
	for _, in := range t.time {
		out = append(out, in.plan.Roots...)
	}
	return out
}

// TableFrom says whether rows of a table come from a topic, directly or from behind a shuffle.
func (t *Task) TableFrom(topic string) bool {
	for _, in := range t.ins {
		if !in.plan.Table {
			continue
		}
		if in.topic == topic || slices.ContainsFunc(in.plan.Roots, func(s *plan.Scan) bool { return s.Relation.Topic == topic }) {
			return true
		}
	}
	return false
}

// Ended are the source partitions whose end in a bounded run was reached.
func (t *Task) Ended() []connectors.Partition {
	var out []connectors.Partition
	for _, in := range t.ins {
		if in.src != nil && in.src.end >= 0 && in.src.position >= in.src.end {
			out = append(out, in.src.at)
		}
	}
	return out
}

// Seek moves an input of a task that has not run yet.
func (t *Task) Seek(p connectors.Partition, at int64) {
	for in := range t.inputs(p.Topic) {
		if in.src != nil {
			in.src.position = at
			continue
		}
		in.position = at
	}
	for x := range t.tellers(p.Topic) {
		x.seek(at)
	}
}

// Ahead are the partitions of which enough was read for now: news that waits for rows still to be read.
func (t *Task) Ahead() []connectors.Partition {
	var out []connectors.Partition
	for _, in := range t.ins {
		if in.src != nil && in.src.told != nil && len(in.src.told.waiting) >= mostTellings {
			out = append(out, in.src.told.at)
		}
	}
	return out
}

// Touch makes the next epoch commit the task's positions even if nothing happens.
func (t *Task) Touch() { t.dirty = true }

// Trimmable visits the topics of which nothing before an offset is needed any more: the task's packed changelogs, and the
// repartition topics it reads when they are topics.
func (t *Task) Trimmable(visit func(topic string, before int64), repartition bool) {
	if repartition {
		for _, in := range t.ins {
			if in.recv != nil && in.position > 0 {
				visit(in.topic, in.position)
			}
		}
	}
	if t.cfg.Store == nil {
		return
	}
	for _, s := range t.cfg.Fragment.States {
		if at, ok := t.cfg.Store.Trim(s.Name); ok && at > 0 {
			visit(s.Topic(t.cfg.App, t.cfg.Query.Name), at)
		}
	}
}

// Close flushes and closes the state; nothing may be uncommitted.
func (t *Task) Close() error {
	if t.cfg.Store == nil {
		return nil
	}
	return t.cfg.Store.Close()
}

// Discard drops the task and what it has not committed.
func (t *Task) Discard() {
	if t.cfg.Store != nil {
		t.cfg.Store.Discard()
	}
}

// Held is the task's watermark and, in words, what holds it: the input that is furthest behind.
func (t *Task) Held() (watermark int64, why string) {
	least := types.Forever
	for _, in := range t.time {
		in.each(t.cfg.Run, t.cfg.Generation, func(id wire.TaskID, i wire.Info) {
			if i.State != wire.Active || i.W > least || i.W == least && why != "" {
				return
			}
			least = i.W
			if in.src != nil {
				why = in.topic + "/" + strconv.Itoa(t.cfg.Partition)
				return
			}
			why = t.rootOf(id)
		})
	}
	return t.marks.W, why
}

// rootOf names what an upstream task reads.
func (t *Task) rootOf(id wire.TaskID) string {
	f := t.cfg.Query.Fragment(id.Fragment)
	for _, in := range f.Inputs {
		if s, ok := in.Node.(*plan.Scan); ok && !in.Table {
			return s.Relation.Topic + "/" + strconv.Itoa(id.Partition)
		}
	}
	return "task " + id.String()
}
