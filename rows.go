package streamsql

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Value is one value of a row; the zero Value is NULL.
type Value = types.Value

// Column names a column of Rows.
type Column = types.Column

// Row is one row of a result.
type Row struct {
	columns []Column
	Values  []Value
	// Time is the row's event time.
	Time time.Time
	// Deleted: in a result of changes, the row of this key is gone.
	Deleted bool
}

// Map is the row by column name, as Go values.
func (r Row) Map() map[string]any {
	m := make(map[string]any, len(r.Values))
	for i, v := range r.Values {
		m[r.columns[i].Name] = v.ToAny()
	}
	return m
}

// Text is the value of column i as text, as a CAST to VARCHAR gives it; "NULL" for NULL.
func (r Row) Text(i int) string {
	if r.Values[i].IsNull() {
		return "NULL"
	}
	return string(types.AppendTextAs(nil, r.Values[i], r.columns[i].Type))
}

// Scan copies the values into pointers to string, bool, int64, int, float64, []byte, time.Time, any or Value, in order.
func (r Row) Scan(dst ...any) error {
	if len(dst) != len(r.Values) {
		return fmt.Errorf("scan: %d targets for %d columns", len(dst), len(r.Values))
	}
	for i, d := range dst {
		if err := scan(r.Values[i], r.columns[i], d); err != nil {
			return fmt.Errorf("scan column %s: %w", r.columns[i].Name, err)
		}
	}
	return nil
}

func scan(v Value, c Column, dst any) error {
	switch d := dst.(type) {
	case *Value:
		*d = v
		return nil
	case *any:
		*d = v.ToAny()
		return nil
	}
	if v.IsNull() {
		return fmt.Errorf("NULL does not fit %T: scan into *any or *Value", dst)
	}
	switch d := dst.(type) {
	case *string:
		*d = string(types.AppendTextAs(nil, v, c.Type))
	case *[]byte:
		*d = []byte(v.S)
	case *bool:
		*d = v.Bool()
	case *int64:
		return scanInt(v, d)
	case *int:
		var x int64
		err := scanInt(v, &x)
		*d = int(x)
		return err
	case *float64:
		*d = v.Float()
	case *time.Time:
		if v.Kind != types.Timestamp {
			return fmt.Errorf("%s is no time", c.Type)
		}
		*d = time.UnixMicro(v.I).UTC()
	default:
		return fmt.Errorf("cannot scan into %T", dst)
	}
	return nil
}

func scanInt(v Value, d *int64) error {
	x, err := types.Cast(v, types.TBigInt)
	if err != nil {
		return err
	}
	*d = x.I
	return nil
}

// Rows is the result of a query: rows as they come. Close it; breaking out of All closes it too.
type Rows struct {
	columns []Column
	ctx     context.Context
	batches chan *vector.Batch
	static  []Row
	limit   int64 // rows still to come, -1: no limit

	// feed yields rows that come from elsewhere than a query, until it is told to stop; nil: there are none.
	feed func(yield func(*vector.Batch) bool) error
	stop context.CancelCauseFunc // ends feed
	ends bool                    // by themselves

	// settled collects rows that are shown as they stand when the query has ended; nil: they are shown as they come.
	settled *snapshot

	once  sync.Once
	query *Query // nil for a result that was there at once
	err   error
}

// rowsOf is a result that is there at once.
func rowsOf(columns []Column, rows ...[]Value) *Rows {
	r := &Rows{columns: columns, limit: -1}
	for _, v := range rows {
		r.static = append(r.static, Row{columns: columns, Values: v})
	}
	return r
}

// Columns are the result's columns.
func (r *Rows) Columns() []Column { return r.columns }

// Query is the query that makes the rows, nil for a result that was there at once (SHOW, EXPLAIN, …).
func (r *Rows) Query() *Query { return r.query }

// All yields the rows as they come and ends with the query, its LIMIT, the context or an error. Breaking out closes r.
func (r *Rows) All() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		defer r.Close()
		for _, row := range r.static {
			if !yield(row, nil) {
				return
			}
		}
		for b, err := range r.Batches() {
			if err != nil {
				yield(Row{}, err)
				return
			}
			for i := range b.N {
				if !yield(r.row(b, i), nil) {
					return
				}
			}
		}
	}
}

func (r *Rows) row(b *vector.Batch, i int) Row {
	row := Row{columns: r.columns, Values: make([]Value, len(b.Cols)), Time: time.UnixMicro(b.Time[i]).UTC()}
	for c, v := range b.Cols {
		row.Values[c] = v.Value(i)
	}
	row.Deleted = b.Deleted != nil && b.Deleted[i]
	return row
}

// Changes says whether rows replace each other by their key, or come and go, so that Row.Deleted has a meaning.
func (r *Rows) Changes() bool {
	return r.query != nil && r.settled == nil && r.query.plan.Sink.P.Changes != plan.AppendOnly
}

// Ends says whether the rows end by themselves: they were there at once, or the query has a LIMIT or an end.
func (r *Rows) Ends() bool { return r.query == nil || r.ends }

// Key are the columns by which rows replace each other; nil when the result is none of such changes, or does not show its whole key.
func (r *Rows) Key() []int {
	if !r.Changes() || r.query.plan.Sink.P.Changes != plan.Upserts {
		return nil
	}
	for _, k := range r.query.plan.Key {
		if k >= len(r.columns) {
			return nil
		}
	}
	return r.query.plan.Key
}

// Batches yields the rows in batches, as the engine made them.
func (r *Rows) Batches() iter.Seq2[*vector.Batch, error] {
	return func(yield func(*vector.Batch, error) bool) {
		defer r.Close()
		switch {
		case r.feed != nil:
			r.follow(yield)
			return
		case r.query == nil:
			r.stand(yield)
			return
		}
		for r.limit != 0 {
			select {
			case b := <-r.batches:
				if !r.give(b, yield) {
					return
				}
				continue
			default:
			}
			select {
			case b := <-r.batches:
				if !r.give(b, yield) {
					return
				}
			case <-r.query.stopped:
				select {
				case b := <-r.batches: // the last ones
					if !r.give(b, yield) {
						return
					}
					continue
				default:
				}
				if r.query.err != nil {
					yield(nil, r.query.err)
				} else {
					r.stand(yield)
				}
				return
			case <-r.ctx.Done():
				yield(nil, context.Cause(r.ctx))
				return
			}
		}
	}
}

// follow yields what comes until the limit.
func (r *Rows) follow(yield func(*vector.Batch, error) bool) {
	if r.limit == 0 {
		return
	}
	err := r.feed(func(b *vector.Batch) bool { return r.give(b, yield) && r.limit != 0 })
	if err != nil {
		yield(nil, err)
	}
}

// stand yields the rows that stand in the end.
func (r *Rows) stand(yield func(*vector.Batch, error) bool) {
	if r.settled == nil {
		return
	}
	if b := r.settled.batch(); b.N > 0 {
		r.give(b, yield)
	}
}

// give yields at most what the limit leaves.
func (r *Rows) give(b *vector.Batch, yield func(*vector.Batch, error) bool) bool {
	if r.limit >= 0 {
		if int64(b.N) > r.limit {
			b = b.Slice(0, int(r.limit))
		}
		r.limit -= int64(b.N)
	}
	return yield(b, nil)
}

// Close ends the query behind the rows and waits for it, for 25 s at most.
func (r *Rows) Close() error {
	r.once.Do(func() {
		if r.stop != nil {
			r.stop(context.Canceled)
		}
		if r.query != nil {
			if r.err = r.query.halt(); r.query.ended() {
				r.err = r.query.err
			}
		}
	})
	return r.err
}
