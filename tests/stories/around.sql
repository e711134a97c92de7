--@test: key, timestamp and headers written by a query
CREATE STREAM s (id VARCHAR, at TIMESTAMP(3), n INT) WITH (topic='s', partitions=2);
CREATE STREAM t (id VARCHAR, n INT) WITH (topic='t', partitions=2);
INSERT INTO t (n, _headers, id, _timestamp, _key)
  SELECT n, JSON_OBJECT('n', n, 'of', id, 'none', NULL), id, at + INTERVAL 1 SECOND, CONCAT('k-', id) FROM s;
INSERT INTO s (id, at, n, _partition, _timestamp, _headers) VALUES ('a', TIMESTAMP '2029-12-31 00:00:00', 1, 0, 1000, '{"x":"1"}'), ('b', TIMESTAMP '1970-01-01 00:00:00', 2, 1, 2000, NULL);
ASSERT VALUES t (id, n, _key, _timestamp, _headers) VALUES
  ('a', 1, 'k-a', TIMESTAMP '2029-12-31 00:00:01', '{"n":"1","of":"a","none":null}'),
  ('b', 2, 'k-b', TIMESTAMP '1970-01-01 00:00:01', '{"n":"2","of":"b","none":null}');
ASSERT NO MORE VALUES t;

--@test: what is not written is the input record's
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM keyed (id VARCHAR) WITH (topic='keys', partitions=1);
CREATE STREAM headers (id VARCHAR) WITH (topic='headers', partitions=1);
CREATE STREAM times (id VARCHAR) WITH (topic='times', partitions=1);
INSERT INTO keyed (id, _key) SELECT id, NULL FROM s;
INSERT INTO headers (id, _headers) SELECT id, NULL FROM s;
INSERT INTO times (id, _timestamp) SELECT id, 86400000 FROM s;
INSERT INTO s (id, _key, _timestamp, _headers) VALUES ('a', 'k', 5, '{"h":"v"}');
ASSERT VALUES keyed (id, _key, _timestamp, _headers) VALUES ('a', NULL, TIMESTAMP '1970-01-01 00:00:00.005', '{"h":"v"}');
ASSERT VALUES headers (id, _key, _timestamp, _headers) VALUES ('a', 'k', TIMESTAMP '1970-01-01 00:00:00.005', '{}');
ASSERT VALUES times (id, _key, _timestamp, _headers) VALUES ('a', 'k', TIMESTAMP '1970-01-02 00:00:00', '{"h":"v"}');

--@test: headers are read as an object, the last of a name counts, and go through a shuffle
CREATE STREAM s (id VARCHAR, h JSON) WITH (topic='s', partitions=2);
CREATE STREAM t (id VARCHAR, trace VARCHAR, all_of_them VARCHAR) WITH (topic='t', partitions=2, key='id');
INSERT INTO t SELECT DISTINCT id, HEADER('trace'), CAST(_headers AS VARCHAR) FROM s WINDOW TUMBLING(10s);
INSERT INTO s (id, _partition, _timestamp, _headers) VALUES ('a', 0, 1000, '{"trace":"t1","q":"\\"<"}'), ('a', 1, 1000, '{"trace":"t1","q":"\\"<"}');
ASSERT VALUES t (id, trace, all_of_them, _headers) VALUES ('a', 't1', '{"trace":"t1","q":"\\"<"}', '{"trace":"t1","q":"\\"<"}');
ASSERT NO MORE VALUES t;

--@test: a timestamp that Kafka does not take, and headers that are none, go the way of a bad record
CREATE STREAM s (id VARCHAR, at BIGINT, h JSON) WITH (topic='s', partitions=1, on_error='dead_letter', dead_letter_topic='bad');
CREATE STREAM bad (id VARCHAR) WITH (topic='bad');
CREATE STREAM t (id VARCHAR) WITH (topic='t', partitions=1);
INSERT INTO t (id, _timestamp, _headers) SELECT id, at, h FROM s;
INSERT INTO s (id, at, h, _timestamp) VALUES ('before', -1, NULL, 1), ('null', NULL, NULL, 2), ('first', 0, '{}', 3), ('array', 5, '["x"]', 4), ('deep', 5, '{"x":{}}', 5), ('last', 7, '{"x":true}', 6);
ASSERT VALUES t (id, _timestamp, _headers) VALUES ('first', TIMESTAMP '1970-01-01 00:00:00', '{}'), ('last', TIMESTAMP '1970-01-01 00:00:00.007', '{"x":"true"}');
ASSERT NO MORE VALUES t;
ASSERT ERRORS s 4;
ASSERT VALUES bad (id) VALUES ('before'), ('null'), ('array'), ('deep');

--@test: windows go by the event time of a row, not by the timestamp that is written
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM t (id VARCHAR, n BIGINT) WITH (topic='t', partitions=1);
INSERT INTO t (id, n, _timestamp) SELECT id, COUNT(*), window_start FROM s WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL;
INSERT INTO s (id, _timestamp) VALUES ('a', 1000), ('a', 9000), ('a', 20000);
ASSERT VALUES t (id, n, _timestamp, _key) VALUES ('a', 2, TIMESTAMP '1970-01-01 00:00:00', '{"id":"a","window_start":"1970-01-01T00:00:00.000Z"}');
ASSERT NO MORE VALUES t;

--@test: headers of a row of literals
--@expect.error: headers are an object of names and texts
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=1);
INSERT INTO s (id, _headers) VALUES ('a', '[1]');

--@test: the group columns are the key although not all of them are in the value
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=2);
CREATE STREAM t AS SELECT COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL;
INSERT INTO s (id, _timestamp, _partition) VALUES ('a', 1000, 0), ('a', 20000, 0), ('b', 20000, 1);
ASSERT VALUES t (n, _key) VALUES (1, '{"id":"a","window_start":"1970-01-01T00:00:00.000Z"}');
