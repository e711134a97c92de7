--@test: a sub-query in FROM is read like a stream
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=3);
CREATE STREAM o AS SELECT q.id, q.twice + 1 AS x FROM (SELECT id, n * 2 AS twice FROM s WHERE n > 1) AS q WHERE q.id <> 'c';
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('b', 2, 1, 1000), ('c', 3, 2, 1000), ('d', 4, 0, 2000);
ASSERT VALUES o (id, x) VALUES ('b', 5), ('d', 9);
ASSERT NO MORE VALUES o;

--@test: a star over a sub-query is its columns; the alias of one level is a column of the next
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT * FROM (SELECT *, up AS again FROM (SELECT id, UPPER(id) AS up FROM s) AS a) AS b;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('b', 2, 1, 1000);
ASSERT VALUES o (id, up, again) VALUES ('a', 'A', 'A'), ('b', 'B', 'B');
ASSERT NO MORE VALUES o;

--@test: a field of a STRUCT is read through a sub-query
CREATE STREAM s (id VARCHAR, u STRUCT<id BIGINT, at STRUCT<city VARCHAR>>) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT q.u.at.city AS city, v.id AS uid FROM (SELECT id, u, u AS v FROM s) AS q;
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES (0, 1000, '{"id":"a","u":{"id":7,"at":{"city":"Ulm"}}}');
ASSERT VALUES o (city, uid) VALUES ('Ulm', 7);
ASSERT NO MORE VALUES o;

--@test: DISTINCT below, a join above
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=3);
CREATE TABLE t (id VARCHAR PRIMARY KEY, name VARCHAR) WITH (topic='t', partitions=2, key='id');
CREATE STREAM o AS SELECT q.id, t.name FROM (SELECT DISTINCT id FROM s WINDOW TUMBLING(10s)) AS q JOIN t ON t.id = q.id;
INSERT INTO t (id, name, _timestamp) VALUES ('a', 'Ann', 0), ('b', 'Bob', 0);
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 1500), ('b', 1, 2, 1000), ('a', 3, 2, 11000);
ASSERT VALUES o (id, name) VALUES ('a', 'Ann'), ('b', 'Bob'), ('a', 'Ann');
ASSERT NO MORE VALUES o;

--@test: a table in a sub-query stays a table: filtered rows count as gone
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=2);
CREATE TABLE t (id VARCHAR PRIMARY KEY, region VARCHAR) WITH (topic='t', partitions=2, key='id');
CREATE STREAM o AS SELECT s.id, e.region FROM s LEFT JOIN (SELECT id, region FROM t WHERE region = 'eu') AS e ON e.id = s.id;
INSERT INTO t (id, region, _timestamp) VALUES ('a', 'eu', 0), ('b', 'eu', 0), ('a', 'us', 2000);
INSERT INTO s (id, _partition, _timestamp) VALUES ('a', 0, 1000), ('a', 1, 3000), ('b', 0, 3000);
ASSERT VALUES o (id, region) VALUES ('a', 'eu'), ('a', NULL), ('b', 'eu');
ASSERT NO MORE VALUES o;

--@test: the maximum of windowed counts, final at both levels
--@until: end
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=3);
CREATE STREAM o AS SELECT window_start, MAX(c) AS most, COUNT(*) AS ids FROM (SELECT id, COUNT(*) AS c, window_start, window_end FROM s WINDOW TUMBLING(10s) GROUP BY id) AS q GROUP BY window_start, window_end EMIT FINAL;
INSERT INTO s (id, _partition, _timestamp) VALUES ('a', 0, 1000), ('a', 1, 1500), ('b', 2, 1000), ('a', 2, 9999), ('b', 0, 10000), ('c', 1, 19999);
ASSERT VALUES o (window_start, most, ids) VALUES (0, 3, 2), (10000, 1, 2);
ASSERT NO MORE VALUES o;

--@test: a group over final windows closes when time passes the window, not before
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT window_end, SUM(c) AS n FROM (SELECT id, COUNT(*) AS c, window_end FROM s WINDOW TUMBLING(10s) GRACE 2s GROUP BY id) AS q GROUP BY window_end EMIT FINAL;
INSERT INTO s (id, _timestamp) VALUES ('a', 1000), ('b', 2000), ('a', 11999);
ASSERT NO MORE VALUES o;
INSERT INTO s (id, _timestamp) VALUES ('a', 12000);
ASSERT VALUES o (window_end, n) VALUES (10000, 2);
ASSERT NO MORE VALUES o;
CRASH;
INSERT INTO s (id, _timestamp) VALUES ('c', 30000);
ASSERT VALUES o (window_end, n) VALUES (20000, 2);
ASSERT NO MORE VALUES o;

--@test: a common table expression, used twice
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=3);
CREATE STREAM o AS WITH big (k, v) AS (SELECT id, n FROM s WHERE n > 10) SELECT k, v FROM big WHERE v < 100 UNION ALL SELECT CONCAT('huge ', k), v FROM big WHERE v >= 100;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 5, 0, 1000), ('b', 50, 1, 1000), ('c', 500, 2, 1000);
ASSERT VALUES o (k, v) VALUES ('b', 50), ('huge c', 500);
ASSERT NO MORE VALUES o;

--@test: one common table expression reads another
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS WITH a AS (SELECT id, n + 1 AS m FROM s), b AS (SELECT id, m * 10 AS r FROM a) SELECT b.r FROM b;
INSERT INTO s (id, n, _timestamp) VALUES ('x', 1, 1000);
ASSERT VALUES o (r) VALUES (20);
ASSERT NO MORE VALUES o;

