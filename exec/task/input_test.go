package task

import (
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
)

// received is an input fed by as many upstream tasks as there are infos; nil: never heard of.
func received(infos ...*wire.Info) *input {
	in := &input{recv: &plan.Receive{}, known: map[wire.TaskID]wire.Info{}, proven: map[wire.TaskID]int64{}}
	for p, i := range infos {
		id := wire.TaskID{Fragment: 0, Partition: p}
		in.ups = append(in.ups, id)
		if i != nil {
			in.known[id] = *i
		}
	}
	return in
}

func info(w int64, s wire.State, generation int32, run int) *wire.Info {
	return &wire.Info{W: w, Strict: w, State: s, Generation: generation, Run: run, Horizon: types.Never}
}

// Semantics S2: the minimum over ACTIVE inputs; when the last one turns IDLE the maximum, when all have FINISHED for ever.
func TestCombine(t *testing.T) {
	const gen, run = 3, 2
	for _, c := range []struct {
		name     string
		in       *input
		w        int64
		active   bool
		finished bool
	}{
		{"the slowest active one holds", received(info(10, wire.Active, gen, run), info(20, wire.Active, gen, run)), 10, true, false},
		{"an idle one does not", received(info(10, wire.Idle, gen, run), info(20, wire.Active, gen, run)), 20, true, false},
		{"all idle: the maximum", received(info(10, wire.Idle, gen, run), info(20, wire.Idle, gen, run)), 20, false, false},
		{"one never heard of is ACTIVE at the beginning", received(nil, info(20, wire.Active, gen, run)), types.Never, true, false},
		{"IDLE of an older generation counts as ACTIVE", received(info(10, wire.Idle, gen-1, run), info(20, wire.Active, gen, run)), 10, true, false},
		{"FINISHED of another run counts as ACTIVE", received(info(10, wire.Finished, gen, run-1), info(20, wire.Active, gen, run)), 10, true, false},
		{"a finished one does not hold", received(info(10, wire.Finished, gen, run), info(20, wire.Active, gen, run)), 20, true, false},
		{"all finished", received(info(10, wire.Finished, gen, run), info(20, wire.Finished, gen, run)), types.Forever, false, true},
		{"finished and idle is not finished", received(info(10, wire.Finished, gen, run), info(20, wire.Idle, gen, run)), 20, false, false},
	} {
		got := combine([]*input{c.in}, run, gen)
		if got.marks.W != c.w || got.active != c.active || got.finished != c.finished {
			t.Errorf("%s: W %d, active %v, finished %v; want %d, %v, %v", c.name, got.marks.W, got.active, got.finished, c.w, c.active, c.finished)
		}
	}
}

// The strict watermark never jumps: an idle input holds it (semantics S4).
func TestStrictHoldsAtIdleInputs(t *testing.T) {
	got := combine([]*input{received(info(10, wire.Idle, 1, 0), info(20, wire.Active, 1, 0))}, 0, 1)
	if got.marks != (op.Marks{W: 20, Strict: 10}) {
		t.Errorf("%+v, want W 20 and strict 10", got.marks)
	}
}

// A task without a stream input in an endless run has not finished.
func TestNothingIsFinishedInAnEndlessRun(t *testing.T) {
	if combine(nil, 0, 1).finished {
		t.Error("an endless run has finished")
	}
}

// News of an upstream task: watermarks by maximum, the state by the latest.
func TestHear(t *testing.T) {
	in := received(info(50, wire.Idle, 1, 0))
	in.hear(in.ups[0], wire.Info{W: 40, Strict: 45, State: wire.Active, Horizon: 7})
	got := in.known[in.ups[0]]
	if got.W != 50 || got.Strict != 50 || got.State != wire.Active || got.Horizon != 7 {
		t.Errorf("%+v", got)
	}
}

// A source is idle only when its position has reached an end that was asked for after the time-out had run out.
func TestIdleNeedsAProof(t *testing.T) {
	scan := &plan.Scan{Relation: &catalog.Relation{IdleTimeout: 5_000_000}}
	s := newSource(scan, at("x", 0), 0)
	s.position = 10
	if s.wantsEnd(4_999_999) {
		t.Error("asked before the time-out")
	}
	s.learnEnd(10, 4_999_999)
	if s.tick(6_000_000, 1); s.idle {
		t.Error("idle by an end from before the time-out")
	}
	if !s.wantsEnd(5_000_000) {
		t.Error("not asked after the time-out")
	}
	s.learnEnd(12, 5_000_000)
	if s.tick(6_000_000, 1); s.idle {
		t.Error("idle below the end")
	}
	s.position = 12
	if s.tick(6_000_001, 1); !s.idle {
		t.Error("not idle at the end")
	}
	if s.sawRow(1, 7_000_000); s.idle || s.wantsEnd(11_999_999) {
		t.Error("a row makes it active, and the time-out begins anew")
	}
}

// A position that stands below a known end for half a second is looked at.
func TestStuck(t *testing.T) {
	s := newSource(&plan.Scan{Relation: &catalog.Relation{IdleTimeout: 1}}, at("x", 0), 0)
	s.position = 10
	s.tick(0, 1)
	s.learnEnd(15, 100)
	s.tick(100, 1)
	if _, ok := s.stuck(s.stuckAt + stuckAfter - 1); ok {
		t.Error("too early")
	}
	if to, ok := s.stuck(s.stuckAt + stuckAfter); !ok || to != 15 {
		t.Errorf("to %d, %v; want 15", to, ok)
	}
	s.position = 15
	if _, ok := s.stuck(1 << 40); ok {
		t.Error("at the end nothing is stuck")
	}
}
