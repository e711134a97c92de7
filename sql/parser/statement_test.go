package parser

import (
	"testing"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// TestStatements: what is written is the tree below it (zero fields are left out: Kind STREAM, Kind TUMBLING).
func TestStatements(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"CREATE STREAM IF NOT EXISTS s (a INT NOT NULL, `order` STRING COMMENT 'x', ts DATETIME(3), WATERMARK FOR ts AS ts - 5s) WITH (topic = 'a.b', Partitions=3, disorder = 10 SECONDS, start=-1000, kafka.client.id=\"c\", header=true)",
			"Create{Name:s IfNotExists:true Columns:[ColumnDef{Name:a Type:INT NotNull:true}, ColumnDef{Name:order Type:VARCHAR}, ColumnDef{Name:ts Type:TIMESTAMP(3)}] " +
				"Watermark:Watermark{Column:ts Delay:5000000us} Options:[Option{Name:topic Value:a.b}, Option{Name:partitions Value:3}, Option{Name:disorder Value:10 SECONDS}, " +
				"Option{Name:start Value:-1000}, Option{Name:kafka.client.id Value:c}, Option{Name:header Value:true}]}"},
		{"CREATE TABLE t (id VARCHAR PRIMARY KEY, n INT(11))", "Create{Kind:TABLE Name:t Columns:[ColumnDef{Name:id Type:VARCHAR}, ColumnDef{Name:n Type:INT}] PrimaryKey:[id]}"},
		{"CREATE OR REPLACE TABLE t (a INT, b INT, PRIMARY KEY (a, b)) WITH (topic='t')", "Create{Kind:TABLE Name:t OrReplace:true Columns:[ColumnDef{Name:a Type:INT}, ColumnDef{Name:b Type:INT}] PrimaryKey:[a, b] Options:[Option{Name:topic Value:t}]}"},
		{"CREATE STREAM x WITH (ttl = '1d') AS WITH q AS (SELECT 1) SELECT * FROM q", `Create{Name:x Options:[Option{Name:ttl Value:1d}] As:Select{With:[With{Name:q Query:Select{Items:[Item{Expr:int("1")}]}}] Items:[Item{Star:true}] From:TableRef{Name:q}}}`},
		{"CREATE VIEW v (a, b) AS SELECT 1, 2", `Create{Kind:VIEW Name:v Columns:[ColumnDef{Name:a}, ColumnDef{Name:b}] As:Select{Items:[Item{Expr:int("1")}, Item{Expr:int("2")}]}}`},
		{"CREATE STREAM s (u STRUCT<id BIGINT, tags ARRAY<ARRAY<VARCHAR>>>, m MAP<VARCHAR, DOUBLE>, w WATERMARK_T)", ""},
		{"INSERT INTO s (a, b) VALUES (1, NULL), (-2, 'x')", `Insert{Target:s Columns:[a, b] Rows:[[int("1"), null("NULL")], [(- int("2")), str("x")]]}`},
		{"INSERT INTO s RAW (_key, _value) VALUES (NULL, 'not json')", `Insert{Target:s Columns:[_key, _value] Rows:[[null("NULL"), str("not json")]] Raw:true}`},
		{"INSERT INTO s (a) SELECT 1", `Insert{Target:s Columns:[a] Query:Select{Items:[Item{Expr:int("1")}]}}`},
		{"DROP TABLE IF EXISTS a, `b c`", "Drop{Kind:TABLE IfExists:true Names:[a, b c]}"},
		{"EXPLAIN ANALYZE DROP VIEW v", "Explain{Analyze:true Statement:Drop{Kind:VIEW Names:[v]}}"}, {"EXPLAIN q", "Explain{Name:q}"},
		{"DESC EXTENDED s", "Describe{Extended:true Name:s}"}, {"DESCRIBE extended", "Describe{Name:extended}"},
		{"SHOW TOPICS LIKE 'a%'", "Show{What:TOPICS Like:a%}"}, {"SHOW STATUS FOR q", "Show{What:STATUS Name:q}"}, {"SHOW CREATE TABLE t", "Show{What:CREATE Name:t}"}, {"show errors q", "Show{What:ERRORS Name:q}"},
		{"TERMINATE QUERY q", "QueryCommand{Verb:TERMINATE Name:q}"}, {"PAUSE query", "QueryCommand{Verb:PAUSE Name:query}"},
		{"SET 'auto.offset.reset' = 'earliest'", "Set{Name:auto.offset.reset Value:earliest}"}, {"SET state.dir = 10s", "Set{Name:state.dir Value:10s}"},
		{"DEFINE env = 'prod'", "Define{Name:env Value:prod}"}, {"USE s", "Use{Name:s}"},
		{"PRINT my-topic.v1 FROM BEGINNING LIMIT 3", "Print{Topic:my-topic.v1 FromBeginning:true Limit:3}"}, {"PRINT 'a b'", "Print{Topic:a b Limit:-1}"},
		{"INFER FROM TOPIC orders", "Infer{Topic:orders}"},
		{"INFER FROM TOPIC my-topic.v1 WITH (samples = 10, registry.url = 'http://r')", "Infer{Topic:my-topic.v1 Options:[Option{Name:samples Value:10}, Option{Name:registry.url Value:http://r}]}"},
		{"ASSERT VALUES o (a) VALUES (1), (2) IN ORDER", `Assert{Form:VALUES Target:o Columns:[a] Rows:[[int("1")], [int("2")]] InOrder:true}`},
		{"ASSERT NO MORE VALUES o", "Assert{Form:NO MORE VALUES Target:o}"}, {"ASSERT TABLE t (a) VALUES (1)", `Assert{Form:TABLE Target:t Columns:[a] Rows:[[int("1")]]}`},
		{"ASSERT LATE s 1", "Assert{Form:LATE Target:s Count:1}"}, {"ASSERT ERRORS s 7", "Assert{Form:ERRORS Target:s Count:7}"},
		{"RESTART", "Harness{Verb:RESTART}"}, {"ADVANCE TIME TO 10000", `Harness{Verb:ADVANCE To:int("10000")}`},
	} {
		script, err := Parse("", c.src)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: no error", c.src)
			}
			continue
		}
		if err != nil {
			t.Error(err)
		} else if got := dump(script.Statements[0]); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestStatementPlaces: spans of a statement and its parts, in the original text.
func TestStatementPlaces(t *testing.T) {
	text := "-- one\nCREATE STREAM x WITH (topic = 'é') AS\n  SELECT a FROM s ;\nSHOW  STREAMS"
	script, err := Parse("f.sql", text)
	if err != nil {
		t.Fatal(err)
	}
	at := func(s ast.Span) string { return text[s.Start:s.End] }
	c := script.Statements[0].(*ast.Create)
	for _, x := range []struct{ got, want string }{
		{at(c.Span), "CREATE STREAM x WITH (topic = 'é') AS\n  SELECT a FROM s"},
		{at(c.AsSpan), "SELECT a FROM s"},
		{at(c.Options[0].Span), "topic = 'é'"},
		{at(c.Options[0].ValueSpan), "'é'"},
		{at(c.As.(*ast.Select).Items[0].Expr.Pos()), "a"},
		{at(script.Statements[1].Pos()), "SHOW  STREAMS"},
	} {
		if x.got != x.want {
			t.Errorf("got %q, want %q", x.got, x.want)
		}
	}
	if script.Name != "f.sql" || script.Text != text {
		t.Error("the script does not hold its source")
	}
}
