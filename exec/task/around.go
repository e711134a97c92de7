package task

import (
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// around is what a query writes of a record itself; ordinals of the sink's input, -1: not written.
type around struct {
	key, timestamp, headers int
}

func newAround(n *plan.Sink) around {
	return around{n.Writes(plan.HiddenKey), n.Writes(plan.HiddenTimestamp), n.Writes(plan.HiddenHeaders)}
}

var errNullWritten = errors.New("the _timestamp to be written is NULL")

// write sets the record's timestamp and headers from row i. The row's own event time, which watermarks follow, stays what it is.
func (a around) write(r *connectors.Record, b *vector.Batch, i int) error {
	if a.timestamp >= 0 {
		v := b.Cols[a.timestamp]
		if v.IsNull(i) {
			return errNullWritten
		}
		if r.Timestamp = types.FloorDiv(v.Ints[i], types.MicrosPerMilli); r.Timestamp < 0 {
			return fmt.Errorf("the _timestamp to be written is %s: Kafka takes none before 1970", v.Value(i).Text())
		}
	}
	if a.headers < 0 {
		return nil
	}
	r.Headers = nil
	v := b.Cols[a.headers]
	if v.IsNull(i) {
		return nil
	}
	var err error
	r.Headers, err = format.ParseHeaders(v.Bytes.At(i))
	return err
}
