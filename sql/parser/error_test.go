package parser

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// mistakes: a text, the place of its mistake, and parts of the message and the hint.
var mistakes = []struct{ src, at, msg, hint string }{
	// windows: the parameter and the rule
	{"SELECT 1 FROM s WINDOW TUMBLING(0s)", "1:33", "WINDOW size must be positive", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(-5s)", "1:33", "WINDOW size must be positive", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(INTERVAL '-5' SECOND)", "1:33", "WINDOW size must be positive", ""},
	{"SELECT 1 FROM s WINDOW HOPPING(10s, ADVANCE 0s)", "1:45", "WINDOW advance must be positive", ""},
	{"SELECT 1 FROM s WINDOW HOPPING(10s, ADVANCE -1s)", "1:45", "WINDOW advance must be positive", ""},
	{"SELECT 1 FROM s WINDOW HOPPING(10s, ADVANCE 20s)", "1:45", "WINDOW advance must not be larger than the size", ""},
	{"SELECT 1 FROM s WINDOW SESSION(0s)", "1:32", "WINDOW gap must be positive", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(10s) GRACE(-1s)", "1:44", "GRACE must not be negative", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(1000000000000 days)", "1:33", "WINDOW size is too large", "at most"},
	{"SELECT 1 FROM s WINDOW TUMBLING(99999999999999999999d)", "1:33", "WINDOW size is too large", ""},
	{"SELECT 1 FROM s WINDOW CUMULATE(1d, 7h)", "1:37", "WINDOW step must divide the size", ""},
	{"SELECT 1 FROM s WINDOW HOPPING(10s)", "1:17", "WINDOW advance is missing", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(10s, 5s)", "1:38", "one duration only", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(1.5s)", "1:33", "whole numbers", "1s500ms"},
	{"SELECT 1 FROM s WINDOW SESSION(1 MONTH)", "1:34", "no fixed length", "days"},
	{"SELECT 1 FROM s WINDOW TUMBLING(1 DAY, GRACE 1 MONTH)", "1:48", "no fixed length", "days"},
	{"SELECT 1 FROM s WINDOW TUMBLING(0 MONTHS)", "1:33", "WINDOW size must be positive", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(-1 MONTH)", "1:33", "WINDOW size must be positive", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(1.5 MONTHS)", "1:33", "whole numbers", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(99999999999999999999 YEARS)", "1:33", "whole numbers", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(20000 YEARS)", "1:33", "WINDOW size is too large", "months"},
	{"SELECT 1 FROM s WINDOW HOPPING(1 MONTH, 1 DAY)", "1:41", "must both be in months", "no fixed number of days"},
	{"SELECT 1 FROM s WINDOW HOPPING(1 MONTH, 1 QUARTER)", "1:41", "must not be larger", ""},
	{"SELECT 1 FROM s WINDOW CUMULATE(1 YEAR, 5 MONTHS)", "1:41", "must divide", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(1 MONTH, OFFSET 4 DAYS)", "1:49", "must both be in months", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(1 DAY, TIME ZONE 'UTC', TIME ZONE 'UTC')", "1:57", "TIME ZONE is given twice", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(1 DAY, TIME ZONE UTC)", "1:50", "a time zone", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(10)", "1:33", "WINDOW size has no unit", "10s"},
	{"SELECT 1 FROM s WINDOW TUMBLING('10s')", "1:33", "a window parameter", ""},
	{"SELECT 1 FROM s WINDOW TUMBLNG(10s)", "1:24", `unknown window "TUMBLNG"`, "did you mean TUMBLING?"},
	{"SELECT 1 FROM s WINDOW TUMBLING(10s) GROUP BY a WINDOW TUMBLING(5s)", "1:49", "WINDOW is given twice", ""},
	{"SELECT DISTINCT WITHIN 0s a FROM s", "1:24", "DISTINCT WITHIN must be positive", ""},
	{"SELECT 1 FROM a JOIN b WITHIN -1s ON x", "1:31", "WITHIN must not be negative", ""},
	// square brackets
	{"SELECT a[1 FROM s", "1:9", `this "[" is not closed`, ""},
	{"SELECT (a[1) FROM s", "1:12", `")" does not close "["`, ""},
	{"SELECT a] FROM s", "1:9", `"]" closes nothing`, ""},
	{"SELECT [1] FROM s", "1:8", `found "["`, ""},
	{"SELECT 'a'[1] FROM s", "1:11", `found "["`, ""},
	{"SELECT a b[1] FROM s", "1:11", `unexpected "["`, ""},
	{"SELECT a[] FROM s", "1:10", `expected an expression`, ""},
	{"SELECT a[1, 2] FROM s", "1:11", `found ","`, ""},
	{"SELECT STRUCT(a AS) FROM s", "1:19", `expected the name of a field`, ""},
	{"SELECT STRUCT(a AS x, b) FROM s", "1:24", `expected "AS" and the name of a field`, ""},
	// words of the dialect are never an alias by accident
	{"SELECT 1 FROM a ASOF JOIN b ON x", "1:17", "ASOF JOIN is not supported", ""},
	{"SELECT 1 FROM a SEMI JOIN b ON x", "1:17", "a SEMI or ANTI JOIN is not supported", "EXISTS"},
	{"SELECT 1 FROM a LEFT ANTI JOIN b ON x", "1:17", "a SEMI or ANTI JOIN is not supported", ""},
	{"SELECT 1 FROM a LATEST JOIN b ON x", "1:17", `found "LATEST"`, ""},
	{"SELECT 1 FROM a WITHIN JOIN b ON x", "1:17", `found "WITHIN"`, ""},
	{"SELECT 1 FROM a FINAL", "1:17", `found "FINAL"`, ""},
	{"SELECT 1 FROM a EMIT", "1:21", "expected CHANGES or FINAL", ""},
	{"SELECT 1 FROM a HOPPING, b", "1:17", `found "HOPPING"`, ""},
	{"SELECT 1 FROM a FULL b", "1:22", "expected JOIN", ""},
	{"SELECT 1 FROM a JOIN b ON x ASOF JOIN c ON y", "1:29", "ASOF JOIN", ""},
	// reserved words
	{"SELECT group FROM s", "1:8", `found "group"`, "`group`"},
	{"SELECT a, order FROM s", "1:11", `found "order"`, "`order`"},
	{"SELECT key FROM s", "1:8", `unexpected "key"`, "`key`"},
	{"CREATE STREAM s (order INT)", "1:18", `found "order"`, "`order`"},
	{"SELECT 1 FROM a AS key", "1:20", `found "key"`, "`key`"},
	{"CREATE TABLE out (a INT)", "1:14", `found "out"`, "quote it: `out`"}, {"CREATE STREAM IF NOT EXISTS Out (a INT)", "1:29", `found "Out"`, "quote it: `Out`"},
	{"CREATE STREAM out AS SELECT 1 FROM s", "1:15", `found "out"`, "quote it: `out`"}, {"CREATE VIEW out AS SELECT 1", "1:13", `found "out"`, "quote it: `out`"},
	{"CREATE STREAM s (a INT, out INT)", "1:25", `found "out"`, "quote it: `out`"}, {"CREATE TABLE t (a INT, PRIMARY KEY (key))", "1:37", `found "key"`, "quote it: `key`"},
	{"CREATE STREAM s (a STRUCT<key INT>)", "1:27", `found "key"`, "quote it: `key`"}, {"CREATE TABLE order (a INT)", "1:14", `found "order"`, "quote it: `order`"},
	{"INSERT INTO out SELECT 1 FROM s", "1:13", `found "out"`, "quote it: `out`"}, {"INSERT INTO s (a, key) VALUES (1, 2)", "1:19", `found "key"`, "quote it: `key`"},
	{"SELECT 1 FROM s JOIN out ON s.a = 1", "1:22", `found "out"`, "quote it: `out`"}, {"DROP TABLE out", "1:12", `found "out"`, "quote it: `out`"},
	{"CREATE STREAM s (a INT, WATERMARK FOR key AS key - 1s)", "1:39", `found "key"`, "quote it: `key`"}, {"CREATE STREAM AS SELECT 1 FROM s", "1:15", `found "AS"`, ""},
	// spelling and missing pieces
	{"SELCT 1", "1:1", `unknown statement "SELCT"`, "did you mean SELECT?"},
	{"CREAT STREAM s", "1:1", "unknown statement", "did you mean CREATE?"},
	{"SHOW STREAM", "1:6", "SHOW does not know", "SHOW STREAMS"},
	{"SELECT a FORM s", "1:15", `unexpected "s"`, "did you mean FROM"},
	{"SELECT a FROM s WERE b = 1", "1:22", `found "b"`, "WHERE"},
	{"SELECT a b c FROM s", "1:12", `unexpected "c"`, "a comma or an operator"},
	{"SELECT a FROM s WHERE a =", "1:26", "the end of the statement", ""},
	{"SELECT a FROM s WHERE a = GROUP BY a", "1:27", `unexpected "GROUP"`, ""},
	{"SELECT a,\n  FROM s", "2:3", `found "FROM"`, ""},
	{"SELECT a FROM s GROUP BY a WHERE b", "1:28", "WHERE must stand before GROUP", ""},
	{"SELECT a FROM s WHERE b WHERE c", "1:25", "WHERE is given twice", ""},
	{"SELECT a FROM s LIMIT 5 ORDER BY a", "1:25", "before LIMIT", ""},
	{"SELECT a FROM s WHERE b c", "1:25", `unexpected "c"`, ""},
	{"SELECT a FROM s WHERE (b", "1:23", `"(" is not closed`, ""},
	{"SELECT a. FROM s", "1:11", `unexpected "FROM"`, ""},
	{"SELECT a '' FROM s", "1:10", "an alias cannot be empty", ""},
	{"SELECT a IS DISTINCT FROM b FROM s", "1:13", `unexpected "DISTINCT"`, "<=>"},
	{"SELECT * FROM a JOIN b JOIN c ON x ON y", "1:36", `found "ON"`, "brackets"},
	{"SELECT a FROM s GRUOP BY a", "1:23", `found "BY"`, "GROUP"},
	{"SELECT a FROM s ORDER a", "1:23", `expected "BY"`, ""},
	{"SELECT a FROM s EMIT CHANGE", "1:22", "expected CHANGES or FINAL", "did you mean CHANGES?"},
	{"SELECT a FROM s WHERE b == 1", "1:26", `unexpected "="`, "= compares"},
	{"SELECT a FROM s ORDER BY a UNION SELECT 1", "1:28", `found "UNION"`, "brackets"},
	{"SELECT a FROM s WHERE ts - INTERVAL 5 MILLISECOND > 1", "1:39", `unexpected "MILLISECOND"`, "MICROSECOND"},
	{"SELECT CASE WHEN a THEN b FROM s", "1:27", `unexpected "FROM"`, ""},
	{"SELECT COUNT(DISTINCT) FROM s", "1:22", "an expression", ""},
	{"SELECT CAST(a INT) FROM s", "1:18", `"AS" and a type`, ""},
	{"SELECT a) FROM s", "1:9", "closes nothing", ""},
	{"SELECT a FROM s LEFT JOIN t", "1:28", "expected ON", ""},
	{"SELECT * FROM (SELECT 1)", "1:25", "an alias for the sub-query", ""},
	{"CREATE STREAM s (a INTT)", "1:20", `unknown type "INTT"`, "did you mean INT?"},
	{"CREATE STREAM s (a INT PRIMARY KEY)", "1:24", "a stream has no primary key", "CREATE TABLE"},
	{"CREATE STREAM s (a INT) WITH (topic='x', topic='y')", "1:42", "given twice", ""},
	{"CREATE STREAM s (a INT)\nSELECT 1", "2:1", `found "SELECT"`, `";"`},
	{"CREATE STREAM s (a INT, WATERMARK FOR a AS b - 1s)", "1:44", "not of b", ""},
	{"INSERT INTO s (a, b) VALUES (1)", "1:29", "1 values for 2 columns", ""},
	{"UPDATE s SET a = 1", "1:1", "UPDATE is not supported", ""},
	{"SELECT ROW_NUMBER() OVER (ORDER BY a ROWS 1) FROM s", "1:44", "PRECEDING or FOLLOWING", ""},
	{"CREATE VIEW v", "1:14", "AS and a query", ""}, {"CREATE STREAM s", "1:16", "columns, WITH", ""},
	{"CREATE VIEW v WITH (topic='x') AS SELECT 1", "1:21", "a view has no options", ""},
	{"CREATE TABLE t (a INT PRIMARY KEY, PRIMARY KEY (a))", "1:36", "PRIMARY KEY is given twice", "PRIMARY KEY (a, b)"},
	{"CREATE STREAM s (a INT DEFAULT 1)", "1:24", "DEFAULT on a column is not supported", ""},
	{"CREATE STREAM s (m MAP<INT, INT>)", "1:24", "the key of a MAP is a VARCHAR", ""},
	{"CREATE STREAM s (a DECIMAL(1,2,3))", "1:27", "at most 2 numbers", ""},
	{"CREATE STREAM s (a VARCHAR(5) COLLATE x)", "1:31", "COLLATE in a type", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(OFFSET 1h)", "1:17", "WINDOW size is missing", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(1h, GRACE 1s) GRACE 2s", "1:47", "GRACE is given twice", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(1h, SIZE 2h)", "1:37", "WINDOW size is given twice", ""},
	{"SELECT 1 FROM s WINDOW SESSION(1h, TIME ZONE 'UTC')", "1:17", "is not aligned", ""},
	{"SELECT 1 FROM s WINDOW TUMBLING(1h, RETENTION 1d)", "1:37", "RETENTION", "GRACE"},
	{"SELECT 1 FROM s WINDOW TUMBLING(1m1h)", "1:33", "is not a duration", ""},
	{"SELECT 1 FROM s LIMIT 99999999999999999999", "1:23", "too large", ""},
	{"SELECT 1 FROM s LIMIT 1 LIMIT 2", "1:25", "LIMIT is given twice", ""},
	{"(SELECT 1 FROM s LIMIT 1) LIMIT 2", "1:27", "not supported", "SELECT * FROM"},
	{"SELECT 1 FROM s UNION VALUES (1)", "1:23", "VALUES as a query", ""},
	{"SELECT 1 FROM s FOR UPDATE", "1:17", "FOR after a query is not supported", ""},
	{"SELECT x'4", "1:8", "hexadecimal", ""}, {"SELECT b'2'", "1:8", "bit literal", ""}, {"SELECT `` FROM s", "1:8", "cannot be empty", ""},
	{"SELECT a FROM s WHERE \xff = 1", "1:23", "not UTF-8", ""},
	// text
	{"SELECT 'abc\nFROM s; SELECT 2", "1:8", "this string is not closed", ""},
	{"SELECT 1 /* abc", "1:10", "this comment is not closed", ""},
	{"SELECT `abc", "1:8", "this quoted name is not closed", ""},
	{"SELECT /*+ HASH_JOIN(a) */ 1", "1:8", "optimizer hints are not supported", ""},
	{"SELECT /*! STRAIGHT_JOIN */ 1", "1:8", "comments with code", ""},
	{"SELECT\u00a0a FROM s", "1:7", "invisible character U+00A0", ""},
	{"SELECT ${x}", "1:8", "${x} is not defined", "DEFINE"},
	{"SELECT a FROM s WHERE b = \"é\" AND größe = ? ", "1:43", "the parameter ?", ""},
	// refused
	{"SELECT @x", "1:8", "variable", ""}, {"SELECT a COLLATE utf8mb4_bin FROM s", "1:8", "COLLATE", ""},
	{"SELECT a > ALL (SELECT 1) FROM s", "1:8", "ANY or ALL", ""}, {"SELECT LAG(a) IGNORE NULLS OVER w FROM s", "1:15", "IGNORE NULLS", ""},
	{"SELECT a FROM s ORDER BY a NULLS LAST", "1:28", "NULLS", ""}, {"SELECT db.f(1)", "1:8", "no schema", ""}, {"SELECT * FROM db.t", "1:17", "no schema", ""},
	{"SELECT a.b.* FROM s", "1:8", "not supported", ""},
}

// TestErrors: every mistake has its place (line:column), a message and, where one can be given, a hint.
func TestErrors(t *testing.T) {
	for _, c := range mistakes {
		_, err := Parse("q.sql", c.src)
		var e *ast.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v", c.src, err)
			continue
		}
		line, col := e.Place()
		if at := fmt.Sprintf("%d:%d", line, col); at != c.at || !strings.Contains(e.Msg, c.msg) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("want %s %s (%s), got\n%v", c.at, c.msg, c.hint, e)
		}
		if e.File != "q.sql" || e.Text != c.src {
			t.Errorf("%s: the error does not hold its source", c.src)
		}
	}
}

