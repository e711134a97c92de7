--@test: C03 a window closes at its end exactly, by any record, and by nothing else
CREATE STREAM r (k VARCHAR(10), v INT) WITH (topic='r', partitions=1);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, window_start FROM r WINDOW TUMBLING(10s) GRACE 0s GROUP BY k EMIT FINAL;
INSERT INTO r (k, v, _key, _timestamp) VALUES ('a', 1, 'a', 1000), ('a', 2, 'a', 2000);
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:00:15';
ASSERT NO MORE VALUES o;
INSERT INTO r (k, v, _key, _timestamp) VALUES ('b', 1, 'b', 10000);
ASSERT VALUES o (window_start, k, n) VALUES (0, 'a', 2);
ASSERT NO MORE VALUES o;

--@test: C03 a bounded run closes all windows
--@until: end
CREATE STREAM r (k VARCHAR(10), v INT) WITH (topic='r', partitions=1);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, window_start FROM r WINDOW TUMBLING(10s) GRACE 0s GROUP BY k EMIT FINAL;
INSERT INTO r (k, v, _key, _timestamp) VALUES ('a', 1, 'a', 1000), ('a', 2, 'a', 2000), ('b', 1, 'b', 10000);
ASSERT VALUES o (window_start, k, n) VALUES (0, 'a', 2), (10000, 'b', 1);
ASSERT NO MORE VALUES o;

--@test: C11 the grace boundary
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GRACE 5s GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000), ('a', 12000), ('a', 9000), ('a', 14999), ('a', 9500), ('b', 15000), ('a', 9900), ('tick', 40000);
ASSERT VALUES o (window_start, k, n) VALUES (0, 'a', 3), (10000, 'a', 2), (10000, 'b', 1);
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: C20 a crash neither counts twice nor loses the first part of a window
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GRACE 0s GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000), ('a', 2000);
CRASH;
INSERT INTO s (k, _timestamp) VALUES ('a', 3000), ('tick', 40000);
ASSERT VALUES o (window_start, k, n) VALUES (0, 'a', 3);
ASSERT NO MORE VALUES o;

--@test: C20 several crashes and restarts in one window
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE TABLE o AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GROUP BY k;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000), ('b', 1000);
CRASH;
INSERT INTO s (k, _timestamp) VALUES ('a', 2000);
RESTART;
INSERT INTO s (k, _timestamp) VALUES ('a', 3000), ('b', 2000);
CRASH;
CRASH;
INSERT INTO s (k, _timestamp) VALUES ('a', 4000);
ASSERT TABLE o (k, n) VALUES ('a', 4), ('b', 2);

--@test: C22 empty partitions hold time back until idle_timeout
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=4);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GRACE 0s GROUP BY k EMIT FINAL;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 1000), ('a', 0, 2000), ('tick', 0, 11000);
ASSERT NO MORE VALUES o;
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:00:20';
ASSERT VALUES o (window_start, k, n) VALUES (0, 'a', 2);
ASSERT NO MORE VALUES o;

--@test: C22 empty partitions of a bounded run
--@until: end
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=4);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GRACE 0s GROUP BY k EMIT FINAL;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 1000), ('a', 0, 2000), ('tick', 0, 11000);
ASSERT VALUES o (window_start, k, n) VALUES (0, 'a', 2), (10000, 'tick', 1);
ASSERT NO MORE VALUES o;

--@test: C24 an event-time column in milliseconds
--@until: end
CREATE STREAM s (id INT, ts BIGINT) WITH (topic='s', partitions=1, timestamp='ts');
CREATE TABLE o AS SELECT window_start, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GRACE 0s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1700000020000, '{"id":1,"ts":1700000000}'), (1700000020000, '{"id":2,"ts":1700000009}'), (1700000020000, '{"id":3,"ts":null}'),
  (1700000020000, '{"id":4}'), (1700000020000, '{"id":5,"ts":"abc"}'), (1700000020000, '{"id":6,"ts":{"long":1}}'), (1700000020000, '{"id":7,"ts":1700000010}');
ASSERT TABLE o (window_start, n) VALUES (1700000000, 3);
ASSERT ERRORS s 4;

