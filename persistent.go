package streamsql

import (
	"context"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format/schemas"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/planner"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// compile plans a statement against the catalog and the cluster.
func (e *Engine) compile(ctx context.Context, s *ast.Script, st ast.Statement, name string) (*planner.Compiled, error) {
	return e.compileWith(ctx, e.clusterTopics(ctx), s, st, name)
}

func (e *Engine) compileWith(ctx context.Context, topics *clusterTopics, s *ast.Script, st ast.Statement, name string) (*planner.Compiled, error) {
	if cr, ok := st.(*ast.Create); ok {
		st = e.withDefaults(cr)
	}
	c, err := planner.Compile(e.catalog, st, planner.Options{
		Schema: schemas.Columns(ctx, e.opts.Formats),
		App:    e.opts.Name, Topics: topics, DefaultPartitions: 1, File: s.Name, Text: s.Text, Name: name,
		Outbox: outboxOf(e.opts.Name), Functions: &e.library, Using: e.settings().using,
	})
	switch {
	case topics.err != nil:
		return nil, topics.err
	case err != nil:
		return nil, err
	}
	return c, usable(c.Query, st)
}

// persistent plans CREATE … AS and INSERT … SELECT.
func (e *Engine) persistent(ctx context.Context, s *ast.Script, st ast.Statement, a ask) (outcome, error) {
	c, err := e.compileToRun(ctx, s, st, a.name)
	if err != nil {
		return outcome{}, err
	}
	cr, creates := st.(*ast.Create)
	if creates {
		if err := checkConnector(cr, c.Relation); err != nil {
			return outcome{}, err
		}
	}
	if _, err := e.registeredSink(c.Query.Sink.Target, targetPlace(st)); err != nil {
		return outcome{}, err
	}
	if _, _, err := task.Codecs(ctx, c.Query.Sink); err != nil {
		return outcome{}, err
	}
	if err := e.createTopics(ctx, c); err != nil {
		return outcome{}, err
	}
	take, closing, err := e.sink(ctx, c.Query)
	if err != nil {
		return outcome{}, err
	}
	if creates {
		if err := e.add(ctx, cr, c.Relation, nil); err != nil {
			if closing != nil {
				closing()
			}
			return outcome{}, err
		}
	}
	for _, w := range c.Query.Warnings {
		e.opts.Logger.Warn(w, "query", c.Query.Name)
	}
	return outcome{message: "query " + c.Query.Name + " started", pending: func() (*Query, error) {
		q, err := e.begin(ctx, c.Query, a.until, take, closing)
		if err != nil && closing != nil {
			closing()
		}
		return q, err
	}}, nil
}

// begin starts a query; a bounded one once its feeds have ended, and the bounded queries whose results it reads.
func (e *Engine) begin(ctx context.Context, p *plan.Query, until Until, take func(context.Context, *vector.Batch) error, finish func()) (*Query, error) {
	if until != Endless {
		if err := e.drainFeeds(ctx, p); err != nil {
			return nil, err
		}
		if err := e.awaitWriters(ctx, p); err != nil {
			return nil, err
		}
	}
	if err := e.startDelivery(ctx, p); err != nil {
		return nil, err
	}
	return e.start(p, until, take, finish)
}

// awaitWriters waits for the bounded queries of this engine that write what a bounded query reads: it ends at what its sources
// hold when it begins, and they have not written all of it yet.
func (e *Engine) awaitWriters(ctx context.Context, p *plan.Query) error {
	for _, s := range p.Sources {
		e.mu.Lock()
		w := e.mu.queries[s.Query]
		e.mu.Unlock()
		if s.Query == "" || w == nil || w.cfg.Until == Endless {
			continue
		}
		select {
		case <-w.stopped:
			if w.err != nil {
				return fmt.Errorf("query %s, whose result %s reads: %w", w.Name(), p.Name, w.err)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.ctx.Done():
			return ErrClosed
		}
	}
	return nil
}

// createTopics creates the topics that a query writes, before the query starts: a query over its result may be planned at
// once, and must know how many partitions there are.
func (e *Engine) createTopics(ctx context.Context, c *planner.Compiled) error {
	for _, t := range c.Create {
		spec := exec.TopicSpec(t)
		partitions := spec.Partitions
		err := e.cluster.Create(ctx, spec)
		var other *connectors.PartitionsError
		if errors.As(err, &other) && c.Query.Sink.Target.Partitions == 0 { // somebody created it since it was looked for
			partitions, err = other.Got, nil
		}
		if err != nil {
			return err
		}
		if c.Relation != nil && c.Relation.Topic == t.Name {
			c.Relation.Partitions = partitions
		}
	}
	return nil
}
