package streamsql_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql"
	_ "github.com/streamsql-go/streamsql/connectors/parquet"
)

// TestParquet: out and in again; a bounded query does not wait until a file is old.
func TestParquet(t *testing.T) {
	dir := t.TempDir()
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR, n DECIMAL(20,3), at TIMESTAMP(3), tags ARRAY<VARCHAR>) WITH (topic = 's', partitions = 2);" +
		"INSERT INTO s VALUES ('a', 1.5, TIMESTAMP '2030-01-01 00:00:00', '[\"x\",\"y\"]'), ('b', -2, NULL, NULL)")
	q, err := l.Start(l.ctx, "CREATE STREAM p WITH (connector = 'parquet', parquet.path = '"+dir+"') AS SELECT id, n, at, tags FROM s", streamsql.Bounded(streamsql.UntilEnd))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(l.ctx); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if err != nil || len(files) != 2 { // the rows went to two partitions
		t.Error(files, err)
	}
	l.exec("CREATE STREAM back (tags ARRAY<VARCHAR>, ID VARCHAR, n DECIMAL(20,3), at TIMESTAMP(3)) WITH (connector = 'parquet', parquet.path = '" + dir + "')")
	want := []string{`a 1.500 2030-01-01 00:00:00.000 ["x","y"]`, "b -2.000 NULL NULL"}
	if got := l.query("SELECT ID, n, at, tags FROM back"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	l.refuses("CREATE STREAM x (a INT) WITH (connector = 'parquet', parquet.path = 'x', format = 'csv')", "a format of its own")
}
