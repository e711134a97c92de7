--@test: C28 COUNT DISTINCT counts a value of a window once, wherever its rows lie
CREATE STREAM s (pod VARCHAR, id VARCHAR) WITH (topic = 's', partitions = 3);
CREATE STREAM o AS SELECT pod, COUNT(DISTINCT id) AS ids, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GROUP BY pod EMIT FINAL;
INSERT INTO s (pod, id, _partition, _timestamp) VALUES ('a', 'x', 0, 1000), ('a', 'x', 1, 2000), ('a', 'y', 2, 9999), ('a', NULL, 0, 3000), ('b', 'x', 1, 4000), ('a', 'x', 2, 10000);
INSERT INTO s (pod, id, _partition, _timestamp) VALUES ('z', 'z', 0, 30000), ('z', 'z', 1, 30000), ('z', 'z', 2, 30000);
ASSERT VALUES o (pod, ids, n, window_start) VALUES ('a', 2, 4, 0), ('b', 1, 1, 0), ('a', 1, 1, 10000);
ASSERT NO MORE VALUES o;

--@test: the list aggregates are in order of event time, not of arrival, unless they say otherwise
CREATE STREAM s (k VARCHAR, v INT, t VARCHAR) WITH (topic = 's', partitions = 2, disorder = '1m');
CREATE TABLE o AS SELECT k, GROUP_CONCAT(t) AS g, JSON_ARRAYAGG(v) AS a, COLLECT_LIST(v) AS l, COLLECT_SET(t) AS c,
  GROUP_CONCAT(DISTINCT t ORDER BY t DESC SEPARATOR ' > ') AS d, ARRAY_AGG(t ORDER BY v DESC, t) AS b, JSON_OBJECTAGG(t, v) AS m, TOPK(v, 2) AS top
  FROM s WHERE t IS NOT NULL GROUP BY k;
INSERT INTO s (k, v, t, _partition, _timestamp) VALUES ('a', 3, 'y', 0, 5000), ('a', 1, 'x', 1, 1000), ('a', NULL, 'z', 1, 3000), ('a', 7, 'x', 0, 2000), ('a', 9, NULL, 0, 2500);
ASSERT TABLE o (k, g, a, l, c, d, b, m, top) VALUES ('a', 'x,x,z,y', '[1,7,null,3]', '[1,7,null,3]', '["x","y","z"]', 'z > y > x', '["x","y","x","z"]', '{"x":7,"y":3,"z":null}', '[7,3]');

--@test: FIRST, LAST, MIN_BY and MAX_BY go by event time and value; ANY_VALUE is the newest row's
CREATE STREAM s (k VARCHAR, v INT, t VARCHAR) WITH (topic = 's', partitions = 2, disorder = '1m');
CREATE TABLE o AS SELECT k, FIRST(t) AS f, LAST(t) AS l, ANY_VALUE(t) AS a, MIN_BY(t, v) AS lo, MAX_BY(t, v) AS hi FROM s GROUP BY k;
INSERT INTO s (k, v, t, _partition, _timestamp) VALUES ('a', 3, 'c', 0, 3000), ('a', 1, 'a', 1, 1000), ('a', 5, 'b', 1, 2000), ('a', 5, 'd', 0, 4000), ('a', NULL, NULL, 0, 500), ('a', 1, NULL, 1, 5000);
ASSERT TABLE o (k, f, l, a, lo, hi) VALUES ('a', 'a', 'd', NULL, 'a', 'd');

--@test: what a FILTER leaves out counts for no aggregate, DISTINCT or not
CREATE STREAM s (k VARCHAR, v INT) WITH (topic = 's', partitions = 2);
CREATE TABLE o AS SELECT k, SUM(DISTINCT v) FILTER (WHERE v > 1) AS d, BIT_OR(v) FILTER (WHERE v < 4) AS b, COUNT(DISTINCT v) FILTER (WHERE v > 100) AS none,
  STDDEV_POP(v) FILTER (WHERE v <> 5) AS dev, APPROX_COUNT_DISTINCT(v) AS about, APPROX_PERCENTILE(v, 0.5) AS half FROM s GROUP BY k;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 1), ('a', 2, 1, 2), ('a', 2, 0, 3), ('a', 4, 1, 4), ('a', 4, 1, 5), ('a', 5, 1, 6);
ASSERT TABLE o (k, d, b, none, dev, about, half) VALUES ('a', 11, 3, 0, 1.2, 4, 2);

