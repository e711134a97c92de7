--@test: IN a table's key: a stream row with a match at its event time passes once
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=3);
CREATE TABLE t (id VARCHAR PRIMARY KEY, kind VARCHAR) WITH (topic='t', partitions=2, key='id');
CREATE STREAM o AS SELECT id, n FROM s WHERE id IN (SELECT id FROM t WHERE kind = 'good') AND n > 0;
CREATE STREAM p AS SELECT id, n FROM s WHERE id NOT IN (SELECT id FROM t WHERE kind = 'good');
INSERT INTO t (id, kind, _timestamp) VALUES ('a', 'good', 0), ('b', 'bad', 0), ('a', 'bad', 3000);
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 0, 1, 1000), ('b', 2, 1, 1000), ('c', 3, 2, 1000), ('a', 4, 2, 5000), (NULL, 5, 0, 1000);
ASSERT VALUES o (id, n) VALUES ('a', 1);
ASSERT VALUES p (id, n) VALUES ('b', 2), ('c', 3), ('a', 4);
ASSERT NO MORE VALUES o;
ASSERT NO MORE VALUES p;

--@test: EXISTS and NOT EXISTS with a condition on both sides
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=2);
CREATE TABLE t (k VARCHAR PRIMARY KEY, least INT) WITH (topic='t', partitions=2, key='k');
CREATE STREAM o AS SELECT id, n FROM s WHERE EXISTS (SELECT 1 FROM t WHERE k = s.id AND s.n >= least);
CREATE STREAM p AS SELECT id, n FROM s WHERE NOT EXISTS (SELECT 1 FROM t WHERE k = s.id AND s.n >= least);
INSERT INTO t (k, least, _timestamp) VALUES ('a', 5, 0);
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 4, 0, 1000), ('a', 5, 1, 1000), ('b', 9, 0, 1000), (NULL, 9, 1, 1000);
ASSERT VALUES o (id, n) VALUES ('a', 5);
ASSERT VALUES p (id, n) VALUES ('a', 4), ('b', 9), (NULL, 9);
ASSERT NO MORE VALUES o;
ASSERT NO MORE VALUES p;

--@test: a table's rows with a match in another table, on any column
CREATE TABLE person (id VARCHAR PRIMARY KEY, city VARCHAR) WITH (topic='person', partitions=2, key='id');
CREATE TABLE shop (id INT PRIMARY KEY, city VARCHAR) WITH (topic='shop', partitions=3, key='id');
CREATE TABLE o AS SELECT id FROM person WHERE city IN (SELECT city FROM shop);
CREATE TABLE p AS SELECT id FROM person WHERE NOT EXISTS (SELECT id FROM shop WHERE shop.city = person.city);
INSERT INTO person (id, city, _timestamp) VALUES ('a', 'Ulm', 1000), ('b', 'Rom', 1000), ('c', NULL, 1000);
INSERT INTO shop (id, city, _timestamp) VALUES (1, 'Ulm', 2000), (2, 'Ulm', 2000);
ASSERT TABLE o (id) VALUES ('a');
ASSERT TABLE p (id) VALUES ('b'), ('c');
INSERT INTO shop (id, city, _timestamp) VALUES (1, 'Rom', 3000);
ASSERT TABLE o (id) VALUES ('a'), ('b');
ASSERT TABLE p (id) VALUES ('c');
INSERT INTO shop (id, city, _timestamp) VALUES (2, 'Rom', 4000);
ASSERT TABLE o (id) VALUES ('b');
ASSERT TABLE p (id) VALUES ('a'), ('c');

--@test: IN a query that groups
CREATE TABLE person (id VARCHAR PRIMARY KEY, city VARCHAR) WITH (topic='person', partitions=2, key='id');
CREATE STREAM visit (city VARCHAR) WITH (topic='visit', partitions=2);
CREATE TABLE o AS SELECT id FROM person WHERE city IN (SELECT city FROM visit GROUP BY city HAVING COUNT(*) >= 2);
INSERT INTO person (id, city, _timestamp) VALUES ('a', 'Ulm', 1000), ('b', 'Rom', 1000);
INSERT INTO visit (city, _partition, _timestamp) VALUES ('Ulm', 0, 1000), ('Rom', 1, 1000), ('Ulm', 1, 2000);
ASSERT TABLE o (id) VALUES ('a');

--@test: NOT IN over what may be NULL is refused, for one NULL empties the result
CREATE TABLE a (id VARCHAR PRIMARY KEY, c VARCHAR) WITH (topic='a', partitions=1, key='id');
CREATE TABLE b (id VARCHAR PRIMARY KEY, c VARCHAR) WITH (topic='b', partitions=1, key='id');
--@expect.error: NOT IN over c, which may be NULL is not supported
CREATE TABLE o AS SELECT id FROM a WHERE c NOT IN (SELECT c FROM b);

--@test: … and runs once NULL is excluded
CREATE TABLE a (id VARCHAR PRIMARY KEY, c VARCHAR) WITH (topic='a', partitions=1, key='id');
CREATE TABLE b (id VARCHAR PRIMARY KEY, c VARCHAR) WITH (topic='b', partitions=1, key='id');
CREATE TABLE o AS SELECT id FROM a WHERE c NOT IN (SELECT c FROM b WHERE c IS NOT NULL);
INSERT INTO a (id, c, _timestamp) VALUES ('1', 'x', 1000), ('2', 'y', 1000), ('3', NULL, 1000);
INSERT INTO b (id, c, _timestamp) VALUES ('1', 'x', 1000), ('2', NULL, 1000);
ASSERT TABLE o (id) VALUES ('2');

--@test: a sub-query as a value, over all rows
CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=2, key='id');
CREATE TABLE o AS SELECT id, v, (SELECT MAX(v) FROM t) - v AS behind FROM t WHERE v < (SELECT AVG(v) FROM t);
INSERT INTO t (id, v, _timestamp) VALUES ('a', 1, 1000), ('b', 5, 1000), ('c', 9, 1000);
ASSERT TABLE o (id, v, behind) VALUES ('a', 1, 8);
INSERT INTO t (id, v, _timestamp) VALUES ('c', 30, 2000);
ASSERT TABLE o (id, v, behind) VALUES ('a', 1, 29), ('b', 5, 25);

--@test: a sub-query as a value, for each row: a count of nothing is 0, a maximum of nothing NULL
CREATE TABLE person (id VARCHAR PRIMARY KEY, city VARCHAR) WITH (topic='person', partitions=2, key='id');
CREATE STREAM bid (bidder VARCHAR, price INT) WITH (topic='bid', partitions=3);
CREATE TABLE o AS SELECT id, (SELECT COUNT(*) FROM bid WHERE bidder = person.id AND price > 1) AS n, (SELECT MAX(price) FROM bid b WHERE b.bidder = person.id) AS best FROM person;
INSERT INTO person (id, city, _timestamp) VALUES ('a', 'Ulm', 1000), ('b', 'Rom', 1000);
INSERT INTO bid (bidder, price, _partition, _timestamp) VALUES ('a', 5, 0, 2000), ('a', 7, 1, 2000), ('a', 1, 2, 2000), ('z', 9, 0, 2000);
ASSERT TABLE o (id, n, best) VALUES ('a', 2, 7), ('b', 0, NULL);
