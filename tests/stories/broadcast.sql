--@test: a row of the stream meets every row of the table in whose range it lies
CREATE STREAM hits (ip BIGINT, url VARCHAR) WITH (topic = 'hits', partitions = 3);
CREATE TABLE ranges (name VARCHAR PRIMARY KEY, low BIGINT, high BIGINT) WITH (topic = 'ranges', partitions = 2);
CREATE STREAM o AS SELECT h.ip, r.name FROM hits h JOIN ranges r BROADCAST ON h.ip BETWEEN r.low AND r.high;
INSERT INTO ranges (name, low, high, _partition, _timestamp) VALUES ('a', 0, 99, 0, 100), ('b', 50, 149, 1, 110), ('c', 200, 299, 0, 120);
INSERT INTO hits (ip, url, _partition, _timestamp) VALUES (10, '/x', 0, 1000), (60, '/y', 1, 1000), (150, '/z', 2, 1000), (250, '/w', 0, 1100);
ASSERT VALUES o (ip, name, _timestamp) VALUES (10, 'a', 1000), (60, 'a', 1000), (60, 'b', 1000), (250, 'c', 1100);
ASSERT NO MORE VALUES o;

--@test: the matches of a row leave in the order of the primary key, whatever order the rows of the table came in
CREATE STREAM s (x INT) WITH (topic = 's', partitions = 1);
CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (topic = 't', partitions = 1);
CREATE STREAM o WITH (partitions = 1) AS SELECT s.x, t.id FROM s JOIN t BROADCAST ON s.x > t.v;
INSERT INTO t (id, v, _timestamp) VALUES (10, 1, 100), (-3, 1, 110), (9, 1, 120), (2, 1, 130);
INSERT INTO s (x, _key, _timestamp) VALUES (5, 'k', 1000);
ASSERT VALUES o (x, id) VALUES (5, -3), (5, 2), (5, 9), (5, 10) IN ORDER;
ASSERT NO MORE VALUES o;

--@test: what each row sees is the table at its event time, as in any stream–table join
CREATE STREAM s (id INT, region VARCHAR) WITH (topic = 's', partitions = 2);
CREATE TABLE shops (shop VARCHAR PRIMARY KEY, region VARCHAR) WITH (topic = 'shops', partitions = 2, key = 'shop');
CREATE STREAM o AS SELECT s.id, h.shop FROM s JOIN shops h BROADCAST ON s.region = h.region;
CREATE STREAM l AS SELECT s.id, h.shop FROM s LEFT JOIN shops h BROADCAST ON s.region = h.region;
-- b moves from eu to us at 3000 and a is closed at 5000
INSERT INTO shops (shop, region, _timestamp) VALUES ('a', 'eu', 1000), ('b', 'eu', 1000), ('b', 'us', 3000), ('c', NULL, 1000);
INSERT INTO shops RAW (_partition, _timestamp, _key, _value) VALUES (1, 5000, 'a', NULL);
INSERT INTO s (id, region, _partition, _timestamp) VALUES (0, 'eu', 0, 500), (1, 'eu', 1, 1000), (2, 'us', 0, 2000), (3, 'eu', 1, 3000), (4, 'us', 0, 3000), (5, 'eu', 1, 6000), (6, NULL, 0, 2000);
ASSERT VALUES o (id, shop) VALUES (1, 'a'), (1, 'b'), (3, 'a'), (4, 'b');
ASSERT NO MORE VALUES o;
ASSERT VALUES l (id, shop) VALUES (0, NULL), (1, 'a'), (1, 'b'), (2, NULL), (3, 'a'), (4, 'b'), (5, NULL), (6, NULL);
ASSERT NO MORE VALUES l;

