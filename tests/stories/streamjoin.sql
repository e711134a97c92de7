--@test: S3 pairs within reach, whichever side is read first
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=3);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=2);
CREATE STREAM o AS SELECT a.id, n, v FROM a JOIN b WITHIN 10s ON a.id = b.id;
INSERT INTO a (id, n, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('y', 2, 1, 1000);
INSERT INTO b (id, v, _partition, _timestamp) VALUES ('z', 30, 1, 1000), ('x', 10, 0, 11000), ('y', 20, 1, 11001);
INSERT INTO a (id, n, _partition, _timestamp) VALUES ('z', 3, 2, 9000), ('x', 4, 1, 20999), ('x', 5, 1, 21001);
ASSERT VALUES o (id, n, v) VALUES ('x', 1, 10), ('z', 3, 30), ('x', 4, 10);
ASSERT NO MORE VALUES o;

--@test: S3 a pair has the later instant
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=1);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=1);
CREATE STREAM o AS SELECT n, v FROM a JOIN b WITHIN 10s ON a.id = b.id;
INSERT INTO b (id, v, _timestamp) VALUES ('x', 10, 3000);
INSERT INTO a (id, n, _timestamp) VALUES ('x', 1, 1000), ('x', 2, 4000);
ASSERT VALUES o (n, v, _timestamp) VALUES (1, 10, 3000), (2, 10, 4000);
ASSERT NO MORE VALUES o;

--@test: S3 WITHIN of two sides: right rows from 1 s before to 5 s after
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=1);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=1);
CREATE STREAM o AS SELECT n, v FROM a JOIN b WITHIN (1s, 5s) ON a.id = b.id;
INSERT INTO b (id, v, _timestamp) VALUES ('x', 1, 8999), ('x', 2, 9000), ('x', 3, 15000), ('x', 4, 15001);
INSERT INTO a (id, n, _timestamp) VALUES ('x', 7, 10000);
ASSERT VALUES o (n, v) VALUES (7, 2), (7, 3);
ASSERT NO MORE VALUES o;

--@test: S3 bounds on the event times instead of WITHIN
CREATE STREAM a (id VARCHAR, at TIMESTAMP, n INT, WATERMARK FOR at AS at) WITH (topic='a', partitions=1);
CREATE STREAM b (id VARCHAR, at TIMESTAMP, v INT, WATERMARK FOR at AS at) WITH (topic='b', partitions=1);
CREATE STREAM o AS SELECT n, v FROM a JOIN b ON a.id = b.id AND b.at BETWEEN a.at - INTERVAL 1 SECOND AND a.at + INTERVAL 5 SECOND;
INSERT INTO b (id, at, v) VALUES ('x', 8999, 1), ('x', 9000, 2), ('x', 15000, 3), ('x', 15001, 4);
INSERT INTO a (id, at, n) VALUES ('x', 10000, 7);
ASSERT VALUES o (n, v) VALUES (7, 2), (7, 3);
ASSERT NO MORE VALUES o;

--@test: S3 an unmatched row leaves once, when no match can come any more, also after a crash
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=1);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=1);
CREATE STREAM o AS SELECT n, v FROM a LEFT JOIN b WITHIN 5s ON a.id = b.id;
INSERT INTO a (id, n, _timestamp) VALUES ('x', 1, 1000), ('y', 2, 2000);
INSERT INTO b (id, v, _timestamp) VALUES ('y', 9, 3000), ('z', 8, 3000);
ASSERT VALUES o (n, v) VALUES (2, 9);
ASSERT NO MORE VALUES o;
CRASH;
INSERT INTO b (id, v, _timestamp) VALUES ('q', 7, 30000);
ASSERT NO MORE VALUES o;
INSERT INTO a (id, n, _timestamp) VALUES ('q', 3, 30001);
ASSERT VALUES o (n, v, _timestamp) VALUES (3, 7, 30001), (1, NULL, 1000);
ASSERT NO MORE VALUES o;
CRASH;
INSERT INTO a (id, n, _timestamp) VALUES ('p', 4, 90000);
INSERT INTO b (id, v, _timestamp) VALUES ('p', 6, 90000);
ASSERT VALUES o (n, v) VALUES (4, 6);
ASSERT NO MORE VALUES o;

--@test: S3 LEFT, RIGHT and FULL at the end of a run
--@until: end
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=3);
CREATE STREAM l AS SELECT n, v FROM a LEFT JOIN b WITHIN 5s ON a.id = b.id;
CREATE STREAM r AS SELECT n, v FROM a RIGHT JOIN b WITHIN 5s ON a.id = b.id;
CREATE STREAM f AS SELECT COALESCE(a.id, b.id) AS id, n, v FROM a FULL JOIN b WITHIN 5s ON a.id = b.id;
INSERT INTO a (id, n, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('y', 2, 1, 2000), ('y', 3, 0, 20000);
INSERT INTO b (id, v, _partition, _timestamp) VALUES ('y', 7, 0, 3000), ('z', 8, 1, 3000), ('x', 9, 2, 6001);
ASSERT VALUES l (n, v) VALUES (1, NULL), (2, 7), (3, NULL);
ASSERT NO MORE VALUES l;
ASSERT VALUES r (n, v) VALUES (2, 7), (NULL, 8), (NULL, 9);
ASSERT NO MORE VALUES r;
ASSERT VALUES f (id, n, v) VALUES ('x', 1, NULL), ('y', 2, 7), ('y', 3, NULL), ('z', NULL, 8), ('x', NULL, 9);
ASSERT NO MORE VALUES f;

--@test: S3 NULL keys match nothing, with <=> they match each other
--@until: end
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=2);
CREATE STREAM o AS SELECT n, v FROM a FULL JOIN b WITHIN 5s ON a.id = b.id;
CREATE STREAM p AS SELECT n, v FROM a FULL JOIN b WITHIN 5s ON a.id <=> b.id;
INSERT INTO a (id, n, _partition, _timestamp) VALUES (NULL, 1, 0, 1000), ('x', 2, 1, 1000);
INSERT INTO b (id, v, _partition, _timestamp) VALUES (NULL, 7, 0, 1000), ('x', 8, 1, 2000);
ASSERT VALUES o (n, v) VALUES (1, NULL), (NULL, 7), (2, 8);
ASSERT NO MORE VALUES o;
ASSERT VALUES p (n, v) VALUES (1, 7), (2, 8);
ASSERT NO MORE VALUES p;

