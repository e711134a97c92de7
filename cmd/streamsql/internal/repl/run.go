package repl

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/cmd/streamsql/internal/render"
)

// statementRun is a statement that runs, and how it is ended.
type statementRun struct {
	cancel context.CancelFunc
	asked  atomic.Bool
}

// interrupts ends the statement that runs when Ctrl-C is pressed; when it does not end, a second one ends the prompt. The function
// returned ends that.
func (sh *shell) interrupts() func() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		for range signals {
			r := sh.running.Load()
			switch {
			case r == nil:
			case r.asked.CompareAndSwap(false, true):
				r.cancel()
			default:
				sh.stop()
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// begin is a context that Ctrl-C ends, with keys not echoed.
func (sh *shell) begin() (context.Context, func()) {
	ctx, cancel := context.WithCancel(sh.ctx)
	sh.running.Store(&statementRun{cancel: cancel})
	restore := silence(sh.In)
	return ctx, func() {
		sh.running.Store(nil)
		cancel()
		restore()
	}
}

// statement runs one statement that was typed.
func (sh *shell) statement(text, form string) bool {
	sh.last = text
	return sh.run("", text, form)
}

// run runs statements and says whether all went well. form is that of their rows, "" the one that is set.
func (sh *shell) run(name, text, form string) bool {
	ctx, end := sh.begin()
	defer end()
	started := time.Now()
	for r, err := range sh.Engine.Run(ctx, name, text, sh.Until) {
		if err == nil {
			err = sh.result(ctx, r, form, started)
		}
		if err != nil {
			if ctx.Err() == nil {
				fmt.Fprintln(sh.Err, err)
			}
			return false
		}
		started = time.Now()
	}
	return ctx.Err() == nil
}

// result shows what a statement did.
func (sh *shell) result(ctx context.Context, r streamsql.Result, form string, started time.Time) error {
	if r.Message != "" {
		fmt.Fprintln(sh.Err, r.Message)
	}
	if r.Query != nil && r.Message == "" {
		fmt.Fprintf(sh.Err, "query %s runs\n", r.Query.Name())
	}
	if r.Rows == nil {
		sh.took("", started)
		return nil
	}
	n, err := sh.show(ctx, r.Rows, form)
	if err != nil {
		return err
	}
	if q := r.Rows.Query(); q != nil {
		fmt.Fprintln(sh.Err, sh.Figures([]*streamsql.Query{q}, started))
		return nil
	}
	sh.took(rowCount(n), started)
	return nil
}

func rowCount(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return render.Grouped(n) + " rows"
}

// took says how long a statement took, if that is wanted.
func (sh *shell) took(what string, started time.Time) {
	if !sh.time {
		return
	}
	if what != "" {
		what += " · "
	}
	fmt.Fprintf(sh.Err, "%s%v\n", what, time.Since(started).Round(100*time.Microsecond))
}

// show shows rows where they are to go.
func (sh *shell) show(ctx context.Context, rows *streamsql.Rows, form string) (int64, error) {
	t, set := sh.term, sh.set
	if sh.out != nil {
		t.Out, t.Rows = sh.out.f, false
		if set.Form == "" {
			set.Form = render.FormOf(sh.out.f.Name())
		}
		if sh.once {
			defer sh.closeOut()
		}
	} else if set.Form == "" {
		set.Form = "table"
	}
	if form != "" {
		set.Form = form
	}
	return t.Show(ctx, rows, set)
}

// outFile is where \o sends rows.
type outFile struct{ f *os.File }

func (sh *shell) closeOut() {
	if sh.out != nil {
		if err := sh.out.f.Close(); err != nil {
			fmt.Fprintln(sh.Err, err)
		}
	}
	sh.out, sh.once = nil, false
}

// openOut sends rows to a file, for one result or until the next \o.
func (sh *shell) openOut(path string) error {
	sh.closeOut()
	if path == "" {
		return nil
	}
	f, err := os.Create(expand(sh.Getenv, path))
	if err == nil {
		sh.out = &outFile{f}
	}
	return err
}

// expand puts the home directory in the place of ~.
func expand(getenv func(string) string, path string) string {
	if len(path) > 1 && path[:2] == "~/" {
		return filepath.Join(getenv("HOME"), path[2:])
	}
	return path
}
