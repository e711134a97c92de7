package streamsql

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/connectors/partition"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// Feed is a source in Go: Run hands records to write, in order, until the input ends or ctx does. Of a record it fills
// Value, Timestamp (milliseconds) and, if it likes, Key and Headers. An error ends the queries that read the source.
type Feed = connectors.Feed

// Record is a record of a Feed.
type Record = connectors.Record

// Resumer is a Feed that knows from its own records how far it has come.
type Resumer = connectors.Resumer

// FeedFunc makes a function a Feed.
type FeedFunc func(ctx context.Context, write func([]Record) error) error

// Run implements Feed.
func (f FeedFunc) Run(ctx context.Context, write func([]Record) error) error { return f(ctx, write) }

// RegisterSource makes f the source of a relation declared WITH (connector = 'go'): its records are written into a topic of
// the cluster, from where queries read them. Register before the relation is created.
//
// Errors: a relation that has a source already, a nil feed.
func (e *Engine) RegisterSource(relation string, f Feed) error {
	if f == nil {
		return fmt.Errorf("the Go source of %s is nil", relation)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	name := strings.ToLower(relation)
	if e.mu.sources[name] != nil {
		return fmt.Errorf("a Go source of %s is registered already", relation)
	}
	e.mu.sources[name] = f
	return nil
}

// feeding is the feed of a relation that is not Kafka.
type feeding struct {
	rel   *catalog.Relation
	feed  connectors.Feed
	bound string   // what would give the feed an end; "": it has one
	run   *feedRun // of Engine.mu; nil: not started, or failed, so that the next query may start it again
}

// feedRun is one run of a feed.
type feedRun struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid once done is closed
}

// makeFeed makes the feed of a relation whose options were checked; nil for one of Kafka.
func (e *Engine) makeFeed(st *ast.Create, rel *catalog.Relation) (*feeding, error) {
	f := &feeding{rel: rel}
	switch {
	case rel.Kind == ast.View || rel.Connector == "kafka":
		return nil, nil
	case rel.Connector == "go":
		e.mu.Lock()
		f.feed = e.mu.sources[strings.ToLower(rel.Name)]
		e.mu.Unlock()
		if f.feed == nil {
			return nil, ast.Errorf(st.Name.Pos(), "no Go source is registered for %s", rel.Name).WithHint("call Engine.RegisterSource(%q, …) before this statement", rel.Name)
		}
		return f, nil
	}
	k, err := endpoint.Lookup(rel.Connector)
	if err != nil || k.NewSource == nil {
		return nil, err
	}
	s, err := k.NewSource(endpointOf(rel), e.outside())
	if err != nil {
		return nil, asMistake(err, st.Name.Pos())
	}
	f.feed, f.bound = s.Feed, s.Bound
	return f, nil
}

// outside is what connectors get of the engine.
func (e *Engine) outside() endpoint.Env {
	return endpoint.Env{App: e.opts.Name, Clock: feedClock{e.opts.Clock}, Stdin: os.Stdin, Stdout: os.Stdout, Logger: e.opts.Logger}
}

// feedClock lets a feed wait by the engine's clock.
type feedClock struct{ exec.Clock }

