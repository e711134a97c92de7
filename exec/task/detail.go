package task

import (
	"github.com/streamsql-go/streamsql/exec/build"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Source is where a task stands in one partition of a source. A relation that is joined twice is read twice, and counted twice.
type Source struct {
	Source    int // index into plan.Query.Sources
	Partition int
	InputCounters
	// Position is the next offset, End the offset behind the newest record known to be there: never below Position.
	Position, End int64
	// Newest is the largest event time seen, Watermark what it makes; types.Never before the first row. Microseconds.
	Newest, Watermark int64
	State             wire.State
	Table             bool // the table of a stream–table join: its time only releases
}

// Sources are the source partitions that the task reads itself.
func (t *Task) Sources() []Source {
	var out []Source
	for i, in := range t.ins {
		s := in.src
		if s == nil {
			continue
		}
		d := Source{
			Source: s.scan.Source, Partition: t.cfg.Partition, InputCounters: t.perInput[i], Position: s.position, End: max(s.position, s.known, s.high),
			Newest: s.maxTS, Watermark: s.watermark(), State: wire.Active, Table: in.plan.Table,
		}
		if s.end >= 0 {
			d.End = max(s.position, s.end)
		}
		switch {
		case s.finished:
			d.State = wire.Finished
		case s.idle:
			d.State = wire.Idle
		}
		out = append(out, d)
	}
	return out
}

// Flows visits what passed from each node of the fragment to the next one, the first that reads it, with the time handed on.
func (t *Task) Flows(visit func(from plan.Node, f *build.Flow, marks op.Marks)) {
	seen := map[plan.Node]bool{}
	for _, l := range t.chain.Links {
		if seen[l.From] {
			continue
		}
		seen[l.From] = true
		visit(l.From, &l.Flow, l.Marks)
	}
}

// Due is the watermark at which the earliest row or window that the task holds leaves, types.Forever when it holds none.
func (t *Task) Due() int64 {
	due := types.Forever
	for _, h := range t.chain.Holders {
		if timed, ok := h.(op.Timed); ok {
			if at, holds := timed.Due(); holds {
				due = min(due, at)
			}
		}
	}
	return due
}

// Awaiting visits the joins that withhold rows until their table has come as far.
func (t *Task) Awaiting(visit func(j *plan.TableJoin, waiting op.Backlog)) {
	for i, r := range t.chain.Releasers {
		if b := r.Waiting(); b.Rows > 0 {
			visit(t.chain.Joins[i], b)
		}
	}
}
