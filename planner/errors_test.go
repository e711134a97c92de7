package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/planner/plan"
)

const prelude = "CREATE STREAM s (id VARCHAR, n INT, m BIGINT, d DECIMAL(10,2), j JSON, tags ARRAY<VARCHAR>, user STRUCT<id BIGINT, country VARCHAR>, ts TIMESTAMP(3)) WITH (topic='s', partitions=3);" +
	"CREATE STREAM s2 (id VARCHAR, v INT) WITH (topic='s2');" +
	"CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT, name VARCHAR) WITH (topic='t');" +
	"CREATE TABLE k (id VARCHAR PRIMARY KEY, v INT) WITH (topic='k', key='id');" +
	"CREATE TABLE t2 (a INT, b VARCHAR, v INT, PRIMARY KEY (a, b)) WITH (topic='t2');" +
	"CREATE STREAM derived AS SELECT id, n FROM s;" +
	"CREATE STREAM sunk WITH (connector = 'file', file.path = 'x.json') AS SELECT id, n FROM s;" +
	"CREATE TABLE counted AS SELECT id, COUNT(*) AS c FROM s GROUP BY id;" +
	"CREATE TABLE bare AS SELECT COUNT(*) AS c FROM s WINDOW TUMBLING(1s) GROUP BY id;" +
	"CREATE STREAM keyed (a VARCHAR, b BIGINT) WITH (key='a');" +
	"CREATE TABLE kt (a VARCHAR PRIMARY KEY, b BIGINT) WITH (key='a');" +
	"CREATE TABLE kn (a VARCHAR PRIMARY KEY, b BIGINT);" +
	"CREATE STREAM several (a VARCHAR, b BIGINT) WITH (topics='p1,p2');" +
	"CREATE STREAM filed (a VARCHAR) WITH (connector='file', file.path='x');" +
	"CREATE VIEW view_of_s (who, n) AS SELECT id, n FROM s;" +
	"CREATE STREAM target (a VARCHAR, b BIGINT) WITH (topic='target');\n"

