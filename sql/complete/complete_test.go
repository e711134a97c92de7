package complete

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/sql/types"
)

func world() World {
	user := types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "id", Type: types.TBigInt}, {Name: "country", Type: types.TVarchar}}}
	return World{
		Relations: []RelationInfo{
			{Name: "contexts", Kind: "TABLE", Columns: []types.Column{{Name: "id", Type: types.TVarchar}, {Name: "owner", Type: types.TVarchar}}},
			{Name: "orders", Kind: "STREAM", Topic: "shop.orders", Columns: []types.Column{{Name: "id", Type: types.TVarchar}, {Name: "amount", Type: types.TBigInt},
				{Name: "customer", Type: user}, {Name: "select", Type: types.TVarchar}}},
			{Name: "totals", Kind: "VIEW", Columns: []types.Column{{Name: "n", Type: types.TBigInt}}},
		},
		Functions: []FunctionInfo{
			{Name: "CONCAT", Signature: "CONCAT(a, …)", Doc: "one text of several"},
			{Name: "COUNT", Signature: "COUNT(x)", Doc: "how many are not NULL", Aggregate: true},
			{Name: "SPLIT_ROWS", Signature: "SPLIT_ROWS(x)", Doc: "a row per part", Table: true},
		},
		Options: []OptionInfo{
			{Name: "connector", Values: []string{"kafka", "file"}}, {Name: "topic"}, {Name: "format", Values: []string{"json", "avro"}, Doc: "of values"},
			{Name: "key"}, {Name: "file.path", Connector: "file"}, {Name: "kafka.sasl.user", Connector: "kafka"}, {Name: "kafka.sasl.password", Connector: "kafka"}, {Name: "csv.header", Values: []string{"true", "false"}},
		},
		Settings:  []OptionInfo{{Name: "start", Values: []string{"earliest", "latest"}}, {Name: "commit_interval"}},
		Queries:   []string{"dedup"},
		Variables: []string{"limit"},
		Topics:    func() []string { return []string{"orders-raw", "shop.orders"} },
	}
}

// texts are the proposals at the | in text.
func texts(t *testing.T, text string) ([]string, Result) {
	t.Helper()
	at := strings.Index(text, "|")
	if at < 0 {
		t.Fatalf("no cursor in %q", text)
	}
	r := At(text[:at]+text[at+1:], at, world())
	var out []string
	for _, c := range r.Candidates {
		out = append(out, c.Text)
	}
	return out, r
}

