// Package catalog holds what names mean: streams, tables and views with their columns and typed options.
package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

// OnError is what happens to a record that cannot be used.
type OnError uint8

// The error policies.
const (
	Skip OnError = iota
	Fail
	DeadLetter
)

// Partitioner is the hash a topic's producers use over the key bytes.
type Partitioner uint8

// The partitioners.
const (
	Murmur2 Partitioner = iota
	CRC32
	UnknownPartitioner
)

// String is the partitioner's name in the option.
func (p Partitioner) String() string { return [...]string{"murmur2", "crc32", "unknown"}[p] }

// Relation is a stream, table or view. It is immutable once it is in a catalog. Durations are microseconds.
type Relation struct {
	Name       string
	Kind       ast.Kind
	Columns    []types.Column
	PrimaryKey []int // ordinals; tables only
	SQL        string

	Connector        string            // "kafka" (default), "file", "generate", "nexmark", "go"
	ConnectorOptions map[string]string // file.…, generate.…, nexmark.…, checked by their connector
	Topic            string
	Topics           []string // more than one, sorted: a stream that reads all of them; Topic shows them
	TopicPattern     string   // a regular expression of whole names: a stream that reads all topics that match; Topic shows it
	Part             int      // of one topic of several: a number that stays (PartOf); 0: it is no part
	Partitions       int32    // 0: not given
	Replicas         int16    // 0: not given
	Format           string
	FormatOptions    map[string]string // csv.…, json.…, checked by the format
	KeyFormat        string
	Key              []int // columns in the Kafka key, ordinals; nil: the key is ignored
	Headers          []HeaderColumn
	Partitioner      Partitioner
	Timestamp        int // ordinal of the event-time column, -1: the record's timestamp
	// TimestampFormat is the form of all DATE, TIME and TIMESTAMP columns, and of the event-time column whatever its type, in
	// values and keys: "ms", "s", "us", "ns", "iso", or a MySQL format string. "": read as "ms", written as "iso".
	TimestampFormat string
	Disorder        int64
	MaxFuture       int64
	IdleTimeout     int64
	History         int64
	Retention       int64  // microseconds, -1: for ever
	Start           string // a Position; "": where the engine begins by default
	End             string // a Position; "": it has none
	OnError         OnError
	DeadLetterTopic string // "" : <app>.<query>.dlq
	LateTopic       string
	ContinueOnLoss  bool
	AllowRandom     bool  // queries that write it may call RAND() and UUID()
	IdleClose       int64 // 0: off
	TTL             int64 // 0: off

	// Query is the name of the persistent query that writes it; "" for a source.
	Query string
	// View is the query a view stands for, ViewText the text it was parsed from: the query's places are in it.
	View     ast.Query
	ViewText string
	Reads    []*Relation // of a view: the relations that its query names, and those that they name
}

// TimeTold says whether the query that writes a stream tells its readers how far event time has come in it. Where its rows have an
// event time of their own, or it says how late they may be, the rows tell it themselves, as those of a source do.
func (r *Relation) TimeTold() bool {
	return r.Query != "" && r.Kind == ast.Stream && r.Connector == "kafka" && r.Timestamp < 0 && r.Disorder == 0
}

// PlainTimes says whether times are written as ISO 8601 and MySQL text, the default.
func (r *Relation) PlainTimes() bool { return r.TimestampFormat == "" || r.TimestampFormat == "iso" }

// bySchema are the formats whose bytes also depend on the schema that a producer had.
var bySchema = []string{"avro", "protobuf", "json-schema"}

// KeyPlaces says whether equal keys have equal bytes, whoever wrote them, so that they lie in one partition.
func (r *Relation) KeyPlaces() bool {
	return r.Partitioner != UnknownPartitioner && r.KeyFormat != Debezium && !slices.Contains(bySchema, r.KeyFormat)
}

// HeaderColumn is a column that is a header of the record, not in its value.
type HeaderColumn struct {
	Column int // ordinal
	Header string
}

// Header is the header that a column is, if it is one.
func (r *Relation) Header(column int) (string, bool) {
	for _, h := range r.Headers {
		if h.Column == column {
			return h.Header, true
		}
	}
	return "", false
}

// ValueNames are the names of the columns that are no headers, in order.
func (r *Relation) ValueNames() []string {
	var out []string
	for i, c := range r.Columns {
		if _, header := r.Header(i); !header {
			out = append(out, c.Name)
		}
	}
	return out
}

// HeaderMap are the headers of columns by ordinal.
func (r *Relation) HeaderMap() map[int]string {
	out := map[int]string{}
	for _, h := range r.Headers {
		out[h.Column] = h.Header
	}
	return out
}

// headerNames are the headers of columns by the columns' names, in lower case.
func (r *Relation) headerNames() map[string]string {
	out := map[string]string{}
	for _, h := range r.Headers {
		out[strings.ToLower(r.Columns[h.Column].Name)] = h.Header
	}
	return out
}

// Debezium is the format of change events, of values and of the keys that belong to them.
const Debezium = "debezium-json"

// SameFormat says whether the value of a record of r means the same in o: columns apart, they are written in one way. A change
// event means a change of its own table.
func (r *Relation) SameFormat(o *Relation) bool {
	return r.Format == o.Format && r.Format != Debezium && maps.Equal(r.FormatOptions, o.FormatOptions) && maps.Equal(r.headerNames(), o.headerNames()) && r.SameTimes(o)
}

// SameTimes says whether a record of r means the same in o as far as times go: their forms are one, or r has no times.
func (r *Relation) SameTimes(o *Relation) bool {
	return r.TimestampFormat == o.TimestampFormat || !slices.ContainsFunc(r.Columns, func(c types.Column) bool { return c.Type.Temporal() })
}

// KeyFormatOf is the serialisation of a Kafka key of n columns: the declared one, else a plain text for one column and a JSON
// object for several.
func (r *Relation) KeyFormatOf(n int) string {
	switch {
	case r.KeyFormat != "":
		return r.KeyFormat
	case r.Format == Debezium:
		return Debezium
	case n == 1:
		return "string"
	}
	return "json"
}
