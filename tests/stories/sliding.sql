--@test: for each row everything within 10 s before it, both ends included
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=1, disorder='1s');
CREATE STREAM o AS SELECT k, window_start, window_end, COUNT(*) AS n, SUM(v) AS t FROM s WINDOW SLIDING(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 1, 10000), ('a', 4, 20000), ('a', 2, 19500), ('b', 8, 20000), ('a', 16, 20001), ('tick', 0, 21001);
ASSERT VALUES o (k, window_start, window_end, n, t, _timestamp) VALUES ('a', 0, 10000, 1, 1, 10000), ('a', 9500, 19500, 2, 3, 19500), ('a', 10000, 20000, 3, 7, 20000), ('b', 10000, 20000, 1, 8, 20000);
ASSERT NO MORE VALUES o;
INSERT INTO s (k, v, _timestamp) VALUES ('tick', 0, 21002);
ASSERT VALUES o (k, window_start, window_end, n, t) VALUES ('a', 10001, 20001, 3, 22);
ASSERT NO MORE VALUES o;

--@test: rows of one instant share a window, and a late row is in none
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT k, window_end, COUNT(*) AS n, SUM(v) AS t FROM s WINDOW SLIDING(10s, GRACE 1s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 5000), ('a', 2, 1, 5000), ('a', 4, 0, 6001), ('a', 8, 0, 5000), ('a', 16, 1, 7000), ('a', 32, 0, 5999);
CRASH;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('tick', 0, 0, 8001), ('tick', 0, 1, 8001);
ASSERT VALUES o (k, window_end, n, t) VALUES ('a', 5000, 2, 3), ('a', 5999, 3, 35), ('a', 6001, 4, 39), ('a', 7000, 5, 55);
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: crashes between the instants
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=1);
CREATE TABLE o AS SELECT k, window_end, SUM(v) AS t FROM s WINDOW SLIDING(3s) GROUP BY k HAVING SUM(v) > 2;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 1, 1000), ('a', 2, 2000), ('a', 4, 3000);
CRASH;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 8, 4000), ('a', 16, 5000);
RESTART;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 32, 5500), ('a', -62, 8000), ('a', 0, 60000), ('tick', 0, 61000);
ASSERT TABLE o (k, window_end, t) VALUES ('a', 2000, 3), ('a', 3000, 7), ('a', 4000, 15), ('a', 5000, 30), ('a', 5500, 60);

--@test: a bounded run decides every row
--@until: end
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT window_end, MAX(v) AS m FROM s WINDOW SLIDING(10s) EMIT FINAL;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 3, 0, 1000), ('a', 2, 1, 2000), ('a', 1, 0, 11500), ('a', 0, 1, 12001);
ASSERT VALUES o (window_end, m) VALUES (1000, 3), (2000, 3), (11500, 2), (12001, 1);
ASSERT NO MORE VALUES o;

--@test: lists and distinct values of what is within reach, in order of event time
CREATE STREAM s (k VARCHAR(5), v VARCHAR, n INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT k, window_end, GROUP_CONCAT(v) AS list, COUNT(DISTINCT v) AS d, MAX(n) AS most, FIRST(v) AS f FROM s WINDOW SLIDING(5s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, n, _partition, _timestamp) VALUES ('a', 'x', 9, 0, 1000), ('a', 'y', 1, 1, 3000), ('b', 'z', 7, 0, 4000), ('a', 'x', 2, 1, 5000), ('a', 'x', 2, 1, 5000);
RESTART;
INSERT INTO s (k, v, n, _partition, _timestamp) VALUES ('a', 'w', 3, 0, 6001), ('a', NULL, 4, 1, 8000), ('a', 'x', 1, 0, 30000), ('tick', 't', 0, 0, 60000), ('tick', 't', 0, 1, 60000);
ASSERT VALUES o (k, window_end, list, d, most, f) VALUES ('a', 1000, 'x', 1, 9, 'x'), ('a', 3000, 'x,y', 2, 9, 'x'), ('b', 4000, 'z', 1, 7, 'z'), ('a', 5000, 'x,y,x,x', 2, 9, 'x'),
  ('a', 6001, 'y,x,x,w', 3, 3, 'y'), ('a', 8000, 'y,x,x,w', 3, 4, 'y'), ('a', 30000, 'x', 1, 1, 'x');
ASSERT NO MORE VALUES o;
