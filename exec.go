package streamsql

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/streamsql-go/streamsql/planner"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/parser"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Exec runs statements one after the other and stops at the first error: DDL, INSERT, SET, DEFINE, and the commands about
// queries. CREATE … AS and INSERT … SELECT start a query that outlives ctx. Rows of SELECT, SHOW and the like are refused:
// use Query.
func (e *Engine) Exec(ctx context.Context, sql string) error {
	script, err := e.parse("", sql)
	if err != nil {
		return err
	}
	for _, st := range script.Statements {
		if yields(st) {
			return ast.Errorf(st.Pos(), "this statement has rows").WithHint("use Query instead of Exec").At(script.Name, script.Text)
		}
		if _, err := e.statement(ctx, script, st, Endless, true); err != nil {
			return err
		}
	}
	return nil
}

// Load runs a script: DDL in order, then all its persistent queries are started together, with an end if until says so. A
// SELECT in it is refused unless it is bounded by until or LIMIT; its rows come from the Rows returned, in order.
func (e *Engine) Load(ctx context.Context, name, sql string, until Until) (*Loaded, error) {
	script, err := e.parse(name, sql)
	if err != nil {
		return nil, err
	}
	l := &Loaded{}
	for _, st := range script.Statements {
		if s, ok := st.(*ast.SelectStatement); ok && until == Endless && !limited(s.Query) {
			return nil, ast.Errorf(st.Pos(), "this SELECT would never end").WithHint("give it a LIMIT, run with --until end, or name a target: CREATE STREAM … AS SELECT").At(script.Name, script.Text)
		}
		r, err := e.statement(ctx, script, st, until, false)
		if err != nil {
			return nil, errors.Join(err, l.stop())
		}
		if r.pending != nil {
			l.pending = append(l.pending, r.pending)
		}
		if r.rows != nil {
			l.Rows = append(l.Rows, r.rows)
		}
	}
	for _, start := range l.pending {
		q, err := start()
		if err != nil {
			return nil, errors.Join(err, l.stop())
		}
		l.Queries = append(l.Queries, q)
	}
	return l, nil
}

// Loaded is what a script started.
type Loaded struct {
	Queries []*Query
	Rows    []*Rows
	pending []func() (*Query, error)
}

func (l *Loaded) stop() error {
	var errs []error
	for _, q := range l.Queries {
		q.cancel(nil)
		<-q.stopped
		errs = append(errs, q.closing)
	}
	return errors.Join(errs...)
}

// Query runs one statement that has rows: SELECT, SHOW, DESCRIBE, EXPLAIN, PRINT. A SELECT goes on until its LIMIT, ctx, or
// Rows.Close.
func (e *Engine) Query(ctx context.Context, sql string) (*Rows, error) {
	return e.QueryUntil(ctx, sql, Endless)
}

// QueryUntil is Query with an end.
func (e *Engine) QueryUntil(ctx context.Context, sql string, until Until) (*Rows, error) {
	script, err := e.parse("", sql)
	if err != nil {
		return nil, err
	}
	if len(script.Statements) != 1 {
		return nil, fmt.Errorf("query: %d statements where one is wanted", len(script.Statements))
	}
	r, err := e.statement(ctx, script, script.Statements[0], until, true)
	if err != nil {
		return nil, err
	}
	if r.rows == nil {
		r.rows = rowsOf(nil)
	}
	return r.rows, nil
}

// StartOption changes how Start starts a query.
type StartOption func(*startOptions)

type startOptions struct {
	name  string
	until Until
}

// Name gives the query a name of its own instead of its target's.
func Name(name string) StartOption { return func(o *startOptions) { o.name = name } }

// Bounded gives the query an end.
func Bounded(u Until) StartOption { return func(o *startOptions) { o.until = u } }

// Start starts one persistent query: CREATE STREAM|TABLE … AS SELECT, or INSERT INTO … SELECT.
func (e *Engine) Start(ctx context.Context, sql string, opts ...StartOption) (*Query, error) {
	var so startOptions
	for _, o := range opts {
		o(&so)
	}
	script, err := e.parse("", sql)
	if err != nil {
		return nil, err
	}
	if len(script.Statements) != 1 {
		return nil, fmt.Errorf("start: %d statements where one is wanted", len(script.Statements))
	}
	r, err := e.statementNamed(ctx, script, script.Statements[0], so.until, false, so.name)
	if err != nil {
		return nil, err
	}
	if r.pending == nil {
		return nil, ast.Errorf(script.Statements[0].Pos(), "this statement is no persistent query").WithHint("use Exec or Query").At(script.Name, script.Text)
	}
	return r.pending()
}

