// Command streamsql runs streaming SQL over Kafka: as a prompt, as a filter, or as a long-running job.
//
// Exit codes: 0 done or stopped by a signal, 1 failure while running, 2 wrong usage or configuration, 3 mistake in SQL, 130
// ended by a second signal.
package main

import (
	"os"

	_ "github.com/streamsql-go/streamsql/connectors/format/avro"
	_ "github.com/streamsql-go/streamsql/connectors/format/jsonschema"
	_ "github.com/streamsql-go/streamsql/connectors/format/protobuf"
	_ "github.com/streamsql-go/streamsql/connectors/http"
	_ "github.com/streamsql-go/streamsql/connectors/parquet"
)

func main() {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ}
	os.Exit(a.main(os.Args[1:]))
}