--@test: C24 an event-time column in seconds
--@until: end
CREATE STREAM s (id INT, ts BIGINT) WITH (topic='s', partitions=1, timestamp='ts', timestamp_format='s');
CREATE TABLE o AS SELECT window_start, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GRACE 0s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1700000020000, '{"id":1,"ts":1700000000}'), (1700000020000, '{"id":2,"ts":1700000009}'), (1700000020000, '{"id":3,"ts":null}'),
  (1700000020000, '{"id":4}'), (1700000020000, '{"id":5,"ts":"abc"}'), (1700000020000, '{"id":6,"ts":{"long":1}}'), (1700000020000, '{"id":7,"ts":1700000010}');
ASSERT TABLE o (window_start, n) VALUES (1700000000000, 2), (1700000010000, 1);
ASSERT ERRORS s 4;

--@test: C24 Kafka timestamps zero and minus one
--@until: end
CREATE STREAM z (id INT) WITH (topic='z', partitions=1);
CREATE TABLE o AS SELECT window_start, COUNT(*) AS n FROM z WINDOW TUMBLING(10s) GRACE 0s;
INSERT INTO z (id, _timestamp) VALUES (1, -1), (2, 0);
ASSERT TABLE o (window_start, n) VALUES (0, 1);
ASSERT ERRORS z 1;

--@test: C38 edges of 10 s windows
--@until: end
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 0), ('a', 9999), ('a', 10000), ('a', 10001);
ASSERT VALUES o (window_start, window_end, n) VALUES (0, 10000, 2), (10000, 20000, 2);
ASSERT NO MORE VALUES o;

--@test: C38 a day is a day of UTC
--@until: end
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW TUMBLING(1d) EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1710115199999), ('a', 1710115200000);
ASSERT VALUES o (window_start, window_end, n) VALUES (1710028800000, 1710115200000, 1), (1710115200000, 1710201600000, 1);
ASSERT NO MORE VALUES o;

--@test: C38 thirty days are a multiple of 30 days since 1970
--@until: end
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW TUMBLING(30 DAYS) EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1710158400000);
ASSERT VALUES o (window_start, window_end, n) VALUES (1708128000000, 1710720000000, 1);
ASSERT NO MORE VALUES o;

--@test: C28 aggregates over integers
CREATE STREAM s (k VARCHAR(5), v INT, w BIGINT) WITH (topic='s', partitions=2);
CREATE TABLE o AS SELECT k, COUNT(*) c, COUNT(v) cv, COUNT(DISTINCT v) cd, SUM(v) sv, AVG(v) av, MIN(v) mi, MAX(v) ma, SUM(w) sw FROM s WINDOW TUMBLING(10s) GROUP BY k;
INSERT INTO s (k, v, w, _partition, _timestamp) VALUES ('a', 1, 9223372036854775807, 0, 1), ('a', 2, 1, 1, 2), ('a', NULL, 1, 0, 3), ('a', 2, NULL, 1, 4),
  ('b', 1500000000, NULL, 0, 5), ('b', 1500000000, NULL, 1, 6), ('b', 1500000000, NULL, 0, 7);
ASSERT TABLE o (k, c, cv, cd, sv, av, mi, ma, sw) VALUES ('a', 4, 3, 2, 5, 1.6667, 1, 2, 9223372036854775809), ('b', 3, 3, 1, 4500000000, 1500000000.0000, 1500000000, 1500000000, NULL);

--@test: C36 HAVING on a changing aggregate
CREATE STREAM st (k VARCHAR(5), v INT) WITH (topic='st', partitions=1);
CREATE TABLE o AS SELECT k, SUM(v) AS s FROM st GROUP BY k HAVING SUM(v) > 10 EMIT CHANGES;
INSERT INTO st (k, v, _timestamp) VALUES ('a', 4, 1), ('b', 11, 1), ('a', 7, 2), ('a', 5, 3), ('a', -10, 4);
ASSERT TABLE o (k, s) VALUES ('b', 11);
INSERT INTO st (k, v, _timestamp) VALUES ('a', -1, 5), ('a', 20, 6);
ASSERT TABLE o (k, s) VALUES ('a', 25), ('b', 11);

--@test: C52 GROUP BY an expression, an alias, a position
CREATE STREAM s (code VARCHAR(10), n INT) WITH (topic='s', partitions=2);
CREATE TABLE q1 AS SELECT SUBSTRING(code,1,2) AS p, COUNT(*) AS c FROM s WINDOW TUMBLING(10s) GROUP BY SUBSTRING(code,1,2);
CREATE TABLE q2 AS SELECT SUBSTRING(code,1,2) AS p, COUNT(*) AS c FROM s WINDOW TUMBLING(10s) GROUP BY p;
CREATE TABLE q3 AS SELECT SUBSTRING(code,1,2) AS p, COUNT(*) AS c FROM s WINDOW TUMBLING(10s) GROUP BY 1;
INSERT INTO s (code, n, _partition, _timestamp) VALUES ('AB1', 1, 0, 1), ('AB2', 1, 1, 2), ('CD1', 1, 0, 3);
ASSERT TABLE q1 (p, c) VALUES ('AB', 2), ('CD', 1);
ASSERT TABLE q2 (p, c) VALUES ('AB', 2), ('CD', 1);
ASSERT TABLE q3 (p, c) VALUES ('AB', 2), ('CD', 1);