// parse reads a text, with the defined variables put in.
func (e *Engine) parse(name, sql string) (*ast.Script, error) {
	e.mu.Lock()
	vars := e.mu.defines
	closed := e.mu.closed
	e.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	text, err := substitute(name, sql, vars)
	if err != nil {
		return nil, err
	}
	return parser.Parse(name, text)
}

// Define sets a variable: ${name} in later texts stands for value.
func (e *Engine) Define(name, value string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	vars := map[string]string{}
	for k, v := range e.mu.defines {
		vars[k] = v
	}
	vars[name] = value
	e.mu.defines = vars
}

// outcome is what a statement did.
type outcome struct {
	rows    *Rows
	message string
	pending func() (*Query, error) // starts a persistent query
}

func (e *Engine) statement(ctx context.Context, s *ast.Script, st ast.Statement, until Until, now bool) (outcome, error) {
	return e.statementNamed(ctx, s, st, until, now, "")
}

// statementNamed runs one statement; a persistent query is started when now says so.
func (e *Engine) statementNamed(ctx context.Context, s *ast.Script, st ast.Statement, until Until, now bool, name string) (outcome, error) {
	o, err := e.run(ctx, s, st, until, name)
	if err == nil && now && o.pending != nil {
		_, err = o.pending()
	}
	var at *ast.Error
	if errors.As(err, &at) {
		at.At(s.Name, s.Text)
	}
	return o, err
}

func (e *Engine) run(ctx context.Context, s *ast.Script, st ast.Statement, until Until, name string) (outcome, error) {
	switch st := st.(type) {
	case *ast.Create:
		return e.create(ctx, s, st, until, name)
	case *ast.Insert:
		if st.Query == nil {
			return e.insertValues(ctx, s, st)
		}
		return e.persistent(ctx, s, st, until, name)
	case *ast.SelectStatement:
		return e.selectRows(ctx, s, st, until)
	case *ast.Drop:
		return e.drop(st)
	case *ast.Explain:
		return e.explain(ctx, s, st)
	case *ast.Describe:
		return e.describe(st)
	case *ast.Show:
		return e.show(ctx, st)
	case *ast.QueryCommand:
		return e.command(ctx, st)
	case *ast.Set:
		return e.set(st)
	case *ast.Define:
		e.Define(st.Name, st.Value)
		return outcome{message: st.Name + " defined"}, nil
	case *ast.Print:
		return e.print(ctx, st)
	case *ast.Infer:
		return outcome{}, ast.Unsupported(st.Pos(), "INFER FROM TOPIC", "look at records with PRINT topic, then write CREATE STREAM")
	case *ast.Use:
		return outcome{}, ast.Unsupported(st.Pos(), "USE", "name the stream in FROM")
	case *ast.Assert, *ast.Harness:
		return outcome{}, ast.Errorf(st.Pos(), "this statement is for test files").WithHint("run the file with: streamsql test")
	}
	return outcome{}, ast.Errorf(st.Pos(), "statement %T is not known", st)
}

func yields(st ast.Statement) bool {
	switch st.(type) {
	case *ast.SelectStatement, *ast.Show, *ast.Describe, *ast.Explain, *ast.Print:
		return true
	}
	return false
}

func limited(q ast.Query) bool {
	switch q := q.(type) {
	case *ast.Select:
		return q.Limit != nil
	case *ast.SetOp:
		return q.Limit != nil
	}
	return false
}

// compile plans a statement against the catalog and the cluster.
func (e *Engine) compile(ctx context.Context, s *ast.Script, st ast.Statement, name string) (*planner.Compiled, error) {
	return planner.Compile(e.catalog, st, planner.Options{
		App: e.opts.Name, Topics: clusterTopics{ctx, e}, DefaultPartitions: 1, File: s.Name, Text: s.Text, Name: name,
	})
}

// clusterTopics answers the planner from the cluster.
type clusterTopics struct {
	ctx context.Context
	e   *Engine
}

// Partitions implements planner.Topics.
func (c clusterTopics) Partitions(topic string) (int, bool) {
	infos, err := c.e.cluster.Topics(c.ctx, topic)
	if err != nil {
		return 0, false
	}
	i, ok := infos[topic]
	return int(i.Partitions), ok
}

// create adds a relation, and starts the query behind it.
func (e *Engine) create(ctx context.Context, s *ast.Script, st *ast.Create, until Until, name string) (outcome, error) {
	if old, ok := e.catalog.Get(st.Name.Name); ok && !st.OrReplace {
		if st.IfNotExists {
			return outcome{message: old.Name + " exists already"}, nil
		}
	}
	if st.As != nil && st.Kind != ast.View {
		return e.persistent(ctx, s, st, until, name)
	}
	c, err := e.compile(ctx, s, st, name)
	if err != nil {
		return outcome{}, err
	}
	rel, err := e.prepareSource(ctx, st, c.Relation)
	if err != nil {
		return outcome{}, err
	}
	if err := e.add(st, rel); err != nil {
		return outcome{}, err
	}
	return outcome{message: fmt.Sprintf("%s %s created", rel.Kind, rel.Name)}, nil
}

