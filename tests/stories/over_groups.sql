--@test: OVER is computed over the groups, after HAVING
CREATE STREAM orders (customer VARCHAR, amount INT) WITH (topic = 'orders', partitions = 3);
CREATE TABLE best AS SELECT customer, SUM(amount) AS total, RANK() OVER (ORDER BY SUM(amount) DESC) AS place FROM orders GROUP BY customer HAVING COUNT(*) > 1 QUALIFY place <= 2;
CREATE TABLE shares AS SELECT customer, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS orders, COUNT(*) * 100 DIV SUM(COUNT(*)) OVER () AS percent FROM orders GROUP BY customer;
INSERT INTO orders (customer, amount, _partition, _timestamp) VALUES ('a', 10, 0, 1000), ('b', 50, 1, 1500), ('a', 20, 2, 2000), ('b', 1, 0, 3000), ('c', 999, 1, 3500);
ASSERT TABLE best (customer, total, place) VALUES ('b', 51, 1), ('a', 30, 2);
ASSERT TABLE shares (customer, n, orders, percent) VALUES ('a', 2, 5, 40), ('b', 2, 5, 40), ('c', 1, 5, 20);
INSERT INTO orders (customer, amount, _partition, _timestamp) VALUES ('c', 1, 2, 4000), ('d', 7, 0, 5000), ('d', 7, 1, 6000);
ASSERT TABLE best (customer, total, place) VALUES ('c', 1000, 1), ('b', 51, 2);
ASSERT TABLE shares (customer, n, orders, percent) VALUES ('a', 2, 8, 25), ('b', 2, 8, 25), ('c', 2, 8, 25), ('d', 2, 8, 25);

--@test: each window beside the one before, final as time passes
CREATE STREAM s (k VARCHAR, v INT) WITH (topic = 's', partitions = 2);
CREATE STREAM o AS SELECT k, window_start, SUM(v) AS total, SUM(v) - LAG(SUM(v)) OVER (PARTITION BY k ORDER BY window_start) AS more
  FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 5000), ('b', 9, 0, 5000), ('a', 8, 0, 15000), ('a', 4, 1, 31000), ('tick', 0, 0, 60000), ('tick', 0, 1, 60000);
ASSERT VALUES o (k, window_start, total, more) VALUES ('a', 0, 3, NULL), ('b', 0, 9, NULL), ('a', 10000, 8, 5), ('a', 30000, 4, -4);
ASSERT NO MORE VALUES o;

--@test: the first groups of each window
--@until: end
CREATE STREAM s (k VARCHAR) WITH (topic = 's', partitions = 3);
CREATE TABLE o AS SELECT k, window_start, COUNT(*) AS n, ROW_NUMBER() OVER (PARTITION BY window_start ORDER BY COUNT(*) DESC, k) AS place FROM s WINDOW TUMBLING(10s) GROUP BY k QUALIFY place <= 2 EMIT FINAL;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 1000), ('b', 1, 2000), ('b', 2, 3000), ('c', 0, 4000), ('d', 0, 14000);
ASSERT TABLE o (window_start, place, k, n) VALUES (0, 1, 'b', 2), (0, 2, 'a', 1), (10000, 1, 'd', 1);

--@test: DISTINCT over groups: each row of the list once, as long as a group gives it
CREATE STREAM s (k VARCHAR, v INT) WITH (topic = 's', partitions = 2);
CREATE TABLE sizes AS SELECT DISTINCT COUNT(*) AS n FROM s GROUP BY k;
CREATE STREAM per AS SELECT DISTINCT COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('b', 1, 1, 1000);
ASSERT TABLE sizes (n) VALUES (1);
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('b', 1, 0, 2000), ('c', 1, 1, 3000), ('d', 1, 0, 3000);
ASSERT TABLE sizes (n) VALUES (1), (2);
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 1, 4000), ('c', 1, 0, 5000), ('d', 1, 1, 15000), ('tick', 1, 0, 60000), ('tick', 1, 1, 60000), ('tick', 1, 1, 60000);
ASSERT TABLE sizes (n) VALUES (2), (3);
ASSERT VALUES per (n, window_start) VALUES (2, 0), (1, 0), (1, 10000);
ASSERT NO MORE VALUES per;

--@test: quarters and shares of a table's rows
CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (topic = 't', partitions = 2, key = 'id');
CREATE TABLE o AS SELECT id, NTILE(2) OVER w AS half, PERCENT_RANK() OVER w AS p, CUME_DIST() OVER w AS c, NTH_VALUE(id, 2) OVER w AS second FROM t WINDOW w AS (ORDER BY v);
INSERT INTO t (id, v, _timestamp) VALUES ('a', 1, 1000), ('b', 2, 1000), ('c', 2, 1100), ('d', 4, 1000), ('e', 5, 1000);
ASSERT TABLE o (id, half, p, c, second) VALUES ('a', 1, 0, 0.2, NULL), ('b', 1, 0.25, 0.6, 'b'), ('c', 1, 0.25, 0.6, 'b'), ('d', 2, 0.75, 0.8, 'b'), ('e', 2, 1, 1, 'b');
