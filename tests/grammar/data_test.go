package grammar

import (
	"fmt"
	"sort"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/partition"
	"github.com/streamsql-go/streamsql/tests/sqlite"
)

// source is a random source with the columns id, v and g.
type source struct {
	name       string
	table      bool
	keyed      bool // the Kafka key is declared and decides the partition; of a table it may be deleted by it
	partitions int
	disorder   int // milliseconds
	records    []connectors.Record
	rows       [][]any // as loaded
}

// began is the event time of the first rows, milliseconds.
const began = 1_000_000

// source draws the data. Some rows are out of order by more than the disorder.
func (r random) source(name string, table bool) *source {
	s := &source{name: name, table: table, keyed: r.chance(40), partitions: 1 + r.Intn(4), disorder: r.pick(0, 300, 2000)}
	span := r.pick(4000, 20_000)
	var at []int
	for range 10 + r.Intn(70) {
		at = append(at, r.Intn(span))
	}
	if r.chance(30) { // many rows at the same instants
		for i := range at {
			at[i] = at[i] / 500 * 500
		}
	}
	sort.Ints(at)
	next := make([]int64, s.partitions)
	for _, ms := range at {
		late := 0
		if r.chance(60) {
			late = r.Intn(s.disorder + 1)
		}
		if r.chance(10) {
			late += r.Intn(2*s.disorder + 3000)
		}
		s.add(r, max(0, ms-late), next)
	}
	return s
}

// add appends a row.
func (s *source) add(r random, ms int, next []int64) {
	id := fmt.Sprintf("k%d", r.Intn(6))
	rec := connectors.Record{Topic: s.name, Key: []byte(id), Partition: int32(r.Intn(s.partitions)), Timestamp: int64(began + ms)}
	if s.keyed {
		rec.Partition = partition.Murmur2(rec.Key, int32(s.partitions))
	}
	var row []any
	if s.table && s.keyed && r.chance(15) {
		row = []any{id, nil, nil, 1}
	} else {
		var v, g any = r.Intn(100) - 30, fmt.Sprintf("g%d", r.Intn(4))
		fields := []string{fmt.Sprintf(`"id":"%s"`, id)}
		var idOf any = id
		if !s.table && !s.keyed && r.chance(5) {
			idOf, fields[0] = nil, `"id":null`
		}
		if r.chance(8) {
			v = nil
		} else {
			fields = append(fields, fmt.Sprintf(`"v":%d`, v))
		}
		if r.chance(8) {
			g = nil
		} else {
			fields = append(fields, fmt.Sprintf(`"g":"%s"`, g))
		}
		rec.Value = []byte("{" + strings.Join(fields, ",") + "}")
		row = []any{idOf, v, g, 0}
	}
	s.rows = append(s.rows, append(row, rec.Timestamp, rec.Partition, next[rec.Partition], len(s.rows)))
	next[rec.Partition]++
	s.records = append(s.records, rec)
}

// ddl declares the source.
func (s *source) ddl() string {
	kind, columns, key := "STREAM", "id VARCHAR, v INT, g VARCHAR", ""
	if s.table {
		kind, columns = "TABLE", "id VARCHAR PRIMARY KEY, v INT, g VARCHAR"
	}
	if s.keyed {
		key = ", key = 'id'"
	}
	return fmt.Sprintf("CREATE %s %s (%s) WITH (topic = '%s', partitions = %d, disorder = '%dms'%s);\n", kind, s.name, columns, s.name, s.partitions, s.disorder, key)
}

// load gives SQLite the rows: beside the columns gone (deleted), ts (milliseconds), part and off, pos (a number of the row), and wm: the watermark
// of the row's own partition just before it, a microsecond rounded up (semantics S2): the largest time seen there less the disorder.
func (s *source) load(db *sqlite.DB) error {
	if err := db.Load(s.name+"_read", []string{"id", "v", "g", "gone", "ts", "part", "off", "pos"}, s.rows); err != nil {
		return err
	}
	return db.Exec(fmt.Sprintf(`CREATE TABLE %[1]s AS SELECT *, MAX(ts) OVER (PARTITION BY part ORDER BY off ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) - %[2]d AS wm FROM %[1]s_read`, s.name, s.disorder))
}
