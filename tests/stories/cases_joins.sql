--@test: C10 a LEFT JOIN of two streams says that there is no match only when none can come any more
CREATE STREAM o (oid INT) WITH (topic='o', partitions=1);
CREATE STREAM p (oid INT, pid INT) WITH (topic='p', partitions=1);
CREATE STREAM j AS SELECT o.oid, p.pid FROM o LEFT JOIN p WITHIN 5s GRACE 0s ON o.oid = p.oid WHERE o.oid >= 0;
INSERT INTO o (oid, _key, _timestamp) VALUES (1, '1', 1000), (2, '2', 1000), (3, '3', 2000);
INSERT INTO p (oid, pid, _key, _timestamp) VALUES (1, 10, '1', 3000), (1, 11, '1', 4000), (2, 20, '2', 6001), (3, 30, '3', 7000);
INSERT INTO o (oid, _key, _timestamp) VALUES (-1, 't', 20000);
INSERT INTO p (oid, pid, _key, _timestamp) VALUES (-1, -1, 't', 40000);
ASSERT VALUES j (oid, pid) VALUES (1, 10), (1, 11), (2, NULL), (3, 30);
ASSERT NO MORE VALUES j;

--@test: C43 a stream joined with itself
CREATE STREAM ev (tx INT, acct INT, atm VARCHAR(5)) WITH (topic='ev', partitions=2);
CREATE STREAM j AS SELECT a.tx AS t1, b.tx AS t2 FROM ev a JOIN ev b WITHIN 10s GRACE 0s ON a.acct = b.acct WHERE a.atm <> b.atm AND a.tx < b.tx;
INSERT INTO ev (tx, acct, atm, _partition, _timestamp) VALUES (1, 1, 'X', 0, 1000), (2, 1, 'Y', 1, 5000), (3, 2, 'X', 0, 6000), (4, 1, 'X', 1, 11001);
ASSERT VALUES j (t1, t2) VALUES (1, 2), (2, 4);
ASSERT NO MORE VALUES j;

--@test: C43 one table joined twice
CREATE TABLE u (uid VARCHAR(5), name VARCHAR(5), PRIMARY KEY (uid)) WITH (topic='u', partitions=1);
CREATE STREAM o (oid INT, buyer VARCHAR(5), seller VARCHAR(5)) WITH (topic='o', partitions=1);
CREATE STREAM j AS SELECT o.oid, b.name AS bn, s.name AS sn FROM o LEFT JOIN u b ON o.buyer = b.uid LEFT JOIN u s ON o.seller = s.uid;
INSERT INTO u (uid, name, _timestamp) VALUES ('u1', 'Ann', 10), ('u2', 'Bo', 10);
INSERT INTO o (oid, buyer, seller, _timestamp) VALUES (1, 'u1', 'u2', 100), (2, 'u2', 'u2', 100);
ASSERT VALUES j (oid, bn, sn) VALUES (1, 'Ann', 'Bo'), (2, 'Bo', 'Bo');
ASSERT NO MORE VALUES j;

--@test: an alias before a dot counts before a column of that name
CREATE STREAM l (id VARCHAR, r STRUCT<id VARCHAR>, n ARRAY<VARCHAR>) WITH (topic = 'l');
CREATE TABLE rt (id VARCHAR PRIMARY KEY, name VARCHAR) WITH (topic = 'rt', key = 'id');
CREATE STREAM o AS SELECT l.id, r.name, r.id AS rid, l.r.id AS inner_id FROM l JOIN rt AS r ON l.id = r.id;
CREATE STREAM twice AS SELECT n.id, m.id AS mid FROM l AS n JOIN l AS m WITHIN 10s ON n.id = m.id;
INSERT INTO rt (id, name, _timestamp) VALUES ('a', 'Ann', 0);
INSERT INTO l (id, r, n, _timestamp) VALUES ('a', '{"id": "x"}', '["y"]', 1000);
ASSERT VALUES o (id, name, rid, inner_id) VALUES ('a', 'Ann', 'a', 'x');
ASSERT VALUES twice (id, mid) VALUES ('a', 'a');
