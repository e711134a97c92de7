--@test: several topics are one stream: rows of equal keys meet, wherever they lie
CREATE STREAM eu (id VARCHAR, n INT) WITH (topic='orders-eu', partitions=2);
CREATE STREAM us (id VARCHAR, n INT) WITH (topic='orders-us', partitions=3);
CREATE STREAM orders (id VARCHAR, n INT) WITH (topics='orders-us, orders-eu');
CREATE STREAM o AS SELECT DISTINCT id FROM orders WINDOW TUMBLING(10s);
CREATE TABLE sums AS SELECT id, SUM(n) AS total FROM orders GROUP BY id;
INSERT INTO eu (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('b', 2, 1, 1000);
INSERT INTO us (id, n, _partition, _timestamp) VALUES ('a', 10, 2, 1500), ('c', 20, 0, 1600), ('a', 100, 1, 11000);
ASSERT VALUES o (id) VALUES ('a'), ('b'), ('c'), ('a');
ASSERT NO MORE VALUES o;
ASSERT TABLE sums (id, total) VALUES ('a', 111), ('b', 2), ('c', 20);

--@test: a pattern names whole topics; hidden columns say where a row came from, key and headers are those of its record
CREATE STREAM eu (id VARCHAR) WITH (topic='orders-eu', partitions=1);
CREATE STREAM us (id VARCHAR) WITH (topic='orders-us', partitions=1);
CREATE STREAM other (id VARCHAR) WITH (topic='old-orders-us', partitions=1);
CREATE STREAM orders (id VARCHAR) WITH (topic_pattern='orders-.*');
CREATE STREAM o AS SELECT id, _topic AS t, _partition AS p, _offset AS at FROM orders WHERE id <> 'no';
INSERT INTO eu (id, _timestamp, _partition, _key, _headers) VALUES ('no', 1, 0, NULL, NULL), ('a', 2, 0, 'k', '{"h":"v"}');
INSERT INTO us (id, _timestamp, _partition) VALUES ('b', 3, 0);
INSERT INTO other (id, _timestamp) VALUES ('c', 4);
ASSERT VALUES o (id, t, p, at, _key, _timestamp, _headers) VALUES ('a', 'orders-eu', 0, 1, 'k', TIMESTAMP '1970-01-01 00:00:00.002', '{"h":"v"}'), ('b', 'orders-us', 0, 0, NULL, TIMESTAMP '1970-01-01 00:00:00.003', '{}');
ASSERT NO MORE VALUES o;

--@test: late and bad records are those of their topic's partition
CREATE STREAM a (id VARCHAR) WITH (topic='a', partitions=1);
CREATE STREAM b (id VARCHAR) WITH (topic='b', partitions=1);
CREATE STREAM ab (id VARCHAR) WITH (topic='a,b', on_error='dead_letter', dead_letter_topic='bad');
CREATE STREAM bad (id VARCHAR) WITH (topic='bad');
CREATE STREAM o AS SELECT COUNT(*) AS n FROM ab WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO a (id, _timestamp) VALUES ('x', 30000), ('late', 1000);
INSERT INTO b (id, _timestamp) VALUES ('on time', 1000), ('y', 31000);
INSERT INTO b RAW (_timestamp, _value) VALUES (31000, 'not json');
ASSERT VALUES o (n) VALUES (1);
ASSERT LATE ab 1;
ASSERT ERRORS ab 1;

--@test: joined with a table, and with itself by UNION
CREATE STREAM a (id VARCHAR) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR) WITH (topic='b', partitions=1);
CREATE STREAM ab (id VARCHAR) WITH (topic='a,b');
CREATE TABLE names (id VARCHAR PRIMARY KEY, name VARCHAR) WITH (topic='names', partitions=2, key='id');
CREATE STREAM o AS SELECT ab.id, t.name FROM ab JOIN names t ON ab.id = t.id;
CREATE STREAM twice AS SELECT id FROM ab UNION ALL SELECT id FROM b;
INSERT INTO names (id, name, _timestamp) VALUES ('1', 'one', 100), ('2', 'two', 100);
INSERT INTO a (id, _timestamp, _partition) VALUES ('1', 1000, 0), ('2', 1000, 1), ('3', 1000, 1);
INSERT INTO b (id, _timestamp) VALUES ('2', 2000);
ADVANCE TIME TO '2030-01-01 00:00:10';
ASSERT VALUES o (id, name) VALUES ('1', 'one'), ('2', 'two'), ('2', 'two');
ASSERT NO MORE VALUES o;
ASSERT VALUES twice (id) VALUES ('1'), ('2'), ('3'), ('2'), ('2');

--@test: a bounded run reads all topics to their ends
--@until: end
CREATE STREAM a (id VARCHAR) WITH (topic='a', partitions=2);
CREATE STREAM b (id VARCHAR) WITH (topic='b', partitions=1);
CREATE STREAM ab (id VARCHAR) WITH (topic='a,b');
CREATE STREAM o AS SELECT id, COUNT(*) AS n FROM ab WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL;
INSERT INTO a (id, _timestamp, _partition) VALUES ('x', 1000, 0), ('x', 2000, 1);
INSERT INTO b (id, _timestamp) VALUES ('x', 3000), ('x', 13000);
ASSERT VALUES o (id, n) VALUES ('x', 3), ('x', 1);

--@test: a pattern that nothing matches
--@expect.error: no topic matches the pattern 'b.*' of ab
CREATE STREAM a (id VARCHAR) WITH (topic='a', partitions=2);
CREATE STREAM ab (id VARCHAR) WITH (topic_pattern='b.*');
CREATE STREAM o AS SELECT id FROM ab;
