-- What holds over a source holds over the result of a query: event time travels with it.

--@test: a window over a filter
CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 2);
CREATE STREAM some AS SELECT id, n FROM s WHERE n > 0;
CREATE STREAM per AS SELECT id, SUM(n) AS total, window_start FROM some WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 2000), ('a', -5, 0, 3000), ('b', 4, 0, 9999), ('a', 8, 0, 20000);
ASSERT NO MORE VALUES per;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 3, 1, 9000), ('b', -1, 1, 10001);
ASSERT VALUES per (id, total, window_start) VALUES ('a', 6, 0), ('b', 4, 0);
ASSERT NO MORE VALUES per;
