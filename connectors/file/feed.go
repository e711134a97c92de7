package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
)

// Feed writes the records of a stream that may be silent for long, standard input or a pipe, as values without keys; the timestamp
// of a record is when it was read.
type Feed struct {
	options Options
	stdin   io.Reader
	now     func() time.Time
}

var _ connectors.Feed = (*Feed)(nil)

// NewFeed makes the feed; stdin is read for the path "-". Another path is opened by Run.
func NewFeed(o Options, stdin io.Reader, now func() time.Time) *Feed {
	return &Feed{options: o, stdin: stdin, now: now}
}

// mostRecords and mostBytes bound what is handed over at a time.
const (
	mostRecords = 1000
	mostBytes   = 1 << 20
)

type chunk struct {
	records []connectors.Record
	err     error
}

// Run implements connectors.Feed. Lines that have arrived are not held back to fill a batch. When ctx ends while standard
// input is silent, Run returns at once and leaves the pending read behind.
func (f *Feed) Run(ctx context.Context, write func([]connectors.Record) error) error {
	name, in := "standard input", f.stdin
	if f.options.Path != "-" {
		file, err := os.Open(f.options.Path)
		if err != nil {
			return fmt.Errorf("file.path: %w", err)
		}
		defer file.Close()
		name, in = f.options.Path, file
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	chunks := make(chan chunk)
	go f.read(ctx, NewReader(name, in, f.options.Lines), chunks)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case c := <-chunks:
			if len(c.records) > 0 {
				if err := write(c.records); err != nil {
					return err
				}
			}
			switch {
			case errors.Is(c.err, io.EOF):
				return nil
			case c.err != nil:
				return c.err
			}
		}
	}
}

// read sends what it reads until an error or the end, which it sends as well.
func (f *Feed) read(ctx context.Context, r *Reader, chunks chan<- chunk) {
	for {
		c := f.chunk(r)
		select {
		case <-ctx.Done():
			return
		case chunks <- c:
		}
		if c.err != nil {
			return
		}
	}
}

func (f *Feed) chunk(r *Reader) chunk {
	var c chunk
	for size := 0; c.err == nil && len(c.records) < mostRecords && size < mostBytes; {
		if len(c.records) > 0 && !r.Buffered() {
			break
		}
		var line []byte
		if line, c.err = r.Next(); c.err == nil {
			size += len(line)
			c.records = append(c.records, connectors.Record{Value: line, Timestamp: f.now().UnixMilli()})
		}
	}
	return c
}
