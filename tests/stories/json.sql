--@test: what lies in documents is held to its declared type, and written in one form
CREATE STREAM s (id INT, user STRUCT<id BIGINT, country VARCHAR, since TIMESTAMP(3)>, tags ARRAY<VARCHAR>, prices MAP<VARCHAR, DECIMAL(10,2)>, raw JSON) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, user, tags, prices, raw FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES
  (1, '{"id":1,"user":{"country":"at","new":true,"id":9007199254740993},"tags":[ "a", 5 ],"prices":{"x":1,"y":"2.5"},"raw":{"n": 1.50}}'),
  (2, '{"id":2,"user":{"ID":"7","since":0},"tags":[],"prices":{},"raw":[1]}'),
  (3, '{"id":3}'),
  (4, '{"id":4,"user":{"id":"x"}}'), (5, '{"id":5,"tags":{}}'), (6, '{"id":6,"tags":[[]],"prices":{"x":"y"}}'), (7, '{"id":7,"user":[]}');
ASSERT VALUES o (_value) VALUES
  ('{"id":1,"user":{"id":9007199254740993,"country":"at","since":null},"tags":["a","5"],"prices":{"x":1.00,"y":2.50},"raw":{"n":1.50}}'),
  ('{"id":2,"user":{"id":7,"country":null,"since":"1970-01-01T00:00:00.000Z"},"tags":[],"prices":{},"raw":[1]}'),
  ('{"id":3,"user":null,"tags":null,"prices":null,"raw":null}');
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 4;

--@test: a new field is ignored, a field of another type is a bad record, and the stream goes on
CREATE STREAM s (id BIGINT, amount DECIMAL(10,2)) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, amount FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"id":1,"amount":1.5}'), (2, '{"id":2,"amount":2.5,"currency":"EUR","lines":[{"n":1}]}'), (3, '{"id":3,"amount":{"value":3.5,"currency":"EUR"}}'),
  (4, '{"id":"four","amount":4.5}'), (5, '{"amount":5.5}'), (6, '{"id":6,"amount":"6.5"}');
ASSERT VALUES o (id, amount) VALUES (1, 1.50), (2, 2.50), (NULL, 5.50), (6, 6.50);
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 2;

--@test: the dead letter of a changed field has the bytes as they were
CREATE STREAM s (id BIGINT) WITH (topic='s', partitions=1, on_error='dead_letter', dead_letter_topic='bad');
CREATE STREAM dead (line VARCHAR) WITH (topic='bad', partitions=1, format='string');
CREATE STREAM o AS SELECT id FROM s;
CREATE STREAM d AS SELECT line FROM dead;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"id":1}'), (2, '{"id": {"new": 2}}');
ASSERT VALUES o (id) VALUES (1);
ASSERT VALUES d (line) VALUES ('{"id": {"new": 2}}');

--@test: numbers in quotes
CREATE STREAM s (id BIGINT, price DECIMAL(10,2), ok BOOLEAN, at TIMESTAMP(3), n STRUCT<x BIGINT, l ARRAY<DOUBLE>>) WITH (topic='s', partitions=1);
CREATE STREAM o WITH (json.quoted_numbers='true') AS SELECT id, price, ok, at, n FROM s;
CREATE STREAM star WITH (json.quoted_numbers='true') AS SELECT * FROM s;
CREATE STREAM back AS SELECT id, price, ok, at, n FROM o;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"id":9007199254740993,"price":12.1,"ok":1,"at":0,"n":{"x":1,"l":[0.5]}}'), (2, '{}');
ASSERT VALUES o (_value) VALUES ('{"id":"9007199254740993","price":"12.10","ok":true,"at":"1970-01-01T00:00:00.000Z","n":{"x":"1","l":["0.5"]}}'), ('{"id":null,"price":null,"ok":null,"at":null,"n":null}');
ASSERT VALUES star (_value) VALUES ('{"id":"9007199254740993","price":"12.10","ok":true,"at":"1970-01-01T00:00:00.000Z","n":{"x":"1","l":["0.5"]}}'), ('{"id":null,"price":null,"ok":null,"at":null,"n":null}');
ASSERT VALUES back (_value) VALUES ('{"id":9007199254740993,"price":12.10,"ok":true,"at":"1970-01-01T00:00:00.000Z","n":{"x":1,"l":[0.5]}}'), ('{"id":null,"price":null,"ok":null,"at":null,"n":null}');

--@test: times inside documents have the form of the topic
CREATE STREAM s (l ARRAY<TIMESTAMP(3)>) WITH (topic='s', partitions=1);
CREATE STREAM o (l ARRAY<TIMESTAMP(3)>, at TIMESTAMP(3)) WITH (topic='o', partitions=1, timestamp='at', timestamp_format='s');
INSERT INTO o SELECT l, TIMESTAMP '2024-05-06 07:08:09' FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"l":["2024-05-06T07:08:09Z",null]}');
ASSERT VALUES o (_value) VALUES ('{"l":[1714979289,null],"at":1714979289}');
