package agg

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func newVersioned(sink op.Next, s Spec, slack int64, horizon func() int64, state op.Sorted) *Versioned {
	return NewVersioned(VersionedConfig{Env: op.Env{Counters: &op.Counters{}}, Spec: s, Slack: slack, Horizon: horizon, State: state, Next: sink})
}

func never() int64 { return types.Never }

// Each instant at which a group has rows is a version of all its rows up to there; one that comes late in the order changes those after it.
func TestVersioned(t *testing.T) {
	sink := optest.NewSink()
	o := newVersioned(sink, counted(t), 0, never, &optest.Sorted{})
	process(t, o, row(10*ms, "a", 1), row(30*ms, "a", 2), row(30*ms, "b", 4), row(10*ms, "a", 8))
	expect(t, sink, "10000: a,2,9", "30000: a,3,11", "30000: b,1,4")
	process(t, o, row(20*ms, "a", 16), row(5*ms, "a", 32), row(40*ms, "a", 64))
	expect(t, sink, "5000: a,1,32", "10000: a,3,41", "20000: a,4,57", "30000: a,5,59", "40000: a,6,123")
}

// A row at or below the release mark of its own partition counts above it only; the remedy is told.
func TestVersionedLate(t *testing.T) {
	sink := optest.NewSink()
	o := newVersioned(sink, counted(t), 3*ms, never, &optest.Sorted{})
	late := int64(0)
	o.c.Late = func(_ *vector.Batch, _ int, lateness int64) { late = lateness }
	x, y := row(7*ms, "a", 1), row(8*ms, "a", 2)
	x.Seen, y.Seen = 10*ms, 10*ms
	process(t, o, x, y)
	expect(t, sink, "7001: a,1,1", "8000: a,2,3")
	if late != 3*ms+1 || o.c.Env.Counters.LateTable != 1 {
		t.Fatal(late, *o.c.Env.Counters)
	}
}

// HAVING that fails hides the versions before.
func TestVersionedHaving(t *testing.T) {
	sink := optest.NewSink()
	s := counted(t)
	s.Having = above(2, 5)
	o := newVersioned(sink, s, 0, never, &optest.Sorted{})
	process(t, o, row(10*ms, "a", 4), row(20*ms, "a", 4), row(30*ms, "a", -7))
	expect(t, sink, "10000: -a,1,4", "20000: a,2,8", "30000: -a,3,1")
}

// Whatever the batches and restarts, and whatever was forgotten below the horizon: the newest version at an instant that may be asked for
// holds the rows up to there.
func TestVersionedAgainstOracle(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		text, having, slack := r.IntN(2) == 0, r.IntN(2) == 0, r.Int64N(25)*ms
		rows := input(r, 80)
		seen := types.Never
		for i := range rows {
			if rows[i].Seen = seen; seen == types.Never {
				rows[i].Seen = 0
			}
			seen = max(seen, rows[i].Time-1)
		}
		horizon, asked := types.Never, types.Never
		sink, state := optest.NewSink(), &optest.Sorted{}
		build := func() *Versioned {
			return newVersioned(sink, spec(t, text, having), slack, func() int64 { return horizon }, state)
		}
		o := build()
		for i := 0; i < len(rows); {
			to := min(len(rows), i+1+r.IntN(12))
			process(t, o, rows[i:to]...)
			checkVersions(t, seed, rows[:to], slack, text, having, asked, sink.Got)
			if i = to; r.IntN(3) == 0 {
				horizon = max(horizon, rows[i-1].Time-r.Int64N(8*ms))
				asked = max(asked, horizon)
			}
			if r.IntN(8) == 0 {
				o, horizon = build(), types.Never // a restart knows no horizon at first
			}
		}
		forgotten(t, seed, o, state, rows)
	}
}

// counts is from when on a row counts.
func counts(x optest.Row, slack int64) int64 {
	if x.Seen != 0 && x.Time <= x.Seen-slack {
		return x.Seen - slack + 1
	}
	return x.Time
}

func checkVersions(t *testing.T, seed uint64, rows []optest.Row, slack int64, text, having bool, asked int64, got []optest.Row) {
	t.Helper()
	last := rows[len(rows)-1].Time + 30*ms
	for _, at := range []int64{last, last - 25*ms, last - 28*ms, last - 31*ms, last - 35*ms, last - 45*ms} {
		if at < asked {
			continue
		}
		groups := map[string][]optest.Row{}
		for _, x := range rows {
			if counts(x, slack) <= at {
				groups[fmt.Sprint(x.Vals[0])] = append(groups[fmt.Sprint(x.Vals[0])], x)
			}
		}
		newest := map[string]optest.Row{}
		for _, x := range got {
			k := fmt.Sprint(x.Vals[0])
			if old, ok := newest[k]; x.Time <= at && (!ok || old.Time <= x.Time) {
				newest[k] = x
			}
		}
		for k, g := range groups {
			vals, sum := expected(g, text)
			fails := having && (vals[3] == nil || sum <= 5)
			if x := newest[k]; x.Deleted != fails || !fails && optest.Text(x.Vals) != optest.Text(vals) {
				t.Fatalf("seed %d: %s at %d: %v, want %s (fails %v)", seed, k, at, x, optest.Text(vals), fails)
			}
		}
	}
}

// forgotten: when the horizon has passed all, one version of each group is left, and no alarm.
func forgotten(t *testing.T, seed uint64, o *Versioned, state op.Sorted, rows []optest.Row) {
	t.Helper()
	last := rows[len(rows)-1].Time + 100*ms
	o.c.Horizon = func() int64 { return last }
	process(t, o, row(last, "z", 1))
	left, groups := 0, map[any]bool{"z": true}
	for _, x := range rows {
		groups[cmp.Or(fmt.Sprint(x.Vals[0]), "NULL")] = true
	}
	err := state.Scan(func(group, _, _ []byte) error {
		if left++; group[0] == ending {
			left--
		}
		return nil
	})
	if err != nil || left != len(groups) {
		t.Fatalf("seed %d: %d versions of %d groups are left (%v)", seed, left, len(groups), err)
	}
}
