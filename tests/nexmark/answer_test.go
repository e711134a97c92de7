package nexmark

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/tests/sqlite"
)

// newOracle is SQLite with the events of a world in plain tables, which lives as long as t. Beside the fields each row has its event
// time ts in milliseconds, and where it came from: part and off. Times are text, which compares as they do.
func newOracle(t testing.TB, w world) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	load(t, db, w, "person", "id", "name", "emailAddress", "creditCard", "city", "state", "dateTime", "extra")
	load(t, db, w, "auction", "id", "itemName", "description", "initialBid", "reserve", "dateTime", "expires", "seller", "category", "extra")
	load(t, db, w, "bid", "auction", "bidder", "price", "channel", "url", "dateTime", "extra")
	load(t, db, w, "side", "key", "value")
	err = db.Exec("CREATE UNIQUE INDEX p ON person (id); CREATE UNIQUE INDEX a ON auction (id); CREATE INDEX s ON auction (seller, ts); CREATE INDEX b ON bid (auction)")
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func load(t testing.TB, db *sqlite.DB, w world, table string, fields ...string) {
	t.Helper()
	var rows [][]any
	for _, r := range w["nexmark_"+table] {
		rows = append(rows, row(t, r, fields))
	}
	if err := db.Load(table, append(fields, "ts", "part", "off"), rows); err != nil {
		t.Fatal(err)
	}
}

func row(t testing.TB, r connectors.Record, fields []string) []any {
	t.Helper()
	var values map[string]any
	d := json.NewDecoder(strings.NewReader(string(r.Value)))
	d.UseNumber()
	if err := d.Decode(&values); err != nil {
		t.Fatal(err)
	}
	var out []any
	for _, f := range fields {
		v := values[f]
		if n, ok := v.(json.Number); ok {
			i, err := n.Int64()
			if err != nil {
				t.Fatal(err)
			}
			v = i
		}
		out = append(out, v)
	}
	return append(out, r.Timestamp, r.Partition, r.Offset)
}

// answer is what SQLite says to a query.
func answer(t testing.TB, db *sqlite.DB, q int) []string {
	t.Helper()
	rows, err := db.Rows(file(t, answerFile(q)))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		t.Fatal("the right answer is empty, which proves nothing")
	}
	return rows
}
