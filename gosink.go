package streamsql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Sink takes the rows of a relation in Go, at least once: they are committed, in the order of their partition, and are delivered again unless it returned nil and
// that was noted, which a crash may prevent. One goroutine calls it at a time. An error that is an *endpoint.Retry has the same rows delivered again later; any other
// ends the queries that write to the relation, and the rows are delivered when the next one starts.
type Sink func(rows []Row) error

// RegisterSink makes f the target of a relation declared WITH (connector = 'go'). Register before the query that writes there.
//
// Errors: a relation that has a sink already, a nil function.
func (e *Engine) RegisterSink(relation string, f Sink) error {
	if f == nil {
		return fmt.Errorf("the Go sink of %s is nil", relation)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	name := strings.ToLower(relation)
	if e.mu.sinks[name] != nil {
		return fmt.Errorf("a Go sink of %s is registered already", relation)
	}
	e.mu.sinks[name] = f
	return nil
}

// goSinkDelivery is what a Go sink promises.
const goSinkDelivery = "at least once"

// registeredSink is the Go sink of a target, nil where the target is of another connector.
func (e *Engine) registeredSink(t *catalog.Relation, at ast.Span) (Sink, error) {
	if t == nil || t.Connector != "go" {
		return nil, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.mu.sinks[strings.ToLower(t.Name)]
	if f == nil {
		return nil, ast.Errorf(at, "no Go sink is registered for %s", t.Name).WithHint("call Engine.RegisterSink(%q, …) before this statement", t.Name)
	}
	return f, nil
}

// goSink gives the records of an outbox to a function of the program as rows.
type goSink struct {
	take    Sink
	rel     *catalog.Relation
	done    endpoint.Progress
	rows    *Rows
	kinds   []types.Type
	value   format.Decoder
	key     *format.KeyCodec
	inKey   []int // of the relation: the columns that are in the key, -1: it has no such column
	fromKey []*vector.Vector
}

var _ endpoint.Sink = (*goSink)(nil)

func newGoSink(n *plan.Sink, take Sink) (endpoint.Sink, error) {
	rel := n.Target
	s := &goSink{take: take, rel: rel, done: endpoint.Progress{}, rows: &Rows{columns: rel.Columns}}
	for _, c := range rel.Columns {
		s.kinds = append(s.kinds, c.Type)
	}
	spec := formatSpec(rel)
	var err error
	if s.value, err = format.NewDecoder(rel.Format, spec); err != nil || n.KeyMode != plan.KeyFromColumn {
		return s, err
	}
	in := n.Input.Props().Schema.Columns
	spec.Columns = nil
	for _, o := range n.Key {
		spec.Columns = append(spec.Columns, format.Column{Name: in[o].Name, Type: in[o].Type, TimestampFormat: rel.TimestampFormat})
		s.fromKey = append(s.fromKey, vector.New(in[o].Type, 1))
		at := -1
		for i, c := range n.Columns {
			if c == o {
				at = i
			}
		}
		s.inKey = append(s.inKey, at)
	}
	s.key, err = format.NewKeyCodec(rel.KeyFormatOf(len(n.Key)), spec)
	return s, err
}

// Begin implements endpoint.Sink.
func (s *goSink) Begin(_ context.Context, partition int32, committed int64) (int64, error) {
	return s.done.Begin(partition, committed), nil
}

// Deliver implements endpoint.Sink.
func (s *goSink) Deliver(ctx context.Context, partition int32, records []connectors.Record) error {
	records = s.done.New(partition, records)
	rows, err := s.decode(ctx, records)
	if err == nil && len(rows) > 0 {
		err = s.call(rows)
	}
	if err == nil {
		s.done.Delivered(partition, records)
	}
	return err
}

func (s *goSink) call(rows []Row) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the Go sink panicked: %v\n%s", p, stack())
		}
	}()
	return s.take(rows)
}

// awayFor is how long a schema registry that is away is left alone.
const awayFor = time.Second

// decode makes rows of records.
func (s *goSink) decode(ctx context.Context, records []connectors.Record) ([]Row, error) {
	var rows []Row
	for i := range records {
		r := &records[i]
		b := vector.NewBatch(s.kinds, 1)
		skip, err := s.row(ctx, b, r)
		var away *format.FetchError
		switch {
		case errors.As(err, &away):
			return nil, &endpoint.Retry{After: awayFor, Err: err}
		case err != nil:
			return nil, fmt.Errorf("record %d/%d of the outbox: %w", r.Partition, r.Offset, err)
		case skip:
			continue
		}
		b.N, b.Time = 1, []int64{r.Timestamp * 1000}
		rows = append(rows, s.rows.row(b, 0))
	}
	return rows, nil
}

// row decodes one record into b; skip: it tells nothing new.
func (s *goSink) row(ctx context.Context, b *vector.Batch, r *connectors.Record) (skip bool, err error) {
	changes, tells := s.value.(format.ChangeDecoder)
	if r.Value == nil && tells {
		return true, nil // the deletion was told before
	}
	if r.Value == nil && s.rel.Kind == ast.Table {
		b.Deleted = []bool{true}
		return false, s.deleted(ctx, b, r.Key)
	}
	if r.Value == nil {
		b.Cols[0].AppendNull() // the NULL of a format of one column
	} else if err := format.Decode(ctx, s.value, r.Value, b.Cols); err != nil {
		return false, err
	}
	if tells {
		b.Deleted = []bool{changes.Change().Deleted}
	}
	return false, nil
}

// deleted is a row of which only the key is known.
func (s *goSink) deleted(ctx context.Context, b *vector.Batch, key []byte) error {
	for _, v := range s.fromKey {
		v.Reset()
	}
	if s.key != nil {
		if err := format.DecodeKey(ctx, s.key, key, s.fromKey); err != nil {
			return err
		}
	}
	for k, c := range s.inKey {
		if c >= 0 {
			b.Cols[c].AppendFrom(s.fromKey[k], 0)
		}
	}
	for _, v := range b.Cols {
		if v.Len() == 0 {
			v.AppendNull()
		}
	}
	return nil
}

// Settle implements endpoint.Sink: what was taken is there.
func (s *goSink) Settle(context.Context, bool) (map[int32]int64, error) { return s.done, nil }

// Leave implements endpoint.Sink.
func (s *goSink) Leave(partition int32) { delete(s.done, partition) }

// Close implements endpoint.Sink.
func (s *goSink) Close() error { return nil }
