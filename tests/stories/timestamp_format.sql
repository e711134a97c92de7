--@test: times are written in the form they are read in
CREATE STREAM s (id INT, at TIMESTAMP(3), day DATE) WITH (topic='s', partitions=1, timestamp='at', timestamp_format='%d.%m.%Y %H:%i:%s');
CREATE STREAM o WITH (timestamp='at', timestamp_format='s') AS SELECT id, at, day FROM s;
CREATE STREAM p AS SELECT id, at, day FROM o;
INSERT INTO s (id, at, day, _timestamp) VALUES (1, TIMESTAMP '2024-05-06 07:08:09', DATE '2024-05-06', 1714979289000);
ASSERT VALUES o (id, at, _value) VALUES (1, TIMESTAMP '2024-05-06 07:08:09', '{"id":1,"at":1714979289,"day":1714953600}');
ASSERT VALUES p (id, at, day) VALUES (1, TIMESTAMP '2024-05-06 07:08:09', DATE '2024-05-06');
ASSERT ERRORS s 0;
ASSERT ERRORS o 0;

--@test: SELECT * into a topic with another form writes the other form
CREATE STREAM s (id INT, at TIMESTAMP(3)) WITH (topic='s', partitions=1, timestamp='at', timestamp_format='s');
CREATE STREAM o WITH (timestamp='at', timestamp_format='us') AS SELECT * FROM s;
CREATE STREAM p AS SELECT id, at FROM o;
INSERT INTO s RAW (_timestamp, _value) VALUES (1714979289000, '{"id":1,"at":1714979289}');
ASSERT VALUES p (id, at) VALUES (1, TIMESTAMP '2024-05-06 07:08:09');
ASSERT ERRORS o 0;

--@test: a key that is a time has the form of its topic
--@until: end
CREATE STREAM s (at TIMESTAMP(3), n INT) WITH (topic='s', partitions=2, key='at', timestamp='at', timestamp_format='s');
CREATE TABLE o AS SELECT at, SUM(n) AS n FROM s GROUP BY at;
INSERT INTO s RAW (_timestamp, _key, _value, _partition) VALUES (1714979289000, '1714979289', '{"n":1}', 0), (1714979289000, '1714979289', '{"n":2}', 1);
ASSERT TABLE o (at, n) VALUES (TIMESTAMP '2024-05-06 07:08:09', 3);
ASSERT ERRORS s 0;
