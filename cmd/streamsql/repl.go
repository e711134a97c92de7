package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/chzyer/readline"

	"github.com/streamsql-go/streamsql"
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
			if err := a.result(r, t); err != nil {
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
func (a *app) result(r streamsql.Result, t *totals) error {
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
	return a.print(r.Rows)
}

const promptHelp = `Statements end with a semicolon. SHOW STREAMS, SHOW QUERIES, SHOW STATUS, SHOW FUNCTIONS and SHOW OPTIONS list what
there is; EXPLAIN SELECT … shows a plan. Ctrl-C ends a SELECT, Ctrl-D the prompt.
  .mode table|jsonl|json|csv   format of rows
  .read file.sql               run the statements of a file
  .help                        this
  .quit                        end; queries commit and stop`

// shell is the prompt.
type shell struct {
	*app
	s     *session
	until streamsql.Until
	line  *readline.Instance
	// cancel ends the statement that runs; nil: none does.
	cancel atomic.Pointer[context.CancelFunc]
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
	line, err := a.readline()
	if err != nil {
		return s.end(err)
	}
	defer line.Close()
	context.AfterFunc(ctx, func() { _ = line.Close() })
	sh := &shell{app: a, s: s, until: until, line: line}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer func() { signal.Stop(interrupts); close(interrupts) }()
	go func() {
		for range interrupts {
			if cancel := sh.cancel.Load(); cancel != nil {
				(*cancel)()
			}
		}
	}()
	fmt.Fprintf(a.stderr, "streamsql on %s%s. Statements end with ;  .help helps, Ctrl-D ends.\n", a.cluster(s), a.shownAt())
	if a.config.start == "latest" {
		fmt.Fprintln(a.stderr, "SELECT shows what comes from now on; SET start = 'earliest'; shows what is there, too.")
	}
	err = sh.loop()
	if qs := sh.running(); len(qs) > 0 {
		fmt.Fprintf(a.stderr, "%s: committed and stopped\n", running(qs))
	}
	return s.end(err)
}

func (sh *shell) running() []*streamsql.Query {
	return slices.DeleteFunc(sh.s.Queries(), func(q *streamsql.Query) bool { return q.State() != streamsql.Running })
}

// loop reads lines until the end of the input.
func (sh *shell) loop() error {
	var text string
	for {
		sh.line.SetPrompt("sql> ")
		if text != "" {
			sh.line.SetPrompt("  -> ")
		}
		line, err := sh.line.Readline()
		switch {
		case errors.Is(err, readline.ErrInterrupt):
			if text == "" && line == "" {
				fmt.Fprintln(sh.stderr, "Ctrl-D ends")
			}
			text = ""
			continue
		case errors.Is(err, io.EOF), sh.s.ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if text == "" {
			if done, handled := sh.command(strings.TrimSpace(line)); done {
				return nil
			} else if handled {
				continue
			}
		}
		text += line + "\n"
		statements, rest := streamsql.Complete(text)
		if len(statements) == 0 {
			if rest == "" {
				text = ""
			}
			continue
		}
		text = rest
		sh.remember(statements)
		for _, st := range statements {
			if !sh.run("", st) {
				break
			}
		}
	}
}

// command runs what is no SQL: dot commands, and the words that people type bare.
func (sh *shell) command(line string) (done, handled bool) {
	word, arg, _ := strings.Cut(strings.TrimSuffix(line, ";"), " ")
	arg = strings.TrimSpace(arg)
	switch strings.ToLower(word) {
	case ".quit", ".exit", "quit", "exit", `\q`:
		return true, true
	case ".help", "help", `\?`, "?":
		fmt.Fprintln(sh.stdout, promptHelp)
	case ".mode":
		if err := setOutput(&sh.config, arg); err != nil {
			sh.config.output = ""
			fmt.Fprintf(sh.stderr, ".mode: %v\n", err)
		}
	case ".read":
		text, err := os.ReadFile(arg)
		if err != nil {
			fmt.Fprintln(sh.stderr, err)
			return false, true
		}
		sh.run(arg, string(text))
	default:
		if !strings.HasPrefix(word, ".") {
			return false, false
		}
		fmt.Fprintf(sh.stderr, "unknown command %s: .help lists them\n", word)
	}
	return false, true
}

// run runs statements and says whether all went well.
func (sh *shell) run(name, text string) bool {
	ctx, cancel := context.WithCancel(sh.s.ctx)
	defer cancel()
	sh.cancel.Store(&cancel)
	defer sh.cancel.Store(nil)
	t := newTotals(sh.clock())
	for r, err := range sh.s.Run(ctx, name, text, sh.until) {
		if err == nil {
			err = sh.result(r, t)
		}
		if err != nil {
			if ctx.Err() == nil {
				fmt.Fprintln(sh.stderr, err)
			}
			return false
		}
	}
	if t.adhoc {
		if ctx.Err() != nil {
			fmt.Fprintln(sh.stderr) // behind the ^C that the terminal shows
		}
		fmt.Fprintln(sh.stderr, t.figures())
	}
	return ctx.Err() == nil
}
