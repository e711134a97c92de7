package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/cmd/streamsql/internal/repl"
)

// interactive is streamsql without a command: -c and -f, the prompt, or a filter.
func (a *app) interactive(ctx context.Context) error {
	until, err := a.until()
	if err != nil {
		return err
	}
	if err := a.statsFormat(); err != nil {
		return err
	}
	var scripts []script
	for _, c := range a.flags.command {
		scripts = append(scripts, script{"", c})
	}
	files, err := a.read(a.flags.file)
	if err != nil {
		return err
	}
	scripts = append(scripts, files...)
	if len(scripts) == 0 && isTerminal(a.stdin) {
		return a.prompt(ctx, until)
	}
	if len(scripts) == 0 {
		if scripts, err = a.read([]string{"-"}); err != nil {
			return err
		}
	}
	ctx, release := stoppable(ctx)
	defer release()
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	return s.end(a.filter(s, scripts, until))
}

// filter runs scripts statement by statement. At the end bounded queries are waited for, others are stopped.
func (a *app) filter(s *session, scripts []script, until streamsql.Until) error {
	t := newTotals(a.clock())
	for _, x := range scripts {
		for r, err := range s.Run(s.ctx, x.name, x.text, until) {
			if err != nil {
				return err
			}
			if err := a.result(s.ctx, r, t); err != nil {
				return err
			}
		}
	}
	if until != streamsql.Endless {
		stop := a.progress(t, true)
		err := wait(s.ctx, t.loaded)
		stop()
		if err != nil {
			return err
		}
	}
	for _, q := range t.loaded {
		if q.State() == streamsql.Running {
			fmt.Fprintf(a.stderr, "query %s is stopped at the end of the input: streamsql run keeps queries running\n", q.Name())
		}
		if q.State() == streamsql.Failed {
			return q.Wait(s.ctx)
		}
	}
	if err := s.close(); err != nil {
		return err
	}
	return a.printStats(t)
}

// result shows what a statement did.
func (a *app) result(ctx context.Context, r streamsql.Result, t *totals) error {
	if r.Message != "" {
		fmt.Fprintln(a.stderr, r.Message)
	}
	if r.Query != nil {
		t.queries, t.loaded = append(t.queries, r.Query), append(t.loaded, r.Query)
	}
	if r.Rows == nil {
		return nil
	}
	if r.Rows.Query() != nil {
		t.adhoc = true
		t.queries = append(t.queries, r.Rows.Query())
	}
	return a.print(ctx, r.Rows)
}

// prompt reads statements from a terminal. SIGINT ends the statement that runs, never the program.
func (a *app) prompt(ctx context.Context, until streamsql.Until) error {
	if a.config.start == "" && len(a.config.options.Brokers) > 0 {
		a.config.start = "latest"
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "streamsql on %s%s. Statements end with ;  \\? helps, Ctrl-D ends.\n", a.cluster(s), a.shownAt())
	if a.config.start == "latest" {
		fmt.Fprintln(a.stderr, "SELECT shows what comes from now on; SET start = 'earliest'; shows what is there, too.")
	}
	err = repl.Run(s.ctx, repl.Options{
		Engine: s.Engine, Until: until, In: a.stdin, Out: a.stdout, Err: a.stderr, Getenv: a.getenv, Log: a.log,
		Form: a.config.output, History: a.history(), Start: a.startFile(),
		Figures: func(queries []*streamsql.Query, started time.Time) string {
			t := &totals{now: a.clock(), started: started, queries: queries}
			return t.figures().String()
		},
	})
	qs := slices.DeleteFunc(s.Queries(), func(q *streamsql.Query) bool { return q.State() != streamsql.Running })
	if len(qs) > 0 {
		fmt.Fprintf(a.stderr, "%s: committed and stopped\n", running(qs))
	}
	return s.end(err)
}

// startFile is what the prompt runs first: $STREAMSQLRC, else ~/.streamsqlrc; it need not be there.
func (a *app) startFile() string {
	if path := a.getenv("STREAMSQLRC"); path != "" {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".streamsqlrc")
}

// history is the file of what was typed, "" when there is no place for it. Only its owner may read it. Secrets are hidden in
// it.
func (a *app) history() string {
	dir := a.getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	dir = filepath.Join(dir, "streamsql")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ""
	}
	return filepath.Join(dir, "history")
}
