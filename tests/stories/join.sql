--@test: C01 a backlog loses no match, whatever is read first
CREATE TABLE users (uid VARCHAR(20), name VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR(20), uid VARCHAR(20)) WITH (topic='clicks', partitions=1);
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c JOIN users u ON c.uid = u.uid;
CREATE STREAM l AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _key, _timestamp) VALUES ('c1', 'u1', 'u1', 2000), ('c2', 'u2', 'u2', 2001), ('c3', 'u3', 'u3', 2002);
INSERT INTO users (uid, name, _key, _timestamp) VALUES ('u1', 'Ann', 'u1', 1000), ('u2', 'Bo', 'u2', 1500), ('u3', 'Cy', 'u3', 1999);
ASSERT VALUES o (cid, name) VALUES ('c1', 'Ann'), ('c2', 'Bo'), ('c3', 'Cy');
ASSERT NO MORE VALUES o;
ASSERT VALUES l (cid, name) VALUES ('c1', 'Ann'), ('c2', 'Bo'), ('c3', 'Cy');
ASSERT NO MORE VALUES l;

--@test: C01 with three partitions on both sides
CREATE TABLE users (uid VARCHAR(20), name VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=3);
CREATE STREAM clicks (cid VARCHAR(20), uid VARCHAR(20)) WITH (topic='clicks', partitions=3);
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c JOIN users u ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _key, _timestamp) VALUES ('c1', 'u1', 'u1', 2000), ('c2', 'u2', 'u2', 2001), ('c3', 'u3', 'u3', 2002);
INSERT INTO users (uid, name, _key, _timestamp) VALUES ('u1', 'Ann', 'u1', 1000), ('u2', 'Bo', 'u2', 1500), ('u3', 'Cy', 'u3', 1999);
ASSERT VALUES o (cid, name) VALUES ('c1', 'Ann'), ('c2', 'Bo'), ('c3', 'Cy');
ASSERT NO MORE VALUES o;

--@test: C01 a table whose key is declared joins in place
CREATE TABLE users (uid VARCHAR(20), name VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=3, key='uid');
CREATE STREAM clicks (cid VARCHAR(20), uid VARCHAR(20)) WITH (topic='clicks', partitions=3, key='uid');
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c JOIN users u ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c1', 'u1', 2000), ('c2', 'u2', 2001), ('c3', 'u3', 2002);
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000), ('u2', 'Bo', 1500), ('u3', 'Cy', 1999);
ASSERT VALUES o (cid, name) VALUES ('c1', 'Ann'), ('c2', 'Bo'), ('c3', 'Cy');
ASSERT NO MORE VALUES o;

--@test: C04 the table's Kafka key is something else than its primary key
CREATE TABLE customers (customer_id INT, name VARCHAR(20), PRIMARY KEY (customer_id)) WITH (topic='customers', partitions=2);
CREATE STREAM rentals (rental_id INT, customer_id INT) WITH (topic='rentals', partitions=2);
CREATE STREAM o AS SELECT r.rental_id, c.name FROM rentals r LEFT JOIN customers c ON r.customer_id = c.customer_id;
INSERT INTO customers (customer_id, name, _key, _partition, _timestamp) VALUES (8812, 'Ira', 'row-17', 1, 1000);
INSERT INTO rentals (rental_id, customer_id, _partition, _timestamp) VALUES (1, 8812, 0, 2000);
INSERT INTO customers (customer_id, name, _key, _partition, _timestamp) VALUES (8812, 'Ida', 'row-99', 0, 3000);
INSERT INTO rentals (rental_id, customer_id, _partition, _timestamp) VALUES (2, 8812, 1, 4000);
ASSERT VALUES o (rental_id, name) VALUES (1, 'Ira'), (2, 'Ida');
ASSERT NO MORE VALUES o;

--@test: C08 a later version neither leaks back nor emits again
CREATE TABLE users (uid VARCHAR(20), name VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR(20), uid VARCHAR(20)) WITH (topic='clicks', partitions=1);
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u ON c.uid = u.uid;
INSERT INTO users (uid, name, _key, _timestamp) VALUES ('u1', 'Ann', 'u1', 1000), ('u1', 'Anna', 'u1', 3000);
INSERT INTO clicks (cid, uid, _key, _timestamp) VALUES ('c0', 'u1', 'u1', 500), ('c1', 'u1', 'u1', 2000), ('c2', 'u1', 'u1', 4000);
ASSERT VALUES o (cid, name) VALUES ('c0', NULL), ('c1', 'Ann'), ('c2', 'Anna');
ASSERT NO MORE VALUES o;

