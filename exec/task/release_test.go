package task

import (
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
)

func at(topic string, p int32) connectors.Partition {
	return connectors.Partition{Topic: topic, Partition: p}
}

const second = 1_000_000

// table is a join's view of a table that reaches it through a shuffle from a source of two partitions.
func table(now int64, in *input) (*releases, *Task) {
	scan := &plan.Scan{Relation: &catalog.Relation{Topic: "t"}, Source: 1}
	scan.P.Partitioning.Count = len(in.ups)
	in.plan = plan.Input{Table: true, Roots: []*plan.Scan{scan}}
	t := &Task{cfg: Config{Now: func() int64 { return now }, Query: &plan.Query{Fragments: []*plan.Fragment{{Inputs: []plan.Input{{Node: scan}}}}}}}
	return newReleases(t, in, &plan.TableJoin{Within: second, TableDisorder: 300_000}), t
}

// By watermark: W less max(disorder, WITHIN), of every upstream, idle ones included.
func TestReleasedByWatermark(t *testing.T) {
	r, _ := table(0, received(info(10*second, wire.Active, 1, 0), info(20*second, wire.Idle, 1, 0)))
	r.refresh()
	slack := int64(700_000) // WITHIN less the disorder that W has subtracted already
	if !r.Released(10*second-slack, 0) || r.Released(10*second-slack+1, 0) {
		t.Error("the slowest upstream's strict watermark less the slack releases, and nothing above it")
	}
}

// By proof: ends asked for WITHIN after the arrival, reached by the frontiers of all upstreams, each for its own partition.
func TestReleasedByProof(t *testing.T) {
	in := received(info(types.Never, wire.Active, 1, 0), info(types.Never, wire.Active, 1, 0))
	r, _ := table(0, in)
	front := func(p int, at int64) {
		i := in.known[in.ups[p]]
		i.Frontier = map[wire.Root]int64{{Source: 1, Partition: p}: at}
		in.known[in.ups[p]] = i
	}
	front(0, 5)
	front(1, 7)
	r.learn(map[connectors.Partition]int64{at("t", 0): 5, at("t", 1): 9}, 10*second)
	if r.refresh(); r.Released(1<<40, 9*second) {
		t.Error("released although partition 1 has not reached its end")
	}
	front(1, 9)
	if r.refresh(); !r.Released(1<<40, 9*second) {
		t.Error("both have reached the ends asked for 1 s after the arrival")
	}
	if r.Released(1<<40, 9*second+1) {
		t.Error("the row came less than WITHIN before the question")
	}
	if len(r.asks) != 0 {
		t.Error("a satisfied request is kept")
	}
}

// A request is kept until it is satisfied; newer ones do not replace it.
func TestRequestsAreKept(t *testing.T) {
	in := received(info(types.Never, wire.Active, 1, 0))
	r, _ := table(0, in)
	for i := range int64(5) {
		r.learn(map[connectors.Partition]int64{at("t", 0): 10 + i}, (1+i)*second)
	}
	i := in.known[in.ups[0]]
	i.Frontier = map[wire.Root]int64{{Source: 1}: 12}
	in.known[in.ups[0]] = i
	r.refresh()
	if got := in.proven[in.ups[0]]; got != 3*second || len(r.asks) != 2 {
		t.Errorf("proven %d with %d open, want the third request and two open", got, len(r.asks))
	}
}

// A finished table releases all; rows restored from elsewhere count from when the task began here.
func TestReleasedWhenFinishedAndFloor(t *testing.T) {
	in := received(info(0, wire.Finished, 1, 4))
	r, task := table(50*second, in)
	task.cfg.Run = 4
	if r.refresh(); !r.Released(1<<50, 1<<50) {
		t.Error("a finished table holds rows back")
	}
	if b := (op.Backlog{Rows: 1, Oldest: 1, Latest: 1}); r.wants(50*second+second-1, b) || !r.wants(51*second, b) {
		t.Error("WITHIN counts from when the task began here, not from another instance's clock")
	}
}

// Passed goes by strict watermarks alone: a finish counts in its run only, and the table may say more in the next.
func TestPassed(t *testing.T) {
	slack := int64(700_000)
	for _, c := range []struct {
		first, second *wire.Info
		want          int64
	}{
		{info(10*second, wire.Active, 1, 0), info(20*second, wire.Idle, 1, 0), 10*second - slack},
		{info(10*second, wire.Active, 1, 0), info(types.Never, wire.Idle, 1, 0), types.Never},
		{info(10*second, wire.Finished, 1, 4), info(20*second, wire.Active, 1, 0), 10*second - slack},
		{info(10*second, wire.Finished, 1, wire.ForGood), info(20*second, wire.Active, 1, 0), 20*second - slack},
	} {
		r, task := table(0, received(c.first, c.second))
		task.cfg.Run = 4
		if r.refresh(); r.Passed() != c.want {
			t.Errorf("%+v and %+v have passed %d, want %d", c.first, c.second, r.Passed(), c.want)
		}
	}
}

// In a bounded run the ends are at most the stored ones.
func TestEndsAreClipped(t *testing.T) {
	in := received(info(types.Never, wire.Active, 1, 0))
	r, task := table(0, in)
	task.cfg.Ends = map[connectors.Partition]int64{at("t", 0): 3}
	r.learn(map[connectors.Partition]int64{at("t", 0): 100}, second)
	if got := r.asks[0].ends[wire.Root{Source: 1}]; got != 3 {
		t.Errorf("end %d, want the stored one", got)
	}
}
