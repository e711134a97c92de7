package task

import (
	"testing"

	"github.com/streamsql-go/streamsql/exec/build"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// remembering is a task that reads a source that is told its time, and a shuffle.
func remembering() *Task {
	src := &source{maxTS: types.Never, end: -1, told: &told{known: map[wire.TaskID]wire.Info{}}}
	return &Task{cfg: Config{Run: 2}, ins: []*input{{topic: "s", src: src}, received()}, perInput: make([]InputCounters, 2), chain: &build.Chain{Links: []*build.Link{{}}}}
}

// FuzzMeta: a committed record is read or refused, and one that is read is written again in a form that is read.
func FuzzMeta(f *testing.F) {
	t := remembering()
	t.horizon, t.finished = 70, true
	t.ins[0].src.position, t.ins[0].src.maxTS, t.chain.Links[0].Marks = 12, 1_000_000, op.Marks{W: 5, Strict: 4}
	if err := t.ins[0].src.told.records(tellings(0, telling1(5, 0, 100, wire.Active, 1), telling1(7, 1, 80, wire.Idle, 1))); err != nil {
		f.Fatal(err)
	}
	t.ins[0].src.told.apply(6)
	t.ins[1].known[wire.TaskID{Fragment: 1}] = *info(20, wire.Finished, 3, 2)
	whole, err := t.Meta()
	if err != nil {
		f.Fatal(err)
	}
	trial.Fuzz(f, func(t testing.TB, record []byte) {
		x := remembering()
		if x.load(record) != nil {
			return
		}
		again, err := x.Meta()
		if err == nil {
			err = remembering().load(again)
		}
		if err != nil {
			t.Fatalf("%q is written again as %q: %v", record, again, err)
		}
	}, string(whole), `{"v":1,"links":[[0,0]],"in":[{"p":1,"c":{}},{"p":2,"c":{}}],"c":{},"fr":[{"Source":0,"Partition":1,"At":5}]}`)
}