--@test: C08 the version of the same instant counts
CREATE TABLE users (uid VARCHAR(20), name VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR(20), uid VARCHAR(20)) WITH (topic='clicks', partitions=1);
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u ON c.uid = u.uid;
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000), ('u1', 'Ana', 1000);
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c0', 'u1', 999), ('c1', 'u1', 1000);
ASSERT VALUES o (cid, name) VALUES ('c0', NULL), ('c1', 'Ana');
ASSERT NO MORE VALUES o;

--@test: C15 LEFT JOIN keeps rows whose join column is NULL
CREATE TABLE users (uid VARCHAR(10), name VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM o (oid INT, uid VARCHAR(10)) WITH (topic='o', partitions=2);
CREATE STREAM q1 AS SELECT o.oid, u.name FROM o LEFT JOIN users u ON o.uid = u.uid;
CREATE STREAM q2 AS SELECT o.oid, u.name FROM o JOIN users u ON o.uid = u.uid;
INSERT INTO users (uid, name, _key, _timestamp) VALUES ('u1', 'Ann', 'u1', 100), (NULL, 'ghost', NULL, 200);
INSERT INTO o (oid, uid, _partition, _timestamp) VALUES (1, 'u1', 0, 1000), (2, NULL, 1, 1000);
INSERT INTO o RAW (_partition, _timestamp, _value) VALUES (0, 1001, '{"oid":3}');
INSERT INTO o (oid, uid, _partition, _timestamp) VALUES (4, 'nope', 1, 1001);
ASSERT VALUES q1 (oid, name) VALUES (1, 'Ann'), (2, NULL), (3, NULL), (4, NULL);
ASSERT NO MORE VALUES q1;
ASSERT VALUES q2 (oid, name) VALUES (1, 'Ann');
ASSERT NO MORE VALUES q2;
ASSERT ERRORS users 1;

--@test: C17 topics with different partition counts
CREATE TABLE t (id VARCHAR(5), name VARCHAR(10), PRIMARY KEY (id)) WITH (topic='t', partitions=3);
CREATE STREAM s (sid INT, id VARCHAR(5)) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT s.sid, t.name FROM s LEFT JOIN t ON s.id = t.id;
INSERT INTO t (id, name, _key, _partition, _timestamp) VALUES ('u1', 'n1', 'u1', 1, 10), ('u2', 'n2', 'u2', 0, 10), ('u5', 'n5', 'u5', 2, 10), ('k2', 'nk2', 'k2', 0, 10);
INSERT INTO s (sid, id, _key, _partition, _timestamp) VALUES (1, 'u1', 'u1', 0, 100), (2, 'u2', 'u2', 0, 100), (3, 'u5', 'u5', 1, 100), (4, 'k2', 'k2', 1, 100);
ASSERT VALUES o (sid, name) VALUES (1, 'n1'), (2, 'n2'), (3, 'n5'), (4, 'nk2');
ASSERT NO MORE VALUES o;

--@test: C17 different counts with the keys declared
CREATE TABLE t (id VARCHAR(5), name VARCHAR(10), PRIMARY KEY (id)) WITH (topic='t', partitions=3, key='id');
CREATE STREAM s (sid INT, id VARCHAR(5)) WITH (topic='s', partitions=2, key='id');
CREATE STREAM o AS SELECT s.sid, t.name FROM s LEFT JOIN t ON s.id = t.id;
INSERT INTO t (id, name, _partition, _timestamp) VALUES ('u1', 'n1', 1, 10), ('u2', 'n2', 0, 10), ('u5', 'n5', 2, 10), ('k2', 'nk2', 0, 10);
INSERT INTO s (sid, id, _partition, _timestamp) VALUES (1, 'u1', 0, 100), (2, 'u2', 0, 100), (3, 'u5', 1, 100), (4, 'k2', 1, 100);
ASSERT VALUES o (sid, name) VALUES (1, 'n1'), (2, 'n2'), (3, 'n5'), (4, 'nk2');
ASSERT NO MORE VALUES o;

--@test: C19 tombstones delete the row from then on; a null value in a stream carries nothing
CREATE TABLE users (uid VARCHAR(20), name VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=1, key='uid');
CREATE STREAM clicks (cid VARCHAR(20), uid VARCHAR(20)) WITH (topic='clicks', partitions=1);
CREATE STREAM l AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u ON c.uid = u.uid WHERE c.cid <> 'tick';
CREATE STREAM i AS SELECT c.cid, u.name FROM clicks c JOIN users u ON c.uid = u.uid;
CREATE STREAM n AS SELECT COUNT(*) AS n FROM clicks WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO users RAW (_timestamp, _key, _value) VALUES (900, 'u9', NULL);
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000);
INSERT INTO clicks (cid, uid, _key, _timestamp) VALUES ('c1', 'u1', 'u1', 1500);
INSERT INTO users RAW (_timestamp, _key, _value) VALUES (2000, 'u1', NULL);
INSERT INTO clicks (cid, uid, _key, _timestamp) VALUES ('c2', 'u1', 'u1', 2500);
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ana', 3000);
INSERT INTO clicks RAW (_timestamp, _key, _value) VALUES (3200, 'u1', NULL);
INSERT INTO clicks (cid, uid, _key, _timestamp) VALUES ('c3', 'u1', 'u1', 3500), ('tick', NULL, 'u1', 20000);
ASSERT VALUES l (cid, name) VALUES ('c1', 'Ann'), ('c2', NULL), ('c3', 'Ana');
ASSERT NO MORE VALUES l;
ASSERT VALUES i (cid, name) VALUES ('c1', 'Ann'), ('c3', 'Ana');
ASSERT NO MORE VALUES i;
ASSERT VALUES n (n) VALUES (3);
ASSERT NO MORE VALUES n;
ASSERT ERRORS clicks 1;

