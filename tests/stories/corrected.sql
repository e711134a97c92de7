--@test: S5 a table record that comes late takes the row back and sends it anew
-- The rows leave when u2's record shows that the table has come to 9 s; u1's of 4 s comes after that, and once more.
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE TABLE l (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u WITHIN 1s CORRECT 10s ON c.uid = u.uid;
CREATE TABLE i (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c JOIN users u WITHIN 1s CORRECT 10s ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c1', 'u1', 3000), ('c2', 'u1', 5000), ('c3', 'u2', 5000);
INSERT INTO users (uid, name, _timestamp) VALUES ('u2', 'Bo', 10000);
ASSERT TABLE l (cid, name) VALUES ('c1', NULL), ('c2', NULL), ('c3', NULL);
ASSERT TABLE i (cid, name) VALUES;
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 4000);
ASSERT TABLE l (cid, name) VALUES ('c1', NULL), ('c2', 'Ann'), ('c3', NULL);
ASSERT TABLE i (cid, name) VALUES ('c2', 'Ann');
CRASH;
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Al', 2000), ('u1', 'Anna', 4500);
ASSERT TABLE l (cid, name) VALUES ('c1', 'Al'), ('c2', 'Anna'), ('c3', NULL);
ASSERT TABLE i (cid, name) VALUES ('c1', 'Al'), ('c2', 'Anna');

--@test: S5 a version changes the rows from its instant to that of the next one, which is not among them
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE TABLE o (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u CORRECT 1m ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('a', 'u1', 3999), ('b', 'u1', 4000), ('c', 'u1', 5999), ('d', 'u1', 6000), ('e', 'u1', 9000);
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'old', 1000), ('u1', 'new', 6000), ('u2', 'Bo', 20000);
ASSERT TABLE o (cid, name) VALUES ('a', 'old'), ('b', 'old'), ('c', 'old'), ('d', 'new'), ('e', 'new');
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'mid', 4000);
ASSERT TABLE o (cid, name) VALUES ('a', 'old'), ('b', 'mid'), ('c', 'mid'), ('d', 'new'), ('e', 'new');
-- Of the versions of one instant the last one written counts.
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'newer', 6000);
ASSERT TABLE o (cid, name) VALUES ('a', 'old'), ('b', 'mid'), ('c', 'mid'), ('d', 'newer'), ('e', 'newer');

--@test: S5 rows that the table had passed by more than CORRECT stay as they were
-- Before u1's record the release mark is 10000 - 1000 ms - 1 us, and CORRECT 3s reaches back to 6000 ms: at 5999 the row stays.
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE TABLE o (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u WITHIN 1s CORRECT 3s ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c1', 'u1', 2000), ('c2', 'u1', 5999), ('c3', 'u1', 6000), ('c4', 'u1', 8000);
INSERT INTO users (uid, name, _timestamp) VALUES ('u2', 'Bo', 10000);
ASSERT TABLE o (cid, name) VALUES ('c1', NULL), ('c2', NULL), ('c3', NULL), ('c4', NULL);
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000);
ASSERT TABLE o (cid, name) VALUES ('c1', NULL), ('c2', NULL), ('c3', 'Ann'), ('c4', 'Ann');
-- It is the same for rows that come after the record.
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c5', 'u1', 5998), ('c6', 'u1', 6001);
ASSERT TABLE o (cid, name) VALUES ('c1', NULL), ('c2', NULL), ('c3', 'Ann'), ('c4', 'Ann'), ('c5', NULL), ('c6', 'Ann');

