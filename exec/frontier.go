package exec

import "github.com/streamsql-go/streamsql/planner/plan"

// frontier says whether somebody downstream of a fragment needs its tasks' frontiers: rows of a table pass through it, or
// the run ends when all is caught up. Others do not carry them: with many partitions they are most of a control record.
func (j *Job) frontier(f *plan.Fragment) bool {
	if j.cfg.Until == UntilCaughtUp {
		return true
	}
	s, ok := f.Root.(*plan.Shuffle)
	if !ok {
		return false
	}
	for _, down := range j.query.Fragments {
		for _, in := range down.Inputs {
			if r, ok := in.Node.(*plan.Receive); ok && r.Shuffle.ID == s.ID && (in.Table || j.frontier(down)) {
				return true
			}
		}
	}
	return false
}
