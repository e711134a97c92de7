package streamsql_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/streamsql-go/streamsql"
)

// The main job on the broker in the process, over what is there.
func Example() {
	ctx := context.Background()
	eng, err := streamsql.Open(ctx, streamsql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	err = eng.Exec(ctx, `
		CREATE STREAM s (message_id VARCHAR, pod VARCHAR) WITH (topic = 's', partitions = 3);
		INSERT INTO s (message_id, pod, _partition, _timestamp) VALUES
			('m1', 'a', 0, 1000), ('m1', 'b', 1, 1200), ('m1', 'c', 2, 10000);`)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := eng.QueryUntil(ctx, `SELECT message_id, window_start FROM s WINDOW TUMBLING(10s) GROUP BY message_id EMIT FINAL`, streamsql.UntilEnd)
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Text(0), row.Text(1))
	}
	// Unordered output:
	// m1 1970-01-01 00:00:00.000
	// m1 1970-01-01 00:00:10.000
}

// A Go function as the source, another one as the sink.
func ExampleEngine_RegisterSource() {
	ctx := context.Background()
	eng, err := streamsql.Open(ctx, streamsql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	err = eng.RegisterSource("clicks", streamsql.FeedFunc(func(_ context.Context, write func([]streamsql.Record) error) error {
		return write([]streamsql.Record{
			{Value: []byte(`{"id":"a"}`), Timestamp: 1000}, {Value: []byte(`{"id":"a"}`), Timestamp: 2000}, {Value: []byte(`{"id":"b"}`), Timestamp: 3000},
		})
	}))
	if err != nil {
		log.Fatal(err)
	}
	err = eng.RegisterSink("seen", func(rows []streamsql.Row) error {
		for _, r := range rows {
			fmt.Println(r.Text(0))
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := eng.Exec(ctx, `CREATE STREAM clicks (id VARCHAR) WITH (connector = 'go')`); err != nil {
		log.Fatal(err)
	}
	q, err := eng.Start(ctx, `CREATE STREAM seen WITH (connector = 'go') AS SELECT DISTINCT id FROM clicks WINDOW TUMBLING(10s)`,
		streamsql.Bounded(streamsql.UntilEnd))
	if err != nil {
		log.Fatal(err)
	}
	if err := q.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// a
	// b
}

// All mistakes of a text, without an engine.
func ExampleCheck() {
	for _, e := range streamsql.Check("job.sql", "CREATE STREAM s (a VARCHAR) WITH (topic = 's');\nSELECT b FROM s;\n", nil) {
		fmt.Println(e)
	}
	// Output:
	// job.sql:2:8: unknown column b in s
	//   SELECT b FROM s;
	//          ^
	//   hint: columns of s: a
}

// A mistake has a place and often a hint.
func ExampleSQLError() {
	ctx := context.Background()
	eng, err := streamsql.Open(ctx, streamsql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	err = eng.Exec(ctx, "CREATE STREAM s (message_id VARCHAR) WITH (tpic = 's')")
	var mistake *streamsql.SQLError
	if errors.As(err, &mistake) {
		line, column := mistake.Place()
		fmt.Println(line, column, mistake.Hint)
	}
	// Output: 1 44 did you mean topic?
}