--@test: equalities beside other conditions, <=>, USING, OR and functions
CREATE STREAM s (id INT, k VARCHAR, v INT) WITH (topic = 's', partitions = 2);
CREATE TABLE t (name VARCHAR PRIMARY KEY, k VARCHAR, v INT) WITH (topic = 't', partitions = 3);
CREATE STREAM a AS SELECT s.id, t.name FROM s JOIN t BROADCAST ON s.k = t.k AND s.v > t.v;
CREATE STREAM b AS SELECT s.id, t.name FROM s JOIN t BROADCAST ON s.k <=> t.k;
CREATE STREAM c AS SELECT s.id, t.name, k FROM s LEFT JOIN t BROADCAST USING (k);
CREATE STREAM d AS SELECT s.id, t.name FROM s JOIN t BROADCAST ON s.k = t.k OR s.v = t.v;
CREATE STREAM e AS SELECT s.id, t.name FROM s JOIN t BROADCAST ON UPPER(s.k) = CONCAT(UPPER(t.k), '') AND t.name LIKE CONCAT(s.v, '%');
INSERT INTO t (name, k, v, _partition, _timestamp) VALUES ('1x', 'p', 1, 0, 100), ('2x', 'p', 5, 1, 100), ('2y', NULL, 3, 2, 100);
INSERT INTO s (id, k, v, _partition, _timestamp) VALUES (1, 'p', 2, 0, 1000), (2, NULL, 5, 1, 1000), (3, 'q', 3, 0, 1000);
ASSERT VALUES a (id, name) VALUES (1, '1x');
ASSERT NO MORE VALUES a;
ASSERT VALUES b (id, name) VALUES (1, '1x'), (1, '2x'), (2, '2y');
ASSERT NO MORE VALUES b;
ASSERT VALUES c (id, name, k) VALUES (1, '1x', 'p'), (1, '2x', 'p'), (2, NULL, NULL), (3, NULL, 'q');
ASSERT NO MORE VALUES c;
ASSERT VALUES d (id, name) VALUES (1, '1x'), (1, '2x'), (2, '2x'), (3, '2y');
ASSERT NO MORE VALUES d;
ASSERT VALUES e (id, name) VALUES (1, '2x');
ASSERT NO MORE VALUES e;

--@test: a comma, CROSS JOIN and JOIN without a condition pair each row with the whole table
CREATE STREAM s (id INT, v INT) WITH (topic = 's', partitions = 2);
CREATE TABLE t (name VARCHAR PRIMARY KEY, v INT) WITH (topic = 't', partitions = 1);
CREATE STREAM a AS SELECT s.id, t.name FROM s, t BROADCAST;
CREATE STREAM b AS SELECT s.id, t.name FROM s CROSS JOIN t BROADCAST WHERE s.v = t.v;
CREATE STREAM c AS SELECT s.id, t.name FROM s LEFT JOIN t BROADCAST;
CREATE STREAM d AS SELECT s.id, x.name FROM s, t AS x BROADCAST WHERE x.v > 1 AND s.id < x.v;
INSERT INTO s (id, v, _partition, _timestamp) VALUES (0, 0, 0, 50), (1, 1, 0, 1000), (2, 2, 1, 1000);
INSERT INTO t (name, v, _timestamp) VALUES ('x', 1, 100), ('y', 2, 200);
ASSERT VALUES a (id, name) VALUES (1, 'x'), (1, 'y'), (2, 'x'), (2, 'y');
ASSERT NO MORE VALUES a;
ASSERT VALUES b (id, name) VALUES (1, 'x'), (2, 'y');
ASSERT NO MORE VALUES b;
ASSERT VALUES c (id, name) VALUES (0, NULL), (1, 'x'), (1, 'y'), (2, 'x'), (2, 'y');
ASSERT NO MORE VALUES c;
ASSERT VALUES d (id, name) VALUES (1, 'y');
ASSERT NO MORE VALUES d;

--@test: AS OF another instant
CREATE STREAM orders (id INT, cur VARCHAR, placed TIMESTAMP(3)) WITH (topic = 'orders', partitions = 2);
CREATE TABLE fees (fee VARCHAR PRIMARY KEY, cur VARCHAR, amount INT) WITH (topic = 'fees', partitions = 2);
CREATE STREAM o AS SELECT r.id, f.fee, f.amount FROM orders r LEFT JOIN fees AS OF TIMESTAMP r.placed f BROADCAST ON r.cur = f.cur;
INSERT INTO fees (fee, cur, amount, _partition, _timestamp) VALUES ('base', 'EUR', 1, 0, 1000), ('rush', 'EUR', 5, 1, 2000), ('base', 'EUR', 2, 0, 3000);
INSERT INTO orders (id, cur, placed, _partition, _timestamp) VALUES (1, 'EUR', '1970-01-01 00:00:01.500', 0, 9000), (2, 'EUR', '1970-01-01 00:00:02.500', 1, 9000), (3, 'EUR', '1970-01-01 00:00:03.500', 0, 9000), (4, 'EUR', NULL, 1, 9000);
ASSERT VALUES o (id, fee, amount, _timestamp) VALUES (1, 'base', 1, 9000), (2, 'base', 1, 9000), (2, 'rush', 5, 9000), (3, 'base', 2, 9000), (3, 'rush', 5, 9000), (4, NULL, NULL, 9000);
ASSERT NO MORE VALUES o;

