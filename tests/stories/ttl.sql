--@test: a group that was not touched for ttl goes by a tombstone, and begins anew
CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=1);
CREATE TABLE o WITH (ttl = '10s') AS SELECT k, COUNT(*) AS n, SUM(v) AS t FROM s GROUP BY k;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 1, 1000), ('b', 1, 5000), ('a', 2, 11000), ('a', 4, 12000);
ASSERT TABLE o (k, n, t) VALUES ('a', 3, 7), ('b', 1, 1);
INSERT INTO s (k, v, _timestamp) VALUES ('c', 1, 15000);
ASSERT TABLE o (k, n, t) VALUES ('a', 3, 7), ('b', 1, 1), ('c', 1, 1);
INSERT INTO s (k, v, _timestamp) VALUES ('c', 1, 15001);
ASSERT TABLE o (k, n, t) VALUES ('a', 3, 7), ('c', 2, 2);
CRASH;
INSERT INTO s (k, v, _timestamp) VALUES ('b', 8, 16000), ('a', 8, 22001);
ASSERT TABLE o (k, n, t) VALUES ('a', 1, 8), ('b', 1, 8), ('c', 2, 2);
ASSERT LATE s 0;

--@test: rows that come late within their disorder count for the group they belong to, whatever the order
CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=2, disorder='1m');
CREATE TABLE o WITH (ttl = '10s') AS SELECT k, SUM(v) AS t FROM s GROUP BY k;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 100000), ('a', 2, 1, 120000);
ASSERT TABLE o (k, t) VALUES ('a', 2);
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 4, 0, 95000);
ASSERT TABLE o (k, t) VALUES ('a', 2);
RESTART;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 8, 1, 110000);
ASSERT TABLE o (k, t) VALUES ('a', 15);
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 16, 1, 130001);
ASSERT TABLE o (k, t) VALUES ('a', 16);

--@test: a row later than ttl behind the watermark of its partition is late
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1);
CREATE TABLE o WITH (ttl = '10s') AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
INSERT INTO s (k, _timestamp) VALUES ('a', 30000), ('b', 20000), ('c', 19999), ('a', 25000);
ASSERT TABLE o (k, n) VALUES ('a', 2), ('b', 1);
ASSERT LATE s 1;

--@test: HAVING is about the newest rows of a group
CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=1, disorder='1m');
CREATE TABLE o WITH (ttl = '10s') AS SELECT k, SUM(v) AS t FROM s GROUP BY k HAVING SUM(v) > 5;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 6, 1000), ('b', 6, 1000), ('a', 3, 20000);
ASSERT TABLE o (k, t) VALUES ('b', 6);
CRASH;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 3, 21000);
ASSERT TABLE o (k, t) VALUES ('a', 6), ('b', 6);
INSERT INTO s (k, v, _timestamp) VALUES ('c', 0, 71001);
ASSERT TABLE o (k, t) VALUES ('a', 6);

--@test: a bounded run ends at its newest row, and what was touched before that by less than ttl stays
--@until: end
CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=3);
CREATE TABLE o WITH (ttl = '10s') AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('b', 1, 1, 10001), ('c', 1, 2, 20000), ('d', 1, 0, 10000);
ASSERT TABLE o (k, n) VALUES ('b', 1), ('c', 1);

--@test: DISTINCT with ttl counts from the last row of a key, not from the one that passed
CREATE STREAM s (k VARCHAR, v INT) WITH (topic='s', partitions=1);
CREATE STREAM o WITH (ttl = '10s') AS SELECT DISTINCT ON (k) k, v FROM s;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 1, 0), ('a', 2, 8000), ('a', 3, 18000), ('a', 4, 28001), ('a', 5, 30000), ('tick', 0, 30001);
ASSERT VALUES o (k, v) VALUES ('a', 1), ('a', 4);
ASSERT NO MORE VALUES o;
CRASH;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 6, 40000), ('a', 7, 50001), ('tick', 0, 60000);
ASSERT VALUES o (k, v) VALUES ('tick', 0), ('a', 7);
ASSERT NO MORE VALUES o;