--@test: UNION ALL of two topics of different partition counts keeps every row
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=3);
CREATE STREAM b (key_id VARCHAR, n BIGINT) WITH (topic='b', partitions=2);
CREATE STREAM o AS SELECT id, n FROM a UNION ALL SELECT key_id, n * 2 FROM b;
INSERT INTO a (id, n, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('x', 1, 1, 1000), ('y', 2, 2, 2000);
INSERT INTO b (key_id, n, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('z', 5, 1, 500);
CRASH;
INSERT INTO b (key_id, n, _partition, _timestamp) VALUES ('z', 6, 1, 700);
ASSERT VALUES o (id, n) VALUES ('x', 1), ('x', 1), ('y', 2), ('x', 2), ('z', 10), ('z', 12);
ASSERT NO MORE VALUES o;

--@test: an aggregate over a union of two topics waits for both
CREATE STREAM a (id VARCHAR) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR) WITH (topic='b', partitions=1);
CREATE STREAM o AS SELECT id, COUNT(*) AS n, window_start FROM (SELECT id FROM a UNION ALL SELECT id FROM b) AS u WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL;
INSERT INTO a (id, _partition, _timestamp) VALUES ('x', 0, 1000), ('x', 1, 2000), ('tick', 0, 50000), ('tick', 1, 50000);
ASSERT NO MORE VALUES o;
INSERT INTO b (id, _timestamp) VALUES ('x', 3000), ('y', 9999), ('tick', 20000);
ASSERT VALUES o (id, n, window_start) VALUES ('x', 3, 0), ('y', 1, 0);
ASSERT NO MORE VALUES o;

--@test: UNION without ALL lets a row pass once
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR, n INT) WITH (topic='b', partitions=3);
CREATE STREAM o AS SELECT id, n FROM a UNION SELECT id, n FROM b;
INSERT INTO a (id, n, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('x', 1, 1, 1000), (NULL, 2, 0, 2000);
INSERT INTO b (id, n, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('x', 2, 1, 500), (NULL, 2, 2, 500);
ASSERT VALUES o (id, n) VALUES ('x', 1), ('x', 2), (NULL, 2);
ASSERT NO MORE VALUES o;

--@test: INTERSECT and EXCEPT stand as long as both sides say so
CREATE STREAM a (id VARCHAR) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR) WITH (topic='b', partitions=1);
CREATE TABLE both_sides AS SELECT id FROM a INTERSECT SELECT id FROM b;
CREATE TABLE only_a AS SELECT id FROM a EXCEPT SELECT id FROM b;
INSERT INTO a (id, _partition, _timestamp) VALUES ('x', 0, 1000), ('y', 1, 1000), ('x', 1, 2000);
ASSERT TABLE only_a (id) VALUES ('x'), ('y');
INSERT INTO b (id, _timestamp) VALUES ('y', 3000), ('z', 3000);
ASSERT TABLE both_sides (id) VALUES ('y');
ASSERT TABLE only_a (id) VALUES ('x');
CRASH;
INSERT INTO b (id, _timestamp) VALUES ('x', 4000);
ASSERT TABLE both_sides (id) VALUES ('x'), ('y');
ASSERT TABLE only_a (id) VALUES;

--@test: a view is its query
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=2);
CREATE VIEW big (who, how_many) AS SELECT id, n FROM s WHERE n > 10;
CREATE VIEW names AS SELECT UPPER(who) AS name FROM big;
CREATE STREAM o AS SELECT name FROM names;
CREATE STREAM p AS SELECT b.who, b.how_many + 1 AS n FROM big AS b;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 5, 0, 1000), ('b', 50, 1, 1000);
ASSERT VALUES o (name) VALUES ('B');
ASSERT VALUES p (who, n) VALUES ('b', 51);
ASSERT NO MORE VALUES o;
ASSERT NO MORE VALUES p;

--@test: a sub-query that is wrong shows its own place
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=1);
--@expect.error: unknown column nope in s
CREATE STREAM o AS SELECT id FROM (SELECT id, nope FROM s) AS q;

--@test: a sub-query as a value beside aggregates
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=2);
CREATE STREAM v (id VARCHAR, n INT) WITH (topic='v', partitions=1);
CREATE TABLE share AS SELECT id, SUM(n) AS total, SUM(n) / (SELECT SUM(n) FROM s) AS part FROM s GROUP BY id;
CREATE TABLE chosen AS SELECT id, COUNT(*) AS c, (SELECT MAX(n) FROM v WHERE v.id = s.id) AS most FROM s GROUP BY id;
CREATE TABLE many AS SELECT id, COUNT(*) AS c FROM s GROUP BY id HAVING COUNT(*) >= (SELECT COUNT(*) FROM v);
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 1000), ('b', 5, 1, 2000);
INSERT INTO v (id, n, _timestamp) VALUES ('a', 7, 1000), ('c', 9, 1000);
ASSERT TABLE share (id, total, part) VALUES ('a', 3, 0.3750), ('b', 5, 0.6250);
ASSERT TABLE chosen (id, c, most) VALUES ('a', 2, 7), ('b', 1, NULL);
ASSERT TABLE many (id, c) VALUES ('a', 2);
CRASH;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('b', 2, 0, 3000);
INSERT INTO v (id, n, _timestamp) VALUES ('b', 3, 1000);
ASSERT TABLE share (id, total, part) VALUES ('a', 3, 0.3000), ('b', 7, 0.7000);
ASSERT TABLE chosen (id, c, most) VALUES ('a', 2, 7), ('b', 2, 3);
ASSERT TABLE many (id, c) VALUES;