// mistakes are statements of line 2, the column of the error, its message, and a part of its hint.
var mistakes = []struct{ sql, at, msg, hint string }{
	// names
	{"SELECT nope FROM s", "8", "unknown column nope in s", "columns of s: id, n"},
	{"SELECT usr FROM s", "8", "unknown column usr in s", "did you mean user?"},
	{"SELECT s.idd FROM s", "10", "unknown column idd in s", "did you mean id?"},
	{"SELECT x.id FROM s", "8", "unknown stream, table or column x in x.id", ""},
	{"SELECT user.land FROM s", "13", "unknown field land in user, which is STRUCT<id BIGINT, country VARCHAR>", "fields: id, country"},
	{"SELECT id.x FROM s", "11", "unknown field x in id, which is VARCHAR", "STRUCT"},
	{"SELECT id FROM sss", "16", "unknown stream or table sss", "did you mean s"},
	{"SELECT v FROM s JOIN t ON s.id = t.id JOIN k ON s.id = k.id", "8", "column v is ambiguous: it is in t and in k", "write t.v or k.v"},
	{"SELECT * FROM s JOIN t ON s.id = t.id", "8", "two columns are named id: s.id and t.id", "AS other_name"},
	{"SELECT n, m AS N FROM s", "11", "two columns are named N", ""},
	{"SELECT id FROM s JOIN s ON s.id = s.id", "23", "s stands twice in FROM", "another name"},
	{"SELECT NOSUCH(id) FROM s", "8", "there is no function NOSUCH", ""},
	{"SELECT window_start FROM s", "8", "window_start is not possible in SELECT", "WINDOW"},
	{"SELECT id FROM s WHERE COUNT(*) > 1", "24", "aggregate COUNT is not possible in WHERE", "HAVING"},
	{"SELECT SUM(COUNT(*)) FROM s", "12", "aggregate COUNT inside aggregate SUM", ""},
	{"SELECT id FROM s HAVING id = 'a'", "25", "HAVING without GROUP BY", "WHERE"},
	// groups
	{"SELECT id, COUNT(*) FROM s GROUP BY n", "8", "column id is not in GROUP BY", "ANY_VALUE(id)"},
	{"SELECT id, COUNT(*) FROM s", "8", "column id stands beside an aggregate without GROUP BY", "add it to GROUP BY"},
	{"SELECT CONCAT(id, 'x'), COUNT(*) FROM s GROUP BY SUBSTRING(id, 1, 2)", "15", "column id is not in GROUP BY", ""},
	{"SELECT *, COUNT(*) FROM s GROUP BY id", "8", "* is not possible beside GROUP BY", ""},
	{"SELECT COUNT(*) FROM s GROUP BY 3", "33", "GROUP BY 3: there is no such column", "1 to 1"},
	{"SELECT j, COUNT(*) FROM s GROUP BY j", "36", "GROUP BY over j of type JSON", "->>"},
	{"SELECT DISTINCT tags FROM s", "17", "DISTINCT over tags of type ARRAY<VARCHAR>", ""},
	{"SELECT id, COUNT(*) FROM s GROUP BY id EMIT FINAL", "40", "EMIT FINAL without a window", "WINDOW TUMBLING"},
	// windows
	{"SELECT id FROM s WINDOW TUMBLING(10s)", "18", "WINDOW without GROUP BY, an aggregate or DISTINCT", ""},
	{"SELECT COUNT(*) FROM s WINDOW TUMBLING(0s)", "40", "WINDOW size must be positive, not 0s", ""},
	{"SELECT COUNT(*) FROM s WINDOW TUMBLING(1 DAY, TIME ZONE 'Europe/Berln')", "57", `unknown time zone "Europe/Berln"`, "did you mean Europe/Berlin?"},
	{"SELECT COUNT(*) FROM s WINDOW TUMBLING(1 DAY, TIME ZONE 'the moon')", "57", `unknown time zone "the moon"`, "IANA"},
	{"SELECT COUNT(*) FROM s WINDOW TUMBLING(1 DAY, TIME ZONE 'Local')", "57", `unknown time zone "Local"`, ""},
	{"SELECT COUNT(*) FROM s WINDOW TUMBLING(7h, TIME ZONE 'Europe/Berlin')", "54", "WINDOW size with a TIME ZONE must be whole days or divide a day, it is 7h", "midnight"},
	{"SELECT COUNT(*) FROM s WINDOW HOPPING(365 DAYS, 1s)", "49", "a row would lie in 31536000 windows: at most 100000", "fewer windows"},
	{"SELECT COUNT(*) FROM s WINDOW CUMULATE(1 DAY, 1ms)", "47", "a row would lie in 86400000 windows: at most 100000", ""},
	{"SELECT COUNT(*) FROM s WINDOW HOPPING(1 DAY, 7h, TIME ZONE 'Europe/Berlin')", "60", "WINDOW advance with a TIME ZONE must be whole days or divide a day, it is 7h", ""},
	{"SELECT COUNT(*) FROM s WINDOW TUMBLING(10us)", "40", "a WINDOW is measured in whole milliseconds, not in 10us", ""},
	{"SELECT COUNT(*) FROM s WINDOW TUMBLING(1h, OFFSET 10us)", "51", "a WINDOW is measured in whole milliseconds, not in 10us", ""},
	{"SELECT COUNT(*) FROM s WINDOW TUMBLING(4000000 DAYS)", "40", "4000000d is too long: at most 3660000d", ""},
	{"SELECT DISTINCT id FROM s EMIT FINAL", "27", "EMIT FINAL without a window", ""},
	{"SELECT x.id FROM (SELECT id FROM s) AS x JOIN s2 AS x WITHIN 1s ON x.id = x.id", "53", "x stands twice in FROM", "another name"},
	{"SELECT nope FROM (SELECT id AS a, n FROM s) x", "8", "unknown column nope in x", "columns of x: a, n"},
	{"SELECT id FROM (SELECT id, nope FROM s) x", "28", "unknown column nope in s", ""},
	{"WITH a AS (SELECT id FROM b), b AS (SELECT id FROM s) SELECT id FROM a", "27", "unknown stream or table b", ""},
	{"WITH a AS (SELECT id FROM s), A AS (SELECT id FROM s) SELECT id FROM a", "31", "WITH names A twice", ""},
	{"WITH a (x, y) AS (SELECT id FROM s) SELECT x FROM a", "9", "a names 2 columns, its query has 1", ""},
	{"SELECT id, n FROM s UNION ALL SELECT id FROM s2", "31", "UNION of 2 and 1 columns", "same number"},
	{"SELECT j FROM s UNION ALL SELECT v FROM s2", "34", "UNION: column 1 is JSON there and INT here", "CAST"},
	{"CREATE VIEW w AS SELECT nope FROM s", "25", "unknown column nope in s", ""},
	{"SELECT nope FROM view_of_s", "8", "unknown column nope in view_of_s", "columns of view_of_s: who, n"},
	{"INSERT INTO view_of_s SELECT id, n FROM s", "13", "view_of_s is a view", "behind it"},
	{"SELECT id FROM s ORDER BY n", "27", "ORDER BY takes columns of the list", "AS name"},
	{"SELECT t.id, k.v FROM t JOIN k ON t.v = k.v ORDER BY t.v", "54", "ORDER BY takes columns of the list", "AS name"},
	{"SELECT id FROM s ORDER BY nope.id", "27", "ORDER BY takes columns of the list", ""},
	{"SELECT id, n FROM s ORDER BY n + 2", "30", "ORDER BY takes columns of the list", ""},
	{"CREATE STREAM x WITH (ttl='1h') AS SELECT id FROM s WHERE n > 0", "23", "ttl has nothing to bound", "leave it out"},
	{"SELECT tags FROM s ORDER BY tags", "29", "ORDER BY over tags of type ARRAY<VARCHAR>", "UNNEST(tags)"},
	{"SELECT tags FROM s UNION SELECT tags FROM s", "8", "UNION over tags of type ARRAY<VARCHAR>", "tags[1]"},
	{"SELECT j FROM s EXCEPT SELECT j FROM s", "8", "EXCEPT over j of type JSON", "->>"},
	{"SELECT id FROM s UNION SELECT id FROM s2 EMIT FINAL", "*", "EMIT FINAL without a window", "leave it out"},
	{"CREATE VIEW x (a, A) AS SELECT id, n FROM s", "19", "column A is named twice", ""},
	{"WITH x (a, A) AS (SELECT id, n FROM s) SELECT a FROM x", "12", "column a is named twice", ""},
	{"CREATE STREAM x AS SELECT DISTINCT v FROM k", "*", "the query sends changes of its groups, but x is a stream", "CREATE TABLE x"},
	{"SELECT id FROM s ORDER BY 2", "27", "ORDER BY 2: there is no such column", "1 to 1"},
	// elements
	{"SELECT x FROM UNNEST(tags) AS x", "15", "UNNEST without rows before it", "CROSS JOIN UNNEST"},
	{"SELECT 1 FROM TUMBLE(s, 1)", "15", "there is no table function TUMBLE", "WINDOW TUMBLING(…)"},
	{"SELECT 1 FROM WORDS('a b')", "15", "table function WORDS without rows before it", "CROSS JOIN WORDS(s.column)"},
	{"SELECT 1 FROM s CROSS JOIN WORD(id) AS w", "28", "there is no table function WORD", "did you mean WORDS?"},
	{"SELECT 1 FROM s CROSS JOIN UPPER(id) AS w", "28", "UPPER has a value, not rows", "UNNEST(UPPER(…))"},
	{"SELECT 1 FROM s CROSS JOIN LIST(id) AS w", "28", "LIST has a value, not rows", "UNNEST(LIST(…))"},
	{"SELECT 1 FROM s CROSS JOIN CAST(id AS INT) AS w", "28", "this is no table function", "UNNEST"},
	{"SELECT 1 FROM s CROSS JOIN WORDS(n) AS w", "28", "WORDS: argument 1 is INT", "use WORDS(VARCHAR, VARCHAR, …) -> TABLE(word VARCHAR, at BIGINT)"},
	{"SELECT 1 FROM s CROSS JOIN WORDS() AS w", "28", "WORDS takes at least 1 argument, not 0", ""},
	{"SELECT 1 FROM s CROSS JOIN WORDS(id) AS w(a)", "43", "WORDS gives 2 columns, 1 are named", ""},
	{"SELECT WORDS(id) AS w FROM s", "8", "WORDS makes rows, not a value: FROM s CROSS JOIN WORDS(VARCHAR, VARCHAR, …) AS t", ""},
	{"SELECT 1 FROM s JOIN WORDS(id) AS w USING (id)", "44", "USING with WORDS", "CROSS JOIN"},
	{"SELECT x FROM s CROSS JOIN UNNEST(n) AS x", "35", "UNNEST takes an ARRAY or a MAP, not INT", "CAST"},
	{"SELECT x FROM s CROSS JOIN UNNEST(tags) AS t(x, y)", "46", "UNNEST gives 1 columns, 2 are named", ""},
	// sub-queries as conditions and values
	{"SELECT id FROM s WHERE id IN (SELECT id, v FROM t)", "31", "IN takes a query of one column", ""},
	{"SELECT id FROM s WHERE EXISTS (SELECT 1 FROM t WHERE t.id = s.nope)", "63", "unknown column nope in s", ""},
	{"SELECT id FROM s WHERE EXISTS (SELECT 1 FROM t WHERE nope = s.id)", "54", "unknown column nope in t", ""},
	{"SELECT id, (SELECT COUNT(*) FROM s2 WHERE s2.v = s.n) AS c FROM s GROUP BY id", "12", "the sub-query depends on n, which is not in GROUP BY", "add it to GROUP BY"},
	{"SELECT COUNT(*) AS c, (SELECT COUNT(*) FROM s2 WHERE s2.v = s.n) AS d FROM s", "23", "the sub-query depends on n, which is not in GROUP BY", "add it to GROUP BY"},
	// over
	{"SELECT id FROM s QUALIFY n = 1", "26", "QUALIFY without a call with OVER", "WHERE"},
	{"SELECT id FROM s WHERE ROW_NUMBER() OVER (ORDER BY n) = 1", "24", "ROW_NUMBER OVER (…) is not possible in WHERE", "QUALIFY"},
	{"SELECT id, COUNT(*) AS c FROM s GROUP BY id HAVING RANK() OVER (ORDER BY id) = 1", "52", "RANK OVER (…) is not possible in HAVING", "QUALIFY"},
	{"SELECT id, SUM(RANK() OVER (ORDER BY id)) OVER (ORDER BY id) AS r FROM s GROUP BY id", "16", "a call with OVER inside another one", ""},
	{"SELECT id, LAG(n) OVER (ORDER BY id) AS r FROM s GROUP BY id", "16", "column n is not in GROUP BY", "ANY_VALUE"},
	{"SELECT id, NTILE(n) OVER (ORDER BY id) AS r FROM s", "18", "NTILE takes a constant number from 1", ""},
	{"SELECT id, NTH_VALUE(n) OVER (ORDER BY id) AS r FROM s", "12", "NTH_VALUE takes 2 arguments, not 1", ""},
	{"SELECT id, PERCENT_RANK() OVER (PARTITION BY id) AS r FROM s", "12", "PERCENT_RANK needs an order", "ORDER BY"},
	{"SELECT id, ROW_NUMBER() OVER (PARTITION BY id) AS r FROM s", "12", "ROW_NUMBER needs an order", "ORDER BY"},
	{"SELECT id, RANK(n) OVER (ORDER BY n) AS r FROM s", "12", "RANK takes no arguments", ""},
	{"SELECT id, LAG(n, id) OVER (ORDER BY n) AS r FROM s", "19", "LAG looks a constant number of rows away", ""},
	{"SELECT id, UPPER(id) OVER (ORDER BY n) AS r FROM s", "12", "UPPER has no OVER", ""},
	{"SELECT id, SUM(n) OVER w AS r FROM s", "24", "unknown window w", "WINDOW w AS"},
	{"SELECT id, SUM(n) OVER (ORDER BY n ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) AS r FROM s", "36", "the frame ends before it begins", ""},
	{"SELECT id, SUM(n) OVER (ORDER BY n RANGE BETWEEN 5s PRECEDING AND CURRENT ROW) AS r FROM s", "50", "RANGE with a length of time needs ORDER BY one TIMESTAMP column", ""},
	{"SELECT id, SUM(n) OVER (ORDER BY n ROWS BETWEEN 5s PRECEDING AND CURRENT ROW) AS r FROM s", "49", "ROWS takes a number of rows", ""},
	{"SELECT id, SUM(n) OVER (PARTITION BY j) AS r FROM s", "38", "PARTITION BY over j of type JSON", ""},
	{"SELECT id FROM s EMIT FINAL", "18", "EMIT FINAL without a window: a row is final as it comes", ""},
	{"SELECT DISTINCT ON (id) WITHIN 10s * FROM s WINDOW TUMBLING(5s)", "*", "DISTINCT has WITHIN and a WINDOW", ""},
	// changes
	{"CREATE STREAM x AS SELECT id, COUNT(*) FROM s GROUP BY id", "27", "the query sends changes of its groups, but x is a stream", "CREATE TABLE x"},
	{"CREATE STREAM x AS SELECT id, COUNT(*) FROM s WINDOW TUMBLING(1s) GROUP BY id EMIT CHANGES", "79", "the query sends changes of its groups, but x is a stream", "EMIT FINAL"},
	{"CREATE STREAM x AS SELECT id, v FROM k", "27", "the rows of a table replace each other, but x is a stream", "CREATE TABLE x"},
	{"CREATE TABLE x AS SELECT v FROM k", "26", "the primary key of k is not selected: id is missing", "add id"},
	{"CREATE TABLE x (id VARCHAR, c BIGINT, PRIMARY KEY (c)) AS SELECT id, COUNT(*) AS c FROM s GROUP BY id", "52", "c is not in the key of the query's rows: id", "leave PRIMARY KEY out"},
	{"CREATE STREAM x (a VARCHAR) AS SELECT id FROM s", "18", "column 1 is declared as a, the query names it id", "AS a"},
	{"CREATE STREAM x (id INT) AS SELECT id FROM s", "21", "column id is declared as INT, the query gives VARCHAR", "CAST"},
	{"CREATE STREAM x AS SELECT id FROM s LIMIT 5", "37", "LIMIT ends a query, a persistent query does not end", ""},
	{"CREATE STREAM s AS SELECT id FROM s2", "15", "s exists already", "DROP STREAM s"},
	{"INSERT INTO target SELECT id FROM s", "13", "INSERT INTO target takes 2 columns, the query has 1", "columns: a, b"},
	{"INSERT INTO target SELECT id, id FROM s", "31", "column b of target is BIGINT, the query gives VARCHAR", "CAST"},
	{"INSERT INTO target (a, c) SELECT id, n FROM s", "24", "unknown column c in target", ""},
	{"INSERT INTO target (a, _key) SELECT id, n FROM s", "41", "_key is VARCHAR or VARBINARY, the query gives INT", "CAST(… AS VARCHAR)"},
	{"INSERT INTO target (a, _timestamp) SELECT id, id FROM s", "47", "_timestamp is a TIMESTAMP, the query gives VARCHAR", "milliseconds"},
	{"INSERT INTO target (a, _timestamp) SELECT id, NULL FROM s", "47", "_timestamp is a TIMESTAMP, the query gives NULL", "CAST"},
	{"INSERT INTO target (a, _headers) SELECT id, tags FROM s", "45", "_headers is a MAP or JSON, the query gives ARRAY<VARCHAR>", "JSON_OBJECT"},
	{"INSERT INTO target (a, _Key, _key) SELECT id, id, id FROM s", "30", "column _key stands twice", ""},
	{"INSERT INTO target (a, _partition) SELECT id, n FROM s", "24", "_partition cannot be written by INSERT … SELECT", "_key, _timestamp and _headers"},
	{"INSERT INTO keyed (a, _key) SELECT id, id FROM s", "23", "the Kafka key of keyed is made of its columns: a", "leave key = 'a' out"},
	{"INSERT INTO filed (a, _key) SELECT id, id FROM s", "23", "filed has connector 'file', which keeps no _key", "a column of filed"},
	// what asks the clock or chance over rows that are removed again
	{"SELECT v, SUM(RAND()) AS r FROM k GROUP BY v", "15", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT v, COUNT(*) FILTER (WHERE RAND() < 0.5) AS r FROM k GROUP BY v", "34", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT COUNT(*) AS c, DATE(NOW()) AS d FROM k GROUP BY DATE(NOW())", "*", "NOW() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT id, COUNT(*) AS c FROM s GROUP BY id HAVING c > RAND()", "56", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT k.id FROM k JOIN t ON k.v = t.v AND RAND() < 0.5", "44", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT k.id FROM k JOIN t ON k.id = CONCAT(t.name, UUID())", "52", "UUID() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT k.id, NOW() AS at FROM k JOIN t ON k.v = t.v", "14", "NOW() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT k.id FROM k JOIN t ON k.v = t.v WHERE RAND() < 0.5", "46", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT id, n, RAND() AS r FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY n DESC) = 1", "15", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT id, SUM(RAND()) OVER (PARTITION BY id ORDER BY n) AS r FROM s", "16", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT id, LAG(n, 1, RAND()) OVER (PARTITION BY id ORDER BY n) AS r FROM s", "22", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT id, ROW_NUMBER() OVER (PARTITION BY v ORDER BY RAND()) AS r FROM k QUALIFY r = 1", "55", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"SELECT u.x FROM (SELECT k.id, k.v FROM k JOIN t ON k.v = t.v) AS q CROSS JOIN UNNEST(ARRAY[RAND()]) AS u(x)", "92", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	{"CREATE TABLE x WITH (non_deterministic = 'allow') AS SELECT v, MAX(RAND()) AS r FROM k GROUP BY v", "68", "RAND() depends on the clock or on chance, but the rows", "in a query inside"},
	// joins
	{"SELECT s.id FROM s JOIN t ON s.n = t.id", "30", "INT does not compare with VARCHAR", "CAST"},
	{"SELECT s.id FROM s JOIN t AS OF TIMESTAMP s.n ON s.id = t.id", "43", "AS OF takes a timestamp, s.n is INT", "CAST"},
	{"SELECT s.id FROM s JOIN counted c ON s.id = c.id", "33", "counted is the result of query counted, which may be behind", "CREATE VIEW"},
	{"SELECT s.id FROM s JOIN (SELECT id, COUNT(*) AS n FROM derived GROUP BY id) c ON s.id = c.id", "77", "derived is the result of query derived, which may be behind", "AS OF LATEST"},
	{"SELECT d.id FROM sunk d JOIN t ON d.id = t.id", "23", "a join in time over sunk", "in one query"},
	{"INSERT INTO derived SELECT id, n FROM s", "13", "derived is written by query derived", "UNION ALL"},
	{"CREATE STREAM other WITH (topic = 'derived') AS SELECT id FROM s", "15", "topic derived is written by query derived", "another topic"},
	{"SELECT DISTINCT id FROM sunk WINDOW TUMBLING(1s)", "25", "DISTINCT in time over sunk", "in one query"},
	{"SELECT COUNT(*) FROM sunk WINDOW TUMBLING(1s)", "22", "a window over sunk", "in one query"},
	{"SELECT id FROM bare", "16", "table bare cannot be read: the columns of its key are not in its rows", "window_start"},
	{"CREATE STREAM x WITH (topic='s') AS SELECT id FROM s", "15", "the query reads topic s and writes it", "another topic"},
	{"INSERT INTO s2 SELECT id, v FROM s2", "13", "the query reads topic s2 and writes it", ""},
	{"INSERT INTO kn SELECT id, COUNT(*) FROM s GROUP BY id", "13", "table kn does not declare its Kafka key", "key = 'a'"},
	{"INSERT INTO kt SELECT id, COUNT(*) FROM s GROUP BY n, id", "13", "the key of the query's rows is not the primary key of kt", "group by its primary key"},
	// rows that come and go
	{"CREATE STREAM x AS SELECT t.id, k.v FROM t JOIN k ON t.id = k.id", "27", "the rows of the result come and go, but x is a stream", "CREATE TABLE x AS"},
	{"CREATE STREAM x AS SELECT s.id FROM s JOIN t CORRECT 1m ON s.id = t.id", "27", "the rows of the result come and go, but x is a stream", "CREATE TABLE x AS"},
	{"INSERT INTO target SELECT s.id, s.n FROM s JOIN t CORRECT 1m ON s.id = t.id", "27", "the rows of the result come and go, but target is a stream", "CREATE TABLE"},
	{"CREATE TABLE x AS SELECT s.id, s.tags FROM s JOIN t CORRECT 1m ON s.id = t.id", "32", "each row is its own key, and the equality of tags of type ARRAY<VARCHAR> is not defined", "PRIMARY KEY"},
	{"CREATE TABLE x (id VARCHAR, PRIMARY KEY (nope)) AS SELECT s.id FROM s JOIN t CORRECT 1m ON s.id = t.id", "*", "unknown column nope in x", ""},
	{"INSERT INTO kt (b) SELECT s.n FROM s JOIN t CORRECT 1m ON s.id = t.id", "13", "the primary key of kt is not written: a is missing", ""},
	{"SELECT s.id FROM s JOIN t AS OF LATEST CORRECT 1m ON s.id = t.id", "48", "CORRECT beside AS OF LATEST", "event time"},
	{"SELECT s.id FROM s JOIN t CORRECT ON s.id = t.id", "35", "expected a duration for CORRECT", "500ms"},
	{"SELECT s.id FROM s JOIN t CORRECT 0s ON s.id = t.id", "35", "CORRECT must be positive", ""},
	{"SELECT s.id FROM s JOIN t CORRECT 20000w CORRECT 1s ON s.id = t.id", "*", "CORRECT is given twice", ""},
	{"SELECT s.id FROM s JOIN t CORRECT 1000000w ON s.id = t.id", "35", "CORRECT must be at most", ""},
	{"SELECT s.id FROM s JOIN t CORRECT 1m ON s.id = t.id AND RAND() < 0.5", "*", "RAND()", ""},
	// definitions
	{"CREATE TABLE x (a INT) WITH (topic='x')", "14", "table x has no primary key", "PRIMARY KEY"},
	{"CREATE STREAM x (a INT PRIMARY KEY) WITH (topic='x')", "24", "a stream has no primary key", "CREATE TABLE"},
	{"CREATE STREAM x (a INT, A INT) WITH (topic='x')", "25", "column A is declared twice", "case"},
	{"CREATE STREAM x (_key INT) WITH (topic='x')", "18", "column _key is a hidden column", ""},
	{"CREATE STREAM x (a INT) WITH (tpic='x')", "31", "unknown option tpic", "did you mean topic?"},
	{"CREATE STREAM x (a INT) WITH (format='jsn')", "38", "format = 'jsn' is not possible", "did you mean json?"},
	{"CREATE STREAM x (a INT) WITH (disorder='5')", "40", "option disorder: \"5\" is not a duration", ""},
	{"CREATE STREAM x (a INT) WITH (key='b')", "35", "unknown column b in x", ""},
	{"CREATE STREAM x (a INT) WITH (ttl='1h')", "31", "option ttl belongs to the target of a query", ""},
	{"CREATE STREAM x (a INT) WITH (topic='x', TOPIC='y')", "42", "option topic is given twice", ""},
	{"CREATE STREAM x (a DECIMAL(40,2)) WITH (topic='x')", "20", "DECIMAL(40,2) has more than 38 digits", "VARCHAR"},
	{"CREATE STREAM x (a TIMESTAMP(3), WATERMARK FOR a AS a - INTERVAL 5 SECOND) WITH (disorder='5s')", "91", "disorder is given twice", ""},
	{"CREATE STREAM x (a DOUBLE) WITH (timestamp='a')", "44", "column a of type DOUBLE cannot be the event time", ""},
	{"CREATE STREAM x (a INT) WITH (topic='a, a')", "37", "option topic: topic a is named twice", ""},
	{"CREATE STREAM x (a INT) WITH (topic='a,b c')", "37", "option topic: \"b c\" is not a topic name", ""},
	{"CREATE STREAM x (a INT) WITH (topic_pattern='a(')", "45", "option topic_pattern: \"a(\" is not a regular expression", ""},
	{"CREATE STREAM x (a INT) WITH (topic='a', topic_pattern='b')", "*", "topic and topic_pattern are given", ""},
	{"CREATE STREAM x (a INT) WITH (topic_pattern='b.*', partitions=3)", "*", "partitions creates a topic, but a pattern names none", ""},
	{"CREATE STREAM x WITH (topic='a,b') AS SELECT id FROM s", "29", "x is written by its query, into one topic", ""},
	{"CREATE STREAM x (a INT) WITH (connector='generate', topic_pattern='b.*')", "*", "topic_pattern is of connector 'kafka'", ""},
	{"INSERT INTO several SELECT id, n FROM s", "13", "several reads several topics", "a stream of one of them"},
	{"CREATE STREAM x WITH (topic='p1') AS SELECT a FROM several", "*", "the query reads topic p1, as one of several, and writes it", ""},
	{"CREATE STREAM x (a INT) WITH (start='offset:x')", "37", "option start: 'offset:x' has no offset", ""},
	{"CREATE STREAM x (a INT) WITH (end='earliest')", "35", "option end: 'earliest' leaves nothing to read", ""},
	{"CREATE STREAM x (a INT) WITH (start='offset:5', end='offset:5')", "53", "end = 'offset:5' is not after start = 'offset:5'", ""},
	{"CREATE STREAM x (a INT) WITH (start='2026-01-02', end='2026-01-01')", "55", "end = '2026-01-01' is not after", ""},
	{"CREATE STREAM x (a INT) WITH (connector='generate', end='latest')", "57", "end is a place in a Kafka topic, x has connector 'generate'", "leave it out"},
	{"CREATE STREAM x (a INT) WITH (connector='generate', start='group:g')", "59", "start is a place in a Kafka topic", ""},
	{"CREATE STREAM x WITH (end='latest') AS SELECT id FROM s", "27", "end is of a source: x is written by its query", "what the query reads"},
	{"CREATE STREAM x (a INT) WITH (key_format='json')", "42", "key_format without key", ""},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.sql, func(t *testing.T) {
			_, err := run(t, prelude+m.sql+";", nil)
			if err == nil {
				t.Fatal("no error")
			}
			e := asError(t, err)
			line, col := e.Place()
			if at := fmt.Sprint(col); line != 2 || m.at != "*" && at != m.at {
				t.Errorf("at %d:%d, want 2:%s\n%v", line, col, m.at, err)
			}
			if !strings.HasPrefix(e.Msg, m.msg) || !strings.Contains(e.Hint, m.hint) {
				t.Errorf("got\n%v\nwant %s\nhint %s", err, m.msg, m.hint)
			}
			if e.Unsupported != "" {
				t.Errorf("a mistake is reported as a feature that is missing: %s", e.Unsupported)
			}
		})
	}
}

