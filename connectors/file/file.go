// Package file is the connector 'file': JSON lines (one record value per line) from a file or standard input, and to a file
// or standard output.
package file

import (
	"errors"

	"github.com/streamsql-go/streamsql/connectors"
)

// Table are the connector's options.
var Table = []connectors.Option{
	{Name: "file.path", Type: connectors.TextOption, Doc: "the file; '-' is standard input for a source and standard output for a target"},
	{Name: "file.follow", Type: connectors.BoolOption, Default: "false", Doc: "wait for more lines at the end of the file; only false so far"},
}

// Options are the checked options of a relation.
type Options struct {
	Path string
}

var (
	errNoPath = errors.New("connector 'file' needs the option file.path = '…' ('-' for standard input or output)")
	errFollow = errors.New("file.follow = 'true' is not supported: a file is read once to its end; send lines that are still to come to a Kafka topic, or pipe them in with file.path = '-'")
)

// Check checks the options of a relation.
func Check(given map[string]string) (Options, error) {
	o, err := connectors.CheckOptions(Table, nil, given)
	if err != nil {
		return Options{}, err
	}
	if o.Bool("file.follow") {
		return Options{}, errFollow
	}
	path := o.Get("file.path")
	if path == "" {
		return Options{}, errNoPath
	}
	return Options{Path: path}, nil
}
