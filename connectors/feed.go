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