--@test: S5 another partition of the table that has come further takes nothing away from one that has not
-- Lateness is measured in the record's own partition, and rows are kept for the one that is furthest behind.
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=2);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE TABLE o (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u WITHIN 1s CORRECT 2s ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c1', 'u1', 5000), ('c2', 'u2', 5000);
INSERT INTO users (uid, name, _partition, _timestamp) VALUES ('x', 'X', 0, 100000), ('y', 'Y', 1, 6500);
ASSERT TABLE o (cid, name) VALUES ('c1', NULL), ('c2', NULL);
INSERT INTO users (uid, name, _partition, _timestamp) VALUES ('u1', 'Ann', 1, 1000), ('u2', 'Bo', 0, 1000);
ASSERT TABLE o (cid, name) VALUES ('c1', 'Ann'), ('c2', NULL);

--@test: S5 a record that comes later than WITHIN without being late in its partition corrects, too
-- The table is silent: rows are released because all of it was read, and its next record is older than they are.
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=2);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE TABLE o (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u WITHIN 1s CORRECT 2s ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c1', 'u1', 5000);
ASSERT TABLE o (cid, name) VALUES ('c1', NULL);
RESTART;
INSERT INTO users (uid, name, _partition, _timestamp) VALUES ('u1', 'Ann', 1, 4000);
ASSERT TABLE o (cid, name) VALUES ('c1', 'Ann');

--@test: S5 a late tombstone takes a match back
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1, key='uid');
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE TABLE l (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u CORRECT 1m ON c.uid = u.uid;
CREATE TABLE i (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c JOIN users u CORRECT 1m ON c.uid = u.uid;
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000);
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c1', 'u1', 2000), ('c2', 'u1', 4000);
INSERT INTO users (uid, name, _timestamp) VALUES ('u2', 'Bo', 20000);
ASSERT TABLE l (cid, name) VALUES ('c1', 'Ann'), ('c2', 'Ann');
ASSERT TABLE i (cid, name) VALUES ('c1', 'Ann'), ('c2', 'Ann');
INSERT INTO users RAW (_timestamp, _key, _value) VALUES (3000, 'u1', NULL);
ASSERT TABLE l (cid, name) VALUES ('c1', 'Ann'), ('c2', NULL);
ASSERT TABLE i (cid, name) VALUES ('c1', 'Ann');
-- A second one changes nothing; a row after it brings the match back.
INSERT INTO users RAW (_timestamp, _key, _value) VALUES (3100, 'u1', NULL);
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Anna', 3500);
ASSERT TABLE l (cid, name) VALUES ('c1', 'Ann'), ('c2', 'Anna');
ASSERT TABLE i (cid, name) VALUES ('c1', 'Ann'), ('c2', 'Anna');

--@test: S6 a predicate on the table, in WHERE and in ON, is asked of each version
CREATE TABLE users (uid VARCHAR, region VARCHAR, level INT, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR, needs INT) WITH (topic='clicks', partitions=1);
CREATE TABLE w (cid VARCHAR, level INT, PRIMARY KEY (cid)) AS SELECT c.cid, u.level FROM clicks c JOIN users u CORRECT 1m ON c.uid = u.uid WHERE u.region = 'eu';
CREATE TABLE l (cid VARCHAR, level INT, PRIMARY KEY (cid)) AS SELECT c.cid, u.level FROM clicks c LEFT JOIN users u CORRECT 1m ON c.uid = u.uid AND u.level >= c.needs;
INSERT INTO users (uid, region, level, _timestamp) VALUES ('u1', 'eu', 5, 1000), ('u2', 'eu', 9, 20000);
INSERT INTO clicks (cid, uid, needs, _timestamp) VALUES ('c1', 'u1', 3, 4000), ('c2', 'u1', 7, 4000);
ASSERT TABLE w (cid, level) VALUES ('c1', 5), ('c2', 5);
ASSERT TABLE l (cid, level) VALUES ('c1', 5), ('c2', NULL);
INSERT INTO users (uid, region, level, _timestamp) VALUES ('u1', 'us', 7, 2000);
ASSERT TABLE w (cid, level) VALUES;
ASSERT TABLE l (cid, level) VALUES ('c1', 7), ('c2', 7);
INSERT INTO users (uid, region, level, _timestamp) VALUES ('u1', 'eu', 2, 3000);
ASSERT TABLE w (cid, level) VALUES ('c1', 2), ('c2', 2);
ASSERT TABLE l (cid, level) VALUES ('c1', NULL), ('c2', NULL);

--@test: S7 two rows that are equal in all columns do not cancel each other
-- Without a declared key each row of the list is its own; it stands as long as one of the rows that gave it does.
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE TABLE o AS SELECT c.uid, u.name FROM clicks c LEFT JOIN users u CORRECT 1m ON c.uid = u.uid;
CREATE TABLE n AS SELECT c.uid, u.name, COUNT(*) AS n FROM clicks c LEFT JOIN users u CORRECT 1m ON c.uid = u.uid GROUP BY c.uid, u.name;
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000), ('u2', 'Bo', 20000);
INSERT INTO clicks (uid, _timestamp) VALUES ('u1', 2000), ('u1', 4000), ('u1', 4000);
ASSERT TABLE o (uid, name) VALUES ('u1', 'Ann');
ASSERT TABLE n (uid, name, n) VALUES ('u1', 'Ann', 3);
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Anna', 3000);
ASSERT TABLE o (uid, name) VALUES ('u1', 'Ann'), ('u1', 'Anna');
ASSERT TABLE n (uid, name, n) VALUES ('u1', 'Ann', 1), ('u1', 'Anna', 2);
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'An', 1500);
ASSERT TABLE o (uid, name) VALUES ('u1', 'An'), ('u1', 'Anna');
ASSERT TABLE n (uid, name, n) VALUES ('u1', 'An', 1), ('u1', 'Anna', 2);