// TestParseAllGoesOn: one error per statement, and the statements between them.
func TestParseAllGoesOn(t *testing.T) {
	script, errs := ParseAll("", "SELECT 1; SELECT FROM; ; SELECT 2;\nDROP x;\nSHOW STREAMS")
	if len(script.Statements) != 3 || len(errs) != 2 {
		t.Fatalf("%d statements, errors %v", len(script.Statements), errs)
	}
	line, col := errs[1].Place()
	if line != 2 || col != 6 {
		t.Errorf("second error at %d:%d", line, col)
	}
	if _, err := Parse("", "SELECT 1; DROP x; SHOW y"); !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("Parse gives the first error, got %v", err)
	}
	if script, err := Parse("", " ;; -- nothing\n"); err != nil || len(script.Statements) != 0 {
		t.Errorf("an empty script: %v", err)
	}
}

// TestPlaceInLongText: TiDB cuts the text in its message after 2048 bytes; the place is right all the same.
func TestPlaceInLongText(t *testing.T) {
	many := strings.Repeat("(1, 'x'), ", 2000)
	for _, text := range []string{"INSERT INTO s VALUES (1 2, 3), " + many + "(1, 'x')", "INSERT INTO s VALUES " + many + "(1 2, 3)"} {
		_, err := Parse("", text)
		var e *ast.Error
		if !errors.As(err, &e) || e.Span.Start != strings.Index(text, "2, 3") {
			t.Errorf("%.40s…: %v at %v", text, e.Msg, e.Span)
		}
	}
}

// TestDeepNesting: depth is an error, not a stack overflow.
func TestDeepNesting(t *testing.T) {
	for _, src := range []string{
		"SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000),
		"SELECT " + strings.Repeat("NOT ", 100000) + "1",
		"SELECT " + strings.Repeat("- ", 100000) + "1",
	} {
		if _, err := Parse("", src); err == nil {
			t.Errorf("%.20s…: no error", src)
		}
	}
	if _, err := Parse("", "SELECT 1"+strings.Repeat(" OR a = 1", 3000)); err != nil {
		t.Error(err)
	}
}
