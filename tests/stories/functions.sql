--@test: arrays, maps and structs are taken apart and put together
CREATE STREAM s (id INT, tags ARRAY<VARCHAR>, prices MAP<VARCHAR, DECIMAL(10,2)>, items ARRAY<STRUCT<sku VARCHAR, n INT, price DECIMAL(10,2)>>) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT id, tags[1] AS first, tags[-1] AS last, prices['EUR'] AS eur, items[1].sku AS sku, CARDINALITY(tags) AS n,
  ARRAY_JOIN(ARRAY_SORT(tags), '+') AS sorted, ARRAY_CONTAINS(tags, 'b') AS has_b, MAP_KEYS(prices) AS currencies FROM s;
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES
  (0, 1, '{"id":1,"tags":["b","a"],"prices":{"EUR":1.5,"USD":"2"},"items":[{"sku":"k1","n":2,"price":3}]}'),
  (1, 2, '{"id":2,"tags":[],"prices":{},"items":[]}'), (0, 3, '{"id":3}');
ASSERT VALUES o (id, first, last, eur, sku, n, sorted, has_b, currencies) VALUES
  (1, 'b', 'a', 1.50, 'k1', 2, 'a+b', TRUE, '["EUR","USD"]'), (2, NULL, NULL, NULL, NULL, 0, '', FALSE, '[]'), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
ASSERT NO MORE VALUES o;

--@test: lambdas see columns, the elements' fields and each other
CREATE STREAM s (id INT, k INT, ns ARRAY<INT>, items ARRAY<STRUCT<sku VARCHAR, n INT, price DECIMAL(10,2)>>) WITH (topic='s', partitions=2);
CREATE STREAM o AS SELECT id, TRANSFORM(ns, x -> x * k) AS times, FILTER(ns, x -> x > k) AS above, REDUCE(ns, 0, (acc, x) -> acc + x) AS total,
  REDUCE(items, 0, (sum, i) -> sum + i.n * i.price) AS worth, TRANSFORM(FILTER(items, i -> i.n > 1), i -> UPPER(i.sku)) AS many,
  ANY_MATCH(ns, x -> x = k) AS met, TRANSFORM(ns, x -> REDUCE(ns, k, (acc, y) -> acc + x * y)) AS nested FROM s WHERE k > 0;
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES
  (0, 1, '{"id":1,"k":2,"ns":[1,2,3],"items":[{"sku":"a","n":1,"price":1.25},{"sku":"b","n":2,"price":2}]}'),
  (1, 2, '{"id":2,"k":1,"ns":[],"items":[]}'), (0, 3, '{"id":3,"k":0,"ns":[1]}'), (1, 4, '{"id":4,"k":5}');
ASSERT VALUES o (id, times, above, total, worth, many, met, nested) VALUES
  (1, '[2,4,6]', '[3]', 6, 5.25, '["B"]', TRUE, '[8,14,20]'), (2, '[]', '[]', 0, 0.00, '[]', FALSE, '[]'), (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
ASSERT NO MORE VALUES o;

--@test: constructors make nested columns
CREATE STREAM s (a INT, b VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT ARRAY[a, a + 1] AS list, MAP(b, a) AS m, STRUCT(a AS x, UPPER(b) AS y) AS st FROM s;
CREATE STREAM p AS SELECT list[2] AS two, m['k'] AS v, st.y AS y FROM o;
INSERT INTO s (a, b, _timestamp) VALUES (1, 'k', 1);
ASSERT VALUES o (_value) VALUES ('{"list":[1,2],"m":{"k":1},"st":{"x":1,"y":"K"}}');
ASSERT VALUES p (two, v, y) VALUES (2, 1, 'K');
ASSERT NO MORE VALUES p;

--@test: a lambda that fails drops its row, and no other
CREATE STREAM s (id INT, xs ARRAY<VARCHAR>) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, TRANSFORM(xs, x -> CAST(x AS INT)) AS ns FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"id":1,"xs":["1","2"]}'), (2, '{"id":2,"xs":["3","x"]}'), (3, '{"id":3,"xs":["4"]}');
ASSERT VALUES o (id, ns) VALUES (1, '[1,2]'), (3, '[4]') IN ORDER;
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 1;

--@test: grouping by an element, and a lambda in an aggregate's argument
CREATE STREAM s (tags ARRAY<VARCHAR>, ns ARRAY<INT>) WITH (topic='s', partitions=2);
CREATE TABLE o AS SELECT tags[1] AS tag, SUM(REDUCE(ns, 0, (acc, x) -> acc + x)) AS total FROM s GROUP BY tags[1];
INSERT INTO s RAW (_partition, _timestamp, _value) VALUES (0, 1, '{"tags":["a","z"],"ns":[1,2]}'), (1, 2, '{"tags":["a"],"ns":[4]}'), (0, 3, '{"tags":["b"],"ns":[]}');
ASSERT TABLE o (tag, total) VALUES ('a', 7), ('b', 0);

--@test: an unknown name in a lambda has its place
--@expect.error: unknown column y
CREATE STREAM s (ns ARRAY<INT>) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT TRANSFORM(ns, x -> x + y) AS z FROM s;

--@test: a lambda outside of a function that takes one
--@expect.error: UPPER does not take a lambda
CREATE STREAM s (a VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT UPPER(x -> x) AS z FROM s;

--@test: positions count from 1
--@expect.error: positions count from 1
CREATE STREAM s (ns ARRAY<INT>) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT ns[0] AS z FROM s;

--@test: chance is kept out of a persistent query
--@expect.error: UUID() is another value each time
CREATE STREAM s (id INT) WITH (topic='s', partitions=1);
CREATE STREAM o AS SELECT id, CONCAT('x', UUID()) AS u FROM s;

--@test: chance in a query inside, or in a view
--@expect.error: RAND() is another value each time
CREATE STREAM s (id INT) WITH (topic='s', partitions=1);
CREATE VIEW v AS SELECT id, RAND() AS r FROM s;
CREATE STREAM o AS SELECT id FROM (SELECT id FROM v WHERE r > 0) AS d;

--@test: chance is allowed for a target that says so; a UUID of the row needs no leave
CREATE STREAM s (id INT) WITH (topic='s', partitions=2);
CREATE STREAM o WITH (non_deterministic='allow') AS SELECT id, UUID() AS u FROM s;
CREATE STREAM p AS SELECT id, IS_UUID(u) AS ok FROM o;
CREATE STREAM q AS SELECT id, UUID_V5('oid', CONCAT('s-', id)) AS u FROM s;
CREATE STREAM t (id INT, ok BOOLEAN) WITH (topic='t', partitions=1, non_deterministic='allow');
INSERT INTO t SELECT id, RAND() < 1 FROM s;
INSERT INTO s (id, _partition, _timestamp) VALUES (1, 0, 1), (2, 1, 2);
ASSERT VALUES p (id, ok) VALUES (1, TRUE), (2, TRUE);
ASSERT NO MORE VALUES p;
ASSERT VALUES t (id, ok) VALUES (1, TRUE), (2, TRUE);
ASSERT VALUES q (id, u) VALUES (1, 'cb32974c-66d7-5c16-8c97-b096a3d2a8f9'), (2, '388fe8d1-eeac-56b3-bc6b-fc76b367ce7e');
