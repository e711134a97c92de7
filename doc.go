// Package streamsql is streaming SQL for Kafka in a Go program.
//
// An Engine holds a catalog of streams and tables and runs queries over them. It keeps its state in local files and Kafka
// topics, writes exactly once, and scales out by starting the same program again with the same Options.Name.
//
//	eng, err := streamsql.Open(ctx, streamsql.Options{Brokers: []string{"localhost:9092"}, Name: "dedup"})
//	defer eng.Close()
//	err = eng.Exec(ctx, `CREATE STREAM s (message_id VARCHAR) WITH (topic='s');`)
//	rows, err := eng.Query(ctx, `SELECT DISTINCT message_id FROM s WINDOW TUMBLING(10s)`)
//	for row, err := range rows.All() { … }
//
// Without brokers an embedded one is started, in memory. Everything that blocks takes a context. An Engine is safe for
// concurrent use; Rows belong to one goroutine.
package streamsql
