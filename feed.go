package streamsql

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/file"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/generate"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/vector"
)

type planQuery = plan.Query

// Feed is a source in Go: Run hands records to write, in order, until the input ends or ctx does. Of a record it fills
// Value, Timestamp (milliseconds) and, if it likes, Key and Headers.
type Feed = connectors.Feed

// Record is a record of a Feed.
type Record = connectors.Record

// FeedFunc makes a function a Feed.
type FeedFunc func(ctx context.Context, write func([]Record) error) error

// Run implements Feed.
func (f FeedFunc) Run(ctx context.Context, write func([]Record) error) error { return f(ctx, write) }

// Sink takes the rows of a query in Go, after they were committed: a crash between the commit and the call loses the call.
type Sink func(rows []Row) error

// RegisterSource makes f the source of a relation declared WITH (connector = 'go'): its records are written into a topic of
// the cluster, from where queries read them. Register before the first query over it starts.
func (e *Engine) RegisterSource(relation string, f Feed) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mu.sources[lower(relation)] = f
}

// RegisterSink makes f the target of a query whose relation is declared WITH (connector = 'go').
func (e *Engine) RegisterSink(relation string, f Sink) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mu.sinks[lower(relation)] = f
}

// feeding is the feed of a relation that is not Kafka.
type feeding struct {
	rel     *catalog.Relation
	feed    connectors.Feed
	started bool
	done    chan struct{}
	err     error
	cancel  context.CancelFunc
}

// prepareFeed checks a relation's connector options and makes its feed.
func (e *Engine) prepareFeed(st *ast.Create, rel *catalog.Relation) error {
	f := &feeding{rel: rel, done: make(chan struct{})}
	switch rel.Connector {
	case "file":
		o, err := file.Check(rel.ConnectorOptions)
		if err != nil {
			return ast.Errorf(st.Name.Pos(), "%v", err)
		}
		f.feed = file.NewFeed(o, os.Stdin, e.opts.Clock.Now)
	case "generate":
		g, err := generate.New(rel.Columns, rel.ConnectorOptions, e.opts.Clock.Now())
		if err != nil {
			return ast.Errorf(st.Name.Pos(), "%v", err)
		}
		if f.feed, err = generate.NewFeed(g, rel.Format, rel.Columns, feedClock{e.opts.Clock}); err != nil {
			return err
		}
	case "go":
		e.mu.Lock()
		f.feed = e.mu.sources[lower(rel.Name)]
		e.mu.Unlock()
		if f.feed == nil {
			return ast.Errorf(st.Name.Pos(), "no Go source is registered for %s", rel.Name).WithHint("call Engine.RegisterSource(%q, …) before this statement", rel.Name)
		}
	default:
		return ast.Errorf(st.Name.Pos(), "unknown connector '%s'", rel.Connector).WithHint("kafka, file, generate or go")
	}
	e.mu.Lock()
	e.mu.feeds[lower(rel.Name)] = f
	e.mu.Unlock()
	return nil
}

// feed starts the feeds of a query's sources, once each. A bounded query waits for the end of its feeds: only then is known
// what "the end" of its sources is.
func (e *Engine) feed(q *plan.Query, until Until) error {
	for _, s := range q.Sources {
		e.mu.Lock()
		f := e.mu.feeds[lower(s.Name)]
		if f != nil && !f.started {
			f.started = true
			ctx, cancel := context.WithCancel(e.ctx)
			f.cancel = cancel
			e.wg.Add(1)
			go e.runFeed(ctx, f)
		}
		e.mu.Unlock()
		if f == nil || until == Endless {
			continue
		}
		select {
		case <-f.done:
			if f.err != nil {
				return f.err
			}
		case <-e.ctx.Done():
			return ErrClosed
		}
	}
	return nil
}

// runFeed writes what a feed yields into the relation's topic. What an earlier run wrote is passed over: feeds yield the
// same records in the same order again.
func (e *Engine) runFeed(ctx context.Context, f *feeding) {
	defer e.wg.Done()
	defer close(f.done)
	defer f.cancel()
	skip, err := e.written(ctx, f.rel)
	if err == nil {
		n := int64(0)
		err = f.feed.Run(ctx, func(rs []connectors.Record) error {
			var out []connectors.Record
			for _, r := range rs {
				if n++; n <= skip {
					continue
				}
				r.Topic, r.Partition = f.rel.Topic, int32((n-1)%int64(f.rel.Partitions))
				out = append(out, r)
			}
			if len(out) == 0 {
				return nil
			}
			_, err := e.cluster.Write(ctx, out...)
			return err
		})
	}
	if err != nil && ctx.Err() == nil {
		f.err = fmt.Errorf("source %s: %w", f.rel.Name, err)
		e.opts.Logger.Error("source failed", "source", f.rel.Name, "error", err)
	}
}

func (e *Engine) written(ctx context.Context, rel *catalog.Relation) (int64, error) {
	var ps []connectors.Partition
	for p := range rel.Partitions {
		ps = append(ps, connectors.Partition{Topic: rel.Topic, Partition: p})
	}
	ends, err := e.cluster.Ends(ctx, ps...)
	var n int64
	for _, end := range ends {
		n += end
	}
	return n, err
}

// sink is what takes the rows of a query whose target is not a topic, with its closing.
func (e *Engine) sink(q *plan.Query) (take func(context.Context, *vector.Batch) error, closing func(), err error) {
	t := q.Sink.Target
	if t == nil || t.Connector == "kafka" {
		return nil, nil, nil
	}
	switch t.Connector {
	case "go":
		e.mu.Lock()
		s := e.mu.sinks[lower(t.Name)]
		e.mu.Unlock()
		if s == nil {
			return nil, nil, fmt.Errorf("no Go sink is registered for %s: call Engine.RegisterSink(%q, …) before this statement", t.Name, t.Name)
		}
		r := &Rows{columns: sinkColumns(q)}
		return func(_ context.Context, b *vector.Batch) error {
			rows := make([]Row, b.N)
			for i := range rows {
				rows[i] = r.row(b, i)
			}
			return s(rows)
		}, nil, nil
	case "file":
		return fileSink(q)
	}
	return nil, nil, fmt.Errorf("connector '%s' cannot be written to: use kafka, file or go", t.Connector)
}

func sinkColumns(q *plan.Query) []Column {
	var out []Column
	for i, o := range q.Sink.Columns {
		out = append(out, Column{Name: q.Sink.Name(i), Type: q.Sink.Input.Props().Schema.Columns[o].Type})
	}
	return out
}

// fileSink writes rows as lines.
func fileSink(q *plan.Query) (func(context.Context, *vector.Batch) error, func(), error) {
	o, err := file.Check(q.Sink.Target.ConnectorOptions)
	if err != nil {
		return nil, nil, err
	}
	w, err := file.Create(o, os.Stdout)
	if err != nil {
		return nil, nil, err
	}
	var cols []format.Column
	for _, c := range sinkColumns(q) {
		cols = append(cols, format.Column{Name: c.Name, Type: c.Type, TimestampFormat: q.Sink.Target.TimestampFormat})
	}
	enc, err := format.NewEncoder(q.Sink.Target.Format, cols, nil)
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	var buf []byte
	return func(_ context.Context, b *vector.Batch) error {
		for i := range b.N {
			buf = enc.Encode(buf[:0], b, i)
			if err := w.Write(buf); err != nil {
				return err
			}
		}
		return w.Flush()
	}, func() { _ = w.Close() }, nil
}
