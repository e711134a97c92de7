--@test: an aggregate over a table follows its rows: an update takes the old value out
CREATE TABLE t (id VARCHAR PRIMARY KEY, region VARCHAR, v INT) WITH (topic='t', partitions=2, key='id');
CREATE TABLE o AS SELECT region, COUNT(*) AS n, SUM(v) AS total, MAX(v) AS most FROM t GROUP BY region;
INSERT INTO t (id, region, v, _timestamp) VALUES ('a', 'eu', 5, 1000), ('b', 'eu', 7, 1000), ('c', 'us', 1, 1000);
ASSERT TABLE o (region, n, total, most) VALUES ('eu', 2, 12, 7), ('us', 1, 1, 1);
INSERT INTO t (id, region, v, _timestamp) VALUES ('b', 'us', 9, 2000), ('a', 'eu', 6, 2000);
ASSERT TABLE o (region, n, total, most) VALUES ('eu', 1, 6, 6), ('us', 2, 10, 9);
CRASH;
INSERT INTO t (id, region, v, _timestamp) VALUES ('c', 'eu', 3, 3000);
ASSERT TABLE o (region, n, total, most) VALUES ('eu', 2, 9, 6), ('us', 1, 9, 9);

--@test: a deleted row leaves its group, the last one takes the group along
CREATE TABLE t (id VARCHAR PRIMARY KEY, g VARCHAR) WITH (topic='t', partitions=1, key='id');
CREATE TABLE o AS SELECT g, COUNT(*) AS n FROM t GROUP BY g;
INSERT INTO t (id, g, _timestamp) VALUES ('a', 'x', 1000), ('b', 'x', 1000), ('c', 'y', 1000);
INSERT INTO t RAW (_partition, _timestamp, _key, _value) VALUES (0, 2000, 'a', NULL), (0, 2000, 'c', NULL);
ASSERT TABLE o (g, n) VALUES ('x', 1);

--@test: rows of a table that come out of order: the newest by event time counts, whatever came last
CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=3, disorder='10s');
CREATE TABLE o AS SELECT v, COUNT(*) AS n FROM t GROUP BY v;
INSERT INTO t (id, v, _partition, _timestamp) VALUES ('a', 2, 0, 5000), ('a', 1, 1, 3000), ('b', 1, 2, 1000), ('b', 3, 2, 500);
ASSERT TABLE o (v, n) VALUES (2, 1), (1, 1);

--@test: an aggregate of an aggregate: the inner groups move between the outer ones
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=3);
CREATE TABLE o AS SELECT n, COUNT(*) AS ids FROM (SELECT id, COUNT(*) AS n FROM s GROUP BY id) AS q GROUP BY n;
INSERT INTO s (id, _partition, _timestamp) VALUES ('a', 0, 1000), ('b', 1, 1000), ('a', 2, 2000), ('c', 0, 2000), ('a', 1, 3000), ('b', 2, 3000);
ASSERT TABLE o (n, ids) VALUES (3, 1), (2, 1), (1, 1);
CRASH;
INSERT INTO s (id, _partition, _timestamp) VALUES ('c', 0, 4000);
ASSERT TABLE o (n, ids) VALUES (3, 1), (2, 2);

--@test: the average of the highest prices: the inner maximum changes, the outer mean follows (Nexmark q4 in small)
CREATE STREAM bid (auction INT, price INT) WITH (topic='bid', partitions=2);
CREATE TABLE o AS SELECT auction % 2 AS category, AVG(best) AS mean FROM (SELECT auction, MAX(price) AS best FROM bid GROUP BY auction) AS q GROUP BY category;
INSERT INTO bid (auction, price, _partition, _timestamp) VALUES (1, 10, 0, 1000), (1, 30, 1, 1000), (3, 20, 0, 1000), (2, 5, 1, 1000), (1, 20, 0, 2000);
ASSERT TABLE o (category, mean) VALUES (1, 25.0000), (0, 5.0000);

--@test: a table from a table that is not partitioned by its key
CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=3);
CREATE TABLE o AS SELECT id, v * 10 AS w FROM t WHERE v < 5;
INSERT INTO t (id, v, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 2000), ('b', 3, 2, 1000), ('b', 9, 0, 3000), ('c', 4, 1, 2000), ('c', 3, 2, 1000);
ASSERT TABLE o (id, w) VALUES ('a', 20), ('c', 40);

--@test: HAVING over a changing input takes a group away and brings it back
CREATE TABLE t (id VARCHAR PRIMARY KEY, g VARCHAR) WITH (topic='t', partitions=1, key='id');
CREATE TABLE o AS SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING COUNT(*) > 1;
INSERT INTO t (id, g, _timestamp) VALUES ('a', 'x', 1000), ('b', 'x', 1000), ('c', 'y', 1000);
ASSERT TABLE o (g, n) VALUES ('x', 2);
INSERT INTO t (id, g, _timestamp) VALUES ('b', 'y', 2000);
ASSERT TABLE o (g, n) VALUES ('y', 2);

--@test: COUNT(DISTINCT), GROUP_CONCAT and the like take a row back
CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=1, key='id');
CREATE TABLE o AS SELECT COUNT(*) AS n, COUNT(DISTINCT v) AS d, GROUP_CONCAT(id ORDER BY id) AS ids, MIN(v) AS least FROM t;
INSERT INTO t (id, v, _timestamp) VALUES ('a', 1, 1000), ('b', 1, 1000), ('c', 2, 1000);
ASSERT TABLE o (n, d, ids, least) VALUES (3, 2, 'a,b,c', 1);
INSERT INTO t (id, v, _timestamp) VALUES ('a', 3, 2000), ('b', 3, 2000);
ASSERT TABLE o (n, d, ids, least) VALUES (3, 2, 'a,b,c', 2);

