--@test: a window over what a filter lets through: time comes with it, rows that it drops move time too
CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 2);
CREATE STREAM some AS SELECT id, n FROM s WHERE n > 0;
CREATE STREAM per AS SELECT id, SUM(n) AS total, window_start FROM some WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 1, 2000), ('a', -5, 0, 3000), ('b', 4, 0, 9999), ('a', 8, 0, 20000);
ASSERT NO MORE VALUES per;
CRASH;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 3, 1, 9000), ('b', -1, 1, 10001);
ASSERT VALUES per (id, total, window_start) VALUES ('a', 6, 0), ('b', 4, 0);
ASSERT NO MORE VALUES per;

--@test: a partition that lags holds the windows of the third query open
CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 3);
CREATE STREAM doubled WITH (partitions = 2) AS SELECT id, n * 2 AS n FROM s;
CREATE STREAM per1 AS SELECT id, SUM(n) AS n FROM doubled WINDOW TUMBLING(1s) GROUP BY id EMIT FINAL;
CREATE STREAM per5 AS SELECT id, SUM(n) AS n, COUNT(*) AS seconds, window_start FROM per1 WINDOW TUMBLING(5s) GROUP BY id EMIT FINAL;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 100), ('a', 2, 0, 900), ('a', 3, 1, 2500), ('tick', 0, 0, 60000), ('tick', 0, 1, 60000);
ASSERT NO MORE VALUES per5;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 10, 2, 4200);
ASSERT NO MORE VALUES per5;
RESTART;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 100, 2, 4999), ('tick', 0, 2, 6000);
ASSERT VALUES per5 (id, n, seconds, window_start) VALUES ('a', 232, 3, 0);
ASSERT NO MORE VALUES per5;

--@test: a row is late by the clock of its own partition in the source, however many queries are between
CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 2);
CREATE STREAM one AS SELECT id FROM s;
CREATE STREAM two AS SELECT id FROM one;
CREATE STREAM per AS SELECT COUNT(*) AS n, window_start FROM two WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO s (id, _partition, _timestamp) VALUES ('a', 0, 1000), ('b', 0, 12000), ('late', 0, 3000), ('c', 1, 4000), ('d', 0, 11000);
INSERT INTO s (id, _partition, _timestamp) VALUES ('tick', 0, 30000), ('tick', 1, 30000);
ASSERT VALUES per (n, window_start) VALUES (2, 0), (2, 10000);
ASSERT NO MORE VALUES per;
ASSERT LATE two 1;
ASSERT LATE one 0;
ASSERT LATE s 0;

--@test: the source's disorder is enough
CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1, disorder = '10s');
CREATE STREAM one AS SELECT id FROM s;
CREATE STREAM per AS SELECT COUNT(*) AS n, window_start FROM one WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO s (id, _timestamp) VALUES ('a', 1000), ('b', 12000), ('c', 3000), ('tick', 30000);
ASSERT VALUES per (n, window_start) VALUES (2, 0), (1, 10000);
ASSERT NO MORE VALUES per;
ASSERT LATE one 0;

--@test: what marks a row as out of order is not a header of the row
CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1);
CREATE STREAM one AS SELECT id FROM s;
CREATE STREAM o AS SELECT id, CAST(_headers AS VARCHAR) AS h FROM one;
INSERT INTO s (id, _timestamp, _headers) VALUES ('a', 5000, '{"k": "v"}'), ('b', 1000, '{"k": "w"}'), ('c', 2000, NULL);
ASSERT VALUES o (id, h) VALUES ('a', '{"k":"v"}'), ('b', '{"k":"w"}'), ('c', '{}');
ASSERT NO MORE VALUES o;

--@test: distinct in time over a result, at once, final and within
CREATE STREAM s (id VARCHAR, v INT) WITH (topic = 's', partitions = 2);
CREATE STREAM some AS SELECT id, v FROM s WHERE v > 0;
CREATE STREAM atonce AS SELECT DISTINCT id FROM some WINDOW TUMBLING(10s);
CREATE STREAM final AS SELECT DISTINCT ON (id) id, v FROM some WINDOW TUMBLING(10s) EMIT FINAL;
CREATE STREAM within AS SELECT DISTINCT ON (id) WITHIN 10s id, v FROM some;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 1, 0, 8000), ('a', 2, 1, 15000), ('a', 3, 0, 9000), ('a', 4, 1, 16000), ('tick', 9, 0, 40000);
CRASH;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('tick', 9, 1, 40000);
ASSERT VALUES atonce (id) VALUES ('a'), ('a'), ('tick');
ASSERT NO MORE VALUES atonce;
ASSERT VALUES final (id, v) VALUES ('a', 1), ('a', 2);
ASSERT NO MORE VALUES final;
ASSERT VALUES within (id, v) VALUES ('a', 1);
ASSERT NO MORE VALUES within;

--@test: a stream–table join over a result, and a window over that
CREATE STREAM orders (id VARCHAR, customer VARCHAR) WITH (topic = 'orders', partitions = 2);
CREATE TABLE customers (customer VARCHAR PRIMARY KEY, country VARCHAR) WITH (topic = 'customers', key = 'customer', partitions = 2);
CREATE STREAM meant AS SELECT id, customer FROM orders WHERE id <> 'test';
CREATE STREAM placed AS SELECT o.id, c.country FROM meant AS o LEFT JOIN customers AS c ON o.customer = c.customer;
CREATE STREAM per AS SELECT country, COUNT(*) AS n, window_start FROM placed WINDOW TUMBLING(10s) GROUP BY country EMIT FINAL;
INSERT INTO customers (customer, country, _timestamp) VALUES ('x', 'de', 500), ('x', 'fr', 5000);
INSERT INTO orders (id, customer, _partition, _timestamp) VALUES ('1', 'x', 0, 1000), ('2', 'x', 1, 6000), ('test', 'x', 0, 2000), ('3', 'y', 0, 7000);
INSERT INTO orders (id, customer, _partition, _timestamp) VALUES ('4', 'x', 0, 21000), ('5', 'x', 1, 22000);
ASSERT VALUES placed (id, country) VALUES ('1', 'de'), ('2', 'fr'), ('3', NULL), ('4', 'fr'), ('5', 'fr');
ASSERT NO MORE VALUES placed;
ASSERT VALUES per (country, n, window_start) VALUES ('de', 1, 0), ('fr', 1, 0), (NULL, 1, 0);
ASSERT NO MORE VALUES per;

