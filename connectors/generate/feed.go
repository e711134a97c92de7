package generate

import (
	"context"
	"math"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Clock is the time a feed keeps its rate by.
type Clock interface {
	Now() time.Time
	// Sleep waits for d or until ctx ends, and then returns its error.
	Sleep(ctx context.Context, d time.Duration) error
}

// Feed writes a generator's rows as record values, without keys.
type Feed struct {
	g       *Generator
	clock   Clock
	encoder format.Encoder
	batch   *vector.Batch
	size    int // of a value, about
}

var _ connectors.Feed = (*Feed)(nil)

// NewFeed makes the feed; values are written in a format ("json") that must be registered.
func NewFeed(g *Generator, formatName string, cols []types.Column, clock Clock) (*Feed, error) {
	columns := make([]format.Column, len(cols))
	kinds := make([]types.Type, len(cols))
	for i, c := range cols {
		columns[i] = format.Column{Name: c.Name, Type: c.Type}
		kinds[i] = c.Type
	}
	e, err := format.NewEncoder(formatName, columns, nil)
	if err != nil {
		return nil, err
	}
	return &Feed{g: g, clock: clock, encoder: e, batch: vector.NewBatch(kinds, mostRecords)}, nil
}

const (
	mostRecords = 1000
	// tick is how long a feed with a rate sleeps at least, so that high rates go out in batches.
	tick = 5 * time.Millisecond
)

// Run implements connectors.Feed.
func (f *Feed) Run(ctx context.Context, write func([]connectors.Record) error) error {
	rows := uint64(math.MaxUint64)
	if f.g.rows > 0 {
		rows = uint64(f.g.rows)
	}
	began := f.clock.Now()
	records := make([]connectors.Record, 0, mostRecords)
	for n := uint64(0); n < rows; {
		if err := ctx.Err(); err != nil {
			return err
		}
		due := min(rows, n+mostRecords)
		if f.g.rate > 0 {
			due = min(due, f.due(f.clock.Now().Sub(began)))
		}
		if due <= n {
			wait := f.offset(n) - f.clock.Now().Sub(began)
			if err := f.clock.Sleep(ctx, max(wait, tick)); err != nil {
				return err
			}
			continue
		}
		records = f.make(records[:0], n, due)
		if err := write(records); err != nil {
			return err
		}
		n = due
	}
	return nil
}

func (f *Feed) make(records []connectors.Record, from, to uint64) []connectors.Record {
	f.batch.Reset()
	f.g.times.now(f.clock.Now())
	for n := from; n < to; n++ {
		f.g.Append(f.batch.Cols, n)
	}
	f.batch.N = int(to - from)
	values := make([]byte, 0, f.size*f.batch.N+f.size) // kept by whoever gets the records
	for i := range f.batch.N {
		at := len(values)
		values = f.encoder.Encode(values, f.batch, i)
		records = append(records, connectors.Record{
			Value:     values[at:len(values):len(values)],
			Timestamp: types.FloorDiv(f.g.EventTime(from+uint64(i)), types.MicrosPerMilli),
		})
	}
	f.size = len(values) / f.batch.N
	return records
}

// due is how many rows there are to be after a time: row n comes at n/rate.
func (f *Feed) due(after time.Duration) uint64 {
	if after < 0 {
		return 0
	}
	s, ns := uint64(after/time.Second), float64(after%time.Second)
	return s*uint64(f.g.rate) + uint64(ns*float64(f.g.rate)/1e9) + 1
}

// offset is when row n is due.
func (f *Feed) offset(n uint64) time.Duration {
	return time.Duration(float64(n) / float64(f.g.rate) * float64(time.Second))
}