// TestExactly: all that is proposed, in order.
func TestExactly(t *testing.T) {
	for text, want := range map[string]string{
		// statements
		"|":                          "SELECT CREATE INSERT SHOW DESCRIBE EXPLAIN DROP PAUSE RESUME TERMINATE SET DEFINE PRINT INFER WITH",
		"SELECT 1; de|":              "describe define",
		"CREATE |":                   "STREAM,TABLE,VIEW,OR REPLACE",
		"create or |":                "replace",
		"CREATE OR REPLACE STREAM |": "IF NOT EXISTS,orders",
		"CREATE TABLE x |":           "WITH (,AS SELECT",
		"CREATE VIEW x |":            "AS SELECT,",
		"CREATE STREAM IF NOT EXISTS x (a INT) |": "WITH (,AS SELECT",
		"CREATE STREAM x WITH (topic='x') |":      "AS SELECT,",
		"CREATE STREAM x AS |":                    "SELECT WITH",
		"DROP TABLE |":                            "contexts,IF EXISTS",
		"DROP VIEW IF EXISTS |":                   "totals",
		"SHOW |":                                  "STREAMS TABLES VIEWS QUERIES STATUS TOPICS FUNCTIONS OPTIONS SETTINGS CREATE",
		"SHOW CREATE |":                           "contexts orders totals",
		"SHOW STREAMS |":                          "LIKE",
		"SHOW STATUS FOR |":                       "dedup",
		"DESCRIBE o|":                             "orders",
		"EXPLAIN ANALYZE |":                       "dedup",
		"PAUSE |":                                 "dedup",
		"SET |":                                   "start commit_interval",
		"SET start |":                             "=",
		"SET start = |":                           "'earliest' 'latest'",
		"SET start = 'l|":                         "latest'",
		"PRINT |":                                 "orders-raw shop.orders",
		"PRINT shop.o|":                           "shop.orders",
		"PRINT orders-|":                          "orders-raw",
		"PRINT orders-raw |":                      "FROM BEGINNING,LIMIT",
		"INFER |":                                 "FROM TOPIC,",
		"INSERT |":                                "INTO",
		"INSERT INTO |":                           "contexts orders",
		"INSERT INTO contexts |":                  "SELECT,VALUES (,WITH",
		"INSERT INTO contexts (|":                 "id owner",
		"INSERT INTO contexts (id, _k|":           "_key",
		"INSERT INTO contexts (id) VALUES (|":     "NULL TRUE FALSE",
		// columns and options
		"CREATE TABLE x (|":                                        "WATERMARK FOR,PRIMARY KEY (",
		"CREATE STREAM x (a |":                                     "VARCHAR BIGINT INT DOUBLE DECIMAL BOOLEAN TIMESTAMP DATE TIME JSON VARBINARY ARRAY< MAP< STRUCT< SMALLINT TINYINT FLOAT",
		"CREATE STREAM x (a ARRAY<V|":                              "VARCHAR VARBINARY",
		"CREATE STREAM x (a STRUCT<b V|":                           "VARCHAR VARBINARY",
		"CREATE TABLE x (a INT |":                                  "PRIMARY KEY,NOT NULL,COMMENT",
		"CREATE STREAM x (a INT, ts TIMESTAMP(3), WATERMARK FOR |": "ts",
		"CREATE TABLE x (a INT, b INT, PRIMARY KEY (|":             "a b",
		"CREATE STREAM x (a INT) WITH (|":                          "connector topic format key kafka.sasl.user kafka.sasl.password csv.header",
		"CREATE STREAM x (a INT) WITH (topic = 'x', |":             "connector format key kafka.sasl.user kafka.sasl.password csv.header",
		"CREATE STREAM x (a INT) WITH (connector = 'file', f|":     "format file.path",
		"CREATE STREAM x (a INT) WITH (kafka.sasl.p|":              "kafka.sasl.password",
		"CREATE STREAM x (a INT) WITH (format |":                   "=",
		"CREATE STREAM x (a INT) WITH (format = |":                 "'json' 'avro'",
		"CREATE STREAM x (a INT) WITH (format = 'a|', topic='b')":  "avro'",
		"CREATE STREAM x (a INT, b INT) WITH (key = '|":            "a' b'",
		"CREATE STREAM x (a INT) WITH (topic = |":                  "'orders-raw' 'shop.orders'",
		// clauses
		"SELECT id FROM |":                                    "contexts,orders,totals,UNNEST(,LATERAL (,SPLIT_ROWS(",
		"SELECT * FROM orders o JOIN c|":                      "contexts",
		"SELECT * FROM orders o |":                            "JOIN,LEFT JOIN,RIGHT JOIN,FULL JOIN,WINDOW,WHERE,GROUP BY,QUALIFY,PARTITION BY,UNION,EXCEPT,INTERSECT,ORDER BY,LIMIT,EMIT CHANGES,EMIT FINAL",
		"SELECT * FROM orders o LEFT |":                       "JOIN,OUTER JOIN",
		"SELECT * FROM orders o JOIN contexts c |":            "ON,USING (,WITHIN",
		"SELECT * FROM orders o JOIN contexts c WITHIN 5s |":  "ON,USING (,WITHIN,GRACE,CORRECT",
		"SELECT * FROM orders JOIN contexts USING (|":         "id amount customer `select` owner",
		"SELECT * FROM orders WHERE amount IS |":              "NULL,NOT NULL,TRUE,FALSE",
		"SELECT * FROM orders WHERE id NOT |":                 "IN (,LIKE,BETWEEN,REGEXP",
		"SELECT * FROM orders GROUP |":                        "BY",
		"SELECT * FROM orders WINDOW |":                       "TUMBLING( HOPPING( SLIDING( SESSION( CUMULATE(",
		"SELECT * FROM orders WINDOW HOPPING(|":               "SIZE",
		"SELECT * FROM orders WINDOW HOPPING(10 |":            "SECONDS MINUTES HOURS DAYS WEEKS MONTHS MILLISECONDS",
		"SELECT * FROM orders WINDOW HOPPING(10s, |":          "ADVANCE BY,GRACE PERIOD,OFFSET,TIME ZONE",
		"SELECT * FROM orders WINDOW SESSION(10s, |":          "GRACE PERIOD,",
		"SELECT * FROM orders EMIT |":                         "CHANGES FINAL",
		"select * from orders emit |":                         "changes final",
		"SELECT * FROM orders LIMIT |":                        "",
		"SELECT * FROM orders LIMIT 10 |":                     "OFFSET,EMIT CHANGES,EMIT FINAL",
		"SELECT * FROM orders ORDER BY amount DESC LIMIT 3 |": "OFFSET,EMIT CHANGES,EMIT FINAL",
		"SELECT id AS |":                                      "",
		// columns
		"SELECT o.| FROM orders AS o":                                                  "id amount customer `select`",
		"SELECT o.customer.| FROM orders AS o":                                         "id country",
		"SELECT customer.c| FROM orders":                                               "country",
		"SELECT nobody.| FROM orders":                                                  "",
		"SELECT a| FROM orders":                                                        "amount",
		"SELECT o| FROM orders o JOIN contexts c ON c.id = o.id":                       "o.id,owner,o.",
		"SELECT x.| FROM (SELECT id AS k, amount + 1 AS more FROM orders) x":           "k more",
		"WITH w AS (SELECT owner FROM contexts) SELECT o| FROM w":                      "owner",
		"WITH w AS (SELECT owner FROM contexts) SELECT * FROM w|":                      "w",
		"SELECT win| FROM orders WINDOW TUMBLING(10s)":                                 "window_start window_end",
		"SELECT win| FROM orders":                                                      "",
		"SELECT * FROM orders WHERE EXISTS (SELECT * FROM contexts c WHERE c.id = am|": "amount",
		"SELECT CON| FROM orders":                                                      "CONCAT(",
		"SELECT CAST(amount AS D|":                                                     "DOUBLE DECIMAL DATE",
		"SELECT COUNT(D| FROM orders":                                                  "DISTINCT",
		"SELECT ROW_NUMBER() OVER (|":                                                  "PARTITION BY,ORDER BY",
		"SELECT CASE WHEN id = 'a' THEN 1 EL| FROM orders":                             "ELSE",
		"SELECT `sel| FROM orders":                                                     "select`",
		// nothing
		"SELECT 'a|":                      "",
		"SELECT id -- FROM o|":            "",
		"SELECT id /* FROM o|":            "",
		"SELECT 12|":                      "",
		"SELECT * FROM orders LIMIT ${l|": "limit}",
		"SELEC id FROM |":                 "",
	} {
		sep := ","
		if !strings.Contains(want, ",") {
			sep = " "
		}
		expected := strings.Split(strings.TrimSuffix(want, ","), sep)
		if want == "" {
			expected = nil
		}
		if got, _ := texts(t, text); !slices.Equal(got, expected) {
			t.Errorf("%s\n got %q\nwant %q", text, got, expected)
		}
	}
}