--@test: C26 ids that a double cannot tell apart do not join
CREATE TABLE t (id BIGINT, name VARCHAR, PRIMARY KEY (id)) WITH (topic='t');
CREATE STREAM s (id BIGINT) WITH (topic='s');
CREATE STREAM o AS SELECT s.id FROM s JOIN t ON s.id = t.id;
INSERT INTO t RAW (_timestamp, _value) VALUES (1, '{"id":9007199254740992,"name":"x"}');
INSERT INTO s RAW (_timestamp, _value) VALUES (2, '{"id":9007199254740993}'), (3, '{"id":9007199254740992}');
ASSERT VALUES o (id) VALUES (9007199254740992);
ASSERT NO MORE VALUES o;

--@test: S2 a table that lags by days does not hold back the windows behind the join
CREATE TABLE t (id VARCHAR, grp VARCHAR, PRIMARY KEY (id)) WITH (topic='t');
CREATE STREAM s (id VARCHAR) WITH (topic='s');
CREATE STREAM o AS SELECT t.grp, COUNT(*) AS n FROM s JOIN t ON s.id = t.id WINDOW TUMBLING(10s) GROUP BY t.grp EMIT FINAL;
INSERT INTO t (id, grp, _timestamp) VALUES ('a', 'g', 1), ('tick', 'tick', 1);
INSERT INTO s (id, _timestamp) VALUES ('a', 86401000), ('a', 86402000), ('tick', 86420000);
ASSERT VALUES o (grp, n) VALUES ('g', 2);
ASSERT NO MORE VALUES o;

--@test: S5 another key's newer record does not release a row too early
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u WITHIN 1s ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _partition, _timestamp) VALUES ('c1', 'u1', 0, 2000);
INSERT INTO users (uid, name, _partition, _timestamp) VALUES ('u2', 'Bo', 0, 2900), ('u1', 'Ann', 0, 1950);
ASSERT VALUES o (cid, name) VALUES ('c1', 'Ann');
ASSERT NO MORE VALUES o;

--@test: S5 a late table record is seen only above its own partition's release mark
-- R before the last record is 10000 - 1000 ms - 1 us: at 5000 nobody may see it any more, at 20000 everybody does.
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u ON c.uid = u.uid;
INSERT INTO users (uid, name, _partition, _timestamp) VALUES ('u2', 'Bo', 0, 10000), ('u1', 'Ann', 0, 1000);
INSERT INTO clicks (cid, uid, _partition, _timestamp) VALUES ('c1', 'u1', 0, 5000), ('c2', 'u1', 0, 8999), ('c3', 'u1', 0, 9000), ('c4', 'u1', 0, 20000);
ASSERT VALUES o (cid, name) VALUES ('c1', NULL), ('c2', NULL), ('c3', 'Ann'), ('c4', 'Ann');
ASSERT NO MORE VALUES o;

