package generate

import (
	"context"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/pace"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Feed writes a generator's rows as record values, without keys.
type Feed struct {
	g       *Generator
	clock   pace.Clock
	encoder format.Encoder
	batch   *vector.Batch
	size    int // of a value, about
}

var _ connectors.Feed = (*Feed)(nil)

// NewFeed makes the feed; values are written in a format ("json"), which must be registered.
func NewFeed(g *Generator, formatName string, s format.Spec, clock pace.Clock) (*Feed, error) {
	kinds := make([]types.Type, len(s.Columns))
	for i, c := range s.Columns {
		kinds[i] = c.Type
	}
	e, err := format.NewEncoder(formatName, s, nil)
	if err != nil {
		return nil, err
	}
	return &Feed{g: g, clock: clock, encoder: e, batch: vector.NewBatch(kinds, mostRecords)}, nil
}

const mostRecords = 1000

// Run implements connectors.Feed.
func (f *Feed) Run(ctx context.Context, write func([]connectors.Record) error) error {
	records := make([]connectors.Record, 0, mostRecords)
	loop := pace.Loop{Rows: f.g.rows, Rate: f.g.rate, Batch: mostRecords, Clock: f.clock}
	if err := format.Prepare(ctx, f.encoder); err != nil {
		return err
	}
	return loop.Run(ctx, func(from, to uint64) error {
		var err error
		if records, err = f.make(records[:0], from, to); err != nil {
			return err
		}
		return write(records)
	})
}

func (f *Feed) make(records []connectors.Record, from, to uint64) ([]connectors.Record, error) {
	f.batch.Reset()
	f.g.times.Now(f.clock.Now())
	for n := from; n < to; n++ {
		f.g.Append(f.batch.Cols, n)
	}
	f.batch.N = int(to - from)
	values := make([]byte, 0, f.size*f.batch.N+f.size) // kept by whoever gets the records
	for i := range f.batch.N {
		at := len(values)
		var err error
		if values, err = f.encoder.Encode(values, f.batch, i); err != nil {
			return nil, err
		}
		records = append(records, connectors.Record{
			Value:     values[at:len(values):len(values)],
			Timestamp: types.FloorDiv(f.g.EventTime(from+uint64(i)), types.MicrosPerMilli),
		})
	}
	f.size = len(values) / f.batch.N
	return records, nil
}