// Sleep waits for d or until ctx ends.
func (c feedClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startFeeds starts the feeds of a query's sources that do not run yet. The caller holds Engine.mu.
func (e *Engine) startFeeds(q *plan.Query) []*feedRun {
	var runs []*feedRun
	for _, s := range q.Sources {
		f := e.mu.feeds[strings.ToLower(s.Name)]
		if f == nil {
			continue
		}
		if f.run == nil {
			ctx, cancel := context.WithCancel(e.ctx)
			f.run = &feedRun{cancel: cancel, done: make(chan struct{})}
			e.wg.Add(1)
			go e.runFeed(ctx, f, f.run)
		}
		runs = append(runs, f.run)
	}
	return runs
}

// drainFeeds starts the feeds of a bounded query's sources and waits for their ends: only then is known what "the end" of
// the sources is.
func (e *Engine) drainFeeds(ctx context.Context, q *plan.Query) error {
	e.mu.Lock()
	for _, s := range q.Sources {
		if f := e.mu.feeds[strings.ToLower(s.Name)]; f != nil && f.bound != "" {
			e.mu.Unlock()
			return fmt.Errorf("source %s has no end that a bounded run could wait for: %s, or run without an end (--until)", s.Name, f.bound)
		}
	}
	if e.mu.closed {
		e.mu.Unlock()
		return ErrClosed
	}
	runs := e.startFeeds(q)
	e.mu.Unlock()
	for _, r := range runs {
		select {
		case <-r.done:
			if r.err != nil {
				return r.err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.ctx.Done():
			return ErrClosed
		}
	}
	return nil
}

// stopFeed stops the feed of a relation, if it has one, and waits for that.
func (e *Engine) stopFeed(ctx context.Context, relation string) error {
	e.mu.Lock()
	f := e.mu.feeds[strings.ToLower(relation)]
	delete(e.mu.feeds, strings.ToLower(relation))
	var r *feedRun
	if f != nil {
		r = f.run
	}
	e.mu.Unlock()
	if r == nil {
		return nil
	}
	r.cancel()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("source %s does not stop: %w", relation, context.Cause(ctx))
	}
}

// runFeed runs a feed to its end. When it fails, so do the queries that read it.
func (e *Engine) runFeed(ctx context.Context, f *feeding, r *feedRun) {
	defer e.wg.Done()
	defer r.cancel()
	err := e.pour(ctx, f)
	failed := err != nil && ctx.Err() == nil
	if err != nil {
		err = fmt.Errorf("source %s: %w", f.rel.Name, err)
	}
	e.mu.Lock()
	r.err = err
	if failed {
		f.run = nil
		for _, q := range e.mu.queries {
			if uses(q, f.rel) {
				q.cancel(err)
			}
		}
	}
	e.mu.Unlock()
	close(r.done)
}

// pour writes what a feed yields into the relation's topic. What an earlier run wrote is not written again: a Resumer is told of it; any
// other feed yields the same records in the same order again, so that each partition already holds the first of those that go to it.
func (e *Engine) pour(ctx context.Context, f *feeding) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v\n%s", p, stack())
		}
	}()
	held, err := e.written(ctx, f.rel)
	if err != nil {
		return err
	}
	n := int64(0)
	if r, ok := f.feed.(connectors.Resumer); ok {
		if n, err = e.seen(ctx, f.rel, r, held); err != nil {
			return err
		}
		held = make([]int64, len(held))
	}
	return f.feed.Run(ctx, func(rs []connectors.Record) error {
		var out []connectors.Record
		for _, r := range rs {
			r.Topic, r.Partition = f.rel.Topic, place(f.rel, r.Key, n)
			n++
			if held[r.Partition] > 0 {
				held[r.Partition]--
				continue
			}
			out = append(out, r)
		}
		if len(out) == 0 {
			return ctx.Err()
		}
		_, err := e.cluster.Write(ctx, out...)
		return err
	})
}

// seen tells a feed of the records that it wrote before, and counts them.
func (e *Engine) seen(ctx context.Context, rel *catalog.Relation, feed connectors.Resumer, held []int64) (n int64, err error) {
	for p, end := range held {
		err := e.cluster.Read(ctx, connectors.Partition{Topic: rel.Topic, Partition: int32(p)}, 0, end, func(rs []connectors.Record) error {
			feed.Seen(rs)
			return nil
		})
		if err != nil {
			return n, err
		}
		n += end
	}
	return n, nil
}

// place is the partition of a feed's record n (from 0): by its key where the relation declares one, else in turn.
func place(rel *catalog.Relation, key []byte, n int64) int32 {
	if len(rel.Key) > 0 && key != nil && rel.Partitioner != catalog.UnknownPartitioner {
		return partition.Of(rel.Partitioner.String())(key, rel.Partitions)
	}
	return int32(n % int64(rel.Partitions))
}

// written is how many records each partition of a relation's topic holds.
func (e *Engine) written(ctx context.Context, rel *catalog.Relation) ([]int64, error) {
	ends, err := e.cluster.Ends(ctx, connectors.PartitionsOf(rel.Topic, rel.Partitions)...)
	n := make([]int64, rel.Partitions)
	for p, end := range ends {
		n[p.Partition] = end
	}
	return n, err
}
