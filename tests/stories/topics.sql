--@test: Z1 stream and table of one topic in place
CREATE TABLE t (uid VARCHAR(20), v VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM s (uid VARCHAR(20), v VARCHAR(20)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM o AS SELECT s.uid, s.v AS a, t.v AS b FROM s JOIN t ON s.uid = t.uid;
INSERT INTO s (uid, v, _timestamp) VALUES ('u1', 'a', 1000), ('u1', 'b', 2000), ('u2', 'c', 3000);
ASSERT VALUES o (uid, a, b) VALUES ('u1','a','a'), ('u1','b','b'), ('u2','c','c');
ASSERT NO MORE VALUES o;

--@test: Z2 stream and table of one topic, shuffled, restart, late verdict
CREATE TABLE t (uid VARCHAR(20), boss VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2);
CREATE STREAM s (uid VARCHAR(20), boss VARCHAR(20)) WITH (topic='x', partitions=2);
CREATE STREAM o AS SELECT s.uid, t.boss AS b FROM s LEFT JOIN t ON s.boss = t.uid;
INSERT INTO s (uid, boss, _partition, _timestamp) VALUES ('u1', 'u1', 0, 1000), ('u2', 'u1', 0, 3000000), ('u2', 'u1', 0, 3000000000);
ASSERT VALUES o (uid, b) VALUES ('u1','u1'), ('u2','u1'), ('u2', 'u1');
RESTART;
INSERT INTO s (uid, boss, _partition,  _timestamp) VALUES ('u3', 'u1', 0, 1500);
ASSERT LATE s 1;
ASSERT NO MORE VALUES o;

--@test: Z2b same, table keyed in place
CREATE TABLE t (uid VARCHAR(20), boss VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM s (uid VARCHAR(20), boss VARCHAR(20)) WITH (topic='x', partitions=2);
CREATE STREAM o AS SELECT s.uid, t.boss AS b FROM s LEFT JOIN t ON s.boss = t.uid;
INSERT INTO t (uid, boss, _timestamp) VALUES ('u1', 'u1', 1000), ('u1', 'u1', 3000000), ('u1', 'u1', 3000000000);
ASSERT VALUES o (uid, b) VALUES ('u1','u1'), ('u1','u1'), ('u1', 'u1');
RESTART;
INSERT INTO t (uid, boss, _timestamp) VALUES ('u1', 'u1', 1500);
ASSERT LATE s 1;
ASSERT NO MORE VALUES o;

--@test: Z3 one table joined twice
CREATE TABLE t (uid VARCHAR(20), n VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM s (a VARCHAR(20), b VARCHAR(20)) WITH (topic='y', partitions=2);
CREATE STREAM o AS SELECT s.a, s.b, p.n AS pn, q.n AS qn FROM s JOIN t p ON s.a = p.uid JOIN t q ON s.b = q.uid;
INSERT INTO t (uid, n, _timestamp) VALUES ('u1', 'Ann', 1000), ('u2', 'Bo', 1000);
INSERT INTO s (a, b, _key, _timestamp) VALUES ('u1', 'u2', 'k', 2000), ('u2', 'u1', 'k2', 2000);
ASSERT VALUES o (a, b, pn, qn) VALUES ('u1','u2','Ann','Bo'), ('u2','u1','Bo','Ann');
ASSERT NO MORE VALUES o;

--@test: Z4 one table joined twice by the same key
CREATE TABLE t (uid VARCHAR(20), n VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM s (a VARCHAR(20), b VARCHAR(20)) WITH (topic='y', partitions=2);
CREATE STREAM o AS SELECT s.a, p.n AS pn, q.n AS qn FROM s JOIN t p ON s.a = p.uid JOIN t q ON s.a = q.uid;
INSERT INTO t (uid, n, _timestamp) VALUES ('u1', 'Ann', 1000), ('u2', 'Bo', 1000);
INSERT INTO s (a, b, _key, _timestamp) VALUES ('u1', 'u2', 'k', 2000), ('u2', 'u1', 'k2', 2000);
ASSERT VALUES o (a, pn, qn) VALUES ('u1','Ann','Ann'), ('u2','Bo','Bo');
ASSERT NO MORE VALUES o;