// unsupported are the features that the dialect names and the engine refuses, by a part of their name.
var unsupported = []struct{ sql, feature string }{
	{"CREATE TABLE x (a INT PRIMARY KEY) WITH (topic='a,b')", "a table of several topics"},
	{"SELECT t.id FROM t LEFT JOIN s ON t.id = s.id", "LEFT JOIN with the table on the left"},
	{"SELECT t.id FROM t FULL JOIN s ON t.id = s.id", "FULL JOIN with the table on the left"},
	{"SELECT t.id FROM t JOIN t2 ON t.v = t2.a JOIN s ON t.id = s.id", "a join of several tables with a stream after them"},
	{"SELECT t.id FROM t JOIN s AS OF LATEST ON t.id = s.id", "AS OF on a stream"},
	{"SELECT t.v FROM t JOIN s ON t.v = s.n", "a join on a column that is not the primary key of t (t.v)"},
	{"SELECT s.id FROM s JOIN (SELECT id, COUNT(*) AS n, window_start FROM s2 WINDOW TUMBLING(1s) GROUP BY id) c ON s.id = c.id", "a join in time with the windows of c"},
	{"SELECT s.id FROM s JOIN (SELECT v, COUNT(*) AS n FROM k GROUP BY v) c ON s.n = c.v", "a join in time with c, which groups rows that change"},
	{"SELECT s.id FROM s JOIN (SELECT id, COUNT(DISTINCT v) AS n FROM s2 GROUP BY id) c ON s.id = c.id", "a join in time with COUNT(DISTINCT v) of c"},
	{"SELECT s.id FROM s JOIN (SELECT id, COUNT(*) AS n FROM (SELECT DISTINCT id, v FROM s2) AS q GROUP BY id) c ON s.id = c.id", "a join in time with c, whose rows wait before they are grouped"},
	{"SELECT s.id FROM s JOIN (SELECT id, v FROM s2 QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY v DESC) = 1) c ON s.id = c.id", "a stream–table join with c, whose rows come and go"},
	{"SELECT s.id FROM s JOIN (SELECT COUNT(*) AS n FROM s2) c ON s.n = c.n", "a stream–table join with c, whose rows have no primary key"},
	{"SELECT s.id FROM s RIGHT JOIN t ON s.id = t.id", "RIGHT JOIN"},
	{"SELECT s.id FROM s FULL JOIN t ON s.id = t.id", "FULL JOIN"},
	{"SELECT s.id FROM s FULL OUTER JOIN t ON s.id = t.id", "FULL JOIN"},
	{"SELECT s.id FROM s RIGHT JOIN t BROADCAST ON s.id = t.id", "RIGHT JOIN of a stream with a table"},
	{"SELECT s.id FROM s FULL JOIN t BROADCAST ON s.id = t.id", "FULL JOIN of a stream with a table"},
	{"SELECT s.id FROM s JOIN s2 BROADCAST ON s.id = s2.id", "BROADCAST of a stream (s2 is a stream)"},
	{"SELECT s.id FROM s, s2 BROADCAST", "BROADCAST of a stream (s2 is a stream)"},
	{"SELECT t.id FROM t JOIN s BROADCAST ON s.id = t.id", "BROADCAST of a stream (s is a stream)"},
	{"SELECT t.id FROM t JOIN k BROADCAST ON t.id = k.id", "BROADCAST of a table into a table"},
	{"SELECT s.id FROM s JOIN (SELECT v FROM t UNION ALL SELECT v FROM t) x BROADCAST ON s.n = x.v", "a stream–table join with x, whose rows come and go"},
	{"SELECT s.id FROM s JOIN t CORRECT 10m BROADCAST ON s.id = t.id", "CORRECT together with BROADCAST"},
	{"SELECT s.id FROM s JOIN s2 WITHIN 1s CORRECT 10m ON s.id = s2.id", "CORRECT on a stream–stream join"},
	{"SELECT t.id FROM t JOIN k CORRECT 10m ON k.id = t.id", "CORRECT on a table–table join"},
	{"SELECT s.id FROM s JOIN t CORRECT 10m ON s.id = t.id JOIN k ON s.id = k.id", "CORRECT before another join"},
	{"SELECT s.id FROM s JOIN t CORRECT 10m ON s.id = t.id JOIN s2 WITHIN 1s ON s.id = s2.id", "CORRECT before another join"},
	{"SELECT s.id FROM s, t", "a join without a condition"},
	{"SELECT s.id FROM s CROSS JOIN t", "a join without a condition"},
	{"SELECT s.id FROM s JOIN t ON s.n = t.v", "a join on a column that is not the primary key of t (t.v)"},
	{"SELECT s.id FROM s JOIN t2 ON s.n = t2.a", "a join that does not fix the primary key of t2"},
	{"SELECT s.id FROM s JOIN t ON s.id < t.id", "a join that does not fix the primary key of t"},
	{"SELECT id FROM t AS OF TIMESTAMP '2030-01-01 00:00:00'", "AS OF outside"},
	{"SELECT k.id FROM k AS OF LATEST JOIN t ON t.id = k.id", "AS OF outside"},
	{"SELECT s.id FROM s AS OF LATEST JOIN t ON t.id = s.id", "AS OF outside"},
	{"SELECT id FROM s WHERE id IN (SELECT id FROM s2) OR n = 1", "IN with a sub-query in WHERE other than as a whole condition"},
	{"SELECT id FROM s WHERE EXISTS (SELECT id FROM s2)", "EXISTS without an equality"},
	{"SELECT EXISTS (SELECT id FROM s2) AS x FROM s", "EXISTS in SELECT other than as a whole condition"},
	{"SELECT id FROM k WHERE v NOT IN (SELECT v FROM t)", "NOT IN over v, which may be NULL"},
	{"SELECT (SELECT v FROM s2) AS x FROM s", "a sub-query as a value that is no aggregate"},
	{"SELECT (SELECT COUNT(*) + 1 FROM s2) AS x FROM k", "an expression over COUNT in a sub-query as a value"},
	{"SELECT id FROM k WHERE EXISTS (SELECT 1 FROM t WHERE t.id = k.id AND t.v IN (SELECT v FROM s2))", "a sub-query inside a sub-query's WHERE"},
	{"SELECT id, GROUP_CONCAT(n) OVER (PARTITION BY id) AS r FROM s", "GROUP_CONCAT(…) OVER (…)"},
	{"SELECT id, COUNT(*) FROM s GROUP BY id WITH ROLLUP", "WITH ROLLUP"},
	{"CREATE STREAM x AS SELECT id FROM s ORDER BY id", "ORDER BY in a query that goes on"},
	{"SELECT id FROM (SELECT id FROM s ORDER BY id) x", "ORDER BY in a query that goes on"},
	{"SELECT id FROM s LIMIT 5 OFFSET 2", "OFFSET without ORDER BY"},
	{"SELECT id FROM s RIGHT JOIN UNNEST(tags) AS t(x) ON TRUE", "RIGHT JOIN with UNNEST"},
	{"SELECT id FROM s LEFT JOIN WORDS(id) AS t ON t.at = 1", "LEFT JOIN of a table function with a condition"},
	{"SELECT id FROM s FULL JOIN WORDS(id) AS t ON TRUE", "FULL JOIN with WORDS"},
	{"SELECT id FROM s LEFT JOIN UNNEST(tags) AS t(x) ON x = 'a'", "LEFT JOIN UNNEST with a condition"},
	{"SELECT id FROM s, LATERAL (SELECT v FROM t WHERE t.id = s.id) AS q", "LATERAL over anything but"},
	{"SELECT id FROM s INTERSECT ALL SELECT id FROM s2", "INTERSECT ALL"},
	{"CREATE STREAM x AS SELECT id FROM s UNION SELECT id FROM s2 ORDER BY id", "ORDER BY on a UNION"},
	{"SELECT id FROM (SELECT id FROM s LIMIT 3) x", "LIMIT in a sub-query"},
	{"SELECT s.id FROM s JOIN s2 ON s.id = s2.id", "a stream–stream join without a bound in time"},
	{"SELECT s.id FROM s JOIN s2 WITHIN 1s ON s.n < s2.v", "a stream–stream join without an equality"},
	{"SELECT id FROM s PARTITION BY id", "PARTITION BY"},
	{"SELECT id, SUM(n) OVER (ORDER BY n RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) AS r FROM s", "RANGE with a number"},
	{"SELECT id, SUM(n) OVER (ORDER BY n GROUPS 5 PRECEDING) AS r FROM s", "GROUPS in a frame"},
	{"SELECT DISTINCT id, ROW_NUMBER() OVER (ORDER BY n) AS r FROM s", "DISTINCT together with OVER"},
	{"SELECT DISTINCT id FROM s WINDOW HOPPING(10s, 5s)", "HOPPING windows with DISTINCT without window_start"},
	{"SELECT DISTINCT id FROM s WINDOW CUMULATE(10s, 5s)", "CUMULATE windows with DISTINCT without window_start"},
	{"SELECT DISTINCT id FROM s WINDOW SLIDING(10s)", "SLIDING windows with DISTINCT without window_start"},
	{"SELECT DISTINCT ON (id) * FROM s WINDOW SESSION(10s)", "SESSION windows with DISTINCT without window_start"},
	{"SELECT DISTINCT id, window_start FROM s WINDOW SESSION(10s) EMIT CHANGES", "EMIT CHANGES with DISTINCT in SESSION windows"},
	{"SELECT DISTINCT id, DATE(window_start) AS d FROM s WINDOW HOPPING(10s, 5s)", "DISTINCT over an expression of window_start in HOPPING windows"},
	{"SELECT SUM(RAND()) AS r, GROUP_CONCAT(id) AS ids FROM s WINDOW SLIDING(10s)", "SUM(RAND()) beside aggregates that keep their rows in SLIDING windows"},
	{"SELECT DISTINCT ON (v) id, v FROM k", "DISTINCT ON over rows that change"},
	{"SELECT DISTINCT v FROM k WINDOW TUMBLING(1s)", "DISTINCT in time over rows that change"},
	{"SELECT id FROM (SELECT id FROM s UNION ALL SELECT id FROM s2 LIMIT 3) x", "LIMIT in a sub-query"},
	{"CREATE VIEW x AS SELECT id FROM s LIMIT 3", "LIMIT in a sub-query"},
	{"CREATE VIEW x AS SELECT id FROM s UNION ALL SELECT id FROM s2 LIMIT 3", "LIMIT in a sub-query"},
	{"CREATE VIEW x AS SELECT id FROM s ORDER BY id", "ORDER BY in a query that goes on"},
	{"SELECT DISTINCT ON (id) id, COUNT(*) AS c FROM s GROUP BY id", "DISTINCT ON together with GROUP BY"},
	{"SELECT DISTINCT WITHIN 10s id, COUNT(*) AS c FROM s GROUP BY id", "DISTINCT WITHIN together with GROUP BY"},
	{"CREATE TABLE x AS SELECT id, n FROM s", "a table from a stream without GROUP BY"},
	{"INSERT INTO kt (a, b, _headers) SELECT s.id, s.n, JSON_OBJECT('a', 'b') FROM s JOIN t CORRECT 1m ON s.id = t.id", "writing _headers from rows that replace each other"},
	{"CREATE TABLE x WITH (ttl='1h') AS SELECT id, COUNT(DISTINCT n) AS c FROM s GROUP BY id", "ttl with aggregates that keep their rows"},
	{"CREATE TABLE x WITH (ttl='1h') AS SELECT v, COUNT(*) AS c FROM k GROUP BY v", "ttl for Materialize"},
	{"CREATE TABLE x WITH (ttl='1h') AS SELECT id, n, ROW_NUMBER() OVER (PARTITION BY id ORDER BY n) AS r FROM s QUALIFY r < 3", "ttl for Top"},
	{"INSERT INTO kt (a, b, _headers) SELECT id, COUNT(*), JSON_OBJECT('a', 'b') FROM s GROUP BY id", "writing _headers from rows that replace each other"},
}

