package oracle

import (
	"context"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// scan decodes a source. The watermark of a partition moves with every row that can be used.
func (e *evaluation) scan(n *plan.Scan) ([]Item, error) {
	rel := n.Relation
	reader, err := newReader(n)
	if err != nil {
		return nil, err
	}
	maxTS := map[int32]int64{}
	e.w[n] = marks{own: map[int32]int64{}}
	var out []Item
	for _, rec := range e.in.Records[rel.Topic] {
		r, ok := reader.row(rec, e.in.Now.UnixMicro())
		if !ok {
			e.answer.Bad[rel.Topic]++
			continue
		}
		seen, have := maxTS[rec.Partition]
		r.seen = types.Never
		if have {
			r.seen = seen - rel.Disorder - 1
		}
		if !have || r.TS > seen {
			maxTS[rec.Partition] = r.TS
		}
		r.origin = types.Origin{Source: int32(n.Source), Partition: rec.Partition, Offset: rec.Offset}
		out = append(out, Item{Any: []Row{r}})
	}
	for p, m := range maxTS {
		e.w[n].own[p] = m - rel.Disorder - 1
	}
	return out, nil
}

// reader turns one record into a row.
type reader struct {
	n      *plan.Scan
	dec    format.Decoder
	kinds  []types.Type // that dec fills
	at     []int        // and where they go
	keys   *format.KeyCodec
	keyOf  []types.Type
	keyTo  []int
	isKey  map[int]bool
	hidden []int
}

func newReader(n *plan.Scan) (*reader, error) {
	rd := &reader{n: n, isKey: map[int]bool{}}
	var fields []format.Column
	for i, c := range n.Columns {
		if c.Hidden != plan.NotHidden {
			rd.hidden = append(rd.hidden, i)
			continue
		}
		fields = append(fields, format.Column{Name: c.Name, Path: c.Path, Type: c.Type, TimestampFormat: n.Relation.TimestampFormat})
		rd.kinds, rd.at = append(rd.kinds, c.Type), append(rd.at, i)
	}
	for _, k := range n.P.Schema.Key {
		rd.isKey[k] = true
	}
	var err error
	if rd.dec, err = format.NewDecoder(n.Relation.Format, spec(n.Relation, fields)); err != nil {
		return nil, err
	}
	if len(n.Relation.Key) == 0 {
		return rd, nil
	}
	var keys []format.Column
	for _, k := range n.Relation.Key {
		c := n.Relation.Columns[k]
		keys = append(keys, format.Column{Name: c.Name, Type: c.Type, TimestampFormat: n.Relation.TimestampFormat})
		rd.keyOf = append(rd.keyOf, c.Type)
		to := -1
		for i, s := range n.Columns {
			if s.Hidden == plan.NotHidden && len(s.Path) == 1 && s.Path[0] == c.Name {
				to = i
			}
		}
		rd.keyTo = append(rd.keyTo, to)
	}
	rd.keys, err = format.NewKeyCodec(n.Relation.KeyFormat, spec(n.Relation, keys))
	return rd, err
}

func spec(rel *catalog.Relation, cols []format.Column) format.Spec {
	return format.Spec{Columns: cols, Record: rel.ColumnNames(), Key: rel.KeyNames(), Topic: rel.Topic, Options: rel.FormatOptions}
}

func (rd *reader) row(rec connectors.Record, now int64) (Row, bool) {
	table := rd.n.Relation.Kind == ast.Table
	r := Row{Values: make([]types.Value, len(rd.n.Columns)), visible: types.Never}
	if rec.Value == nil {
		if !table || rd.keys == nil || rec.Key == nil {
			return r, false
		}
		r.deleted = true
	} else {
		b := vector.NewBatch(rd.kinds, 1)
		if format.Decode(context.Background(), rd.dec, rec.Value, b.Cols) != nil {
			return r, false
		}
		for i, c := range b.Cols {
			r.Values[rd.at[i]] = c.Value(0)
		}
	}
	if !rd.fromKey(&r, rec) {
		return r, false
	}
	rd.fromRecord(&r, rec)
	for k := range rd.isKey {
		if r.Values[k].IsNull() {
			return r, false
		}
	}
	return r, rd.time(&r, rec, now)
}

// fromKey fills columns that are missing in the value from the key; one that differs is a bad record.
func (rd *reader) fromKey(r *Row, rec connectors.Record) bool {
	if rd.keys == nil || rec.Key == nil {
		return true
	}
	b := vector.NewBatch(rd.keyOf, 1)
	if format.DecodeKey(context.Background(), rd.keys, rec.Key, b.Cols) != nil {
		return false
	}
	for i, to := range rd.keyTo {
		v := b.Cols[i].Value(0)
		switch {
		case to < 0 || v.IsNull():
		case r.Values[to].IsNull():
			r.Values[to] = v
		case !types.Equal(r.Values[to], v):
			return false
		}
	}
	return true
}

func (rd *reader) fromRecord(r *Row, rec connectors.Record) {
	for _, i := range rd.hidden {
		switch rd.n.Columns[i].Hidden {
		case plan.HiddenKey:
			if rec.Key != nil {
				r.Values[i] = types.Value{Kind: rd.n.Columns[i].Type.Kind, S: string(rec.Key)}
			}
		case plan.HiddenPartition:
			r.Values[i] = types.NewInt(int64(rec.Partition))
		case plan.HiddenOffset:
			r.Values[i] = types.NewInt(rec.Offset)
		case plan.HiddenTimestamp:
			r.Values[i] = types.NewTimestamp(rec.Timestamp * 1000)
		}
	}
}

// time finds the event time: of the column, in the unit of the relation, or of the record.
func (rd *reader) time(r *Row, rec connectors.Record, now int64) bool {
	against := rec.Timestamp * 1000
	if rd.n.TimeColumn < 0 || r.deleted {
		r.TS = against
		return rec.Timestamp >= 0 && r.TS-now <= rd.n.Relation.MaxFuture
	}
	v := r.Values[rd.n.TimeColumn]
	if v.IsNull() {
		return false
	}
	if rec.Timestamp < 0 {
		against = now
	}
	r.TS = v.I
	if v.Kind != types.Timestamp {
		switch rd.n.Relation.TimestampFormat {
		case "s":
			r.TS = v.I * 1_000_000
		case "us":
		case "ns":
			r.TS = types.FloorDiv(v.I, 1000)
		default:
			r.TS = v.I * 1000
		}
	}
	return r.TS-against <= rd.n.Relation.MaxFuture
}
