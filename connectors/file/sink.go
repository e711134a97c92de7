package file

import (
	"context"
	"errors"
	"maps"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

// sink writes the values of records at the end of a file. After a crash the last ones may be there twice.
type sink struct {
	w    *Writer
	done endpoint.Progress
}

var _ endpoint.Sink = (*sink)(nil)

// errChanges: a line that was written stays.
var errChanges = errors.New("a file keeps every line that was written, but the rows of this query replace each other: write a table of Kafka, or final rows (EMIT FINAL)")

func target(r endpoint.Relation, changes bool) error {
	o, err := CheckTarget(r)
	if err == nil && changes && o.Path != "-" {
		return errChanges
	}
	return err
}

func newSink(r endpoint.Relation, env endpoint.Env) (endpoint.Sink, error) {
	o, err := CheckTarget(r)
	if err != nil {
		return nil, err
	}
	w, err := Create(o, env.Stdout)
	return &sink{w: w, done: endpoint.Progress{}}, err
}

// Begin implements endpoint.Sink.
func (s *sink) Begin(_ context.Context, partition int32, committed int64) (int64, error) {
	return s.done.Begin(partition, committed), nil
}

// Deliver implements endpoint.Sink.
func (s *sink) Deliver(_ context.Context, partition int32, records []connectors.Record) error {
	records = s.done.New(partition, records)
	for i := range records {
		if err := s.w.Write(records[i].Value); err != nil {
			return err
		}
	}
	s.done.Delivered(partition, records)
	return nil
}

// Settle implements endpoint.Sink: what was written is in the file.
func (s *sink) Settle(context.Context, bool) (map[int32]int64, error) {
	return maps.Clone(s.done), s.w.Flush()
}

// Leave implements endpoint.Sink.
func (s *sink) Leave(partition int32) { delete(s.done, partition) }

// Close implements endpoint.Sink.
func (s *sink) Close() error { return s.w.Close() }
