--@test: S6 two tables, joined on the key of one, in whichever order their rows come
CREATE TABLE users (uid VARCHAR PRIMARY KEY, name VARCHAR, team VARCHAR) WITH (topic='users', partitions=3, key='uid');
CREATE TABLE teams (team VARCHAR PRIMARY KEY, title VARCHAR) WITH (topic='teams', partitions=2, key='team');
CREATE TABLE o AS SELECT u.uid, u.name, t.title FROM users u JOIN teams t ON u.team = t.team;
INSERT INTO users (uid, name, team, _timestamp) VALUES ('u1', 'Ann', 'red', 1000), ('u2', 'Bo', 'blue', 1000), ('u3', 'Cy', 'red', 1000);
INSERT INTO teams (team, title, _timestamp) VALUES ('red', 'Reds', 2000);
ASSERT TABLE o (uid, name, title) VALUES ('u1', 'Ann', 'Reds'), ('u3', 'Cy', 'Reds');
INSERT INTO teams (team, title, _timestamp) VALUES ('red', 'The Reds', 3000), ('blue', 'Blues', 3000);
ASSERT TABLE o (uid, name, title) VALUES ('u1', 'Ann', 'The Reds'), ('u2', 'Bo', 'Blues'), ('u3', 'Cy', 'The Reds');
CRASH;
INSERT INTO users (uid, name, team, _timestamp) VALUES ('u1', 'Anna', 'blue', 4000), ('u3', 'Cy', NULL, 4000);
ASSERT TABLE o (uid, name, title) VALUES ('u1', 'Anna', 'Blues'), ('u2', 'Bo', 'Blues');
INSERT INTO teams RAW (_timestamp, _key, _value) VALUES (5000, 'blue', NULL);
ASSERT TABLE o (uid, name, title) VALUES;

--@test: S6 LEFT, RIGHT and FULL: the row without a match is taken back, and comes again
CREATE TABLE a (id VARCHAR PRIMARY KEY, n INT) WITH (topic='a', partitions=2, key='id');
CREATE TABLE b (id VARCHAR PRIMARY KEY, v INT) WITH (topic='b', partitions=3, key='id');
CREATE TABLE l AS SELECT a.id, n, v FROM a LEFT JOIN b ON a.id = b.id;
CREATE TABLE r AS SELECT b.id, n, v FROM a RIGHT JOIN b ON a.id = b.id;
CREATE TABLE f AS SELECT a.id AS a, b.id AS b, n, v FROM a FULL JOIN b ON a.id = b.id;
INSERT INTO a (id, n, _timestamp) VALUES ('x', 1, 1000), ('y', 2, 1000);
INSERT INTO b (id, v, _timestamp) VALUES ('y', 7, 1000), ('z', 8, 1000);
ASSERT TABLE l (id, n, v) VALUES ('x', 1, NULL), ('y', 2, 7);
ASSERT TABLE r (id, n, v) VALUES ('y', 2, 7), ('z', NULL, 8);
ASSERT TABLE f (a, b, n, v) VALUES ('x', NULL, 1, NULL), ('y', 'y', 2, 7), (NULL, 'z', NULL, 8);
INSERT INTO b (id, v, _timestamp) VALUES ('x', 9, 2000);
INSERT INTO b RAW (_timestamp, _key, _value) VALUES (2000, 'y', NULL);
ASSERT TABLE l (id, n, v) VALUES ('x', 1, 9), ('y', 2, NULL);
ASSERT TABLE r (id, n, v) VALUES ('x', 1, 9), ('z', NULL, 8);
ASSERT TABLE f (a, b, n, v) VALUES ('x', 'x', 1, 9), ('y', NULL, 2, NULL), (NULL, 'z', NULL, 8);

--@test: S6 many to many, with a condition beyond the equality
CREATE TABLE a (id VARCHAR PRIMARY KEY, g VARCHAR, n INT) WITH (topic='a', partitions=2, key='id');
CREATE TABLE b (id VARCHAR PRIMARY KEY, g VARCHAR, v INT) WITH (topic='b', partitions=3, key='id');
CREATE TABLE o AS SELECT a.id AS a, b.id AS b, n, v FROM a LEFT JOIN b ON a.g = b.g AND b.v > a.n;
INSERT INTO a (id, g, n, _timestamp) VALUES ('a1', 'g', 1, 1000), ('a2', 'g', 5, 1000), ('a3', 'h', 0, 1000);
INSERT INTO b (id, g, v, _timestamp) VALUES ('b1', 'g', 3, 1000), ('b2', 'g', 6, 1000);
ASSERT TABLE o (a, b, n, v) VALUES ('a1', 'b1', 1, 3), ('a1', 'b2', 1, 6), ('a2', 'b2', 5, 6), ('a3', NULL, 0, NULL);
INSERT INTO b (id, g, v, _timestamp) VALUES ('b2', 'g', 4, 2000);
ASSERT TABLE o (a, b, n, v) VALUES ('a1', 'b1', 1, 3), ('a1', 'b2', 1, 4), ('a2', NULL, 5, NULL), ('a3', NULL, 0, NULL);

--@test: S6 aggregates of a stream joined with a table, and counted again
CREATE STREAM s (uid VARCHAR, n INT) WITH (topic='s', partitions=3);
CREATE TABLE users (uid VARCHAR PRIMARY KEY, team VARCHAR) WITH (topic='users', partitions=2, key='uid');
CREATE TABLE o AS SELECT team, SUM(total) AS total, COUNT(*) AS users FROM (SELECT uid, SUM(n) AS total FROM s GROUP BY uid) AS q JOIN users u ON u.uid = q.uid GROUP BY team;
INSERT INTO users (uid, team, _timestamp) VALUES ('u1', 'red', 1000), ('u2', 'red', 1000), ('u3', 'blue', 1000);
INSERT INTO s (uid, n, _partition, _timestamp) VALUES ('u1', 1, 0, 1000), ('u1', 2, 1, 2000), ('u2', 10, 2, 1000), ('u3', 100, 0, 1000), ('u9', 5, 1, 3000);
ASSERT TABLE o (team, total, users) VALUES ('red', 13, 2), ('blue', 100, 1);
INSERT INTO users (uid, team, _timestamp) VALUES ('u2', 'blue', 5000), ('u9', 'blue', 5000);
ASSERT TABLE o (team, total, users) VALUES ('red', 3, 1), ('blue', 115, 3);
