--@test: columns that are headers, converted like fields of the value
CREATE STREAM w (id INT) WITH (topic='s', partitions=1);
CREATE STREAM s (id INT, ce_type VARCHAR, n BIGINT, ce_time TIMESTAMP(3), trace VARCHAR) WITH (topic='s', headers='ce_type, n, ce_time, trace = trace-id');
CREATE STREAM o AS SELECT id, ce_type, n + 1 AS more, ce_time, trace, HEADER('n') AS raw FROM s;
CREATE STREAM star AS SELECT * FROM s;
INSERT INTO w (id, _timestamp, _headers) VALUES (1, 1, '{"ce_type":"order.created","n":"41","ce_time":"2024-05-06T07:08:09Z","trace-id":"t"}'), (2, 2, '{}'), (3, 3, '{"n":"x"}'), (4, 4, '{"n":null,"trace":"no"}'), (5, 5, NULL);
ASSERT VALUES o (id, ce_type, more, ce_time, trace, raw) VALUES (1, 'order.created', 42, TIMESTAMP '2024-05-06 07:08:09', 't', '41'), (2, NULL, NULL, NULL, NULL, NULL), (4, NULL, NULL, NULL, NULL, ''), (5, NULL, NULL, NULL, NULL, NULL);
ASSERT NO MORE VALUES o;
ASSERT VALUES star (_value) VALUES ('{"id":1,"ce_type":"order.created","n":41,"ce_time":"2024-05-06T07:08:09.000Z","trace":"t"}'), ('{"id":2,"ce_type":null,"n":null,"ce_time":null,"trace":null}'), ('{"id":4,"ce_type":null,"n":null,"ce_time":null,"trace":null}'), ('{"id":5,"ce_type":null,"n":null,"ce_time":null,"trace":null}');
ASSERT ERRORS s 1;

--@test: written as headers, in the place of those that came with the row
CREATE STREAM w (id INT) WITH (topic='s', partitions=1);
CREATE STREAM s (id INT, v INT, kind VARCHAR) WITH (topic='s2', partitions=1, headers='kind');
CREATE STREAM o WITH (headers='kind, at = ce_time, n') AS SELECT id, UPPER(HEADER('kind')) AS kind, TIMESTAMP '2024-05-06 07:08:09' AS at, id * 2 AS n, HEADER('keep') AS keep FROM w;
CREATE STREAM back AS SELECT id, kind, at, n, _headers AS h FROM o;
CREATE STREAM same WITH (headers='kind') AS SELECT * FROM s;
INSERT INTO w (id, _timestamp, _headers) VALUES (1, 1, '{"keep":"k","kind":"a"}'), (2, 2, NULL);
INSERT INTO s (id, v, kind, _timestamp, _headers) VALUES (1, 5, 'x', 1, '{"other":"o"}'), (2, 6, NULL, 2, NULL);
ASSERT VALUES o (_value, kind, at, n) VALUES ('{"id":1,"keep":"k"}', 'A', TIMESTAMP '2024-05-06 07:08:09', 2), ('{"id":2,"keep":null}', NULL, TIMESTAMP '2024-05-06 07:08:09', 4);
ASSERT VALUES back (id, kind, n, h) VALUES (1, 'A', 2, '{"keep":"k","kind":"A","ce_time":"2024-05-06T07:08:09.000000Z","n":"2"}'), (2, NULL, 4, '{"ce_time":"2024-05-06T07:08:09.000000Z","n":"4"}');
ASSERT VALUES same (_value, kind) VALUES ('{"id":1,"v":5}', 'x'), ('{"id":2,"v":6}', NULL);

--@test: INSERT … SELECT into a stream that has header columns
CREATE STREAM s (id INT) WITH (topic='s', partitions=1);
CREATE STREAM t (id INT, kind VARCHAR, v INT) WITH (topic='t', partitions=1, headers='kind');
INSERT INTO t (v, kind, id) SELECT id + 1, CONCAT('k', id), id FROM s;
CREATE STREAM u (id INT, kind VARCHAR) WITH (topic='u', partitions=1, headers='kind');
CREATE STREAM look (id INT) WITH (topic='u', partitions=1);
INSERT INTO u (id, _headers) SELECT id + 10, MAP('kind', 'lost', 'other', 'o') FROM s;
CREATE STREAM seen AS SELECT id, _headers AS h FROM look;
INSERT INTO s (id, _timestamp) VALUES (1, 1);
ASSERT VALUES t (_value, kind) VALUES ('{"id":1,"v":2}', 'k1');
ASSERT NO MORE VALUES t;
ASSERT VALUES seen (id, h) VALUES (11, '{"other":"o"}');