--@test: the two dearest of each group, with their numbers
CREATE STREAM s (g VARCHAR, v INT) WITH (topic='s', partitions=3);
CREATE TABLE o AS SELECT g, v, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC) AS nr FROM s QUALIFY nr <= 2;
INSERT INTO s (g, v, _partition, _timestamp) VALUES ('a', 3, 0, 1000), ('a', 5, 1, 1000), ('a', 4, 2, 1000), ('b', 1, 0, 1000);
ASSERT TABLE o (g, v, nr) VALUES ('a', 5, 1), ('a', 4, 2), ('b', 1, 1);
CRASH;
INSERT INTO s (g, v, _partition, _timestamp) VALUES ('a', 9, 0, 2000), ('b', 0, 1, 2000);
ASSERT TABLE o (g, v, nr) VALUES ('a', 9, 1), ('a', 5, 2), ('b', 1, 1), ('b', 0, 2);

--@test: keep the newest row of each key, by a sub-query
CREATE STREAM s (id VARCHAR, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL 5 SECOND) WITH (topic='s', partitions=3);
CREATE TABLE o AS SELECT id, v FROM (SELECT id, v, ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts DESC) AS r FROM s) AS q WHERE r = 1;
INSERT INTO s (id, v, ts, _partition) VALUES ('a', 1, TIMESTAMP '2030-01-01 00:00:01', 0), ('a', 2, TIMESTAMP '2030-01-01 00:00:03', 1), ('a', 3, TIMESTAMP '2030-01-01 00:00:02', 2), ('b', 7, TIMESTAMP '2030-01-01 00:00:01', 0);
ASSERT TABLE o (id, v) VALUES ('a', 2), ('b', 7);

--@test: the best of each group of a table: when it goes the next one comes up
CREATE TABLE t (id VARCHAR PRIMARY KEY, g VARCHAR, v INT) WITH (topic='t', partitions=2, key='id');
CREATE TABLE o AS SELECT g, id, v FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC) = 1;
INSERT INTO t (id, g, v, _timestamp) VALUES ('a', 'x', 5, 1000), ('b', 'x', 7, 1000), ('c', 'y', 1, 1000);
ASSERT TABLE o (g, id, v) VALUES ('x', 'b', 7), ('y', 'c', 1);
INSERT INTO t (id, g, v, _timestamp) VALUES ('b', 'y', 7, 2000);
ASSERT TABLE o (g, id, v) VALUES ('x', 'a', 5), ('y', 'b', 7);

--@test: RANK lets equal rows stand together
CREATE STREAM s (g VARCHAR, who VARCHAR, v INT) WITH (topic='s', partitions=2);
CREATE TABLE o AS SELECT g, SUM(v) AS total, COUNT(*) AS n FROM (SELECT g, who, v, RANK() OVER (PARTITION BY g ORDER BY v DESC) AS r FROM s) AS q WHERE r <= 2 GROUP BY g;
INSERT INTO s (g, who, v, _partition, _timestamp) VALUES ('a', 'p', 5, 0, 1000), ('a', 'q', 5, 1, 1000), ('a', 'r', 4, 0, 1000), ('b', 'p', 1, 1, 1000), ('b', 'q', 2, 0, 1000);
ASSERT TABLE o (g, total, n) VALUES ('a', 10, 2), ('b', 3, 2);

--@test: EXCEPT of tables follows both
CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=2, key='id');
CREATE TABLE u (id VARCHAR PRIMARY KEY, v INT) WITH (topic='u', partitions=1, key='id');
CREATE TABLE o AS SELECT v FROM t EXCEPT SELECT v FROM u;
INSERT INTO t (id, v, _timestamp) VALUES ('a', 1, 1000), ('b', 2, 1000), ('c', 2, 1000);
INSERT INTO u (id, v, _timestamp) VALUES ('x', 2, 1000);
ASSERT TABLE o (v) VALUES (1);
INSERT INTO u (id, v, _timestamp) VALUES ('x', 1, 2000);
ASSERT TABLE o (v) VALUES (2);

--@test: DISTINCT over a table: a value stands while one of its rows does
CREATE TABLE t (id VARCHAR PRIMARY KEY, city VARCHAR, n INT) WITH (topic='t', partitions=2, key='id');
CREATE TABLE o AS SELECT DISTINCT city, n > 1 AS more FROM t;
INSERT INTO t (id, city, n, _timestamp) VALUES ('a', 'Ulm', 1, 1000), ('b', 'Ulm', 1, 1000), ('c', 'Rom', 2, 1000);
ASSERT TABLE o (city, more) VALUES ('Ulm', FALSE), ('Rom', TRUE);
INSERT INTO t (id, city, n, _timestamp) VALUES ('a', 'Rom', 1, 2000), ('b', 'Rom', 5, 2000);
ASSERT TABLE o (city, more) VALUES ('Rom', FALSE), ('Rom', TRUE);

--@test: a group whose key is NULL has no name in a table: it is reported, the others go on
CREATE STREAM s (g VARCHAR, n INT) WITH (topic='s', partitions=2);
CREATE TABLE o AS SELECT g, SUM(n) AS total FROM s GROUP BY g;
CREATE TABLE p AS SELECT COALESCE(g, '?') AS g, SUM(n) AS total FROM s GROUP BY COALESCE(g, '?');
INSERT INTO s (g, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), (NULL, 2, 1, 1000), ('a', 3, 1, 2000), (NULL, 4, 0, 2000);
ASSERT TABLE o (g, total) VALUES ('a', 4);
ASSERT TABLE p (g, total) VALUES ('a', 4), ('?', 6);
