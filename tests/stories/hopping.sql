--@test: C40 a row is in every window that holds it
CREATE STREAM s (u VARCHAR(5), v INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS c, SUM(v) AS t, COUNT(DISTINCT u) AS d, MAX(CONCAT(u,'!')) AS m
  FROM s WINDOW HOPPING(10s, ADVANCE 5s) GRACE(0s) WHERE u <> 'tick' EMIT FINAL;
INSERT INTO s (u, v, _timestamp) VALUES ('x', 1, 12000), ('x', 2, 14999), ('y', 4, 15000), ('tick', 0, 60000);
ASSERT VALUES o (window_start, window_end, c, t, d, m) VALUES (5000, 15000, 2, 3, 1, 'x!'), (10000, 20000, 3, 7, 2, 'y!'), (15000, 25000, 1, 4, 1, 'y!');
ASSERT NO MORE VALUES o;

--@test: C40 the same where every aggregate shares slices
CREATE STREAM s (u VARCHAR(5), v INT) WITH (topic='s', partitions=3);
CREATE STREAM o AS SELECT u, window_start, window_end, COUNT(*) AS c, SUM(v) AS t FROM s WINDOW HOPPING(SIZE 10 SECONDS, ADVANCE BY 5 SECONDS) GROUP BY u EMIT FINAL;
INSERT INTO s (u, v, _partition, _timestamp) VALUES ('x', 1, 0, 12000), ('x', 2, 1, 14999), ('x', 4, 2, 15000), ('y', 0, 0, 29999), ('y', 0, 1, 29999), ('y', 0, 2, 29999);
ASSERT VALUES o (u, window_start, window_end, c, t, _timestamp) VALUES ('x', 5000, 15000, 2, 3, 14999), ('x', 10000, 20000, 3, 7, 19999), ('x', 15000, 25000, 1, 4, 24999);
ASSERT NO MORE VALUES o;

--@test: C40 before 1970
--@until: end
CREATE STREAM s (u VARCHAR(5), ts BIGINT) WITH (topic='s', partitions=1, timestamp='ts');
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS c FROM s WINDOW HOPPING(10s, 5s) EMIT FINAL;
INSERT INTO s (u, ts) VALUES ('x', -1), ('x', 0), ('x', 4999);
ASSERT VALUES o (window_start, window_end, c) VALUES (-10000, 0, 1), (-5000, 5000, 3), (0, 10000, 2);
ASSERT NO MORE VALUES o;

--@test: an advance that does not divide the size
--@until: end
CREATE STREAM s (u VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS c FROM s WINDOW HOPPING(10s, 3s, OFFSET 1s) EMIT FINAL;
INSERT INTO s (u, _timestamp) VALUES ('x', 10500), ('x', 13000);
ASSERT VALUES o (window_start, window_end, c) VALUES (1000, 11000, 1), (4000, 14000, 2), (7000, 17000, 2), (10000, 20000, 2), (13000, 23000, 1);
ASSERT NO MORE VALUES o;

--@test: a row counts for the windows that its own partition had left open, and is late when there is none
CREATE STREAM s (u VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT u, window_start, COUNT(*) AS c FROM s WINDOW HOPPING(10s, 5s) GRACE 2s GROUP BY u EMIT FINAL;
INSERT INTO s (u, _timestamp) VALUES ('a', 7000), ('b', 11999), ('a', 8000), ('b', 12000), ('a', 9000), ('b', 17000), ('a', 9500), ('tick', 60000);
ASSERT VALUES o (u, window_start, c) VALUES ('a', 0, 2), ('a', 5000, 3), ('b', 5000, 2), ('b', 10000, 3), ('b', 15000, 1);
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: changes of every window that a row lies in, and removals
CREATE STREAM s (u VARCHAR(5), v INT) WITH (topic='s', partitions=2);
CREATE TABLE o AS SELECT u, window_start, SUM(v) AS t FROM s WINDOW HOPPING(10s, 5s) GROUP BY u HAVING SUM(v) > 2 EMIT CHANGES;
INSERT INTO s (u, v, _partition, _timestamp) VALUES ('a', 3, 0, 7000), ('a', 1, 1, 12000);
ASSERT TABLE o (u, window_start, t) VALUES ('a', 0, 3), ('a', 5000, 4);
INSERT INTO s (u, v, _partition, _timestamp) VALUES ('a', -2, 0, 8000), ('a', 5, 1, 12000);
CRASH;
ASSERT TABLE o (u, window_start, t) VALUES ('a', 5000, 7), ('a', 10000, 6);
INSERT INTO s (u, v, _partition, _timestamp) VALUES ('a', 4, 0, 9000);
ASSERT TABLE o (u, window_start, t) VALUES ('a', 0, 5), ('a', 5000, 11), ('a', 10000, 6);

--@test: crashes and restarts between the windows
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, COUNT(*) AS n, window_start FROM s WINDOW HOPPING(4s, 1s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 4000), ('a', 5500);
CRASH;
INSERT INTO s (k, _timestamp) VALUES ('a', 6000);
ASSERT VALUES o (window_start, k, n) VALUES (1000, 'a', 1), (2000, 'a', 2);
RESTART;
INSERT INTO s (k, _timestamp) VALUES ('b', 7100);
CRASH;
ASSERT VALUES o (window_start, k, n) VALUES (3000, 'a', 3);
INSERT INTO s (k, _timestamp) VALUES ('b', 9999), ('b', 10000);
ASSERT VALUES o (window_start, k, n) VALUES (4000, 'a', 3), (4000, 'b', 1), (5000, 'a', 2), (5000, 'b', 1), (6000, 'a', 1), (6000, 'b', 2);
ASSERT NO MORE VALUES o;

--@test: days that hop by the day, through the change of the clocks
--@until: end
CREATE STREAM s (k VARCHAR, ts TIMESTAMP(3)) WITH (topic='s', partitions=1, timestamp='ts', max_future='3650d');
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW HOPPING(2 DAYS, 1 DAY, TIME ZONE 'Europe/Berlin') EMIT FINAL;
INSERT INTO s (k, ts) VALUES ('a', '2024-03-31T12:00:00Z');
ASSERT VALUES o (window_start, window_end, n) VALUES ('2024-03-29T23:00:00Z', '2024-03-31T22:00:00Z', 1), ('2024-03-30T23:00:00Z', '2024-04-01T22:00:00Z', 1);
ASSERT NO MORE VALUES o;

--@test: since midnight, by the hour
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT k, window_start, window_end, COUNT(*) AS n, SUM(v) AS t FROM s WINDOW CUMULATE(4h, 1h) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 1800000), ('a', 2, 1, 3600000), ('a', 4, 0, 9000000), ('tick', 0, 1, 9000000);
ASSERT VALUES o (k, window_start, window_end, n, t) VALUES ('a', 0, 3600000, 1, 1), ('a', 0, 7200000, 2, 3);
CRASH;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('tick', 0, 0, 14400000), ('tick', 0, 1, 14400000);
ASSERT VALUES o (k, window_start, window_end, n, t) VALUES ('a', 0, 10800000, 3, 7), ('a', 0, 14400000, 3, 7),
  ('tick', 0, 10800000, 1, 0), ('tick', 0, 14400000, 1, 0);
ASSERT NO MORE VALUES o;

--@test: a row that is late for the first steps counts for the others
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, window_end, COUNT(*) AS n FROM s WINDOW CUMULATE(4s, 1s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('b', 2500), ('a', 500), ('b', 4000), ('a', 3999), ('tick', 4000);
ASSERT VALUES o (k, window_end, n) VALUES ('a', 3000, 1), ('a', 4000, 1), ('b', 3000, 1), ('b', 4000, 1);
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: changes of windows that cumulate are told apart by their ends
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=1);
CREATE TABLE o AS SELECT k, window_start, window_end, SUM(v) AS t FROM s WINDOW CUMULATE(3s, 1s) GROUP BY k;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 1, 500), ('a', 2, 1500), ('a', 4, 2500);
ASSERT TABLE o (k, window_start, window_end, t) VALUES ('a', 0, 1000, 1), ('a', 0, 2000, 3), ('a', 0, 3000, 7);

--@test: aggregates that keep their rows, for each window, through a crash, final and in changes
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=2);
CREATE STREAM f AS SELECT k, window_start, COUNT(DISTINCT v) AS d, GROUP_CONCAT(v ORDER BY v) AS l FROM s WINDOW HOPPING(4s, 2s) GROUP BY k EMIT FINAL;
CREATE TABLE c AS SELECT k, window_start, COUNT(DISTINCT v) AS d FROM s WINDOW HOPPING(4s, 2s) GROUP BY k;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 4000), ('a', 1, 1, 5000), ('a', 2, 0, 6000);
CRASH;
ASSERT TABLE c (k, window_start, d) VALUES ('a', 2000, 1), ('a', 4000, 2), ('a', 6000, 1);
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 0, 1, 4500), ('tick', 0, 0, 9000), ('tick', 0, 1, 9000);
ASSERT VALUES f (k, window_start, d, l) VALUES ('a', 2000, 2, '0,1,1'), ('a', 4000, 3, '0,1,1,2');
ASSERT NO MORE VALUES f;
ASSERT TABLE c (k, window_start, d) VALUES ('a', 2000, 2), ('a', 4000, 3), ('a', 6000, 1), ('tick', 6000, 1), ('tick', 8000, 1);
