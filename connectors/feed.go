package connectors

import "context"

// Feed is a source that is not Kafka: a goroutine of the engine runs it and writes what it yields into a topic of the
// cluster, from where it is read like any other source.
type Feed interface {
	// Run hands records to write, in order and some at a time, until the input ends (nil), ctx ends (its error), write
	// fails (that error) or the input cannot be read. Of a record it fills Key, Value, Timestamp and Headers; topic and
	// partition are the writer's. The slice is reused after write returns, the bytes in it are not.
	Run(ctx context.Context, write func([]Record) error) error
}

// Resumer is a feed that knows from its own records how far it has come. Any other yields the same records in the same order
// whenever it runs, and what an earlier run wrote is passed over.
type Resumer interface {
	Feed
	// Seen is told of all records of earlier runs before Run is called, those of a partition in order.
	Seen(records []Record)
}
