--@test: inserts, updates, deletes and their tombstones are the rows of a table
CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR) WITH (topic='db.customers', partitions=1, format='debezium-json', key='id');
CREATE STREAM orders (n INT, customer INT) WITH (topic='orders', partitions=1);
CREATE STREAM o AS SELECT n, customer, name FROM orders LEFT JOIN customers c ON customer = c.id;
INSERT INTO customers RAW (_timestamp, _key, _value) VALUES
  (10, '{"id":1}', '{"before":null,"after":{"id":1,"name":"anne"},"source":{"connector":"mysql","ts_ms":5},"op":"r","ts_ms":9}'),
  (20, '{"id":2}', '{"before":null,"after":{"id":2,"name":"bob","email":"b@x"},"source":{"connector":"mysql","ts_ms":15},"op":"c","ts_ms":19}'),
  (30, '{"id":1}', '{"before":{"id":1,"name":"anne"},"after":{"id":1,"name":"anna"},"source":{"connector":"mysql","ts_ms":25},"op":"u","ts_ms":29}'),
  (40, '{"id":2}', '{"before":{"id":2,"name":"bob"},"after":null,"source":{"connector":"mysql","ts_ms":35},"op":"d","ts_ms":39}'),
  (40, '{"id":2}', NULL),
  (60, '{"id":2}', '{"before":null,"after":{"id":2,"name":"bert"},"source":{"connector":"mysql","ts_ms":55},"op":"c","ts_ms":59}');
INSERT INTO orders (n, customer, _timestamp) VALUES (1, 1, 10), (2, 1, 29), (3, 1, 30), (4, 2, 19), (5, 2, 20), (6, 2, 40), (7, 2, 60);
ASSERT VALUES o (n, name) VALUES (1, 'anne'), (2, 'anne'), (3, 'anna'), (4, NULL), (5, 'bob'), (6, NULL), (7, 'bert');
ASSERT NO MORE VALUES o;
ASSERT ERRORS customers 0;

--@test: with the wrapper of schema and payload, in key and value; the schema's units and types are believed
CREATE TABLE t (id INT PRIMARY KEY, price DECIMAL(10,2), born DATE, at TIMESTAMP(3), precise TIMESTAMP(6), zoned TIMESTAMP(3), opens TIME, doc JSON) WITH (topic='t', partitions=1, format='debezium-json', key='id');
CREATE TABLE o AS SELECT id, price, born, at, precise, zoned, opens, doc FROM t;
INSERT INTO t RAW (_timestamp, _key, _value) VALUES
  (1, '{"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],"optional":false,"name":"db.t.Key"},"payload":{"id":7}}',
   '{"schema":{"type":"struct","fields":[{"type":"struct","fields":[],"optional":true,"name":"db.t.Value","field":"before"},{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"},{"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,"parameters":{"scale":"2","connect.decimal.precision":"10"},"field":"price"},{"type":"int32","optional":true,"name":"io.debezium.time.Date","version":1,"field":"born"},{"type":"int64","optional":true,"name":"io.debezium.time.MicroTimestamp","version":1,"field":"at"},{"type":"int64","optional":true,"name":"io.debezium.time.Timestamp","version":1,"field":"precise"},{"type":"string","optional":true,"name":"io.debezium.time.ZonedTimestamp","version":1,"field":"zoned"},{"type":"int32","optional":true,"name":"io.debezium.time.Time","version":1,"field":"opens"},{"type":"string","optional":true,"name":"io.debezium.data.Json","version":1,"field":"doc"}],"optional":true,"name":"db.t.Value","field":"after"}],"optional":false,"name":"db.t.Envelope"},"payload":{"before":null,"after":{"id":7,"price":"BNI=","born":19849,"at":1714979289250000,"precise":1714979289250,"zoned":"2024-05-06T07:08:09Z","opens":28800000,"doc":"{\\"a\\": [1]}"},"op":"c","ts_ms":1}}');
ASSERT TABLE o (id, price, born, at, precise, zoned, opens, doc) VALUES (7, 12.34, DATE '2024-05-06', TIMESTAMP '2024-05-06 07:08:09.25', TIMESTAMP '2024-05-06 07:08:09.25', TIMESTAMP '2024-05-06 07:08:09', TIME '08:00:00', '{"a":[1]}');
ASSERT ERRORS t 0;

