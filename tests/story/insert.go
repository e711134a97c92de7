package story

import (
	"context"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/planner/bind"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
)

// inserter turns the rows of one INSERT into records.
type inserter struct {
	rel    *catalog.Relation
	writer *format.RowWriter
	now    int64 // milliseconds
}

func (w *world) inserter(rel *catalog.Relation, st *ast.Insert, partitions int32) (*inserter, error) {
	t := format.Target{Topic: rel.Topic, Partitions: partitions, Format: rel.Format, Options: rel.FormatOptions, Headers: rel.HeaderMap(), Columns: columns(rel), KeyFormat: rel.KeyFormat, Key: rel.Key, Partitioner: rel.Partitioner.String()}
	writer, err := format.NewRowWriter(t)
	if err != nil {
		return nil, ast.Errorf(st.Target.Span, "%v", err)
	}
	if err := writer.Prepare(context.Background()); err != nil {
		return nil, ast.Errorf(st.Target.Span, "%v", err)
	}
	return &inserter{rel: rel, writer: writer, now: w.clock.Now().UnixMilli()}, nil
}

// insertion is the records of INSERT … VALUES; Partition is -1 where neither the row nor its key says which.
func (w *world) insertion(rel *catalog.Relation, st *ast.Insert, partitions int32) ([]connectors.Record, error) {
	in, err := w.inserter(rel, st, partitions)
	if err != nil {
		return nil, err
	}
	if st.Raw {
		return in.raw(st)
	}
	rows, err := bind.Values(rel, st, w.clock.Now)
	if err != nil {
		return nil, err
	}
	var out []connectors.Record
	for _, row := range rows {
		e := format.Envelope{Timestamp: in.now, Partition: row.Partition, Key: row.Key, KeyGiven: row.KeyGiven, Headers: row.Headers}
		if row.Timestamp != nil {
			e.Timestamp = *row.Timestamp
		}
		r, err := in.writer.Record(row.Values, e)
		if err != nil {
			return nil, ast.Errorf(row.Span, "%v", err)
		}
		out = append(out, r)
	}
	return out, nil
}

// raw is the records of INSERT … RAW: bytes as they are written.
func (in *inserter) raw(st *ast.Insert) ([]connectors.Record, error) {
	var out []connectors.Record
	for _, row := range st.Rows {
		if len(row) != len(st.Columns) {
			return nil, ast.Errorf(row[0].Pos(), "%d values for %d columns", len(row), len(st.Columns))
		}
		r := connectors.Record{Topic: in.rel.Topic, Timestamp: in.now}
		var wanted *int32
		for i, c := range st.Columns {
			v, err := literal(row[i])
			if err != nil {
				return nil, err
			}
			if wanted, err = rawField(&r, c, v, wanted); err != nil {
				return nil, err
			}
		}
		if err := in.writer.Place(&r, wanted); err != nil {
			return nil, ast.Errorf(row[0].Pos(), "%v", err)
		}
		out = append(out, r)
	}
	return out, nil
}

// rawField sets a part of r and returns the partition that is wanted.
func rawField(r *connectors.Record, c ast.Ident, v types.Value, wanted *int32) (*int32, error) {
	switch c.Name {
	case "_key":
		r.Key = text(v)
	case "_value":
		r.Value = text(v)
	case "_partition":
		p := int32(v.I)
		return &p, nil
	case "_timestamp":
		r.Timestamp = v.I
		if v.Kind == types.Timestamp {
			r.Timestamp = v.I / 1000
		}
	default:
		return nil, ast.Errorf(c.Span, "%s cannot be inserted with RAW", c.Name).WithHint("only _key, _value, _partition, _timestamp")
	}
	return wanted, nil
}

// text is the bytes of a value; nil for NULL.
func text(v types.Value) []byte {
	switch v.Kind {
	case types.Null:
		return nil
	case types.Varchar, types.Varbinary:
		return []byte(v.S)
	}
	return []byte(v.Text())
}
