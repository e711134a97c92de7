package streamsql

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/streamsql-go/streamsql/connectors/file"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// sink is what takes the rows of a query right after their commit, with its closing: standard output. Nil: a topic takes them.
func (e *Engine) sink(ctx context.Context, q *plan.Query) (take func(context.Context, *vector.Batch) error, closing func(), err error) {
	t := q.Sink.Target
	if t == nil || q.Sink.Topic() != "" {
		return nil, nil, nil
	}
	switch t.Connector {
	case "file", "stdout":
		return fileSink(ctx, q)
	}
	return nil, nil, fmt.Errorf("connector '%s' cannot be written to: use kafka, file, stdout or go", t.Connector)
}

func sinkColumns(q *plan.Query) []Column {
	var out []Column
	for i, o := range q.Sink.Columns {
		out = append(out, Column{Name: q.Sink.Name(i), Type: q.Sink.Input.Props().Schema.Columns[o].Type})
	}
	return out
}

// fileSink writes rows as lines on standard output.
func fileSink(ctx context.Context, q *plan.Query) (func(context.Context, *vector.Batch) error, func(), error) {
	o, err := file.CheckTarget(endpointOf(q.Sink.Target))
	if err != nil {
		return nil, nil, err
	}
	w, err := file.Create(o, os.Stdout)
	if err != nil {
		return nil, nil, err
	}
	var cols []format.Column
	for _, c := range sinkColumns(q) {
		cols = append(cols, format.Column{Name: c.Name, Type: c.Type, TimestampFormat: q.Sink.Target.TimestampFormat})
	}
	enc, err := format.NewEncoder(q.Sink.Target.Format, format.Spec{Columns: cols, Options: q.Sink.Target.FormatOptions}, nil)
	if err == nil {
		err = format.Prepare(ctx, enc)
	}
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	var buf []byte
	changes, _ := enc.(format.ChangeEncoder)
	return func(_ context.Context, b *vector.Batch) error {
		for i := range b.N {
			var err error
			if changes != nil && b.Deleted != nil && b.Deleted[i] {
				buf, err = changes.EncodeDeleted(buf[:0], b, i)
			} else {
				buf, err = enc.Encode(buf[:0], b, i)
			}
			if err != nil {
				return err
			}
			if err := w.Write(buf); err != nil {
				return err
			}
		}
		return w.Flush()
	}, func() { _ = w.Close() }, nil
}
