package streamsql

import (
	"context"
	"errors"
	"github.com/streamsql-go/streamsql/exec"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors/file"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/generate"
	"github.com/streamsql-go/streamsql/connectors/kafka"
	"github.com/streamsql-go/streamsql/planner"
	"github.com/streamsql-go/streamsql/planner/bind"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/parser"
)

// Plan is the plan of one query of a script, as EXPLAIN shows it. It marshals to JSON.
type Plan = plan.Explain

// Check finds the mistakes of a script without running it and without a cluster: all of them, in the order of the text. name
// is shown in the errors, vars are the variables that ${…} may use. What follows only from another mistake is left out.
func Check(name, text string, vars map[string]string) []*SQLError {
	_, errs := analyse(name, text, vars, planner.Options{App: "app"})
	return errs
}

// Explain plans the queries of a script without running it and without a cluster: partition counts that the script does not
// say stay open. app stands for Options.Name in topic names.
func Explain(name, text, app string, vars map[string]string) ([]Plan, []*SQLError) {
	return analyse(name, text, vars, planner.Options{App: app})
}

// Plans is Explain with the cluster's partition counts. It creates nothing.
func (e *Engine) Plans(ctx context.Context, name, text string) ([]Plan, []*SQLError) {
	e.mu.Lock()
	vars := e.mu.defines
	e.mu.Unlock()
	return analyse(name, text, vars, planner.Options{App: e.opts.Name, Topics: clusterTopics{ctx, e}, DefaultPartitions: 1})
}

// analysis goes through a script with a catalog of its own.
type analysis struct {
	script *ast.Script
	cat    *catalog.Catalog
	opts   planner.Options
	failed []string // names whose CREATE was wrong, in lower case
	plans  []Plan
	errs   []*SQLError
}

func analyse(name, text string, vars map[string]string, o planner.Options) ([]Plan, []*SQLError) {
	full, err := substitute(name, text, vars)
	if err != nil {
		return nil, []*SQLError{asMistake(err, ast.Span{}).At(name, text)}
	}
	script, errs := parser.ParseAll(name, full)
	o.File, o.Text = name, full
	a := &analysis{script: script, cat: catalog.New(), opts: o}
	for _, st := range script.Statements {
		for len(errs) > 0 && errs[0].Span.Start < st.Pos().Start {
			a.unreadable(errs[0])
			errs = errs[1:]
		}
		a.statement(st)
	}
	for _, e := range errs {
		a.unreadable(e)
	}
	return a.plans, a.errs
}

// asMistake gives an error without a place the one of its statement.
func asMistake(err error, at ast.Span) *SQLError {
	var m *ast.Error
	if errors.As(err, &m) {
		return m
	}
	return ast.Errorf(at, "%v", err)
}

func (a *analysis) wrong(err error, at ast.Span) {
	m := asMistake(err, at).At(a.script.Name, a.script.Text)
	for _, name := range a.failed {
		if strings.EqualFold(m.Msg, "unknown stream or table "+name) {
			return
		}
	}
	a.errs = append(a.errs, m)
}

// unreadable is a statement that could not be parsed. What it would have created is not reported as missing.
func (a *analysis) unreadable(e *SQLError) {
	a.errs = append(a.errs, e)
	before := a.script.Text[:min(e.Span.Start, len(a.script.Text))]
	words := strings.Fields(before[strings.LastIndexByte(before, ';')+1:])
	for i, w := range words {
		switch strings.ToUpper(w) {
		case "STREAM", "TABLE", "VIEW":
			if i+1 < len(words) {
				name, _, _ := strings.Cut(words[i+1], "(")
				a.failed = append(a.failed, lower(strings.Trim(name, "`")))
			}
			return
		}
	}
}

func (a *analysis) statement(st ast.Statement) {
	switch st := st.(type) {
	case *ast.Create:
		if err := a.create(st); err != nil {
			a.failed = append(a.failed, lower(st.Name.Name))
			a.wrong(err, st.Name.Pos())
		}
	case *ast.Insert:
		a.insert(st)
	case *ast.SelectStatement:
		a.query(st)
	case *ast.Explain:
		if st.Statement != nil {
			a.query(st.Statement)
		}
	case *ast.Drop:
		for _, n := range st.Names {
			if err := a.cat.Drop(n.Name); err != nil && !st.IfExists {
				a.wrong(err, n.Pos())
			}
		}
	case *ast.Set:
		if _, err := (&Engine{}).set(st); err != nil {
			a.wrong(err, st.Pos())
		}
	case *ast.Assert, *ast.Harness:
		a.wrong(ast.Errorf(st.Pos(), "this statement is for test files").WithHint("run the file with: streamsql test"), st.Pos())
	case *ast.Infer:
		a.wrong(ast.Unsupported(st.Pos(), "INFER FROM TOPIC", "look at records with PRINT topic, then write CREATE STREAM"), st.Pos())
	case *ast.Use:
		a.wrong(ast.Unsupported(st.Pos(), "USE", "name the stream in FROM"), st.Pos())
	}
}

// query plans a statement.
func (a *analysis) query(st ast.Statement) {
	c, err := planner.Compile(a.cat, st, a.opts)
	switch {
	case err != nil:
		a.wrong(err, st.Pos())
	case c.Query != nil:
		a.plans = append(a.plans, c.Query.Explain(a.opts.App))
	}
}

func (a *analysis) create(st *ast.Create) error {
	if _, ok := a.cat.Get(st.Name.Name); ok && st.IfNotExists {
		return nil
	}
	c, err := planner.Compile(a.cat, st, a.opts)
	if err != nil {
		return err
	}
	if c.Relation != nil {
		if err := checkConnector(st, c.Relation); err != nil {
			return err
		}
		a.cat.Replace(c.Relation)
	}
	if c.Query != nil {
		a.plans = append(a.plans, c.Query.Explain(a.opts.App))
	}
	return nil
}

func (a *analysis) insert(st *ast.Insert) {
	if st.Query != nil {
		a.query(st)
		return
	}
	rel, ok := a.cat.Get(st.Target.Name)
	if !ok {
		a.wrong(ast.Errorf(st.Target.Pos(), "unknown stream or table %s", st.Target.Name).WithHint("create it further up"), st.Pos())
		return
	}
	if st.Raw {
		a.wrong(ast.Errorf(st.Pos(), "INSERT … RAW is for test files").WithHint("run the file with: streamsql test"), st.Pos())
		return
	}
	if _, err := bind.Values(rel, st, exec.SystemClock{}.Now); err != nil {
		a.wrong(err, st.Pos())
	}
}

// checkConnector checks what belongs to a relation's connector and format, without touching either.
func checkConnector(st *ast.Create, rel *catalog.Relation) error {
	at := st.Name.Pos()
	for _, o := range st.Options {
		for name := range rel.ConnectorOptions {
			if strings.EqualFold(o.Name, name) {
				at = o.Span
			}
		}
	}
	if rel.Kind != ast.View {
		if _, err := format.Lookup(rel.Format); err != nil {
			return asMistake(err, st.Name.Pos())
		}
	}
	var err error
	switch rel.Connector {
	case "file":
		_, err = file.Check(rel.ConnectorOptions)
	case "generate":
		_, err = generate.New(rel.Columns, rel.ConnectorOptions, time.UnixMilli(0))
	case "kafka":
		var o kafka.Options
		for name, value := range rel.ConnectorOptions {
			if err == nil {
				err = o.Set(name, value)
			}
		}
	}
	if err != nil {
		return asMistake(err, at)
	}
	return nil
}