--@test: S5 a late record does not hide a newer version of its key
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u ON c.uid = u.uid;
INSERT INTO users (uid, name, _partition, _timestamp) VALUES ('u1', 'new', 0, 10000), ('u1', 'old', 0, 1000);
INSERT INTO clicks (cid, uid, _partition, _timestamp) VALUES ('c1', 'u1', 0, 5000), ('c2', 'u1', 0, 12000);
ASSERT VALUES o (cid, name) VALUES ('c1', NULL), ('c2', 'new');
ASSERT NO MORE VALUES o;

--@test: S5 AS OF joins at another instant and keeps the row's own time
CREATE TABLE prices (sku VARCHAR, price INT, PRIMARY KEY (sku)) WITH (topic='prices', partitions=1);
CREATE STREAM orders (oid INT, sku VARCHAR, ordered TIMESTAMP(3)) WITH (topic='orders', partitions=1);
CREATE STREAM o AS SELECT s.oid, p.price FROM orders s JOIN prices p AS OF TIMESTAMP s.ordered ON s.sku = p.sku;
INSERT INTO prices (sku, price, _timestamp) VALUES ('a', 1, 1000), ('a', 2, 5000);
INSERT INTO orders (oid, sku, ordered, _timestamp) VALUES (1, 'a', 4999, 9000), (2, 'a', 5000, 9000), (3, 'a', 500, 9000);
ASSERT VALUES o (oid, price, _timestamp) VALUES (1, 1, 9000), (2, 2, 9000);
ASSERT NO MORE VALUES o;

--@test: S5 rows wait through a crash
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u WITHIN 1h ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c1', 'u1', 2000), ('c2', 'u2', 2000);
ASSERT NO MORE VALUES o;
CRASH;
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000);
ASSERT NO MORE VALUES o;
RESTART;
INSERT INTO users (uid, name, _timestamp) VALUES ('u9', 'late enough', 3610000);
ASSERT VALUES o (cid, name) VALUES ('c1', 'Ann'), ('c2', NULL);
ASSERT NO MORE VALUES o;