--@test: AS OF LATEST takes what the table holds once it has been loaded
CREATE STREAM s (id INT, v INT) WITH (topic = 's', partitions = 2);
CREATE TABLE t (name VARCHAR PRIMARY KEY, v INT) WITH (topic = 't', partitions = 2);
CREATE STREAM o AS SELECT s.id, t.name FROM s JOIN t AS OF LATEST BROADCAST ON s.v >= t.v;
INSERT INTO t (name, v, _partition, _timestamp) VALUES ('a', 1, 0, 5000), ('b', 2, 1, 5000), ('b', 9, 1, 6000);
INSERT INTO s (id, v, _partition, _timestamp) VALUES (1, 3, 0, 1000), (2, 9, 1, 1000);
ASSERT VALUES o (id, name) VALUES (1, 'a'), (2, 'a'), (2, 'b');
ASSERT NO MORE VALUES o;

--@test: a row of the table that comes within WITHIN is not missed, and one that comes after is seen by later rows only
CREATE STREAM s (id INT, v INT) WITH (topic = 's', partitions = 1);
CREATE TABLE t (name VARCHAR PRIMARY KEY, v INT) WITH (topic = 't', partitions = 1);
CREATE STREAM o AS SELECT s.id, t.name FROM s LEFT JOIN t BROADCAST WITHIN 500ms ON s.v > t.v;
INSERT INTO s (id, v, _timestamp) VALUES (1, 5, 1000);
INSERT INTO t (name, v, _timestamp) VALUES ('a', 1, 900), ('b', 1, 1400), ('c', 1, 1000);
ASSERT VALUES o (id, name) VALUES (1, 'a'), (1, 'c');
ASSERT NO MORE VALUES o;
-- the table's own time stands at 10000, so a row of 9500 or before is late: it is seen by rows after 9500
INSERT INTO t (name, v, _timestamp) VALUES ('d', 100, 10000), ('e', 1, 2000);
INSERT INTO s (id, v, _timestamp) VALUES (2, 5, 3000), (3, 5, 9999);
ASSERT VALUES o (id, name) VALUES (2, 'a'), (2, 'b'), (2, 'c'), (3, 'a'), (3, 'b'), (3, 'c'), (3, 'e');
ASSERT NO MORE VALUES o;

--@test: the table and the rows that wait for it outlast a crash and a restart
CREATE STREAM s (id INT, region VARCHAR) WITH (topic = 's', partitions = 3);
CREATE TABLE t (name VARCHAR PRIMARY KEY, region VARCHAR) WITH (topic = 't', partitions = 2);
CREATE STREAM o AS SELECT s.id, t.name FROM s LEFT JOIN t BROADCAST ON s.region = t.region;
INSERT INTO t (name, region, _partition, _timestamp) VALUES ('a', 'eu', 0, 1000), ('b', 'us', 1, 1000);
INSERT INTO s (id, region, _partition, _timestamp) VALUES (1, 'eu', 0, 2000), (2, 'us', 1, 2000), (3, 'eu', 2, 2000);
ASSERT VALUES o (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'a');
CRASH;
INSERT INTO t (name, region, _partition, _timestamp) VALUES ('b', 'eu', 1, 3000), ('c', 'us', 0, 3000);
INSERT INTO s (id, region, _partition, _timestamp) VALUES (4, 'eu', 0, 2500), (5, 'eu', 1, 3500);
ASSERT VALUES o (id, name) VALUES (4, 'a'), (5, 'a'), (5, 'b');
RESTART;
INSERT INTO s (id, region, _partition, _timestamp) VALUES (6, 'us', 2, 2900), (7, 'us', 0, 4000);
ASSERT VALUES o (id, name) VALUES (6, 'b'), (7, 'c');
ASSERT NO MORE VALUES o;

