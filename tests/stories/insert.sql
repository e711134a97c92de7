--@test: a row's key is that of its key columns, the one it names, or none
CREATE STREAM s (id INT, k VARCHAR(5)) WITH (topic='s', partitions=1, key='k');
INSERT INTO s (id, k) VALUES (1, 'a');
INSERT INTO s (id, k, _key) VALUES (2, 'b', 'b'), (3, 'c', NULL);
ASSERT VALUES s (id, k, _key) VALUES (1, 'a', 'a'), (2, 'b', 'b'), (3, 'c', NULL);

--@test: values are expressions
CREATE STREAM s (id INT, price DECIMAL(10,2), at TIMESTAMP(3), doc JSON) WITH (topic='s', partitions=1);
INSERT INTO s (id, price, at, doc) VALUES (1 + 1, 10 / 4, TIMESTAMP '2024-05-06 07:08:09' + INTERVAL 1 SECOND, '{"a":[1]}');
ASSERT VALUES s (id, price, at, doc) VALUES (2, 2.5, TIMESTAMP '2024-05-06 07:08:10', '{"a":[1]}');

--@test: a partition that the topic does not have
--@expect.error: partition 4
CREATE STREAM s (id INT) WITH (topic='s', partitions=4);
INSERT INTO s (id, _partition) VALUES (1, 4);
