package nexmark

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/streamsql-go/streamsql/connectors"
)

// oracle is SQLite with the events of a world in plain tables. Beside the fields each row has its event time ts in milliseconds,
// and where it came from: part and off. Times are text, which compares as they do.
type oracle struct{ db *sql.DB }

// newOracle is one that lives as long as t.
func newOracle(t testing.TB, w world) oracle {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // every connection would have a memory of its own
	t.Cleanup(func() { _ = db.Close() })
	o := oracle{db}
	o.load(t, "person", w, "id", "name", "emailAddress", "creditCard", "city", "state", "dateTime", "extra")
	o.load(t, "auction", w, "id", "itemName", "description", "initialBid", "reserve", "dateTime", "expires", "seller", "category", "extra")
	o.load(t, "bid", w, "auction", "bidder", "price", "channel", "url", "dateTime", "extra")
	o.load(t, "side", w, "key", "value")
	o.exec(t, "CREATE UNIQUE INDEX p ON person (id); CREATE UNIQUE INDEX a ON auction (id); CREATE INDEX s ON auction (seller, ts); CREATE INDEX b ON bid (auction)")
	return o
}

func (o oracle) exec(t testing.TB, text string) {
	t.Helper()
	if _, err := o.db.Exec(text); err != nil {
		t.Fatal(err)
	}
}

func (o oracle) load(t testing.TB, table string, w world, fields ...string) {
	t.Helper()
	o.exec(t, fmt.Sprintf("CREATE TABLE %s (%s, ts, part, off)", table, strings.Join(fields, ", ")))
	tx, err := o.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	st, err := tx.Prepare(fmt.Sprintf("INSERT INTO %s VALUES (%s?, ?, ?)", table, strings.Repeat("?, ", len(fields))))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range w["nexmark_"+table] {
		if _, err := st.Exec(o.row(t, r, fields)...); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

func (o oracle) row(t testing.TB, r connectors.Record, fields []string) []any {
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

// answer is the rows of a query of SQLite, each as its values with " | " between them, sorted.
func (o oracle) answer(t testing.TB, text string) []string {
	t.Helper()
	rows, err := o.db.Query(text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		values, into := make([]any, len(cols)), make([]any, len(cols))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(cols))
		for i, v := range values {
			if texts[i] = fmt.Sprint(v); v == nil {
				texts[i] = "NULL"
			}
		}
		out = append(out, strings.Join(texts, " | "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}
