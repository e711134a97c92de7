--@test: C02 windowed DISTINCT over a column that is not the key
CREATE STREAM s (message_id VARCHAR(20), pod VARCHAR(20)) WITH (topic='s', partitions=3);
CREATE STREAM o AS SELECT DISTINCT message_id, window_start FROM s WINDOW TUMBLING(10s);
INSERT INTO s (message_id, pod, _key, _partition, _timestamp) VALUES
  ('m1', 'pod-a', 'pod-a', 0, 1000), ('m1', 'pod-b', 'pod-b', 1, 1200), ('m2', 'pod-c', 'pod-c', 2, 3000), ('m2', 'pod-a', 'pod-a', 0, 3000),
  ('m1', 'pod-b', 'pod-b', 1, 9999), ('m1', 'pod-c', 'pod-c', 2, 10000), ('m3', 'pod-a', 'pod-a', 0, 10500), ('m3', 'pod-b', 'pod-b', 1, 10500),
  ('tick', 't', 't', 0, 30000), ('tick', 't', 't', 1, 30000), ('tick', 't', 't', 2, 30000);
ASSERT VALUES o (message_id, window_start) VALUES ('m1', 0), ('m2', 0), ('m1', 10000), ('m3', 10000), ('tick', 30000);
ASSERT NO MORE VALUES o;

--@test: C02 without window columns
CREATE STREAM s (message_id VARCHAR(20), pod VARCHAR(20)) WITH (topic='s', partitions=3);
CREATE STREAM o AS SELECT DISTINCT message_id FROM s WINDOW TUMBLING(10s);
INSERT INTO s (message_id, pod, _partition, _timestamp) VALUES ('m1', 'a', 0, 1000), ('m1', 'b', 1, 1200), ('m1', 'c', 2, 10000);
ASSERT VALUES o (message_id) VALUES ('m1'), ('m1');
ASSERT NO MORE VALUES o;

--@test: C02 DISTINCT ON forwards the whole record
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT DISTINCT ON (id) * FROM s WINDOW TUMBLING(10s);
INSERT INTO s RAW (_partition, _timestamp, _key, _value) VALUES (0, 1000, 'k', '{"id":"a", "undeclared": [1, 2]}'), (1, 9000, 'k', '{"id":"b"}'), (0, 8000, NULL, '{"id":"b"}');
ASSERT VALUES o (id, _key, _value, _timestamp) VALUES ('a', 'k', '{"id":"a", "undeclared": [1, 2]}', 1000);
ASSERT VALUES o (id) VALUES ('b');
ASSERT NO MORE VALUES o;

--@test: DISTINCT EMIT FINAL emits the row that is earliest by time, partition and offset
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=2, disorder='5s');
CREATE STREAM o AS SELECT DISTINCT ON (id) id, v FROM s WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 1, 1, 3000), ('a', 2, 0, 2000), ('a', 3, 1, 2000), ('b', 4, 1, 5000), ('b', 5, 0, 5000);
ASSERT NO MORE VALUES o;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('tick', 0, 0, 20000), ('tick', 0, 1, 20000);
ASSERT VALUES o (id, v, _timestamp) VALUES ('a', 2, 2000), ('b', 5, 5000);
ASSERT NO MORE VALUES o;

--@test: S6 DISTINCT WITHIN 10s decides in event-time order: 0, 8, 15
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=1, disorder='20s');
CREATE STREAM o AS SELECT DISTINCT ON (id) WITHIN 10s id, v FROM s;
INSERT INTO s (id, v, _timestamp) VALUES ('a', 15, 15000), ('a', 8, 8000), ('a', 0, 0), ('tick', 0, 60000);
ASSERT VALUES o (id, v) VALUES ('a', 0), ('a', 15);
ASSERT NO MORE VALUES o;

--@test: DISTINCT WITHIN lets a row pass again exactly d later
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT DISTINCT ON (id) WITHIN 10s id, v FROM s;
INSERT INTO s (id, v, _timestamp) VALUES ('a', 1, 0), ('a', 2, 9999), ('a', 3, 10000), ('tick', 0, 60000);
ASSERT VALUES o (id, v) VALUES ('a', 1), ('a', 3);
ASSERT NO MORE VALUES o;

