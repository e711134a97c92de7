// Package file is the connectors 'file', 'stdin' and 'stdout': records as lines of files, or of the program's own streams.
//
// A value of format 'json' is one line; one of 'csv' or 'tsv' goes on while a quote is open. Files are read in the order of their
// names. Each record has the headers file.path and file.offset, where it ends in the text; from those a source that is started
// again knows what it has read, also when files were added or renamed meanwhile.
//
// Importing it registers the connectors.
package file

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

// Table are the options of connector 'file'.
var Table = []connectors.Option{
	{Name: "file.path", Type: connectors.TextOption, Doc: "the file, or for a source a pattern such as 'logs/*.jsonl'; '-' is standard input for a source and standard output for a target"},
	{Name: "file.follow", Type: connectors.BoolOption, Default: "false", Doc: "a source waits for more: lines at the end of its files, files that come to match the pattern; it goes along when a file is rotated or cut off"},
	{Name: "file.compression", Type: connectors.TextOption, Default: "auto", Doc: "of the files of a source: none, gzip, or auto, which is gzip for names that end in .gz"},
	{Name: "file.header", Type: connectors.BoolOption, Default: "false", Doc: "csv and tsv: the first line of each file holds the names of the columns, which must be those of the relation"},
}

var streamTable = func(name string) []connectors.Option {
	o := Table[3]
	o.Name = name + ".header"
	return []connectors.Option{o}
}

func init() {
	endpoint.Register(endpoint.Kind{
		Name: "file", Doc: "lines of files", Options: Table,
		Check:     func(r endpoint.Relation) error { _, err := Check(r); return err },
		NewSource: newSource, NewSink: newSink, Target: target, Delivery: "at least once",
		Direct: func(r endpoint.Relation) bool { return r.Options["file.path"] == "-" },
	})
	endpoint.Register(endpoint.Kind{
		Name: "stdin", Doc: "lines of standard input", Options: streamTable("stdin"),
		Check:     func(r endpoint.Relation) error { _, err := checkStream(r, "stdin"); return err },
		NewSource: newSource,
	})
	endpoint.Register(endpoint.Kind{
		Name: "stdout", Doc: "lines of standard output", Options: streamTable("stdout"),
		Check:  func(r endpoint.Relation) error { _, err := checkStream(r, "stdout"); return err },
		Direct: func(endpoint.Relation) bool { return true },
	})
}

// Options are the checked options of a relation.
type Options struct {
	Path        string // "-": a stream of the program
	Follow      bool
	Compression string // "none", "gzip" or "auto"
	Header      bool
	Lines       Lines
}

// binary are the formats whose values may hold any byte, line ends too.
var binary = []string{"avro", "protobuf", "json-schema", "int", "bigint", "double", "kafka"}

// Check checks the options of a relation of connector 'file', 'stdin' or 'stdout'.
func Check(r endpoint.Relation) (Options, error) {
	given, err := r.Check(Table)
	if err != nil {
		return Options{}, err
	}
	o := Options{Path: given.Get("file.path"), Follow: given.Bool("file.follow"), Compression: strings.ToLower(given.Get("file.compression")), Header: given.Bool("file.header")}
	if o.Lines, err = linesOf(r, o.Header); err != nil {
		return o, err
	}
	switch {
	case o.Path == "":
		return o, errors.New("connector 'file' needs the option file.path = '…' ('-' for standard input or output)")
	case !slices.Contains([]string{"none", "gzip", "auto"}, o.Compression):
		return o, fmt.Errorf("file.compression = '%s': use none, gzip or auto", o.Compression)
	case o.Path == "-" && o.Follow:
		return o, errors.New("file.follow: standard input is read as long as it is open; leave the option out")
	case o.Follow && o.gzipped(o.Path):
		return o, errors.New("file.follow: a compressed file is not written line by line; let the source follow the file before it is compressed")
	}
	if _, err := filepath.Match(o.Path, ""); err != nil {
		return o, fmt.Errorf("file.path = '%s' is not a pattern: %w", o.Path, err)
	}
	return o, nil
}

func (o Options) gzipped(path string) bool {
	return o.Compression == "gzip" || o.Compression == "auto" && strings.HasSuffix(path, ".gz")
}

// checkStream checks the options of 'stdin' or 'stdout'.
func checkStream(r endpoint.Relation, name string) (Options, error) {
	given, err := r.Check(streamTable(name))
	if err != nil {
		return Options{}, err
	}
	o := Options{Path: "-", Compression: "none", Header: given.Bool(name + ".header")}
	o.Lines, err = linesOf(r, o.Header)
	return o, err
}

// CheckTarget checks the options of a relation that is written.
func CheckTarget(r endpoint.Relation) (Options, error) {
	if r.Connector == "stdout" {
		return checkStream(r, "stdout")
	}
	o, err := Check(r)
	switch {
	case err != nil:
		return o, err
	case o.Follow:
		return o, errors.New("file.follow is of a source: a target is written at its end")
	case o.Compression != "auto" || o.gzipped(o.Path):
		return o, errors.New("file.compression is of a source: a target is written as it is, under a name that does not end in .gz")
	case strings.ContainsAny(o.Path, "*?["):
		return o, fmt.Errorf("file.path = '%s' is a pattern: a target is one file", o.Path)
	}
	return o, nil
}

// newSource makes the feed of a relation.
func newSource(r endpoint.Relation, env endpoint.Env) (endpoint.Source, error) {
	check := Check
	if r.Connector == "stdin" {
		check = func(r endpoint.Relation) (Options, error) { return checkStream(r, "stdin") }
	}
	o, err := check(r)
	switch {
	case err != nil:
		return endpoint.Source{}, err
	case o.Path == "-":
		return endpoint.Source{Feed: NewFeed(o, env.Stdin, env.Clock.Now)}, nil
	case o.Follow:
		return endpoint.Source{Feed: newFiles(o, env), Bound: "leave file.follow out"}, nil
	}
	return endpoint.Source{Feed: newFiles(o, env)}, nil
}
