--@test: keep the first row of each key, final: the earliest by event time, whatever came first
CREATE STREAM s (id VARCHAR, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL 5 SECOND) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT id, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts) = 1;
INSERT INTO s (id, v, ts, _partition) VALUES ('a', 1, TIMESTAMP '2030-01-01 00:00:03', 0), ('a', 2, TIMESTAMP '2030-01-01 00:00:01', 0), ('b', 3, TIMESTAMP '2030-01-01 00:00:02', 1), ('a', 4, TIMESTAMP '2030-01-01 00:00:02', 1);
ASSERT NO MORE VALUES o;
INSERT INTO s (id, v, ts, _partition) VALUES ('tick', 0, TIMESTAMP '2030-01-01 00:01:00', 0), ('tick', 0, TIMESTAMP '2030-01-01 00:01:00', 1);
ASSERT VALUES o (id, v) VALUES ('a', 2), ('b', 3);
ASSERT NO MORE VALUES o;

--@test: the difference to the row before, in the order of event time
--@until: end
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=3, disorder='1m');
CREATE STREAM o AS SELECT id, v, v - LAG(v) OVER w AS d, LAG(v, 2, -1) OVER w AS two, COUNT(*) OVER w AS n FROM s WINDOW w AS (PARTITION BY id ORDER BY _timestamp);
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 10, 0, 1000), ('a', 17, 1, 3000), ('a', 12, 2, 2000), ('b', 5, 0, 1000), ('a', 20, 1, 4000), ('b', 6, 2, 5000);
CRASH;
ASSERT VALUES o (id, v, d, two, n) VALUES ('a', 10, NULL, -1, 1), ('a', 12, 2, -1, 2), ('a', 17, 5, 10, 3), ('a', 20, 3, 12, 4), ('b', 5, NULL, -1, 1), ('b', 6, 1, -1, 2);
ASSERT NO MORE VALUES o;

--@test: what is carried on from row to row survives a crash
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, v, SUM(v) OVER (PARTITION BY id ORDER BY _timestamp) AS total, LAG(v) OVER (PARTITION BY id ORDER BY _timestamp) AS before FROM s;
INSERT INTO s (id, v, _timestamp) VALUES ('a', 1, 1000), ('a', 2, 2000);
CRASH;
INSERT INTO s (id, v, _timestamp) VALUES ('a', 4, 3000), ('tick', 0, 9000);
ASSERT VALUES o (id, v, total, before) VALUES ('a', 1, 1, NULL), ('a', 2, 3, 1), ('a', 4, 7, 2);
ASSERT NO MORE VALUES o;

--@test: what the last ten seconds come to, for every row
--@until: end
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=2, disorder='1m');
CREATE STREAM o AS SELECT id, _timestamp AS at, SUM(v) OVER (PARTITION BY id ORDER BY _timestamp RANGE BETWEEN 10s PRECEDING AND CURRENT ROW) AS total, AVG(v) OVER (PARTITION BY id ORDER BY _timestamp ROWS 1 PRECEDING) AS mean FROM s;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 5000), ('a', 4, 0, 11000), ('a', 8, 1, 15001), ('b', 100, 0, 9000);
ASSERT VALUES o (id, at, total, mean) VALUES ('a', 1000, 1, 1.0000), ('a', 5000, 3, 1.5000), ('a', 11000, 7, 3.0000), ('a', 15001, 12, 6.0000), ('b', 9000, 100, 100.0000);
ASSERT NO MORE VALUES o;

--@test: rows of one instant are peers: a frame in time holds them all
--@until: end
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=2, disorder='1m');
CREATE STREAM o AS SELECT id, v, SUM(v) OVER (PARTITION BY id ORDER BY _timestamp) AS running, RANK() OVER (PARTITION BY id ORDER BY _timestamp) AS r FROM s;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 1000), ('a', 4, 0, 2000);
ASSERT VALUES o (id, v, running, r) VALUES ('a', 1, 3, 1), ('a', 2, 3, 1), ('a', 4, 7, 3);
ASSERT NO MORE VALUES o;

--@test: in another order than that of time, what is computed changes as rows come
CREATE TABLE t (id VARCHAR PRIMARY KEY, g VARCHAR, v INT) WITH (topic='t', partitions=2, key='id');
CREATE TABLE o AS SELECT id, LEAD(id, 1, 'none') OVER (PARTITION BY g ORDER BY v) AS next, COUNT(*) OVER (PARTITION BY g) AS n FROM t;
INSERT INTO t (id, g, v, _timestamp) VALUES ('a', 'x', 5, 1000), ('b', 'x', 9, 1000), ('c', 'y', 1, 1000);
ASSERT TABLE o (id, next, n) VALUES ('a', 'b', 2), ('b', 'none', 2), ('c', 'none', 1);
INSERT INTO t (id, g, v, _timestamp) VALUES ('c', 'x', 7, 2000);
ASSERT TABLE o (id, next, n) VALUES ('a', 'c', 3), ('c', 'b', 3), ('b', 'none', 3);

--@test: the mean of the last three winners of each seller follows the winners (Nexmark q6 in small)
CREATE STREAM bid (auction INT, seller VARCHAR, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE) WITH (topic='bid', partitions=2);
CREATE TABLE o AS SELECT seller, auction, AVG(price) OVER (PARTITION BY seller ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS mean
  FROM (SELECT * FROM bid QUALIFY ROW_NUMBER() OVER (PARTITION BY auction, seller ORDER BY price DESC) <= 1) AS q;
INSERT INTO bid (auction, seller, price, ts, _partition) VALUES (1, 'x', 10, TIMESTAMP '2030-01-01 00:00:01', 0), (1, 'x', 20, TIMESTAMP '2030-01-01 00:00:02', 1), (2, 'x', 40, TIMESTAMP '2030-01-01 00:00:03', 0), (3, 'y', 7, TIMESTAMP '2030-01-01 00:00:01', 1);
ASSERT TABLE o (seller, auction, mean) VALUES ('x', 1, 20.0000), ('x', 2, 30.0000), ('y', 3, 7.0000);
CRASH;
INSERT INTO bid (auction, seller, price, ts, _partition) VALUES (1, 'x', 80, TIMESTAMP '2030-01-01 00:00:09', 0);
ASSERT TABLE o (seller, auction, mean) VALUES ('x', 1, 60.0000), ('x', 2, 40.0000), ('y', 3, 7.0000);