--@test: C26 DISTINCT over 64-bit ids
CREATE STREAM s (id BIGINT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT DISTINCT id FROM s WINDOW TUMBLING(10s);
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES
  (0, 1, '{"id":9007199254740992}'), (1, 2, '{"id":9007199254740993}'), (0, 3, '{"id":9223372036854775807}'), (1, 4, '{"id":-9223372036854775808}'),
  (0, 5, '{"id":9223372036854775808}'), (1, 6, '{"id":5,"junk":123456789012345678901234567890}');
ASSERT VALUES o (_value) VALUES ('{"id":9007199254740992}'), ('{"id":9007199254740993}'), ('{"id":9223372036854775807}'), ('{"id":-9223372036854775808}'), ('{"id":5}');
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 1;

--@test: C32 pairs that a separator would glue together stay apart
CREATE STREAM s (a VARCHAR(20), b VARCHAR(20), n INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT DISTINCT a, b FROM s WINDOW TUMBLING(10s);
CREATE TABLE t AS SELECT a, b, SUM(n) AS t FROM s WINDOW TUMBLING(10s) GROUP BY a, b;
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES
  (0, 1, '{"a":"x|+|y","b":"z","n":1}'), (1, 1, '{"a":"x","b":"y|+|z","n":2}'), (0, 2, '{"a":"p,q","b":"r","n":4}'), (1, 2, '{"a":"p","b":"q,r","n":8}'),
  (0, 4, '{"a":"","b":"w","n":64}'), (1, 4, '{"a":"w","b":"","n":128}'), (1, 5, '{"a":"x|+|y","b":"z","n":256}'),
  (0, 3, '{"a":"u\\u0000","b":"v","n":16}'), (1, 3, '{"a":"u","b":"\\u0000v","n":32}');
ASSERT VALUES o (a, b) VALUES ('x|+|y', 'z'), ('x', 'y|+|z'), ('p,q', 'r'), ('p', 'q,r'), ('', 'w'), ('w', ''), ('u\0', 'v'), ('u', '\0v');
ASSERT NO MORE VALUES o;
ASSERT TABLE t (t) VALUES (257), (2), (4), (8), (64), (128), (16), (32);

--@test: S6 strings are binary and unpadded
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT DISTINCT id FROM s WINDOW TUMBLING(10s);
INSERT INTO s (id, _partition, _timestamp) VALUES ('a', 0, 1), ('A', 1, 1), ('a ', 0, 2), ('a', 1, 3), ('A', 0, 4), (NULL, 0, 5), (NULL, 1, 6);
ASSERT VALUES o (id) VALUES ('a'), ('A'), ('a '), (NULL);
ASSERT NO MORE VALUES o;

--@test: S6 minus zero is zero
CREATE STREAM s (x DOUBLE) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT DISTINCT x FROM s WINDOW TUMBLING(10s);
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES (0, 1, '{"x":0.0}'), (1, 2, '{"x":-0.0}'), (0, 3, '{"x":1e0}'), (1, 4, '{"x":1}');
ASSERT VALUES o (x) VALUES (0), (1);
ASSERT NO MORE VALUES o;

--@test: S6 JSON is no key
--@expect.error: JSON
CREATE STREAM s (x JSON) WITH (topic='s');
CREATE STREAM o AS SELECT DISTINCT x FROM s WINDOW TUMBLING(10s);

--@test: S4 a repeat after an abort is still the first one
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT DISTINCT id FROM s WINDOW TUMBLING(1h);
INSERT INTO s (id, _partition, _timestamp) VALUES ('a', 0, 1), ('b', 1, 1), ('c', 0, 2);
ASSERT VALUES o (id) VALUES ('a'), ('b'), ('c');
CRASH;
INSERT INTO s (id, _partition, _timestamp) VALUES ('a', 1, 3), ('b', 0, 3), ('d', 0, 3);
ASSERT VALUES o (id) VALUES ('d');
RESTART;
INSERT INTO s (id, _partition, _timestamp) VALUES ('d', 1, 4), ('c', 1, 4), ('e', 1, 4);
ASSERT VALUES o (id) VALUES ('e');
ASSERT NO MORE VALUES o;

--@test: one row per key and hopping window
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT DISTINCT id, window_start, window_end FROM s WINDOW HOPPING(10s, 5s);
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 1, 0, 12000), ('a', 2, 1, 13000), ('a', 3, 0, 16000), ('b', 4, 1, 16000);
CRASH;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 5, 0, 19000), ('a', 6, 1, 21000);
ASSERT VALUES o (id, window_start, window_end) VALUES ('a', 5000, 15000), ('a', 10000, 20000), ('a', 15000, 25000), ('b', 10000, 20000), ('b', 15000, 25000), ('a', 20000, 30000);
ASSERT NO MORE VALUES o;

