--@test: an aggregate that is written once and joined with itself in place
CREATE STREAM s (k VARCHAR, n INT) WITH (topic='s', partitions=3);
CREATE TABLE o AS WITH sums AS (SELECT k, SUM(n) AS total FROM s GROUP BY k) SELECT a.k, a.total, b.total + 1 AS more FROM sums a JOIN sums b ON a.k = b.k;
INSERT INTO s (k, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('b', 5, 1, 1000), ('a', 2, 2, 1500);
ASSERT TABLE o (k, total, more) VALUES ('a', 3, 4), ('b', 5, 6);
CRASH;
INSERT INTO s (k, n, _partition, _timestamp) VALUES ('b', 10, 0, 2000), ('c', 7, 1, 2000);
ASSERT TABLE o (k, total, more) VALUES ('a', 3, 4), ('b', 15, 16), ('c', 7, 8);

--@test: one moved by another column than its own meets itself there
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=3);
CREATE TABLE o AS WITH c AS (SELECT k, COUNT(*) AS n FROM s GROUP BY k) SELECT a.k AS x, b.k AS y FROM c a JOIN c b ON a.n = b.n AND a.k < b.k;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 1000), ('b', 1, 1000), ('c', 2, 1000), ('c', 0, 1001);
ASSERT TABLE o (x, y) VALUES ('a', 'b');
INSERT INTO s (k, _partition, _timestamp) VALUES ('b', 2, 2000);
ASSERT TABLE o (x, y) VALUES ('b', 'c');
CRASH;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 1, 3000);
ASSERT TABLE o (x, y) VALUES ('a', 'b'), ('a', 'c'), ('b', 'c');

--@test: hot items: the counts of a window beside the largest of them
--@until: end
CREATE STREAM bid (auction BIGINT) WITH (topic='bid', partitions=3);
CREATE STREAM o AS
  WITH counts AS (SELECT auction, COUNT(*) AS num, window_start AS st FROM bid WINDOW TUMBLING(10s) GROUP BY auction EMIT FINAL),
    most AS (SELECT st, MAX(num) AS maxn FROM counts WINDOW TUMBLING(10s) GROUP BY st EMIT FINAL)
  SELECT c.auction, c.num, c.st FROM counts c JOIN most m WITHIN 0s ON c.st = m.st AND c.num = m.maxn;
INSERT INTO bid (auction, _partition, _timestamp) VALUES (1, 0, 1000), (1, 1, 2000), (2, 2, 3000), (3, 0, 4000), (3, 1, 5000), (2, 2, 11000), (1, 0, 12000), (2, 1, 19999);
ASSERT VALUES o (auction, num, st) VALUES (1, 2, 0), (3, 2, 0), (2, 2, 10000);
ASSERT NO MORE VALUES o;

--@test: UNION ALL of two uses with conditions of their own
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=2);
CREATE STREAM o AS
  WITH c AS (SELECT k, COUNT(*) AS n, window_start AS st FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL)
  SELECT k, n, 'many' AS how FROM c WHERE n > 1 UNION ALL SELECT UPPER(k), n, 'few' FROM c WHERE n < 3;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 1000), ('b', 0, 1000), ('b', 1, 2000), ('c', 1, 3000), ('c', 0, 4000), ('c', 1, 9999);
INSERT INTO s (k, _partition, _timestamp) VALUES ('tick', 0, 10000), ('tick', 1, 10000);
ASSERT VALUES o (k, n, how) VALUES ('A', 1, 'few'), ('b', 2, 'many'), ('B', 2, 'few'), ('c', 3, 'many');
ASSERT NO MORE VALUES o;
CRASH;
INSERT INTO s (k, _partition, _timestamp) VALUES ('tock', 0, 20000), ('tock', 1, 20000);
ASSERT VALUES o (k, n, how) VALUES ('tick', 2, 'many'), ('TICK', 2, 'few');
ASSERT NO MORE VALUES o;

--@test: an aggregate of an aggregate, joined back to the first
CREATE STREAM s (g VARCHAR, k VARCHAR) WITH (topic='s', partitions=3);
CREATE TABLE o AS
  WITH c AS (SELECT g, k, COUNT(*) AS n FROM s GROUP BY g, k), top AS (SELECT g, MAX(n) AS most FROM c GROUP BY g)
  SELECT c.g, c.k, c.n FROM c JOIN top ON c.g = top.g WHERE c.n = top.most;
INSERT INTO s (g, k, _partition, _timestamp) VALUES ('x', 'a', 0, 1000), ('x', 'b', 1, 1000), ('x', 'b', 2, 2000), ('y', 'a', 0, 1000), ('y', 'c', 1, 1000);
ASSERT TABLE o (g, k, n) VALUES ('x', 'b', 2), ('y', 'a', 1), ('y', 'c', 1);
CRASH;
INSERT INTO s (g, k, _partition, _timestamp) VALUES ('x', 'a', 1, 3000), ('x', 'a', 0, 3000), ('y', 'c', 2, 3000);
ASSERT TABLE o (g, k, n) VALUES ('x', 'a', 3), ('y', 'c', 2);

