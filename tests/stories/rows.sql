--@test: C05 field names and case
CREATE STREAM s (userId VARCHAR(10), city VARCHAR(10)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT userId, city FROM s;
CREATE STREAM p AS SELECT USERID, CITY FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"userId":"u1","city":"Oslo","cITY":"Rome"}'), (2, '{"cITY":"Lima","city":"Kyiv","USERID":"u2"}'), (3, '{"UserID":"u3"}');
ASSERT VALUES o (_value) VALUES ('{"userId":"u1","city":"Oslo"}'), ('{"userId":"u2","city":"Kyiv"}'), ('{"userId":"u3","city":null}');
ASSERT NO MORE VALUES o;
ASSERT VALUES p (userId, city) VALUES ('u1', 'Oslo'), ('u2', 'Kyiv'), ('u3', NULL);
ASSERT NO MORE VALUES p;

--@test: C06 bad messages are skipped and counted
CREATE STREAM s (id INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id FROM s;
INSERT INTO s RAW (_timestamp, _key, _value) VALUES (1, NULL, '{"id":1}'), (2, NULL, ''), (3, NULL, '{"id":2'), (4, NULL, 'not json'), (5, NULL, '{id:3}'),
  (6, NULL, '{"id":4} trailing'), (7, NULL, '[1,2]'), (8, NULL, '"str"'), (9, NULL, ' \n{"id":5}\r\n '), (10, NULL, '{"id":6}');
ASSERT VALUES o (id) VALUES (1), (5), (6) IN ORDER;
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 7;

--@test: C06 on_error = 'fail' stops at the first one
--@expect.error: offset 1
CREATE STREAM s (id INT) WITH (topic='s', partitions=1, on_error='fail');
CREATE STREAM o AS SELECT id FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"id":1}'), (2, 'not json');

--@test: C27 decimals, trailing zeros and exponents
CREATE STREAM s (id INT, price DECIMAL(10,2), qty BIGINT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, price, qty FROM s WHERE id > 0;
CREATE STREAM t AS SELECT SUM(price) AS t FROM s WINDOW TUMBLING(10s) WHERE id IN (4,5) EMIT FINAL;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"id":1,"price":12,"qty":1.0}'), (2, '{"id":2,"price":1.005,"qty":1e3}'), (3, '{"id":3,"price":"12.10","qty":9.007199254740993e15}'),
  (4, '{"id":4,"price":0.1,"qty":0}'), (5, '{"id":5,"price":0.2,"qty":0}'), (6, '{"id":6,"price":100000000.00,"qty":0}'), (20000, '{"id":-1,"price":0,"qty":0}');
ASSERT VALUES o (_value) VALUES ('{"id":1,"price":12.00,"qty":1}'), ('{"id":2,"price":1.01,"qty":1000}'), ('{"id":3,"price":12.10,"qty":9007199254740993}'), ('{"id":4,"price":0.10,"qty":0}'), ('{"id":5,"price":0.20,"qty":0}');
ASSERT NO MORE VALUES o;
ASSERT VALUES t (_value) VALUES ('{"t":0.30}');
ASSERT NO MORE VALUES t;
ASSERT ERRORS s 1;

--@test: C30 reserved words and odd names as columns
CREATE STREAM s (`group` VARCHAR(5), `order` INT, timestamp VARCHAR(30), `window` VARCHAR(5), `@id` VARCHAR(5), `a.b` INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT `group`, `order`, timestamp, `window`, `@id`, `a.b` FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"group":"g1","order":7,"timestamp":"x","window":"w","@id":"i1","a.b":5,"a":{"b":6}}');
ASSERT VALUES o VALUES ('g1', 7, 'x', 'w', 'i1', 5);
ASSERT NO MORE VALUES o;

--@test: C31 comments, semicolons and quotes
-- it's a comment; with a semicolon
/* block; isn't
   over yet */