--@test: C52 an ungrouped column
--@expect.error: code
CREATE STREAM s (code VARCHAR(10), n INT) WITH (topic='s', partitions=2);
CREATE TABLE q4 AS SELECT code, COUNT(*) AS c FROM s WINDOW TUMBLING(10s) GROUP BY SUBSTRING(code,1,2);

--@test: C54 a record near the message size limit
CREATE STREAM s (id INT, txt TEXT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT id, CHAR_LENGTH(MAX(txt)) AS n FROM s WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL;
INSERT INTO s (id, txt, _partition, _timestamp) VALUES (1, REPEAT('x', 1047000), 0, 1), (2, 'y', 1, 2), (-1, 't', 0, 20000), (-1, 't', 1, 20000);
ASSERT VALUES o (id, n) VALUES (1, 1047000), (2, 1);
ASSERT NO MORE VALUES o;

--@test: S1 sums of DOUBLE do not depend on order
CREATE STREAM s (k VARCHAR, x DOUBLE) WITH (topic='s', partitions=3);
CREATE TABLE o AS SELECT k, SUM(x) AS t FROM s WINDOW TUMBLING(10s) GROUP BY k;
INSERT INTO s (k, x, _partition, _timestamp) VALUES ('a', 1e16, 0, 1), ('a', 1e0, 1, 2), ('a', -1e16, 2, 3);
ASSERT TABLE o (k, t) VALUES ('a', 1);

--@test: S2 disorder 0, ts 15000, grace 5000 closes [0,10000); 14999 does not
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GRACE 5s GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000), ('b', 14999);
ASSERT NO MORE VALUES o;
INSERT INTO s (k, _timestamp) VALUES ('b', 15000);
ASSERT VALUES o (k, n) VALUES ('a', 1);
ASSERT NO MORE VALUES o;

--@test: S2 disorder holds the watermark back
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1, disorder='3s');
CREATE STREAM o AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000), ('b', 12999), ('a', 9000);
ASSERT NO MORE VALUES o;
INSERT INTO s (k, _timestamp) VALUES ('b', 13000), ('a', 9999);
ASSERT VALUES o (k, n) VALUES ('a', 2);
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: S2 four partitions idle at once close up to the newest row
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=4);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 1000), ('a', 1, 12000), ('a', 2, 25000), ('a', 3, 31000);
ASSERT NO MORE VALUES o;
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:00:20';
ASSERT VALUES o (window_start, k, n) VALUES (0, 'a', 1), (10000, 'a', 1), (20000, 'a', 1);
ASSERT NO MORE VALUES o;

--@test: S2 a row too far in the future is refused and moves no watermark
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000), ('far', 1893463200000), ('a', 2000), ('tick', 10000);
ASSERT VALUES o (k, n) VALUES ('a', 2);
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 1;
ASSERT LATE s 0;

--@test: S2 every decoded row moves the watermark, before WHERE
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) WHERE k = 'a' GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000), ('b', 10000);
ASSERT VALUES o (k, n) VALUES ('a', 1);
ASSERT NO MORE VALUES o;

--@test: S2 the output's time is the window's end less 1 ms, or the largest time folded in
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM f AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
CREATE TABLE c AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
INSERT INTO s (k, _timestamp) VALUES ('a', 2000), ('a', 1000), ('tick', 10000);
ASSERT VALUES f (k, n, _timestamp) VALUES ('a', 2, 9999);
ASSERT TABLE c (k, n, _timestamp) VALUES ('a', 2, 2000), ('tick', 1, 10000);

--@test: S3 lateness is judged by the row's own partition, before any shuffle
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 20000), ('a', 1, 1000), ('a', 0, 9000), ('a', 1, 25000);
ASSERT VALUES o (window_start, k, n) VALUES (0, 'a', 1);
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: S7 changes go only into a table
--@expect.error: TABLE
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, COUNT(*) AS n FROM s GROUP BY k EMIT CHANGES;
