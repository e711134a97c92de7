package generate

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// times are the event times of rows, in microseconds: start + n × step / per, and never after ceiling.
type times struct {
	start     int64
	step, per int64
	ceiling   int64
	follows   bool // the ceiling is the clock's time when a row is made
}

// farthest is how far back the first row may be: Kafka takes no times before 1970.
const farthest = float64(50 * 365 * 24 * 3600 * types.MicrosPerSecond)

const defaultInterval = int64(time.Millisecond / time.Microsecond)

// newTimes reads generate.start and generate.interval. Rows far ahead of the clock would be refused (max_future), so
// without a start none is: many rows end now, endless ones follow the clock.
func newTimes(o *connectors.Options, rows, rate int64, now time.Time) (times, error) {
	x := times{start: now.UnixMicro(), step: defaultInterval, per: 1, ceiling: math.MaxInt64}
	switch {
	case o.Get("generate.interval") != "":
		x.step = o.Duration("generate.interval")
	case rate > 0:
		x.step, x.per = types.MicrosPerSecond, rate
	case rows == 0 && o.Get("generate.start") == "":
		x.step = 0
		x.start = math.MaxInt64 // the ceiling
	}
	if s := o.Get("generate.start"); s != "" {
		var err error
		x.start, err = instant(s, now)
		return x, err
	}
	if rows == 0 {
		x.follows = true
		return x, nil
	}
	// How much more time passes in the rows than while they are written, up to the last one.
	ahead := float64(x.step) / float64(x.per)
	if rate > 0 {
		ahead -= float64(types.MicrosPerSecond) / float64(rate)
	}
	if ahead *= float64(rows - 1); ahead > farthest {
		return x, fmt.Errorf("option 'generate.rows': so many rows begin more than 50 years ago; set a shorter 'generate.interval', or 'generate.start'")
	}
	x.start -= int64(max(0, ahead))
	return x, nil
}

// at is the event time of row n (from 0), without disorder.
func (x *times) at(n uint64) int64 {
	if x.step == 0 {
		return min(x.start, x.ceiling)
	}
	return min(x.start+int64(n)*x.step/x.per, x.ceiling)
}

// now sets the clock's time.
func (x *times) now(t time.Time) {
	if x.follows {
		x.ceiling = t.UnixMicro()
	}
}

func instant(s string, now time.Time) (int64, error) {
	if strings.EqualFold(s, "now") {
		return now.UnixMicro(), nil
	}
	cell, err := format.NewCell(format.Column{Name: "generate.start", Type: types.Type{Kind: types.Timestamp, Precision: 6}})
	if err != nil {
		return 0, err
	}
	v := vector.New(cell.Type, 1)
	if err := cell.Text(v, []byte(s)); err != nil {
		return 0, fmt.Errorf("option 'generate.start': '%s' is not an instant: write 'now', '2026-01-01T00:00:00Z', or milliseconds since the epoch", s)
	}
	return v.Ints[0], nil
}
