package endpoint

import (
	"context"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
)

// Sink brings records to where no transaction of the cluster reaches. One goroutine calls it. Whatever it did not say is settled is
// delivered again after a crash.
type Sink interface {
	// Begin is called before the first record of a partition. committed is where delivery stands according to the cluster, -1 when nothing was
	// delivered yet. It returns where to go on: there, or further on when the target itself shows that more has come to it.
	Begin(ctx context.Context, partition int32, committed int64) (int64, error)
	// Deliver takes records of one partition in order; those that it has taken before it passes over. An error that passes is a
	// *Retry, records that the target will never take are a *Rejected. Any other error ends the queries that write to the target.
	Deliver(ctx context.Context, partition int32, records []connectors.Record) error
	// Settle brings what was taken to its place as far as it is due, all of it when all is set, and returns for each partition the offset
	// before which everything is there.
	Settle(ctx context.Context, all bool) (map[int32]int64, error)
	// Leave forgets a partition, and what was not settled of it: somebody else goes on with it.
	Leave(partition int32)
	// Close lets go of everything. What was not settled is not there.
	Close() error
}

// Retry is a failure that passes: the records are to be delivered again.
type Retry struct {
	After time.Duration // not sooner than that
	Err   error
}

// Error is the cause's.
func (r *Retry) Error() string { return r.Err.Error() }

// Unwrap is Err.
func (r *Retry) Unwrap() error { return r.Err }

// Policy says what becomes of records that the target will never take.
type Policy uint8

// The policies.
const (
	Fail       Policy = iota // the queries that write to it end
	Skip                     // they are counted, shown and left out
	DeadLetter               // and their bytes kept in <app>.<relation>.rejected
)

// Rejected is the failure of some of the records: those behind them have not been tried. Unless the policy is Fail they count as taken.
type Rejected struct {
	Records []connectors.Record
	Policy  Policy
	Err     error
}

// Error is the cause's.
func (r *Rejected) Error() string { return r.Err.Error() }

// Unwrap is Err.
func (r *Rejected) Unwrap() error { return r.Err }

// Progress is how far the partitions of a sink that delivers at once have come.
type Progress map[int32]int64

// Begin is where the cluster says that a partition stands.
func (p Progress) Begin(partition int32, committed int64) int64 {
	p[partition] = max(committed, 0)
	return p[partition]
}

// New are the records that were not delivered yet.
func (p Progress) New(partition int32, records []connectors.Record) []connectors.Record {
	for len(records) > 0 && records[0].Offset < p[partition] {
		records = records[1:]
	}
	return records
}

// Delivered notes that records have come to their place.
func (p Progress) Delivered(partition int32, records []connectors.Record) {
	if n := len(records); n > 0 {
		p[partition] = records[n-1].Offset + 1
	}
}