--@test: without the wrapper times are as Debezium's adaptive modes write them, and DECIMAL is base64 or text by option
CREATE TABLE a (id INT PRIMARY KEY, price DECIMAL(10,2), born DATE, at TIMESTAMP(3), precise TIMESTAMP(6), opens TIME) WITH (topic='a', partitions=1, format='debezium-json');
CREATE TABLE b (id INT PRIMARY KEY, price DECIMAL(10,2)) WITH (topic='b', partitions=1, format='debezium-json', debezium.decimals='string');
CREATE TABLE oa AS SELECT id, price, born, at, precise, opens FROM a;
CREATE TABLE ob AS SELECT id, price FROM b;
INSERT INTO a RAW (_timestamp, _value) VALUES (1, '{"after":{"id":1,"price":"\\/y4=","born":-1,"at":1714979289250,"precise":1714979289250001,"opens":28800000000},"op":"c"}'), (2, '{"after":{"id":2,"price":"12.34"},"op":"c"}'), (3, '{"after":{"id":3,"price":12.34},"op":"c"}');
INSERT INTO b RAW (_timestamp, _value) VALUES (1, '{"after":{"id":1,"price":"12.34"},"op":"c"}'), (2, '{"after":{"id":2,"price":12.34},"op":"c"}'), (3, '{"after":{"id":3,"price":"BNI="},"op":"c"}');
ASSERT TABLE oa (id, price, born, at, precise, opens) VALUES (1, -2.10, DATE '1969-12-31', TIMESTAMP '2024-05-06 07:08:09.25', TIMESTAMP '2024-05-06 07:08:09.250001', TIME '08:00:00'), (3, 12.34, NULL, NULL, NULL, NULL);
ASSERT TABLE ob (id, price) VALUES (1, 12.34), (2, 12.34);
ASSERT ERRORS a 1;
ASSERT ERRORS b 1;

--@test: a table whose key is not declared takes the deleted row from before, and passes over tombstones
CREATE TABLE t (id INT PRIMARY KEY, n INT) WITH (topic='t', partitions=1, format='debezium-json');
CREATE TABLE o AS SELECT id, n FROM t;
INSERT INTO t RAW (_timestamp, _key, _value) VALUES (1, 'x', '{"after":{"id":1,"n":1},"op":"c"}'), (2, 'x', '{"after":{"id":2,"n":2},"op":"c"}'), (3, 'x', '{"before":{"id":1},"op":"d"}'), (3, 'x', NULL), (4, 'x', '{"before":null,"op":"d"}');
ASSERT TABLE o (id, n) VALUES (2, 2);
ASSERT ERRORS t 1;

--@test: truncate, messages and what is no envelope are bad records
CREATE TABLE t (id INT PRIMARY KEY) WITH (topic='t', partitions=1, format='debezium-json');
CREATE TABLE o AS SELECT id FROM t;
INSERT INTO t RAW (_timestamp, _value) VALUES (1, '{"before":null,"after":null,"op":"t"}'), (2, '{"op":"m","message":{}}'), (3, '{"id":1}'), (4, '{"op":"c","after":null}'), (5, '{"op":5}'), (6, 'x'),
  (7, '{"schema":{},"payload":null}'), (8, '{"schema":null,"payload":{"op":"c","after":{"id":8}}}'), (9, '{"op":"u","after":{"id":"x"}}');
ASSERT TABLE o (id) VALUES (8);
ASSERT ERRORS t 8;

--@test: a DECIMAL of another scale than the schema says is refused, not read wrongly
CREATE TABLE t (id INT PRIMARY KEY, price DECIMAL(10,2)) WITH (topic='t', partitions=1, format='debezium-json');
CREATE TABLE o AS SELECT id, price FROM t;
INSERT INTO t RAW (_timestamp, _value) VALUES (1, '{"schema":{"type":"struct","fields":[{"type":"struct","fields":[{"type":"int32","field":"id"},{"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"4"},"field":"price"}],"field":"after"}]},"payload":{"op":"c","after":{"id":1,"price":"BNI="}}}'),
  (2, '{"schema":{"type":"struct","fields":[{"type":"struct","fields":[{"type":"int32","field":"id"},{"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"},"field":"price"}],"field":"after"}]},"payload":{"op":"c","after":{"id":2,"price":"BNI="}}}');
ASSERT TABLE o (id, price) VALUES (2, 12.34);
ASSERT ERRORS t 1;

