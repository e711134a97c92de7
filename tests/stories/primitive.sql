--@test: plain text as the value, one column
CREATE STREAM s (line VARCHAR) WITH (topic='s', partitions=1, format='string');
CREATE STREAM o WITH (format='string') AS SELECT UPPER(line) AS l FROM s WHERE line <> '';
INSERT INTO s RAW (_timestamp, _value) VALUES (1, 'hello'), (2, ''), (3, '{"not":"parsed"}'), (4, NULL), (5, X'FF');
ASSERT VALUES o (_value) VALUES ('HELLO'), ('{"NOT":"PARSED"}');
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 2;

--@test: numbers as text and as Kafka's own serialisers write them
CREATE STREAM s (n BIGINT) WITH (topic='s', partitions=1, format='string');
CREATE STREAM b WITH (format='bigint') AS SELECT n FROM s;
CREATE STREAM i WITH (format='int') AS SELECT CAST(n AS INT) AS n FROM b;
CREATE STREAM h WITH (format='smallint') AS SELECT CAST(n AS SMALLINT) AS n FROM i;
CREATE STREAM d WITH (format='double') AS SELECT CAST(n AS DOUBLE) AS n FROM h;
CREATE STREAM f WITH (format='float') AS SELECT CAST(n AS FLOAT) AS n FROM d;
CREATE STREAM t WITH (format='kafka') AS SELECT n > 0 AS n FROM f;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '258'), (2, '-2'), (3, 'x');
ASSERT VALUES b (_value) VALUES (X'0000000000000102'), (X'FFFFFFFFFFFFFFFE');
ASSERT VALUES i (_value) VALUES (X'00000102'), (X'FFFFFFFE');
ASSERT VALUES h (_value) VALUES (X'0102'), (X'FFFE');
ASSERT VALUES d (_value) VALUES (X'4070200000000000'), (X'C000000000000000');
ASSERT VALUES f (_value) VALUES (X'43810000'), (X'C0000000');
ASSERT VALUES t (_value) VALUES (X'01'), (X'00');
ASSERT ERRORS s 1;

--@test: bytes pass through
CREATE STREAM s (data VARBINARY) WITH (topic='s', partitions=1, format='raw');
CREATE STREAM o WITH (format='bytes') AS SELECT data FROM s WHERE LENGTH(data) > 1;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, X'00FF'), (2, X'01');
ASSERT VALUES o (_value) VALUES (X'00FF');
ASSERT NO MORE VALUES o;

--@test: the key column is in the Kafka key, the other one is the value; NULL removes the row
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR) WITH (topic='t', partitions=2, format='string', key='id');
CREATE STREAM s (id INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT s.id, name FROM s LEFT JOIN t ON s.id = t.id;
INSERT INTO t (id, name, _timestamp) VALUES (1, 'one', 1), (2, 'two', 1), (1, NULL, 10);
INSERT INTO s (id, _timestamp) VALUES (1, 5), (2, 15), (1, 15);
ASSERT VALUES o (id, name) VALUES (1, 'one'), (2, 'two'), (1, NULL);
ASSERT NO MORE VALUES o;
ASSERT ERRORS t 0;

--@test: a count as plain text under its key
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=2);
CREATE TABLE o WITH (format='string') AS SELECT id, COUNT(*) AS n FROM s GROUP BY id;
INSERT INTO s (id, _timestamp) VALUES ('a', 1), ('b', 2), ('a', 3);
ASSERT TABLE o (_key, _value) VALUES ('a', '2'), ('b', '1');

--@test: two columns do not fit into plain text
--@expect.error: holds one column beside those of the Kafka key, not 2
CREATE STREAM s (a INT, b INT) WITH (topic='s', format='string');

--@test: a type that the serialiser does not have
--@expect.error: format 'int' holds an integer of at most 32 bits (INT), but column 'a' is BIGINT
CREATE STREAM s (a BIGINT) WITH (topic='s', format='int');