--@test: CloudEvents in binary mode: attributes are headers, ce_time is the event time
CREATE STREAM events (amount INT, ce_id VARCHAR, ce_source VARCHAR, ce_type VARCHAR, ce_time TIMESTAMP(3)) WITH (topic='events', partitions=2, headers='ce_id, ce_source, ce_type, ce_time', timestamp='ce_time');
CREATE TABLE sums WITH (headers='ce_specversion, ce_type, ce_id, type = content-type') AS
  SELECT ce_source, SUM(amount) AS total, '1.0' AS ce_specversion, 'sum' AS ce_type, CONCAT(ce_source, '@', window_start) AS ce_id, 'application/json' AS type FROM events WINDOW TUMBLING(10s) GROUP BY ce_source EMIT FINAL;
INSERT INTO events (amount, ce_id, ce_source, ce_type, ce_time, _timestamp, _partition) VALUES (1, 'a', '/shop', 'paid', '2024-05-06 00:00:01', '2024-05-06 00:00:05', 0), (2, 'b', '/shop', 'paid', '2024-05-06 00:00:09', '2024-05-06 00:00:15', 0),
  (4, 'c', '/shop', 'paid', '2024-05-06 00:00:12', '2024-05-06 00:00:15', 0), (8, 'd', '/shop', 'paid', '2024-05-06 00:00:30', '2024-05-06 00:00:30', 0), (16, 'e', '/shop', 'paid', '2024-05-06 00:00:30', '2024-05-06 00:00:30', 1), (32, 'f', '/shop', NULL, NULL, '2024-05-06 00:00:30', 1);
ASSERT VALUES sums (ce_source, total, ce_specversion, ce_type, ce_id, type, _value) VALUES ('/shop', 3, '1.0', 'sum', '/shop@2024-05-06 00:00:00.000', 'application/json', '{"ce_source":"/shop","total":3}'), ('/shop', 4, '1.0', 'sum', '/shop@2024-05-06 00:00:10.000', 'application/json', '{"ce_source":"/shop","total":4}');
ASSERT ERRORS events 1;

--@test: CloudEvents in structured mode: the value is the event
CREATE STREAM events (specversion VARCHAR, id VARCHAR, source VARCHAR, type VARCHAR, time TIMESTAMP(6), datacontenttype VARCHAR, data STRUCT<amount DECIMAL(10,2)>) WITH (topic='events', partitions=1);
CREATE STREAM o AS SELECT specversion, CONCAT(id, '-2') AS id, source, 'paid.big' AS type, time, data FROM events WHERE type = 'paid' AND data.amount > 10;
INSERT INTO events RAW (_timestamp, _value) VALUES (1, '{"specversion":"1.0","id":"a","source":"/shop","type":"paid","time":"2024-05-06T07:08:09.5Z","datacontenttype":"application/json","data":{"amount":12.5,"currency":"EUR"}}'), (2, '{"specversion":"1.0","id":"b","source":"/shop","type":"paid","data":{"amount":1}}');
ASSERT VALUES o (_value) VALUES ('{"specversion":"1.0","id":"a-2","source":"/shop","type":"paid.big","time":"2024-05-06T07:08:09.500000Z","data":{"amount":12.50}}');
ASSERT NO MORE VALUES o;

--@test: a removed row has no headers
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR, kind VARCHAR) WITH (topic='t', partitions=1, key='id', headers='kind');
CREATE TABLE o WITH (headers='kind') AS SELECT id, v, kind FROM t WHERE v <> 'gone';
CREATE STREAM look (x VARCHAR) WITH (topic='o', partitions=1, format='string');
INSERT INTO t (id, v, kind, _timestamp) VALUES (1, 'a', 'x', 1), (2, 'b', 'y', 2), (1, 'gone', 'z', 3);
ASSERT VALUES o (_value, kind) VALUES ('{"id":1,"v":"a"}', 'x'), ('{"id":2,"v":"b"}', 'y'), (NULL, NULL);
ASSERT TABLE o (id, kind) VALUES (2, 'y');

--@test: positions of CSV are those of the value
CREATE STREAM s (a INT, h VARCHAR, b INT) WITH (topic='s', partitions=1, format='csv', headers='h');
CREATE STREAM o WITH (format='csv', headers='h') AS SELECT b, h, a FROM s;
INSERT INTO s (a, h, b, _timestamp) VALUES (1, 'x', 2, 1);
ASSERT VALUES s (_value, h) VALUES ('1,2', 'x');
ASSERT VALUES o (_value, h) VALUES ('2,1', 'x');

--@test: a header is a scalar
--@expect.error: column l of type ARRAY<INT> cannot be a header
CREATE STREAM s (a INT, l ARRAY<INT>) WITH (topic='s', headers='l');

--@test: a key is no header
--@expect.error: column a is in the key and cannot be a header
CREATE STREAM s (a INT, b INT) WITH (topic='s', key='a', headers='a');

--@test: an unknown column
--@expect.error: unknown column ce_idd
CREATE STREAM s (a INT, ce_id VARCHAR) WITH (topic='s', headers='ce_idd');

--@test: twice
--@expect.error: column b is given twice
CREATE STREAM s (a INT, b INT) WITH (topic='s', headers='b, b = x');

--@test: something must be left
--@expect.error: all columns of s are headers
CREATE STREAM s (a INT) WITH (topic='s', headers='a');