--@test: key and headers of the result are those of the row of the stream
CREATE STREAM s (id INT, v INT) WITH (topic = 's', partitions = 2);
CREATE TABLE t (name VARCHAR PRIMARY KEY, v INT) WITH (topic = 't', partitions = 2);
CREATE STREAM o AS SELECT s.id, t.name FROM s JOIN t BROADCAST ON s.v > t.v;
INSERT INTO t (name, v, _key, _partition, _timestamp) VALUES ('a', 1, 'ka', 0, 100), ('b', 1, 'kb', 1, 100);
INSERT INTO s (id, v, _key, _partition, _timestamp) VALUES (1, 5, 'ks', 1, 1000);
ASSERT VALUES o (id, name, _key) VALUES (1, 'a', 'ks'), (1, 'b', 'ks');
ASSERT NO MORE VALUES o;

--@test: pairs are counted, ranked and made distinct each for itself
CREATE STREAM s (id INT, v INT) WITH (topic = 's', partitions = 2);
CREATE TABLE t (name VARCHAR PRIMARY KEY, grp VARCHAR, v INT) WITH (topic = 't', partitions = 2);
CREATE TABLE n AS SELECT t.grp, COUNT(*) AS n, SUM(s.v) AS total FROM s JOIN t BROADCAST ON s.v >= t.v GROUP BY t.grp;
CREATE STREAM w AS SELECT t.grp, COUNT(*) AS n, window_start FROM s JOIN t BROADCAST ON s.v >= t.v WINDOW TUMBLING(1s) GROUP BY t.grp EMIT FINAL;
CREATE TABLE top AS SELECT s.id, t.name, ROW_NUMBER() OVER (PARTITION BY s.id ORDER BY t.v DESC, t.name) AS nr FROM s JOIN t BROADCAST ON s.v >= t.v QUALIFY nr <= 2;
CREATE STREAM d AS SELECT DISTINCT ON (s.id, t.grp) s.id, t.grp, t.name FROM s JOIN t BROADCAST ON s.v >= t.v WINDOW TUMBLING(1s) EMIT FINAL;
INSERT INTO t (name, grp, v, _partition, _timestamp) VALUES ('a', 'x', 1, 0, 100), ('b', 'x', 2, 1, 100), ('c', 'y', 2, 0, 100), ('d', 'y', 9, 1, 100);
INSERT INTO s (id, v, _partition, _timestamp) VALUES (1, 2, 0, 1000), (2, 1, 1, 1000), (3, 0, 0, 9000), (3, 0, 1, 9000);
ASSERT TABLE n (grp, n, total) VALUES ('x', 3, 5), ('y', 1, 2);
ASSERT VALUES w (grp, n, window_start) VALUES ('x', 3, 1000), ('y', 1, 1000);
ASSERT NO MORE VALUES w;
ASSERT TABLE top (id, nr, name) VALUES (1, 1, 'b'), (1, 2, 'c'), (2, 1, 'a');
-- of a row's matches in one group the first by primary key stays
ASSERT VALUES d (id, grp, name) VALUES (1, 'x', 'a'), (1, 'y', 'c'), (2, 'x', 'a');
ASSERT NO MORE VALUES d;

--@test: broadcast, then by key, then broadcast
CREATE STREAM s (id INT, v INT) WITH (topic = 's', partitions = 3);
CREATE TABLE bands (band VARCHAR PRIMARY KEY, low INT, high INT) WITH (topic = 'bands', partitions = 2);
CREATE TABLE prices (band VARCHAR PRIMARY KEY, price INT) WITH (topic = 'prices', partitions = 2);
CREATE TABLE taxes (tax VARCHAR PRIMARY KEY, above INT) WITH (topic = 'taxes', partitions = 1);
CREATE STREAM o AS SELECT s.id, b.band, p.price, x.tax FROM s JOIN bands b BROADCAST WITHIN 200ms ON s.v BETWEEN b.low AND b.high JOIN prices p WITHIN 200ms ON b.band = p.band LEFT JOIN taxes x BROADCAST WITHIN 200ms ON p.price > x.above;
INSERT INTO bands (band, low, high, _partition, _timestamp) VALUES ('l', 0, 10, 0, 100), ('m', 5, 15, 1, 100);
INSERT INTO prices (band, price, _partition, _timestamp) VALUES ('l', 1, 0, 100), ('m', 7, 1, 100);
INSERT INTO taxes (tax, above, _timestamp) VALUES ('t1', 2, 100), ('t2', 5, 100);
INSERT INTO s (id, v, _partition, _timestamp) VALUES (1, 3, 0, 1000), (2, 7, 1, 1000), (3, 12, 2, 1000), (4, 99, 0, 1000);
ASSERT VALUES o (id, band, price, tax) VALUES (1, 'l', 1, NULL), (2, 'l', 1, NULL), (2, 'm', 7, 't1'), (2, 'm', 7, 't2'), (3, 'm', 7, 't1'), (3, 'm', 7, 't2');
ASSERT NO MORE VALUES o;

