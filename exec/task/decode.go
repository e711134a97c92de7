package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// batchRows is how many rows a batch of decoded records holds at most: few enough to stay in the processor's cache.
const batchRows = 2048

// decoder turns the records of a source partition into batches: the columns the plan needs, event time, the watermark
// before each row. It is the one place where a bad record is met.
type decoder struct {
	t     *Task
	index int // of the input
	src   *source
	rel   *catalog.Relation

	value    format.Decoder
	changes  format.ChangeDecoder // value, if it tells changes; else nil
	cols     []*vector.Vector     // those value fills, a part of the batch's
	valueAt  []int                // ordinals in the scan's columns of cols
	hidden   []hiddenColumn
	time     *timeColumn
	key      *keyColumns
	check    *placeCheck
	table    bool
	needsRaw bool
	batch    *vector.Batch
	from     []*connectors.Record // of each row of the batch, for reports
}

func newDecoder(t *Task, index int, src *source) (*decoder, error) {
	scan := src.scan
	d := &decoder{t: t, index: index, src: src, rel: scan.Relation, table: scan.Relation.Kind == ast.Table}
	d.needsRaw = scan.Carry&(plan.CarryKey|plan.CarryValue|plan.CarryHeaders) != 0
	d.batch = &vector.Batch{}
	var fields []format.Column
	for i, c := range scan.Columns {
		v := vector.New(c.Type, batchRows)
		d.batch.Cols = append(d.batch.Cols, v)
		if c.Hidden != plan.NotHidden {
			h, err := newHidden(c, d.rel.TimestampFormat, v)
			if err != nil {
				return nil, err
			}
			d.hidden = append(d.hidden, h)
			continue
		}
		f := format.Column{Name: c.Name, Path: c.Path, Type: c.Type}
		if i == scan.TimeColumn || c.Type.Temporal() || c.Type.Nested() {
			f.TimestampFormat = d.rel.TimestampFormat
		}
		fields = append(fields, f)
		d.cols = append(d.cols, v)
		d.valueAt = append(d.valueAt, i)
	}
	var err error
	if d.value, err = format.NewDecoder(d.rel.Format, spec(d.rel, fields)); err != nil {
		return nil, err
	}
	d.changes, _ = d.value.(format.ChangeDecoder)
	if d.key, err = newKeyColumns(scan, d.batch.Cols); err != nil {
		return nil, err
	}
	if scan.KeyCheck {
		if d.check, err = newPlaceCheck(scan, d.batch.Cols); err != nil {
			return nil, err
		}
	}
	if scan.TimeColumn >= 0 {
		d.time = newTimeColumn(d.batch.Cols[scan.TimeColumn], d.rel.TimestampFormat)
	}
	return d, nil
}

// records takes the records of a poll.
func (d *decoder) records(ctx context.Context, f *connectors.Fetched) error {
	counters := &d.t.perInput[d.index]
	now := d.t.cfg.Now()
	for i := range f.Records {
		r := &f.Records[i]
		if d.src.end >= 0 && r.Offset >= d.src.end {
			break
		}
		if r.Offset < d.src.position {
			continue // already read: a position moved back by the broker's rewind
		}
		counters.In++
		if err := d.row(ctx, r, now); err != nil {
			if err = d.t.bad(d.index, d.rel, r, err); err != nil {
				return err
			}
		}
		if d.batch.N >= batchRows {
			if err := d.flush(); err != nil {
				return err
			}
		}
	}
	if err := d.flush(); err != nil {
		return err
	}
	d.src.high = max(d.src.high, f.End)
	next := f.Next
	if d.src.end >= 0 {
		next = min(next, d.src.end)
	}
	if next > d.src.position {
		d.src.position, d.t.dirty = next, true
		d.t.listen(d.src)
	}
	d.src.tick(now, d.t.cfg.Generation)
	return nil
}

// flush pushes the batch.
func (d *decoder) flush() error {
	if d.batch.N == 0 {
		return nil
	}
	d.t.dirty = true
	d.t.current = d
	in := d.t.ins[d.index]
	err := in.entry.Push(d.batch)
	d.batch.Reset()
	d.from = d.from[:0]
	return err
}

var (
	errNullValue    = &format.BadRecord{Reason: "null_value", Err: errors.New("the value is null, which carries no columns")}
	errNoKey        = &format.BadRecord{Reason: "tombstone_without_key", Err: errors.New("a null value deletes a row, but which one is not known: declare the key column with key='…'")}
	errNoTimestamp  = &format.BadRecord{Reason: "no_timestamp", Err: errors.New("the record has no timestamp")}
	errNullTime     = errors.New("the event time is NULL")
	errNullKey      = errors.New("the primary key is NULL")
	errFutureRecord = "event time is %s ahead of %s, more than max_future (%s)"
)