--@test: S3 a condition beyond the equality decides what a match is
--@until: end
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=2);
CREATE STREAM o AS SELECT n, v FROM a LEFT JOIN b WITHIN 5s ON a.id = b.id AND v > n;
INSERT INTO a (id, n, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('x', 5, 1, 1000), ('x', 9, 1, 1000);
INSERT INTO b (id, v, _partition, _timestamp) VALUES ('x', 5, 0, 1000), ('x', 6, 1, 2000);
ASSERT VALUES o (n, v) VALUES (1, 5), (1, 6), (5, 6), (9, NULL);
ASSERT NO MORE VALUES o;

--@test: S3 a late row within the grace finds its partner, one beyond it is late at the source
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=1);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=1);
CREATE STREAM o AS SELECT n, v FROM a LEFT JOIN b WITHIN 1s GRACE 10s ON a.id = b.id;
INSERT INTO a (id, n, _timestamp) VALUES ('x', 1, 5000), ('w', 2, 14000);
INSERT INTO b (id, v, _timestamp) VALUES ('q', 1, 14000), ('x', 2, 5000), ('x', 3, 4000), ('x', 4, 3999);
ASSERT VALUES o (n, v) VALUES (1, 2), (1, 3);
ASSERT NO MORE VALUES o;
INSERT INTO b (id, v, _timestamp) VALUES ('q', 5, 15001), ('x', 6, 5000), ('x', 7, 5001);
ASSERT VALUES o (n, v) VALUES (1, 7);
ASSERT NO MORE VALUES o;

--@test: S2 windows over a join wait for its grace
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=1);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=1);
CREATE STREAM o AS SELECT q.id, SUM(v) AS total, window_end FROM (SELECT a.id AS id, v FROM a JOIN b WITHIN 5s GRACE 5s ON a.id = b.id) AS q WINDOW TUMBLING(10s) GROUP BY q.id EMIT FINAL;
INSERT INTO a (id, n, _timestamp) VALUES ('x', 1, 8000), ('x', 2, 13000);
INSERT INTO b (id, v, _timestamp) VALUES ('x', 10, 13000), ('x', 1, 9000), ('x', 2, 8500);
ASSERT NO MORE VALUES o;
INSERT INTO a (id, n, _timestamp) VALUES ('y', 3, 30000);
INSERT INTO b (id, v, _timestamp) VALUES ('y', 3, 30000);
ASSERT VALUES o (id, total, window_end) VALUES ('x', 3, 10000), ('x', 23, 20000);
ASSERT NO MORE VALUES o;

--@test: S3 a stream joined with itself, and three streams
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=2);
CREATE STREAM s AS SELECT x.n AS first, y.n AS second FROM a AS x JOIN a AS y WITHIN (0s, 5s) ON x.id = y.id AND x.n < y.n;
CREATE STREAM t AS SELECT x.n AS n, b.v AS v, y.n AS m FROM a AS x JOIN b WITHIN 5s ON x.id = b.id JOIN a AS y WITHIN 5s ON y.id = b.id;
INSERT INTO a (id, n, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('x', 2, 1, 4000), ('x', 3, 0, 7000);
INSERT INTO b (id, v, _partition, _timestamp) VALUES ('x', 9, 1, 500);
ASSERT VALUES s (first, second) VALUES (1, 2), (2, 3);
ASSERT NO MORE VALUES s;
ASSERT VALUES t (n, v, m) VALUES (1, 9, 1), (1, 9, 2), (2, 9, 1), (2, 9, 2), (2, 9, 3);
ASSERT NO MORE VALUES t;

--@test: S3 final windows of two streams, joined
CREATE STREAM a (id VARCHAR, n INT) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR, v INT) WITH (topic='b', partitions=3);
CREATE STREAM o AS SELECT x.id, n, v FROM (SELECT id, COUNT(*) AS n, window_start AS st FROM a WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL) AS x
  LEFT JOIN (SELECT id, COUNT(*) AS v, window_start AS st FROM b WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL) AS y WITHIN 0s ON x.id = y.id AND x.st = y.st;
INSERT INTO a (id, n, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('x', 1, 1, 2000), ('y', 1, 0, 3000), ('x', 2, 0, 12000), ('z', 1, 0, 50000), ('z', 1, 1, 50000);
INSERT INTO b (id, v, _partition, _timestamp) VALUES ('x', 1, 0, 1000), ('x', 1, 1, 2000), ('x', 1, 2, 3000), ('z', 1, 0, 50000), ('z', 1, 1, 50000), ('z', 1, 2, 50000);
ASSERT VALUES o (id, n, v) VALUES ('x', 2, 3), ('y', 1, NULL), ('x', 1, NULL);
ASSERT NO MORE VALUES o;
