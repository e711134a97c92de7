package exec

import (
	"context"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Evaluation runs records at hand through a query that keeps nothing: one fragment without state, whose rows go to OnRows. It needs no group, topic or
// transaction. Records that cannot be read are shown and left out; on_error = 'fail' ends it.
type Evaluation struct {
	cfg   Config
	query *plan.Query
	tasks map[int32]*task.Task
	rows  collected
}

// collected are the rows that a task has sent. Records that were to be kept aside are not: what only asks writes nothing.
type collected struct{ batches []*vector.Batch }

// Shuffle implements task.Outlet; there is none.
func (c *collected) Shuffle(*plan.Shuffle, int32, *vector.Batch, []int32) error { return nil }

// Produce implements task.Outlet.
func (c *collected) Produce(*connectors.Record) {}

// Rows implements task.Outlet.
func (c *collected) Rows(b *vector.Batch) { c.batches = append(c.batches, b) }

// Evaluable says whether an Evaluation can run a query.
func Evaluable(q *plan.Query) bool {
	return len(q.Fragments) == 1 && len(q.Fragments[0].States) == 0 && len(q.Fragments[0].Inputs) == 1 && len(q.Sources) == 1 && q.Sink.Topic() == ""
}

// NewEvaluation makes one of a query that is Evaluable. Of c it takes App, Clock, Logger and OnRows.
func NewEvaluation(c Config, q *plan.Query) *Evaluation {
	return &Evaluation{cfg: c.withDefaults(), query: q, tasks: map[int32]*task.Task{}}
}

// Records takes records of one partition of the source, of rising offsets.
func (e *Evaluation) Records(ctx context.Context, partition int32, records []connectors.Record) error {
	t, err := e.task(ctx, partition)
	if err != nil || len(records) == 0 {
		return err
	}
	at := connectors.Partition{Topic: e.query.Sources[0].Topic, Partition: partition}
	if err := t.Process(ctx, &connectors.Fetched{Partition: at, Records: records, Next: records[len(records)-1].Offset + 1}); err != nil {
		return err
	}
	for _, b := range e.rows.batches {
		if err := e.cfg.OnRows(b); err != nil {
			return err
		}
	}
	e.rows.batches = e.rows.batches[:0]
	return nil
}

func (e *Evaluation) task(ctx context.Context, partition int32) (*task.Task, error) {
	if t := e.tasks[partition]; t != nil {
		return t, nil
	}
	nowhere := func(int) (string, int32) { return "", 0 }
	t, err := task.New(ctx, task.Config{
		App: e.cfg.App, Query: e.query, Fragment: e.query.Fragments[0], Partition: int(partition), Outlet: &e.rows, Now: e.cfg.now, Logger: e.cfg.Logger,
		BufferRows: e.cfg.BufferRows, DeadLetters: nowhere, LateTopic: nowhere,
	}, nil, map[connectors.Partition]int64{})
	e.tasks[partition] = t
	return t, err
}