--@test: two results joined in time: a row without a match leaves once none can come
CREATE STREAM clicks (id VARCHAR) WITH (topic = 'clicks', partitions = 2);
CREATE STREAM views (id VARCHAR) WITH (topic = 'views', partitions = 1);
CREATE STREAM c AS SELECT id FROM clicks WHERE id <> 'bot';
CREATE STREAM v AS SELECT id FROM views WHERE id <> 'bot';
CREATE STREAM o AS SELECT v.id AS seen, c.id AS clicked FROM v LEFT JOIN c WITHIN 5s ON v.id = c.id;
INSERT INTO views (id, _timestamp) VALUES ('a', 1000), ('b', 2000), ('bot', 3000), ('far', 60000);
INSERT INTO clicks (id, _partition, _timestamp) VALUES ('a', 0, 4000), ('bot', 0, 60000);
ASSERT VALUES o (seen, clicked) VALUES ('a', 'a');
ASSERT NO MORE VALUES o;
INSERT INTO clicks (id, _partition, _timestamp) VALUES ('bot', 1, 9000);
ASSERT VALUES o (seen, clicked) VALUES ('b', NULL);
ASSERT NO MORE VALUES o;

--@test: the row before, in the order of event time, over a result
CREATE STREAM s (id VARCHAR, v INT) WITH (topic = 's', partitions = 2);
CREATE STREAM some AS SELECT id, v FROM s WHERE v <> 0;
CREATE STREAM o AS SELECT id, v, LAG(v) OVER (PARTITION BY id ORDER BY _timestamp) AS before FROM some;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 3, 0, 3000), ('tick', 0, 0, 9000);
ASSERT NO MORE VALUES o;
INSERT INTO s (id, v, _partition, _timestamp) VALUES ('a', 2, 1, 2000), ('tick', 0, 1, 9000);
ASSERT VALUES o (id, v, before) VALUES ('a', 1, NULL), ('a', 2, 1), ('a', 3, 2);
ASSERT NO MORE VALUES o;

--@test: a bounded run of a chain ends all its windows
--@until: end
CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 2);
CREATE STREAM per1 AS SELECT id, SUM(n) AS n FROM s WINDOW TUMBLING(1s) GROUP BY id EMIT FINAL;
CREATE STREAM per10 AS SELECT id, SUM(n) AS n, COUNT(*) AS seconds FROM per1 WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 100), ('a', 2, 1, 900), ('a', 4, 0, 1100), ('b', 8, 1, 9999);
ASSERT VALUES per10 (id, n, seconds) VALUES ('a', 7, 2), ('b', 8, 1);
ASSERT NO MORE VALUES per10;

--@test: where the source ends for good, the chain over it does
CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 2, end = 'offset:2');
CREATE STREAM some AS SELECT id, n FROM s WHERE n > 0;
CREATE STREAM per AS SELECT id, SUM(n) AS n FROM some WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL;
INSERT INTO s (id, n, _partition, _timestamp) VALUES ('a', 1, 0, 1000), ('a', 2, 0, 2000), ('a', 4, 1, 3000), ('a', 8, 1, 12000), ('a', 16, 1, 99000);
ASSERT VALUES per (id, n) VALUES ('a', 7), ('a', 8);
ASSERT NO MORE VALUES per;

--@test: a window's row may lie ahead of the clock by more than max_future
--@until: end
CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1);
CREATE STREAM daily AS SELECT id, COUNT(*) AS n FROM s WINDOW TUMBLING(1d) GROUP BY id EMIT FINAL;
CREATE STREAM weekly AS SELECT id, SUM(n) AS n FROM daily WINDOW TUMBLING(7d) GROUP BY id EMIT FINAL;
INSERT INTO s (id, _timestamp) VALUES ('a', TIMESTAMP '2030-01-01 00:00:00'), ('a', TIMESTAMP '2030-01-01 00:00:01');
ASSERT VALUES weekly (id, n) VALUES ('a', 2);
ASSERT NO MORE VALUES weekly;
ASSERT ERRORS daily 0;

--@test: a result that says how late its rows may be tells the time by its rows
CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1);
CREATE STREAM one WITH (disorder = '5s') AS SELECT id FROM s;
CREATE STREAM per AS SELECT COUNT(*) AS n, window_start FROM one WINDOW TUMBLING(10s) EMIT FINAL;
INSERT INTO s (id, _timestamp) VALUES ('a', 1000), ('b', 12000), ('c', 3000), ('tick', 14000);
ASSERT NO MORE VALUES per;
INSERT INTO s (id, _timestamp) VALUES ('tick', 15000);
ASSERT VALUES per (n, window_start) VALUES (2, 0);
ASSERT NO MORE VALUES per;

--@test: rows of another query may not come into a result that tells its time
--@expect.error: tells its readers how far event time has come in it
CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1);
CREATE STREAM one AS SELECT id FROM s;
INSERT INTO one SELECT id FROM s WHERE id = 'x';