func (e *Engine) add(st *ast.Create, rel *catalog.Relation) error {
	if st.OrReplace {
		e.catalog.Replace(rel)
		return nil
	}
	if err := e.catalog.Add(rel); err != nil {
		return ast.Errorf(st.Name.Pos(), "%v", err).WithHint("CREATE OR REPLACE replaces it, DROP removes it")
	}
	return nil
}

// persistent plans CREATE … AS and INSERT … SELECT.
func (e *Engine) persistent(ctx context.Context, s *ast.Script, st ast.Statement, until Until, name string) (outcome, error) {
	c, err := e.compile(ctx, s, st, name)
	if err != nil {
		return outcome{}, err
	}
	if err := e.sourcesExist(ctx, c.Query); err != nil {
		return outcome{}, err
	}
	if err := e.createTopics(ctx, c); err != nil {
		return outcome{}, err
	}
	if cr, ok := st.(*ast.Create); ok {
		if err := e.add(cr, c.Relation); err != nil {
			return outcome{}, err
		}
	}
	for _, w := range c.Query.Warnings {
		e.opts.Logger.Warn(w, "query", c.Query.Name)
	}
	take, closing, err := e.sink(c.Query)
	if err != nil {
		return outcome{}, err
	}
	return outcome{message: "query " + c.Query.Name + " started", pending: func() (*Query, error) {
		if err := e.feed(c.Query, until); err != nil {
			return nil, err
		}
		return e.start(c.Query, until, take, closing)
	}}, nil
}

// selectRows runs an ad-hoc SELECT.
func (e *Engine) selectRows(ctx context.Context, s *ast.Script, st *ast.SelectStatement, until Until) (outcome, error) {
	e.mu.Lock()
	e.mu.adhoc++
	// Unique for ever: a group of the same name has committed offsets, from which the SELECT would go on.
	name := fmt.Sprintf("select-%s-%s-%d", e.lock.InstanceID(), strconv.FormatInt(e.opened.UnixMilli(), 36), e.mu.adhoc)
	e.mu.Unlock()
	c, err := e.compile(ctx, s, st, name)
	if err != nil {
		return outcome{}, err
	}
	p := *c.Query
	p.Name = name
	if e.opts.Start != "" {
		e.startAt(&p)
	}
	r := &Rows{ctx: ctx, batches: make(chan *vector.Batch, 16), limit: p.Limit}
	for i, o := range p.Sink.Columns {
		col := p.Sink.Input.Props().Schema.Columns[o]
		r.columns = append(r.columns, Column{Name: p.Sink.Name(i), Type: col.Type})
	}
	if p.Limit == 0 {
		return outcome{rows: rowsOf(r.columns)}, nil
	}
	if err := e.feed(&p, until); err != nil {
		return outcome{}, err
	}
	q, err := e.start(&p, until, func(ctx context.Context, b *vector.Batch) error {
		select {
		case r.batches <- b:
		case <-ctx.Done():
		}
		return nil
	}, func() { e.forget(&p) })
	if err != nil {
		return outcome{}, err
	}
	r.query = q
	return outcome{rows: r}, nil
}

// startAt gives the sources that do not say where to start the engine's default.
func (e *Engine) startAt(p *planQuery) {
	for i, s := range p.Sources {
		if s.Start == "" {
			c := *s
			c.Start = e.opts.Start
			p.Sources[i] = &c
		}
	}
}

// forget removes what an ad-hoc query left: its topics, its state and its place in the list.
func (e *Engine) forget(p *planQuery) {
	e.mu.Lock()
	delete(e.mu.queries, p.Name)
	e.mu.order = slices.DeleteFunc(e.mu.order, func(n string) bool { return n == p.Name })
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 5*time.Second)
	defer cancel()
	var topics []string
	for _, t := range p.Internal(e.opts.Name) {
		topics = append(topics, t.Name)
	}
	if len(topics) > 0 {
		if err := e.cluster.Delete(ctx, topics...); err != nil {
			e.opts.Logger.Debug("topics of an ad-hoc query were left", "query", p.Name, "error", err)
		}
	}
	if err := e.opts.FS.Wipe(filepath.Join(e.dir, p.Name)); err != nil {
		e.opts.Logger.Debug("state of an ad-hoc query was left", "query", p.Name, "error", err)
	}
}
