-- Statements of problems users had with streaming SQL.
CREATE TABLE users (uid VARCHAR(20), name VARCHAR(20), PRIMARY KEY (uid)) WITH (topic='users', partitions=1);
CREATE STREAM clicks (cid VARCHAR(20), uid VARCHAR(20)) WITH (topic='clicks', partitions=1);
SELECT c.cid, u.name FROM clicks c JOIN users u ON c.uid = u.uid;
SELECT k, COUNT(*) AS n FROM r WINDOW TUMBLING(10s) GRACE(0s) GROUP BY k EMIT FINAL;
SELECT r.rental_id, c.name FROM rentals r LEFT JOIN customers c ON r.customer_id = c.customer_id;
CREATE STREAM s (userId VARCHAR(10), city VARCHAR(10)) WITH (topic='s', partitions=1);
SELECT USERID, CITY FROM s;
SELECT o.oid, p.pid FROM o LEFT JOIN p WITHIN 5s GRACE(0s) ON o.oid = p.oid;
SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GRACE(5s) GROUP BY k EMIT FINAL;
SELECT COUNT(*) AS n FROM clicks WINDOW TUMBLING(10s);
CREATE STREAM s (id INT, ts BIGINT) WITH (topic='s', partitions=1, timestamp='ts');
SELECT DISTINCT id FROM s WINDOW TUMBLING(10s);
SELECT SUM(price) AS t FROM s WINDOW TUMBLING(10s) WHERE id IN (4,5);
SELECT k, COUNT(*) c, COUNT(v) cv, COUNT(DISTINCT v) cd, SUM(v) sv, AVG(v) av, MIN(v) mi, MAX(v) ma, SUM(w) sw FROM s WINDOW TUMBLING(10s) GROUP BY k;
CREATE STREAM s (`group` VARCHAR(5), `order` INT, timestamp VARCHAR(30), `window` VARCHAR(5), `@id` VARCHAR(5), `a.b` INT) WITH (topic='s', partitions=1);
SELECT `group`, `order`, timestamp, `window`, `@id`, `a.b` FROM s;
SELECT s.`group` AS g, COUNT(*) AS n FROM s WINDOW TUMBLING(10s) GROUP BY s.`group`;
-- it's a comment; with a semicolon
/* block; isn't
   over yet */
CREATE STREAM s (id INT, txt VARCHAR(50)) WITH (topic='s', partitions=1);  -- don't stop here
SELECT id FROM s WHERE txt = 'a;b'; # hash comment; it's MySQL
;
SELECT id FROM s WHERE txt = 'it''s -- not a comment';
SELECT a, b, SUM(n) AS t FROM s WINDOW TUMBLING(10s) GROUP BY a, b;
SELECT id, CASE WHEN n > 5 THEN 'hi' ELSE 'lo' END AS c1, CASE WHEN x IS NULL THEN NULL ELSE x END AS c2, CASE x WHEN NULL THEN 'n' ELSE 'e' END AS c3,
  IFNULL(CASE WHEN x IS NULL THEN y ELSE x END, 'unknown') AS c4, COALESCE(x, y, 'z') AS c5, NULLIF(x, 'a') AS c6 FROM s;
SELECT id FROM s WHERE NOT (x = 'a'); SELECT id FROM s WHERE x NOT IN ('a', NULL); SELECT id FROM s WHERE NOT (x <=> 'a');
SELECT k, SUM(v) AS s FROM st GROUP BY k HAVING SUM(v) > 10 EMIT CHANGES;
SELECT COUNT(*) AS c, SUM(v) AS t, COUNT(DISTINCT u) AS d, MAX(CONCAT(u,'!')) AS m FROM s WINDOW HOPPING(10s, ADVANCE 5s) GRACE(0s);
SELECT s.*, t.v AS tv FROM s JOIN t ON s.id = t.id;
SELECT a.tx AS t1, b.tx AS t2 FROM ev a JOIN ev b WITHIN 10s GRACE(0s) ON a.acct = b.acct WHERE a.atm <> b.atm AND a.tx < b.tx;
SELECT o.oid, b.name AS bn, s.name AS sn FROM o LEFT JOIN u b ON o.buyer = b.uid LEFT JOIN u s ON o.seller = s.uid;
SELECT id FROM s LIMIT 0; SELECT id FROM s ORDER BY id; CREATE STREAM d AS SELECT id FROM s LIMIT 5;
SELECT id, name, age, addr->>'$.city' AS city, addr->>'$.tags[0]' AS t0 FROM s;
SELECT SUBSTRING(code,1,2) AS p, COUNT(*) AS c FROM s WINDOW TUMBLING(10s) GROUP BY SUBSTRING(code,1,2);
SELECT SUBSTRING(code,1,2) AS p, COUNT(*) AS c FROM s WINDOW TUMBLING(10s) GROUP BY 1;
SELECT id, CHAR_LENGTH(MAX(txt)) AS n FROM s WINDOW TUMBLING(10s) GROUP BY id
