package exec

import (
	"maps"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
)

// throttle is the least time between two control records to a partition that got no rows and saw no change of state.
const throttle = 200_000

// news is what of tasks is to be said to partitions.
type news map[connectors.Partition]map[wire.TaskID]wire.Info

// about says whether there is news about a task.
func (n news) about(id wire.TaskID) bool {
	for _, infos := range n {
		if _, ok := infos[id]; ok {
			return true
		}
	}
	return false
}

// said is what this worker has committed to partitions about its tasks since it was assigned them.
type said struct {
	sent news
	last map[connectors.Partition]int64 // when something was last committed there
}

func newSaid() said { return said{news{}, map[connectors.Partition]int64{}} }

// differs is what of tasks was not said to a partition, and whether a state is among it.
func (s *said) differs(p connectors.Partition, tasks []*task.Task, info func(*task.Task) wire.Info) (diff map[wire.TaskID]wire.Info, urgent bool) {
	for _, t := range tasks {
		is := info(t)
		old, ok := s.sent[p][t.ID]
		if ok && old.Equal(is) {
			continue
		}
		if diff == nil {
			diff = map[wire.TaskID]wire.Info{}
		}
		diff[t.ID] = is
		urgent = urgent || !ok || old.State != is.State
	}
	return diff, urgent
}

// quiet says whether something was said to a partition a moment ago.
func (s *said) quiet(p connectors.Partition, now int64) bool { return now-s.last[p] < throttle }

// committed notes what was said.
func (s *said) committed(n news, now int64) {
	for p, infos := range n {
		if s.sent[p] == nil {
			s.sent[p] = map[wire.TaskID]wire.Info{}
		}
		maps.Copy(s.sent[p], infos)
		s.last[p] = now
	}
}

// once computes something of each task one time.
func once(of func(*task.Task) wire.Info) func(*task.Task) wire.Info {
	known := map[wire.TaskID]wire.Info{}
	return func(t *task.Task) wire.Info {
		i, ok := known[t.ID]
		if !ok {
			i = of(t)
			known[t.ID] = i
		}
		return i
	}
}
