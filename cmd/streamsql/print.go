package main

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/cmd/streamsql/internal/render"
)

// print writes rows as they come, in the form asked for, else in what suits the output. When none comes for three seconds it says why.
func (a *app) print(ctx context.Context, rows *streamsql.Rows) error {
	_, err := a.terminal().Show(ctx, rows, render.Settings{Form: a.config.output, Rate: 500, Silence: 3 * time.Second})
	return err
}

// terminal is standard output with what it can do.
func (a *app) terminal() render.Terminal {
	able := a.getenv("TERM") != "dumb" && a.getenv("TERM") != ""
	return render.Terminal{
		Out: a.stdout, Err: a.stderr, Rows: isTerminal(a.stdout), Control: able,
		Colours: able && a.getenv("NO_COLOR") == "", // https://no-color.org
		Size:    func() (int, int) { return screenSize(a.stdout) }, Now: a.clock(),
	}
}

func screenSize(f *os.File) (width, height int) {
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return w, h
}

// ended takes the end of a context for the end of the rows.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