func TestUnsupported(t *testing.T) {
	for _, u := range unsupported {
		t.Run(u.sql, func(t *testing.T) {
			_, err := run(t, prelude+u.sql+";", nil)
			if err == nil {
				t.Fatal("no error")
			}
			e := asError(t, err)
			if !strings.HasPrefix(e.Unsupported, u.feature) {
				t.Errorf("got %q (%v), want %q", e.Unsupported, err, u.feature)
			}
			if line, _ := e.Place(); line != 2 {
				t.Errorf("at line %d, want 2", line)
			}
		})
	}
}

// What asks the clock or chance of rows that stay, or of a table's rows before they come together, is computed once.
func TestVolatileOnce(t *testing.T) {
	for _, sql := range []string{
		"SELECT id, RAND() AS r FROM s",
		"SELECT id, SUM(RAND()) AS r FROM s GROUP BY id",
		"SELECT id, NOW() AS at FROM k",
		"SELECT v, COUNT(*) AS c FROM k WHERE RAND() < 0.5 GROUP BY v",
		"SELECT v, MAX(r) AS r FROM (SELECT v, id, RAND() AS r FROM k) AS q GROUP BY v",
		"SELECT id, COUNT(*) AS c, NOW() AS at FROM s GROUP BY id",
		"SELECT id, COUNT(*) AS c FROM s WINDOW TUMBLING(1s) GROUP BY id HAVING c > RAND() EMIT FINAL",
	} {
		c, err := run(t, prelude+sql+";", nil)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if d := c.Query.Root.Props().Determinism; d != plan.None {
			t.Errorf("%s: determinism %v, want none", sql, d)
		}
	}
}