--@test: S7 what is computed over a corrected join follows
CREATE TABLE users (uid VARCHAR, team VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=2);
CREATE STREAM bids (id INT, uid VARCHAR, price INT) WITH (topic='bids', partitions=3);
CREATE TABLE sums AS SELECT u.team, SUM(b.price) AS total, MAX(b.price) AS most, COUNT(*) AS n FROM bids b JOIN users u CORRECT 1m ON b.uid = u.uid GROUP BY u.team;
CREATE TABLE best AS SELECT u.team, b.id, b.price FROM bids b JOIN users u CORRECT 1m ON b.uid = u.uid QUALIFY ROW_NUMBER() OVER (PARTITION BY u.team ORDER BY b.price DESC) = 1;
CREATE TABLE teams AS SELECT DISTINCT u.team FROM bids b JOIN users u CORRECT 1m ON b.uid = u.uid;
CREATE TABLE dear AS SELECT team, COUNT(*) AS n FROM (SELECT u.team, b.price FROM bids b JOIN users u CORRECT 1m ON b.uid = u.uid WHERE b.price > 15) AS q GROUP BY team;
INSERT INTO users (uid, team, _partition, _timestamp) VALUES ('u1', 'red', 0, 1000), ('u2', 'blue', 1, 1000);
INSERT INTO bids (id, uid, price, _partition, _timestamp) VALUES (1, 'u1', 10, 0, 2000), (2, 'u1', 30, 1, 4000), (3, 'u2', 20, 2, 4000);
ASSERT TABLE sums (team, total, most, n) VALUES ('red', 40, 30, 2), ('blue', 20, 20, 1);
ASSERT TABLE best (team, id, price) VALUES ('red', 2, 30), ('blue', 3, 20);
ASSERT TABLE dear (team, n) VALUES ('red', 1), ('blue', 1);
INSERT INTO users (uid, team, _partition, _timestamp) VALUES ('u1', 'blue', 0, 3000);
ASSERT TABLE sums (team, total, most, n) VALUES ('red', 10, 10, 1), ('blue', 50, 30, 2);
ASSERT TABLE best (team, id, price) VALUES ('red', 1, 10), ('blue', 2, 30);
ASSERT TABLE teams (team) VALUES ('red'), ('blue');
ASSERT TABLE dear (team, n) VALUES ('blue', 2);
INSERT INTO users (uid, team, _partition, _timestamp) VALUES ('u1', 'blue', 0, 1500);
ASSERT TABLE sums (team, total, most, n) VALUES ('blue', 60, 30, 3);
ASSERT TABLE best (team, id, price) VALUES ('blue', 2, 30);
ASSERT TABLE teams (team) VALUES ('blue');

