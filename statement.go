package streamsql

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// ask is what a caller wants of the statements of a text.
type ask struct {
	until Until
	name  string // of the query; "": its target's
	ends  bool   // a SELECT that would never end is refused
	start string // where an ad-hoc SELECT begins; "": the setting
}

// outcome is what a statement did.
type outcome struct {
	rows    *Rows
	message string
	pending func() (*Query, error) // starts a persistent query; nil: there is none
}

// start starts the persistent query of the statement, if it has one.
func (o outcome) start() (*Query, error) {
	if o.pending == nil {
		return nil, nil
	}
	return o.pending()
}

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
		o, err := e.statement(ctx, script, st, ask{})
		if err != nil {
			return err
		}
		if _, err := o.start(); err != nil {
			return err
		}
	}
	return nil
}

// Loaded is what a script started.
type Loaded struct {
	Queries []*Query
	Rows    []*Rows
}

// Load runs a script: DDL in order, then all its persistent queries are started together, with an end if until says so. A
// SELECT in it is refused unless it is bounded by until, LIMIT or the ends of its sources; its rows come from the Rows returned, in order.
func (e *Engine) Load(ctx context.Context, name, sql string, until Until) (*Loaded, error) {
	script, err := e.parse(name, sql)
	if err != nil {
		return nil, err
	}
	l := &Loaded{}
	var all []outcome
	for _, st := range script.Statements {
		o, err := e.statement(ctx, script, st, ask{until: until, ends: true})
		if err != nil {
			return nil, errors.Join(err, l.stop())
		}
		all = append(all, o)
		if o.rows != nil {
			l.Rows = append(l.Rows, o.rows)
		}
	}
	for _, o := range all {
		q, err := o.start()
		if err != nil {
			return nil, errors.Join(err, l.stop())
		}
		if q != nil {
			l.Queries = append(l.Queries, q)
		}
	}
	return l, nil
}

