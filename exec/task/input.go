package task

import (
	"errors"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// input is one side of the fragment: a source partition, or a partition of a shuffle.
type input struct {
	plan  plan.Input
	topic string // "" for a local shuffle
	entry op.Next

	src *source // a source partition; nil for a shuffle, or when the topic has no such partition
	dec *decoder

	// of a shuffle
	recv     *plan.Receive
	layout   wire.Layout
	batch    *vector.Batch // reused for each record
	position int64
	ups      []wire.TaskID
	known    map[wire.TaskID]wire.Info

	// proven is, for a table input, per upstream task (or the source itself under its own id) the latest instant at which
	// ends were asked for that its frontier has reached since.
	proven map[wire.TaskID]int64
}

// self stands for a source partition where an upstream task is named.
var self = wire.TaskID{Fragment: -1, Partition: -1}

// each visits what is known of everything that feeds the input, as it counts now: an idle state of an older generation
// and a finish of another run count as ACTIVE, an upstream never heard of is ACTIVE at Never.
func (in *input) each(run int, generation int32, visit func(wire.TaskID, wire.Info)) {
	if in.recv == nil {
		if in.src != nil {
			in.src.each(run, generation, visit)
		}
		return
	}
	for _, id := range in.ups {
		i, ok := in.known[id]
		switch {
		case !ok:
			i = wire.Info{W: types.Never, Strict: types.Never, Horizon: types.Never}
		case i.State == wire.Finished && !i.Ended(run):
			i.State = wire.Active
		case i.State == wire.Idle && i.Generation < generation:
			i.State = wire.Active
		}
		visit(id, i)
	}
}

// grew says whether news come from an upstream task that this plan does not know: an instance that was planned later runs it.
func (t *Task) grew(id wire.TaskID) bool {
	f := t.cfg.Query.Fragment(id.Fragment)
	return f == nil || id.Partition >= f.Partitions
}

// ErrGrown is returned by Process when that is so.
var ErrGrown = errors.New("the sources have more partitions or topics than when the query began here: start it again")

// hear takes news of an upstream task.
func (in *input) hear(id wire.TaskID, news wire.Info) {
	if old, ok := in.known[id]; ok {
		news = old.Merge(news)
	}
	in.known[id] = news
}

// combined is what the inputs say together.
type combined struct {
	marks    op.Marks
	active   bool // one of them is ACTIVE
	finished bool // all are FINISHED
	forGood  bool // and will be in every run
	horizon  int64
}

// combine takes the minimum over ACTIVE inputs; when none is, the maximum (semantics S2); when all have finished, Forever.
func combine(ins []*input, run int, generation int32) combined {
	c := combined{finished: true, forGood: true, horizon: types.Never}
	some := run > 0 // an endless run has not ended for want of inputs
	least, most, strict := types.Forever, types.Never, types.Forever
	for _, in := range ins {
		in.each(run, generation, func(_ wire.TaskID, i wire.Info) {
			some = true
			c.horizon = max(c.horizon, i.Horizon)
			c.forGood = c.forGood && i.State == wire.Finished && i.Run == wire.ForGood
			most = max(most, i.W)
			if i.State != wire.Finished {
				c.finished = false
				strict = min(strict, i.Strict)
			}
			if i.State == wire.Active {
				c.active = true
				least = min(least, i.W)
			}
		})
	}
	c.finished = c.finished && some
	c.forGood = c.forGood && c.finished
	switch {
	case c.active:
		c.marks.W = least
	case c.finished:
		c.marks.W = types.Forever
	default:
		c.marks.W = most
	}
	c.marks.Strict = strict
	return c
}
