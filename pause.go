package streamsql

import (
	"context"
	"errors"
	"fmt"
)

var errPaused = errors.New("paused")

// Pause commits, leaves the group and keeps the query for Resume; it returns when that is done. Pausing a paused query does
// nothing, pausing one that has ended is an error.
func (q *Query) Pause(ctx context.Context) error { return q.want(ctx, Paused) }

// Resume goes on with a paused query; one that is still pausing goes on as soon as it has left. Resuming a running query
// does nothing, resuming one that has ended is an error.
func (q *Query) Resume(ctx context.Context) error { return q.want(ctx, Running) }

// want asks for a state and waits until it is reached.
func (q *Query) want(ctx context.Context, s State) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over() {
		return fmt.Errorf("query %s is %s: only a query that runs can be paused and resumed", q.plan.Name, q.mu.state)
	}
	q.mu.wanted = s
	if s == Paused && q.mu.pause != nil {
		q.mu.pause(errPaused)
	}
	q.tell()
	for q.mu.state != s {
		if q.over() {
			return fmt.Errorf("query %s is %s: it ended meanwhile", q.plan.Name, q.mu.state)
		}
		if q.mu.wanted != s {
			return fmt.Errorf("query %s: somebody else wants it %s", q.plan.Name, q.mu.wanted)
		}
		if err := q.wait(ctx); err != nil {
			return fmt.Errorf("query %s is %s still: %w", q.plan.Name, q.mu.state, err)
		}
	}
	return nil
}

// begin notes what ends the job under way, nil after it. It is false when a pause is wanted: then no job begins.
func (q *Query) begin(pause context.CancelCauseFunc) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if pause != nil && q.mu.wanted == Paused {
		return false
	}
	q.mu.pause = pause
	return true
}

// rest is the pause: it returns when the query is to go on or ctx ends.
func (q *Query) rest(ctx context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.mu.wanted == Paused {
		q.change(Paused)
		if q.wait(ctx) != nil {
			return
		}
	}
	q.change(Running)
}

// set sets the state.
func (q *Query) set(s State) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.change(s)
}

// The rest is called with the lock held.

func (q *Query) over() bool { return q.mu.state != Running && q.mu.state != Paused }

func (q *Query) change(s State) {
	if q.mu.state != s {
		q.mu.state = s
		q.tell()
	}
}

// tell wakes all that wait.
func (q *Query) tell() {
	close(q.mu.changed)
	q.mu.changed = make(chan struct{})
}

// wait waits for a change, without the lock.
func (q *Query) wait(ctx context.Context) error {
	changed := q.mu.changed
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
