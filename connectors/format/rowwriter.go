package format

import (
	"context"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/partition"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Target says how the records of a topic are written.
type Target struct {
	Topic       string
	Partitions  int32
	Format      string // of the value
	Columns     []Column
	Options     map[string]string // of the formats
	Headers     map[int]string    // columns that are headers, by ordinal
	KeyFormat   string
	Key         []int  // ordinals in Columns of those in the Kafka key; nil: records have none
	Partitioner string // as partition.Of takes it
}

// Envelope is what is said of a record beside the values in it.
type Envelope struct {
	Timestamp int64  // milliseconds
	Partition *int32 // nil: the one of the key
	Key       []byte // with KeyGiven: the key, nil for none; else it is made of the key columns
	KeyGiven  bool
	Headers   []byte // a JSON object, as ParseHeaders reads it; nil: none
}

// RowWriter turns rows that are written one by one into records of a topic. It belongs to one goroutine.
type RowWriter struct {
	t     Target
	value Encoder
	key   *KeyCodec // nil: no key columns
	keyOf []*vector.Vector
	hash  partition.Hash
	row   *vector.Batch
	heads []HeaderColumn
	head  []*vector.Vector // of heads
}

// NewRowWriter makes the writer of a topic.
func NewRowWriter(t Target) (*RowWriter, error) {
	w := &RowWriter{t: t, hash: partition.Of(t.Partitioner)}
	ts := make([]types.Type, len(t.Columns))
	for i, c := range t.Columns {
		ts[i] = c.Type
	}
	w.row = vector.NewBatch(ts, 1)
	var err error
	if w.value, err = NewEncoder(t.Format, t.spec(), t.inValue()); err != nil {
		return w, err
	}
	for i, c := range t.Columns {
		if name, ok := t.Headers[i]; ok {
			h, err := NewHeaderColumn(c, name)
			if err != nil {
				return w, err
			}
			w.heads, w.head = append(w.heads, h), append(w.head, w.row.Cols[i])
		}
	}
	if len(t.Key) == 0 {
		return w, nil
	}
	var cols []Column
	for _, o := range t.Key {
		cols = append(cols, t.Columns[o])
		w.keyOf = append(w.keyOf, w.row.Cols[o])
	}
	key := t.spec()
	key.Columns = cols
	w.key, err = NewKeyCodec(t.KeyFormat, key)
	return w, err
}

// Prepare implements Preparer. It comes before the first record.
func (w *RowWriter) Prepare(ctx context.Context) error {
	if err := Prepare(ctx, w.value); err != nil || w.key == nil {
		return err
	}
	return Prepare(ctx, w.key)
}

// inValue are the ordinals of the columns that are no headers.
func (t Target) inValue() []int {
	at := make([]int, 0, len(t.Columns))
	for i := range t.Columns {
		if _, header := t.Headers[i]; !header {
			at = append(at, i)
		}
	}
	return at
}

func (t Target) spec() Spec {
	s := Spec{Topic: t.Topic, Options: t.Options}
	for _, i := range t.inValue() {
		s.Columns = append(s.Columns, t.Columns[i])
	}
	s.Record = s.Names()
	for _, o := range t.Key {
		s.Key = append(s.Key, t.Columns[o].Name)
	}
	return s
}

// Record is a row, a value for each column, as a record of its own memory. Its Partition is -1 when nothing says which one: it has no
// key. A partition that the topic does not have, and headers that are no object, are errors.
func (w *RowWriter) Record(values []types.Value, e Envelope) (connectors.Record, error) {
	w.row.Reset()
	for i, v := range values {
		w.row.Cols[i].Append(v)
	}
	w.row.N, w.row.Time = 1, append(w.row.Time[:0], e.Timestamp*1000)
	value, err := w.value.Encode([]byte{}, w.row, 0)
	if err != nil {
		return connectors.Record{}, err
	}
	r := connectors.Record{Topic: w.t.Topic, Partition: -1, Timestamp: e.Timestamp, Key: e.Key}
	if !Null(w.value, w.row, 0) {
		r.Value = value
	}
	if e.Headers != nil {
		if r.Headers, err = ParseHeaders(e.Headers); err != nil {
			return r, err
		}
	}
	for i := range w.heads {
		if v := w.head[i]; !v.IsNull(0) {
			r.Headers = append(r.Headers, vector.Header{Key: w.heads[i].Header, Value: w.heads[i].Append([]byte{}, v, 0)})
		}
	}
	if w.key != nil && !e.KeyGiven {
		if key, ok := w.key.AppendKey(nil, w.keyOf, 0); ok {
			r.Key = key
		}
	}
	return r, w.Place(&r, e.Partition)
}

// Place gives a record its partition: the one that is wanted, else that of its key, else -1.
func (w *RowWriter) Place(r *connectors.Record, want *int32) error {
	switch {
	case want != nil && (*want < 0 || *want >= w.t.Partitions):
		return fmt.Errorf("partition %d: topic %s has %d, counted from 0", *want, w.t.Topic, w.t.Partitions)
	case want != nil:
		r.Partition = *want
	case r.Key != nil:
		r.Partition = w.hash(r.Key, w.t.Partitions)
	default:
		r.Partition = -1
	}
	return nil
}
