package story

import (
	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/partition"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// inserter turns the rows of one INSERT into records.
type inserter struct {
	rel     *catalog.Relation
	columns []ast.Ident
	count   int32 // partitions of the topic
	now     int64 // milliseconds
	raw     bool
	encoder format.Encoder
	keys    *format.KeyCodec // nil: no key declared
	types   []types.Type
}

// field is the value of one hidden column; given false: not in the list.
type field struct {
	given bool
	value types.Value
}

func newInserter(rel *catalog.Relation, ins *ast.Insert, count int32, now int64) (*inserter, error) {
	in := &inserter{rel: rel, columns: ins.Columns, count: count, now: now, raw: ins.Raw}
	if len(in.columns) == 0 {
		for _, c := range rel.Columns {
			in.columns = append(in.columns, ast.Ident{Span: ins.Target.Span, Name: c.Name})
		}
	}
	if ins.Raw {
		return in, nil
	}
	cols := make([]format.Column, len(rel.Columns))
	for i, c := range rel.Columns {
		cols[i] = format.Column{Name: c.Name, Type: c.Type, TimestampFormat: rel.TimestampFormat}
		in.types = append(in.types, c.Type)
	}
	var err error
	if in.encoder, err = format.NewEncoder(rel.Format, cols, nil); err != nil {
		return nil, ast.Errorf(ins.Target.Span, "%v", err)
	}
	if len(rel.Key) > 0 {
		in.keys, err = format.NewKeyCodec(keyFormat(rel), keyColumns(rel))
	}
	return in, err
}

func keyFormat(rel *catalog.Relation) string {
	switch {
	case rel.KeyFormat != "":
		return rel.KeyFormat
	case len(rel.Key) > 1:
		return "json"
	}
	return "string"
}

func keyColumns(rel *catalog.Relation) []format.Column {
	var out []format.Column
	for _, k := range rel.Key {
		out = append(out, format.Column{Name: rel.Columns[k].Name, Type: rel.Columns[k].Type, TimestampFormat: rel.TimestampFormat})
	}
	return out
}

// record makes the record of one row; Partition is -1 when the row does not say.
func (in *inserter) record(row []ast.Expr) (connectors.Record, error) {
	if len(row) != len(in.columns) {
		return connectors.Record{}, ast.Errorf(row[0].Pos(), "%d values for %d columns", len(row), len(in.columns))
	}
	hidden := map[string]field{}
	values := make([]types.Value, len(in.rel.Columns))
	for i, c := range in.columns {
		v, err := literal(row[i])
		if err != nil {
			return connectors.Record{}, err
		}
		switch c.Name {
		case "_key", "_value", "_partition", "_timestamp":
			hidden[c.Name] = field{true, v}
			continue
		}
		at := in.rel.Column(c.Name)
		if at < 0 || in.raw {
			return connectors.Record{}, ast.Errorf(c.Span, "%s cannot be inserted into %s", c.Name, in.rel.Name).
				WithHint("its columns, _key, _partition, _timestamp; with RAW only _key, _value, _partition, _timestamp")
		}
		if values[at], err = typed(v, in.rel.Columns[at].Type); err != nil {
			return connectors.Record{}, ast.Errorf(row[i].Pos(), "%v", err)
		}
	}
	r := connectors.Record{Topic: in.rel.Topic, Partition: -1, Timestamp: in.now}
	if f := hidden["_partition"]; f.given {
		r.Partition = int32(f.value.I)
		if r.Partition < 0 || r.Partition >= in.count {
			return r, ast.Errorf(row[0].Pos(), "%s has %d partitions, none with number %d", in.rel.Topic, in.count, r.Partition)
		}
	}
	if f := hidden["_timestamp"]; f.given {
		r.Timestamp = f.value.I
		if f.value.Kind == types.Timestamp {
			r.Timestamp = f.value.I / 1000
		}
	}
	in.content(&r, values, hidden)
	if r.Partition < 0 && r.Key != nil {
		r.Partition = in.hash(r.Key)
	}
	return r, nil
}

func (in *inserter) content(r *connectors.Record, values []types.Value, hidden map[string]field) {
	if f := hidden["_key"]; f.given && !f.value.IsNull() {
		r.Key = text(f.value)
	}
	if in.raw {
		if f := hidden["_value"]; f.given && !f.value.IsNull() {
			r.Value = text(f.value)
		}
		return
	}
	b := vector.NewBatch(in.types, 1)
	for i, v := range values {
		b.Cols[i].Append(v)
	}
	b.N, b.Time = 1, []int64{0}
	r.Value = in.encoder.Encode(nil, b, 0)
	if in.keys == nil || hidden["_key"].given {
		return
	}
	cols := make([]*vector.Vector, len(in.rel.Key))
	for i, k := range in.rel.Key {
		cols[i] = b.Cols[k]
	}
	if key, ok := in.keys.AppendKey([]byte{}, cols, 0); ok {
		r.Key = key
	}
}

func (in *inserter) hash(key []byte) int32 {
	if in.rel.Partitioner == catalog.CRC32 {
		return partition.CRC32(key, in.count)
	}
	return partition.Murmur2(key, in.count)
}

func text(v types.Value) []byte {
	switch v.Kind {
	case types.Varchar, types.Varbinary:
		return []byte(v.S)
	}
	return []byte(v.Text())
}
