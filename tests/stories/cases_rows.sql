--@test: C30 a reserved word as a group
CREATE STREAM s (`group` VARCHAR(5), `order` INT, timestamp VARCHAR(30), `window` VARCHAR(5), `@id` VARCHAR(5), `a.b` INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT s.`group` AS g, COUNT(*) AS n, window_start FROM s WINDOW TUMBLING(10s) GROUP BY s.`group` EMIT FINAL;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"group":"g1","order":7,"timestamp":"x","window":"w","@id":"i1","a.b":5,"a":{"b":6}}'), (20000, '{"group":"tick"}');
ASSERT VALUES o (window_start, g, n) VALUES (0, 'g1', 1);
ASSERT NO MORE VALUES o;

--@test: C30 a reserved word without quotes is a mistake at its place
--@expect.error: :11:8: expected an expression, found "group"
CREATE STREAM s (`group` VARCHAR(5)) WITH (topic='s', partitions=1);
SELECT group FROM s;

--@test: C42 the columns of a star over a join keep their names apart
--@expect.error: two columns
CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) WITH (topic='t', partitions=1);
CREATE STREAM s (id INT, v INT) WITH (topic='s', partitions=1);
CREATE STREAM q1 AS SELECT * FROM s JOIN t ON s.id = t.id;

--@test: C44 ORDER BY of what has no end
--@expect.error: ORDER BY
CREATE STREAM s (id INT) WITH (topic='s', partitions=4);
CREATE STREAM o AS SELECT id FROM s ORDER BY id;

--@test: C44 LIMIT of what goes on for ever
--@expect.error: LIMIT ends a query
CREATE STREAM s (id INT) WITH (topic='s', partitions=4);
CREATE STREAM d AS SELECT id FROM s LIMIT 5;

--@test: C52 an expression over a grouped expression
CREATE STREAM s (code VARCHAR(10), n INT) WITH (topic='s', partitions=2);
CREATE STREAM q5 AS SELECT SUBSTRING(code,1,2) AS p, COUNT(*) AS c, CONCAT(SUBSTRING(code,1,2),'-') AS q FROM s WINDOW TUMBLING(10s) GROUP BY SUBSTRING(code,1,2) EMIT FINAL;
INSERT INTO s (code, n, _partition, _timestamp) VALUES ('AB1', 1, 0, 1), ('AB2', 1, 1, 2), ('CD1', 1, 0, 3), ('tick', 0, 0, 20000), ('tick', 0, 1, 20000);
ASSERT VALUES q5 (p, c, q) VALUES ('AB', 2, 'AB-'), ('CD', 1, 'CD-');
ASSERT NO MORE VALUES q5;

--@test: C53 HOPPING with a negative advance
--@expect.error: advance
CREATE STREAM s (k VARCHAR(5)) WITH (topic='s', partitions=1);
SELECT COUNT(*) FROM s WINDOW HOPPING(SIZE 10 SECONDS, ADVANCE BY -1 SECONDS);

--@test: C55 the last header of a name counts; one that is not there is NULL, an empty one is an empty text
CREATE STREAM s (id INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, HEADER('trace') AS trace FROM s;
INSERT INTO s (id, _timestamp, _headers) VALUES (1, 1, '{"trace":"a","trace":"b"}'), (2, 2, NULL), (3, 3, '{"trace":""}');
ASSERT VALUES o (id, trace) VALUES (1, 'b'), (2, NULL), (3, '');
ASSERT NO MORE VALUES o;
