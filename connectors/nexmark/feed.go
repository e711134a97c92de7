package nexmark

import (
	"context"
	"strconv"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/pace"
	"github.com/streamsql-go/streamsql/connectors/random"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Feed writes a generator's events as records.
type Feed struct {
	g     *Generator
	clock pace.Clock
	size  int // of the bytes of a batch, about
}

var _ connectors.Feed = (*Feed)(nil)

// NewFeed makes the feed.
func NewFeed(g *Generator, clock pace.Clock) *Feed { return &Feed{g: g, clock: clock} }

// mostRecords go out in one batch.
const mostRecords = 1000

// Run implements connectors.Feed. Feeds of one world with a rate keep step with each other.
func (f *Feed) Run(ctx context.Context, write func([]connectors.Record) error) error {
	own := f.g.kind.last - f.g.kind.first + 1
	loop := pace.Loop{Rows: f.g.events, Rate: f.g.rate, Batch: mostRecords / own * perEpoch, Clock: f.clock}
	var records []connectors.Record
	return loop.Run(ctx, func(from, to uint64) error {
		if records = f.make(records[:0], from, to); len(records) == 0 {
			return nil
		}
		return write(records)
	})
}

func (f *Feed) make(records []connectors.Record, from, to uint64) []connectors.Record {
	f.g.times.Now(f.clock.Now())
	data := make([]byte, 0, f.size+f.size/8) // kept by whoever gets the records
	for i := from; i < to; i++ {
		if f.g.kind.holds(i) {
			var r connectors.Record
			r, data = f.g.record(data, i)
			records = append(records, r)
		}
	}
	f.size = max(f.size, len(data))
	return records
}

// record is event i; its bytes are appended to data.
func (g *Generator) record(data []byte, i uint64) (connectors.Record, []byte) {
	g.random = random.New(g.seed, i)
	e := at(i, &g.random)
	e.ms = types.FloorDiv(g.times.At(i), types.MicrosPerMilli)
	key := g.kind.key(e)
	start := len(data)
	data = g.kind.append(g, data, key, e)
	end := len(data)
	data = strconv.AppendUint(data, key, 10)
	return connectors.Record{Value: data[start:end:end], Key: data[end:len(data):len(data)], Timestamp: e.ms}, data
}
