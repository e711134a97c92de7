--@test: rows at most the gap apart share a session
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, window_start, window_end, COUNT(*) AS n, SUM(v) AS t FROM s WINDOW SESSION(30s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 1, 1000), ('a', 2, 31000), ('b', 8, 40000), ('a', 4, 61001), ('tick', 0, 61001);
ASSERT VALUES o (k, window_start, window_end, n, t, _timestamp) VALUES ('a', 1000, 61000, 2, 3, 60999);
ASSERT NO MORE VALUES o;
INSERT INTO s (k, v, _timestamp) VALUES ('tick', 0, 70000);
ASSERT NO MORE VALUES o;
INSERT INTO s (k, v, _timestamp) VALUES ('tick', 0, 70001);
ASSERT VALUES o (k, window_start, window_end, n, t) VALUES ('b', 40000, 70000, 1, 8);
ASSERT NO MORE VALUES o;

--@test: a bounded run closes all sessions
--@until: end
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=3);
CREATE STREAM o AS SELECT k, window_start, COUNT(*) AS n FROM s WINDOW SESSION(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 9000), ('a', 4, 2, 17000), ('a', 8, 0, 40000);
ASSERT VALUES o (k, window_start, n) VALUES ('a', 1000, 3), ('a', 40000, 1);
ASSERT NO MORE VALUES o;

--@test: sessions merge across a late row, on several partitions
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=2);
CREATE TABLE o AS SELECT k, window_start, window_end, COUNT(*) AS n, SUM(v) AS t FROM s WINDOW SESSION(10s) GRACE 1m GROUP BY k;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 1, 0, 100000), ('a', 2, 1, 118000);
ASSERT TABLE o (k, window_start, window_end, n, t) VALUES ('a', 100000, 110000, 1, 1), ('a', 118000, 128000, 1, 2);
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 4, 1, 109000);
CRASH;
ASSERT TABLE o (k, window_start, window_end, n, t) VALUES ('a', 100000, 128000, 3, 7);
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 8, 0, 95000);
ASSERT TABLE o (k, window_start, window_end, n, t) VALUES ('a', 95000, 128000, 4, 15);
RESTART;
INSERT INTO s (k, v, _partition, _timestamp) VALUES ('a', 16, 1, 138001);
ASSERT TABLE o (k, window_start, window_end, n, t) VALUES ('a', 95000, 128000, 4, 15), ('a', 138001, 148001, 1, 16);
ASSERT LATE s 0;

--@test: and final rows count nothing twice
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, window_start, window_end, COUNT(*) AS n, SUM(v) AS t FROM s WINDOW SESSION(10s, GRACE 5s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 1, 1000), ('a', 2, 20000), ('a', 4, 10500), ('b', 0, 34999);
ASSERT VALUES o (k, window_start, window_end, n, t) VALUES ('a', 1000, 11000, 1, 1);
ASSERT NO MORE VALUES o;
CRASH;
INSERT INTO s (k, v, _timestamp) VALUES ('b', 0, 35001);
ASSERT VALUES o (k, window_start, window_end, n, t) VALUES ('a', 10500, 30000, 2, 6);
ASSERT NO MORE VALUES o;

--@test: a row joins no session that its own partition had closed, and is late when its own would be closed
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT k, window_start, window_end, COUNT(*) AS n FROM s WINDOW SESSION(10s) GROUP BY k EMIT FINAL;
INSERT INTO s (k, _timestamp) VALUES ('a', 1000), ('a', 15000), ('a', 7000), ('a', 5000), ('a', 4999), ('tick', 60000);
ASSERT VALUES o (k, window_start, window_end, n) VALUES ('a', 1000, 11000, 1), ('a', 5000, 25000, 3);
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: HAVING removes a session's row and lets it come back under its new start
CREATE STREAM s (k VARCHAR(5), v INT) WITH (topic='s', partitions=1);
CREATE TABLE o AS SELECT k, window_start, SUM(v) AS t FROM s WINDOW SESSION(10s) GRACE 1m GROUP BY k HAVING SUM(v) > 10;
INSERT INTO s (k, v, _timestamp) VALUES ('a', 11, 100000), ('b', 11, 100000);
ASSERT TABLE o (k, window_start, t) VALUES ('a', 100000, 11), ('b', 100000, 11);
INSERT INTO s (k, v, _timestamp) VALUES ('a', -5, 95000);
ASSERT TABLE o (k, window_start, t) VALUES ('b', 100000, 11);
INSERT INTO s (k, v, _timestamp) VALUES ('a', 7, 101000);
ASSERT TABLE o (k, window_start, t) VALUES ('a', 95000, 13), ('b', 100000, 11);

--@test: sessions of all rows together, disorder declared
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=2, disorder='3s');
CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS n FROM s WINDOW SESSION(INACTIVITY 5 SECONDS) EMIT FINAL;
INSERT INTO s (k, _partition, _timestamp) VALUES ('a', 0, 4000), ('b', 1, 8000), ('c', 0, 1000), ('x', 0, 16001), ('x', 1, 16001);
ASSERT VALUES o (window_start, window_end, n) VALUES (1000, 13000, 3);
ASSERT NO MORE VALUES o;

--@test: values are counted once and lists are in order, however late rows make sessions one
CREATE STREAM s (k VARCHAR(5), page VARCHAR) WITH (topic='s', partitions=2);
CREATE TABLE o AS SELECT k, window_start, COUNT(DISTINCT page) AS pages, GROUP_CONCAT(page SEPARATOR '>') AS way, COUNT(*) AS n FROM s WINDOW SESSION(10s) GRACE 1m GROUP BY k;
CREATE STREAM f AS SELECT k, window_start, window_end, COUNT(DISTINCT page) AS pages, GROUP_CONCAT(page SEPARATOR '>') AS way, JSON_OBJECTAGG(page, _offset >= 0) AS met FROM s WINDOW SESSION(10s) GRACE 1m GROUP BY k EMIT FINAL;
INSERT INTO s (k, page, _partition, _timestamp) VALUES ('a', 'home', 0, 100000), ('a', 'shop', 0, 118000), ('a', 'home', 0, 119000), ('b', 'home', 1, 100000);
ASSERT TABLE o (k, window_start, pages, way, n) VALUES ('a', 100000, 1, 'home', 1), ('a', 118000, 2, 'shop>home', 2), ('b', 100000, 1, 'home', 1);
INSERT INTO s (k, page, _partition, _timestamp) VALUES ('a', 'cart', 1, 109000);
ASSERT TABLE o (k, window_start, pages, way, n) VALUES ('a', 100000, 3, 'home>cart>shop>home', 4), ('b', 100000, 1, 'home', 1);
INSERT INTO s (k, page, _partition, _timestamp) VALUES ('a', 'ad', 1, 95000);
ASSERT TABLE o (k, window_start, pages, way, n) VALUES ('a', 95000, 4, 'ad>home>cart>shop>home', 5), ('b', 100000, 1, 'home', 1);
INSERT INTO s (k, page, _partition, _timestamp) VALUES ('tick', 'x', 0, 300000), ('tick', 'x', 1, 300000);
ASSERT VALUES f (k, window_start, window_end, pages, way, met) VALUES
  ('a', 95000, 129000, 4, 'ad>home>cart>shop>home', '{"ad":true,"cart":true,"home":true,"shop":true}'), ('b', 100000, 110000, 1, 'home', '{"home":true}');
ASSERT NO MORE VALUES f;