// row appends one record to the batch, or nothing and an error.
func (d *decoder) row(ctx context.Context, r *connectors.Record, now int64) error {
	var change format.Change
	n := d.batch.N
	seen := d.src.watermark()
	from := r
	if d.src.told != nil {
		r = withoutSeen(r)
	}
	switch {
	case r.Value != nil:
		if err := format.Decode(ctx, d.value, r.Value, d.cols); err != nil {
			return err
		}
		if d.changes != nil {
			change = d.changes.Change()
		}
	case d.repeated():
		return nil
	case !d.table:
		return errNullValue
	case d.key == nil:
		return errNoKey
	default:
		change.Deleted = true
		if d.changes != nil && d.changes.Timed() { // it was told before, so the deletion is no later than what was seen
			change.Time, change.Timed = d.src.maxTS, true
		}
		for _, v := range d.cols {
			v.AppendNull()
		}
	}
	ts, err := d.complete(ctx, r, n, change, now)
	if err != nil {
		format.Truncate(d.batch.Cols, n)
		return err
	}
	b := d.batch
	if d.src.told != nil {
		seen = seenOf(from.Headers, ts)
	}
	b.Seen = append(b.Seen, seen)
	d.src.sawRow(ts, now)
	b.Time = append(b.Time, ts)
	if d.table {
		b.Deleted = append(b.Deleted, change.Deleted)
	}
	b.Origin = append(b.Origin, types.Origin{Source: int32(d.src.scan.Source), Partition: r.Partition, Offset: r.Offset})
	if d.needsRaw {
		b.Raw = append(b.Raw, vector.Raw{Key: r.Key, Value: r.Value, Headers: r.Headers})
	}
	d.from = append(d.from, from)
	b.N++
	return nil
}

// repeated says whether a null value has nothing to say: a value before it told the deletion, and which row it is, or it came before
// all that is read.
func (d *decoder) repeated() bool {
	return d.changes != nil && (d.key == nil || d.changes.Timed() && d.src.maxTS == types.Never)
}

// complete fills hidden and key columns of row n, checks them and finds the event time.
func (d *decoder) complete(ctx context.Context, r *connectors.Record, n int, change format.Change, now int64) (int64, error) {
	for i := range d.hidden {
		if err := d.hidden[i].append(r); err != nil {
			return 0, err
		}
	}
	if d.key != nil {
		if err := d.key.fill(ctx, r.Key, n, r.Value == nil); err != nil {
			return 0, err
		}
	}
	if d.table {
		for _, k := range d.src.scan.P.Schema.Key {
			if d.batch.Cols[k].IsNull(n) {
				return 0, &format.BadRecord{Reason: "null_key", Field: d.src.scan.Columns[k].Name, Err: errNullKey}
			}
		}
	}
	if d.check != nil {
		if err := d.check.record(r, n); err != nil {
			return 0, err
		}
	}
	return d.eventTime(r, n, change, now)
}

// eventTime is the row's time, microseconds, refused when it lies too far ahead (semantics S2).
func (d *decoder) eventTime(r *connectors.Record, n int, change format.Change, now int64) (int64, error) {
	record, clock := r.Timestamp*1000, "the record's timestamp"
	if !change.Timed && (d.time == nil || change.Deleted) {
		if r.Timestamp < 0 {
			return 0, errNoTimestamp
		}
		if d.src.told != nil {
			return record, nil // a window's end may lie ahead, and no row moves the watermark
		}
		return record, d.future(record, now, "the clock")
	}
	if r.Timestamp < 0 {
		record, clock = now, "the clock"
	}
	if change.Timed {
		return change.Time, d.future(change.Time, record, clock)
	}
	ts, ok := d.time.at(n)
	if !ok {
		return 0, &format.BadRecord{Reason: "null_timestamp", Field: d.src.scan.Columns[d.src.scan.TimeColumn].Name, Err: errNullTime}
	}
	if d.time.seconds(ts, record) {
		d.t.samples.show("seconds", "event times look like seconds, and are read as milliseconds", "topic", r.Topic, "column", d.src.scan.Columns[d.src.scan.TimeColumn].Name,
			"remedy", "declare timestamp_format='s'")
	}
	return ts, d.future(ts, record, clock)
}

func (d *decoder) future(ts, against int64, name string) error {
	if ahead := ts - against; ahead > d.rel.MaxFuture {
		return &format.BadRecord{Reason: "future_timestamp", Err: fmt.Errorf(errFutureRecord, types.FormatDuration(ahead), name, types.FormatDuration(d.rel.MaxFuture))}
	}
	return nil
}

// record is the record of the batch under way that a row came from; nil when it is not among them.
func (d *decoder) record(o types.Origin) *connectors.Record {
	at, ok := slices.BinarySearchFunc(d.from, o.Offset, func(r *connectors.Record, offset int64) int { return cmp.Compare(r.Offset, offset) })
	if !ok || d.from[at].Partition != o.Partition {
		return nil
	}
	return d.from[at]
}
