package task

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/partition"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// spec says what a decoder, encoder or key of columns of a relation is made for.
func spec(rel *catalog.Relation, cols []format.Column) format.Spec {
	return format.Spec{Columns: cols, Record: rel.ValueNames(), Key: rel.KeyNames(), Topic: rel.Topic, Options: rel.FormatOptions}
}

// hiddenColumn fills a column from the record around the value.
type hiddenColumn struct {
	v      *vector.Vector
	append func(*connectors.Record) error
}

func newHidden(c plan.ScanColumn, timestampFormat string, v *vector.Vector) (hiddenColumn, error) {
	h := hiddenColumn{v: v}
	nullable := func(b []byte) error {
		if b == nil {
			v.AppendNull()
			return nil
		}
		v.AppendBytes(b)
		return nil
	}
	switch c.Hidden {
	case plan.HiddenKey:
		h.append = func(r *connectors.Record) error { return nullable(r.Key) }
	case plan.HiddenValue:
		h.append = func(r *connectors.Record) error { return nullable(r.Value) }
	case plan.HiddenTopic:
		h.append = func(r *connectors.Record) error { v.AppendString(r.Topic); return nil }
	case plan.HiddenPartition:
		h.append = func(r *connectors.Record) error { v.AppendInt(int64(r.Partition)); return nil }
	case plan.HiddenOffset:
		h.append = func(r *connectors.Record) error { v.AppendInt(r.Offset); return nil }
	case plan.HiddenTimestamp:
		h.append = func(r *connectors.Record) error {
			if r.Timestamp < 0 {
				v.AppendNull()
				return nil
			}
			v.AppendInt(r.Timestamp * 1000)
			return nil
		}
	case plan.HiddenHeaders:
		h.append = func(r *connectors.Record) error { v.AppendBytes(format.AppendHeaders(nil, r.Headers)); return nil }
	case plan.HiddenHeader:
		name := c.Path[0]
		h.append = func(r *connectors.Record) error { return nullable(lastHeader(r.Headers, name)) }
	case plan.HeaderColumn:
		column, err := format.NewHeaderColumn(format.Column{Name: c.Name, Type: c.Type, TimestampFormat: timestampFormat}, c.Path[0])
		if err != nil {
			return h, err
		}
		h.append = func(r *connectors.Record) error { return column.Read(v, r.Headers) }
	default:
		return h, fmt.Errorf("column %s is of no known kind", c.Name)
	}
	return h, nil
}

// lastHeader is the value of the last header of that name, as ksqlDB defines it; nil when absent.
func lastHeader(hs []vector.Header, name string) []byte {
	for i := len(hs) - 1; i >= 0; i-- {
		if hs[i].Key == name {
			if hs[i].Value == nil {
				return []byte{}
			}
			return hs[i].Value
		}
	}
	return nil
}

// timeColumn reads the event time from a column.
type timeColumn struct {
	v    *vector.Vector
	text string // a MySQL format string, or "" for ISO 8601 and MySQL's own text: of a text column
	unit int64  // microseconds of one unit; negative: units in one microsecond
}

// newTimeColumn understands TIMESTAMP and DATE columns, and integers in the unit of timestamp_format (default ms).
func newTimeColumn(v *vector.Vector, unit string) *timeColumn {
	c := &timeColumn{v: v, unit: 1}
	switch v.Type.Kind {
	case types.Varchar:
		if strings.Contains(unit, "%") {
			c.text = unit
		}
	case types.Date:
		c.unit = types.MicrosPerDay
	case types.Int, types.Uint:
		c.unit = map[string]int64{"s": 1_000_000, "us": 1, "ns": -1000}[strings.ToLower(unit)]
		if c.unit == 0 {
			c.unit = 1000
		}
	}
	return c
}

// at is the event time of a row; false for NULL or what no event time can be.
func (c *timeColumn) at(i int) (int64, bool) {
	if c.v.IsNull(i) {
		return 0, false
	}
	if c.v.Type.Kind == types.Varchar {
		return c.parse(c.v.Bytes.At(i))
	}
	x := c.v.Ints[i]
	if c.unit < 0 {
		return types.FloorDiv(x, -c.unit), true
	}
	if x > types.Forever/c.unit || x < types.Never/c.unit {
		return 0, false
	}
	return x * c.unit, true
}

func (c *timeColumn) parse(b []byte) (int64, bool) {
	var ts int64
	var err error
	if c.text != "" {
		ts, err = types.ParseFormat(string(b), c.text)
	} else {
		ts, err = types.ParseTimestamp(b)
	}
	return ts, err == nil
}

// seconds says whether a number that is read as milliseconds looks like seconds: it means 1970, where its record is of
// this century.
func (c *timeColumn) seconds(ts, record int64) bool {
	const year, century = 365 * types.MicrosPerDay, 30 * 365 * types.MicrosPerDay
	return c.unit == 1000 && c.v.Type.Physical() == types.PhysInt && ts > 0 && ts < year && record > century && ts*1000 > record/2
}

