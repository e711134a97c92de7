package story

import (
	"context"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// actualRow is one record that a target received.
type actualRow struct {
	rec    connectors.Record
	values []types.Value // of the relation's columns
	note   string        // why it could not be read
}

// columnValue is a column or hidden column of the row.
func (a *actualRow) columnValue(rel *catalog.Relation, name string) (types.Value, types.Type, bool) {
	if i := rel.Column(name); i >= 0 {
		return a.values[i], rel.Columns[i].Type, true
	}
	bytes := func(b []byte) types.Value {
		if b == nil {
			return types.Value{}
		}
		return types.NewString(string(b))
	}
	switch strings.ToLower(name) {
	case "_key":
		return bytes(a.rec.Key), types.TVarchar, true
	case "_value":
		return bytes(a.rec.Value), types.TVarchar, true
	case "_partition":
		return types.NewInt(int64(a.rec.Partition)), types.TBigInt, true
	case "_offset":
		return types.NewInt(a.rec.Offset), types.TBigInt, true
	case "_timestamp":
		return types.NewTimestamp(a.rec.Timestamp * 1000), types.TTimestamp, true
	case "_headers":
		return types.Value{Kind: types.JSON, S: string(format.AppendHeaders(nil, a.rec.Headers))}, types.TJSON, true
	case "_topic":
		return types.NewString(a.rec.Topic), types.TVarchar, true
	}
	return types.Value{}, types.Type{}, false
}

// decodeRows reads records by the relation's format. A null value is a removed row: its key columns and NULLs.
func decodeRows(rel *catalog.Relation, recs []connectors.Record) ([]*actualRow, error) {
	var cols []format.Column
	var kinds []types.Type
	var at []int
	heads := map[int]format.HeaderColumn{}
	for i, c := range columns(rel) {
		if name, header := rel.Header(i); header {
			h, err := format.NewHeaderColumn(c, name)
			if err != nil {
				return nil, err
			}
			heads[i] = h
			continue
		}
		cols, kinds, at = append(cols, c), append(kinds, c.Type), append(at, i)
	}
	dec, err := format.NewDecoder(rel.Format, spec(rel, cols))
	if err != nil {
		return nil, err
	}
	out := make([]*actualRow, 0, len(recs))
	for _, r := range recs {
		a := &actualRow{rec: r, values: make([]types.Value, len(rel.Columns))}
		for i, h := range heads {
			v := vector.New(rel.Columns[i].Type, 1)
			if err := h.Read(v, r.Headers); err == nil {
				a.values[i] = v.Value(0)
			}
		}
		out = append(out, a)
		if r.Value == nil {
			removedKey(rel, a)
			continue
		}
		b := vector.NewBatch(kinds, 1)
		if err := format.Decode(context.Background(), dec, r.Value, b.Cols); err != nil {
			a.note = fmt.Sprintf("cannot be read: %v", err)
			continue
		}
		for i, c := range b.Cols {
			a.values[at[i]] = c.Value(0)
		}
		if c, ok := dec.(format.ChangeDecoder); ok && c.Change().Deleted {
			a.note = "removed"
		}
	}
	return out, nil
}

// columns are the relation's as its format reads and writes them.
func columns(rel *catalog.Relation) []format.Column {
	out := make([]format.Column, len(rel.Columns))
	for i, c := range rel.Columns {
		out[i] = format.Column{Name: c.Name, Type: c.Type, TimestampFormat: rel.TimestampFormat}
	}
	return out
}

func spec(rel *catalog.Relation, cols []format.Column) format.Spec {
	return format.Spec{Columns: cols, Record: rel.ValueNames(), Key: rel.KeyNames(), Topic: rel.Topic, Options: rel.FormatOptions}
}

// inValue are the columns that are no headers.
func inValue(rel *catalog.Relation) []format.Column {
	var out []format.Column
	for i, c := range columns(rel) {
		if _, header := rel.Header(i); !header {
			out = append(out, c)
		}
	}
	return out
}

// formats finds what the formats of a relation cannot do.
func formats(st *ast.Create, rel *catalog.Relation) error {
	if rel.Kind == ast.View {
		return nil
	}
	use := format.Use{Name: rel.Name, Format: rel.Format, KeyFormat: rel.KeyFormat, Value: spec(rel, inValue(rel)), Written: st.As != nil}
	for _, k := range rel.Key {
		use.Key = append(use.Key, columns(rel)[k])
	}
	if err := use.Check(); err != nil {
		return ast.Errorf(st.Name.Span, "%v", err)
	}
	return nil
}

func removedKey(rel *catalog.Relation, a *actualRow) {
	a.note = "removed"
	if len(rel.Key) == 0 {
		return
	}
	kinds, cols := make([]types.Type, len(rel.Key)), make([]format.Column, len(rel.Key))
	for i, k := range rel.Key {
		cols[i], kinds[i] = columns(rel)[k], rel.Columns[k].Type
	}
	keys, err := format.NewKeyCodec(rel.KeyFormat, spec(rel, cols))
	if err != nil {
		return
	}
	b := vector.NewBatch(kinds, 1)
	if format.DecodeKey(context.Background(), keys, a.rec.Key, b.Cols) != nil {
		return
	}
	for i, k := range rel.Key {
		a.values[k] = b.Cols[i].Value(0)
	}
}

// fold keeps the last record of each key in each partition, and leaves removed rows out. A key that was written to two
// partitions shows twice: that would be a mistake of the engine.
func fold(rows []*actualRow) []*actualRow {
	id := func(r *actualRow) string { return fmt.Sprintf("%d/%s", r.rec.Partition, r.rec.Key) }
	last := map[string]int{}
	for i, r := range rows {
		last[id(r)] = i
	}
	var out []*actualRow
	for i, r := range rows {
		if last[id(r)] == i && r.rec.Value != nil {
			out = append(out, r)
		}
	}
	return out
}
