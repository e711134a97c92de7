// Package parquet is the connector 'parquet': Parquet files as bounded sources and as targets. Importing it registers the connector.
//
// Reading. Columns are found by name, an exact one first, then one that differs in case only; a relation may name fewer than a file has. Values
// become what the JSON format reads, without loss: decimals with their scale, times in microseconds (nanoseconds are cut off), the
// legacy INT96 as a TIMESTAMP, UUIDs as text, bytes without a meaning as VARBINARY, or VARCHAR when they are text; LIST, MAP and groups as ARRAY, MAP and
// STRUCT, in the forms of older writers too.
//
// Writing. Every column is optional, in the relation's order: whole numbers with their width and sign, DECIMAL as INT32, INT64 or fixed bytes by its precision,
// VARCHAR as STRING, JSON as JSON, DATE, TIME in microseconds, TIMESTAMP in UTC, in milliseconds up to three digits and else microseconds, ARRAY, MAP and STRUCT
// as LIST, MAP and groups.
//
// Exactly once. A file is written under another name, and gets its own when it is whole: <relation>-<outbox>-<partition>-<from>-<to>.parquet, where from and to are
// the places of its rows in the outbox. Whoever goes on with a partition goes on behind the files that are there, so a row is in one of them and in no other.
package parquet

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

// Table are the connector's options.
var Table = []connectors.Option{
	{Name: "parquet.path", Type: connectors.TextOption, Doc: "of a source the file, a pattern such as 'data/*.parquet', or a directory, of which all files that end in .parquet are read; of a target the directory, which is made when it is not there"},
	{Name: "parquet.file_size", Type: connectors.IntOption, Default: "134217728", Doc: "a target begins a new file after so many bytes of rows, as JSON"},
	{Name: "parquet.file_age", Type: connectors.DurationOption, Default: "5m", Doc: "a target finishes a file when its first row has waited for so long: before that nobody sees it"},
	{Name: "parquet.compression", Type: connectors.TextOption, Default: "zstd", Doc: "of the files of a target: zstd, snappy, gzip or none"},
}

func init() {
	endpoint.Register(endpoint.Kind{
		Name: "parquet", Doc: "Parquet files", Options: Table, Delivery: "exactly once, as long as files stay in their directory until the next start",
		Check:     func(r endpoint.Relation) error { _, err := check(r); return err },
		NewSource: newSource, NewSink: newSink, Target: target,
	})
}

type options struct {
	path  string
	size  int64
	age   time.Duration
	codec compress.Codec
}

var codecs = map[string]compress.Codec{"zstd": &parquet.Zstd, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "none": &parquet.Uncompressed}

func check(r endpoint.Relation) (options, error) {
	given, err := r.Check(Table)
	if err != nil {
		return options{}, err
	}
	o := options{path: given.Get("parquet.path"), size: given.Int("parquet.file_size"), age: time.Duration(given.Duration("parquet.file_age")) * time.Microsecond}
	known := false
	o.codec, known = codecs[strings.ToLower(given.Get("parquet.compression"))]
	switch {
	case o.path == "":
		return o, errors.New("connector 'parquet' needs the option parquet.path = '…'")
	case !known:
		return o, fmt.Errorf("parquet.compression = '%s': use zstd, snappy, gzip or none", given.Get("parquet.compression"))
	case o.size < 1 || o.age <= 0:
		return o, errors.New("parquet.file_size and parquet.file_age must be above zero")
	case r.Format != "json":
		return o, fmt.Errorf("connector 'parquet' has a format of its own: leave format = '%s' out", r.Format)
	}
	if _, err := filepath.Match(o.path, ""); err != nil {
		return o, fmt.Errorf("parquet.path = '%s' is not a pattern: %w", o.path, err)
	}
	for _, c := range r.Spec.Columns {
		if c.TimestampFormat != "" {
			return o, errors.New("times in Parquet files have a form of their own: leave timestamp_format out")
		}
	}
	return o, nil
}

// errChanges: a file that is whole is not written again.
var errChanges = errors.New("a Parquet file keeps every row, but the rows of this query replace each other: write a table of Kafka, or final rows (EMIT FINAL)")

func target(r endpoint.Relation, changes bool) error {
	o, err := check(r)
	switch {
	case err != nil:
		return err
	case changes:
		return errChanges
	case strings.ContainsAny(o.path, "*?[") || strings.HasSuffix(o.path, suffix):
		return fmt.Errorf("parquet.path = '%s' of a target is a directory: its files get names of their own", o.path)
	}
	names := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		names[i] = c.Name
	}
	if _, err := newSchema(r.Name, r.Columns); err != nil {
		return err
	}
	if slices.Contains(names, "") {
		return errors.New("a column has no name")
	}
	return nil
}

const suffix = ".parquet"