--@test: a union of streams, and a stream of windows, meet a broadcast table
CREATE STREAM a (id INT, v INT) WITH (topic = 'a', partitions = 2);
CREATE STREAM b (id INT, v INT) WITH (topic = 'b', partitions = 1);
CREATE TABLE t (name VARCHAR PRIMARY KEY, v INT) WITH (topic = 't', partitions = 2);
CREATE STREAM o AS SELECT u.id, t.name FROM (SELECT id, v FROM a UNION ALL SELECT id, v FROM b) AS u JOIN t BROADCAST ON u.v > t.v;
CREATE STREAM w AS SELECT q.id, q.n, t.name FROM (SELECT id, COUNT(*) AS n FROM a WINDOW TUMBLING(1s) GROUP BY id EMIT FINAL) AS q JOIN t BROADCAST ON q.n > t.v;
INSERT INTO t (name, v, _partition, _timestamp) VALUES ('x', 1, 0, 100), ('y', 2, 1, 100);
INSERT INTO a (id, v, _partition, _timestamp) VALUES (1, 2, 0, 1000), (1, 3, 0, 1100), (2, 1, 1, 1000), (9, 0, 0, 9000), (9, 0, 1, 9000);
INSERT INTO b (id, v, _timestamp) VALUES (3, 5, 1000);
ASSERT VALUES o (id, name) VALUES (1, 'x'), (1, 'x'), (1, 'y'), (3, 'x'), (3, 'y');
ASSERT NO MORE VALUES o;
ASSERT VALUES w (id, n, name) VALUES (1, 2, 'x');
ASSERT NO MORE VALUES w;

--@test: groups of a stream as a broadcast table, found by a value that changes
CREATE STREAM s (id INT, n BIGINT) WITH (topic = 's', partitions = 2);
CREATE STREAM u (name VARCHAR) WITH (topic = 'u', partitions = 2);
CREATE STREAM o AS SELECT s.id, g.name FROM s JOIN (SELECT name, COUNT(*) AS n FROM u GROUP BY name) AS g BROADCAST ON s.n = g.n;
INSERT INTO u (name, _partition, _timestamp) VALUES ('a', 0, 1000), ('b', 1, 1000), ('a', 1, 2000);
INSERT INTO s (id, n, _partition, _timestamp) VALUES (1, 1, 0, 1500), (2, 1, 1, 2500), (3, 2, 0, 2500);
ASSERT VALUES o (id, name) VALUES (1, 'a'), (1, 'b'), (2, 'b'), (3, 'a');
ASSERT NO MORE VALUES o;

