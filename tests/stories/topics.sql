--@test: a stream and a table over one topic, in place
CREATE TABLE t (uid VARCHAR(20), v VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM s (uid VARCHAR(20), v VARCHAR(20)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM o AS SELECT s.uid, s.v AS a, t.v AS b FROM s JOIN t ON s.uid = t.uid;
INSERT INTO s (uid, v, _timestamp) VALUES ('u1', 'a', 1000), ('u1', 'b', 2000), ('u2', 'c', 3000);
ASSERT VALUES o (uid, a, b) VALUES ('u1','a','a'), ('u1','b','b'), ('u2','c','c');
ASSERT NO MORE VALUES o;

--@test: a stream and a table over one topic keep what they know of time across a restart
CREATE TABLE t (uid VARCHAR(20), boss VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2);
CREATE STREAM s (uid VARCHAR(20), boss VARCHAR(20)) WITH (topic='x', partitions=2);
CREATE STREAM o AS SELECT s.uid, t.boss AS b FROM s LEFT JOIN t ON s.boss = t.uid;
INSERT INTO s (uid, boss, _partition, _timestamp) VALUES ('u1', 'u1', 0, 1000), ('u2', 'u1', 0, 3000000), ('u2', 'u1', 0, 3000000000);
ASSERT VALUES o (uid, b) VALUES ('u1','u1'), ('u2','u1'), ('u2', 'u1');
RESTART;
INSERT INTO s (uid, boss, _partition,  _timestamp) VALUES ('u3', 'u1', 0, 1500);
ASSERT LATE s 1;
ASSERT NO MORE VALUES o;

--@test: the same with the table in place
CREATE TABLE t (uid VARCHAR(20), boss VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM s (uid VARCHAR(20), boss VARCHAR(20)) WITH (topic='x', partitions=2);
CREATE STREAM o AS SELECT s.uid, t.boss AS b FROM s LEFT JOIN t ON s.boss = t.uid;
INSERT INTO t (uid, boss, _timestamp) VALUES ('u1', 'u1', 1000), ('u1', 'u1', 3000000), ('u1', 'u1', 3000000000);
ASSERT VALUES o (uid, b) VALUES ('u1','u1'), ('u1','u1'), ('u1', 'u1');
RESTART;
INSERT INTO t (uid, boss, _timestamp) VALUES ('u1', 'u1', 1500);
ASSERT LATE s 1;
ASSERT NO MORE VALUES o;

--@test: one table joined twice, by two columns
CREATE TABLE t (uid VARCHAR(20), n VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM s (a VARCHAR(20), b VARCHAR(20)) WITH (topic='y', partitions=2);
CREATE STREAM o AS SELECT s.a, s.b, p.n AS pn, q.n AS qn FROM s JOIN t p ON s.a = p.uid JOIN t q ON s.b = q.uid;
INSERT INTO t (uid, n, _timestamp) VALUES ('u1', 'Ann', 1000), ('u2', 'Bo', 1000);
INSERT INTO s (a, b, _key, _timestamp) VALUES ('u1', 'u2', 'k', 2000), ('u2', 'u1', 'k2', 2000);
ASSERT VALUES o (a, b, pn, qn) VALUES ('u1','u2','Ann','Bo'), ('u2','u1','Bo','Ann');
ASSERT NO MORE VALUES o;

--@test: one table joined twice by the same column
CREATE TABLE t (uid VARCHAR(20), n VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='x', partitions=2, key='uid');
CREATE STREAM s (a VARCHAR(20), b VARCHAR(20)) WITH (topic='y', partitions=2);
CREATE STREAM o AS SELECT s.a, p.n AS pn, q.n AS qn FROM s JOIN t p ON s.a = p.uid JOIN t q ON s.a = q.uid;
INSERT INTO t (uid, n, _timestamp) VALUES ('u1', 'Ann', 1000), ('u2', 'Bo', 1000);
INSERT INTO s (a, b, _key, _timestamp) VALUES ('u1', 'u2', 'k', 2000), ('u2', 'u1', 'k2', 2000);
ASSERT VALUES o (a, pn, qn) VALUES ('u1','Ann','Ann'), ('u2','Bo','Bo');
ASSERT NO MORE VALUES o;

--@test: S6 a table in place by two key columns imposes its JSON key on the stream
CREATE TABLE t (a VARCHAR(5), b INT, name VARCHAR(5), PRIMARY KEY (a, b)) WITH (topic='t', partitions=5, key='a,b');
CREATE STREAM s (id INT, x VARCHAR(5), y INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT s.id, t.name FROM s LEFT JOIN t ON s.x = t.a AND s.y = t.b;
INSERT INTO t (a, b, name, _timestamp) VALUES ('k', 1, 'n1', 10), ('k', 2, 'n2', 10), ('l', 1, 'n3', 10), ('m', 7, 'n4', 10), ('n', 8, 'n5', 10);
INSERT INTO s (id, x, y, _timestamp) VALUES (1, 'k', 1, 100), (2, 'k', 2, 100), (3, 'l', 1, 100), (4, 'm', 7, 100), (5, 'n', 8, 100), (6, 'n', 9, 100);
ASSERT VALUES o (id, name) VALUES (1, 'n1'), (2, 'n2'), (3, 'n3'), (4, 'n4'), (5, 'n5'), (6, NULL);
ASSERT NO MORE VALUES o;

--@test: event time from text, ISO 8601 and a MySQL format
--@until: end
CREATE STREAM i (id INT, at VARCHAR(30)) WITH (topic='i', partitions=1, timestamp='at');
CREATE STREAM m (id INT, at VARCHAR(30)) WITH (topic='m', partitions=1, timestamp='at', timestamp_format='%d.%m.%Y %H:%i:%s');
CREATE STREAM oi AS SELECT COUNT(*) AS n, window_start FROM i WINDOW TUMBLING(10s) EMIT FINAL;
CREATE STREAM om AS SELECT COUNT(*) AS n, window_start FROM m WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO i (id, at, _timestamp) VALUES (1, '2026-01-01T00:00:01Z', 1767225600000), (2, '2026-01-01 00:00:09', 1767225600000), (3, '2026-01-01T01:00:10+01:00', 1767225600000), (4, 'soon', 1767225600000);
INSERT INTO m (id, at, _timestamp) VALUES (1, '01.01.2026 00:00:01', 1767225600000), (2, '01.01.2026 00:00:10', 1767225600000), (3, '2026-01-01', 1767225600000);
ASSERT VALUES oi (n, window_start) VALUES (2, TIMESTAMP '2026-01-01 00:00:00'), (1, TIMESTAMP '2026-01-01 00:00:10');
ASSERT VALUES om (n, window_start) VALUES (1, TIMESTAMP '2026-01-01 00:00:00'), (1, TIMESTAMP '2026-01-01 00:00:10');
ASSERT ERRORS i 1;
ASSERT ERRORS m 1;