--@test: S6 a predicate on the table turns failing rows into deletions
CREATE TABLE t (id VARCHAR, region VARCHAR, PRIMARY KEY (id)) WITH (topic='t', partitions=1);
CREATE STREAM s (sid INT, id VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT s.sid, t.region FROM s JOIN t ON s.id = t.id WHERE t.region = 'eu';
INSERT INTO t (id, region, _timestamp) VALUES ('a', 'eu', 1), ('a', 'us', 2);
INSERT INTO s (sid, id, _timestamp) VALUES (1, 'a', 1), (3, 'a', 3);
ASSERT VALUES o (sid, region) VALUES (1, 'eu');
ASSERT NO MORE VALUES o;

--@test: S6 an INT and a BIGINT meet
CREATE TABLE t (id BIGINT, name VARCHAR, PRIMARY KEY (id)) WITH (topic='t', partitions=3);
CREATE STREAM s (sid INT, id INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT s.sid, t.name FROM s LEFT JOIN t ON s.id = t.id;
INSERT INTO t (id, name, _timestamp) VALUES (1, 'one', 1), (2, 'two', 1), (-3, 'minus three', 1);
INSERT INTO s (sid, id, _timestamp) VALUES (10, 1, 5), (20, 2, 5), (30, -3, 5), (40, 4, 5);
ASSERT VALUES o (sid, name) VALUES (10, 'one'), (20, 'two'), (30, 'minus three'), (40, NULL);
ASSERT NO MORE VALUES o;

--@test: S6 a DECIMAL meets an INT whatever its scale
CREATE TABLE t (id DECIMAL(10,3), name VARCHAR, PRIMARY KEY (id)) WITH (topic='t', partitions=2);
CREATE STREAM s (sid INT, id INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT s.sid, t.name FROM s LEFT JOIN t ON s.id = t.id;
INSERT INTO t (id, name, _timestamp) VALUES (1.000, 'one', 1), (1.001, 'more', 1);
INSERT INTO s (sid, id, _timestamp) VALUES (10, 1, 5);
ASSERT VALUES o (sid, name) VALUES (10, 'one');
ASSERT NO MORE VALUES o;

--@test: S6 key bytes that are not our own serialisation stop a query that relies on them
--@expect.error: is not where its key says
CREATE TABLE t (id INT, name VARCHAR, PRIMARY KEY (id)) WITH (topic='t', partitions=3, key='id');
CREATE STREAM s (sid INT, id INT) WITH (topic='s', partitions=3, key='id');
CREATE STREAM o AS SELECT s.sid, t.name FROM s LEFT JOIN t ON s.id = t.id;
INSERT INTO t RAW (_timestamp, _key, _value) VALUES (1, '01', '{"id":1,"name":"one"}');

--@test: S6 a string does not join a number
--@expect.error: CAST
CREATE TABLE t (id INT, name VARCHAR, PRIMARY KEY (id)) WITH (topic='t');
CREATE STREAM s (sid INT, id VARCHAR) WITH (topic='s');
CREATE STREAM o AS SELECT s.sid, t.name FROM s JOIN t ON s.id = t.id;

--@test: S6 a changed primary key is another row and deletes nothing
CREATE TABLE t (id VARCHAR, name VARCHAR, PRIMARY KEY (id)) WITH (topic='t', partitions=1);
CREATE STREAM s (sid INT, id VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT s.sid, t.name FROM s LEFT JOIN t ON s.id = t.id;
INSERT INTO t (id, name, _key, _timestamp) VALUES ('a', 'first', 'row', 1), ('b', 'second', 'row', 2);
INSERT INTO s (sid, id, _timestamp) VALUES (1, 'a', 5), (2, 'b', 5);
ASSERT VALUES o (sid, name) VALUES (1, 'first'), (2, 'second');
ASSERT NO MORE VALUES o;

--@test: S6 a null value in a table without declared key is a bad record
CREATE TABLE t (id VARCHAR, name VARCHAR, PRIMARY KEY (id)) WITH (topic='t', partitions=1);
CREATE STREAM s (sid INT, id VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT s.sid, t.name FROM s LEFT JOIN t ON s.id = t.id;
INSERT INTO t (id, name, _key, _timestamp) VALUES ('a', 'first', 'a', 1);
INSERT INTO t RAW (_timestamp, _key, _value) VALUES (2, 'a', NULL);
INSERT INTO s (sid, id, _timestamp) VALUES (1, 'a', 5);
ASSERT VALUES o (sid, name) VALUES (1, 'first');
ASSERT NO MORE VALUES o;
ASSERT ERRORS t 1;

--@test: S6 a constant fixes a part of the primary key, or all of it
CREATE TABLE rates (currency VARCHAR, kind VARCHAR, rate INT, PRIMARY KEY (currency, kind)) WITH (topic='rates', partitions=3, key='currency, kind');
CREATE TABLE limits (region BIGINT, kind VARCHAR, most INT, PRIMARY KEY (region, kind)) WITH (topic='limits', partitions=2);
CREATE STREAM orders (id VARCHAR, currency VARCHAR, n INT) WITH (topic='orders', partitions=2);
CREATE STREAM a AS SELECT o.id, r.rate FROM orders o LEFT JOIN rates r ON o.currency = r.currency AND r.kind = 'sell';
CREATE STREAM b AS SELECT o.id, l.most FROM orders o JOIN limits l ON l.region = 5 AND 'day' = l.kind AND l.most >= o.n;
INSERT INTO rates (currency, kind, rate, _timestamp) VALUES ('EUR', 'sell', 7, 1000), ('EUR', 'buy', 8, 1000), ('USD', 'buy', 9, 1000), ('EUR', 'sell', 6, 3000);
INSERT INTO limits (region, kind, most, _partition, _timestamp) VALUES (5, 'day', 10, 0, 1000), (5, 'week', 99, 1, 1000), (6, 'day', 99, 1, 1000), (5, 'day', 20, 0, 3000);
INSERT INTO orders (id, currency, n, _partition, _timestamp) VALUES ('o1', 'EUR', 5, 0, 2000), ('o2', 'USD', 15, 1, 2000), ('o3', 'EUR', 15, 1, 4000), ('o4', NULL, 30, 0, 4000);
ASSERT VALUES a (id, rate) VALUES ('o1', 7), ('o2', NULL), ('o3', 6), ('o4', NULL);
ASSERT NO MORE VALUES a;
ASSERT VALUES b (id, most) VALUES ('o1', 10), ('o3', 20);
ASSERT NO MORE VALUES b;
