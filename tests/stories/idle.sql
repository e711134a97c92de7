--@test: S2 two levels of windows behind an idle source wait, and lose nothing
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM a WITH (partitions=1, disorder='2s') AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(1s) GROUP BY k EMIT FINAL;
CREATE STREAM o AS SELECT SUM(n) AS t, window_start FROM a WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000), ('a', 1500), ('a', 9000), ('b', 9500), ('x', 12000);
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:00:30';
ASSERT VALUES a (k, n, _timestamp) VALUES ('a', 2, 1999), ('a', 1, 9999), ('b', 1, 9999);
ASSERT NO MORE VALUES a;
ASSERT NO MORE VALUES o;
INSERT INTO s (k, _timestamp) VALUES ('y', 14000);
ASSERT VALUES a (k, n, _timestamp) VALUES ('x', 1, 12999);
ASSERT VALUES o (t, window_start) VALUES (4, 0);
ASSERT NO MORE VALUES o;
ASSERT LATE a 0;

--@test: S2 two levels, of several partitions each: the lower windows close by the newest row once all partitions are idle
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=3, idle_timeout='2s');
CREATE STREAM a WITH (partitions=1, disorder='2s') AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(1s) GROUP BY k EMIT FINAL;
CREATE STREAM o AS SELECT SUM(n) AS t, window_start FROM a WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 1000), ('a', 1, 1500), ('a', 0, 13000), ('a', 1, 14000);
ASSERT NO MORE VALUES o;
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:00:20';
ASSERT VALUES a (k, n, _timestamp) VALUES ('a', 2, 1999), ('a', 1, 13999);
ASSERT NO MORE VALUES a;
ASSERT VALUES o (t, window_start) VALUES (2, 0);
ASSERT NO MORE VALUES o;

--@test: S2 idle_close closes windows once all inputs have been idle for so long; without it they stay open
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=2, idle_timeout='1s');
CREATE STREAM o WITH (idle_close='8s') AS SELECT k, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
CREATE STREAM p AS SELECT k, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 1000), ('a', 1, 2000), ('b', 1, 3000);
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:00:02';
ASSERT NO MORE VALUES o;
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:00:40';
ASSERT VALUES o (window_start, k, n) VALUES (0, 'a', 2), (0, 'b', 1);
ASSERT NO MORE VALUES o;
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:01:00';
ASSERT NO MORE VALUES p;
INSERT INTO s (k, _partition, _timestamp) VALUES ('c', 0, 15000), ('c', 1, 16000);
ASSERT VALUES p (window_start, k, n) VALUES (0, 'a', 2), (0, 'b', 1);
ASSERT NO MORE VALUES o;
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:01:30';
ASSERT VALUES o (window_start, k, n) VALUES (10000, 'c', 2);
ASSERT NO MORE VALUES o;
ASSERT NO MORE VALUES p;
ASSERT LATE s 0;

--@test: S2 idle_close begins anew with every row, and waits for windows of grace
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1, idle_timeout='1s');
CREATE STREAM o WITH (idle_close='20s') AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GRACE 5s GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000);
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:00:15';
INSERT INTO s (k, _timestamp) VALUES ('a', 2000);
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:00:30';
ASSERT NO MORE VALUES o;
INSERT INTO s (k, _timestamp) VALUES ('a', 3000);
ADVANCE TIME TO TIMESTAMP '2030-01-01 00:02:00';
ASSERT VALUES o (k, n) VALUES ('a', 3);
ASSERT NO MORE VALUES o;

--@test: S5 AS OF LATEST waits for the table's load at the start, and for nothing after it
CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (topic='t', partitions=1);
CREATE STREAM s (id VARCHAR, n INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT s.id, s.n, t.v FROM s LEFT JOIN t AS OF LATEST ON s.id = t.id;
INSERT INTO t (id, v, _timestamp) VALUES ('a', 1, 1000), ('b', 1, 1000), ('a', 2, 2000), ('a', 3, 3000);
ASSERT NO MORE VALUES o;
INSERT INTO s (id, n, _timestamp) VALUES ('a', 1, 500), ('c', 2, 500);
ASSERT VALUES o (id, n, v) VALUES ('a', 1, 3), ('c', 2, NULL);
INSERT INTO t (id, v, _timestamp) VALUES ('a', 4, 90000), ('c', 9, 90000);
ASSERT NO MORE VALUES o;
RESTART;
INSERT INTO s (id, n, _timestamp) VALUES ('a', 3, 600), ('c', 4, 600), ('b', 5, 600);
ASSERT VALUES o (id, n, v) VALUES ('a', 3, 4), ('c', 4, 9), ('b', 5, 1);
ASSERT NO MORE VALUES o;
