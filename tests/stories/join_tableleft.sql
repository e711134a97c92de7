--@test: S5 the table written first: the version valid at the event time of the stream's row, columns in the order of FROM
CREATE TABLE users (uid VARCHAR(20), name VARCHAR(20), age INT, PRIMARY KEY (uid)) WITH (topic='users', partitions=2);
CREATE STREAM clicks (cid VARCHAR(20), who VARCHAR(20), least INT) WITH (topic='clicks', partitions=3);
CREATE STREAM o (a VARCHAR, b VARCHAR, c INT, d VARCHAR, e VARCHAR, f INT) WITH (topic='o', partitions=1);
INSERT INTO o SELECT * FROM users u JOIN clicks c ON u.uid = c.who AND u.age >= c.least;
INSERT INTO users (uid, name, age, _key, _timestamp) VALUES ('u1', 'Ann', 20, 'u1', 1000), ('u1', 'Anna', 30, 'u1', 3000), ('u2', 'Bo', 40, 'u2', 1000);
INSERT INTO clicks (cid, who, least, _key, _timestamp) VALUES ('c0', 'u1', 18, 'u1', 500), ('c1', 'u1', 18, 'u1', 2000), ('c2', 'u1', 25, 'u1', 2500), ('c3', 'u1', 25, 'u1', 3000), ('c4', 'u2', 40, 'u2', 4000), ('c5', NULL, 1, 'u2', 4000);
ASSERT VALUES o (a, b, c, d, e, f) VALUES ('u1', 'Ann', 20, 'c1', 'u1', 18), ('u1', 'Anna', 30, 'c3', 'u1', 25), ('u2', 'Bo', 40, 'c4', 'u2', 40);
ASSERT NO MORE VALUES o;

--@test: S5 table RIGHT JOIN stream keeps the stream's rows; USING is the stream's column, shown where the table's stands
CREATE TABLE users (uid VARCHAR(20), name VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=1, key='uid');
CREATE STREAM clicks (cid VARCHAR(20), uid VARCHAR(20)) WITH (topic='clicks', partitions=2);
CREATE STREAM o (a VARCHAR, b VARCHAR, c VARCHAR) WITH (topic='o', partitions=1);
CREATE STREAM n AS SELECT uid, cid, users.uid AS known FROM users RIGHT JOIN clicks WITHIN 2s USING (uid) WHERE uid <> 'u1';
INSERT INTO o SELECT * FROM users RIGHT JOIN clicks USING (uid);
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000);
INSERT INTO clicks (cid, uid, _key, _timestamp) VALUES ('c0', 'u1', 'u1', 999), ('c1', 'u1', 'u1', 1000), ('c2', 'u2', 'u2', 2000), ('c3', NULL, 'x', 2000);
INSERT INTO users RAW (_timestamp, _key, _value) VALUES (3000, 'u1', NULL);
INSERT INTO clicks (cid, uid, _key, _timestamp) VALUES ('c4', 'u1', 'u1', 3000);
ASSERT VALUES o (a, b, c) VALUES ('u1', NULL, 'c0'), ('u1', 'Ann', 'c1'), ('u2', NULL, 'c2'), (NULL, NULL, 'c3'), ('u1', NULL, 'c4');
ASSERT NO MORE VALUES o;
ASSERT VALUES n (uid, cid, known) VALUES ('u2', 'c2', NULL);
ASSERT NO MORE VALUES n;

--@test: S5 the table written first, as of another instant
CREATE TABLE prices (sku VARCHAR(10), price INT, PRIMARY KEY (sku)) WITH (topic='prices', partitions=2);
CREATE STREAM orders (oid INT, sku VARCHAR(10), ordered TIMESTAMP(3)) WITH (topic='orders', partitions=2);
CREATE STREAM o AS SELECT s.oid, p.price FROM prices p AS OF TIMESTAMP s.ordered RIGHT JOIN orders s ON s.sku = p.sku;
INSERT INTO prices (sku, price, _key, _timestamp) VALUES ('x', 10, 'x', 1000), ('x', 20, 'x', 5000);
INSERT INTO orders (oid, sku, ordered, _key, _timestamp) VALUES (1, 'x', 4999, 'x', 9000), (2, 'x', 5000, 'x', 9000), (3, 'x', NULL, 'x', 9000), (4, 'x', 999, 'x', 9000);
ASSERT VALUES o (oid, price) VALUES (1, 10), (2, 20), (3, NULL), (4, NULL);
ASSERT NO MORE VALUES o;