CREATE STREAM s (id INT, txt VARCHAR(50)) WITH (topic='s', partitions=1);  -- don't stop here
CREATE STREAM a AS SELECT id FROM s WHERE txt = 'a;b'; # hash comment; it's MySQL
;
CREATE STREAM b AS SELECT id FROM s WHERE txt = 'it''s -- not a comment';
INSERT INTO s (id, txt, _timestamp) VALUES (1, 'a;b', 1), (2, 'it''s -- not a comment', 2), (3, 'x', 3);
ASSERT VALUES a (id) VALUES (1);
ASSERT NO MORE VALUES a;
ASSERT VALUES b (id) VALUES (2);
ASSERT NO MORE VALUES b

--@test: C31 an unterminated string is an error
--@expect.error: string
SELECT id FROM s WHERE txt = 'it;

--@test: C33 division by zero and integer division
CREATE STREAM s (id INT, a INT, b INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, a / b AS q, a DIV b AS d, a % b AS m, IFNULL(a / b, 0) AS z FROM s;
INSERT INTO s (id, a, b, _timestamp) VALUES (1, 7, 2, 1), (2, 7, 0, 2), (3, -7, 2, 3);
INSERT INTO s RAW (_timestamp, _value) VALUES (4, '{"id":4,"b":2}');
ASSERT VALUES o (id, q, d, m, z) VALUES (1, 3.5000, 3, 1, 3.5000), (2, NULL, NULL, NULL, 0), (3, -3.5000, -3, -1, -3.5000), (4, NULL, NULL, NULL, 0);
ASSERT NO MORE VALUES o;

--@test: C34 NULL logic
CREATE STREAM s (id INT, x VARCHAR(5), y VARCHAR(5), n INT) WITH (topic='s', partitions=1);
CREATE STREAM q1 AS SELECT id, CASE WHEN n > 5 THEN 'hi' ELSE 'lo' END AS c1, CASE WHEN x IS NULL THEN NULL ELSE x END AS c2, CASE x WHEN NULL THEN 'n' ELSE 'e' END AS c3,
  IFNULL(CASE WHEN x IS NULL THEN y ELSE x END, 'unknown') AS c4, COALESCE(x, y, 'z') AS c5, NULLIF(x, 'a') AS c6 FROM s;
CREATE STREAM q2 AS SELECT id FROM s WHERE x <> 'a';
CREATE STREAM q3 AS SELECT id FROM s WHERE NOT (x = 'a');
CREATE STREAM q4 AS SELECT id FROM s WHERE x NOT IN ('a', NULL);
CREATE STREAM q5 AS SELECT id FROM s WHERE NOT (x <=> 'a');
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"id":1,"x":"a","y":"b","n":9}'), (2, '{"id":2,"x":"b","n":1}'), (3, '{"id":3}'), (4, '{"id":4,"y":"k"}');
ASSERT VALUES q1 (id, c1, c2, c3, c4, c5, c6) VALUES (1, 'hi', 'a', 'e', 'a', 'a', NULL), (2, 'lo', 'b', 'e', 'b', 'b', 'b'), (3, 'lo', NULL, 'e', 'unknown', 'z', NULL), (4, 'lo', NULL, 'e', 'k', 'k', NULL);
ASSERT NO MORE VALUES q1;
ASSERT VALUES q2 (id) VALUES (2);
ASSERT NO MORE VALUES q2;
ASSERT VALUES q3 (id) VALUES (2);
ASSERT NO MORE VALUES q3;
ASSERT NO MORE VALUES q4;
ASSERT VALUES q5 (id) VALUES (2), (3), (4);
ASSERT NO MORE VALUES q5;