--@test: IN and EXISTS over a stream by any columns of a table: a row passes once, however many match
CREATE STREAM s (id INT, region VARCHAR, v INT) WITH (topic = 's', partitions = 2);
CREATE TABLE shops (shop VARCHAR PRIMARY KEY, region VARCHAR, low INT, high INT) WITH (topic = 'shops', partitions = 2);
CREATE STREAM a AS SELECT id FROM s WHERE region IN (SELECT region FROM shops);
CREATE STREAM b AS SELECT id FROM s WHERE region NOT IN (SELECT region FROM shops WHERE region IS NOT NULL);
CREATE STREAM c AS SELECT id FROM s WHERE EXISTS (SELECT 1 FROM shops WHERE s.v BETWEEN shops.low AND shops.high);
CREATE STREAM d AS SELECT id FROM s WHERE NOT EXISTS (SELECT 1 FROM shops WHERE shops.region = s.region AND s.v BETWEEN shops.low AND shops.high);
INSERT INTO shops (shop, region, low, high, _partition, _timestamp) VALUES ('x', 'eu', 0, 9, 0, 1000), ('y', 'eu', 5, 20, 1, 1000), ('z', 'us', 5, 9, 0, 1000), ('z', 'eu', 5, 9, 0, 4000);
INSERT INTO s (id, region, v, _partition, _timestamp) VALUES (1, 'eu', 7, 0, 2000), (2, 'us', 15, 1, 2000), (3, 'cn', 99, 0, 2000), (4, 'us', 7, 1, 5000), (5, NULL, 7, 0, 2000), (6, 'eu', 1, 1, 500);
ASSERT VALUES a (id) VALUES (1), (2);
ASSERT NO MORE VALUES a;
ASSERT VALUES b (id) VALUES (3), (4), (6);
ASSERT NO MORE VALUES b;
ASSERT VALUES c (id) VALUES (1), (2), (4), (5);
ASSERT NO MORE VALUES c;
ASSERT VALUES d (id) VALUES (2), (3), (4), (5), (6);
ASSERT NO MORE VALUES d;

--@test: a total of another stream, as it was at the row's event time
CREATE STREAM s (id INT, v INT) WITH (topic = 's', partitions = 2);
CREATE STREAM limits (v INT) WITH (topic = 'limits', partitions = 2);
CREATE STREAM o AS SELECT s.id, m.top FROM s LEFT JOIN (SELECT MAX(v) AS top FROM limits) AS m BROADCAST ON s.v > m.top;
INSERT INTO limits (v, _partition, _timestamp) VALUES (5, 0, 1000), (9, 1, 2000);
INSERT INTO s (id, v, _partition, _timestamp) VALUES (1, 7, 0, 500), (2, 7, 1, 1500), (3, 7, 0, 2500), (4, 10, 1, 2500);
ASSERT VALUES o (id, top) VALUES (1, NULL), (2, 5), (3, NULL), (4, 9);
ASSERT NO MORE VALUES o;

--@test: a filtered table holds what passes; a row that no longer does is gone from then on
CREATE STREAM s (id INT, v INT) WITH (topic = 's', partitions = 2);
CREATE TABLE t (name VARCHAR PRIMARY KEY, active BOOLEAN, v INT) WITH (topic = 't', partitions = 2);
CREATE STREAM o AS SELECT s.id, t.name FROM s JOIN t BROADCAST ON s.v > t.v WHERE t.active;
INSERT INTO t (name, active, v, _partition, _timestamp) VALUES ('a', TRUE, 1, 0, 100), ('b', TRUE, 1, 1, 100), ('a', FALSE, 1, 0, 2000);
INSERT INTO s (id, v, _partition, _timestamp) VALUES (1, 5, 0, 1000), (2, 5, 1, 3000);
ASSERT VALUES o (id, name) VALUES (1, 'a'), (1, 'b'), (2, 'b');
ASSERT NO MORE VALUES o;

--@test: a condition that cannot be computed for a pair is reported, and the pair is no match
CREATE STREAM s (id INT, v INT) WITH (topic = 's', partitions = 1);
CREATE TABLE t (name VARCHAR PRIMARY KEY, v VARCHAR) WITH (topic = 't', partitions = 1);
CREATE STREAM o AS SELECT s.id, t.name FROM s LEFT JOIN t BROADCAST ON s.v > CAST(t.v AS BIGINT);
INSERT INTO t (name, v, _timestamp) VALUES ('a', '1', 100), ('b', 'x', 100), ('c', '3', 100);
INSERT INTO s (id, v, _timestamp) VALUES (1, 2, 1000);
ASSERT VALUES o (id, name) VALUES (1, 'a');
ASSERT NO MORE VALUES o;

--@test: RIGHT JOIN of a broadcast table
--@expect.error: RIGHT JOIN of a stream with a table
CREATE STREAM s (id INT) WITH (topic = 's', partitions = 1);
CREATE TABLE t (name VARCHAR PRIMARY KEY) WITH (topic = 't', partitions = 1);
CREATE STREAM o AS SELECT s.id, t.name FROM s RIGHT JOIN t BROADCAST ON s.id > 1;
