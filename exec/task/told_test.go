package task

import (
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// tellings are the records of a watermark topic from an offset on.
func tellings(from int64, ts ...wire.Telling) *connectors.Fetched {
	f := &connectors.Fetched{Partition: connectors.Partition{Topic: "t.watermarks"}, Next: from + int64(len(ts))}
	for i := range ts {
		f.Records = append(f.Records, connectors.Record{Offset: from + int64(i), Value: ts[i].Append(nil)})
	}
	return f
}

func telling1(offset int64, partition int, w int64, s wire.State, generation int32) wire.Telling {
	return wire.Telling{Offset: offset, Writers: []wire.Writer{{Fragment: 1, Partitions: 2}},
		Infos: map[wire.TaskID]wire.Info{{Fragment: 1, Partition: partition}: {W: w, Strict: w, State: s, Generation: generation}}}
}

// combinedOf is what an input that is told the time says.
func combinedOf(x *told) combined {
	return combine([]*input{{src: &source{told: x}}}, 0, 1)
}

func TestToldTime(t *testing.T) {
	x := &told{known: map[wire.TaskID]wire.Info{}}
	expect := func(what string, position, w, committed int64) {
		t.Helper()
		x.apply(position)
		if got := combinedOf(x).marks.W; got != w {
			t.Errorf("%s: watermark %d, want %d", what, got, w)
		}
		if got := x.position(); got != committed {
			t.Errorf("%s: committed position %d, want %d", what, got, committed)
		}
	}
	expect("nothing heard", 0, types.Never, 0)
	if err := x.records(tellings(0, telling1(5, 0, 100, wire.Active, 1), telling1(7, 1, 80, wire.Active, 1), telling1(9, 1, 300, wire.Idle, 1))); err != nil {
		t.Fatal(err)
	}
	expect("the rows before are still to be read", 4, types.Never, 0)
	expect("one task is not heard of", 5, types.Never, 1)
	expect("the smaller of both", 8, 80, 2)
	expect("an idle one does not count", 9, 100, 3)
	if err := x.records(tellings(2, telling1(9, 1, 1, wire.Active, 1), telling1(9, 0, 110, wire.Active, 2))); err != nil {
		t.Fatal(err)
	}
	expect("idle of an older generation counts as active; what was read before is not heard again", 9, 110, 4)
}

// TestToldAcrossRestarts: news that waits is read again, what was heard is kept, unless the topic is another one.
func TestToldAcrossRestarts(t *testing.T) {
	x := &told{known: map[wire.TaskID]wire.Info{}}
	if err := x.records(tellings(0, telling1(1, 0, 100, wire.Active, 1), telling1(1, 1, 90, wire.Active, 1), telling1(8, 1, 200, wire.Active, 1))); err != nil {
		t.Fatal(err)
	}
	x.apply(3)
	for id, next := range map[string]int64{"A": 2, "B": 0} {
		again := &told{}
		if err := again.load(x.meta("A"), id); err != nil {
			t.Fatal(err)
		}
		if got := combinedOf(again).marks.W; got != 90 || again.next != next || again.renewed != (id == "B") {
			t.Errorf("topic %s: watermark %d, next %d, renewed %v", id, got, again.next, again.renewed)
		}
	}
}

func TestSeenHeader(t *testing.T) {
	own := []vector.Header{{Key: "k", Value: []byte("v")}}
	for _, c := range []struct{ seen, ts, judged int64 }{
		{types.Never, 5000, 4999},
		{4999, 5000, 4999},
		{5000, 5000, 4999},   // in milliseconds they are of one instant
		{7999, 5000, 7999},   // out of order
		{8500, 5000, 7999},   // a row at 8,501 is cut to 8,000
		{5999, 5999, 5999},   // its record is at 5,000
		{-1, -3_000_000, -1}, // before 1970
		{-5_000_001, -3_000_000, -3_000_001},
	} {
		hs := withSeen(own, c.seen, c.ts)
		ts := types.FloorDiv(c.ts, 1000) * 1000
		if got := seenOf(hs, ts); got != c.judged {
			t.Errorf("seen %d, row %d: judged by %d, want %d", c.seen, c.ts, got, c.judged)
		}
		r := withoutSeen(&connectors.Record{Headers: hs})
		if len(r.Headers) != 1 || r.Headers[0].Key != "k" || len(own) != 1 {
			t.Errorf("seen %d, row %d: the row's headers are %v", c.seen, c.ts, r.Headers)
		}
	}
}
