--@test: a row meets the count that was so at its instant, whatever is read first
CREATE STREAM clicks (id VARCHAR, customer VARCHAR) WITH (topic = 'clicks', partitions = 3);
CREATE STREAM orders (customer VARCHAR, amount INT) WITH (topic = 'orders', partitions = 2);
CREATE STREAM o AS SELECT s.id, c.n, c.total FROM clicks s
  LEFT JOIN (SELECT customer, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY customer) c ON s.customer = c.customer;
CREATE STREAM i AS SELECT s.id, c.n FROM clicks s JOIN (SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer) c ON s.customer = c.customer;
INSERT INTO clicks (id, customer, _partition, _timestamp) VALUES ('c0', 'a', 0, 999), ('c1', 'a', 1, 1000), ('c2', 'a', 2, 2500), ('c3', 'a', 0, 9000), ('c4', 'b', 1, 9000), ('c5', 'z', 1, 9000), ('c6', NULL, 1, 9000);
INSERT INTO orders (customer, amount, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 2000), ('a', 4, 0, 3000), ('b', 8, 0, 3500);
ASSERT VALUES o (id, n, total) VALUES ('c0', NULL, NULL), ('c1', 1, 1), ('c2', 2, 3), ('c3', 3, 7), ('c4', 1, 8), ('c5', NULL, NULL), ('c6', NULL, NULL);
ASSERT NO MORE VALUES o;
ASSERT VALUES i (id, n) VALUES ('c1', 1), ('c2', 2), ('c3', 3), ('c4', 1);
ASSERT NO MORE VALUES i;

--@test: all rows of an instant make one version, in place too
CREATE STREAM clicks (id VARCHAR, customer VARCHAR) WITH (topic = 'clicks', partitions = 3, key = 'customer');
CREATE STREAM orders (customer VARCHAR, amount INT) WITH (topic = 'orders', partitions = 3, key = 'customer');
CREATE STREAM o AS SELECT s.id, c.n, c.last FROM clicks s JOIN (SELECT customer, COUNT(*) AS n, LAST(amount) AS last FROM orders GROUP BY customer) c ON s.customer = c.customer;
INSERT INTO orders (customer, amount, _timestamp) VALUES ('a', 1, 1000), ('a', 2, 1000), ('b', 7, 1000), ('a', 3, 1000);
INSERT INTO clicks (id, customer, _timestamp) VALUES ('c0', 'a', 999), ('c1', 'a', 1000), ('c2', 'b', 1000);
ASSERT VALUES o (id, n, last) VALUES ('c1', 3, 3), ('c2', 1, 7);
ASSERT NO MORE VALUES o;

--@test: each order with the number of the customer's earlier orders
CREATE STREAM orders (id VARCHAR, customer VARCHAR, amount INT) WITH (topic = 'orders', partitions = 3);
CREATE STREAM o AS
  WITH before AS (SELECT customer, COUNT(*) AS n, SUM(amount) AS spent FROM orders GROUP BY customer)
  SELECT o.id, COALESCE(b.n, 0) AS earlier, b.spent FROM orders o LEFT JOIN before AS OF TIMESTAMP o._timestamp - INTERVAL 1 MICROSECOND AS b ON o.customer = b.customer;
CREATE STREAM with_itself AS
  SELECT o.id, c.n FROM orders o JOIN (SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer) c ON o.customer = c.customer;
INSERT INTO orders (id, customer, amount, _partition, _timestamp) VALUES ('o1', 'a', 10, 0, 1000), ('o2', 'a', 20, 1, 2000), ('o3', 'b', 5, 2, 2500), ('o4', 'a', 40, 2, 3000), ('o5', 'a', 80, 0, 3000), ('o6', 'a', 1, 1, 3001);
ASSERT VALUES o (id, earlier, spent) VALUES ('o1', 0, NULL), ('o2', 1, 10), ('o3', 0, NULL), ('o4', 2, 30), ('o5', 2, 30), ('o6', 4, 150);
ASSERT NO MORE VALUES o;
ASSERT VALUES with_itself (id, n) VALUES ('o1', 1), ('o2', 2), ('o3', 1), ('o4', 4), ('o5', 4), ('o6', 5);
ASSERT NO MORE VALUES with_itself;

