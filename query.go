package streamsql

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
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

	cancel  context.CancelCauseFunc // with a cause: the query failed
	stopped chan struct{}
	stats   atomic.Pointer[exec.Stats]
	err     error  // valid once stopped is closed
	closing error  // of stopping, likewise
	finish  func() // after the end; may be nil
	bad     badRecords

	mu struct {
		sync.Mutex
		state   State
		wanted  State                   // Running or Paused
		pause   context.CancelCauseFunc // ends the job under way; nil: there is none
		changed chan struct{}           // closed and made anew when state or wanted changes
	}
}

// Name is the query's: its target's, or the one given.
func (q *Query) Name() string { return q.plan.Name }

// SQL is its text.
func (q *Query) SQL() string { return q.plan.SQL }

// Explain is its plan.
func (q *Query) Explain() string { return q.plan.Explain(q.e.opts.Name).String() }

// Target is the name of the stream or table it writes, "" for an ad-hoc SELECT.
func (q *Query) Target() string {
	if t := q.plan.Sink.Target; t != nil {
		return t.Name
	}
	return ""
}

// Started is when it began in this process.
func (q *Query) Started() time.Time { return q.started }

// State is what it does.
func (q *Query) State() State {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.state
}

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

// halt stops the query and waits for that as long as a stop may take.
func (q *Query) halt() error {
	ctx, cancel := context.WithTimeout(context.Background(), q.e.patience)
	defer cancel()
	return q.halted(ctx)
}

// halted is halt with the time left in ctx.
func (q *Query) halted(ctx context.Context) error {
	q.cancel(nil)
	select {
	case <-q.stopped:
		return q.closing
	case <-ctx.Done():
	}
	if q.ended() {
		return q.closing
	}
	return fmt.Errorf("query %s did not stop within %v: a sink, the brokers or the disk hold it up; its state directory stays locked until the program ends", q.Name(), q.e.patience)
}

// start runs a planned query in a goroutine.
func (e *Engine) start(p *plan.Query, until Until, take func(context.Context, *vector.Batch) error, finish func()) (*Query, error) {
	shuffle := exec.ShuffleTopic
	if e.opts.Shuffle == ShuffleLocal {
		shuffle = exec.ShuffleLocal
	}
	q := &Query{
		e: e, plan: p, started: e.opts.Clock.Now(), stopped: make(chan struct{}), finish: finish,
		cfg: exec.Config{
			App: e.opts.Name, Cluster: e.cluster, Clock: e.opts.Clock, Logger: e.opts.Logger.With("query", p.Name), StateDir: e.dir, FS: e.opts.FS,
			Cache: e.cache, InstanceID: e.lock.InstanceID(), Shuffle: shuffle, Until: until, CommitInterval: e.settings().commitInterval,
			Memory: e.opts.Memory,
		},
	}
	q.cfg.OnBad = q.bad.add
	q.mu.state, q.mu.wanted, q.mu.changed = Running, Running, make(chan struct{})
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
	e.startFeeds(p)
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

// run runs jobs until the query ends, is stopped or fails. Pausing leaves the group; resuming joins again.
func (q *Query) run(ctx context.Context) {
	defer q.e.wg.Done()
	defer close(q.stopped)
	defer q.cancel(nil)
	defer func() {
		if p := recover(); p != nil {
			q.err = fmt.Errorf("query %s: %w", q.Name(), panicked(p))
			q.set(Failed)
		}
		if q.finish != nil {
			q.finish()
		}
	}()
	for {
		finished, err := q.job(ctx)
		if err == nil && !finished && ctx.Err() == nil { // a pause, which may be over already
			q.rest(ctx)
			continue
		}
		if err == nil && finished {
			err = q.e.delivered(ctx, q.plan)
		}
		cause := context.Cause(ctx)
		if err == nil && !finished && !errors.Is(cause, context.Canceled) {
			err = cause
		}
		switch {
		case err != nil:
			q.err = err
			q.set(Failed)
			if q.plan.Sink.Target != nil { // a SELECT's reader gets the error
				q.e.opts.Logger.Error("query failed", "query", q.Name(), "error", err)
			}
		case finished:
			q.set(Finished)
		default:
			q.set(Stopped)
		}
		return
	}
}

// stopTimeout bounds a graceful stop: below Kubernetes' grace period of 30 s. A job takes at most leaveTimeout of it.
const (
	stopTimeout  = 25 * time.Second
	leaveTimeout = 24 * time.Second
)

// job runs one job until ctx ends, a pause is wanted or it is done.
func (q *Query) job(ctx context.Context) (finished bool, err error) {
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !q.begin(cancel) {
		return false, nil
	}
	defer q.begin(nil)
	j, err := exec.New(run, q.plan, q.cfg)
	if err != nil {
		if run.Err() != nil {
			return false, nil
		}
		return false, err
	}
	ran := false
	defer func() {
		if !ran { // a panic is on its way
			j.Abandon()
		}
	}()
	j.OnStats(100*time.Millisecond, func(s exec.Stats) { q.stats.Store(&s) })
	err = j.Run(run)
	ran = true
	s := j.Stats()
	q.stats.Store(&s)
	if err != nil {
		j.Abandon()
		return false, err
	}
	stopCtx, done := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer done()
	q.closing = j.Stop(stopCtx)
	if q.closing == nil {
		s.In, s.Out = j.Stats().In, j.Stats().Out
		q.stats.Store(&s)
	}
	return j.Finished(), nil
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
		if strings.EqualFold(q.Name(), name) {
			return q, nil
		}
	}
	return nil, fmt.Errorf("no query named %s: SHOW QUERIES lists them", name)
}