--@test: DISTINCT ON in hopping windows, the earliest row when each closes
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=1, disorder='5s');
CREATE STREAM o AS SELECT DISTINCT ON (id) id, v, window_start FROM s WINDOW HOPPING(10s, 5s) EMIT FINAL;
INSERT INTO s (id, v, _timestamp) VALUES ('a', 1, 12000), ('a', 2, 11000), ('a', 3, 17000), ('a', 4, 16000), ('tick', 0, 40000);
ASSERT VALUES o (id, v, window_start, _timestamp) VALUES ('a', 2, 5000, 11000), ('a', 2, 10000, 11000), ('a', 4, 15000, 16000);
ASSERT NO MORE VALUES o;

--@test: DISTINCT in cumulating windows, by step or, by window_start alone, once for all steps
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT DISTINCT id, window_end FROM s WINDOW CUMULATE(3s, 1s);
CREATE STREAM w AS SELECT DISTINCT id, window_start FROM s WINDOW CUMULATE(3s, 1s);
INSERT INTO s (id, _timestamp) VALUES ('a', 1500), ('a', 1600), ('a', 2500), ('a', 3500), ('b', 5000);
ASSERT VALUES o (id, window_end) VALUES ('a', 2000), ('a', 3000), ('a', 4000), ('a', 5000), ('a', 6000), ('b', 6000);
ASSERT VALUES w (id, window_start) VALUES ('a', 0), ('a', 3000), ('b', 3000);
ASSERT NO MORE VALUES o;
ASSERT NO MORE VALUES w;

--@test: one row per key and session, the earliest, when the session closes
CREATE STREAM s (id VARCHAR, v INT) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT DISTINCT ON (id) id, v, window_start, window_end FROM s WINDOW SESSION(10s) GRACE 20s;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 1, 0, 10000), ('a', 2, 0, 28000), ('b', 3, 1, 12000), ('a', 4, 1, 19000);
CRASH;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 5, 1, 8000), ('a', 6, 0, 38001);
ASSERT NO MORE VALUES o;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('tick', 0, 0, 58001), ('tick', 0, 1, 58001);
ASSERT VALUES o (id, v, window_start, window_end, _timestamp) VALUES ('a', 5, 8000, 38000, 8000), ('b', 3, 12000, 22000, 12000);
ASSERT NO MORE VALUES o;

--@test: DISTINCT in sliding windows: one row per key and instant
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT DISTINCT id, window_start, window_end FROM s WINDOW SLIDING(10s);
INSERT INTO s (id, _partition, _timestamp) VALUES ('a', 0, 11000), ('a', 1, 11000), ('a', 0, 11001);
ASSERT VALUES o (id, window_start, window_end) VALUES ('a', 1000, 11000), ('a', 1001, 11001);
ASSERT NO MORE VALUES o;

--@test: DISTINCT in windows of which a row lies in several, without saying which
--@expect.error: window_start
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT DISTINCT ON (id) * FROM s WINDOW HOPPING(10s, 5s);
