package task

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// shownSamples is how many bad and late records of each reason are shown by a task.
const shownSamples = 5

// sampler shows the first few of each reason.
type sampler struct {
	logger *slog.Logger
	shown  map[string]int
}

func (s *sampler) show(reason, message string, args ...any) {
	if s.shown == nil {
		s.shown = map[string]int{}
	}
	s.shown[reason]++
	if n := s.shown[reason]; n <= shownSamples {
		s.logger.Warn(message, args...)
	}
}

// RecordError is a record that stops the query: on_error = 'fail'.
type RecordError struct {
	Topic     string
	Partition int32
	Offset    int64
	Err       error
}

// Error names the record and the remedy.
func (e *RecordError) Error() string {
	return fmt.Sprintf("%s/%d at offset %d: %v (on_error='fail'; use 'skip' or 'dead_letter' to go on)", e.Topic, e.Partition, e.Offset, e.Err)
}

// Unwrap is the cause.
func (e *RecordError) Unwrap() error { return e.Err }

// bad applies on_error to a record that cannot be used.
func (t *Task) bad(index int, rel *catalog.Relation, r *connectors.Record, cause error) error {
	var misplaced *MisplacedError
	var fetch *format.FetchError
	if errors.As(cause, &misplaced) || errors.As(cause, &fetch) {
		return cause
	}
	reason, field := "bad", ""
	var b *format.BadRecord
	if errors.As(cause, &b) {
		reason, field = string(b.Reason), b.Field
	}
	t.perInput[index].Bad++
	t.dirty = true
	if t.cfg.Bad != nil {
		t.cfg.Bad(BadRecord{
			Source: rel.Name, Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Timestamp: r.Timestamp, Reason: reason, Error: cause.Error(),
			Key: excerpt(r.Key), Value: excerpt(r.Value),
		})
	}
	t.samples.show(reason+"/"+field, "bad record", "topic", r.Topic, "partition", r.Partition, "offset", r.Offset, "reason", reason, "error", cause)
	switch rel.OnError {
	case catalog.Fail:
		return &RecordError{r.Topic, r.Partition, r.Offset, cause}
	case catalog.DeadLetter:
		topic, n := t.cfg.DeadLetters(t.source(index))
		t.deadLetter(topic, n, r, reason, cause.Error())
	}
	return nil
}

// mostExcerpt is how many bytes of a key or value are kept of a bad record.
const mostExcerpt = 200

func excerpt(b []byte) []byte { return bytes.Clone(b[:min(len(b), mostExcerpt)]) }

func (t *Task) source(index int) int { return t.ins[index].src.scan.Source }

// deadLetter keeps the original bytes, in the same transaction, with what was wrong as headers.
func (t *Task) deadLetter(topic string, partitions int32, r *connectors.Record, reason, message string) {
	out := &connectors.Record{Topic: topic, Partition: r.Partition % max(partitions, 1), Timestamp: max(r.Timestamp, 0), Key: r.Key, Value: r.Value}
	out.Headers = append(append([]vector.Header{}, r.Headers...),
		vector.Header{Key: "streamsql.reason", Value: []byte(reason)},
		vector.Header{Key: "streamsql.error", Value: []byte(message)},
		vector.Header{Key: "streamsql.topic", Value: []byte(r.Topic)},
		vector.Header{Key: "streamsql.partition", Value: strconv.AppendInt(nil, int64(r.Partition), 10)},
		vector.Header{Key: "streamsql.offset", Value: strconv.AppendInt(nil, r.Offset, 10)},
	)
	t.cfg.Outlet.Produce(out)
}

// late handles a row that is late for an operator downstream; the remedy is named in the report.
func (t *Task) late(what []string) func(b *vector.Batch, row, horizon int, lateness int64) error {
	return func(b *vector.Batch, row, horizon int, lateness int64) error {
		d := t.current
		c := &t.perInput[d.index]
		c.Late++
		c.LateBy = max(c.LateBy, lateness)
		o := b.Origin[row]
		needed := remedy(d.rel, lateness)
		t.samples.show("late", "late row", "topic", d.rel.Topic, "partition", o.Partition, "offset", o.Offset, "for", what[horizon],
			"remedy", "declare "+needed+" to keep it")
		r := d.record(o)
		if r == nil {
			return nil
		}
		message := fmt.Sprintf("late for %s: %s would have kept it", what[horizon], needed)
		if topic, n := t.cfg.LateTopic(t.source(d.index)); topic != "" {
			t.deadLetter(topic, n, r, "late", message)
		} else if d.rel.OnError == catalog.DeadLetter {
			topic, n := t.cfg.DeadLetters(t.source(d.index))
			t.deadLetter(topic, n, r, "late", message)
		}
		return nil
	}
}

// remedy is the disorder with which a row would not have been late by so much.
func remedy(rel *catalog.Relation, lateness int64) string {
	if rel.TimeTold() {
		return fmt.Sprintf("%s more disorder on the sources of query %s", types.FormatDuration(lateness), rel.Query)
	}
	return "disorder='" + types.FormatDuration(rel.Disorder+lateness) + "'"
}

// failed handles a row for which an expression could not be computed, or that the target's format cannot hold.
func (t *Task) failed(b *vector.Batch, row int, err error) error {
	var args []any
	var r *connectors.Record
	read := b.Origin != nil && b.Origin[row].Source >= 0 // else it is a result of several rows
	if read {
		o := b.Origin[row]
		rel := t.cfg.Query.Source(int(o.Source))
		args = append(args, "topic", rel.Topic, "partition", o.Partition, "offset", o.Offset)
		if d := t.current; d != nil && d.rel == rel {
			if r = d.record(o); r != nil {
				t.counters.BadExpr-- // counted as a bad record of its source instead
				return t.bad(d.index, rel, r, dropped(err))
			}
		}
		if rel.OnError == catalog.Fail {
			return &RecordError{rel.Topic, o.Partition, o.Offset, err}
		}
	}
	for _, rel := range t.cfg.Query.Sources {
		if !read && rel.OnError == catalog.Fail {
			return fmt.Errorf("a row cannot be computed: %w (on_error='fail'; use 'skip' or 'dead_letter' to go on)", err)
		}
	}
	t.samples.show("expression", "row dropped: an expression could not be computed", append(args, "error", err)...)
	return nil
}

// dropped is why a row ended that was read well.
func dropped(err error) error {
	var unwritable *format.BadRecord
	if errors.As(err, &unwritable) {
		return err
	}
	return &format.BadRecord{Reason: "expression", Err: err}
}

// lateVersion reports a table row below its own partition's release watermark: it is kept, and seen by later rows only.
func (t *Task) lateVersion(b *vector.Batch, row int, lateness int64) {
	if b.Origin == nil {
		return
	}
	o := b.Origin[row]
	rel := t.cfg.Query.Source(int(o.Source))
	t.samples.show("late table row", "late table row: kept, but rows that were joined before do not see it", "topic", rel.Topic, "partition", o.Partition,
		"offset", o.Offset, "remedy", fmt.Sprintf("declare disorder='%s' on %s", types.FormatDuration(rel.Disorder+lateness), rel.Name))
}