--@test: a row that comes within the disorder counts from its own instant on, one behind the release mark above that only
CREATE STREAM clicks (id VARCHAR, customer VARCHAR) WITH (topic = 'clicks', partitions = 1);
CREATE STREAM orders (customer VARCHAR) WITH (topic = 'orders', partitions = 1, disorder = '500ms');
CREATE STREAM o AS SELECT s.id, c.n FROM clicks s LEFT JOIN (SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer) c WITHIN 1s ON s.customer = c.customer;
INSERT INTO orders (customer, _partition, _timestamp) VALUES ('a', 0, 10000), ('a', 0, 9001), ('a', 0, 5000);
INSERT INTO clicks (id, customer, _timestamp) VALUES ('at 8999', 'a', 8999), ('at 9000', 'a', 9000), ('at 9001', 'a', 9001), ('at 10000', 'a', 10000);
ASSERT VALUES o (id, n) VALUES ('at 8999', NULL), ('at 9000', 1), ('at 9001', 2), ('at 10000', 3);
ASSERT NO MORE VALUES o;

--@test: HAVING that does not hold at an instant is no match, in a view with conditions and expressions around
CREATE STREAM readings (sensor INT, v INT) WITH (topic = 'readings', partitions = 2);
CREATE STREAM alarms (sensor INT, at VARCHAR) WITH (topic = 'alarms', partitions = 2);
CREATE VIEW level AS SELECT sensor, SUM(v) * 10 AS tenfold, MAX(v) AS most FROM readings WHERE v <> 0 GROUP BY sensor HAVING SUM(v) > 5;
CREATE STREAM o AS SELECT a.at, l.tenfold FROM alarms a JOIN level l ON a.sensor = l.sensor WHERE l.most < 9;
INSERT INTO readings (sensor, v, _partition, _timestamp) VALUES (1, 4, 0, 1000), (1, 4, 1, 2000), (1, -4, 0, 3000), (1, 8, 1, 4000), (1, 0, 0, 4500), (1, 9, 0, 5000);
INSERT INTO alarms (sensor, at, _partition, _timestamp) VALUES (1, '1', 0, 1500), (1, '2', 0, 2500), (1, '3', 1, 3500), (1, '4', 1, 4500), (1, '5', 0, 5500);
ASSERT VALUES o (at, tenfold) VALUES ('2', 80), ('4', 120);
ASSERT NO MORE VALUES o;

--@test: IN and EXISTS over groups ask what was so at the row's event time
CREATE STREAM logins (id VARCHAR, usr VARCHAR) WITH (topic = 'logins', partitions = 2);
CREATE STREAM failures (usr VARCHAR) WITH (topic = 'failures', partitions = 3);
CREATE STREAM suspicious AS SELECT id FROM logins WHERE usr IN (SELECT usr FROM failures GROUP BY usr HAVING COUNT(*) >= 2);
INSERT INTO failures (usr, _partition, _timestamp) VALUES ('u', 0, 1000), ('v', 1, 1000), ('u', 2, 2000);
INSERT INTO logins (id, usr, _partition, _timestamp) VALUES ('l1', 'u', 0, 1999), ('l2', 'u', 1, 2000), ('l3', 'v', 0, 3000);
ASSERT VALUES suspicious (id) VALUES ('l2');
ASSERT NO MORE VALUES suspicious;

--@test: rows of several streams and elements of arrays are grouped
CREATE STREAM clicks (id VARCHAR, tag VARCHAR) WITH (topic = 'clicks', partitions = 2);
CREATE STREAM a (tags ARRAY<VARCHAR>) WITH (topic = 'a', partitions = 3);
CREATE STREAM b (tag VARCHAR) WITH (topic = 'b', partitions = 1);
CREATE STREAM o AS SELECT s.id, c.n FROM clicks s LEFT JOIN (
    SELECT tag, COUNT(*) AS n FROM (SELECT e.tag FROM a CROSS JOIN UNNEST(tags) AS e(tag) UNION ALL SELECT tag FROM b) AS q GROUP BY tag
  ) c ON s.tag = c.tag;
INSERT INTO a (tags, _partition, _timestamp) VALUES (ARRAY['x', 'y', 'x'], 0, 1000), (ARRAY['x'], 2, 3000);
INSERT INTO b (tag, _timestamp) VALUES ('x', 2000), ('z', 2500);
INSERT INTO clicks (id, tag, _partition, _timestamp) VALUES ('1', 'x', 0, 1500), ('2', 'x', 1, 2000), ('3', 'x', 0, 5000), ('4', 'y', 0, 5000), ('5', 'w', 1, 5000);
ASSERT VALUES o (id, n) VALUES ('1', 2), ('2', 3), ('3', 4), ('4', 1), ('5', NULL);
ASSERT NO MORE VALUES o;

