package streamsql

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/exec/outbox"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// outboxOf is the topic from which the rows for a relation are delivered, with what its connector promises.
func outboxOf(app string) func(*catalog.Relation) (topic, delivery string) {
	return func(rel *catalog.Relation) (string, string) {
		if rel.Connector == "go" {
			return outbox.Topic(app, rel.Name), goSinkDelivery
		}
		if own(rel) {
			return "", ""
		}
		k, err := endpoint.Lookup(rel.Connector)
		if err != nil || k.NewSink == nil || k.Direct != nil && k.Direct(endpointOf(rel)) {
			return "", ""
		}
		return outbox.Topic(app, rel.Name), k.Delivery
	}
}

// delivery brings the rows of an outbox to their target. It runs from the first query that writes there until the engine closes or the
// relation is dropped.
type delivery struct {
	rel    *catalog.Relation
	cancel context.CancelFunc
	done   chan struct{}
	err    error        // valid once done is closed
	hurry  atomic.Int32 // how many wait until everything is delivered
}

// deliverable refuses a target that cannot take what a query sends, before anything is left behind.
func deliverable(q *plan.Query, at ast.Span) error {
	t := q.Sink.Target
	if t == nil || own(t) {
		return nil
	}
	k, err := endpoint.Lookup(t.Connector)
	if err == nil && k.Target != nil {
		err = k.Target(endpointOf(t), q.Sink.P.Changes == plan.Upserts)
	}
	if err != nil {
		return asMistake(err, at)
	}
	return nil
}

// startDelivery starts what delivers the rows of a query, unless it runs already.
func (e *Engine) startDelivery(ctx context.Context, q *plan.Query) error {
	if q.Sink.Outbox == "" {
		return nil
	}
	rel := q.Sink.Target
	if e.delivers(rel.Name) {
		return nil
	}
	if err := e.cluster.Create(ctx, exec.TopicSpec(plan.Topic{Name: outbox.RejectedTopic(e.opts.Name, rel.Name), Partitions: 1, Cleanup: "delete", RetentionMS: -1})); err != nil {
		return err
	}
	infos, err := e.cluster.Topics(ctx, q.Sink.Outbox)
	if err != nil {
		return err
	}
	h := fnv.New32a()
	fmt.Fprint(h, infos[q.Sink.Outbox].ID)
	env := e.outside()
	env.Outbox = fmt.Sprintf("%08x", h.Sum32())
	sink, err := e.openSink(q.Sink, env)
	if err != nil {
		return fmt.Errorf("target %s: %w", rel.Name, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if old := e.mu.deliveries[strings.ToLower(rel.Name)]; e.mu.closed || old != nil && !old.ended() { // somebody was faster
		return sink.Close()
	}
	run, cancel := context.WithCancel(e.ctx)
	d := &delivery{rel: rel, cancel: cancel, done: make(chan struct{})}
	e.mu.deliveries[strings.ToLower(rel.Name)] = d
	e.wg.Add(1)
	go e.deliver(run, d, sink)
	return nil
}

// openSink opens the target of a sink that has an outbox.
func (e *Engine) openSink(n *plan.Sink, env endpoint.Env) (endpoint.Sink, error) {
	take, err := e.registeredSink(n.Target, ast.Span{})
	switch {
	case err != nil:
		return nil, err
	case take != nil:
		return newGoSink(n, take)
	}
	k, err := endpoint.Lookup(n.Target.Connector)
	if err != nil {
		return nil, err
	}
	return k.NewSink(endpointOf(n.Target), env)
}

// delivers says whether the rows of a relation are being delivered.
func (e *Engine) delivers(relation string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.mu.deliveries[strings.ToLower(relation)]
	return d != nil && !d.ended()
}

func (d *delivery) ended() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

// deliver runs a delivery to its end. When it fails, so do the queries that write to its target.
func (e *Engine) deliver(ctx context.Context, d *delivery, sink endpoint.Sink) {
	defer e.wg.Done()
	defer d.cancel()
	err := e.pass(ctx, d, sink)
	if err != nil {
		err = fmt.Errorf("target %s: %w", d.rel.Name, err)
	}
	e.mu.Lock()
	d.err = err
	close(d.done)
	if err != nil && ctx.Err() == nil {
		e.opts.Logger.Error("rows are not delivered any more", "relation", d.rel.Name, "error", err)
		for _, q := range e.mu.queries {
			if t := q.plan.Sink.Target; t != nil && strings.EqualFold(t.Name, d.rel.Name) {
				q.cancel(err)
			}
		}
	}
	e.mu.Unlock()
}

// pass delivers until ctx ends.
func (e *Engine) pass(ctx context.Context, d *delivery, sink endpoint.Sink) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v\n%s", p, stack())
		}
		if closing := sink.Close(); err == nil {
			err = closing
		}
	}()
	return outbox.Run(ctx, outbox.Config{
		App: e.opts.Name, Relation: d.rel.Name, Cluster: e.cluster, InstanceID: e.lock.InstanceID(), Clock: feedClock{e.opts.Clock},
		Logger: e.opts.Logger, Sink: sink, Hurry: func() bool { return d.hurry.Load() > 0 },
	})
}

// deliveredEvery is how often it is looked whether everything was delivered.
const deliveredEvery = 50 * time.Millisecond

// delivered waits until all that lies in the outbox of a query has come to its target, by whichever instance.
func (e *Engine) delivered(ctx context.Context, q *plan.Query) error {
	if q.Sink.Outbox == "" {
		return nil
	}
	e.mu.Lock()
	d := e.mu.deliveries[strings.ToLower(q.Sink.Target.Name)]
	e.mu.Unlock()
	if d == nil {
		return nil
	}
	d.hurry.Add(1)
	defer d.hurry.Add(-1)
	infos, err := e.cluster.Topics(ctx, q.Sink.Outbox)
	if err != nil {
		return err
	}
	ends, err := e.cluster.Ends(ctx, connectors.PartitionsOf(q.Sink.Outbox, infos[q.Sink.Outbox].Partitions)...)
	if err != nil {
		return err
	}
	for {
		at, err := e.cluster.Committed(ctx, q.Sink.Outbox)
		if err != nil {
			return err
		}
		there := true
		for p, end := range ends {
			there = there && (end == 0 || at[p].At >= end)
		}
		if there {
			return nil
		}
		select {
		case <-d.done:
			return d.err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.NewTimer(deliveredEvery).C:
		}
	}
}

// stopDelivery stops the delivery of a relation, if it has one, and waits for that. What lies in its outbox stays there.
func (e *Engine) stopDelivery(ctx context.Context, relation string) error {
	e.mu.Lock()
	d := e.mu.deliveries[strings.ToLower(relation)]
	delete(e.mu.deliveries, strings.ToLower(relation))
	e.mu.Unlock()
	if d == nil {
		return nil
	}
	d.cancel()
	select {
	case <-d.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("target %s does not stop: %w", relation, context.Cause(ctx))
	}
}

// lastDeliveries is how long a closing engine waits for what its targets have not taken yet, when the broker and the outboxes go with it.
const lastDeliveries = 5 * time.Second

// deliverLast lets the targets take what was written for them, where it would be gone otherwise.
func (e *Engine) deliverLast(ctx context.Context, qs []*Query) {
	if e.broker == nil || e.opts.DataDir != "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastDeliveries)
	defer cancel()
	for _, q := range qs {
		if err := e.delivered(ctx, q.plan); err != nil {
			e.opts.Logger.Warn("rows were not delivered, and go with the broker in this process", "query", q.Name(), "error", err)
		}
	}
}