--@test: event time of the database
CREATE TABLE c (id INT PRIMARY KEY, name VARCHAR) WITH (topic='c', partitions=1, format='debezium-json', key='id', debezium.time='source');
CREATE STREAM s (n INT, id INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT n, name FROM s LEFT JOIN c ON s.id = c.id;
INSERT INTO c RAW (_timestamp, _key, _value) VALUES
  (1000, '{"id":1}', NULL),
  (1000, '{"id":1}', '{"after":{"id":1,"name":"a"},"source":{"ts_ms":10},"op":"c","ts_ms":900}'),
  (1100, '{"id":1}', '{"before":{"id":1},"source":{"ts_ms":20},"op":"d"}'),
  (1100, '{"id":1}', NULL),
  (1200, '{"id":1}', '{"after":{"id":1,"name":"b"},"source":{"ts_ms":30},"op":"c"}'),
  (1200, '{"id":2}', '{"after":{"id":2,"name":"c"},"source":{},"op":"c"}');
INSERT INTO s (n, id, _timestamp) VALUES (1, 1, 9), (2, 1, 10), (3, 1, 19), (4, 1, 20), (5, 1, 29), (6, 1, 30), (7, 2, 30);
ASSERT VALUES o (n, name) VALUES (1, NULL), (2, 'a'), (3, 'a'), (4, NULL), (5, NULL), (6, 'b'), (7, NULL);
ASSERT NO MORE VALUES o;
ASSERT ERRORS c 1;

--@test: changes of a table are written as envelopes, and a removed row as a deletion and a tombstone
CREATE TABLE t (id INT PRIMARY KEY, n INT, price DECIMAL(10,2)) WITH (topic='t', partitions=1, key='id');
CREATE TABLE o WITH (format='debezium-json') AS SELECT id, n, price FROM t WHERE n > 0;
CREATE TABLE back AS SELECT id, n, price FROM o;
INSERT INTO t RAW (_timestamp, _key, _value) VALUES (1000, '1', '{"id":1,"n":1,"price":12.34}'), (2000, '1', '{"id":1,"n":2}'), (3000, '1', NULL), (3500, '2', '{"id":2,"n":3}');
ASSERT VALUES o (_key, _value) VALUES
  ('{"id":1}', '{"before":null,"after":{"id":1,"n":1,"price":"BNI="},"source":{"connector":"streamsql","ts_ms":1000},"op":"c","ts_ms":1000}'),
  ('{"id":1}', '{"before":null,"after":{"id":1,"n":2,"price":null},"source":{"connector":"streamsql","ts_ms":2000},"op":"c","ts_ms":2000}'),
  ('{"id":1}', '{"before":{"id":1,"n":null,"price":null},"after":null,"source":{"connector":"streamsql","ts_ms":3000},"op":"d","ts_ms":3000}'),
  ('{"id":1}', NULL),
  ('{"id":2}', '{"before":null,"after":{"id":2,"n":3,"price":null},"source":{"connector":"streamsql","ts_ms":3500},"op":"c","ts_ms":3500}') IN ORDER;
ASSERT NO MORE VALUES o;
ASSERT TABLE back (id, n, price) VALUES (2, 3, NULL);

--@test: with the wrapper, for readers that want a schema
CREATE STREAM s (id INT, v VARCHAR) WITH (topic='s', partitions=1);
CREATE TABLE o WITH (format='debezium-json', debezium.schema='true') AS SELECT id, COUNT(*) AS n FROM s GROUP BY id EMIT CHANGES;
INSERT INTO s (id, v, _timestamp) VALUES (1, 'a', 1000);
ASSERT TABLE o (_key, _value) VALUES
  ('{"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],"optional":false,"name":"o.Key"},"payload":{"id":1}}',
   '{"schema":{"type":"struct","fields":[{"type":"struct","fields":[{"type":"int32","optional":true,"field":"id"},{"type":"int64","optional":true,"field":"n"}],"optional":true,"name":"o.Value","field":"before"},{"type":"struct","fields":[{"type":"int32","optional":true,"field":"id"},{"type":"int64","optional":true,"field":"n"}],"optional":true,"name":"o.Value","field":"after"},{"type":"struct","fields":[{"type":"string","optional":false,"field":"connector"},{"type":"int64","optional":false,"field":"ts_ms"}],"optional":false,"name":"streamsql.Source","field":"source"},{"type":"string","optional":false,"field":"op"},{"type":"int64","optional":true,"field":"ts_ms"}],"optional":false,"name":"o.Envelope"},"payload":{"before":null,"after":{"id":1,"n":1},"source":{"connector":"streamsql","ts_ms":1000},"op":"c","ts_ms":1000}}');

--@test: a key of several columns, and rows written by INSERT
CREATE TABLE t (a VARCHAR, b INT, n INT, PRIMARY KEY (a, b)) WITH (topic='t', partitions=2, format='debezium-json', key='a, b');
CREATE TABLE o AS SELECT a, b, n FROM t;
INSERT INTO t (a, b, n, _timestamp) VALUES ('x', 1, 5, 1), ('y', 2, 6, 2), ('x', 1, 7, 3);
ASSERT TABLE o (a, b, n) VALUES ('x', 1, 7), ('y', 2, 6);
ASSERT ERRORS t 0;

--@test: change events are of tables
--@expect.error: tells changes of the rows of a table, and s is a stream
CREATE STREAM s (id INT) WITH (topic='s', format='debezium-json');

--@test: one event time
--@expect.error: event time is given twice
CREATE TABLE t (id INT PRIMARY KEY, at TIMESTAMP(3)) WITH (topic='t', format='debezium-json', timestamp='at', debezium.time='source');

--@test: a word that an option does not have
--@expect.error: must be one of 'precise', 'string', not 'double'
CREATE TABLE t (id INT PRIMARY KEY) WITH (topic='t', format='debezium-json', debezium.decimals='double');
