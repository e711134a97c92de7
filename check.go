package streamsql

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format/schemas"
	"github.com/streamsql-go/streamsql/exec"
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
	_, errs := analyse(name, text, vars, planner.Options{App: "app", Outbox: outboxOf("app")})
	return errs
}

// Explain plans the queries of a script without running it and without a cluster: partition counts that the script does not
// say stay open. app stands for Options.Name in topic names.
func Explain(name, text, app string, vars map[string]string) ([]Plan, []*SQLError) {
	return analyse(name, text, vars, planner.Options{App: app, Outbox: outboxOf(app)})
}

// Plans is Explain with the cluster's partition counts. It creates nothing.
func (e *Engine) Plans(ctx context.Context, name, text string) ([]Plan, []*SQLError) {
	e.mu.Lock()
	vars := e.mu.defines
	e.mu.Unlock()
	topics := e.clusterTopics(ctx)
	plans, errs := analyse(name, text, vars, planner.Options{App: e.opts.Name, Schema: schemas.Columns(ctx, e.opts.Formats), Topics: topics, DefaultPartitions: 1, Outbox: outboxOf(e.opts.Name), Functions: &e.library})
	if topics.err != nil { // partition counts are guesses then
		errs = append(errs, asMistake(topics.err, ast.Span{}).At(name, text))
	}
	return plans, errs
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
	if o.Schema == nil {
		o.Schema = schemas.Offline
	}
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
	if m.Unknown == "" || !slices.Contains(a.failed, strings.ToLower(m.Unknown)) {
		a.errs = append(a.errs, m)
	}
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
				a.failed = append(a.failed, strings.ToLower(strings.Trim(name, "`")))
			}
			return
		}
	}
}

func (a *analysis) statement(st ast.Statement) {
	if err := refused(st); err != nil {
		a.wrong(err, st.Pos())
		return
	}
	switch st := st.(type) {
	case *ast.Create:
		if err := a.create(st); err != nil {
			a.failed = append(a.failed, strings.ToLower(st.Name.Name))
			if !errors.Is(err, schemas.ErrOffline) { // then the statements about it cannot be checked either
				a.wrong(err, st.Name.Pos())
			}
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
			if _, ok := a.cat.Get(n.Name); !ok && !st.IfExists {
				a.wrong(ast.Unknown(n.Pos(), n.Name).WithHint("IF EXISTS passes over it"), n.Pos())
			}
			if err := unviewed(a.cat.Now(), n); err != nil {
				a.wrong(err, n.Pos())
				continue
			}
			_ = a.cat.Drop(n.Name)
		}
	case *ast.Use:
		if _, ok := a.cat.Get(st.Name.Name); !ok {
			a.wrong(ast.Unknown(st.Name.Pos(), st.Name.Name).WithHint("create it further up"), st.Pos())
		}
		a.opts.Using = st.Name.Name
	case *ast.Set:
		if _, err := parseSetting(st); err != nil {
			a.wrong(err, st.Pos())
		}
	}
}

// query plans a statement.
func (a *analysis) query(st ast.Statement) {
	c, err := planner.Compile(a.cat, st, a.opts)
	if err == nil {
		err = usable(c.Query, st)
	}
	switch {
	case err != nil:
		a.wrong(err, st.Pos())
	case c.Query != nil:
		a.plans = append(a.plans, c.Query.Explain(a.opts.App))
	}
}

func (a *analysis) create(st *ast.Create) error {
	if old, ok := a.cat.Get(st.Name.Name); ok && st.IfNotExists {
		return nil
	} else if ok && !st.OrReplace {
		return taken(st, old)
	}
	c, err := planner.Compile(a.cat, st, a.opts)
	if err == nil {
		err = usable(c.Query, st)
	}
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
		a.wrong(ast.Unknown(st.Target.Pos(), st.Target.Name).WithHint("create it further up"), st.Pos())
		return
	}
	if _, err := bind.Values(rel, st, exec.SystemClock{}.Now); err != nil {
		a.wrong(err, st.Pos())
	}
}
