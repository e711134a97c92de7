package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	_ "github.com/streamsql-go/streamsql/connectors/format/json"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/metrics"
)

func TestCollector(t *testing.T) {
	e, err := streamsql.Open(t.Context(), streamsql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	err = e.Exec(t.Context(), `CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 1);
		CREATE STREAM o AS SELECT id, n FROM s WHERE n > 1;
		INSERT INTO s (id, n, _timestamp) VALUES ('a', 1, 1000), ('b', 2, 2000), ('c', 3, 3000);`)
	if err != nil {
		t.Fatal(err)
	}
	c := metrics.Collector(e)
	if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
	const want = `
		# HELP streamsql_query_filtered_rows_total Rows that conditions dropped, of this instance's tasks since the query began.
		# TYPE streamsql_query_filtered_rows_total counter
		streamsql_query_filtered_rows_total{query="o"} 1
		# HELP streamsql_query_records_in_total Source records read and committed by this instance.
		# TYPE streamsql_query_records_in_total counter
		streamsql_query_records_in_total{query="o"} 3
		# HELP streamsql_query_rows_out_total Rows committed to the target by this instance.
		# TYPE streamsql_query_rows_out_total counter
		streamsql_query_rows_out_total{query="o"} 2
		# HELP streamsql_query_up 1 while the query runs or is paused, 0 once it has ended or failed.
		# TYPE streamsql_query_up gauge
		streamsql_query_up{query="o"} 1
		# HELP streamsql_query_watermark_timestamp_seconds The smallest watermark of the tasks that end in the target, seconds since 1970. Not there before the first row.
		# TYPE streamsql_query_watermark_timestamp_seconds gauge
		streamsql_query_watermark_timestamp_seconds{query="o"} 2.999999
	`
	names := []string{"filtered_rows_total", "records_in_total", "rows_out_total", "up", "watermark_timestamp_seconds"}
	for i, n := range names {
		names[i] = "streamsql_query_" + n
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if err = testutil.CollectAndCompare(c, strings.NewReader(want), names...); err == nil || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
}
