package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/streamsql-go/streamsql"
)

// printer writes the rows of one result.
type printer interface {
	row(r streamsql.Row) error
	// flush writes what is held back.
	flush() error
	end() error
}

// format is the one asked for, else what suits the output.
func (a *app) format() string {
	switch {
	case a.config.output != "":
		return a.config.output
	case isTerminal(a.stdout):
		return "table"
	}
	return "jsonl"
}

func newPrinter(format string, w io.Writer, rows *streamsql.Rows) (printer, error) {
	switch format {
	case "jsonl", "json":
		return newJSONPrinter(format, w, rows)
	case "csv":
		return newCSVPrinter(w, rows)
	}
	return newTablePrinter(w, rows), nil
}

// flushEvery bounds how long a row waits for the next ones.
const flushEvery = 50 * time.Millisecond

// print writes rows as they come. When none comes for three seconds it says why, once.
func (a *app) print(rows *streamsql.Rows) error {
	w := bufio.NewWriterSize(a.stdout, 64<<10)
	p, err := newPrinter(a.format(), w, rows)
	if err != nil {
		return errors.Join(err, rows.Close())
	}
	type item struct {
		row streamsql.Row
		err error
	}
	items, gone := make(chan item, 256), make(chan struct{})
	defer func() {
		close(gone)
		for range items { // until the producer has closed the rows
		}
	}()
	go func() {
		defer close(items)
		for row, err := range rows.All() {
			select {
			case items <- item{row, err}:
			case <-gone:
				return
			}
		}
	}()
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	waiting := time.NewTimer(3 * time.Second)
	defer waiting.Stop()
	for {
		select {
		case it, more := <-items:
			if !more {
				return errors.Join(p.end(), w.Flush())
			}
			waiting.Stop()
			if it.err != nil {
				return errors.Join(ended(it.err), p.end(), w.Flush())
			}
			if err := p.row(it.row); err != nil {
				return err
			}
		case <-tick.C:
			if err := errors.Join(p.flush(), w.Flush()); err != nil {
				return err
			}
		case <-waiting.C:
			if q := rows.Query(); q != nil {
				fmt.Fprintf(a.stderr, "no rows so far: %s\n", q.Status())
			}
		}
	}
}

// ended takes the end of a context for the end of the rows.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
