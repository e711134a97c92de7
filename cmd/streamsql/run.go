package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/streamsql-go/streamsql"
)

func (a *app) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "run file.sql…", Short: "Run the queries of files until a signal, or with --until to their end",
		Long: `Run the statements of files in order, then start all their CREATE … AS SELECT and INSERT … SELECT together.

They run until SIGINT or SIGTERM: then they commit, leave their groups, and streamsql ends with 0. A second signal ends it
at once with 130. A SELECT by itself needs --until or a LIMIT; its rows go to standard output. - is standard input.`,
		Example: `  streamsql run --until end --stats json job.sql
  streamsql run -b kafka-1:9092,kafka-2:9092 --name dedup -D window=10s job.sql`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("run: which file? (- is standard input)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args) },
	}
	a.bounds(cmd)
	return cmd
}

// script is a file that was read.
type script struct{ name, text string }

// read reads files; - is standard input.
func (a *app) read(paths []string) ([]script, error) {
	var out []script
	for _, p := range paths {
		var (
			text []byte
			err  error
		)
		if p == "-" {
			p = "stdin"
			text, err = io.ReadAll(a.stdin)
		} else {
			text, err = os.ReadFile(p)
		}
		if err != nil {
			return nil, usagef("%v", err)
		}
		out = append(out, script{p, string(text)})
	}
	return out, nil
}

// nameAfter names the application after a file, unless a name was given.
func (a *app) nameAfter(scripts []script) error {
	if a.config.options.Name != "" {
		return nil
	}
	if len(scripts) > 1 {
		return usagef("run: several files make one application: give it a --name")
	}
	base := strings.TrimSuffix(filepath.Base(scripts[0].name), filepath.Ext(scripts[0].name))
	a.config.options.Name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, base)
	return nil
}

func (a *app) run(ctx context.Context, paths []string) error {
	until, err := a.until()
	if err != nil {
		return err
	}
	if err := a.statsFormat(); err != nil {
		return err
	}
	scripts, err := a.read(paths)
	if err != nil {
		return err
	}
	if err := a.nameAfter(scripts); err != nil {
		return err
	}
	if len(scripts) == 1 { // all mistakes at once, before anything runs
		if errs := streamsql.Check(scripts[0].name, scripts[0].text, a.config.define); len(errs) > 0 {
			return mistakes(errs)
		}
	}
	ctx, release := stoppable(ctx)
	defer release()
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	t := newTotals(a.clock())
	return s.end(a.runScripts(s, scripts, until, t))
}

// runScripts loads scripts, prints their rows and waits for their queries.
func (a *app) runScripts(s *session, scripts []script, until streamsql.Until, t *totals) error {
	for _, x := range scripts {
		l, err := s.Load(s.ctx, x.name, x.text, until)
		if err != nil {
			return err
		}
		t.queries = append(t.queries, l.Queries...)
		for _, r := range l.Rows {
			if r.Query() != nil {
				t.adhoc = true
				t.queries = append(t.queries, r.Query())
			}
		}
		if until == streamsql.Endless && len(l.Queries) > 0 {
			fmt.Fprintf(a.stderr, "%s: %s on %s%s; Ctrl-C stops\n", x.name, running(l.Queries), a.cluster(s), a.shownAt())
		}
		stop := a.progress(t, len(l.Rows) == 0 || !isTerminal(a.stdout))
		for _, r := range l.Rows {
			if err = a.print(s.ctx, r); err != nil {
				break
			}
		}
		t.loaded = append(t.loaded, l.Queries...)
		if err == nil && (until != streamsql.Endless) {
			err = wait(s.ctx, l.Queries)
		}
		stop()
		if err != nil {
			return err
		}
	}
	if err := wait(s.ctx, t.loaded); err != nil {
		return err
	}
	if err := s.close(); err != nil {
		return err
	}
	return a.printStats(t)
}

// running names queries: "query q runs", "queries q, r run".
func running(queries []*streamsql.Query) string {
	var names []string
	for _, q := range queries {
		names = append(names, q.Name())
	}
	if len(names) == 1 {
		return "query " + names[0] + " runs"
	}
	return "queries " + strings.Join(names, ", ") + " run"
}

// shownAt says where the page is, if there is one.
func (a *app) shownAt() string {
	if a.page == "" {
		return ""
	}
	return "; the page is " + a.page
}

// cluster says where queries run.
func (a *app) cluster(s *session) string {
	if addr := s.Address(); addr != "" {
		return "a broker in this process, " + addr
	}
	return strings.Join(a.config.options.Brokers, ",")
}

// wait waits for all queries, or for the first one that fails, or for a signal.
func wait(ctx context.Context, queries []*streamsql.Query) error {
	errs := make(chan error, len(queries))
	for _, q := range queries {
		go func() { errs <- q.Wait(context.Background()) }()
	}
	for range queries {
		select {
		case err := <-errs:
			if err != nil && !errors.Is(err, streamsql.ErrClosed) {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// clock is the machine's.
func (a *app) clock() func() time.Time { return time.Now }
