--@test: Avro by a schema file: columns, nested fields and the event time come from the schema
CREATE STREAM orders (WATERMARK FOR at AS at - INTERVAL 5 SECOND)
  WITH (topic = 'orders', partitions = 2, format = 'avro', schema.file = 'stories/schemas/order.avsc');
CREATE STREAM by_country AS SELECT customer.country AS country, SUM(amount) AS total FROM orders WHERE status = 'PAID'
  WINDOW TUMBLING(10s) GROUP BY customer.country EMIT FINAL;
INSERT INTO orders (id, customer, amount, at, status, _partition) VALUES
  (1, '{"name":"Ann","country":"de"}', 10.50, '2030-01-01 00:00:01', 'PAID', 0),
  (2, '{"name":"Bob","country":null}', 3.25, '2030-01-01 00:00:02', 'PAID', 1),
  (3, '{"name":"Cy","country":"de"}', 1.05, '2030-01-01 00:00:03', 'PAID', 1),
  (4, '{"name":"Di","country":"de"}', 100, '2030-01-01 00:00:04', 'OPEN', 0),
  (5, '{"name":"Ed","country":"fr"}', 1, '2030-01-01 00:00:30', 'PAID', 0),
  (6, '{"name":"Ed","country":"fr"}', 1, '2030-01-01 00:00:30', 'PAID', 1);
ASSERT VALUES by_country (country, total) VALUES ('de', 11.55), (NULL, 3.25);
ASSERT NO MORE VALUES by_country;

--@test: Avro, a row that the schema does not hold meets on_error of its source
CREATE STREAM src (id BIGINT, note VARCHAR) WITH (topic = 'src', partitions = 1);
CREATE STREAM dst WITH (topic = 'dst', format = 'avro', schema.file = 'stories/schemas/note.avsc') AS SELECT id, note FROM src;
INSERT INTO src VALUES (1, 'a'), (2, NULL), (3, 'c');
ASSERT VALUES dst (id, note) VALUES (1, 'a'), (3, 'c');
ASSERT NO MORE VALUES dst;

--@test: Avro, bytes that are no record of the schema are bad records
CREATE STREAM notes (id BIGINT, note VARCHAR) WITH (topic = 'notes', partitions = 1, format = 'avro', schema.file = 'stories/schemas/note.avsc');
CREATE STREAM o AS SELECT id FROM notes;
INSERT INTO notes VALUES (1, 'a');
INSERT INTO notes RAW (_partition, _timestamp, _value) VALUES (0, 2, 'no avro'), (0, 3, '');
INSERT INTO notes VALUES (4, 'd');
ASSERT VALUES o (id) VALUES (1), (4);
ASSERT ERRORS notes 2;

--@test: Protobuf by a schema file: presence, oneof, maps, and a table with a key of its own message
CREATE TABLE readings (PRIMARY KEY (sensor))
  WITH (topic = 'readings', partitions = 2, format = 'protobuf', schema.file = 'stories/schemas/reading.proto',
        key = 'sensor', key_format = 'protobuf', key_schema.file = 'stories/schemas/sensor.proto');
CREATE TABLE states WITH (topic = 'states') AS SELECT sensor, value, tags, counts, fault, level FROM readings;
INSERT INTO readings (sensor, value, at, tags, counts, fault, level, _partition, _timestamp) VALUES
  ('a', 1.5, '2030-01-01 00:00:00', '["x"]', '{"n":1}', NULL, 3, 0, 1000),
  ('b', NULL, NULL, NULL, NULL, 'broken', NULL, 1, 2000),
  ('a', 2.5, '2030-01-01 00:00:01', '[]', '{}', 'hot', NULL, 0, 3000);
ASSERT TABLE states (sensor, value, tags, counts, fault, level) VALUES
  ('a', 2.5, '[]', '{}', 'hot', NULL), ('b', NULL, '[]', '{}', 'broken', NULL);

--@test: a declared column must be in the schema
--@expect.error: stories/schemas/note.avsc has no field nte
CREATE STREAM notes (id BIGINT, nte VARCHAR) WITH (topic = 'notes', format = 'avro', schema.file = 'stories/schemas/note.avsc');

--@test: a declared type must fit the one of the schema
--@expect.error: column id is declared as ARRAY<INT>, but stories/schemas/note.avsc has BIGINT
CREATE STREAM notes (id ARRAY<INT>, note VARCHAR) WITH (topic = 'notes', format = 'avro', schema.file = 'stories/schemas/note.avsc');

--@test: a format with a schema says where it is
--@expect.error: registry.url
CREATE STREAM notes WITH (topic = 'notes', format = 'avro');