// TestKinds: what a candidate is and says of itself, and what of the text it replaces.
func TestKinds(t *testing.T) {
	for _, x := range []struct {
		text  string
		want  Candidate
		typed string
	}{
		{"SELECT am| FROM orders", Candidate{"amount", Column, "BIGINT of orders"}, "am"},
		{"SELECT cou| FROM orders", Candidate{"count(", Function, "COUNT(x): how many are not NULL"}, "cou"},
		{"SELECT * FROM or|", Candidate{"orders", Relation, "stream, 4 columns, topic shop.orders"}, "or"},
		{"CREATE STREAM x (a INT) WITH (format = 'av|", Candidate{"avro'", Value, "of values"}, "av"},
		{"CREATE STREAM x (a INT) WITH (kafka.sasl.us|", Candidate{"kafka.sasl.user", Option, ""}, "kafka.sasl.us"},
	} {
		_, r := texts(t, x.text)
		at := strings.Index(x.text, "|")
		if len(r.Candidates) != 1 || r.Candidates[0] != x.want || x.text[r.Start:at] != x.typed || r.End != at {
			t.Errorf("%s: %+v, want %+v in the place of %q", x.text, r, x.want, x.typed)
		}
	}
}

// TestSpeed: a thousand streams of twenty columns, in 20 ms.
func TestSpeed(t *testing.T) {
	w := world()
	for i := range 1000 {
		r := RelationInfo{Name: fmt.Sprintf("stream_%04d", i), Kind: "STREAM"}
		for c := range 20 {
			r.Columns = append(r.Columns, types.Column{Name: fmt.Sprintf("column_%d", c), Type: types.TBigInt})
		}
		w.Relations = append(w.Relations, r)
	}
	best := time.Hour
	for _, text := range []string{"SELECT * FROM ", "SELECT * FROM stream_0001 a JOIN stream_0999 b WITHIN 1s ON a."} {
		for range 5 {
			start := time.Now()
			r := At(text, len(text), w)
			best = min(best, time.Since(start))
			if len(r.Candidates) == 0 {
				t.Fatal("nothing")
			}
		}
	}
	if best > 20*time.Millisecond {
		t.Errorf("%v", best)
	}
}
