--@test: a day in Berlin has 23 hours when summer begins
--@until: end
CREATE STREAM s (k VARCHAR, ts TIMESTAMP(3)) WITH (topic='s', partitions=1, timestamp='ts', max_future='3650d');
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW TUMBLING(1 DAY, TIME ZONE 'Europe/Berlin') EMIT FINAL;
INSERT INTO s (k, ts) VALUES ('a', '2024-03-30T22:59:59Z'), ('a', '2024-03-30T23:00:00Z'), ('a', '2024-03-31T21:59:59Z'), ('a', '2024-03-31T22:00:00Z');
ASSERT VALUES o (window_start, window_end, n) VALUES
  ('2024-03-29T23:00:00Z', '2024-03-30T23:00:00Z', 1), ('2024-03-30T23:00:00Z', '2024-03-31T22:00:00Z', 2), ('2024-03-31T22:00:00Z', '2024-04-01T22:00:00Z', 1);
ASSERT NO MORE VALUES o;

--@test: and 25 when it ends
--@until: end
CREATE STREAM s (k VARCHAR, ts TIMESTAMP(3)) WITH (topic='s', partitions=1, timestamp='ts', max_future='3650d');
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW TUMBLING(1 DAY, TIME ZONE 'Europe/Berlin') EMIT FINAL;
INSERT INTO s (k, ts) VALUES ('a', '2024-10-26T22:00:00Z'), ('a', '2024-10-27T22:59:59Z'), ('a', '2024-10-27T23:00:00Z');
ASSERT VALUES o (window_start, window_end, n) VALUES ('2024-10-26T22:00:00Z', '2024-10-27T23:00:00Z', 2), ('2024-10-27T23:00:00Z', '2024-10-28T23:00:00Z', 1);
ASSERT NO MORE VALUES o;

--@test: a day of 23 hours closes after 23 hours, and grace is real time
CREATE STREAM s (k VARCHAR, ts TIMESTAMP(3)) WITH (topic='s', partitions=1, timestamp='ts', max_future='3650d');
CREATE STREAM o AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(1 DAY, TIME ZONE 'Europe/Berlin') GRACE 1h GROUP BY k EMIT FINAL;
INSERT INTO s (k, ts) VALUES ('a', '2024-03-31T12:00:00Z'), ('b', '2024-03-31T22:59:59.999Z'), ('a', '2024-03-31T21:00:00Z');
ASSERT NO MORE VALUES o;
INSERT INTO s (k, ts) VALUES ('b', '2024-03-31T23:00:00Z'), ('a', '2024-03-31T21:00:00Z');
ASSERT VALUES o (k, n, _timestamp) VALUES ('a', 2, '2024-03-31T21:59:59.999Z');
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: months, the last instant of February and the first of March
--@until: end
CREATE STREAM s (k VARCHAR, ts TIMESTAMP(3)) WITH (topic='s', partitions=1, timestamp='ts', max_future='3650d');
CREATE STREAM utc AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW TUMBLING(1 MONTH) EMIT FINAL;
CREATE STREAM ny AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW TUMBLING(1 MONTH, TIME ZONE 'America/New_York') EMIT FINAL;
INSERT INTO s (k, ts) VALUES ('a', '2024-02-29T23:59:59.999Z'), ('a', '2024-03-01T00:00:00Z'), ('a', '2024-03-01T05:00:00Z');
ASSERT VALUES utc (window_start, window_end, n) VALUES ('2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z', 1), ('2024-03-01T00:00:00Z', '2024-04-01T00:00:00Z', 2);
ASSERT VALUES ny (window_start, window_end, n) VALUES ('2024-02-01T05:00:00Z', '2024-03-01T05:00:00Z', 2), ('2024-03-01T05:00:00Z', '2024-04-01T04:00:00Z', 1);
ASSERT NO MORE VALUES utc;
ASSERT NO MORE VALUES ny;

--@test: a week in Berlin begins on Monday, a fiscal year in April
--@until: end
CREATE STREAM s (k VARCHAR, ts TIMESTAMP(3)) WITH (topic='s', partitions=1, timestamp='ts', max_future='3650d');
CREATE STREAM w AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW TUMBLING(1 WEEK, TIME ZONE 'Europe/Berlin') EMIT FINAL;
CREATE STREAM y AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW TUMBLING(1 YEAR, OFFSET 3 MONTHS) EMIT FINAL;
INSERT INTO s (k, ts) VALUES ('a', '2024-03-24T22:59:59Z'), ('a', '2024-03-24T23:00:00Z'), ('a', '2024-03-31T21:59:59Z'), ('a', '2024-04-01T00:00:00Z');
ASSERT VALUES w (window_start, window_end, n) VALUES
  ('2024-03-17T23:00:00Z', '2024-03-24T23:00:00Z', 1), ('2024-03-24T23:00:00Z', '2024-03-31T22:00:00Z', 2), ('2024-03-31T22:00:00Z', '2024-04-07T22:00:00Z', 1);
ASSERT VALUES y (window_start, window_end, n) VALUES ('2023-04-01T00:00:00Z', '2024-04-01T00:00:00Z', 3), ('2024-04-01T00:00:00Z', '2025-04-01T00:00:00Z', 1);
ASSERT NO MORE VALUES w;
ASSERT NO MORE VALUES y;

--@test: DISTINCT in days of Berlin, a crash in between
CREATE STREAM s (k VARCHAR, ts TIMESTAMP(3)) WITH (topic='s', partitions=2, timestamp='ts', max_future='3650d');
CREATE STREAM o AS SELECT DISTINCT k, window_start FROM s WINDOW TUMBLING(1 DAY, TIME ZONE 'Europe/Berlin');
INSERT INTO s (k, ts, _partition) VALUES ('a', '2024-03-30T23:00:00Z', 0), ('a', '2024-03-31T21:59:59Z', 1);
CRASH;
INSERT INTO s (k, ts, _partition) VALUES ('a', '2024-03-31T12:00:00Z', 1), ('a', '2024-03-31T22:00:00Z', 0);
ASSERT VALUES o (k, window_start) VALUES ('a', '2024-03-30T23:00:00Z'), ('a', '2024-03-31T22:00:00Z');
ASSERT NO MORE VALUES o;

--@test: a zone that is none
--@expect.error: unknown time zone "Europe/Brlin"
CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT DISTINCT k FROM s WINDOW TUMBLING(1 DAY, TIME ZONE 'Europe/Brlin');
