package streamsql

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Until says when a query ends by itself.
type Until = exec.Until

// The ends.
const (
	// Endless runs until stopped.
	Endless = exec.Endless
	// UntilEnd stops once everything that was in the sources at start has gone through, and closes all windows.
	UntilEnd = exec.UntilEnd
	// UntilCaughtUp stops there and leaves windows open.
	UntilCaughtUp = exec.UntilCaughtUp
)

// Stats are figures of a query on this instance.
type Stats = exec.Stats

// State of a query.
type State string

// The states.
const (
	Running  State = "RUNNING"
	Paused   State = "PAUSED"
	Finished State = "FINISHED" // Until was reached
	Stopped  State = "STOPPED"
	Failed   State = "FAILED"
)

// Query is a running query.
type Query struct {
	e       *Engine
	plan    *plan.Query
	cfg     exec.Config
	started time.Time

	cancel  context.CancelCauseFunc
	stopped chan struct{}
	state   atomic.Value // State
	stats   atomic.Pointer[exec.Stats]
	err     error // valid once stopped is closed
	closing error // of stopping, likewise
	paused  chan bool
	finish  func() // after the end
}

var errPaused = errors.New("paused")

// Name is the query's: its target's, or the one given.
func (q *Query) Name() string { return q.plan.Name }

// SQL is its text.
func (q *Query) SQL() string { return q.plan.SQL }

// Explain is its plan.
func (q *Query) Explain() string { return q.plan.Explain(q.e.opts.Name).String() }

// State is what it does.
func (q *Query) State() State { return q.state.Load().(State) }

// Stats are its figures, as of the last tenth of a second.
func (q *Query) Stats() Stats {
	if s := q.stats.Load(); s != nil {
		return *s
	}
	return Stats{}
}

// Done is closed when the query has ended.
func (q *Query) Done() <-chan struct{} { return q.stopped }

// Wait waits for the end of the query and returns its error: nil when it was stopped or reached its end.
func (q *Query) Wait(ctx context.Context) error {
	select {
	case <-q.stopped:
		return q.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Stop commits what was processed, ends the query and waits for that.
func (q *Query) Stop(ctx context.Context) error {
	q.cancel(nil)
	select {
	case <-q.stopped:
		return errors.Join(q.err, q.closing)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// start runs a planned query in a goroutine.
func (e *Engine) start(p *plan.Query, until Until, take func(context.Context, *vector.Batch) error, finish func()) (*Query, error) {
	shuffle := exec.ShuffleTopic
	if e.opts.Shuffle == ShuffleLocal {
		shuffle = exec.ShuffleLocal
	}
	q := &Query{
		e: e, plan: p, started: e.opts.Clock.Now(), stopped: make(chan struct{}), paused: make(chan bool, 1), finish: finish,
		cfg: exec.Config{
			App: e.opts.Name, Cluster: e.cluster, Clock: e.opts.Clock, Logger: e.opts.Logger.With("query", p.Name), StateDir: e.dir, FS: e.opts.FS,
			Cache: e.cache, InstanceID: e.lock.InstanceID(), Shuffle: shuffle, Until: until, CommitInterval: e.opts.CommitInterval,
			Memory: e.opts.Memory,
		},
	}
	q.state.Store(Running)
	ctx, cancel := context.WithCancelCause(e.ctx)
	q.cancel = cancel
	if take != nil {
		q.cfg.OnRows = func(b *vector.Batch) error { return take(ctx, b) }
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.mu.closed {
		cancel(nil)
		return nil, ErrClosed
	}
	if old, ok := e.mu.queries[p.Name]; ok && !old.ended() {
		cancel(nil)
		return nil, fmt.Errorf("query %s runs already: TERMINATE it first, or use another name", p.Name)
	}
	if _, ok := e.mu.queries[p.Name]; !ok {
		e.mu.order = append(e.mu.order, p.Name)
	}
	e.mu.queries[p.Name] = q
	e.wg.Add(1)
	go q.run(ctx)
	return q, nil
}

func (q *Query) ended() bool {
	select {
	case <-q.stopped:
		return true
	default:
		return false
	}
}

// run runs the job until it ends, is stopped or fails. Pausing leaves the group; resuming joins again.
func (q *Query) run(ctx context.Context) {
	defer q.e.wg.Done()
	defer close(q.stopped)
	defer q.cancel(nil)
	defer func() {
		if p := recover(); p != nil {
			q.err = fmt.Errorf("query %s: internal error: %v\n%s", q.Name(), p, stack())
			q.state.Store(Failed)
		}
		if q.finish != nil {
			q.finish()
		}
	}()
	for {
		err := q.job(ctx)
		if errors.Is(err, errPaused) {
			q.state.Store(Paused)
			select {
			case <-q.paused:
				q.state.Store(Running)
				continue
			case <-ctx.Done():
				err = nil
			}
		}
		switch {
		case err != nil:
			q.err = err
			q.state.Store(Failed)
			q.e.opts.Logger.Error("query failed", "query", q.Name(), "error", err)
		case ctx.Err() != nil:
			q.state.Store(Stopped)
		default:
			q.state.Store(Finished)
		}
		return
	}
}

// stopTimeout bounds a graceful stop: below Kubernetes' grace period of 30 s.
const stopTimeout = 25 * time.Second

// job runs one job until ctx ends or it is done.
func (q *Query) job(ctx context.Context) error {
	j, err := exec.New(ctx, q.plan, q.cfg)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-q.paused:
			cancel(errPaused)
		case <-run.Done():
		}
	}()
	j.OnStats(100*time.Millisecond, func(s exec.Stats) { q.stats.Store(&s) })
	err = j.Run(run)
	pausing := errors.Is(context.Cause(run), errPaused)
	cancel(nil)
	<-watching
	s := j.Stats()
	q.stats.Store(&s)
	if err != nil {
		j.Abandon()
		return err
	}
	stopCtx, done := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer done()
	q.closing = j.Stop(stopCtx)
	if q.closing == nil {
		s.Out = j.Stats().Out
		q.stats.Store(&s)
	}
	if pausing {
		return errPaused
	}
	return nil
}

// Pause commits, leaves the group and keeps the query for Resume.
func (q *Query) Pause() error {
	if q.State() != Running {
		return fmt.Errorf("query %s is %s, not running", q.Name(), q.State())
	}
	q.paused <- true
	return nil
}

// Resume goes on with a paused query.
func (q *Query) Resume() error {
	if q.State() != Paused {
		return fmt.Errorf("query %s is %s, not paused", q.Name(), q.State())
	}
	q.paused <- false
	return nil
}

// StateDir is where its local state is.
func (q *Query) StateDir() string { return filepath.Join(q.e.dir, q.Name()) }

// Queries are the queries of this engine in the order they were started, ended ones included.
func (e *Engine) Queries() []*Query {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]*Query, 0, len(e.mu.order))
	for _, n := range e.mu.order {
		out = append(out, e.mu.queries[n])
	}
	return out
}

// Lookup finds a query by name.
func (e *Engine) Lookup(name string) (*Query, error) {
	for _, q := range e.Queries() {
		if equalFold(q.Name(), name) {
			return q, nil
		}
	}
	return nil, fmt.Errorf("no query named %s: SHOW QUERIES lists them", name)
}