func (l *Loaded) stop() error {
	var errs []error
	for _, q := range l.Queries {
		errs = append(errs, q.halt())
	}
	for _, r := range l.Rows {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// Query runs one statement that has rows: SELECT, SHOW, DESCRIBE, EXPLAIN, PRINT, INFER. A SELECT goes on until its LIMIT, ctx, or
// Rows.Close.
func (e *Engine) Query(ctx context.Context, sql string, opts ...StartOption) (*Rows, error) {
	var a ask
	for _, o := range opts {
		o(&a)
	}
	o, _, err := e.one(ctx, sql, a)
	if err != nil {
		return nil, err
	}
	if _, err := o.start(); err != nil {
		return nil, err
	}
	if o.rows == nil {
		o.rows = rowsOf(nil)
	}
	return o.rows, nil
}

// QueryUntil is Query with an end.
func (e *Engine) QueryUntil(ctx context.Context, sql string, until Until) (*Rows, error) {
	return e.Query(ctx, sql, Bounded(until))
}

// StartOption changes how Start and Query start a query.
type StartOption func(*ask)

// Name gives the query a name of its own instead of its target's.
func Name(name string) StartOption { return func(a *ask) { a.name = name } }

// From is where an ad-hoc SELECT begins in the sources that do not say: "earliest" or "latest". The default is Options.Start.
func From(start string) StartOption { return func(a *ask) { a.start = start } }

// Bounded gives the query an end.
func Bounded(u Until) StartOption { return func(a *ask) { a.until = u } }

// Start starts one persistent query: CREATE STREAM|TABLE … AS SELECT, or INSERT INTO … SELECT.
func (e *Engine) Start(ctx context.Context, sql string, opts ...StartOption) (*Query, error) {
	var a ask
	for _, o := range opts {
		o(&a)
	}
	o, wrong, err := e.one(ctx, sql, a)
	if err != nil {
		return nil, err
	}
	if o.pending == nil {
		if o.rows != nil {
			_ = o.rows.Close()
		}
		return nil, wrong("this statement is no persistent query").WithHint("use Exec or Query")
	}
	return o.start()
}

// one runs a text of one statement. wrong makes an error at the statement.
func (e *Engine) one(ctx context.Context, sql string, a ask) (o outcome, wrong func(string) *ast.Error, err error) {
	script, err := e.parse("", sql)
	if err != nil {
		return outcome{}, nil, err
	}
	at := ast.Span{}
	if len(script.Statements) > 0 {
		at = script.Statements[0].Pos()
	}
	wrong = func(msg string) *ast.Error { return ast.Errorf(at, "%s", msg).At(script.Name, script.Text) }
	if n := len(script.Statements); n != 1 {
		return outcome{}, nil, ast.Errorf(at, "%d statements where one is wanted", n).WithHint("run several with Exec, Load or Run").At(script.Name, script.Text)
	}
	o, err = e.statement(ctx, script, script.Statements[0], a)
	return o, wrong, err
}

// Result is what one statement of a script did: rows, or a query that was started, or only a message.
type Result struct {
	// Message is one line, without a full stop: "STREAM s created".
	Message string
	// Rows are those of SELECT, SHOW, DESCRIBE, EXPLAIN, PRINT and INFER; nil for other statements. Read them or close them.
	Rows *Rows
	// Query is the persistent query that the statement started, nil for other statements.
	Query *Query
}

// Run runs the statements of a text one after the other, each when the one before it has been taken from the sequence. name
// is shown in errors, "" for text typed in. Queries get an end if until says so. The sequence ends after the first error.
func (e *Engine) Run(ctx context.Context, name, text string, until Until) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		script, err := e.parse(name, text)
		if err != nil {
			yield(Result{}, err)
			return
		}
		for _, st := range script.Statements {
			o, err := e.statement(ctx, script, st, ask{until: until})
			r := Result{Message: o.message, Rows: o.rows}
			if err == nil {
				r.Query, err = o.start()
			}
			if err != nil {
				yield(Result{}, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// statement runs one statement. A persistent query is not started yet: that is the outcome's start.
func (e *Engine) statement(ctx context.Context, s *ast.Script, st ast.Statement, a ask) (o outcome, err error) {
	defer func() {
		p := recover()
		if own, ok := p.(*expr.PanicError); ok { // a constant call
			err = own
		} else if p != nil {
			panic(p)
		}
	}()
	o, err = e.dispatch(ctx, s, st, a)
	var at *ast.Error
	if errors.As(err, &at) {
		at.At(s.Name, s.Text)
	}
	return o, err
}

func (e *Engine) dispatch(ctx context.Context, s *ast.Script, st ast.Statement, a ask) (outcome, error) {
	if err := refused(st); err != nil {
		return outcome{}, err
	}
	switch st := st.(type) {
	case *ast.Create:
		return e.create(ctx, s, st, a)
	case *ast.Insert:
		if st.Query == nil {
			return e.insertValues(ctx, st)
		}
		return e.persistent(ctx, s, st, a)
	case *ast.SelectStatement:
		return e.selectRows(ctx, s, st, a)
	case *ast.Drop:
		return e.drop(ctx, st)
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
	case *ast.Use:
		return e.use(st)
	case *ast.Define:
		e.Define(st.Name, st.Value)
		return outcome{message: st.Name + " defined"}, nil
	case *ast.Print:
		return e.print(ctx, st, a)
	case *ast.Infer:
		return e.infer(ctx, st)
	}
	return outcome{}, ast.Errorf(st.Pos(), "statement %T is not known", st)
}

// refused says why no engine runs a statement, nil for those that it runs.
func refused(st ast.Statement) error {
	switch st := st.(type) {
	case *ast.Assert, *ast.Harness:
		return ast.Errorf(st.Pos(), "this statement is for test files").WithHint("run the file with: streamsql test")
	case *ast.Insert:
		if st.Query == nil && st.Raw {
			return ast.Errorf(st.Pos(), "INSERT … RAW is for test files").WithHint("run the file with: streamsql test")
		}
	}
	return nil
}

// OnlyReads says whether all statements of a text leave everything as it is: SELECT, SHOW, DESCRIBE, EXPLAIN, PRINT, INFER. A text that
// cannot be parsed changes nothing either.
func (e *Engine) OnlyReads(sql string) bool {
	script, err := e.parse("", sql)
	if err != nil {
		return true
	}
	return !slices.ContainsFunc(script.Statements, func(st ast.Statement) bool { return !yields(st) })
}

func yields(st ast.Statement) bool {
	switch st.(type) {
	case *ast.SelectStatement, *ast.Show, *ast.Describe, *ast.Explain, *ast.Print, *ast.Infer:
		return true
	}
	return false
}
