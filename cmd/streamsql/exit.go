package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql"
)

// The exit codes that scripts can rely on.
const (
	exitOK      = 0
	exitFailure = 1   // something went wrong while running
	exitUsage   = 2   // flags, configuration
	exitSQL     = 3   // a mistake in SQL, as psql's ON_ERROR_STOP has it
	exitForced  = 130 // a second signal: 128 + SIGINT
)

// usageError is a mistake in flags or configuration.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// failure is an error that was reported already.
type failure struct{ code int }

func (f failure) Error() string { return fmt.Sprintf("exit code %d", f.code) }

// mistakes are all errors of a script.
type mistakes []*streamsql.SQLError

func (m mistakes) Error() string {
	texts := make([]string, len(m))
	for i, e := range m {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// report prints an error and returns the exit code that stands for it.
func (a *app) report(err error) int {
	var (
		usage usageError
		known failure
		many  mistakes
	)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return exitOK
	case errors.As(err, &known):
		return known.code
	case errors.As(err, &usage):
		fmt.Fprintln(a.stderr, "streamsql:", usage.text)
		return exitUsage
	case errors.As(err, &many), streamsql.IsSQL(err):
		fmt.Fprintln(a.stderr, err)
		return exitSQL
	}
	fmt.Fprintln(a.stderr, "streamsql:", err)
	return exitFailure
}
