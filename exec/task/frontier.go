package task

import (
	"maps"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// feed is the task's frontier as it stood at an instant.
type feed struct {
	at       int64
	frontier map[wire.Root]int64
}

// Frontier is, per root source partition, the position of which all effects have left this task: the minimum over its
// inputs and, while rows are withheld, as it stood when the oldest of them arrived (semantics S4).
func (t *Task) Frontier() map[wire.Root]int64 {
	oldest := int64(0)
	for _, r := range t.chain.Releasers {
		if b := r.Waiting(); b.Rows > 0 && (oldest == 0 || b.Oldest < oldest) {
			oldest = b.Oldest
		}
	}
	t.note()
	if oldest == 0 {
		t.fed = t.fed[len(t.fed)-1:]
		return t.fed[0].frontier
	}
	i := len(t.fed) - 1
	for i > 0 && t.fed[i].at >= oldest {
		i--
	}
	t.fed = t.fed[i:]
	return t.fed[0].frontier
}

// note remembers the frontier of now if it has moved.
func (t *Task) note() {
	f := t.reached()
	if n := len(t.fed); n > 0 && maps.Equal(t.fed[n-1].frontier, f) {
		return
	}
	t.fed = append(t.fed, feed{t.cfg.Now(), f})
	if len(t.fed) > mostFeeds { // thinned out: an earlier frontier in place of a later one only waits longer
		kept := t.fed[:0]
		for i := 0; i < len(t.fed); i += 2 {
			kept = append(kept, t.fed[i])
		}
		t.fed = kept
	}
}

// mostFeeds bounds the frontiers kept while rows are withheld.
const mostFeeds = 256

// reached is the minimum over the inputs' frontiers.
func (t *Task) reached() map[wire.Root]int64 {
	m := map[wire.Root]int64{}
	lower := func(r wire.Root, at int64) {
		if old, ok := m[r]; !ok || at < old {
			m[r] = at
		}
	}
	for _, in := range t.ins {
		if in.src != nil {
			lower(in.src.root, in.src.position)
			continue
		}
		for _, id := range in.ups {
			i, ok := in.known[id]
			if !ok {
				for _, r := range in.plan.Roots {
					t.unheard(r, id, lower)
				}
				continue
			}
			for r, at := range i.Frontier {
				lower(r, at)
			}
		}
	}
	return m
}

// caughtUp says whether everything of a source below the run's ends has had its effect here. A task that reads the source
// itself answers for its own partition.
func (t *Task) caughtUp(s *plan.Scan, frontier map[wire.Root]int64) bool {
	for p := range s.P.Partitioning.Count {
		end := t.cfg.Ends[connectors.Partition{Topic: s.Relation.Topic, Partition: int32(p)}]
		at, known := frontier[wire.Root{Source: s.Source, Partition: p}]
		if known && at < end {
			return false
		}
	}
	return true
}

// unheard puts the roots behind an upstream never heard of at -1: nothing of them is known to have come.
func (t *Task) unheard(s *plan.Scan, id wire.TaskID, lower func(wire.Root, int64)) {
	direct := t.cfg.Query.Fragment(id.Fragment).Direct() != nil
	for p := range s.P.Partitioning.Count {
		if !direct || p == id.Partition {
			lower(wire.Root{Source: s.Source, Partition: p}, -1)
		}
	}
}
