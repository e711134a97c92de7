package task

import (
	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// askEvery is the least time between two requests for ends, microseconds; maxAsks bounds the ones kept until satisfied.
const (
	askEvery = 100_000
	maxAsks  = 600
)

// ask is one request for the ends of the table's root partitions. It serves the rows that arrived WITHIN before it, and
// is kept until satisfied: replacing it by newer ones would never end under steady flow (semantics S5).
type ask struct {
	at   int64
	ends map[wire.Root]int64
}

// releases answers one join about its table input (op.Releases).
type releases struct {
	t      *Task
	in     *input
	within int64
	slack  int64 // max(disorder, within) − disorder: off the strict watermark
	asks   []ask
	lastAt int64 // when ends were last asked for
	floor  int64 // when the task began here: rows restored carry the clock of the instance they arrived at
	// loaded: since the task began, every upstream was seen finished, or at ends asked for. Until then the table is behind, and
	// stream rows held back for it would only fill memory.
	loaded bool

	// fast answers, valid until refresh
	strict int64 // smallest strict watermark less slack over what has not finished
	proven int64 // smallest proof over what has not finished
	passed int64 // smallest strict watermark less slack over all but what has finished for good
}

func newReleases(t *Task, in *input, j *plan.TableJoin) *releases {
	return &releases{
		t: t, in: in, within: j.Within, slack: max(j.TableDisorder, j.Within) - j.TableDisorder,
		lastAt: types.Never, floor: t.cfg.Now(), strict: types.Never, proven: types.Never, passed: types.Never,
	}
}

// Arrival is now.
func (r *releases) Arrival() int64 { return r.t.cfg.Now() }

// Passed implements op.Releases. A finish counts in its run only: the next one may bring more.
func (r *releases) Passed() int64 { return r.passed }

// Released implements op.Releases.
func (r *releases) Released(asOf, arrival int64) bool {
	arrival = max(arrival, r.floor)
	if asOf <= r.strict || arrival+r.within <= r.proven {
		return true
	}
	ok := true
	r.in.each(r.t.cfg.Run, r.t.cfg.Generation, func(id wire.TaskID, i wire.Info) {
		if i.State == wire.Finished || i.Strict != types.Never && i.Strict-r.slack >= asOf {
			return
		}
		if p, has := r.in.proven[id]; has && p >= arrival+r.within {
			return
		}
		ok = false
	})
	return ok
}

// refresh checks the open requests against the frontiers and says whether more may be released than before.
func (r *releases) refresh() bool {
	open := r.asks[:0]
	for _, a := range r.asks {
		all := true
		r.in.each(r.t.cfg.Run, r.t.cfg.Generation, func(id wire.TaskID, i wire.Info) {
			if reached(i.Frontier, a.ends, r.rootsOf(id)) {
				r.in.proven[id] = max(r.in.proven[id], a.at)
			} else {
				all = false
			}
		})
		if !all {
			open = append(open, a)
		}
	}
	r.asks = open
	strict, proven, passed, loaded := types.Forever, types.Forever, types.Forever, true
	r.in.each(r.t.cfg.Run, r.t.cfg.Generation, func(id wire.TaskID, i wire.Info) {
		mark := types.Never
		if i.Strict != types.Never {
			mark = i.Strict - r.slack
		}
		if i.State != wire.Finished || i.Run != wire.ForGood {
			passed = min(passed, mark)
		}
		if i.State == wire.Finished {
			return
		}
		p, has := r.in.proven[id]
		if !has {
			p, loaded = types.Never, false
		}
		proven = min(proven, p)
		strict = min(strict, mark)
	})
	changed := strict != r.strict || proven != r.proven || passed != r.passed
	r.strict, r.proven, r.passed = strict, proven, passed
	r.loaded = r.loaded || loaded
	return changed
}

// rootsOf are the root partitions whose effects reach this input through an upstream task: a task that reads one source
// directly brings only its own partition.
func (r *releases) rootsOf(id wire.TaskID) func(wire.Root) bool {
	if id == self {
		return func(x wire.Root) bool { return r.in.src != nil && x == r.in.src.root }
	}
	if s := r.t.cfg.Query.Fragment(id.Fragment).Direct(); s != nil {
		return func(x wire.Root) bool { return x.Source == s.Source && x.Partition == id.Partition }
	}
	return func(wire.Root) bool { return true }
}

func reached(frontier, ends map[wire.Root]int64, relevant func(wire.Root) bool) bool {
	for root, end := range ends {
		if !relevant(root) {
			continue
		}
		if at, ok := frontier[root]; !ok && end > 0 || at < end {
			return false
		}
	}
	return true
}

// wants says whether rows wait that only a proof asked for now can release.
func (r *releases) wants(now int64, b op.Backlog) bool {
	oldest, latest := max(b.Oldest, r.floor), max(b.Latest, r.floor)
	return now >= oldest+r.within && latest+r.within > r.lastAt && now-r.lastAt >= askEvery
}

// learn takes ends that were asked for at an instant, at most where the run or the source ends.
func (r *releases) learn(ends map[connectors.Partition]int64, at int64) {
	if at-r.lastAt < askEvery && r.lastAt != types.Never {
		return
	}
	m := map[wire.Root]int64{}
	for _, p := range r.roots() {
		end, ok := ends[p.at]
		if !ok {
			return
		}
		for _, stored := range []map[connectors.Partition]int64{r.t.cfg.Ends, r.t.cfg.Limits} {
			if last, bounded := stored[p.at]; bounded {
				end = min(end, last)
			}
		}
		m[p.root] = end
	}
	r.lastAt = at
	if len(r.asks) >= maxAsks {
		r.asks = append(r.asks[:1], r.asks[2:]...)
	}
	r.asks = append(r.asks, ask{at, m})
}

type rootPartition struct {
	at   connectors.Partition
	root wire.Root
}

// roots are the source partitions whose rows can reach the table input.
func (r *releases) roots() []rootPartition {
	if r.in.src != nil {
		return []rootPartition{{r.in.src.at, r.in.src.root}}
	}
	var out []rootPartition
	if r.in.recv == nil {
		return nil
	}
	for _, s := range r.in.plan.Roots {
		for p := range s.Props().Partitioning.Count {
			out = append(out, rootPartition{
				connectors.Partition{Topic: s.Relation.Topic, Partition: int32(p)}, wire.Root{Source: s.Source, Partition: p},
			})
		}
	}
	return out
}
