package task

import (
	"time"

	"github.com/streamsql-go/streamsql/exec/build"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/storage"
)

// env is what the operators get.
func (t *Task) env() build.Env {
	return build.Env{
		Op: op.Env{
			Now:      func() time.Time { return time.UnixMicro(t.cfg.Now()).UTC() },
			Fail:     t.failed,
			Counters: &t.counters,
		},
		Releases:    t.releasesOf,
		Late:        func(what []string) op.Late { return t.late(what) },
		States:      states{t.cfg.Store},
		LateVersion: t.lateVersion,
		Partition:   t.cfg.Partition,
	}
}

// releasesOf makes the releases of a join: about the input at the end of its table side.
func (t *Task) releasesOf(j *plan.TableJoin) op.Releases {
	leaf := j.Table
	for len(leaf.Inputs()) > 0 {
		leaf = leaf.Inputs()[0]
	}
	for _, in := range t.ins {
		if in.plan.Node == leaf {
			r := newReleases(t, in, j)
			t.joins = append(t.joins, r)
			return r
		}
	}
	panic("the table side of a join is not among the fragment's inputs")
}

// states finds the operators' states in the store.
type states struct{ s *storage.Store }

func (s states) Windows(name string) op.Windows   { return s.s.Windows(name) }
func (s states) Map(name string) op.Map           { return s.s.Map(name) }
func (s states) Versions(name string) op.Versions { return s.s.Versions(name) }
func (s states) Sorted(name string) op.Sorted     { return s.s.Sorted(name) }
func (s states) Queue(name string) op.Queue {
	q := s.s.Queue(name)
	if q == nil {
		return nil
	}
	return q
}
