package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
)

var ctx = context.Background()

func cluster(t *testing.T, s Schedule, topics ...string) *Cluster {
	t.Helper()
	c := New(1, s)
	for _, n := range topics {
		if err := c.Create(ctx, connectors.TopicSpec{Name: n, Partitions: 2}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func rec(topic string, p int32, v string) connectors.Record {
	return connectors.Record{Topic: topic, Partition: p, Key: []byte(v), Value: []byte(v)}
}

func write(t *testing.T, c *Cluster, rs ...connectors.Record) {
	t.Helper()
	if _, err := c.Write(ctx, rs...); err != nil {
		t.Fatal(err)
	}
}

func openSession(t *testing.T, c *Cluster, instance string) connectors.Session {
	t.Helper()
	s, err := c.Open(ctx, connectors.SessionOptions{
		Group: "g", TransactionalID: "g." + instance, InstanceID: instance,
		Units: []connectors.Unit{{Topics: []string{"in"}}}, Partitions: map[string]int32{"in": 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func poll(t *testing.T, s connectors.Session) connectors.Poll {
	t.Helper()
	p, err := s.Poll(ctx, 100)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func values(p connectors.Poll) []string {
	var out []string
	for _, f := range p.Fetched {
		for _, r := range f.Records {
			out = append(out, string(r.Value))
		}
	}
	slices.Sort(out)
	return out
}

func visible(c *Cluster, topic string) []string {
	var out []string
	for _, r := range c.Visible(topic) {
		out = append(out, string(r.Value))
	}
	slices.Sort(out)
	return out
}

func want(t *testing.T, what string, got, exp any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(exp) {
		t.Fatalf("%s: got %v, want %v", what, got, exp)
	}
}

func at(topic string, p int32) connectors.Partition {
	return connectors.Partition{Topic: topic, Partition: p}
}

func TestReadCommitted(t *testing.T) {
	c := cluster(t, Schedule{}, "in")
	s := openSession(t, c, "a")
	want(t, "rebalanced", poll(t, s).Rebalanced, true)
	tx := c.Begin()
	if err := tx.Append(rec("in", 0, "x")); err != nil {
		t.Fatal(err)
	}
	write(t, c, rec("in", 0, "y"))
	want(t, "behind an open transaction", values(poll(t, s)), []string{})
	ends, _ := c.Ends(ctx, at("in", 0))
	want(t, "read_uncommitted end", ends[at("in", 0)], 2)
	tx.Abort()
	p := poll(t, s)
	want(t, "after the abort", values(p), []string{"y"})
	want(t, "next passes the marker", p.Fetched[0].Next, 3)
}

func TestFlushTellsEndsBeforeTheCommit(t *testing.T) {
	c := cluster(t, Schedule{}, "in", "out")
	s := openSession(t, c, "a")
	poll(t, s)
	write(t, c, rec("out", 1, "x"))
	for _, v := range []string{"y", "z"} {
		r := rec("out", 1, v)
		s.Produce(&r)
	}
	ends, err := s.Flush(ctx)
	want(t, "flush", err, nil)
	want(t, "ends", ends, map[connectors.Partition]int64{at("out", 1): 3})
	want(t, "visible before the commit", visible(c, "out"), []string{"x"})
}

func TestAbortRewindsAndCommitIsAtomic(t *testing.T) {
	c := cluster(t, Schedule{}, "in", "out")
	write(t, c, rec("in", 0, "x"), rec("in", 1, "y"))
	s := openSession(t, c, "a")
	poll(t, s)
	want(t, "first", values(poll(t, s)), []string{"x", "y"})
	r := rec("out", 1, "o")
	s.Produce(&r)
	want(t, "not visible", visible(c, "out"), []string{})
	if err := s.Abort(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, "again", values(poll(t, s)), []string{"x", "y"})
	s.Produce(&r)
	ends, err := s.Commit(ctx, map[connectors.Partition]connectors.Offset{at("in", 0): {At: 1, Metadata: "m"}, at("in", 1): {At: 1}})
	if err != nil {
		t.Fatal(err)
	}
	// offset 0 was aborted, 1 its marker, 2 the record
	want(t, "ends", ends[at("out", 1)], 3)
	want(t, "visible", visible(c, "out"), []string{"o"})
	com, _ := c.Committed(ctx, "g")
	want(t, "metadata", com[at("in", 0)], connectors.Offset{At: 1, Metadata: "m"})
}

func TestZombieIsFenced(t *testing.T) {
	c := cluster(t, Schedule{}, "in", "out")
	write(t, c, rec("in", 0, "x"))
	old := openSession(t, c, "a")
	poll(t, old)
	poll(t, old)
	r := rec("out", 0, "zombie")
	old.Produce(&r)
	s := openSession(t, c, "a")
	p := poll(t, s)
	want(t, "same generation, same place", []any{p.Generation, p.Rebalanced, len(p.Assignment)}, []any{1, true, 2})
	if _, err := old.Commit(ctx, map[connectors.Partition]connectors.Offset{at("in", 0): {At: 1}}); err == nil {
		t.Fatal("the zombie committed")
	}
	want(t, "replay", values(poll(t, s)), []string{"x"})
	want(t, "nothing of the zombie", visible(c, "out"), []string{})
}

func TestRebalanceWaitsForTheEpoch(t *testing.T) {
	c := cluster(t, Schedule{}, "in")
	write(t, c, rec("in", 0, "x"))
	a := openSession(t, c, "a")
	poll(t, a)
	poll(t, a)
	b := openSession(t, c, "b")
	want(t, "b waits", poll(t, b).Rebalanced, false)
	want(t, "a is asked", poll(t, a).Wanted, true)
	if _, err := a.Commit(ctx, map[connectors.Partition]connectors.Offset{at("in", 0): {At: 1}}); err != nil {
		t.Fatal(err)
	}
	pa := poll(t, a)
	pb := poll(t, b)
	want(t, "both", []any{pa.Rebalanced, pb.Rebalanced, pa.Generation, pb.Generation}, []any{true, true, 2, 2})
	want(t, "range", []any{pa.Assignment[0].Partition, pa.Assignment[0].Committed.At, pb.Assignment[0].Partition}, []any{at("in", 0), 1, at("in", 1)})
	if err := b.Close(ctx, connectors.Leave); err != nil {
		t.Fatal(err)
	}
	want(t, "alone again", len(poll(t, a).Assignment), 2)
}

func TestExpiredMemberIsLost(t *testing.T) {
	c := cluster(t, Schedule{}, "in", "out")
	a := openSession(t, c, "a")
	poll(t, a)
	r := rec("out", 0, "a")
	a.Produce(&r)
	b := openSession(t, c, "b")
	poll(t, b)
	c.Expire("a")
	want(t, "b has all", len(poll(t, b).Assignment), 2)
	if _, err := a.Commit(ctx, nil); !errors.Is(err, connectors.ErrAborted) {
		t.Fatalf("commit of an expired member: %v", err)
	}
	want(t, "lost", poll(t, a).Lost, true)
	poll(t, a)
	poll(t, b)
	want(t, "joined again", len(poll(t, a).Assignment), 1)
}

func TestUnknownOutcome(t *testing.T) {
	c := cluster(t, Schedule{Unknown: 1}, "in", "out")
	write(t, c, rec("in", 0, "x"))
	applied := 0
	for i := range 20 {
		s := openSession(t, c, "a")
		poll(t, s)
		com, _ := c.Committed(ctx, "g")
		before := com[at("in", 0)].At
		r := rec("out", 0, fmt.Sprint(i))
		s.Produce(&r)
		if _, err := s.Commit(ctx, map[connectors.Partition]connectors.Offset{at("in", 0): {At: before + 1}}); !errors.Is(err, connectors.ErrUnknownOutcome) {
			t.Fatal(err)
		}
		n := openSession(t, c, "a")
		if err := n.Fence(ctx); err != nil {
			t.Fatal(err)
		}
		com, _ = c.Committed(ctx, "g")
		if com[at("in", 0)].At == before+1 {
			applied++
		}
		want(t, "outputs and offsets agree", len(visible(c, "out")), applied)
	}
	if applied == 0 || applied == 20 {
		t.Fatalf("applied %d of 20", applied)
	}
}

func TestCompactionLeavesAGapThatSkipPasses(t *testing.T) {
	c := cluster(t, Schedule{}, "in")
	write(t, c, rec("in", 0, "k"), rec("in", 0, "k"))
	tx := c.Begin()
	if err := tx.Append(rec("in", 0, "z")); err != nil {
		t.Fatal(err)
	}
	tx.Abort()
	c.Compact("in")
	s := openSession(t, c, "a")
	poll(t, s)
	p := poll(t, s)
	want(t, "the last of the key", []any{values(p), p.Fetched[0].Next}, []any{[]string{"k"}, 2})
	to, err := c.Skip(ctx, at("in", 0), 2, 4)
	want(t, "skip", []any{to, err}, []any{4, nil})
	to, _ = c.Skip(ctx, at("in", 0), 1, 4)
	want(t, "no skip over a record", to, 1)
}

func TestMembersOfAnotherPlanAreRefused(t *testing.T) {
	c := cluster(t, Schedule{}, "in")
	o := connectors.SessionOptions{Group: "g", TransactionalID: "t", InstanceID: "a", Fingerprint: "1", Units: []connectors.Unit{{Topics: []string{"in"}}}, Partitions: map[string]int32{"in": 2}}
	a, _ := c.Open(ctx, o)
	poll(t, a)
	o.InstanceID, o.Fingerprint = "b", "2"
	b, _ := c.Open(ctx, o)
	if _, err := b.Poll(ctx, 1); !errors.Is(err, connectors.ErrFingerprint) {
		t.Fatal(err)
	}
	o.Fingerprint, o.Exclusive = "1", true
	b, _ = c.Open(ctx, o)
	if _, err := b.Poll(ctx, 1); !errors.Is(err, connectors.ErrExclusive) {
		t.Fatal(err)
	}
}

// TestScheduledReadsAreComplete reads a topic under stalls, small polls, aborts and lost produces: what was committed is
// every record once.
func TestScheduledReadsAreComplete(t *testing.T) {
	for seed := range int64(200) {
		c := New(seed, Schedule{Poll: RandomPoll, Stall: 0.2, StallPolls: 5, Abort: 0.2, ProduceFailure: 0.05, Scatter: 0.5})
		for _, n := range []string{"in", "out"} {
			_ = c.Create(ctx, connectors.TopicSpec{Name: n, Partitions: 2})
		}
		var all []string
		for i := range 40 {
			v := fmt.Sprintf("%02d", i)
			all = append(all, v)
			write(t, c, rec("in", int32(i%2), v))
		}
		ss := []connectors.Session{openSession(t, c, "a"), openSession(t, c, "b")}
		for n := 0; len(visible(c, "out")) < 40; n++ {
			if n > 20000 {
				t.Fatalf("seed %d: stuck at %v", seed, visible(c, "out"))
			}
			s := ss[n%2]
			p := poll(t, s)
			pos := map[connectors.Partition]connectors.Offset{}
			for _, f := range p.Fetched {
				pos[f.Partition] = connectors.Offset{At: f.Next}
				for _, r := range f.Records {
					o := rec("out", r.Partition, string(r.Value))
					s.Produce(&o)
				}
			}
			if _, err := s.Commit(ctx, pos); err != nil && !errors.Is(err, connectors.ErrAborted) {
				t.Fatal(err)
			}
			if n%50 == 49 {
				c.Rebalance("g")
			}
		}
		want(t, fmt.Sprint("seed ", seed), visible(c, "out"), all)
	}
}

// A compacted topic takes no record without a key, as a broker does not: inside a transaction that is told at its commit.
func TestCompactedTopicsWantKeys(t *testing.T) {
	c := cluster(t, Schedule{}, "in")
	if err := c.Create(ctx, connectors.TopicSpec{Name: "table", Partitions: 1, Configs: map[string]string{"cleanup.policy": "compact,delete"}}); err != nil {
		t.Fatal(err)
	}
	write(t, c, rec("in", 0, "a"), rec("table", 0, "a"), connectors.Record{Topic: "in"}, connectors.Record{Topic: "table", Key: []byte{}})
	if _, err := c.Write(ctx, connectors.Record{Topic: "table", Value: []byte("b")}); !errors.Is(err, connectors.ErrRefused) {
		t.Errorf("written outside a transaction: %v", err)
	}
	s := openSession(t, c, "one")
	poll(t, s)
	s.Produce(&connectors.Record{Topic: "table", Value: []byte("b")})
	if _, err := s.Commit(ctx, nil); !errors.Is(err, connectors.ErrRefused) || !errors.Is(err, connectors.ErrAborted) {
		t.Errorf("in a transaction: %v", err)
	}
	want(t, "what is there", len(c.Visible("table")), 2)
}
