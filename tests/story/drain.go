package story

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/sim"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner/plan"
)

const (
	tick        = 50 * time.Millisecond
	settleTime  = 600 * time.Millisecond
	joinTime    = 2400 * time.Millisecond
	idleTime    = 7 * time.Second // partitions that rows were spread over must go idle for windows to close
	boundedTime = 20 * time.Second
	// faultLimit is when faults pause, so that work that aborts make faster than it gets done comes to an end; roundLimit
	// is when a world that never comes to rest is given up.
	faultLimit = 3000
	roundLimit = 15000
)

// shuffled is the instances in an order drawn by the seed.
func (w *world) shuffled() []*instance {
	out := slices.Clone(w.instances)
	w.rng.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
	return out
}

// mayStart says whether query n may begin: in a bounded run once the one before is over.
func (w *world) mayStart(n int) bool {
	if w.test.until != exec.UntilEnd || n == 0 {
		return true
	}
	return w.over(n - 1)
}

// drain lets everything that was inserted go through, and a little time pass.
func (w *world) drain(ctx context.Context) error {
	if !w.dirty {
		return nil
	}
	w.dirty = false
	left := settleTime
	for _, q := range w.queries {
		plan.Walk(q.Root, func(n plan.Node) {
			if _, ok := n.(*plan.TableJoin); ok {
				left = joinTime
			}
		})
	}
	if w.regime.factor() > 1 {
		left = idleTime
	}
	if w.test.until == exec.UntilEnd {
		left = boundedTime
	}
	if err := w.settle(ctx, left); err != nil || !w.regime.faulty() {
		return err
	}
	// An abort or a crash makes rows wait anew: what came of them is seen once they have ended for a while.
	g := w.regime
	w.calm()
	w.cluster.ExpireDead() // a member that came back in the next bounded run has another id
	err := w.settle(ctx, left)
	w.regime = g
	w.cluster.SetSchedule(g.Schedule)
	return err
}

// settle drains for so long, or until a bounded run has ended.
func (w *world) settle(ctx context.Context, left time.Duration) error {
	bounded := w.test.until == exec.UntilEnd
	for {
		if err := w.quiet(ctx); err != nil {
			return err
		}
		switch {
		case bounded && w.finished():
			return nil
		case left <= 0 && bounded && !w.regime.faulty():
			return fmt.Errorf("the bounded run does not end")
		case left <= 0:
			return nil
		}
		w.clock.Advance(tick)
		left -= tick
	}
}

// calm ends all faults.
func (w *world) calm() {
	w.regime.Crash, w.regime.Kill, w.regime.Move = 0, 0, 0
	s := sim.Schedule{Poll: w.regime.Schedule.Poll}
	w.regime.Schedule = s
	w.cluster.SetSchedule(s)
}

func (w *world) finished() bool {
	for n := range w.queries {
		if !w.over(n) {
			return false
		}
	}
	return true
}

// over says whether the bounded run of query n is: one instance that knew is enough, since the run is that of all. Nobody starts a process
// again whose run has ended.
func (w *world) over(n int) bool { return w.ended[n] }

// advance moves the clock in small steps and drains at each. Faults happen in the first third of the way only: timers
// that a crash or an abort starts anew must have the time to run out.
func (w *world) advance(ctx context.Context, to time.Time) error {
	g := w.regime
	calmFrom := w.clock.Now().Add(to.Sub(w.clock.Now()) / 3)
	for w.clock.Now().Before(to) {
		if w.clock.Now().After(calmFrom) {
			w.calm()
		}
		w.clock.Advance(min(250*time.Millisecond, to.Sub(w.clock.Now())))
		if err := w.quiet(ctx); err != nil {
			return err
		}
	}
	w.regime = g
	w.cluster.SetSchedule(g.Schedule)
	w.dirty = true
	return nil
}

// quiet runs rounds until nothing moves for longer than a stall lasts.
func (w *world) quiet(ctx context.Context) error {
	g := w.regime
	defer func() {
		w.regime = g
		w.cluster.SetSchedule(g.Schedule)
	}()
	for round, still := 0, 0; still < 2+w.regime.Schedule.StallPolls; round++ {
		if round == faultLimit && g.faulty() {
			w.calm()
		}
		if round > roundLimit {
			return fmt.Errorf("does not come to rest: instances make progress for ever")
		}
		progress, err := w.round(ctx)
		if err != nil {
			return err
		}
		if still++; progress {
			still = 0
		}
	}
	return nil
}

// wander is some rounds, whether or not anything is left to do.
func (w *world) wander(ctx context.Context, rounds int) error {
	for range rounds {
		if _, err := w.round(ctx); err != nil {
			return err
		}
	}
	return nil
}

// round steps every job of every instance once, with kills and rebalances as the regime has them.
func (w *world) round(ctx context.Context) (progress bool, err error) {
	w.disturb()
	for _, i := range w.shuffled() {
		if i.rest > 0 {
			i.rest--
			progress = true
			continue
		}
		if err := i.start(ctx, w); err != nil {
			if w.died(i, err) {
				progress = true
				continue
			}
			return false, err
		}
		p, err := w.step(ctx, i)
		if err != nil {
			return false, err
		}
		progress = progress || p
	}
	return progress, nil
}

// step steps an instance's jobs. One that died of a fault takes its process with it.
func (w *world) step(ctx context.Context, i *instance) (progress bool, err error) {
	for _, n := range w.rng.Perm(len(i.jobs)) {
		j := i.jobs[n]
		if j == nil || j.Finished() {
			continue
		}
		p, err := j.Step(ctx)
		progress = progress || p
		w.ended[n] = w.ended[n] || j.Finished()
		if err == nil {
			continue
		}
		if !w.died(i, err) {
			return false, fmt.Errorf("query %s on %s: %w", w.queries[n].Name, i.id, err)
		}
		return true, nil
	}
	return progress, nil
}

// died says whether err is a fault that the regime made; the instance is then down and comes back.
func (w *world) died(i *instance, err error) bool {
	if !errors.Is(err, errCrash) && !errors.Is(err, connectors.ErrUnknownOutcome) && !errors.Is(err, connectors.ErrFenced) {
		return false
	}
	w.kill(i)
	return true
}

// kill ends an instance as kill -9 does. Either it is back at once, in its place, or its membership ends first.
func (w *world) kill(i *instance) {
	i.crash(w.rng)
	i.rest = w.rng.Intn(4)
	if w.rng.Intn(2) == 0 {
		w.cluster.Expire(i.group())
	}
}

func (w *world) disturb() {
	if w.regime.Kill > 0 && w.mayFail() && w.rng.Float64() < w.regime.Kill {
		w.crashes++
		w.kill(w.instances[w.rng.Intn(len(w.instances))])
	}
	if w.regime.Move > 0 && w.mayFail() && w.rng.Float64() < w.regime.Move {
		w.crashes++
		for _, q := range w.queries {
			w.cluster.Rebalance(app + "." + q.Name)
		}
	}
}

// mayFail bounds the crashes of a test. Where one instance knows that the bounded run is over, its process has ended: a
// crash of another one now would begin a new run, in which the first one has no part.
func (w *world) mayFail() bool {
	if w.crashes >= maxCrashes {
		return false
	}
	for n := range w.queries {
		if w.over(n) {
			return false
		}
	}
	return true
}