--@test: S5 AS OF another instant is corrected at that instant
CREATE TABLE prices (item VARCHAR, price INT, PRIMARY KEY (item)) WITH (topic='prices', partitions=1);
CREATE STREAM orders (id VARCHAR, item VARCHAR, ordered TIMESTAMP(3)) WITH (topic='orders', partitions=1);
CREATE TABLE o (id VARCHAR, price INT, PRIMARY KEY (id)) AS SELECT o.id, p.price FROM orders o LEFT JOIN prices p AS OF TIMESTAMP o.ordered WITHIN 1s CORRECT 1m ON o.item = p.item;
INSERT INTO prices (item, price, _timestamp) VALUES ('a', 1, 1000), ('b', 5, 20000);
INSERT INTO orders (id, item, ordered, _timestamp) VALUES ('o1', 'a', '1970-01-01 00:00:03', 9000), ('o2', 'a', '1970-01-01 00:00:06', 9000), ('o3', 'a', NULL, 9000);
ASSERT TABLE o (id, price, _timestamp) VALUES ('o1', 1, 9000), ('o2', 1, 9000), ('o3', NULL, 9000);
INSERT INTO prices (item, price, _timestamp) VALUES ('a', 2, 5000);
ASSERT TABLE o (id, price, _timestamp) VALUES ('o1', 1, 9000), ('o2', 2, 9000), ('o3', NULL, 9000);

--@test: S5 rows whose key is NULL match nothing, also later; <=> is for keys that are NULL on purpose
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=2);
CREATE TABLE o (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u CORRECT 1m ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _partition, _timestamp) VALUES ('c1', NULL, 0, 2000), ('c2', 'u1', 1, 2000);
INSERT INTO users (uid, name, _timestamp) VALUES ('u2', 'Bo', 20000);
ASSERT TABLE o (cid, name) VALUES ('c1', NULL), ('c2', NULL);
INSERT INTO users (uid, name, _timestamp) VALUES (NULL, 'ghost', 1000), ('u1', 'Ann', 1000);
ASSERT TABLE o (cid, name) VALUES ('c1', NULL), ('c2', 'Ann');
ASSERT ERRORS users 1;

--@test: S6 the table stands first, and both sides are where they must be
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=3, key='uid');
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=3, key='uid');
CREATE TABLE o (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM users u JOIN clicks c CORRECT 1m ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c1', 'u1', 2000), ('c2', 'u2', 2000), ('c3', 'u3', 2000);
ASSERT TABLE o (cid, name) VALUES;
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000), ('u2', 'Bo', 1500), ('u3', 'Cy', 2001);
ASSERT TABLE o (cid, name) VALUES ('c1', 'Ann'), ('c2', 'Bo');

--@test: S7 rows go into a table that is declared by itself, by its key
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE TABLE o (name VARCHAR, cid VARCHAR, note VARCHAR, PRIMARY KEY (cid)) WITH (topic='o', partitions=2, key='cid');
INSERT INTO o (cid, name) SELECT c.cid, UPPER(u.name) FROM clicks c LEFT JOIN users u CORRECT 1m ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c1', 'u1', 2000), ('c2', 'u2', 2500);
INSERT INTO users (uid, name, _timestamp) VALUES ('x', 'X', 20000), ('u1', 'Ann', 1000);
ASSERT TABLE o (cid, name, note) VALUES ('c1', 'ANN', NULL), ('c2', NULL, NULL);

