package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/connectors/sim"
)

// quick is a clock on which every look takes a while.
type quick struct{ now time.Time }

func (q *quick) Now() time.Time {
	q.now = q.now.Add(20 * time.Millisecond)
	return q.now
}
func (q *quick) Sleep(ctx context.Context, d time.Duration) error {
	q.now = q.now.Add(d)
	return ctx.Err()
}

// target is what a sink writes to: it outlives sinks.
type target struct {
	got  map[int32][]int64 // offsets as they came
	dice *rand.Rand
	bad  map[int64]endpoint.Policy // offsets that are never taken, in every partition
	fail float64                   // chance that a delivery fails for now, and half of it that the sink breaks
}

type testSink struct {
	*target
	done endpoint.Progress
	stop func(map[int32]int64)
}

var errBroken = errors.New("the sink is broken")

func (s *testSink) Begin(_ context.Context, p int32, committed int64) (int64, error) {
	return s.done.Begin(p, committed), nil
}

func (s *testSink) Deliver(_ context.Context, p int32, rs []connectors.Record) error {
	for _, r := range s.done.New(p, rs) {
		one := []connectors.Record{r}
		policy, bad := s.bad[r.Offset]
		switch {
		case bad:
			s.done.Delivered(p, one)
			return &endpoint.Rejected{Records: one, Policy: policy, Err: errors.New("no")}
		case s.dice.Float64() < s.fail/2:
			return errBroken
		case s.dice.Float64() < s.fail:
			return &endpoint.Retry{After: time.Second, Err: errors.New("busy")}
		}
		s.got[p] = append(s.got[p], r.Offset)
		s.done.Delivered(p, one)
	}
	return nil
}

func (s *testSink) Settle(context.Context, bool) (map[int32]int64, error) {
	s.stop(s.done)
	return maps.Clone(s.done), nil
}
func (s *testSink) Leave(p int32) { delete(s.done, p) }
func (s *testSink) Close() error  { return nil }

// TestDelivery: through aborts, unknown outcomes, refusals, pauses and sinks that break every record comes to the target, those of a partition in
// order, and nothing is left to do after it.
func TestDelivery(t *testing.T) {
	for seed := range int64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			const parts, rows = 3, 200
			schedule := sim.Schedule{}
			chance := 0.0
			if seed > 0 {
				schedule = sim.Schedule{Poll: sim.RandomPoll, Stall: 0.1, StallPolls: 4, Abort: 0.1, Unknown: 0.1}
				chance = 0.03
			}
			c := sim.New(seed, schedule)
			ctx := context.Background()
			if err := c.Create(ctx, connectors.TopicSpec{Name: "app.t.outbox", Partitions: parts}, connectors.TopicSpec{Name: "app.t.rejected", Partitions: 1}); err != nil {
				t.Fatal(err)
			}
			for p := range int32(parts) {
				for i := range rows {
					if _, err := c.Write(ctx, connectors.Record{Topic: "app.t.outbox", Partition: p, Value: fmt.Append(nil, i)}); err != nil {
						t.Fatal(err)
					}
				}
			}
			x := &target{got: map[int32][]int64{}, dice: rand.New(rand.NewSource(seed)), fail: chance, bad: map[int64]endpoint.Policy{7: endpoint.Skip, 9: endpoint.DeadLetter}}
			clock := &quick{}
			broken := 0
			for {
				run, cancel := context.WithCancel(ctx)
				looks := 0
				sink := &testSink{target: x, done: endpoint.Progress{}, stop: func(at map[int32]int64) {
					if looks++; looks > 100_000 {
						t.Error("it comes to no end")
						cancel()
					}
					if len(at) == parts && at[0] >= rows && at[1] >= rows && at[2] >= rows {
						cancel()
					}
				}}
				err := Run(run, Config{App: "app", Relation: "t", Cluster: c, InstanceID: "i", Clock: clock, Logger: slog.New(slog.DiscardHandler), Sink: sink})
				cancel()
				if err == nil {
					break
				}
				if !errors.Is(err, errBroken) {
					t.Fatal(err)
				}
				broken++
			}
			for p, got := range x.got {
				inOrder(t, p, got, rows, seed > 0)
			}
			if len(x.got) != parts {
				t.Errorf("%d partitions", len(x.got))
			}
			c.SetSchedule(sim.Schedule{})
			rejected := map[string]bool{}
			for _, r := range c.Visible("app.t.rejected") {
				rejected[string(r.Value)] = true
			}
			if len(rejected) != 1 || !rejected["9"] {
				t.Errorf("kept: %v", rejected)
			}
			at, err := c.Committed(ctx, "app.t.outbox")
			if err != nil {
				t.Fatal(err)
			}
			for p, o := range at {
				if seed == 0 && o.At < rows {
					t.Errorf("%v stands at %d", p, o.At)
				}
			}
		})
	}
}

// inOrder checks what came of a partition: everything but what is refused, in order; again says that it may have gone back.
func inOrder(t *testing.T, p int32, got []int64, rows int64, again bool) {
	t.Helper()
	next := int64(0)
	want := func() {
		for next == 7 || next == 9 {
			next++
		}
	}
	for _, o := range got {
		if want(); o > next || o < next && !again {
			t.Errorf("partition %d: %d came before %d", p, o, next)
			return
		}
		if o == next {
			next++
		}
	}
	if next != rows {
		t.Errorf("partition %d: %d of %d came", p, next, rows)
	}
}

// TestRefusedForGood ends the delivery; the next one begins with the record that was refused.
func TestRefusedForGood(t *testing.T) {
	c := sim.New(1, sim.Schedule{})
	ctx := context.Background()
	if err := c.Create(ctx, connectors.TopicSpec{Name: "app.t.outbox", Partitions: 1}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if _, err := c.Write(ctx, connectors.Record{Topic: "app.t.outbox", Value: fmt.Append(nil, i)}); err != nil {
			t.Fatal(err)
		}
	}
	x := &target{got: map[int32][]int64{}, dice: rand.New(rand.NewSource(1)), bad: map[int64]endpoint.Policy{3: endpoint.Fail}}
	for range 2 {
		sink := &failing{testSink{target: x, done: endpoint.Progress{}, stop: func(map[int32]int64) {}}}
		err := Run(ctx, Config{App: "app", Relation: "t", Cluster: c, InstanceID: "i", Clock: &quick{}, Logger: slog.New(slog.DiscardHandler), Sink: sink})
		if err == nil || !strings.Contains(err.Error(), "no") {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(x.got[0]); got != "[0 1 2]" {
		t.Errorf("came: %s", got)
	}
}

// failing does not count what is refused for good as taken.
type failing struct{ testSink }

func (f *failing) Deliver(ctx context.Context, p int32, rs []connectors.Record) error {
	for _, r := range f.done.New(p, rs) {
		if _, bad := f.bad[r.Offset]; bad {
			return &endpoint.Rejected{Records: []connectors.Record{r}, Policy: endpoint.Fail, Err: errors.New("no")}
		}
		if err := f.testSink.Deliver(ctx, p, []connectors.Record{r}); err != nil {
			return err
		}
	}
	return nil
}
