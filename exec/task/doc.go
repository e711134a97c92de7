// Package task runs one fragment for one partition: it decodes the records of its inputs, runs the operators, and hands
// rows to the next fragment or the sink. A task has no goroutine and no clock of its own: a worker calls it.
//
// The way of a record: Process (decode; bad record → policy) → the chain that exec/build made → a shuffle or the sink.
// The way of time: inputs → Advance → the chain's links → Info, which the worker sends downstream (semantics S2, S4).
//
// A task is never rolled back. What an aborted epoch touched goes with the task: the worker drops it and makes a new one
// from the committed state. So an abort and a crash are one path.
package task

import (
	"log/slog"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage"
)

// Outlet takes what a task sends: the worker's side of a shuffle, a topic, or an ad-hoc query's rows.
type Outlet interface {
	// Shuffle hands rows to a partition of a shuffle. The batch is the caller's again after the call.
	Shuffle(s *plan.Shuffle, partition int32, b *vector.Batch, rows []int32) error
	// Produce sends a record within the open transaction.
	Produce(r *connectors.Record)
	// Rows hands over rows for Config.OnRows; they are the receiver's.
	Rows(b *vector.Batch)
}

// BadRecord is a record of a source that could not be used, with the beginnings of its key and value.
type BadRecord struct {
	Source        string // the relation
	Topic         string
	Partition     int32
	Offset        int64
	Timestamp     int64  // milliseconds
	Reason, Error string // in a word, and in words
	Key, Value    []byte
}

// Config makes a task.
type Config struct {
	App       string
	Query     *plan.Query
	Fragment  *plan.Fragment
	Partition int
	Store     *storage.Store // nil for a fragment without state
	Outlet    Outlet
	Now       func() int64 // microseconds
	Logger    *slog.Logger
	// Run is the number of the bounded run, 0 in an endless one; Ends are its stored ends.
	Run  int
	Ends map[connectors.Partition]int64
	// Limits are where source partitions end in every run, those of sources that declare an end.
	Limits map[connectors.Partition]int64
	// IDs are the topics' ids: a topic that was deleted and created again has another one, and positions in it mean nothing.
	IDs map[string]string
	// CaughtUp: the bounded run ends without closing windows, when everything below Ends has had its effect.
	CaughtUp bool
	// Frontier: somebody downstream needs the task's frontier: a table's rows pass through it, or the run ends caught up.
	Frontier bool
	// LocalInputs: shuffles are handed over in the process, they have no partitions to commit.
	LocalInputs bool
	// Generation is the group's.
	Generation int32
	// BufferRows bounds what a join may hold back.
	BufferRows int
	// SinkPartitions is the partition count of the sink's topic.
	SinkPartitions int32
	// DeadLetters is the dead-letter topic of a source, with its partition count; "" when there is none.
	DeadLetters func(source int) (topic string, partitions int32)
	// Bad is told of each record that could not be used; nil: nobody wants to know.
	Bad func(BadRecord)
	// LateTopic is the same for late rows.
	LateTopic func(source int) (topic string, partitions int32)
}

// ID names the task.
func (c *Config) id() wire.TaskID {
	return wire.TaskID{Fragment: c.Fragment.ID, Partition: c.Partition}
}