--@test: S7 a key that several rows have shows the newest of them
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE TABLE o (uid VARCHAR, cid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) AS SELECT c.uid, c.cid, u.name FROM clicks c JOIN users u CORRECT 1m ON c.uid = u.uid;
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Ann', 1000), ('x', 'X', 20000);
INSERT INTO clicks (cid, uid, _timestamp) VALUES ('c2', 'u1', 4000), ('c1', 'u1', 3000);
ASSERT TABLE o (uid, cid, name) VALUES ('u1', 'c2', 'Ann');
INSERT INTO users (uid, name, _timestamp) VALUES ('u1', 'Al', 2000);
ASSERT TABLE o (uid, cid, name) VALUES ('u1', 'c2', 'Al');

--@test: S8 a bounded run takes the late records up to its end
--@until: end
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=2);
CREATE TABLE o (cid VARCHAR, name VARCHAR, PRIMARY KEY (cid)) AS SELECT c.cid, u.name FROM clicks c LEFT JOIN users u WITHIN 1s CORRECT 5s ON c.uid = u.uid;
INSERT INTO clicks (cid, uid, _partition, _timestamp) VALUES ('c1', 'u1', 0, 3000), ('c2', 'u1', 1, 5000);
INSERT INTO users (uid, name, _timestamp) VALUES ('u2', 'Bo', 10000), ('u1', 'Ann', 2000), ('u2', 'Bob', 11001), ('u1', 'Anna', 2500);
ASSERT TABLE o (cid, name) VALUES ('c1', NULL), ('c2', 'Ann');

--@test: S7 a corrected join does not go into a stream
--@expect.error: the rows of the result come and go, but o is a stream
CREATE TABLE users (uid VARCHAR, name VARCHAR, PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR, uid VARCHAR) WITH (topic='clicks', partitions=1);
CREATE STREAM o AS SELECT c.cid, u.name FROM clicks c JOIN users u CORRECT 1m ON c.uid = u.uid;

--@test: S7 groups of a stream are corrected by its late rows
-- The order of 4 s comes when the payments have come to 9 s, and finds one of 3 s; that of 2 s comes late and counts in both versions.
CREATE STREAM payments (customer VARCHAR, amount INT) WITH (topic='payments', partitions=1);
CREATE STREAM orders (id VARCHAR, customer VARCHAR) WITH (topic='orders', partitions=2);
CREATE TABLE o (id VARCHAR, paid BIGINT, n BIGINT, PRIMARY KEY (id)) AS
  WITH p AS (SELECT customer, SUM(amount) AS paid, COUNT(*) AS n FROM payments GROUP BY customer)
  SELECT o.id, CAST(p.paid AS BIGINT) AS paid, p.n FROM orders o LEFT JOIN p WITHIN 1s CORRECT 6s ON o.customer = p.customer;
INSERT INTO payments (customer, amount, _timestamp) VALUES ('c', 10, 3000), ('x', 1, 10000);
INSERT INTO orders (id, customer, _partition, _timestamp) VALUES ('o1', 'c', 0, 2500), ('o2', 'c', 1, 4000), ('o3', 'c', 1, 8000);
ASSERT TABLE o (id, paid, n) VALUES ('o1', NULL, NULL), ('o2', 10, 1), ('o3', 10, 1);
INSERT INTO payments (customer, amount, _timestamp) VALUES ('c', 5, 2000);
ASSERT TABLE o (id, paid, n) VALUES ('o1', NULL, NULL), ('o2', 15, 2), ('o3', 15, 2);
-- At 12 s less 1 s and 6 s it counts from 5 s on.
INSERT INTO payments (customer, amount, _timestamp) VALUES ('x', 1, 12000), ('c', 100, 2000);
ASSERT TABLE o (id, paid, n) VALUES ('o1', NULL, NULL), ('o2', 15, 2), ('o3', 115, 3);