--@test: S5 a table first, then the stream, then a second table; headers are the stream's
CREATE TABLE users (uid VARCHAR(20), city VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=2, key='uid');
CREATE TABLE cities (city VARCHAR(20), land VARCHAR(20), PRIMARY KEY (city)) WITH (topic='cities', partitions=3, key='city');
CREATE STREAM clicks (cid VARCHAR(20), uid VARCHAR(20)) WITH (topic='clicks', partitions=2);
CREATE STREAM o AS SELECT c.cid, u.city, l.land, HEADER('trace') AS trace FROM users u JOIN clicks c ON c.uid = u.uid LEFT JOIN cities l ON u.city = l.city;
INSERT INTO cities (city, land, _timestamp) VALUES ('Bonn', 'DE', 1000);
INSERT INTO users (uid, city, _timestamp) VALUES ('u1', 'Bonn', 1000), ('u2', 'Rome', 1000);
INSERT INTO clicks (cid, uid, _key, _headers, _timestamp) VALUES ('c1', 'u1', 'u1', '{"trace":"t1"}', 2000), ('c2', 'u2', 'u2', '{"trace":"t2"}', 2000);
ASSERT VALUES o (cid, city, land, trace) VALUES ('c1', 'Bonn', 'DE', 't1'), ('c2', 'Rome', NULL, 't2');
ASSERT NO MORE VALUES o;

--@test: USING of a RIGHT or FULL JOIN is the value of the side that has a row
CREATE TABLE a (id VARCHAR PRIMARY KEY, n INT) WITH (topic='a', partitions=2, key='id');
CREATE TABLE b (id VARCHAR PRIMARY KEY, v INT) WITH (topic='b', partitions=3, key='id');
CREATE TABLE r AS SELECT id, n, v FROM a RIGHT JOIN b USING (id);
CREATE TABLE f AS SELECT id, a.id AS aid, b.id AS bid, n, v FROM a FULL JOIN b USING (id);
INSERT INTO a (id, n, _timestamp) VALUES ('x', 1, 1000), ('y', 2, 1000);
INSERT INTO b (id, v, _timestamp) VALUES ('y', 20, 1000), ('z', 30, 1000);
ASSERT TABLE r (id, n, v) VALUES ('y', 2, 20), ('z', NULL, 30);
ASSERT TABLE f (id, aid, bid, n, v) VALUES ('x', 'x', NULL, 1, NULL), ('y', 'y', 'y', 2, 20), ('z', NULL, 'z', NULL, 30);

--@test: S5 a stream after several tables meets the version of each at its own event time
CREATE TABLE owners (oid VARCHAR, name VARCHAR, PRIMARY KEY (oid)) WITH (topic='owners', partitions=2);
CREATE TABLE contexts (cid VARCHAR, owner VARCHAR, PRIMARY KEY (cid)) WITH (topic='contexts', partitions=3, key='cid');
CREATE STREAM orders (id VARCHAR, context VARCHAR, least VARCHAR) WITH (topic='orders', partitions=2);
CREATE STREAM a AS SELECT w.name, c.cid, o.id FROM owners w JOIN contexts c ON c.owner = w.oid JOIN orders o ON o.context = c.cid;
CREATE STREAM b AS SELECT w.name, o.id FROM contexts c JOIN owners w ON w.oid = c.owner JOIN orders o WITHIN 1s ON c.cid = o.context AND w.name > o.least;
INSERT INTO owners (oid, name, _partition, _timestamp) VALUES ('w1', 'Ann', 0, 1000), ('w2', 'Bo', 1, 1000), ('w1', 'Anna', 0, 5000);
INSERT INTO contexts (cid, owner, _timestamp) VALUES ('c1', 'w1', 1000), ('c2', 'w9', 1000), ('c1', 'w2', 6000);
INSERT INTO orders (id, context, least, _partition, _timestamp) VALUES ('o0', 'c1', '', 0, 500), ('o1', 'c1', '', 1, 2000), ('o2', 'c2', '', 0, 2000), ('o3', 'c1', 'Ann', 1, 5500), ('o4', 'c1', 'C', 0, 7000);
ASSERT VALUES a (name, cid, id) VALUES ('Ann', 'c1', 'o1'), ('Anna', 'c1', 'o3'), ('Bo', 'c1', 'o4');
ASSERT NO MORE VALUES a;
ASSERT VALUES b (name, id) VALUES ('Ann', 'o1'), ('Anna', 'o3');
ASSERT NO MORE VALUES b;