--@test: C42 an ambiguous column
--@expect.error: ambiguous
CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) WITH (topic='t', partitions=1);
CREATE STREAM s (id INT, v INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT v FROM s JOIN t ON s.id = t.id;

--@test: C42 columns of one name under aliases
CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) WITH (topic='t', partitions=1);
CREATE STREAM s (id INT, v INT) WITH (topic='s', partitions=1);
CREATE STREAM q3 AS SELECT s.v AS a, t.v AS b FROM s JOIN t ON s.id = t.id;
CREATE STREAM q4 AS SELECT s.*, t.v AS tv FROM s JOIN t ON s.id = t.id;
INSERT INTO t (id, v, _key, _timestamp) VALUES (1, 100, '1', 10);
INSERT INTO s (id, v, _key, _timestamp) VALUES (1, 5, '1', 20);
ASSERT VALUES q3 (a, b) VALUES (5, 100);
ASSERT VALUES q4 (id, v, tv) VALUES (1, 5, 100);

--@test: C45 JSON of every shape
CREATE STREAM s (id INT, name VARCHAR(20), age INT, addr JSON) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, name, age, addr->>'$.city' AS city, addr->>'$.tags[0]' AS t0 FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"id":1,"name":"a","age":30,"extra":true,"addr":{"city":"X","tags":["p","q"]}}'), (2, '{"id":2,"name":"b"}'),
  (3, '{"id":3,"name":5,"age":"41","addr":null}'), (4, '{"id":4,"age":"abc"}'), (5, '{"id":5,"addr":{"tags":[]}}'), (6, '{}');
ASSERT VALUES o (id, name, age, city, t0) VALUES (1, 'a', 30, 'X', 'p'), (2, 'b', NULL, NULL, NULL), (3, '5', 41, NULL, NULL), (5, NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL, NULL);
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 1;

--@test: C53 TUMBLING(0s)
--@expect.error: must be positive
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
SELECT COUNT(*) FROM s WINDOW TUMBLING(0s);

--@test: C53 TUMBLING(-5s)
--@expect.error: must be positive
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
SELECT COUNT(*) FROM s WINDOW TUMBLING(-5s);

--@test: C53 HOPPING with an advance of 0
--@expect.error: advance
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
SELECT COUNT(*) FROM s WINDOW HOPPING(10s, 0s);

--@test: C53 HOPPING with an advance beyond the size
--@expect.error: must not be larger than the size
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
SELECT COUNT(*) FROM s WINDOW HOPPING(10s, 20s);

--@test: C53 SESSION(0s)
--@expect.error: must be positive
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
SELECT COUNT(*) FROM s WINDOW SESSION(0s);

--@test: C53 a negative grace
--@expect.error: GRACE
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
SELECT COUNT(*) FROM s WINDOW TUMBLING(10s) GRACE -1s;

--@test: C53 a size beyond 64 bits
--@expect.error: too
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
SELECT COUNT(*) FROM s WINDOW TUMBLING(1000000000000 DAYS);

--@test: S7 a star over one source forwards the bytes, fields that were not declared too
CREATE STREAM s (id INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT * FROM s WHERE id > 1;
INSERT INTO s RAW (_timestamp, _key, _value) VALUES (1, 'a', '{"id":1}'), (2, 'b', '{ "more" : [1,  2], "id" : 2 }');
ASSERT VALUES o (id, _key, _value, _timestamp) VALUES (2, 'b', '{ "more" : [1,  2], "id" : 2 }', 2);
ASSERT NO MORE VALUES o;

--@test: S7 a query over a query's target
CREATE STREAM s (id INT, k VARCHAR) WITH (topic='s', partitions=2);
CREATE STREAM big AS SELECT id, k FROM s WHERE id >= 10;
CREATE STREAM o AS SELECT id + 1 AS next, k FROM big WHERE k <> 'x';
INSERT INTO s (id, k, _timestamp) VALUES (1, 'a', 1), (10, 'b', 2), (11, 'x', 3), (12, 'c', 4);
ASSERT VALUES o (next, k) VALUES (11, 'b'), (13, 'c');
ASSERT NO MORE VALUES o;