// keyColumns are the columns that the relation declares to be in the Kafka key.
type keyColumns struct {
	codec *format.KeyCodec
	key   []*vector.Vector // as decoded from the key
	cols  []*vector.Vector // of the batch; nil where the plan does not read the column
	names []string
}

// newKeyColumns is nil when no key is declared.
func newKeyColumns(scan *plan.Scan, cols []*vector.Vector) (*keyColumns, error) {
	rel := scan.Relation
	if len(rel.Key) == 0 {
		return nil, nil
	}
	k := &keyColumns{}
	var fields []format.Column
	for _, o := range rel.Key {
		c := rel.Columns[o]
		fields = append(fields, format.Column{Name: c.Name, Type: c.Type, TimestampFormat: rel.TimestampFormat})
		k.key = append(k.key, vector.New(c.Type, 1))
		k.names = append(k.names, c.Name)
		at := slices.IndexFunc(scan.Columns, func(s plan.ScanColumn) bool {
			return s.Hidden == plan.NotHidden && len(s.Path) == 1 && s.Path[0] == c.Name
		})
		if at < 0 {
			k.cols = append(k.cols, nil)
			continue
		}
		k.cols = append(k.cols, cols[at])
	}
	var err error
	k.codec, err = format.NewKeyCodec(rel.KeyFormat, spec(rel, fields))
	return k, err
}

// fill brings the key's columns into row n: a column missing in the value is filled, one that differs is an error.
func (k *keyColumns) fill(ctx context.Context, key []byte, n int, deleted bool) error {
	for _, v := range k.key {
		v.Reset()
	}
	if key == nil {
		if deleted {
			return errNoKey
		}
		return nil
	}
	if err := format.DecodeKey(ctx, k.codec, key, k.key); err != nil {
		return err
	}
	for i, v := range k.cols {
		if v == nil || k.key[i].IsNull(0) {
			continue
		}
		switch {
		case v.IsNull(n):
			format.Truncate([]*vector.Vector{v}, n)
			v.AppendFrom(k.key[i], 0)
		case !same(v, n, k.key[i]):
			return &format.BadRecord{Reason: "key_differs", Field: k.names[i], Err: fmt.Errorf("the value says %s, the Kafka key %s", v.Value(n).Text(), k.key[i].Value(0).Text())}
		}
	}
	return nil
}

// same says whether row n of v equals the only row of key.
func same(v *vector.Vector, n int, key *vector.Vector) bool {
	if v.Type.Physical() == types.PhysBytes {
		return bytes.Equal(v.Bytes.At(n), key.Bytes.At(0))
	}
	return types.Equal(v.Value(n), key.Value(0))
}

// placeCheck holds every record against what the plan relies on: its key bytes are our own serialisation of the key's
// columns, and it lies in the partition their hash says (semantics S6).
type placeCheck struct {
	scan  *plan.Scan
	codec *format.KeyCodec
	cols  []*vector.Vector
	hash  partition.Hash
	count int32
}

func newPlaceCheck(scan *plan.Scan, cols []*vector.Vector) (*placeCheck, error) {
	c := &placeCheck{scan: scan, count: int32(scan.P.Partitioning.Count), hash: partition.Of(scan.Relation.Partitioner.String())}
	var fields []format.Column
	for _, o := range scan.Relation.Key {
		name := scan.Relation.Columns[o]
		at := slices.IndexFunc(scan.Columns, func(s plan.ScanColumn) bool { return len(s.Path) == 1 && s.Path[0] == name.Name })
		if at < 0 {
			return nil, fmt.Errorf("key column %s of %s is not read", name.Name, scan.Relation.Name)
		}
		fields = append(fields, format.Column{Name: name.Name, Type: name.Type, TimestampFormat: scan.Relation.TimestampFormat})
		c.cols = append(c.cols, cols[at])
	}
	var err error
	c.codec, err = format.NewKeyCodec(scan.Relation.KeyFormat, spec(scan.Relation, fields))
	return c, err
}

// MisplacedError stops a query that relies on a topic's partitioning which a record does not follow.
type MisplacedError struct {
	Topic     string
	Partition int32
	Offset    int64
	Why       string
}

// Error names the record and the remedy.
func (e *MisplacedError) Error() string {
	return fmt.Sprintf("%s/%d at offset %d is not where its key says: %s. Declare the partitioner of its producers (partitioner='crc32'), or partitioner='unknown' to have the rows moved", e.Topic, e.Partition, e.Offset, e.Why)
}

func (c *placeCheck) record(r *connectors.Record, n int) error {
	if !c.codec.SameBytes(r.Key, c.cols, n) {
		return &MisplacedError{r.Topic, r.Partition, r.Offset, fmt.Sprintf("the Kafka key %q is not how its columns are written", r.Key)}
	}
	if want := c.hash(r.Key, c.count); want != r.Partition {
		return &MisplacedError{r.Topic, r.Partition, r.Offset, fmt.Sprintf("the key's hash says partition %d of %d", want, c.count)}
	}
	return nil
}