--@test: IN and NOT IN (SELECT … FROM the same expression)
CREATE STREAM s (k VARCHAR, up VARCHAR) WITH (topic='s', partitions=3);
CREATE TABLE inside AS WITH c AS (SELECT k, MAX(up) AS up, COUNT(*) AS n FROM s GROUP BY k) SELECT k, n FROM c WHERE up IN (SELECT k FROM c WHERE n > 1);
CREATE TABLE outside AS WITH c AS (SELECT k, MAX(up) AS up, COUNT(*) AS n FROM s GROUP BY k) SELECT k, n FROM c WHERE up NOT IN (SELECT k FROM c WHERE n > 1 AND k IS NOT NULL);
INSERT INTO s (k, up, _partition, _timestamp) VALUES ('a', 'b', 0, 1000), ('b', 'b', 1, 1000), ('c', 'a', 2, 1000);
ASSERT TABLE inside (k, n) VALUES;
ASSERT TABLE outside (k, n) VALUES ('a', 1), ('b', 1), ('c', 1);
INSERT INTO s (k, up, _partition, _timestamp) VALUES ('b', 'b', 0, 2000);
ASSERT TABLE inside (k, n) VALUES ('a', 1), ('b', 2);
ASSERT TABLE outside (k, n) VALUES ('c', 1);
CRASH;
INSERT INTO s (k, up, _partition, _timestamp) VALUES ('a', 'b', 2, 3000);
ASSERT TABLE inside (k, n) VALUES ('a', 2), ('b', 2), ('c', 1);
ASSERT TABLE outside (k, n) VALUES;

--@test: a view that is read three times, beside a table and alone
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=3);
CREATE TABLE t (k VARCHAR PRIMARY KEY, v VARCHAR) WITH (topic='t', partitions=2, key='k');
CREATE VIEW c AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
CREATE STREAM o AS SELECT c.k, c.n, t.v FROM c JOIN t ON c.k = t.k UNION ALL SELECT k, n, 'all' FROM c UNION ALL (SELECT MAX(k), MAX(n), 'top' FROM c WINDOW TUMBLING(10s) EMIT FINAL);
INSERT INTO t (k, v, _timestamp) VALUES ('a', 'Ann', 0);
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 1000), ('b', 1, 1000), ('a', 2, 2000);
INSERT INTO s (k, _partition, _timestamp) VALUES ('tick', 0, 10000), ('tick', 1, 10000), ('tick', 2, 10000);
ASSERT VALUES o (k, n, v) VALUES ('a', 2, 'Ann'), ('a', 2, 'all'), ('b', 1, 'all'), ('b', 2, 'top');
ASSERT NO MORE VALUES o;
CRASH;
INSERT INTO t (k, v, _timestamp) VALUES ('tick', 'Tock', 3000);
INSERT INTO s (k, _partition, _timestamp) VALUES ('x', 0, 20000), ('x', 1, 20000), ('x', 2, 20000);
ASSERT VALUES o (k, n, v) VALUES ('tick', 3, 'Tock'), ('tick', 3, 'all'), ('tick', 3, 'top');
ASSERT NO MORE VALUES o;

--@test: a stream joined with itself is moved once
CREATE STREAM s (k VARCHAR, n INT) WITH (topic='s', partitions=3);
CREATE STREAM o AS SELECT a.k, a.n, b.n AS m FROM s a JOIN s b WITHIN 5s ON a.k = b.k AND a.n < b.n;
INSERT INTO s (k, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 3000), ('b', 3, 2, 3000);
ASSERT VALUES o (k, n, m) VALUES ('a', 1, 2);
ASSERT NO MORE VALUES o;
CRASH;
INSERT INTO s (k, n, _partition, _timestamp) VALUES ('a', 3, 2, 7000), ('b', 1, 0, 4000);
ASSERT VALUES o (k, n, m) VALUES ('a', 2, 3), ('b', 1, 3);
ASSERT NO MORE VALUES o;

--@test: a row that is late for one reader only is in the rows of the other
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS
  WITH firsts AS (SELECT DISTINCT k FROM s WINDOW TUMBLING(10s) GRACE 20s)
  (SELECT 'short' AS w, COUNT(*) AS c, window_start AS st FROM firsts WINDOW TUMBLING(1s) EMIT FINAL)
  UNION ALL (SELECT 'long', COUNT(*), window_start FROM firsts WINDOW TUMBLING(1s) GRACE 20s EMIT FINAL);
INSERT INTO s (k, _timestamp) VALUES ('a', 500), ('a', 600), ('tick', 1500), ('b', 700), ('tock', 61500);
ASSERT VALUES o (w, c, st) VALUES ('short', 1, 0), ('long', 2, 0), ('short', 1, 1000), ('long', 1, 1000);
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: a shared part that is taken back, row by row
CREATE TABLE t (id INT PRIMARY KEY, k VARCHAR, n INT) WITH (topic='t', partitions=3, key='id');
CREATE TABLE o AS
  WITH sums AS (SELECT k, SUM(n) AS total FROM t GROUP BY k)
  SELECT k, total, total * 100 / (SELECT SUM(total) FROM sums) AS share FROM sums;
INSERT INTO t (id, k, n, _timestamp) VALUES (1, 'a', 30, 0), (2, 'b', 50, 0), (3, 'a', 20, 0);
ASSERT TABLE o (k, total, share) VALUES ('a', 50, 50), ('b', 50, 50);
CRASH;
INSERT INTO t (id, k, n, _timestamp) VALUES (3, 'b', 20, 1000), (1, 'a', 10, 1000), (4, 'c', 20, 1000);
ASSERT TABLE o (k, total, share) VALUES ('a', 10, 10), ('b', 70, 70), ('c', 20, 20);
