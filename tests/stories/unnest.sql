--@test: a row for each element; an empty array and NULL give none
CREATE STREAM s (id INT, tags ARRAY<VARCHAR>) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT s.id, t.tag FROM s CROSS JOIN UNNEST(s.tags) AS t(tag);
CREATE STREAM p AS SELECT id, x FROM s LEFT JOIN UNNEST(tags) AS x ON TRUE;
CREATE STREAM q AS SELECT id, UPPER(x) AS x FROM s, UNNEST(tags) AS t(x) WHERE x <> 'b' AND id < 3;
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES (0, 1000, '{"id":1,"tags":["a","b"]}'), (1, 1000, '{"id":2,"tags":[]}'), (0, 2000, '{"id":3,"tags":null}'), (1, 2000, '{"id":4,"tags":["c",null]}');
ASSERT VALUES o (id, tag) VALUES (1, 'a'), (1, 'b'), (4, 'c'), (4, NULL);
ASSERT VALUES p (id, x) VALUES (1, 'a'), (1, 'b'), (2, NULL), (3, NULL), (4, 'c'), (4, NULL);
ASSERT VALUES q (id, x) VALUES (1, 'A');
ASSERT NO MORE VALUES o;
ASSERT NO MORE VALUES p;
ASSERT NO MORE VALUES q;

--@test: elements are counted over partitions and windows; a late record is late once
CREATE STREAM s (id INT, tags ARRAY<VARCHAR>) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT tag, COUNT(*) AS n, window_start FROM s CROSS JOIN UNNEST(tags) AS t(tag) WINDOW TUMBLING(10s) GROUP BY tag EMIT FINAL;
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES (0, 1000, '{"id":1,"tags":["a","b","a"]}'), (0, 2000, '{"id":2,"tags":["a"]}'), (0, 12000, '{"id":3,"tags":["x"]}'), (0, 3000, '{"id":4,"tags":["a","b","c"]}'), (0, 30000, '{"id":5,"tags":[]}');
ASSERT VALUES o (tag, n, window_start) VALUES ('a', 3, 0), ('b', 1, 0), ('x', 1, 10000);
ASSERT NO MORE VALUES o;
ASSERT LATE s 1;

--@test: a map has keys and values; an array of STRUCTs has fields
CREATE STREAM s (id INT, votes MAP<VARCHAR, INT>, items ARRAY<STRUCT<sku VARCHAR, n INT>>) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, `key`, value FROM s CROSS JOIN UNNEST(votes) AS v;
CREATE STREAM p AS SELECT id, i.sku AS sku, i.n * 2 AS twice FROM s CROSS JOIN UNNEST(items) AS t(i);
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES (0, 1000, '{"id":1,"votes":{"a":1,"b":2},"items":[{"sku":"x","n":3},{"sku":"y"}]}');
ASSERT VALUES o (id, `key`, value) VALUES (1, 'a', 1), (1, 'b', 2);
ASSERT VALUES p (id, sku, twice) VALUES (1, 'x', 6), (1, 'y', NULL);
ASSERT NO MORE VALUES o;
ASSERT NO MORE VALUES p;

--@test: a lateral query over the elements names the row around it
CREATE STREAM s (id INT, least INT, ns ARRAY<INT>) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, q.d FROM s, LATERAL (SELECT n - least AS d FROM UNNEST(ns) AS t(n) WHERE n > least) AS q;
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES (0, 1000, '{"id":1,"least":3,"ns":[1,4,9]}');
ASSERT VALUES o (id, d) VALUES (1, 1), (1, 6);
ASSERT NO MORE VALUES o;

--@test: elements of a table's rows come and go with them
CREATE TABLE t (id VARCHAR PRIMARY KEY, tags ARRAY<VARCHAR>) WITH (topic='t', partitions=1, key='id');
CREATE TABLE o AS SELECT tag, COUNT(*) AS n FROM t CROSS JOIN UNNEST(tags) AS x(tag) GROUP BY tag;
INSERT INTO t RAW (_partition, _timestamp, _key, _value) VALUES (0, 1000, 'a', '{"tags":["x","y"]}'), (0, 1000, 'b', '{"tags":["x"]}');
ASSERT TABLE o (tag, n) VALUES ('x', 2), ('y', 1);
INSERT INTO t RAW (_partition, _timestamp, _key, _value) VALUES (0, 2000, 'a', '{"tags":["y","z"]}');
ASSERT TABLE o (tag, n) VALUES ('x', 1), ('y', 1), ('z', 1);