--@test: what no row can ask for any more is forgotten, and counts on
CREATE STREAM clicks (id VARCHAR, customer VARCHAR) WITH (topic = 'clicks', partitions = 1);
CREATE STREAM orders (customer VARCHAR) WITH (topic = 'orders', partitions = 1, history = '1s');
CREATE STREAM o AS SELECT s.id, c.n FROM clicks s JOIN (SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer) c ON s.customer = c.customer;
INSERT INTO orders (customer, _timestamp) VALUES ('a', 1000), ('a', 2000), ('a', 3000), ('a', 4000);
INSERT INTO clicks (id, customer, _timestamp) VALUES ('1', 'a', 2500), ('2', 'a', 10000);
ASSERT VALUES o (id, n) VALUES ('1', 2), ('2', 4);
INSERT INTO orders (customer, _timestamp) VALUES ('a', 11000), ('b', 11000);
RESTART;
INSERT INTO clicks (id, customer, _timestamp) VALUES ('3', 'a', 10999), ('4', 'a', 11000), ('5', 'b', 12000);
ASSERT VALUES o (id, n) VALUES ('3', 4), ('4', 5), ('5', 1);
ASSERT NO MORE VALUES o;

--@test: keys of two types meet, and two tables of groups in one query
CREATE STREAM clicks (id VARCHAR, customer INT) WITH (topic = 'clicks', partitions = 3, key = 'customer');
CREATE STREAM orders (customer DECIMAL(10,1), item VARCHAR) WITH (topic = 'orders', partitions = 2);
CREATE STREAM o AS SELECT s.id, c.n, f.first FROM clicks s
  JOIN (SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer) c ON s.customer = c.customer
  LEFT JOIN (SELECT customer, item, MIN(item) AS first FROM orders GROUP BY customer, item) f ON f.customer = s.customer AND f.item = CONCAT('i', s.id);
INSERT INTO orders (customer, item, _partition, _timestamp) VALUES (1, 'i1', 0, 1000), (1, 'i2', 1, 2000), (2, 'i9', 0, 2000);
INSERT INTO clicks (id, customer, _timestamp) VALUES ('1', 1, 1500), ('2', 1, 1999), ('2', 1, 2000), ('9', 1, 2500), ('9', 2, 2500);
ASSERT VALUES o (id, n, first) VALUES ('1', 1, 'i1'), ('2', 1, NULL), ('2', 2, 'i2'), ('9', 2, NULL), ('9', 1, 'i9');
ASSERT NO MORE VALUES o;

--@test: a bounded run ends with all versions
--@until: end
CREATE STREAM clicks (id VARCHAR, customer VARCHAR) WITH (topic = 'clicks', partitions = 2);
CREATE STREAM orders (customer VARCHAR) WITH (topic = 'orders', partitions = 2);
CREATE STREAM o AS SELECT s.id, c.n FROM clicks s LEFT JOIN (SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer) c ON s.customer = c.customer;
INSERT INTO clicks (id, customer, _partition, _timestamp) VALUES ('1', 'a', 0, 5000), ('2', 'a', 1, 500);
INSERT INTO orders (customer, _partition, _timestamp) VALUES ('a', 0, 1000), ('a', 1, 9000);
ASSERT VALUES o (id, n) VALUES ('1', 1), ('2', NULL);
ASSERT NO MORE VALUES o;

--@test: a table that another query writes may be behind: no version of it is known to be the one at an instant
--@expect.error: counts is the result of query counts, which may be behind
CREATE STREAM clicks (id VARCHAR, customer VARCHAR) WITH (topic = 'clicks', partitions = 1);
CREATE STREAM orders (customer VARCHAR) WITH (topic = 'orders', partitions = 1);
CREATE TABLE counts AS SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer;
CREATE STREAM o AS SELECT s.id, c.n FROM clicks s JOIN counts c ON s.customer = c.customer;

--@test: nor of groups of what another query writes
--@expect.error: paid is the result of query paid, which may be behind
CREATE STREAM clicks (id VARCHAR, customer VARCHAR) WITH (topic = 'clicks', partitions = 1);
CREATE STREAM orders (customer VARCHAR, amount INT) WITH (topic = 'orders', partitions = 1);
CREATE STREAM paid AS SELECT customer FROM orders WHERE amount > 0;
CREATE STREAM o AS SELECT s.id, c.n FROM clicks s JOIN (SELECT customer, COUNT(*) AS n FROM paid GROUP BY customer) c ON s.customer = c.customer;