--@test: a table's aggregates follow its rows: a changed row leaves its old group, a deleted one every group
CREATE TABLE t (id VARCHAR PRIMARY KEY, g VARCHAR, v INT) WITH (topic = 't', partitions = 2, key = 'id');
CREATE TABLE o AS SELECT g, COUNT(*) AS n, SUM(v) AS s, MIN(v) AS lo, MAX(v) AS hi, COUNT(DISTINCT v) AS d, LAST(id) AS l, GROUP_CONCAT(v ORDER BY v) AS vs FROM t GROUP BY g;
INSERT INTO t RAW (_partition, _timestamp, _key, _value) VALUES (0, 1000, 'a', '{"id":"a","g":"x","v":1}'), (0, 2000, 'b', '{"id":"b","g":"x","v":5}'), (0, 3000, 'c', '{"id":"c","g":"x","v":5}'), (1, 3500, 'd', '{"id":"d","g":"y","v":2}');
ASSERT TABLE o (g, n, s, lo, hi, d, l, vs) VALUES ('x', 3, 11, 1, 5, 2, 'c', '1,5,5'), ('y', 1, 2, 2, 2, 1, 'd', '2');
INSERT INTO t RAW (_partition, _timestamp, _key, _value) VALUES (0, 4000, 'a', NULL), (0, 5000, 'c', '{"id":"c","g":"y","v":9}'), (1, 6000, 'd', NULL);
ASSERT TABLE o (g, n, s, lo, hi, d, l, vs) VALUES ('x', 1, 5, 5, 5, 1, 'b', '5'), ('y', 1, 9, 9, 9, 1, 'c', '9');
INSERT INTO t RAW (_partition, _timestamp, _key, _value) VALUES (0, 7000, 'b', NULL);
ASSERT TABLE o (g, n, s, lo, hi, d, l, vs) VALUES ('y', 1, 9, 9, 9, 1, 'c', '9');

--@test: the other columns of a table whose primary key is grouped need not be
CREATE STREAM orders (order_id VARCHAR, customer VARCHAR) WITH (topic = 'orders', partitions = 2);
CREATE TABLE contexts (id VARCHAR PRIMARY KEY, owner VARCHAR) WITH (topic = 'contexts', partitions = 1);
CREATE TABLE o AS SELECT c.id, c.owner, COUNT(*) AS n FROM orders o JOIN contexts c ON o.customer = c.id GROUP BY c.id;
CREATE TABLE p AS SELECT o.customer, CONCAT(c.owner, '!') AS owner, COUNT(*) AS n FROM orders o LEFT JOIN contexts c ON o.customer = c.id GROUP BY o.customer HAVING c.owner IS NOT NULL;
INSERT INTO contexts (id, owner, _timestamp) VALUES ('c1', 'alice', 1), ('c2', 'bob', 1);
INSERT INTO orders (order_id, customer, _partition, _timestamp) VALUES ('o1', 'c1', 0, 5000), ('o2', 'c1', 1, 6000), ('o3', 'c2', 0, 7000), ('o4', 'c9', 1, 8000);
ASSERT TABLE o (id, owner, n) VALUES ('c1', 'alice', 2), ('c2', 'bob', 1);
ASSERT TABLE p (customer, owner, n) VALUES ('c1', 'alice!', 2), ('c2', 'bob!', 1);

--@test: rows of one group that come together travel as one, and are counted one by one
--@until: end
CREATE STREAM s (k VARCHAR, v INT) WITH (topic = 's', partitions = 2, disorder = '1m');
CREATE STREAM o AS SELECT k, COUNT(*) AS n, SUM(v) AS s, MIN(v) AS lo, MAX(k) AS hi, AVG(v) FILTER (WHERE v > 2) AS a, LAST(v) AS l, window_start FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 1), ('a', 2, 0, 2), ('a', 3, 0, 3), ('a', 4, 0, 10004), ('b', 5, 0, 5), ('a', NULL, 0, 6), ('a', 7, 1, 7), ('a', 8, 1, 8), ('a', 9, 1, 9), (NULL, 10, 1, 10), (NULL, 11, 1, 10011), (NULL, 12, 1, 12), (NULL, 13, 1, 13);
ASSERT VALUES o (k, n, s, lo, hi, a, l, window_start) VALUES ('a', 7, 30, 1, 'a', 6.75, 9, 0), ('b', 1, 5, 5, 'b', 5, 5, 0), (NULL, 3, 35, 10, NULL, 11.6667, 13, 0), ('a', 1, 4, 4, 'a', 4, 4, 10000), (NULL, 1, 11, 11, NULL, 11, 11, 10000);
ASSERT NO MORE VALUES o;

--@test: a column that nothing fixes is refused
--@expect.error: column o.order_id is not in GROUP BY
CREATE STREAM orders (order_id VARCHAR, customer VARCHAR) WITH (topic = 'orders', partitions = 2);
CREATE TABLE contexts (id VARCHAR PRIMARY KEY, owner VARCHAR) WITH (topic = 'contexts', partitions = 1);
CREATE TABLE o AS SELECT c.id, o.order_id, COUNT(*) AS n FROM orders o JOIN contexts c ON o.customer = c.id GROUP BY c.id;

--@test: a removed row must give the values it gave when it was added
--@expect.error: RAND() depends on the clock or on chance, but the rows it is computed over may be removed again, with the same values
CREATE TABLE t (id VARCHAR PRIMARY KEY, g VARCHAR, v INT) WITH (topic = 't', partitions = 2, key = 'id');
CREATE TABLE o AS SELECT g, SUM(v * RAND()) AS s FROM t GROUP BY g;

--@test: how many values TOPK keeps is a number
--@expect.error: how many values to keep must be a number from 1 to 1000
CREATE STREAM s (k VARCHAR, v INT) WITH (topic = 's', partitions = 1);
CREATE TABLE o AS SELECT k, TOPK(v, v) AS top FROM s GROUP BY k;
